"""Finished studies that tests share, in all processes of a test run; those that change something take a copy."""

import pytest
from tests.workflow import own_data
from tests.workflow.project import Project, once, start


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
            run = start(project)  # not as a fork of what was imported with the home of this process
            _, said = run.communicate()
            assert run.returncode == 0, said
            written = sorted({name.partition("/")[0] for name in project.files() - before})
            (project.folder / "written").write_text("\n".join(written), encoding="utf-8")

    return once(tmp_path_factory, "own", make)
