"""What git leaves out of a report is what the archive has."""

import shutil
import subprocess
import tarfile
from hashlib import sha256
from pathlib import Path

import pytest

from proset_study import layout
from proset_study.config.study import Study
from proset_study.records import read_json
from proset_study.report.release import MAX_COMMITTED, release

ROOT = Path(__file__).parents[3]
COMMITTED = ROOT / "reports/study"


@pytest.fixture
def fresh(report, tmp_path):
    """A report with stand-ins for pages and figures."""
    folder = shutil.copytree(report, tmp_path / "small")
    for name in ("data_sets/odd.html", "figures/odd/a.svg", "figures/overview/b.png", "figures/overview/b.svg"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name, encoding="utf-8")
    (folder / "notes.txt").write_text("mine", encoding="utf-8")
    return folder


LARGE = ["data_sets/odd.html", "figures/odd/a.svg", "figures/overview/b.svg", "records/replicate_0_searches.tar.xz"]


def test_the_archive_has_what_is_large_and_the_checksums_of_it(fresh, tmp_path):
    said = release(fresh, tmp_path / "a.tar.xz")
    assert "4 files" in said
    with tarfile.open(tmp_path / "a.tar.xz") as archive:
        assert archive.getnames() == [f"small/{name}" for name in ("SHA256SUMS", *LARGE)]
        archive.extractall(tmp_path / "out", filter="data")
    sums = dict(
        line.split("  ")[::-1] for line in (tmp_path / "out/small/SHA256SUMS").read_text(encoding="utf-8").splitlines()
    )
    assert sums == {
        name: sha256((fresh / name).read_bytes()).hexdigest() for name in sorted(["manifest.json", *LARGE], key=_order)
    }
    release(fresh, tmp_path / "b.tar.xz")
    assert (tmp_path / "a.tar.xz").read_bytes() == (tmp_path / "b.tar.xz").read_bytes()


def _order(name):
    return name != "manifest.json", name


def test_a_report_without_large_files_and_one_that_is_too_large_are_refused(fresh, tmp_path):
    (fresh / "findings/rules.csv").write_bytes(bytes(MAX_COMMITTED))
    with pytest.raises(ValueError, match=r"10,\d+,\d+ bytes are left to commit, at most 10,000,000"):
        release(fresh, tmp_path / "a.tar.xz")
    for name in LARGE:
        (fresh / name).unlink()
    with pytest.raises(ValueError, match="nothing is too large to commit"):
        release(fresh, tmp_path / "a.tar.xz")
    assert not (tmp_path / "a.tar.xz").exists()


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a checkout")
def test_git_leaves_out_what_the_archive_has():
    study = Study.of(read_json(COMMITTED / layout.MANIFEST)["config"])
    names = [layout.RECORDS.format(archive=archive) for archive in layout.record_archives(study)]
    names += [layout.TABLE.format(table=table, suffix="tex") for table in study.tables]
    names += [
        template.format(data_set=d) for d in study.data_sets for template in (layout.PAGE, "figures/{data_set}/a.png")
    ]
    names += [*layout.REPORT_FILES, "figures/overview/a.png", "figures/overview/a.svg", "findings/rules.csv"]
    paths = "\n".join(f"reports/study/{name}" for name in names)
    command = ["git", "check-ignore", "--no-index", "--stdin"]
    run = subprocess.run(command, cwd=ROOT, input=paths, capture_output=True, text=True, check=False)
    ignored = {line.removeprefix("reports/study/") for line in run.stdout.splitlines()}
    assert ignored == {name for name in names if layout.archived(study, name)}


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a checkout")
def test_the_committed_report_is_small():
    study = Study.of(read_json(COMMITTED / layout.MANIFEST)["config"])
    names = [str(path.relative_to(COMMITTED)) for path in COMMITTED.rglob("*") if path.is_file()]
    size = sum((COMMITTED / name).stat().st_size for name in names if not layout.archived(study, name))
    assert size <= MAX_COMMITTED
