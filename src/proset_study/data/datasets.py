"""The data sets: generated, shipped with scikit-learn, or the user's own file."""

import math
from dataclasses import dataclass, fields, replace
from pathlib import Path

import numpy as np

from proset.archive import read_archive, write_archive
from proset_study.data.encoding import with_codes
from proset_study.data.table_file import read_columns
from proset_study.records import check_place, damaged, place
from proset_study.seeds import generator


@dataclass(frozen=True)
class DataSet:
    """Features, class indices and names.

    Attributes
    ----------
    X : ndarray of float64, shape (N, D)
        With categories, their codes, and NaN where a value is missing; `encoding.Encoder` makes features of it.
    y : ndarray of int, shape (N,)
        Class indices 0..K-1.
    feature_names : ndarray of str, shape (D,)
    class_names : ndarray of str, shape (K,)
    sample_weight : ndarray of float64, shape (N,), or None
    test : ndarray of bool, shape (N,), or None
        The test part, if the data set comes with one.
    group : ndarray of int, shape (N,), or None
        Rows of the same group are kept together by the split.
    categories : ndarray of str, shape (C,), or None
        The category of each code, if some columns hold categories.
    category_column : ndarray of int, shape (C,), or None
        The column of `X` that each code is from.
    impute : str or None
        How missing values are filled in, a strategy of scikit-learn's SimpleImputer.
    """

    X: np.ndarray
    y: np.ndarray
    feature_names: np.ndarray
    class_names: np.ndarray
    sample_weight: np.ndarray | None = None
    test: np.ndarray | None = None
    group: np.ndarray | None = None
    categories: np.ndarray | None = None
    category_column: np.ndarray | None = None
    impute: str | None = None

    @property
    def is_encoded(self) -> bool:
        """Whether features are made of the columns in every fold."""
        return self.categories is not None or self.impute is not None

    @property
    def n_features(self) -> int:
        """Number of features, all categories counted; a part of the rows may have fewer of them."""
        if self.categories is None:
            return self.X.shape[1]
        return self.X.shape[1] - len(np.unique(self.category_column)) + len(self.categories)

    def save(self, path: str | Path) -> None:
        """Write as .npz, atomically."""
        arrays = {field.name: getattr(self, field.name) for field in fields(self)}
        header = {"content": "data set", "place": place(path)}
        write_archive(path, header, {k: np.asarray(v) for k, v in arrays.items() if v is not None})

    @classmethod
    def load(cls, path: str | Path) -> "DataSet":
        """Read what `save` wrote; ValueError if the file is damaged."""
        try:
            header, arrays = read_archive(path)
            check_place(path, header)
            if "impute" in arrays:
                arrays["impute"] = str(arrays["impute"])
            return cls(**arrays)
        except (TypeError, ValueError) as error:
            raise damaged(path, error) from error

    def take(self, rows: np.ndarray) -> "DataSet":
        """The data set of some rows, which may be repeated."""
        by_row = {name: getattr(self, name) for name in ("X", "y", "sample_weight", "test", "group")}
        return replace(self, **{name: None if values is None else values[rows] for name, values in by_row.items()})


def make(settings: dict, seed: int, name: str, replicate: int) -> DataSet:
    """Make or load one data set.

    Parameters
    ----------
    settings : dict
        The entry of the config's `data_sets`: `generator`, `sklearn` or `file` says which kind it is. With
        `published_draw`, data and test part are drawn as the published study did: from NumPy's legacy generator,
        first the features, then a split that is not stratified. They are the same in every replicate.
    seed, name, replicate
        Key of the random numbers; real data are the same in every replicate.

    Returns
    -------
    DataSet

    Raises
    ------
    ValueError
        Says what is wrong with the user's file.
    """
    settings = dict(settings)
    published = settings.pop("published_draw", None)
    if published is None:
        try:
            return _made(settings, generator(seed, "data", name, replicate))
        except ValueError as error:
            raise ValueError(f"data_sets.{name}: {error}") from error
    from sklearn.model_selection import train_test_split

    rng = np.random.RandomState(published["seed"])
    data = _made(settings, rng)
    rows = np.arange(len(data.y))
    _, test = train_test_split(rows, test_size=published["test_fraction"], random_state=rng)
    return replace(data, test=np.isin(rows, test))


