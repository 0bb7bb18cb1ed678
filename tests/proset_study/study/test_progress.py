"""How far a run is: stages are counted, the time left follows the jobs that have finished, nobody else is told."""

import logging
from enum import Enum
from types import SimpleNamespace

import pytest
from tests.proset_study.config_files import merged

from proset_study.study.config.checks import load
from proset_study.study.plan import JOB_SECONDS
from proset_study.study.progress import SECONDS, Job, Progress, is_wanted, job_of


class Event(Enum):
    """As Snakemake's."""

    JOB_FINISHED = "job_finished"
    JOB_STARTED = "job_started"


@pytest.fixture
def run():
    """A run of eight searches and two jobs of the report, 10 s each on two cores; its lines, and its clock."""
    jobs = {number: Job("searches" if number < 8 else "report", 10.0) for number in range(10)}
    found = SimpleNamespace(now=100.0, lines=[])
    found.progress = Progress("demo", jobs, 2, found.lines.append, lambda: found.now)

    def finish(number, event=Event.JOB_FINISHED):
        record = logging.LogRecord("snakemake", logging.INFO, "", 0, "Finished", None, None)
        record.event, record.job_id = event, number
        found.progress.handle(record)

    found.finish = finish
    return found


def test_stages_are_counted_and_the_estimate_holds_where_jobs_take_as_long_as_it_says(run):
    run.now += SECONDS
    run.finish(0)
    run.finish(1)
    run.now += SECONDS
    run.finish(2)
    assert run.lines[0] == "Study demo: 1 of 10 jobs (searches 1/8, report 0/2); about 68 seconds left"
    run.finish(3)
    run.now += SECONDS
    run.finish(8)
    assert run.lines[-1] == "Study demo: 5 of 10 jobs (searches 4/8, report 1/2); about 29 seconds left"
    assert len(run.lines) == 3


def test_slow_jobs_make_the_time_left_longer(run):
    run.now += 100  # ten times as long as estimated
    run.finish(0)
    run.finish(1)
    assert run.progress.line(run.now) == "Study demo: 2 of 10 jobs (searches 2/8, report 0/2); about 5 minutes left"


def test_other_records_say_nothing(run):
    run.now += SECONDS
    run.finish(0, Event.JOB_STARTED)
    run.progress.handle(logging.LogRecord("snakemake", logging.INFO, "", 0, "text", None, None))
    assert run.lines == []


def test_jobs_have_the_stage_and_the_seconds_of_the_plan():
    study = load(merged())
    place = {"study": "study", "replicate": "0", "data_set": "wine"}
    assert job_of("data", place, study) == Job("data", JOB_SECONDS)
    assert job_of("table", {"table": "E3"}, study) == Job("report", JOB_SECONDS)
    chunk = {"first_fold": "0", "last_fold": "4", "first_trial": "0", "last_trial": "49"}
    search = job_of("stage1", {**place, "run": "E3", **chunk}, study)
    assert search.stage == "searches"
    assert search.seconds > job_of("fit", {**place, "run": "E3"}, study).seconds > JOB_SECONDS
    everything = job_of("all_runs", place, study)
    assert everything.stage == "searches"
    assert everything.seconds > search.seconds


@pytest.mark.parametrize(
    ("is_terminal", "quiet", "wanted"),
    [(True, [], True), (False, [], False), (True, ["progress", "rules"], True), (True, ["all"], False)],
)
def test_only_a_terminal_that_is_not_quiet_is_told(is_terminal, quiet, wanted):
    assert is_wanted(is_terminal, quiet) == wanted
