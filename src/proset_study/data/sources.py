"""Where data sets come from: generated, shipped with scikit-learn, or a custom table."""

from dataclasses import replace
from importlib import import_module

import numpy as np

from proset_study.base.seeds import generator
from proset_study.data import generators
from proset_study.data.dataset import DataSet, MissingValues
from proset_study.data.metrics import PRECOMPUTED

# By the key in the config: the module whose `make` takes the entry of the config. Modules are imported when they are
# called for, so that nothing counts for a data set but its own source: pandas only for custom tables.
TABLES = {"sklearn": "bundled", "file": "custom"}
MATRICES = "custom_matrix"  # in place of the last one


def source_of(settings: dict) -> str:
    """Name of the module of this package that makes the data set of an entry of the config's `data_sets`."""
    if "generator" in settings:
        return f"generators.{settings['generator']}"
    if settings.get("metric") == PRECOMPUTED:
        return MATRICES
    return next(module for key, module in TABLES.items() if key in settings)


def random_numbers(seed: int, name: str, replicate: int) -> np.random.Generator:
    """What a data set is drawn from; parameters as in `make`."""
    return generator(seed, "data", name, replicate)


def make(settings: dict, seed: int, name: str, replicate: int) -> DataSet:
    """Make or load one data set by its entry of the config's `data_sets`; the others key the random numbers.

    With `published_draw`, data and test part are a published random split, drawn as the published study did: from
    NumPy's legacy generator, first the features, then a split that is not stratified. They are the same in every
    replicate, as are real data. MissingValues if a table lacks values and nothing says how they are filled in,
    ValueError if its file is wrong in another way.

    >>> make({"generator": "xor", "features": 2}, seed=0, name="xor_2f", replicate=0).X.shape
    (400, 2)
    """
    published = settings.get("published_draw")
    if published is None:
        try:
            data = _make(settings, random_numbers(seed, name, replicate))
            return some_rows(data, settings["rows"], generator(seed, "rows", name)) if "rows" in settings else data
        except MissingValues as error:
            raise MissingValues(f"data_sets.{name}: {error}") from error
        except ValueError as error:
            raise ValueError(f"data_sets.{name}: {error}") from error
    from sklearn.model_selection import train_test_split

    rng = np.random.RandomState(published["seed"])
    data = _make(settings, rng)
    rows = np.arange(len(data.y))
    _, test = train_test_split(rows, test_size=published["test_fraction"], random_state=rng)
    return replace(data, test=np.isin(rows, test))


def some_rows(data: DataSet, n: int, rng: np.random.Generator) -> DataSet:
    """Draw at most n rows and keep their order; a group is taken as a whole or not.

    ValueError if that leaves a class without a sample, or either part, if there is a test part.
    """
    _, group = np.unique(np.arange(len(data.y)) if data.group is None else data.group, return_inverse=True)
    turn = rng.permutation(group.max() + 1)[group]  # in which the group of each row is drawn
    rows_by_turn = np.bincount(turn).cumsum()
    taken = data.take(np.flatnonzero(rows_by_turn[turn] <= n))
    parts = [taken.y] if taken.test is None else [taken.y[taken.test], taken.y[~taken.test]]
    for y in parts:
        if len(absent := np.setdiff1d(data.y, y)):
            raise ValueError(
                f"rows: {n} is not allowed, with so few class {str(data.class_names[absent[0]])!r} has no sample"
            )
    return taken


def _make(settings, rng) -> DataSet:
    if (generated := generators.of(settings)) is not None:
        return generated.draw(rng)
    read = {key: value for key, value in settings.items() if key not in ("image", "published_draw", "rows")}
    data: DataSet = import_module(f"proset_study.data.{source_of(settings)}").make(**read)
    return data
