"""Each fault is provoked for real; the rerun completes, computes nothing again, and ends with the same tables."""

import json
import os
import re
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import pytest
import yaml
from tests.shared import ROOT
from tests.workflow.project import Project, new_project, wait_for

from proset_study.store.missing import find_missing_models, log_of
from proset_study.study import layout
from proset_study.study.config.study import Study

TARGETS = ("reports/tiny/tables/E3.md", "reports/tiny/tables/E8.md")
RUN = "results/tiny/replicate_0"


def small(config):
    """A search of proset, long enough to be killed in the middle, and nearest neighbours beside it."""
    config["trials_per_job"]["proset"] = 8
    config["data_sets"]["cross"] = {"generator": "xor", "features": 4, "samples_per_orthant": 60}
    config["experiments"] = {name: config["experiments"][name] for name in ("E3", "E8")}
    config["experiments"]["E3"]["data_sets"] = ["cross"]
    config["experiments"]["E3"]["stage1"]["trials"] = 8
    config["experiments"]["E8"]["data_sets"] = ["cross", "iris_2f"]
    config["comparisons"] = config["evaluations"] = {}


def make(folder: Path) -> Project:
    project = new_project(folder)
    project.configure(small)
    return project


def trials(project: Project) -> dict[Path, int]:
    """Files of finished trials of E3 with the times at which they were written."""
    return {p: p.stat().st_mtime_ns for p in project.folder.glob(f"{RUN}/cross/E3/stage1/fold_*/trials/*.json")}


def outcome(project: Project) -> tuple[dict, dict]:
    """All records and predictions without what they cost, and the tables to the byte."""
    reports = project.folder / "reports/tiny"
    return project.results(), {str(p.relative_to(reports)): p.read_bytes() for p in reports.rglob("*") if p.is_file()}


def assert_completed(project: Project, undisturbed: Project, kept: dict[Path, int]):
    """The study ends as if nothing had happened, and what was finished has not been touched."""
    assert outcome(project) == outcome(undisturbed)
    assert kept
    assert {p: t for p, t in trials(project).items() if p in kept} == kept


def remove(path: Path):
    """Remove a file or a folder."""
    shutil.rmtree(path) if path.is_dir() else path.unlink()


def damage(path: Path, change: Callable[[bytes], bytes]):
    """Change what is in a file and leave the time at which it was written."""
    times = path.stat()
    path.write_bytes(change(path.read_bytes()))
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


