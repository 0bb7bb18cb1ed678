"""What a run finds around it; tests/workflow has the rest, in real runs."""

from pathlib import Path
from types import SimpleNamespace

from snakemake.sourcecache import infer_source_file

from proset_study import PROJECT, SNAKEFILE
from proset_study.study import run


def test_a_snakefile_from_elsewhere_takes_the_published_numbers_of_the_package(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for snakefile in (SNAKEFILE, "https://example.org/study/workflow/Snakefile"):
        workflow = SimpleNamespace(current_basedir=infer_source_file(snakefile).get_basedir())
        assert run.project(workflow) == str(PROJECT)
        assert Path(run.published(workflow)).is_file()


def test_a_method_is_compared_with_a_report_of_this_folder_or_of_the_package(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run.default_records() == str(PROJECT / "reports/open_track")
    (tmp_path / "reports/study").mkdir(parents=True)
    (tmp_path / "reports/study/results.csv.xz").touch()
    assert run.default_records() == "reports/study"
