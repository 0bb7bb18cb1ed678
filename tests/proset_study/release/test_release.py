"""A release has all of a report, and can be checked by itself; what git leaves out is in it."""

import json
import shutil
import subprocess
import tarfile
from hashlib import sha256
from pathlib import Path

import pytest
from tests.shared import ROOT

from proset_study.base.records import read_json
from proset_study.release.release import MAX_COMMITTED, release
from proset_study.study import layout
from proset_study.study.config.study import Study

COMMITTED = ROOT / "reports/study"
VALIDATOR = ROOT / ".venv-crate/bin/python"


@pytest.fixture
def fresh(report, tmp_path):
    """A report with stand-ins for figures."""
    folder = shutil.copytree(report, tmp_path / "small")
    for name in ("figures/odd/a.svg", "figures/overview/b.svg"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name, encoding="utf-8")
    (folder / "notes.txt").write_text("mine", encoding="utf-8")
    return folder


LARGE = [
    *("data_sets/cross.html", "data_sets/flowers.html", "data_sets/odd.html", "figures/odd/a.svg"),
    *("vega.js", "records/replicate_0.tar.xz", "records/replicate_0_searches.tar.xz"),
    *("predictions/_index.json", "predictions/cross.parquet", "predictions/flowers.parquet", "predictions/odd.parquet"),
]


def test_the_archive_has_all_of_the_report_and_the_checksums_of_it(fresh, checkout, tmp_path):
    said = release(fresh, tmp_path / "a.tar.xz", checkout)
    names = {str(path.relative_to(fresh)) for path in fresh.rglob("*") if path.is_file()} - {"notes.txt"}
    with tarfile.open(tmp_path / "a.tar.xz") as archive:
        assert {name.removeprefix("small/") for name in archive.getnames()} == {*names, *layout.OF_RELEASES}
        archive.extractall(tmp_path / "out", filter="data")
    assert f"{len(names) + len(layout.OF_RELEASES)} files, " in said
    assert f"left to commit of {fresh}: {len(names) - len(LARGE)} files, " in said
    run = ["sha256sum", "--check", "--strict", layout.CHECKSUMS]
    checked = subprocess.run(run, cwd=tmp_path / "out/small", capture_output=True, text=True, check=True)
    assert len(checked.stdout.splitlines()) == len(names) + len(layout.OF_RELEASES) - 1
    release(fresh, tmp_path / "b.tar.xz", checkout)
    assert (tmp_path / "a.tar.xz").read_bytes() == (tmp_path / "b.tar.xz").read_bytes()


def extracted(report, checkout, folder):
    """The files of its release."""
    release(report, folder / "a.tar.xz", checkout)
    with tarfile.open(folder / "a.tar.xz") as archive:
        archive.extractall(folder / "out", filter="data")
    return folder / "out/small"


def test_its_metadata_name_every_file_and_what_was_run(fresh, checkout, tmp_path):
    folder = extracted(fresh, checkout, tmp_path)
    graph = {entry["@id"]: entry for entry in read_json(folder / layout.CRATE)["@graph"]}
    manifest = read_json(fresh / layout.MANIFEST)
    for path in folder.rglob("*"):
        name = str(path.relative_to(folder))
        if path.is_file() and name not in (layout.CRATE, layout.CHECKSUMS):
            assert graph[name]["sha256"] == sha256(path.read_bytes()).hexdigest()
            assert graph[name]["description"]
            assert {"@id": name} in graph["./"]["hasPart"]
    assert manifest["commit"] in graph["#software"]["version"]
    assert manifest["arithmetic"]["proset"] in graph["#run"]["description"]
    assert manifest["machine"]["processor"] in graph["#run"]["description"]


@pytest.mark.skipif(not VALIDATOR.exists(), reason="no validator of RO-Crate; make .venv-crate/installed brings it")
def test_a_validator_accepts_the_metadata(fresh, checkout, tmp_path):
    """All that it finds is the file that was removed."""
    folder = extracted(fresh, checkout, tmp_path)
    (folder / "results.csv.xz").unlink()
    command = [VALIDATOR, Path(__file__).with_name("validate_crate.py"), folder]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    required = [line for line in run.stdout.splitlines() if line.startswith("REQUIRED")]
    assert {"results.csv.xz" in line for line in required} == {True}, required


