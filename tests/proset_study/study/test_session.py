"""What a run finds around it; tests/workflow has the rest, in real runs."""

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from snakemake.sourcecache import infer_source_file

from proset_study import PROJECT, SNAKEFILE
from proset_study.study import session


def test_a_snakefile_from_elsewhere_takes_the_published_numbers_of_the_package(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for snakefile in (SNAKEFILE, "https://example.org/study/workflow/Snakefile"):
        workflow = SimpleNamespace(current_basedir=infer_source_file(snakefile).get_basedir())
        assert session.project(workflow) == str(PROJECT)
        assert Path(session.published(workflow)).is_file()


def test_a_method_is_compared_with_a_report_of_this_folder_or_of_the_package(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert session.default_records() == str(PROJECT / "reports/open_track")
    (tmp_path / "reports/study").mkdir(parents=True)
    (tmp_path / "reports/study/results.csv.xz").touch()
    assert session.default_records() == "reports/study"


@pytest.mark.parametrize(
    ("local", "cores", "nodes", "expected"),
    [
        (True, 4, None, 4),
        (False, None, 50, 50),  # a profile of the user's: Snakemake asks for no cores there
        (False, 4, 10, 40),
        (False, 1, sys.maxsize, 300),
    ],
)
def test_cores_are_those_of_all_submissions(local, cores, nodes, expected):
    settings = SimpleNamespace(cores=cores, nodes=nodes)
    assert session.cores_of(SimpleNamespace(local_exec=local, resource_settings=settings), 300) == expected