def _made(settings, rng):
    if "generator" in settings:
        kind = settings.pop("generator")
        return _GENERATORS[kind](rng=rng, **settings)
    if "sklearn" in settings:
        return from_sklearn(settings["sklearn"], settings.get("features"))
    return from_file(**settings)


def checker(
    rng: np.random.Generator | np.random.RandomState,
    squares: int = 8,
    samples_per_square: int = 100,
    angle: float = 0.0,
) -> DataSet:
    """Checkerboard on the unit square, turned about its centre.

    Parameters
    ----------
    rng : numpy.random.Generator or RandomState
    squares : int >= 1
        Per side.
    samples_per_square : int >= 1
        On average.
    angle : float
        Degrees, counter-clockwise.
    """
    points = rng.random((squares**2 * samples_per_square, 2))
    y = np.floor(squares * points).astype(int).sum(axis=1) % 2
    turn = math.radians(angle)
    rotation = np.array([[math.cos(turn), math.sin(turn)], [-math.sin(turn), math.cos(turn)]])
    X = points if angle == 0 else (points - 0.5) @ rotation + 0.5
    return DataSet(X, y, _numbered("x", 2), np.array(["0", "1"]))


def xor(
    rng: np.random.Generator | np.random.RandomState, features: int, samples_per_orthant: int = 100, irrelevant: int = 0
) -> DataSet:
    """Continuous XOR: uniform on [-1, 1]^n, class 1 where the product of the relevant features is >= 0.

    Parameters
    ----------
    rng : numpy.random.Generator or RandomState
    features : int >= 1
        Relevant features n.
    samples_per_orthant : int >= 1
        On average, over the orthants of the relevant features.
    irrelevant : int >= 0
        Further features of the same distribution without influence.
    """
    X = rng.uniform(-1.0, 1.0, (2**features * samples_per_orthant, features + irrelevant))
    y = (X[:, :features].prod(axis=1) >= 0).astype(int)
    return DataSet(X, y, _numbered("x", features + irrelevant), np.array(["0", "1"]))


def mixture(
    rng: np.random.Generator, samples_per_class: int = 300, components: int = 10, means_seed: int = 0
) -> DataSet:
    """Three classes in the plane, each a mixture of Gaussians of equal shares.

    Bien and Tibshirani (2011, section 6.1) take such data with 10 components and print no other number; ours are those
    of the two-class example of Hastie, Tibshirani and Friedman (2009, section 2.3.3): means of components spread
    around the centre of their class with covariance I, samples around these means with covariance I / 5, centres of
    classes sqrt(2) apart. The means are a part of what the data set is: they are the same in every replicate and
    study, only the samples are drawn anew.

    Parameters
    ----------
    rng : numpy.random.Generator
        For the samples.
    samples_per_class : int >= 1
    components : int >= 1
        Per class.
    means_seed : int >= 0
        Of the means.
    """
    means = mixture_means(components, means_seed)
    drawn = means[np.arange(3)[:, None], rng.integers(components, size=(3, samples_per_class))]
    X = drawn.reshape(-1, 2) + rng.normal(scale=_MIXTURE_DEVIATION, size=(3 * samples_per_class, 2))
    return DataSet(X, np.repeat(np.arange(3), samples_per_class), _numbered("x", 2), np.array(["0", "1", "2"]))


def mixture_means(components: int, means_seed: int) -> np.ndarray:
    """Means of the components of `mixture`, shape (3, components, 2)."""
    angle = 2 * np.pi * np.arange(3) / 3
    centres = math.sqrt(2 / 3) * np.column_stack([np.cos(angle), np.sin(angle)])
    return centres[:, None] + generator(means_seed, "means").normal(size=(3, components, 2))