def test_packages_and_licence_are_those_of_the_commit_whatever_has_become_of_them(fresh, checkout, tmp_path):
    shutil.copytree(checkout, changed := tmp_path / "checkout")
    (changed / "requirements.txt").write_text("numpy==1.0\n", encoding="utf-8")
    for root, name in ((checkout, "a.tar.xz"), (changed, "b.tar.xz")):
        release(fresh, tmp_path / name, root)
    assert (tmp_path / "a.tar.xz").read_bytes() == (tmp_path / "b.tar.xz").read_bytes()


def changed(name, **changes):
    """Keys of a JSON file of the report."""

    def change(report):
        (report / name).write_text(json.dumps(read_json(report / name) | changes) + "\n", encoding="utf-8")

    return change


NEEDED = ["tables.html", "explore.html", "claims.csv", *(f for f in LARGE if not f.endswith((".svg", ".parquet")))]
DIRTY = "0123456789ab-dirty"
REFUSED = {
    "a partial report": (
        changed(layout.MANIFEST, missing=[{"experiment": "E3"}]),
        "is a partial report, 1 final models are missing",
    ),
    "no checkout": (changed(layout.MANIFEST, commit=None), "computed from no"),
    "changes": (changed(layout.MANIFEST, commit=DIRTY), f"computed from {DIRTY}: only a report of a commit"),
    "an unknown commit": (
        changed(layout.MANIFEST, commit="0123456789ab"),
        "'0123456789ab:CITATION.cff', from the report, is not in",
    ),
    "predictions of changes": (
        changed(layout.STORE_INDEX, commits=[DIRTY]),
        f"computed from {DIRTY}: only a report of a commit",
    ),
    "a large report": (
        lambda report: (report / layout.RULES).write_bytes(bytes(MAX_COMMITTED)),
        r"\d+,\d+,\d+ bytes are left to commit, at most 25,000,000",
    ),
    "files that are missing": (
        lambda report: [(report / name).unlink() for name in NEEDED],
        rf"{len(NEEDED)} file\(s\) are missing, the first is {NEEDED[0]}",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_a_report_that_is_not_whole_of_a_commit_and_small_is_refused(fresh, checkout, tmp_path, what):
    change, words = REFUSED[what]
    change(fresh)
    with pytest.raises(ValueError, match=words):
        release(fresh, tmp_path / "a.tar.xz", checkout)
    assert not (tmp_path / "a.tar.xz").exists()


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a checkout")
@pytest.mark.parametrize("report", ["study", "response_curves"])  # with refits and without
def test_git_leaves_out_what_the_archive_has(report):
    study = Study.of(read_json(ROOT / "reports" / report / layout.MANIFEST)["config"])
    names = [layout.RECORDS.format(archive=archive) for archive in layout.record_archives(study)]
    names += [layout.TABLE.format(table=table, suffix="tex") for table in study.tables]
    names += [
        template.format(data_set=d) for d in study.data_sets for template in (layout.PAGE, "figures/{data_set}/a.svg")
    ]
    names += [layout.STORE_INDEX, *(layout.STORE_FILE.format(data_set=data_set) for data_set in study.data_sets)]
    names += [*layout.REPORT_FILES, "figures/overview/a.svg", layout.RULES]
    paths = "\n".join(f"reports/{report}/{name}" for name in names)
    command = ["git", "check-ignore", "--no-index", "--stdin"]
    run = subprocess.run(command, cwd=ROOT, input=paths, capture_output=True, text=True, check=False)
    ignored = {line.removeprefix(f"reports/{report}/") for line in run.stdout.splitlines()}
    assert ignored == {name for name in names if layout.archived(study, name)}


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a checkout")
def test_the_committed_report_is_small():
    study = Study.of(read_json(COMMITTED / layout.MANIFEST)["config"])
    command = ["git", "-C", str(COMMITTED), "ls-files"]
    names = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert layout.RECORDS.format(archive=layout.committed_records(study)) in names
    assert [name for name in names if layout.archived(study, name)] == []
    assert sum((COMMITTED / name).stat().st_size for name in names) <= 10_000_000
