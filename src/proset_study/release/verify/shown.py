"""Whether what people read follows from the records: pages and figures are rendered again and compared to the byte.

The same code gives the same bytes, see `manifest.made_with`; what other code has shown is not checked.
"""

from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path

import numpy as np
from markupsafe import escape

from proset_study.base.records import write_text
from proset_study.release.verify.differences import brief, first
from proset_study.release.verify.foreign import Refused
from proset_study.release.verify.models import Recorded
from proset_study.release.verify.records import Unpacked
from proset_study.report.analysis.manifest import DOCS, made_with
from proset_study.report.pages.links import as_committed
from proset_study.report.write import write_page_of, write_report
from proset_study.study import layout
from proset_study.study.fingerprints import closure, modules_of

AROUND = 60  # characters of a line that differs, on either side of the place


def facts(stored: Unpacked) -> Iterator[str]:
    """Whether the front page names commit, machine and packages of the manifest, and its keys count these packages."""
    manifest, page = stored.foreign.manifest, stored.foreign.text(layout.INDEX)
    for key, text in told(manifest).items():
        if f"<dd>{escape(text)}</dd>" not in page:
            yield f"{layout.MANIFEST} and {layout.INDEX}: {key} differ, the manifest has {brief(text)}"
    if not other_code(manifest):
        for package in sorted(closure(*modules_of("report"), *modules_of("page"))[1]):
            if (known := manifest["versions"].get(package)) != version(package):
                yield f"{layout.MANIFEST}: {package} {brief(known)} is not the version that the keys in it count"


def told(manifest: dict) -> dict[str, str]:
    """What the front page tells of how a study was run, by key of the manifest."""
    machine = manifest["machine"]
    return {
        "commit": manifest["commit"] or "not a checkout",
        "machine": f"{machine['processor']}, {machine['cores']} cores, {machine['system']}",
        "versions": ", ".join(f"{name} {version}" for name, version in manifest["versions"].items()),
    }


def pages(
    stored: Unpacked,
    published: Path,
    n_pages: int | None,
    rng: np.random.Generator,
    say: Callable[[str], None],
    skip: Callable[[str], None],
) -> Iterator[str]:
    """Render pages and figures again, those of `n_pages` data sets that `rng` draws, by default of all; compare them.

    What is not checked is said to `skip`.
    """
    foreign, manifest = stored.foreign, stored.foreign.manifest
    theirs = {name for name in foreign.files if is_shown(name)}
    why = other_code(manifest)
    if not why and not stored.is_whole:
        why = "not all records are here, or of another arithmetic"
    if why:
        skip(f"{len(theirs)} pages and figures ({layout.INDEX}, ...), not rendered again: {why}")
        return
    options, docs = manifest["rendered"]["options"], manifest["rendered"]["docs"]
    if docs not in ("", DOCS):  # a stranger's address, which pages would link to
        raise Refused(f"{layout.MANIFEST}: docs {brief(docs)} is not allowed, must be {DOCS!r} or empty")
    write_text(stored.made / layout.MANIFEST, foreign.text(layout.MANIFEST))
    write_report(stored, stored.made, published, ["overview", "article"], options)
    with_page = [data_set for data_set in stored.study.data_sets if any(_is_of(data_set, name) for name in theirs)]
    drawn = with_page if n_pages is None else rng.permutation(with_page)[:n_pages].tolist()
    for data_set in drawn:
        part = Recorded(stored.folder, stored.study.of_data_set(data_set))  # all that the workflow's job is given
        write_page_of(data_set, part, stored.made, options, stored.study.data_sets)
    if others := [data_set for data_set in with_page if data_set not in drawn]:
        skip(f"pages and figures of {', '.join(others)}: {n_pages} of {len(with_page)} data sets are drawn")
    say(f"pages and figures, over all data sets and of {len(drawn)}, are rendered again and compared to the byte")
    ours = {str(path.relative_to(stored.made)) for path in stored.made.rglob("*") if path.is_file()}
    ours = {name for name in ours if is_shown(name)}
    in_archives = {name for name in ours - theirs if layout.archived(stored.study, name)}
    for name in sorted(ours - in_archives):
        try:
            yield from _compare(name, stored)
        except Refused as error:
            yield str(error)
    unknown = {name for name in theirs - ours if not any(_is_of(data_set, name) for data_set in others)}
    yield from first([f"{name} does not follow from the records" for name in sorted(unknown)], "like the last one")


def is_shown(name: str) -> bool:
    """Whether a file of a report is one that people read and that is not computed from records alone."""
    return name.endswith(".html") or name.startswith("figures/") or name in (layout.NUMBERS, layout.VEGA)


def _is_of(data_set, name):
    page, figures = layout.PAGE.format(data_set=data_set), layout.FIGURES.format(data_set=data_set)
    return name == page or name.startswith(f"{figures}/")


def other_code(manifest: dict) -> str:
    """What has decided the claims and rendered the pages of a report; empty if it is what would do so here."""
    if all(manifest["rendered"].get(key) == value for key, value in made_with().items()):
        return ""
    return f"made by other code or libraries, proset {manifest['versions']['proset']} of commit {manifest['commit']}"


def _compare(name, stored):
    foreign = stored.foreign
    if name.endswith(".svg"):
        if (stored.made / name).read_bytes() != foreign.path(name).read_bytes():
            yield f"{name} is not the figure that is drawn again"
        return
    ours, theirs = stored.text(name), foreign.text(name)
    is_committed = not foreign.is_release and as_committed(ours, stored.study, foreign.files) == theirs
    if ours == theirs or is_committed:
        return
    their_lines, our_lines = theirs.split("\n"), ours.split("\n")
    pairs = list(zip(our_lines, their_lines, strict=False))
    lines = [_where(name, number, a, b) for number, (a, b) in enumerate(pairs, start=1) if a != b]
    if len(our_lines) != len(their_lines):
        lines.append(f"{name}: {len(their_lines)} lines, rendered again {len(our_lines)}")
    yield from first(lines, "lines differ", f"{name}: ")


def _where(name, number, ours, theirs):
    """The place in a line, which may be a long one."""
    place = next((i for i, (a, b) in enumerate(zip(ours, theirs, strict=False)) if a != b), min(len(ours), len(theirs)))
    around = slice(max(0, place - AROUND), place + AROUND)
    found = f"{brief(theirs[around])}, rendered again {brief(ours[around])}"
    return f"{name}, line {number}, character {place + 1}: {found}"
