"""How much of a test score is chance: of the split (and of the data, where they are generated), and of the fit's seed.

The scores of one method on one data set are a one-way layout with random effects: replicates are the groups, fits with
several seeds are the members. With r groups of s members, mean squares between groups B and within them W, the variance
between seeds is estimated by W and that between splits by (B - W) / s, both without bias; a negative one is set to 0.

References
----------
S. R. Searle, G. Casella and C. E. McCulloch, Variance components, Wiley (1992), section 3.5.
"""

from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from statistics import fmean, variance

from proset_study import methods
from proset_study.report.analysis.losses import OF_ALL, SCORES, overlaps
from proset_study.report.analysis.runs import compared_runs
from proset_study.store.results import by_fit_seed, write_rows
from proset_study.store.stored import Stored

COLUMNS = (
    *("experiment", "method", "dataset", "variant", "score", "replicates", "fit_seeds", "mean"),
    *("between_splits", "between_seeds", "truncated", "one_fit", "overlap", "standard_error"),
)


@dataclass(frozen=True)
class Components:
    """Variances of a score; None where there are too few replicates or seeds to know.

    Attributes
    ----------
    splits : float or None
        Between replicates; with one seed that of the seed is in it.
    seeds : float or None
        Between fits of the same replicate.
    of_means : float or None
        Of the mean over the seeds, between replicates.
    truncated : bool
        Whether the estimate of `splits` was negative, and is 0.
    """

    splits: float | None
    seeds: float | None
    of_means: float | None
    truncated: bool = False


def components(scores: list[list[float]]) -> Components:
    """Estimates from scores by replicate and seed; every replicate has as many seeds.

    Examples
    --------
    >>> found = components([[1.0, 3.0], [6.0, 10.0]])  # B = 36, W = 5
    >>> found.splits, found.seeds, found.of_means
    (15.5, 5.0, 18.0)
    >>> components([[1.0, 3.0], [1.0, 3.0]])
    Components(splits=0.0, seeds=2.0, of_means=0.0, truncated=True)
    """
    n_seeds = len(scores[0])
    seeds = fmean(variance(group) for group in scores) if n_seeds > 1 else None
    if len(scores) == 1:
        return Components(None, seeds, None)
    of_means = variance([fmean(group) for group in scores])
    splits = of_means - (seeds or 0.0) / n_seeds
    return Components(max(0.0, splits), seeds, of_means, splits < 0)


def variance_rows(stored: Stored) -> list[dict]:
    """Components of all scores of all final models, as standard deviations.

    Returns
    -------
    list of dict
        With `COLUMNS` as keys: "one_fit" is the deviation of one fit on one split, "standard_error" that of "mean",
        which takes account of samples that replicates share ("overlap", see `paired`). "truncated" is "yes" if the
        estimate between splits was negative.
    """
    overlap = overlaps(stored, list(stored.study.experiments))
    by_quantity = {quantity: (score, loss) for score, (quantity, loss) in SCORES.items()}
    found: dict[tuple, list[list[float]]] = {}
    for row, values in by_fit_seed(stored.rows):
        if row["section"] != "final" or row["quantity"] not in by_quantity:
            continue
        score, loss = by_quantity[row["quantity"]]
        if score == OF_ALL or methods.get(row["method"]).probabilistic:
            key = (*(row[name] for name in COLUMNS[:4]), score)
            found.setdefault(key, []).append([loss(value) for value in values])
    return [dict(zip(COLUMNS, (*key, *_row(scores, overlap[key[2]])), strict=True)) for key, scores in found.items()]


def _row(scores, overlap):
    r, variances = len(scores), components(scores)
    known = [v for v in (variances.splits, variances.seeds) if v is not None]
    return (
        *(r, len(scores[0]), fmean(fmean(group) for group in scores)),
        *(_root(variances.splits), _root(variances.seeds), "yes" if variances.truncated else "no"),
        *(_root(sum(known)) if variances.splits is not None else None, overlap),
        _root(None if variances.of_means is None else (1 / r + overlap) * variances.of_means),
    )


def _root(value):
    return None if value is None else sqrt(value)


def noise(stored: Stored) -> list[dict]:
    """The rows of log-loss of the models that `compared_runs` names, for the front page."""
    shown = {(run.experiment, d, run.variant) for d in stored.study.data_sets for run in compared_runs(stored.study, d)}
    rows = [r for r in variance_rows(stored) if r["score"] == "log-loss"]
    return [r for r in rows if (r["experiment"], r["dataset"], r["variant"]) in shown]


def write_variance(path: Path, stored: Stored) -> None:
    """Write `variance_rows` as CSV."""
    write_rows(path, variance_rows(stored), COLUMNS)
