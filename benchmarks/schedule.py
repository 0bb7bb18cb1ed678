"""How long a study takes on other numbers of cores: `python -m benchmarks.schedule STUDY`, where it was run.

Snakemake keeps when every job began and ended, and what it read. In a simulation the jobs start again, each as soon as
its input is there and a core is free, the one that waits longest first. A job takes as long as it took; all are started
by one process, which takes `DISPATCH` of its time for each.
"""

import argparse
import heapq
import json
from base64 import b64decode
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

CORES = (1, 2, 4, 8, 16, 32)
DISPATCH = 0.03  # seconds of Snakemake's own process for a job, as measured on 284 jobs
FITS = ("stage1", "stage2", "fit", "evaluate")


@dataclass(frozen=True)
class Job:
    """A job of a run: its rule, wall seconds, and the jobs it waits for."""

    rule: str
    seconds: float
    after: tuple[str, ...]


def read_jobs(metadata: Path, study: str) -> dict[str, Job]:
    """All jobs of a study that were run in this folder, by their logs.

    Parameters
    ----------
    metadata : Path
        `.snakemake/metadata`.
    study : str

    Raises
    ------
    ValueError
        If there is none.
    """
    found, maker, reads = {}, {}, defaultdict(set)
    if not metadata.is_dir():
        raise ValueError(f"there is no {metadata} here; nothing was run in this folder")
    for file in metadata.iterdir():
        record = json.loads(file.read_text(encoding="utf-8"))
        if record["log"] and f"/{study}/" in record["log"][0]:
            (name,) = record["log"]
            found[name] = record["rule"], record["endtime"] - record["starttime"]
            maker[b64decode(file.name).decode()] = name
            reads[name].update(record["input"])
    if not found:
        raise ValueError(
            f"study: {study!r} is not allowed, nothing of it was run here; there is no record in {metadata}"
        )
    return {
        name: Job(rule, seconds, tuple({maker[path] for path in reads[name] if path in maker} - {name}))
        for name, (rule, seconds) in found.items()
    }


def releases(jobs: Mapping[Any, Job]) -> dict[Any, list[Any]]:
    """The jobs that wait for each job."""
    waiting = defaultdict(list)
    for name, job in jobs.items():
        for earlier in job.after:
            waiting[earlier].append(name)
    return waiting


def simulate(
    jobs: Mapping[Any, Job], cores: int, dispatch: float = DISPATCH, ways: Mapping[Any, float] | None = None
) -> float:
    """Seconds from the start of the first job to the end of the last one.

    What was ready first starts first; with `ways`, the job with the longest way to the end.

    Examples
    --------
    >>> jobs = {"a": Job("data", 2.0, ()), "b": Job("fit", 3.0, ("a",)), "c": Job("fit", 4.0, ("a",))}
    >>> simulate(jobs, 1, 0.0), simulate(jobs, 2, 0.0), simulate(jobs, 2, 0.5)
    (9.0, 6.0, 7.5)
    """
    waiting = {name: len(job.after) for name, job in jobs.items()}
    after, arrivals = releases(jobs), count()

    def rank(name):
        return -ways[name] if ways else next(arrivals), name

    ready = [rank(name) for name, number in waiting.items() if not number]
    heapq.heapify(ready)
    running: list[tuple[float, Any]] = []
    now = dispatcher_free = 0.0
    while ready or running:
        while ready and len(running) < cores:
            _, name = heapq.heappop(ready)
            dispatcher_free = max(now, dispatcher_free) + dispatch
            heapq.heappush(running, (dispatcher_free + jobs[name].seconds, name))
        now, ended = heapq.heappop(running)
        for name in after[ended]:
            waiting[name] -= 1
            if not waiting[name]:
                heapq.heappush(ready, rank(name))
    return now


def in_words(jobs: Mapping[str, Job]) -> str:
    """Where the time goes, and the time on other numbers of cores, as Markdown."""
    by_rule: dict[str, list[float]] = defaultdict(list)
    for job in jobs.values():
        by_rule[job.rule].append(job.seconds)
    whole = sum(map(sum, by_rule.values()))
    fits = sum(sum(by_rule[rule]) for rule in FITS)
    lines = ["| rule | jobs | seconds | share |", "|---|---:|---:|---:|"]
    for rule, seconds in sorted(by_rule.items(), key=lambda item: -sum(item[1])):
        lines.append(f"| {rule} | {len(seconds):,} | {sum(seconds):,.0f} | {100 * sum(seconds) / whole:.1f} % |")
    lines += ["", f"Jobs that fit take {100 * fits / whole:.1f} % of {whole / 3600:.2f} hours.", ""]
    lines += ["| cores | hours | of one core |", "|---:|---:|---:|"]
    alone = simulate(jobs, 1)
    for cores in CORES:
        seconds = simulate(jobs, cores)
        lines.append(f"| {cores} | {seconds / 3600:.2f} | 1 / {alone / seconds:.1f} |")
    return "\n".join(lines)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.schedule", description=__doc__)
    parser.add_argument("study")
    print(in_words(read_jobs(Path(".snakemake/metadata"), parser.parse_args().study)))
