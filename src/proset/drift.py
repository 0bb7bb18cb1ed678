"""Whether new samples are still like the training samples, by the prototypes and the features of a model.

Below a quantile of the training samples' familiarity, of level 0.05 say, about 5 % of new samples are as long as they
come from where the training samples came from. That share is counted among

- all new samples,
- those of each prototype, whose largest contribution is its own,
- for each feature all samples, by the familiarity in this feature alone, sum_j w_j exp(-e_jd(x) / 2): what is low
  there is far from the prototypes in this feature, whatever the others say.

Each share is compared with that in a reference, which has errors of its own: Fisher's exact test says how likely a
difference as large is by chance. By default the reference are those training samples that stand for fresh ones in
`proset.familiarity`. The prototypes know them, so that they may be somewhat more familiar: in simulations without
drift, 5 to 7 % of fresh samples were below the 5 % quantile of 60 to 400 training samples, and for up to 17 % of the
models some row differed. With many new samples or few training samples, take a reference that the model was not fitted
to. Intervals are those of Clopper and Pearson.
"""

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from scipy.stats import binomtest, fisher_exact

from proset.explain import exponents
from proset.familiarity import quantile, stand_for_fresh
from proset.model import Model
from proset.tables import require
from proset.units import feature_names, given_samples
from proset.validation import check_proportion

if TYPE_CHECKING:
    import pandas as pd

    from proset.fitted_model import FittedModel

N_REFERENCE = 1000  # training samples that stand for all
ENTRIES = 2_000_000  # of a table of features, samples and prototypes, which exists for some samples at a time


def drift(
    classifier: "FittedModel",
    X: npt.ArrayLike,
    level: float,
    reference: npt.ArrayLike | None,
    transformer: Any,
    confidence_level: float,
) -> "pd.DataFrame":
    """See `proset.ProsetClassifier.drift`."""
    require("pandas", "drift")
    import pandas as pd

    check_proportion(level, "level")
    check_proportion(confidence_level, "confidence_level")
    transformer, _, given = given_samples(X, None, transformer)
    if reference is None:
        training = classifier._fitted_to("reference")
        are_fresh = stand_for_fresh(np.isin(training.rows, classifier._model.prototypes.rows))
        places = training.sample(N_REFERENCE)
        places = places[are_fresh[places]]
        points, rows = training.points[places], training.rows[places]
    else:
        points = classifier._validated(given_samples(reference, None, transformer)[2])
        rows = np.full(len(points), -1)
    model, names = classifier._model, feature_names(classifier, transformer)
    new, usual = (
        _Familiarity(model, of, own)
        for of, own in ((classifier._validated(given), np.full(len(given), -1)), (points, rows))
    )
    yardstick = classifier._yardstick()
    is_low, was_low = (quantile(yardstick, of.total) < level for of in (new, usual))

    found: list[dict[str, Any]] = []

    def add(of: str, name: str, label: Any, now: np.ndarray, before: np.ndarray, share: float, usual: float) -> None:
        low, high = (0.0, 1.0)
        if len(now):
            low, high = binomtest(int(now.sum()), len(now)).proportion_ci(confidence_level, method="exact")
        below, usually = (float(of_some.mean()) if len(of_some) else np.nan for of_some in (now, before))
        row = {"of": of, "name": name, "class": label, "samples": len(now), "share": share, "usual share": usual}
        row |= {"below": below, "low": low, "high": high, "usual below": usually}
        p = _p_value(int(now.sum()), len(now), int(before.sum()), len(before))
        if of == "prototype":  # its share of the samples counts as well
            p = min(1.0, 2.0 * min(p, _p_value(len(now), len(is_low), len(before), len(was_low))))
        found.append(row | {"p": p})

    add("all", "", None, is_low, was_low, 1.0, 1.0)
    for place, (row, code) in enumerate(zip(new.rows, new.labels, strict=True)):
        now, before = new.nearest == place, usual.nearest == place
        add(
            "prototype",
            f"row {row}",
            classifier.classes_[code],
            is_low[now],
            was_low[before],
            now.mean(),
            before.mean(),
        )
    for d, of_new, of_usual in zip(model.active_features(), new.by_feature, usual.by_feature, strict=True):
        limit = np.quantile(of_usual, level, method="weibull")
        add("feature", names[d], None, of_new < limit, of_usual < limit, 1.0, 1.0)
    frame = pd.DataFrame(found)
    classes = pd.Series([row["class"] for row in found], dtype=object)  # else whole numbers become fractions
    return frame.assign(**{"class": classes, "differs": frame["p"] * len(frame) <= 1.0 - confidence_level})


def _p_value(now: int, of_now: int, before: int, of_before: int) -> float:
    """P-value of Fisher's exact test whether two shares are the same."""
    return float(fisher_exact([[now, of_now - now], [before, of_before - before]]).pvalue)


class _Familiarity:
    """Familiarity of samples, by prototype and by feature.

    Attributes
    ----------
    total : ndarray, shape (N,)
    nearest : ndarray of int, shape (N,)
        Which prototype contributes most, over all batches; -1 for samples so far away that none contributes.
    by_feature : ndarray, shape (A, N)
    rows, labels : ndarray of int, shape (J,)
        Of the prototypes.
    """

    def __init__(self, model: Model, X: np.ndarray, own: np.ndarray):
        """`own`, shape (N,): the row that each sample is, which is left out; -1 for none."""
        features, prototypes = model.active_features(), model.prototypes
        self.rows, self.labels, weights = prototypes.rows, prototypes.labels, prototypes.weights
        self.total, self.nearest = np.zeros(len(X)), np.full(len(X), -1)
        self.by_feature = np.zeros((len(features), len(X)))
        step = max(1, ENTRIES // max(1, len(features) * len(weights)))
        for first in range(0, len(X) if len(weights) else 0, step):
            rows = slice(first, first + step)
            by_feature = exponents(model, X[rows], features)
            counted = np.where(own[rows, None] == self.rows, 0.0, weights)
            contributions = np.exp(-0.5 * by_feature.sum(axis=0)) * counted
            self.total[rows] = contributions.sum(axis=1)
            self.nearest[rows] = np.where(self.total[rows] > 0.0, contributions.argmax(axis=1), -1)
            self.by_feature[:, rows] = (np.exp(-0.5 * by_feature) * counted).sum(axis=2)
