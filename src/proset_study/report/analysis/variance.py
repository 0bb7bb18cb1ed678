"""How much of a test score is chance: of the split (and of the data, where they are generated), and of the fit's seed.

The scores of one method on one data set are a one-way layout with random effects: replicates are the groups, fits with
several seeds are the members. With r groups of s members, mean squares between groups B and within them W, the variance
between seeds is estimated by W and that between splits by (B - W) / s, both without bias; a negative one is set to 0.

S. R. Searle, G. Casella and C. E. McCulloch, Variance components, Wiley (1992), section 3.5.
"""

from dataclasses import dataclass
from functools import cache
from math import inf, sqrt
from statistics import fmean, variance

from proset_study import methods
from proset_study.report.analysis.losses import overlaps
from proset_study.report.analysis.runs import compared_runs, main_score
from proset_study.store.metrics import LOSSES
from proset_study.store.results import FINAL, by_fit_seed
from proset_study.store.stored import Stored


@dataclass(frozen=True)
class Noise:
    """What a score of a final model varies by, as standard deviations; None where that is not known.

    `one_fit` is that of one fit on one split, `standard_error` that of `mean`, which takes account of samples that
    replicates share (`overlap`, see `paired`). `truncated` is "yes" if the estimate between splits was negative.
    """

    experiment: str
    method: str
    dataset: str
    variant: str
    score: str
    replicates: int
    fit_seeds: int
    mean: float
    between_splits: float | None
    between_seeds: float | None
    truncated: str
    one_fit: float | None
    overlap: float | None
    standard_error: float | None


@dataclass(frozen=True)
class Components:
    """Variances of a score; None where there are too few replicates or seeds to know.

    Between replicates (with one seed, that of the seed is in it), between fits of a replicate, and of the means over
    the seeds between replicates; whether the first was negative and set to 0.
    """

    splits: float | None
    seeds: float | None
    of_means: float | None
    truncated: bool = False


def components(scores: list[list[float]]) -> Components:
    """Estimates from scores by replicate and seed; every replicate has as many seeds.

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


@cache
def variance_rows(stored: Stored) -> list[Noise]:
    """Components of all `LOSSES` of all final models."""
    overlap = overlaps(stored, list(stored.study.experiments))
    by_quantity = {score.quantity: score for score in LOSSES.values()}
    found: dict[tuple[str, str, str, str, str], list[list[float]]] = {}
    rows = (row for row in stored.rows if row.section == FINAL and row.quantity in by_quantity)
    for row, values in by_fit_seed(rows):
        score = by_quantity[row.quantity]
        if score.fits(methods.get(row.method)):
            key = (row.experiment, row.method, row.dataset, row.variant, score.loss)
            found.setdefault(key, []).append([score.as_loss(value) for value in values])
    return [_noise(key, scores, overlap[key[2]]) for key, scores in found.items()]


def _noise(key: tuple[str, str, str, str, str], scores: list[list[float]], overlap: float) -> Noise:
    r, variances = len(scores), components(scores)
    known = [v for v in (variances.splits, variances.seeds) if v is not None]
    of_means = None if variances.of_means is None or overlap == inf else (1 / r + overlap) * variances.of_means
    return Noise(
        *key,
        replicates=r,
        fit_seeds=len(scores[0]),
        mean=fmean(fmean(group) for group in scores),
        between_splits=_root(variances.splits),
        between_seeds=_root(variances.seeds),
        truncated="yes" if variances.truncated else "no",
        one_fit=None if variances.splits is None else _root(sum(known)),
        overlap=None if overlap == inf else overlap,
        standard_error=_root(of_means),
    )


def _root(value):
    return None if value is None else sqrt(value)


def noise(stored: Stored) -> list[Noise]:
    """The rows of the main score of the models that `compared_runs` names, for the front page."""
    shown = {(run.experiment, d, run.variant) for d in stored.study.data_sets for run in compared_runs(stored.study, d)}
    rows = [r for r in variance_rows(stored) if r.score == main_score(stored.study)]
    return [r for r in rows if (r.experiment, r.dataset, r.variant) in shown]