@contextmanager
def mounted(folder: Path, *options: str):
    """A file system of its own in a folder; the test is skipped where that is not allowed."""
    run = subprocess.run(["mount", *options, str(folder)], capture_output=True, text=True, check=False)
    if run.returncode:
        pytest.skip(f"mount is not allowed here: {run.stderr.strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    project = make(tmp_path_factory.mktemp("undisturbed") / "project")
    project.snakemake(*TARGETS)
    return project


@pytest.fixture
def project(tmp_path):
    """A study that has not been run."""
    return make(tmp_path / "project")


@pytest.fixture
def finished(undisturbed, tmp_path):
    """A finished study that a test may damage."""
    return undisturbed.copy(tmp_path / "project")


def test_snakemake_is_killed_and_leaves_a_lock(project, undisturbed):
    run = project.started(*TARGETS)
    wait_for(lambda: trials(project))
    workers = psutil.Process(run.pid).children(recursive=True)
    run.kill()
    run.wait()
    kept = trials(project)
    again = project.snakemake(*TARGETS, check=False)  # beside workers that do not know yet that they are orphans
    assert again.returncode != 0
    assert "--unlock" in again.stdout + again.stderr
    project.snakemake("--unlock")
    project.snakemake(*TARGETS, "--cores", 16)
    psutil.wait_procs(workers, timeout=60)
    assert_completed(project, undisturbed, kept)


def job_of(worker):
    """The command of a worker, none of one that has ended since it was listed."""
    with suppress(psutil.NoSuchProcess):
        return worker.cmdline()[3:4]
    return []


def test_a_worker_is_killed_in_the_middle_of_a_fit(project, undisturbed):
    run = project.started(*TARGETS)
    wait_for(lambda: trials(project))
    fitting = [p for p in psutil.Process(run.pid).children(recursive=True) if job_of(p) == ["stage1"]]
    assert fitting
    for worker in fitting:
        worker.kill()
    kept = trials(project)
    ended = run.wait()
    assert ended.returncode != 0
    said = ended.stderr
    assert re.search(r"Study tiny: [12] job\(s\) failed; all that does not need them is finished and kept\.", said)
    assert re.search(r"cause: nothing was logged; .* it was killed \(out of memory, \d+ MB were declared\?\)", said)
    assert (project.folder / "reports/tiny/tables/E8.md").exists()  # the others went on
    project.snakemake(*TARGETS, "--cores", 1)
    assert_completed(project, undisturbed, kept)


def test_a_process_is_killed_in_the_middle_of_a_write(tmp_path):
    path, size = tmp_path / "record", 200_000_000
    path.write_text("old\n", encoding="utf-8")
    code = f"from proset_study.base.records import write_text; write_text({str(path)!r}, 'x' * {size} + '\\n')"
    source = str(ROOT / "src")
    writer = subprocess.Popen([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": source})
    (beside,) = wait_for(lambda: [p for p in tmp_path.glob(".*.tmp") if p.stat().st_size])
    writer.kill()
    writer.wait()
    assert 0 < beside.stat().st_size <= size
    assert path.read_text(encoding="utf-8") == "old\n"


def test_power_loss_leaves_files_empty_or_cut_short(finished, undisturbed):
    """A record of stage 1, test samples and a data set: what needs them fails, with the name of the damaged file."""
    folder = finished.folder / RUN
    trial = {number: folder / f"cross/E3/stage1/fold_1/trials/{number}.json" for number in (3, 5, 6)}
    kept = {path: time for path, time in trials(finished).items() if path not in trial.values()}

    # Stage 1 is finished, and E8 is fitted: files are there, but the last lines are missing.
    for later in ("cross/E3/stage1.json", "cross/E3/stage2", "cross/E3/stage2.json", "cross/E3/fit.json", "E3.csv"):
        remove(folder / later)
    for later in ("iris_2f/E8", "E8.csv"):
        remove(folder / later)
    remove(finished.folder / "reports")
    records, lines = folder / "cross/E3/stage1/folds_0-1_trials_0-7.jsonl", 16
    damage(records, lambda content: b"".join(content.splitlines(keepends=True)[: lines - 1]))
    data = folder / "iris_2f/data.npz"
    damage(data, lambda content: content[: len(content) // 2])
    said = finished.snakemake(*TARGETS, check=False)
    assert said.returncode != 0
    name = re.escape(str(records.relative_to(finished.folder)))
    wrong = r"its checksum is wrong, or it is the result of something else"
    assert re.search(rf"cause: .*{name} is damaged \({wrong}.*; remove it and run snake", said.stderr)
    assert f"ValueError: {data.relative_to(finished.folder)} is damaged" in said.stderr
    records.unlink()
    data.unlink()

    # The records of single fits are damaged too: these fits, and no others, are repeated. A file that was finished
    # lacks test samples, of which the scores would be others.
    damage(trial[3], lambda content: b"")
    damage(trial[5], lambda content: content[: len(content) // 2])
    damage(trial[6], lambda content: bytes(len(content)))
    predictions = folder / "cross/E8/predictions.csv"
    damage(predictions, lambda content: b"".join(content.splitlines(keepends=True)[:100]))
    said = finished.snakemake(*TARGETS, check=False)
    name = re.escape(str(predictions.relative_to(finished.folder)))
    assert re.search(rf"cause: .*{name} is damaged \({wrong}", said.stderr)
    predictions.unlink()
    finished.snakemake(*TARGETS)
    assert_completed(finished, undisturbed, kept)


def test_the_disk_is_full_or_read_only(project, undisturbed):
    results = project.folder / "results"
    results.mkdir()
    with mounted(results, "-t", "tmpfs", "-o", "size=130k", "tmpfs"):
        subprocess.run(["mount", "-o", "remount,ro", results], check=True)
        said = project.snakemake(*TARGETS, check=False)
        assert said.returncode != 0
        assert "Study tiny: nothing was run; results/tiny cannot be written to: Read-only file system" in said.stderr
        subprocess.run(["mount", "-o", "remount,rw", results], check=True)
        said = project.snakemake(*TARGETS, check=False)
        assert said.returncode != 0
        assert re.search(r"cause: (nothing was logged, the disk of .* is full|OSError: .*No space left)", said.stderr)
        assert not list(results.rglob(".*.tmp"))
        kept = trials(project)
        subprocess.run(["mount", "-o", "remount,size=20m", results], check=True)
        project.snakemake(*TARGETS)
        assert_completed(project, undisturbed, kept)


def test_the_clock_goes_back_by_a_day(finished, undisturbed):
    for later in ("cross/E3/stage2", "cross/E3/stage2.json", "E3.csv", "cross/E8", "iris_2f", "E8.csv"):
        remove(finished.folder / RUN / later)
    remove(finished.folder / "reports")
    made = [path for path in finished.folder.rglob("*") if path.is_file()]
    for path in made:  # all that was made before the clock was set back is in the future from then on
        os.utime(path, (time.time() + 86400, time.time() + 86400))
    said = finished.snakemake(*TARGETS, check=False)
    assert said.returncode != 0
    assert "nothing was run; input is dated after now" in said.stderr
    assert "touch data/published/published.csv" in said.stderr
    kept = trials(finished)
    (finished.folder / "data/published/published.csv").touch()
    finished.snakemake(*TARGETS)
    assert_completed(finished, undisturbed, kept)


def test_fits_that_raise_do_not_converge_or_need_too_much_memory(tmp_path):
    """The others go on, the summary says what failed, the report of the rest marks it; mended, it completes."""

    def broken(config):
        small(config)
        config["data_sets"]["mine"] = {"file": "mine.csv", "target": "class"}
        config["data_sets"]["large"] = {"generator": "xor", "features": 2, "samples_per_orthant": 20_000}
        config["experiments"]["E8"]["data_sets"] = ["mine", "large", "iris_2f"]
        config["experiments"]["E8"]["overrides"] = {"large": {"stage2": {"complexity": 20_000}}}
        config["comparisons"] = {"both": {"title": "methods", "experiments": ["E3", "E8"]}}

    def mended(config):
        broken(config)
        config["experiments"]["E8"]["overrides"] = {
            "large": {"stage2": {"complexity": 20}},
            "mine": {"stage2": {"complexity": 5}},
        }

    project = new_project(tmp_path / "project")
    project.configure(broken)
    rows = [f"{i * 7 % 11},{i * 5 % 13},{'ab'[i % 2]}\n" for i in range(20)]
    (project.folder / "mine.csv").write_text("x,y,class\n" + "".join(rows), encoding="utf-8")
    project.edit("src/proset/solver.py", "MAX_ITER = 2000", "MAX_ITER = 31")
    tables = (*TARGETS, "reports/tiny/tables/both.md")

    def limited():
        memory = 6 * 2**30  # of address space, for each process
        return subprocess.run(
            [sys.executable, "-m", "snakemake", *tables, "--cores", "2"],
            cwd=project.folder,
            env=project.environment,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (memory, memory)),
            capture_output=True,
            text=True,
            check=False,
        )

    run = limited()
    assert run.returncode != 0
    summary = run.stderr[run.stderr.index("Study tiny: 4 job(s) failed") :]
    assert "stage2: replicate 0, data_set mine, run E8, first_fold 0, last_fold 0" in summary
    assert "ValueError: complexity: 10 neighbours are more than the 7 samples to search" in summary
    assert "MemoryError: Unable to allocate" in summary
    log = "results/tiny/logs/replicate_0/mine/E8/stage2_folds_0-0.log"
    assert f"log:   {log}" in summary
    assert re.search(r"retry: \S*snakemake results/\S*/mine/E8/stage2/folds_0-0.jsonl --cores 2\n", summary)
    assert (project.folder / f"{RUN}/iris_2f/E8/fit.json").exists()
    kept = trials(project)

    project.snakemake("partial")
    report = project.folder / "reports/tiny-partial"
    manifest = json.loads((report / "manifest.json").read_text(encoding="utf-8"))
    assert [(hole["run"], hole["data_set"]) for hole in manifest["missing"]] == [("E8", "mine"), ("E8", "large")]
    assert manifest["missing"][0]["log"] == log
    assert "10 neighbours are more than" in manifest["missing"][0]["reason"]
    assert "MemoryError" in manifest["missing"][1]["reason"]
    not_converged = manifest["not_converged"]["0"]
    assert any(name.startswith("replicate_0/cross/E3, fold") for name in not_converged)
    front = (report / "index.html").read_text(encoding="utf-8")
    assert "This is a partial report: 2 of 4 final models are missing." in front
    assert f"<summary>{len(not_converged)} fits did not converge</summary>" in front
    table = (report / "tables/E8.md").read_text(encoding="utf-8")
    assert "| |iris_2f|large|mine|" in table
    assert re.search(r"\|Log-loss\|0\.\d\d \(0\.43\)\|missing\|missing\|", table)
    assert "missing" in (report / "tables/both.md").read_text(encoding="utf-8")
    assert not (report / "data_sets/mine.html").exists()
    assert "This data set lacks none." in (report / "data_sets/iris_2f.html").read_text(encoding="utf-8")
    assert not (project.folder / "reports/tiny/index.html").exists()

    project.configure(mended)
    project.snakemake(*tables)
    assert {p: t for p, t in trials(project).items() if p in kept} == kept
    assert "missing" not in (project.folder / "reports/tiny/tables/E8.md").read_text(encoding="utf-8")
    nothing_to_mark = project.snakemake("partial", check=False)
    assert "nothing is missing, make the whole report instead" in nothing_to_mark.stderr


def test_the_logs_that_a_hole_names_are_those_of_the_rules(undisturbed, monkeypatch):
    monkeypatch.chdir(undisturbed.folder)
    study = Study.of(yaml.safe_load(Path("config.yaml").read_text(encoding="utf-8")))
    complexity = [step for place in layout.places(study, [0]) for step in place.steps()]
    assert {rule for rule, _ in complexity} == {
        "data",
        "split",
        "stage1",
        "select_parameters",
        "stage2",
        "select_complexity",
        "fit",
    }
    assert all(log_of(study, rule, file).exists() for rule, files in complexity for file in files)
    assert find_missing_models(study) == []


def test_two_runs_at_once(project, undisturbed):
    runs = [run.wait() for run in [project.started(*TARGETS) for _ in range(2)]]
    assert all(run.returncode == 0 or "Directory cannot be locked" in run.stderr for run in runs)
    assert 0 in {run.returncode for run in runs}
    assert outcome(project) == outcome(undisturbed)
