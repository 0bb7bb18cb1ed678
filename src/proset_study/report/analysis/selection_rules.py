"""What other rules than the published one would have selected from the same cross-validation, and what that costs."""

from functools import cache
from math import sqrt
from statistics import fmean

from proset_study import methods
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


def _complexity(stage, records, selection, chosen):
    """Active features and prototypes of one setting, means over the folds; None where the records do not say."""
    if stage == "stage1":
        trial = selection["trials"][chosen]
        found = [r["summary"] for r in records if r["trial"] == trial]
    else:
        found = [{name: sizes[chosen] for name, sizes in r["staged_summary"].items()} for r in records]
    names = ("active_features", "prototypes")
    return [fmean(r[name] for r in found) if all(name in r for r in found) else None for name in names]
