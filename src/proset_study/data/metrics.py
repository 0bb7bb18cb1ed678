"""By what samples are compared: names of metrics, and files of stored dissimilarities; it imports nothing large.

A metric is one of `VECTORS`, which SciPy computes from features as they are fitted; or it names dissimilarities that
are computed once for a data set and stored (`data.matrix`). "rank" and "rank_<metric>" are the ranks of those of
another one among the samples that are fitted.
"""

from pathlib import Path

EUCLIDEAN, PRECOMPUTED, RANK = "euclidean", "precomputed", "rank"
VECTORS = (  # of SciPy, without the ones scaled by statistics of the two tables they are called with
    *(EUCLIDEAN, "manhattan", "braycurtis", "canberra", "chebyshev", "cityblock", "correlation", "cosine", "dice"),
    *("hamming", "jaccard", "jensenshannon", "minkowski", "rogerstanimoto", "russellrao", "sokalsneath", "sqeuclidean"),
    "yule",
)


def is_ranked(metric: str) -> bool:
    """Whether dissimilarities are replaced by their ranks."""
    return metric == RANK or metric.startswith(f"{RANK}_")


def base_metric(metric: str) -> str:
    """What is ranked, or the metric itself.

    >>> base_metric("rank_tangent"), base_metric("rank"), base_metric("manhattan")
    ('tangent', 'euclidean', 'manhattan')
    """
    return (metric.removeprefix(RANK).removeprefix("_") or EUCLIDEAN) if is_ranked(metric) else metric


def stored_metric(metric: str) -> str | None:
    """The metric whose dissimilarities are read from a file; None if features are compared."""
    base = base_metric(metric)
    return None if base in VECTORS else base


def compares_features(metric: str) -> bool:
    """Whether fits get features, and no dissimilarities."""
    return metric in VECTORS


def matrix_file(data_file: str | Path, metric: str) -> Path:
    """The file with the dissimilarities of a data set by a stored metric, next to the data set itself."""
    return Path(data_file).with_name(f"dissimilarities_{metric}.npy")
