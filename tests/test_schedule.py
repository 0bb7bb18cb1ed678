"""The simulation of other numbers of cores, on the jobs of a run that really took place."""

import doctest
import os
from pathlib import Path

import pytest
from benchmarks import fan_out, schedule
from tests.proset_study.config_files import merged
from tests.workflow import forked

from proset_study.study.config.checks import load

SNAKEFILE = """
rule all:
    input: "results/tiny/both"
rule one:
    output: "results/tiny/{name}"
    log: "results/tiny/logs/{name}.log"
    shell: "sleep 0.2; touch {output}"
rule fit:
    input: "results/tiny/a", "results/tiny/b"
    output: "results/tiny/both"
    log: "results/tiny/logs/both.log"
    shell: "sleep 0.5; touch {output}"
"""


def test_the_case_by_hand():
    assert doctest.testmod(schedule) == (0, 2)


def test_jobs_of_a_run_wait_for_what_they_read(tmp_path):
    (tmp_path / "Snakefile").write_text(SNAKEFILE, encoding="utf-8")
    run = forked.Run(["--cores", "2", "--quiet"], tmp_path, {**os.environ, "PYTHONPATH": ""}).wait()
    assert run.returncode == 0, run.stderr
    jobs = schedule.read_jobs(tmp_path / ".snakemake/metadata", "tiny")
    assert sorted(job.rule for job in jobs.values()) == ["fit", "one", "one"]
    (last,) = (job for job in jobs.values() if job.rule == "fit")
    assert sorted(map(Path, last.after)) == [Path(f"results/tiny/logs/{name}.log") for name in "ab"]
    assert last.seconds > 0.4
    assert schedule.simulate(jobs, 2, 0.0) == pytest.approx(
        max(jobs[name].seconds for name in last.after) + last.seconds
    )
    assert schedule.simulate(jobs, 1, 0.0) == pytest.approx(sum(job.seconds for job in jobs.values()))
    assert "Jobs that fit take" in schedule.in_words(jobs)
    with pytest.raises(ValueError, match="study: 'other' is not allowed"):
        schedule.read_jobs(tmp_path / ".snakemake/metadata", "other")


def test_blocks_of_searches_keep_16_cores_busy_and_cost_two_cores_little():
    study = load(merged())
    factors = fan_out.recorded_over_estimated(study)
    whole, blocks = (fan_out.jobs_of(study, factors, one_job) for one_job in (True, False))
    ways, ways_of_whole = fan_out.longest_ways(blocks), fan_out.longest_ways(whole)
    ideal = max(sum(job.seconds for job in blocks.values()) / 16, max(ways.values()))
    on_16, on_16_whole = schedule.simulate(blocks, 16, ways=ways), schedule.simulate(whole, 16, ways=ways_of_whole)
    assert on_16 < min(1.1 * ideal, on_16_whole / 3)
    assert schedule.simulate(blocks, 2, ways=ways) < 1.05 * schedule.simulate(whole, 2, ways=ways_of_whole)
