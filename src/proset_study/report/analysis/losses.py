"""Test losses of methods by data set and replicate, from the rows of the results: less is better."""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from statistics import fmean

import numpy as np

from proset.losses import LOSSES as SAMPLE_LOSSES
from proset.losses import mean
from proset_study.data.splits import TEST
from proset_study.store.metrics import LOSSES
from proset_study.store.results import FINAL, Row, by_fit_seed
from proset_study.store.stored import Final, Stored
from proset_study.study.config.study import Study

ROPE = 0.01  # nats, Brier score, or proportion of the balanced error: less than this makes no difference in practice

Losses = dict[str, dict[str, dict[int, float]]]  # by method, data set and replicate


def losses_by_method(stored: Stored, experiments: list[str], loss: str) -> Losses:
    """One of `LOSSES` of all methods of some experiments; see `by_method`."""
    return by_method(stored, experiments, LOSSES[loss].quantity, LOSSES[loss].as_loss)


def by_method(
    stored: Stored, experiments: list[str], quantity: str, convert: Callable[[float], float] = float
) -> Losses:
    """A quantity of the final models by method, data set and replicate: means over the fit seeds, converted.

    A method is joined over experiments; see `of_first_experiments`.
    """
    found: Losses = defaultdict(lambda: defaultdict(dict))
    for row, values in by_fit_seed(of_first_experiments(stored.rows_of(experiments, FINAL, quantity))):
        found[row.method][row.dataset][row.replicate] = convert(fmean(values))
    return found


def of_first_experiments(rows: Iterable[Row]) -> Iterator[Row]:
    """Where several experiments have the same method and data set, the rows of the first one.

    Experiments that vary a parameter count by their run without a variant only.
    """
    source: dict[tuple[str, str], str] = {}
    for row in rows:
        if not row.variant and source.setdefault((row.method, row.dataset), row.experiment) == row.experiment:
            yield row


def prior_loss(final: Final, loss: str = "log_loss") -> float:
    """Log-loss or "error" of the class proportions of the training part on the training part."""
    from scipy.stats import entropy

    train = final.folds != TEST
    weight = None if final.data.sample_weight is None else final.data.sample_weight[train]
    counts = np.bincount(final.data.y[train], weights=weight)
    return float(entropy(counts) if loss == "log_loss" else 1 - counts.max() / counts.sum())


def final_loss(final: Final, loss: str) -> tuple[float, float]:
    """One of `proset.losses.LOSSES` of the final model on the test part, and its standard error over the samples."""
    losses, weight = SAMPLE_LOSSES[loss](final.probabilities, final.y), final.weight / math.fsum(final.weight)
    average = mean(losses, final.weight)
    return average, math.sqrt(math.fsum(weight**2 * (losses - average) ** 2))


def generated(stored: Stored, data_set: str) -> bool:
    """Whether a data set is generated, anew in each replicate unless it has a published draw."""
    return "generator" in stored.study.config["data_sets"][data_set]


def has_one_split(study: Study, data_set: str) -> bool:
    """Whether all replicates have one test part, of a column, the time or a publication: seeds alone differ."""
    return bool({"test", "time", "published_draw"} & study.config["data_sets"][data_set].keys())


def overlap_of(study: Study, data_set: str, n_test: float, n_train: float) -> float:
    """What `paired` takes as overlap: 0 if the data are generated, and replicates are independent.

    Replicates of real data share samples; n_test / n_train is what Nadeau and Bengio's correction needs. It is infinite
    if they share all of them.
    """
    if has_one_split(study, data_set):
        return math.inf
    return 0.0 if "generator" in study.config["data_sets"][data_set] else n_test / n_train


def overlaps(stored: Stored, experiments: list[str]) -> dict[str, float]:
    """`overlap_of` each data set."""
    sizes: dict[str, dict[str, float]] = defaultdict(dict)
    for quantity in ("train_samples", "test_samples"):
        for row in stored.rows_of(experiments, "data", quantity):
            if row.value is not None:
                sizes[row.dataset].setdefault(quantity, row.value)
    return {d: overlap_of(stored.study, d, n["test_samples"], n["train_samples"]) for d, n in sizes.items()}
