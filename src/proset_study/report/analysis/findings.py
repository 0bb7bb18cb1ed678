"""What the records say beyond the published tables: selection rules, methods over replicates, selected features."""

from collections import Counter
from functools import cache
from itertools import combinations, product
from math import inf, sqrt
from statistics import fmean, stdev

from proset_study import methods
from proset_study.methods.weighted import WeightedPrototypeModel, weighted
from proset_study.report.analysis.losses import ROPE, losses_by_method, overlaps
from proset_study.report.analysis.paired import MIN_REPLICATES, differences, mean_difference
from proset_study.report.analysis.runs import main_score
from proset_study.report.rows import pick
from proset_study.store.metrics import LOSSES
from proset_study.store.stored import Final, Stored

RULES = {  # what is added to the smallest mean log-loss, in standard deviations over the folds
    "best": lambda n_folds: 0.0,
    "one standard error": lambda n_folds: 1 / sqrt(n_folds),
    "one standard deviation": lambda n_folds: 1.0,
}
RULE_COLUMNS = (
    *("replicate", "experiment", "dataset", "variant", "stage", "rule", "log_loss", "excess"),
    *("size", "active_features", "prototypes"),
)
METHOD_COLUMNS = (
    *("dataset", "score", "first", "second", "replicates", "first_better", "difference", "standard_deviation"),
    *("overlap", "standard_error", "low", "high", "p", "equivalence_p"),
)
FEATURE_COLUMNS = ("experiment", "dataset", "variant", "feature", "replicates", "selected", "proportion")


@cache
def rules(stored: Stored) -> list[dict]:
    """What other rules would have chosen from the same cross-validation, without another fit; keys are `RULE_COLUMNS`.

    All of them take the simplest setting whose mean log-loss is at most the smallest mean plus a part of the standard
    deviation (ddof = 1) of that setting over the folds: none of it, deviation / sqrt(folds), the standard error
    of the mean, or all of it, as in the published study. "log_loss" is the cross-validated mean of what is chosen, an
    error rate where the search selects by that, "excess" what it has above the smallest, and "size" the step of stage
    2; features and prototypes are means over the folds. Of a large study it is the first replicate only.
    """
    rows = []
    for final in stored.one_by_one(list(stored.searched)[: 1 if stored.study.is_large else None]):
        for stage, selection, records in (
            ("stage1", final.stage1, final.trials),
            ("stage2", final.stage2, final.paths),
        ):
            if selection is None or (stage == "stage1" and final.stage1_folder != final.folder):
                continue  # no such stage, or taken over from another experiment and counted there
            for rule, chosen in selections(final, stage, selection).items():
                loss, lowest = (selection["mean"][i] for i in (chosen, selection["optimal"]))
                size = selection["settings"][chosen] if stage == "stage2" else None
                kept = _complexity(stage, records, selection, chosen)
                names = (final.replicate, final.run.experiment, final.data_set, final.run.variant, stage, rule)
                rows.append(dict(zip(RULE_COLUMNS, (*names, loss, loss - lowest, size, *kept), strict=True)))
    return rows


def selections(final: Final, stage: str, selection: dict) -> dict[str, int]:
    """Position of the setting that each rule chooses."""
    method, optimal = methods.get(final.run.method), selection["optimal"]
    if stage == "stage1":
        fixed = final.run.stage("stage1", final.data_set)["parameters"]
        simplicity = [method.simplicity({**fixed, **setting}) for setting in selection["settings"]]
    else:
        sign = 1 if method.larger_is_simpler else -1
        simplicity = [(sign * size,) for size in selection["settings"]]
    n_folds = len(final.paths)  # of which each has a record: the split itself would be read for every model
    found = {}
    for rule, deviations in RULES.items():
        limit = selection["mean"][optimal] + deviations(n_folds) * selection["standard_deviation"][optimal]
        within = [i for i, mean in enumerate(selection["mean"]) if mean <= limit]
        found[rule] = optimal if rule == "best" else max(within, key=lambda i: (simplicity[i], -i))
    return found


@cache
def methods_over_replicates(stored: Stored) -> list[dict]:
    """Paired differences of test losses over the replicates; keys are `METHOD_COLUMNS`.

    The methods are those of the study's `compared_experiments`; the subject is the first of its pairs. "difference" is
    first minus second (negative: the first is better), "low" and "high" are the ends of its 95 % interval, "overlap" is
    n_test / n_train, 0 for generated data; see `paired`.
    "equivalence_p" is that of two one-sided tests with the margin `ROPE`. With ten replicates the tests are weak, and
    p-values are not corrected for the number of comparisons. Of a large study it is the pairs with the subject only.
    """
    study, rows = stored.study, []
    overlap = overlaps(stored, list(study.experiments))
    for score, loss in LOSSES.items():
        by_method = losses_by_method(stored, study.compared_experiments, score)
        compared = [m for m in methods.METHODS if m in by_method and loss.fits(methods.get(m))]
        pairs = list(combinations(sorted(compared, key=lambda m: m != study.subject), 2))
        if study.is_large:
            pairs = [pair for pair in pairs if study.subject in pair]
        for data_set, (first, second) in product(study.data_sets, pairs):
            paired = differences(by_method[first].get(data_set, {}), by_method[second].get(data_set, {}))
            if len(paired) < 2 or overlap[data_set] == inf:
                continue
            mean = mean_difference(paired, overlap[data_set])
            values = (data_set, score, first, second, len(paired), sum(d < 0 for d in paired), mean.value)
            tested = (stdev(paired), overlap[data_set], mean.error, *mean.interval(0.95), mean.p())
            rows.append(dict(zip(METHOD_COLUMNS, (*values, *tested, mean.equivalence(ROPE)), strict=True)))
    return rows


def subject_over_replicates(stored: Stored) -> list[dict]:
    """Those of the subject and the main score that have an interval: of `MIN_REPLICATES` or more."""
    rows = pick(methods_over_replicates(stored), score=main_score(stored.study), first=stored.study.subject)
    return [row for row in rows if row["replicates"] >= MIN_REPLICATES]


def selected_features(stored: Stored) -> list[dict]:
    """In how many replicates the final model of an experiment uses each feature, if its features have weights.

    A category that is in few rows may be no feature in some of them.
    """
    used: dict[tuple[str, str, str], Counter[str]] = {}
    replicates: Counter[tuple[str, str, str]] = Counter()
    names: dict[tuple, list[str]] = {}  # without categories all replicates share them
    for final in stored.one_by_one():
        if methods.makes(final.run.method, WeightedPrototypeModel):
            active = set(weighted(final.model.fitted).active_features().tolist())
            place = final.place if final.model.encoder else (final.data_set, final.metric)
            if place not in names:
                names[place] = final.feature_names.tolist()
            key = (final.run.experiment, final.data_set, final.run.variant)
            replicates[key] += 1
            for d, name in enumerate(names[place]):
                used.setdefault(key, Counter())[name] += d in active
    return [
        dict(zip(FEATURE_COLUMNS, (*key, name, replicates[key], number, number / replicates[key]), strict=True))
        for key, counts in used.items()
        for name, number in counts.items()
    ]


def _complexity(stage, records, selection, chosen):
    """Active features and prototypes of one setting, means over the folds; None where the records do not say."""
    if stage == "stage1":
        trial = selection["trials"][chosen]
        found = [r["summary"] for r in records if r["trial"] == trial]
    else:
        found = [{name: sizes[chosen] for name, sizes in r["staged_summary"].items()} for r in records]
    names = ("active_features", "prototypes")
    return [fmean(r[name] for r in found) if all(name in r for r in found) else None for name in names]
