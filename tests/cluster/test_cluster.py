"""A small study on a real Slurm, through both profiles, undisturbed and with faults: the same results as without one.

`make test-cluster` runs this; `make test` does not. It needs root and Debian's packages munge, slurmctld, slurmd and
slurm-client.
"""

import os
import re
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest
from tests.cluster.conftest import NODES, Slurm, state, wait_for
from tests.workflow.project import Project, new_project, once

PROFILES = ("slurm", "cluster-generic")
SUBMISSIONS = 3  # data, six searches, report
# Shorter waits than a real cluster should be asked for; the partition as docs/cluster.md gives it.
OPTIONS = {
    "slurm": ("--default-resources", "slurm_partition=main", "--slurm-init-seconds-before-status-checks", "1"),
    "cluster-generic": ("--seconds-between-status-checks", "1"),
}
# Submissions small enough to have several searches at a time.
SMALL = ("--group-components", "prepare=1000", "search=2", "report=1000")
TABLES = ("reports/tiny/tables/E3.md", "reports/tiny/tables/E8.md")  # of the runs with faults
COMPARED = (
    *(f"reports/tiny/tables/{name}.md" for name in ("E3", "E4", "E7", "E8", "E9", "forest", "E3_E8_E9", "E14")),
    *(f"reports/tiny/{name}" for name in ("results.csv.xz", "comparison.csv", "findings", "evaluation", "predictions")),
)
# Times and the machine are not the same.
TIMED = re.compile(
    r"manifest\.json|records/.*|index\.html|data_sets/.*\.html|figures/.*|tables\.xlsx|findings/costs\.csv"
)


