"""A project with what the article is built from: the committed records."""

import shutil

import pytest
from tests.shared import ROOT

from proset_study.base.records import write_json
from proset_study.report.article.build import PICTURE, TOPICS, numbers_record
from proset_study.report.article.topics import PUBLISHED
from proset_study.study import layout


@pytest.fixture(scope="session")
def committed(tmp_path_factory):
    """The sources, and those of the records that are in the repository."""
    project = tmp_path_factory.mktemp("committed")
    shutil.copytree(ROOT / "article", project / "article")
    for name in {PICTURE, *(name for topic in TOPICS.values() for name in topic.records if (ROOT / name).is_file())}:
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, project / name)
    return numbered(project)


def numbered(project):
    """The project with the numbers.json of all reports from their other files."""
    for report in sorted(file.parent for file in project.glob(f"reports/*/{layout.MANIFEST}")):
        write_json(report / layout.NUMBERS, numbers_record(report, project / PUBLISHED))
    return project


def copied(project, folder, *files):
    """The project with files of its own, which a test may change."""
    copy = folder / "project"
    for name in files:
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(project / name, copy / name)
    return copy
