"""The simulation of other numbers of cores, on the jobs of a run that really took place."""

import doctest
import subprocess
import sys
from pathlib import Path

import pytest
from benchmarks import schedule

SNAKEFILE = """
rule all:
    input: "results/tiny/both"
rule one:
    output: "results/tiny/{name}"
    log: "results/tiny/logs/{name}.log"
    shell: "sleep 1; touch {output}"
rule fit:
    input: "results/tiny/a", "results/tiny/b"
    output: "results/tiny/both"
    log: "results/tiny/logs/both.log"
    shell: "sleep 2; touch {output}"
"""


def test_the_case_by_hand():
    assert doctest.testmod(schedule) == (0, 2)


def test_jobs_of_a_run_wait_for_what_they_read(tmp_path):
    (tmp_path / "Snakefile").write_text(SNAKEFILE, encoding="utf-8")
    command = [sys.executable, "-m", "snakemake", "--cores", "2", "--quiet"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    jobs = schedule.read_jobs(tmp_path / ".snakemake/metadata", "tiny")
    assert sorted(job.rule for job in jobs.values()) == ["fit", "one", "one"]
    (last,) = (job for job in jobs.values() if job.rule == "fit")
    assert sorted(map(Path, last.after)) == [Path(f"results/tiny/logs/{name}.log") for name in "ab"]
    assert last.seconds > 1.5
    assert schedule.simulate(jobs, 2, 0.0) == pytest.approx(
        max(jobs[name].seconds for name in last.after) + last.seconds
    )
    assert schedule.simulate(jobs, 1, 0.0) == pytest.approx(sum(job.seconds for job in jobs.values()))
    assert "Jobs that fit take" in schedule.in_words(jobs)
    with pytest.raises(ValueError, match="study: 'other' is not allowed"):
        schedule.read_jobs(tmp_path / ".snakemake/metadata", "other")