class ClusterProject(Project):
    """A project whose commands run on the cluster."""

    def __init__(self, project: Project, slurm: Slurm):
        super().__init__(project.folder)
        self.slurm = slurm

    def start(self, profile: str, *arguments: str) -> subprocess.Popen:
        """Start Snakemake with a profile; what it says goes to `said`."""
        command = ["-m", "snakemake", "--profile", f"workflow/profiles/{profile}", *OPTIONS[profile]]
        own = {"PYTHONPATH": str(self.folder / "src"), "XDG_CACHE_HOME": str(self.folder / "cache")}
        with (self.folder / "said").open("w") as said:
            return subprocess.Popen(
                [sys.executable, *command, *arguments],
                cwd=self.folder,
                env={**self.slurm.environment, **own},
                stdout=said,
                stderr=subprocess.STDOUT,
            )

    def finish(self, run: subprocess.Popen) -> str:
        """Wait for Snakemake to end well; what it said."""
        status = run.wait(timeout=1800)
        said = (self.folder / "said").read_text(encoding="utf-8")
        assert status == 0, said
        return said

    def fits(self) -> dict[Path, int]:
        """Records of single fits, with the time of their writing."""
        files = (self.folder / "results").glob("tiny/*/*/*/stage*/**/*.json")
        return {path: path.stat().st_mtime_ns for path in files}

    def bodies(self, node: str) -> Iterator[tuple[int, str]]:
        """Process id and command line of what fits something on a node."""
        for number, command in self.slurm.on_node(node).items():
            if command.startswith("python -m proset_study stage"):
                yield number, command

    def stopped_body(self, node: str) -> tuple[int, str] | None:
        """Stop one of the bodies of a node; None if each of them ended before it could be."""
        for number, command in self.bodies(node):
            with suppress(ProcessLookupError):
                os.kill(number, signal.SIGSTOP)
                wait_for("stop or end of a body", partial(self._is_still, number))
                if state(number) == "T":
                    return number, command
        return None

    @staticmethod
    def _is_still(number: int) -> bool:
        return state(number) in "TZ"

    def fitting(self, run: subprocess.Popen) -> tuple[str, str] | None:
        """Number and node of a job that fits something, once a fit is finished."""
        assert run.poll() is None, (self.folder / "said").read_text(encoding="utf-8")
        return next((job for job in self.slurm.jobs("RUNNING") if self.fits() and any(self.bodies(job[1]))), None)

    def reports(self) -> dict[str, bytes]:
        """All files of the report but those that tell times and machine."""
        folder = self.folder / "reports/tiny"
        names = (str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
        return {name: (folder / name).read_bytes() for name in names if not TIMED.fullmatch(name)}


@pytest.fixture(scope="session")
def local(tmp_path_factory):
    """The study, computed without a cluster and undisturbed."""
    return ClusterProject(once(tmp_path_factory, "local", lambda project: project.snakemake(*COMPARED)), None)


@pytest.fixture
def project(tmp_path, slurm):
    return ClusterProject(new_project(tmp_path / "project"), slurm)


def test_a_study_on_a_cluster_is_the_same(local, project):
    before = len(project.slurm.jobs("COMPLETED"))
    project.finish(project.start("cluster-generic"))
    assert len(project.slurm.jobs("COMPLETED")) == before + SUBMISSIONS
    assert project.results() == local.results()
    assert project.reports() == local.reports()


def test_data_sets_that_are_one_job_each_are_tasks_of_an_array(local, project):
    """By Slurm's profile, which runs searches in groups in the next test."""
    project.configure(lambda config: config.update(jobs="data_sets"))
    before, tasks = len(project.slurm.jobs("COMPLETED")), project.slurm.tasks()
    project.finish(project.start("slurm", *TABLES))
    assert project.slurm.tasks() - tasks == Counter(["1", "2"])
    assert len(project.slurm.jobs("COMPLETED")) == before + 3  # both tasks, and the tables
    own = re.compile(r"(done|all_runs)\.json$")
    made = {name: content for name, content in project.results().items() if not own.search(name)}
    assert made.items() <= local.results().items()
    assert project.reports().items() <= local.reports().items()


@pytest.mark.parametrize("profile", PROFILES)
def test_a_cancelled_job_is_submitted_again_and_its_finished_fits_are_kept(local, project, profile):
    run = project.start(profile, *TABLES, *SMALL)
    number, _ = wait_for("job with a finished fit", lambda: project.fitting(run))
    finished = project.fits()
    project.slurm.run("scancel", number)
    assert "Trying to restart" in project.finish(run)
    check_same(local, project, finished)


def test_jobs_of_a_node_that_dies_go_to_another_one(local, project):
    run = project.start("cluster-generic", *TABLES, *SMALL)
    number, node = wait_for("job with a finished fit", lambda: project.fitting(run))
    finished = project.fits()
    project.slurm.kill_node(node)
    assert "Trying to restart" in project.finish(run)
    assert number in dict(project.slurm.jobs("NODE_FAIL"))
    check_same(local, project, finished)
    project.slurm.start_node(node)


def test_a_job_body_that_runs_twice_at_the_same_time_does_no_harm(local, project):
    """A node loses its network: Slurm gives its job to another node while the first one goes on."""
    run = project.start("cluster-generic", *TABLES, *SMALL)
    _, node = wait_for("job with a finished fit", lambda: project.fitting(run))
    project.slurm.kill_daemons(node)
    body, command = wait_for("stopped body of a job", lambda: project.stopped_body(node), every=0.005)
    finished = project.fits()

    def second():
        return any(c == command for n in NODES if n != node for _, c in project.bodies(n))

    wait_for("second body", second, every=0.005)
    assert state(body) == "T"
    os.kill(body, signal.SIGCONT)
    wait_for("end of the first body", lambda: body not in project.slurm.on_node(node))
    project.slurm.kill_node(node)  # as Slurm does with what it finds on a node that is back
    assert "Trying to restart" in project.finish(run)
    check_same(local, project, finished)
    project.slurm.start_node(node)


def check_same(local: ClusterProject, project: ClusterProject, finished: dict[Path, int]) -> None:
    """The tables are those of an undisturbed run, and what was finished before the fault was not computed again."""
    assert finished
    assert finished.items() <= project.fits().items()
    assert project.results().items() <= local.results().items()
    tables = project.reports()
    assert {f"reports/tiny/{name}" for name in tables} >= set(TABLES)
    assert tables.items() <= local.reports().items()
