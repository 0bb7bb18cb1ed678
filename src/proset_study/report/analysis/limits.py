"""What a study cannot say of its subject, and why: the last of the sentences of its verdict."""

from collections.abc import Iterator, Mapping

from proset_study import methods
from proset_study.methods.labels import method_name
from proset_study.report.analysis.losses import has_one_split
from proset_study.report.analysis.paired import MIN_REPLICATES
from proset_study.report.wording import counted, how_many
from proset_study.store.metrics import OF_ALL
from proset_study.study.config.study import Study


def limits(study: Study, losses: Mapping[str, Mapping[int, float]]) -> Iterator[tuple[str, str]]:
    """A word or two, and what they stand for, from the subject's losses by data set and replicate.

    That one replicate gives no interval is said of a subject that the config names: reports of others have other words.
    """
    subject = method_name(study.subject)
    if not methods.get(study.subject).probabilistic:
        words = f"{subject} predicts no probabilities, so methods are compared by {OF_ALL} and not by log-loss."
        yield "Balanced error:", words
    planned = _planned(study)
    of_all = f"of {counted(len(planned), 'data set')}"
    if not planned:
        varied = " without `vary`" if _is_varied(study) else ""
        yield "Missing:", f"this config runs no experiment of {subject}{varied}."
    if lost := [d for d in planned if d not in losses]:
        yield "Missing:", f"{subject} has no score on {how_many(lost)} {of_all}; these are not counted."
    if partly := [d for d, replicates in planned.items() if d in losses and replicates - losses[d].keys()]:
        yield "Incomplete:", f"{subject} lacks scores of some replicates on {how_many(partly)} {of_all}."
    if fixed := [d for d, scores in losses.items() if len(scores) > 1 and has_one_split(study, d)]:
        words = "all replicates have the same test part, which says nothing of another one."
        yield "Not tested:", f"on {how_many(fixed)} {of_all} {words}"
    if "subject" in study.config and (once := [d for d, scores in losses.items() if len(scores) == 1]):
        words = f"{subject} has one replicate on {how_many(once)} {of_all}; intervals and tests need at least"
        yield "Not tested:", f"{words} {MIN_REPLICATES} replicates."


def _is_varied(study: Study) -> bool:
    models = study.final_models(study.replicates)
    return any(run.method == study.subject and bool(run.variant) for _, run, _ in models)


def _planned(study: Study) -> dict[str, set[int]]:
    """Replicates of each data set on which the subject is compared, computed or not."""
    subject, experiments = study.subject, study.compared_experiments
    planned: dict[str, set[int]] = {}
    for replicate, run, data_set in study.final_models(study.replicates):
        if run.method == subject and run.experiment in experiments and not run.variant:
            planned.setdefault(data_set, set()).add(int(replicate))
    return planned
