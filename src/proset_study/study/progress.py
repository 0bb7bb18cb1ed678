"""How far a run is, in a line for people at a terminal: jobs by stage, and the time that is left.

The estimate of `study.plan` is corrected by how long the finished jobs took. A line of its own every few seconds, and
no bar, because jobs and Snakemake write to the same terminal.
"""

import logging
import sys
import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from typing import NamedTuple

from proset_study.study.config.study import Study
from proset_study.study.plan import JOB_SECONDS, duration, fits_of

SECONDS = 10.0  # between two lines
TRUST = 0.1  # of the estimate of the whole, which counts as if it had been seen already
STAGES = {
    "data": ("openml", "data", "dissimilarities", "split"),
    "searches": ("stage1", "select_parameters", "stage2", "select_complexity", "standing_on", "all_runs"),
    "final models": ("fit", "evaluate"),
}
REPORT = "report"  # all other rules
FINISHED = "job_finished"  # what Snakemake calls the event


class Job(NamedTuple):
    """A job that is planned."""

    stage: str
    seconds: float  # rough CPU seconds


def job_of(rule: str, wildcards: dict[str, str], study: Study) -> Job:
    """The stage of a job and how long it takes, by its rule and wildcards."""
    stage = next((name for name, rules in STAGES.items() if rule in rules), REPORT)
    return Job(stage, JOB_SECONDS + sum(fits.seconds for fits in fits_of(rule, wildcards, study)))


class Progress(logging.Handler):
    """Counts the jobs that Snakemake logs as finished, by their numbers, and says how far the run is."""

    def __init__(
        self,
        study: str,
        jobs: Mapping[int, Job],
        cores: int,
        say: Callable[[str], None] = lambda line: print(line, file=sys.stderr, flush=True),
        clock: Callable[[], float] = time.monotonic,
    ):
        super().__init__()
        self._study, self._jobs, self._cores, self._say, self._clock = study, jobs, max(1, cores), say, clock
        self._done: set[int] = set()
        self._start = self._said = clock()

    def emit(self, record: logging.LogRecord) -> None:
        """Say it, if a job has finished and the last line is `SECONDS` ago."""
        if getattr(getattr(record, "event", None), "value", None) != FINISHED:
            return
        self._done.add(getattr(record, "job_id", -1))
        if (now := self._clock()) - self._said >= SECONDS:
            self._said = now
            self._say(self.line(now))

    def line(self, now: float) -> str:
        """How far the run is, in one line."""
        done = [job for number, job in self._jobs.items() if number in self._done]
        all_by, done_by = (Counter(job.stage for job in jobs) for jobs in (self._jobs.values(), done))
        stages = ", ".join(f"{name} {done_by[name]:,}/{all_by[name]:,}" for name in (*STAGES, REPORT) if all_by[name])
        left = duration(self._seconds_left(done, now))
        return f"Study {self._study}: {len(done):,} of {len(self._jobs):,} jobs ({stages}); about {left} left"

    def _seconds_left(self, done, now):
        total, finished = (sum(job.seconds for job in jobs) for jobs in (self._jobs.values(), done))
        seen = TRUST * total
        speed = (finished + seen) / (now - self._start + seen / self._cores)  # estimated seconds in a second
        return (total - finished) / speed


def is_wanted(is_terminal: bool, quiet: Collection[str]) -> bool:
    """Whether anybody looks: not in a log, nor with `--quiet all`; `progress` is about Snakemake's own lines."""
    return is_terminal and "all" not in quiet
