"""A small study with its results in a bucket of a real server, undisturbed and with faults: those of a run without.

`make test-storage` runs this; `make test` does not.
"""

import json
import os
import re
import shlex
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml
from tests.storage.conftest import BUCKET, PACKAGES, Server
from tests.workflow.project import Project, new_project, wait_for

PREFIX = f"s3://{BUCKET}/run"
BUCKET_ALONE, CLUSTER = "workflow/profiles/s3", "workflow/profiles/cluster-generic"
AT_ONCE = 'echo "$1" >> submitted; sh "$1" > "$1.log" 2>&1 & echo $!'  # a scheduler that starts all that is submitted
AWAY_S = 60
RESULTS = "results/tiny/replicate_0"
SAME = ("reports/tiny/tables/", "reports/tiny/predictions/", "reports/tiny/results.csv.xz", "reports/tiny/evaluation/")


class StoredProject(Project):
    """A project whose results are in the bucket."""

    def __init__(self, project: Project, server: Server, profile: str = BUCKET_ALONE, prefix: str = PREFIX):
        super().__init__(project.folder)
        self.server, self.profile, self.prefix = server, profile, prefix
        self.notes = self.folder / "notes"
        self.notes.mkdir()

    def start(self, *arguments: str) -> subprocess.Popen:
        paths = (self.folder / "src", PACKAGES, Path(__file__).with_name("notes"))
        own = {"PYTHONPATH": os.pathsep.join(map(str, paths)), "XDG_CACHE_HOME": str(self.folder / "cache")}
        profile = ["--profile", self.profile]
        place = ["--default-storage-prefix", self.prefix, "--storage-s3-endpoint-url", self.server.url]
        return subprocess.Popen(
            [sys.executable, "-m", "snakemake", "--cores", "2", *arguments, *profile, *place],
            cwd=self.folder,
            env={**os.environ, **own, "NOTES": str(self.notes)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def run(self, *arguments: str, status: int = 0) -> str:
        """What Snakemake said."""
        run = self.start(*arguments)
        said, _ = run.communicate(timeout=1200)
        assert run.returncode == status, said
        return said


@pytest.fixture(scope="module")
def local(tmp_path_factory):
    """The study without a storage."""
    project = new_project(tmp_path_factory.mktemp("local") / "project")
    project.snakemake()
    return project


@pytest.fixture(scope="module")
def stored(server, tmp_path_factory):
    """The study with its results in the bucket."""
    project = StoredProject(new_project(tmp_path_factory.mktemp("stored") / "project"), server)
    project.run()
    return project


def mirror(server, folder):
    """The bucket as a project, as if it had been run there."""
    for name, content in server.objects().items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return Project(folder)


def is_kept(name):
    """Whether it is the record of a single fit, which stays where that was made, for a job that fails."""
    return "/trials/" in name or "/folds/" in name


def test_results_are_those_of_a_run_without_a_storage_and_are_nowhere_else(stored, local, server, tmp_path):
    found, known = mirror(server, tmp_path).results(), local.results()
    assert found == {name: content for name, content in known.items() if not is_kept(name)}
    reports = [p for p in (local.folder / "reports").rglob("*") if p.is_file() and p.name != ".snakemake_timestamp"]
    names = [str(path.relative_to(local.folder)) for path in reports]
    assert {name for name in server.names() if name.startswith("reports/")} >= set(names)
    same = [name for name in names if name.startswith(SAME)]
    assert len(same) > 30
    assert [name for name in same if (tmp_path / name).read_bytes() != (local.folder / name).read_bytes()] == []
    left = [str(p.relative_to(stored.folder)) for f in ("results", "reports") for p in (stored.folder / f).rglob("*.*")]
    assert [name for name in left if not name.startswith("results/tiny/study/")] == []


def test_no_job_reads_a_path_that_it_has_not_declared(stored):
    declared = {}
    for path in (stored.folder / ".snakemake/metadata").rglob("*"):
        if path.is_file():
            known = json.loads(path.read_text(encoding="utf-8"))
            inputs = [name.removeprefix(f"{PREFIX}/") for name in known["input"]]
            if known["shellcmd"]:
                declared[tuple(shlex.split(known["shellcmd"].partition(" 2> ")[0])[1:])] = inputs
    noted = [json.loads(path.read_text(encoding="utf-8")) for path in stored.notes.iterdir()]
    undeclared = {}
    for used in noted:
        allowed = {*declared[tuple(used["command"])], *used["written"]}
        others = [name for name in used["read"] if not allowed & {name, *map(str, Path(name).parents)}]
        others = [name for name in others if "/." not in name]  # its own, before they have their names
        if others:
            undeclared[" ".join(used["command"])] = others
    assert undeclared == {}
    assert len(noted) == len(declared)
    assert sum(len(used["read"]) for used in noted) > 300


def test_another_machine_has_nothing_to_do(stored, server, tmp_path_factory):
    other = StoredProject(new_project(tmp_path_factory.mktemp("other") / "project"), server)
    assert "Nothing to be done" in other.run("--dry-run")


def test_one_profile_may_have_a_cluster_and_a_bucket(local, server, tmp_path):
    project = new_project(tmp_path / "project")
    settings = {}
    for profile in (CLUSTER, BUCKET_ALONE):
        settings |= yaml.safe_load((project.folder / profile / "config.yaml").read_text(encoding="utf-8"))
    settings = {key: value for key, value in settings.items() if not key.startswith("cluster-generic-")}
    (project.folder / "submit.sh").write_text(f"{AT_ONCE}\n", encoding="utf-8")
    settings |= {"jobs": 2, "cluster-generic-submit-cmd": "sh submit.sh", "seconds-between-status-checks": 1}
    (project.folder / "both").mkdir()
    (project.folder / "both/config.yaml").write_text(yaml.safe_dump(settings), encoding="utf-8")
    both = StoredProject(project, server, profile="both", prefix=f"s3://{BUCKET}/both")
    both.run("E8")
    assert len((project.folder / "submitted").read_text(encoding="utf-8").splitlines()) > 2
    stored = {item.key: item.get()["Body"].read() for item in server.bucket.objects.filter(Prefix="both/")}
    (scores,) = [content for name, content in stored.items() if name.endswith(f"{RESULTS}/E8.csv")]
    assert scores == (local.folder / RESULTS / "E8.csv").read_bytes()
    assert not list((project.folder / "results").rglob("fit.json"))


def test_an_object_that_is_missing_is_made_again_and_nothing_that_does_not_need_it(stored, server):
    before = server.objects()
    for name in (f"{RESULTS}/iris_2f/E8/predictions.csv", f"{RESULTS}/E8.csv"):
        server.remove(name)
    for path in stored.notes.iterdir():
        path.unlink()
    stored.run("E8")
    commands = [json.loads(path.read_text(encoding="utf-8"))["command"][2] for path in stored.notes.iterdir()]
    assert sorted(commands) == ["fit", "score", "table"]
    after = server.objects()
    assert after.keys() == before.keys()
    for name in (f"{RESULTS}/iris_2f/E8/predictions.csv", f"{RESULTS}/E8.csv", "reports/tiny/tables/E8.md"):
        assert after[name] == before[name]


def test_a_damaged_object_is_refused_and_the_command_that_is_given_makes_what_needs_it(stored, server):
    before, name = server.objects(), f"{RESULTS}/xor_2f/split.csv"
    server.bucket.put_object(Key=f"run/{name}", Body=before[name][:-20])
    said = stored.run("E7", status=1)
    assert "xor_2f/split.csv is damaged" in said
    target = re.search(rf"retry: \S*snakemake '?({RESULTS}/xor_2f/E7[^' ]+)", said)[1]
    server.remove(name)
    stored.run(target)
    stored.run("E7")
    after = server.objects()
    for same in (name, f"{RESULTS}/E7.csv", "reports/tiny/tables/E7.md"):
        assert after[same] == before[same]


def test_a_part_of_a_study_that_is_in_a_bucket_is_not_looked_for_here(stored):
    assert "partial: it is not allowed with a shared storage" in stored.run("partial", status=1)


@pytest.fixture
def empty(tmp_path):
    """A server with nothing on it, and a project for it."""
    server = Server(tmp_path / "objects")
    server.folder.mkdir()
    server.start()
    yield StoredProject(new_project(tmp_path / "project"), server)
    server.kill()


def test_a_server_that_is_away_for_a_while_is_waited_for(empty, local, tmp_path):
    run = empty.start("E8", "E9")
    wait_for(lambda: f"{RESULTS}/iris_2f/split.csv" in empty.server.names())
    empty.server.kill()
    time.sleep(AWAY_S)
    assert run.poll() is None
    empty.server.start()
    said, _ = run.communicate(timeout=600)
    assert run.returncode == 0, said
    found, known = mirror(empty.server, tmp_path / "mirror").results(), local.results()
    assert found == {name: known[name] for name in found}
    assert {f"{RESULTS}/E8.csv", f"{RESULTS}/E9.csv"} <= found.keys()


def test_what_was_stored_before_a_server_went_for_good_is_kept_and_the_same_command_goes_on(empty, local, tmp_path):
    run = empty.start("E8", "--storage-s3-retries", "1")
    wait_for(lambda: f"{RESULTS}/iris_2f/split.csv" in empty.server.names())
    empty.server.kill()
    said, _ = run.communicate(timeout=600)
    assert run.returncode == 1
    assert "Could not connect to the endpoint URL" in said
    empty.server.start()
    before = {item.key: item.last_modified for item in empty.server.bucket.objects.all()}
    empty.run("E8")
    after = {item.key: item.last_modified for item in empty.server.bucket.objects.all()}
    kept = [key for key in before if "/logs/" not in key]
    assert f"run/{RESULTS}/iris_2f/split.csv" in kept
    assert [key for key in kept if after[key] != before[key]] == []
    found, known = mirror(empty.server, tmp_path / "mirror").results(), local.results()
    assert found == {name: known[name] for name in found}
    assert f"{RESULTS}/E8.csv" in found
