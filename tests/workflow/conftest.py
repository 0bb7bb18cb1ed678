"""Finished studies that tests share, in all processes of a test run; those that change something take a copy."""

import fcntl
import os
from collections.abc import Callable

import pytest
from tests.workflow import own_data
from tests.workflow.project import Project, new_project


def once(tmp_path_factory, name: str, make: Callable[[Project], None]) -> Project:
    """A project that the first process that asks for it makes, and the others wait for."""
    base = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent
    project, is_made = Project(base / name), base / f"{name}_is_made"
    with (base / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not is_made.exists():
            make(new_project(project.folder))
            is_made.touch()
    return project


@pytest.fixture(scope="session")
def finished(tmp_path_factory) -> Project:
    """The whole tiny study; what Snakemake said is in the file `said`."""

    def make(project):
        (project.folder / "said").write_text(project.snakemake().stderr, encoding="utf-8")

    return once(tmp_path_factory, "tiny", make)


@pytest.fixture
def project(finished, tmp_path) -> Project:
    """The finished tiny study, for a test that changes it."""
    return finished.copy(tmp_path / "project")


@pytest.fixture(scope="session")
def own(tmp_path_factory) -> Project:
    """A study of data sets of one's own, made where the home folder cannot be written to."""

    def make(project):
        own_data.write(project)
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("HOME", "/proc/nonexistent")
            for variable in ("XDG_CONFIG_HOME", "MPLCONFIGDIR"):
                patch.delenv(variable, raising=False)
            before = project.files()
            project.snakemake()
            written = sorted({name.partition("/")[0] for name in project.files() - before})
            (project.folder / "written").write_text("\n".join(written), encoding="utf-8")

    return once(tmp_path_factory, "own", make)