def mixture_probabilities(X: np.ndarray, components: int = 10, means_seed: int = 0) -> np.ndarray:
    """Class probabilities of points of `mixture`, shape (N, 3)."""
    squares = ((X[:, None, None] - mixture_means(components, means_seed)) ** 2).sum(axis=3)
    densities = np.exp(-squares / 2 / _MIXTURE_DEVIATION**2).sum(axis=2)
    return densities / densities.sum(axis=1, keepdims=True)


def mixture_bayes_error(components: int = 10, means_seed: int = 0, spacing: float = 0.02) -> float:
    """Smallest error rate that is possible on `mixture`, from its densities on a grid; right to four decimals."""
    means = mixture_means(components, means_seed)
    low, high = means.min(axis=(0, 1)) - 4, means.max(axis=(0, 1)) + 4  # nine deviations
    axes = [np.arange(a, b, spacing) for a, b in zip(low, high, strict=True)]
    # A component's density is the product of one factor for x1 and one for x2.
    x1, x2 = (np.exp(-0.5 * ((axis - means[..., d, None]) / _MIXTURE_DEVIATION) ** 2) for d, axis in enumerate(axes))
    densities = np.einsum("kci,kcj->kij", x1, x2) / (components * 2 * np.pi * _MIXTURE_DEVIATION**2)
    return float(1 - densities.max(axis=0).sum() * spacing**2 / 3)


_MIXTURE_DEVIATION = math.sqrt(1 / 5)
_GENERATORS = {"checker": checker, "xor": xor, "mixture": mixture}


def from_sklearn(name: str, features: list[int] | None = None) -> DataSet:
    """A data set that ships with scikit-learn: iris, wine, breast_cancer or digits; optionally some of its columns."""
    from sklearn import datasets

    bunch = getattr(datasets, f"load_{name}")()
    columns = list(range(bunch.data.shape[1])) if features is None else features
    return DataSet(
        X=np.ascontiguousarray(bunch.data[:, columns], dtype=np.float64),
        y=bunch.target.astype(int),
        feature_names=np.array(bunch.feature_names, dtype=str)[columns],
        class_names=np.array(bunch.target_names, dtype=str),
    )


def from_file(
    file: str,
    target: str,
    drop: list[str] | None = None,
    weight: str | None = None,
    group: str | None = None,
    categorical: list[str] | None = None,
    impute: str | None = None,
    sep: str = ",",
    decimal: str = ".",
) -> DataSet:
    """The user's own table: all columns but the named ones are numeric features.

    Parameters
    ----------
    file : str
        A .csv or .parquet file.
    target : str
        Column with the class labels.
    drop : list of str, optional
        Columns to leave out.
    weight : str, optional
        Column with non-negative sample weights.
    group : str, optional
        Column that is the same in rows which belong together.
    categorical : list of str, optional
        Features that are categories.
    impute : {"median", "mean", "most_frequent"}, optional
        How missing values of features are filled in; without it they are refused.
    sep, decimal : str, optional
        What is between the fields of a .csv file, and its decimal mark.

    Raises
    ------
    ValueError
        Says what is wrong with the file; see `own_file.read_columns`.
    """
    columns = read_columns(file, target, drop or [], weight, group, categorical or [], impute, sep, decimal)
    categories = category_column = None
    if categorical:
        X, categories, category_column = with_codes(columns.features, categorical, impute)
    elif impute:
        X = columns.features.to_numpy(dtype=np.float64, na_value=np.nan)
    else:
        X = columns.features.to_numpy(dtype=np.float64)
    class_names, y = np.unique(columns.labels, return_inverse=True)
    return DataSet(
        X=X,
        y=y.astype(int),
        feature_names=np.array(columns.features.columns, dtype=str),
        class_names=class_names.astype(str),
        sample_weight=None if columns.weights is None else columns.weights.to_numpy(dtype=np.float64),
        group=None if columns.groups is None else columns.groups.factorize()[0].astype(int),
        categories=categories,
        category_column=category_column,
        impute=impute,
    )


def _numbered(prefix, n):
    return np.array([f"{prefix}{i}" for i in range(1, n + 1)])
