"""A battery with made-up losses, sources and properties, without a study."""

import numpy as np

from proset_study.report.analysis.battery import PROPERTIES, Battery, Table
from proset_study.report.analysis.over_data_sets import Omnibus, OverDataSets, Pair
from proset_study.report.analysis.statistics import DECIMALS, holm, signed_rank

METHODS = ("proset", "knn", "xgboost", "logistic_regression", "random_forest")


def made_up(losses, methods=METHODS, sources=None, name="all", **properties):
    """A battery of given log-losses, shape (N, k); data sets of the same source have the same text in `sources`.

    Properties that are not given do not vary. Pairs of methods are those with the first one.
    """
    losses = np.round(np.asarray(losses, dtype=float), DECIMALS)  # as those of records
    n, k = losses.shape
    sources = [f"{i}.csv" for i in range(n)] if sources is None else sources
    data_sets, methods, names = [f"d{i:02}" for i in range(n)], list(methods[:k]), (name, "log-loss", "all")
    test = Omnibus(*names, k, n, "1", "", "", len(set(sources)))
    differences = [losses[:, 0] - losses[:, j] for j in range(1, k)]
    pairs = [
        Pair(
            *(*names, methods[0], rival, n, int((d < 0).sum()), int((d == 0).sum()), int((d > 0).sum())),
            median_difference=float(np.median(d)),
            holm_p_control=p,
        )
        for rival, d, p in zip(methods[1:], differences, holm([signed_rank(d) for d in differences]), strict=True)
    ]
    tables = [
        Table(
            *(name, data_set, source),
            **{key: float(properties[key][i]) if key in properties else 2.0 for key in PROPERTIES},
            noise_from="best method",
        )
        for i, (data_set, source) in enumerate(zip(data_sets, sources, strict=True))
    ]
    return Battery(OverDataSets(*names, "All methods", methods, data_sets, losses, test, [], pairs), tables)
