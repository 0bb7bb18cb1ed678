"""How jobs of searches are cut, and how long E1 to E12 take on 2 and 16 cores: `python -m benchmarks.fan_out`.

By simulation, as in `benchmarks.schedule`, of the jobs that the config gives to Snakemake. A fit takes its estimate,
times what all fits of its method took in the committed report over their estimate. The job that is furthest from its
final model goes first. The ideal is the larger of all work over the cores and the longest chain of jobs.
"""

import argparse
import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import yaml
from benchmarks.schedule import Job, releases, simulate

from proset_study.study import all_runs, blocks
from proset_study.study.config.checks import load
from proset_study.study.config.study import Study

JOB = 0.27  # CPU seconds of a job besides its fits, with Snakemake for it; measured on an idle AMD EPYC
EXPERIMENTS = [f"E{i}" for i in range(1, 13)]
MANIFEST = Path(__file__).parents[1] / "reports/study/manifest.json"


def recorded_over_estimated(study: Study) -> dict[str, float]:
    """CPU seconds in the committed report over the estimate, by method."""
    recorded = json.loads(MANIFEST.read_text(encoding="utf-8"))["cost"]["0"]
    estimated: Counter = Counter()
    for _, run, data_set in study.final_models([0]):
        estimated[run.method] += all_runs.seconds_of_run(study, run.name, data_set)
    return {
        method: (cost["fit_cpu_s"] + cost["score_cpu_s"]) / estimated[method]
        for method, cost in recorded.items()
        if estimated[method]
    }


def jobs_of(study: Study, factors: Mapping[str, float], whole: bool) -> dict[tuple, Job]:
    """The jobs of the experiments; with `whole` all fits of a stage are one job, as they were before."""
    jobs: dict[tuple, Job] = {}
    for _, run, d in study.final_models([0]):
        if run.experiment not in EXPERIMENTS:
            continue
        jobs["data", d] = Job("data", JOB, ())
        jobs["split", d] = Job("split", JOB, (("data", d),))
        factor, name, before = factors[run.method], run.name, ("split", d)
        if (source := study.stage1_run(run)) is not None:
            if source is run:
                cut = [blocks.whole(study, "stage1", name, d)] if whole else blocks.blocks_of(study, "stage1", name, d)
                numbers = [(b.last_fold - b.first_fold + 1) * (b.last_trial - b.first_trial + 1) for b in cut]
                _add(
                    jobs, ("stage1", name, d), numbers, factor * blocks.seconds_of_fit(study, name, d, "stage1"), before
                )
            jobs["select_parameters", name, d] = Job("select", JOB, (("stage1", source.name, d),))
            before = ("select_parameters", name, d)
        cut = [blocks.whole(study, "stage2", name, d)] if whole else blocks.blocks_of(study, "stage2", name, d)
        numbers = [last - first + 1 for first, last in cut]
        _add(jobs, ("stage2", name, d), numbers, factor * blocks.seconds_of_fit(study, name, d, "stage2"), before)
        jobs["select_complexity", name, d] = Job("select", JOB, (("stage2", name, d),))
        seconds = study.final_fits(name) * factor * blocks.seconds_of_fit(study, name, d, "stage2", is_final=True)
        jobs["fit", name, d] = Job("fit", JOB + seconds, (("select_complexity", name, d),))
    return jobs


def _add(jobs, stage, numbers, seconds, before):
    """The jobs of a stage, and if they are several the one that puts their records together."""
    if len(numbers) == 1:
        jobs[stage] = Job(stage[0], JOB + numbers[0] * seconds, (before,))
        return
    for i, number in enumerate(numbers):
        jobs[*stage, i] = Job(stage[0], JOB + number * seconds, (before,))
    jobs[stage] = Job("gather", JOB, tuple((*stage, i) for i in range(len(numbers))))


def longest_ways(jobs: Mapping[tuple, Job]) -> dict[tuple, float]:
    """Seconds from the start of each job to the end of what depends on it."""
    after, ways = releases(jobs), {}

    def way(name):
        if name not in ways:
            ways[name] = jobs[name].seconds + max(map(way, after[name]), default=0.0)
        return ways[name]

    return {name: way(name) for name in jobs}


def in_words(study: Study) -> str:
    """Jobs, seconds and their ratio to the ideal, before and now, as Markdown."""
    factors = recorded_over_estimated(study)
    lines = ["| a job is | jobs | seconds of all | on 2 cores | on 16 cores | ideal | ratio |"]
    lines.append("|---|---:|---:|---:|---:|---:|---:|")
    for words, whole in (("a search", True), ("a block of it", False)):
        jobs = jobs_of(study, factors, whole)
        total, ways = sum(job.seconds for job in jobs.values()), longest_ways(jobs)
        on_2, on_16 = (simulate(jobs, cores, ways=ways) for cores in (2, 16))
        ideal = max(total / 16, max(ways.values()))
        times = f"{total:.0f} | {on_2:.0f} | {on_16:.1f} | {ideal:.1f} | {on_16 / ideal:.2f}"
        lines.append(f"| {words} | {len(jobs)} | {times} |")
    return "\n".join(lines)


if __name__ == "__main__":
    argparse.ArgumentParser(prog="python -m benchmarks.fan_out", description=__doc__).parse_args()
    print(in_words(load(yaml.safe_load(Path("config.yaml").read_text(encoding="utf-8")))))
