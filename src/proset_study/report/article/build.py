"""What topics give: a report's numbers.json, and the article from those of the committed reports and its sources."""

import shutil
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from proset_study.base.records import read_json, write_json

# They register topics.
from proset_study.report.article import beyond, differences, example, installed, methods, open_track, study  # noqa: F401
from proset_study.report.article.sources import TEXT, check, check_subject
from proset_study.report.article.study import STUDY
from proset_study.report.article.topics import FIGURES, SUBJECT, TOPICS, Content, Reported, Topic
from proset_study.report.figures.style import context, save
from proset_study.store.stored import Missing
from proset_study.study import layout

SOURCES, RECORDS = "article", "records.json"
PICTURE = "docs/images/decision_surface.png"  # of the classifier
PDF = Path(TEXT).with_suffix(".pdf")
NO_TYPST = "no PDF, because Typst is not installed: pip install -r requirements-article.txt"


def numbers_record(folder: Path, published: Path) -> dict[str, Any]:
    """What numbers.json of a report has, by topic: those of which it has all files, and its config all entries."""
    found, opened = {}, cache(lambda: Reported(folder, published))
    for name, entry in TOPICS.items():
        with suppress(Missing):
            if entry.report:
                found[name] = entry.content(folder, opened).to_json()
    return found


def gather(project: Path) -> tuple[Content, dict[str, Topic]]:
    """What all topics give, by "topic.name", and the topics whose records are missing."""
    texts: dict[str, str] = {}
    tables: dict[str, list[list[str]]] = {}
    figures: dict[str, Figure] = {}
    missing = {}
    reported = cache(lambda report: Reported(project / report))
    for name, entry in TOPICS.items():
        opened = partial(reported, entry.report)
        try:
            found = _read(entry, project, opened)
        except Missing:
            missing[name] = entry
            continue
        texts |= {f"{name}.{key}": text for key, text in found.texts.items()}
        tables |= {f"{name}.{key}": table for key, table in found.tables.items()}
        with context():
            figures |= {at: draw(opened()) for at, draw in FIGURES.items() if at.partition(".")[0] == name}
    return Content(texts, tables, figures), missing


def _read(entry, project, opened):
    if not entry.report:
        return entry.content(project, opened)
    file = project / entry.report / layout.NUMBERS
    if not file.is_file() or (found := read_json(file).get(entry.name)) is None:
        raise Missing(f"{entry.name} in {file}")
    return Content.of_json(found)


def checked(project: Path) -> tuple[Content, dict[str, Topic]]:
    """The same for sources that name what is there; ValueError for others, see `sources.check`."""
    published = Reported(project / STUDY).study
    check_subject(published.subject, SUBJECT)
    content, missing = gather(project)
    known = {"texts": set(content.texts), "tables": set(content.tables), "figures": set(content.figures)}
    known["topics"] = set(TOPICS)
    own_names = [name for kind in ("data_sets", "experiments", "comparisons") for name in published.config[kind]]
    check(project / SOURCES, own_names, known, set(missing))
    return content, missing


def build(project: Path, output: Path) -> str:
    """Write records.json, figures, sources and the PDF into a folder; says what was written, and what is not in it.

    `project` is the folder with `article`, `reports`, `benchmarks`, `data` and `docs`. ValueError as `checked`.
    """
    content, missing = checked(project)
    shutil.copytree(project / SOURCES, output, dirs_exist_ok=True)
    (output / "figures").mkdir(exist_ok=True)
    shutil.copy2(project / PICTURE, output / "figures")
    for name, figure in content.figures.items():
        save(figure, output / "figures" / name)
    record = {
        "texts": content.texts,
        "tables": content.tables,
        "figures": {name: f"figures/{name}.svg" for name in content.figures},
        "missing": {name: {"records": topic.records, "command": topic.command} for name, topic in missing.items()},
        "sources": {name: topic.records for name, topic in TOPICS.items() if name not in missing},
    }
    write_json(output / RECORDS, record)
    words = [f"without records of {', '.join(missing)}"] if missing else []
    try:
        import typst
    except ModuleNotFoundError:
        return "; ".join([str(output / RECORDS), NO_TYPST, *words])
    typst.compile(output / TEXT, output=output / PDF, root=output, ignore_system_fonts=True)
    return "; ".join([str(output / PDF), *words])
