"""Test losses of methods by data set and replicate, from the rows of the results: less is better."""

from collections import defaultdict
from statistics import fmean

from proset_study.store.results import by_fit_seed
from proset_study.store.stored import Stored

SCORES = {  # names, and how they are made of a quantity of the results
    "log-loss": ("log_loss", lambda value: value),
    "clipped log-loss": ("clipped_log_loss", lambda value: value),
    "Brier score": ("brier_score", lambda value: value),
    "balanced error": ("balanced_accuracy", lambda value: 1 - value),
}
OF_ALL = "balanced error"  # the score that methods without probabilities have, too
ROPE = 0.01  # nats, Brier score, or proportion of the balanced error: less than this makes no difference in practice

Losses = dict[str, dict[str, dict[int, float]]]  # by method, data set and replicate


def losses_by_method(stored: Stored, experiments: list[str], score: str) -> Losses:
    """One score of all methods of some experiments, of each replicate the mean over the fit seeds.

    A method is joined over experiments; where several have the same data set, the first one counts. Experiments that
    vary a parameter count by their run without a variant only.

    Parameters
    ----------
    stored : Stored
    experiments : list of str
    score : str
        One of `SCORES`.
    """
    quantity, loss = SCORES[score]
    found: Losses = defaultdict(lambda: defaultdict(dict))
    source: dict[tuple[str, str], str] = {}
    rows = [r for r in stored.rows_of(experiments) if (r["quantity"], r["variant"]) == (quantity, "")]
    for row, values in by_fit_seed(rows):
        key = (row["method"], row["dataset"])
        if source.setdefault(key, row["experiment"]) == row["experiment"]:
            found[row["method"]][row["dataset"]][int(row["replicate"])] = loss(fmean(values))
    return found


def generated(stored: Stored, data_set: str) -> bool:
    """Whether each replicate draws a data set anew."""
    return "generator" in stored.study.config["data_sets"][data_set]


def overlaps(stored: Stored, experiments: list[str]) -> dict[str, float]:
    """Test samples per training sample of each data set: 0 if it is generated, and replicates are independent.

    Replicates of real data share samples; the proportion is what Nadeau and Bengio's correction needs.
    """
    sizes: dict[str, dict[str, float]] = defaultdict(dict)
    for row in stored.rows_of(experiments):
        if row["section"] == "data":
            sizes[row["dataset"]].setdefault(row["quantity"], row["value"])
    return {d: 0.0 if generated(stored, d) else n["test_samples"] / n["train_samples"] for d, n in sizes.items()}
