"""The statement of SQL, as SQLite and DuckDB run it."""

import sqlite3

import duckdb
import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from tests.proset.convert import models

from proset import ProsetClassifier, to_sql

DATABASES = ("sqlite", "duckdb")
TABLE, KEY = 'a "table"; --', "it's a key"


def run(database, model, X, *, key=None, **settings):
    """The names of the columns of the result, and its rows; X is an array or a frame."""
    frame = pd.DataFrame(X, columns=[f"x{d}" for d in range(X.shape[1])]) if isinstance(X, np.ndarray) else X
    frame = frame.assign(**{KEY: np.arange(len(frame))[::-1] if key is None else key})
    statement = to_sql(model, TABLE, KEY, **settings)
    if database == "sqlite":
        connection = sqlite3.connect(":memory:")
        frame.to_sql(TABLE, connection, index=False)
    else:
        connection = duckdb.connect()
        connection.register("frame", frame)
        columns = ", ".join('"' + name.replace('"', '""') + '"' for name in frame)
        connection.execute(f"""CREATE TABLE "a ""table""; --" AS SELECT {columns} FROM frame""")
    cursor = connection.execute(statement)
    found = [column[0] for column in cursor.description], cursor.fetchall()
    connection.close()
    return found


def labels_of(classes, rows):
    """Truth values are 0 and 1 in SQLite."""
    return [bool(row[1]) if classes.dtype == bool else row[1] for row in rows]


@pytest.mark.parametrize("database", DATABASES)
@pytest.mark.parametrize("name", [*models.NUMBERS, *models.MIXED])
def test_labels_and_probabilities(database, name):
    model, X = models.named(name)
    columns, rows = run(database, model, X)
    of_classes = [f"probability_{label}" for label in model.classes_] if hasattr(model, "predict_proba") else []
    assert columns == [KEY, "label", *of_classes]
    assert [row[0] for row in rows] == list(range(len(X)))[::-1]
    models.check_predictions(name, labels_of(model.classes_, rows), [row[2:] for row in rows])


@pytest.mark.parametrize("database", DATABASES)
@pytest.mark.parametrize("number", range(models.N_RANDOM))
def test_random_models_say_why(database, number):
    of = models.random_models()[number]
    n, classes = len(of.X), of.model.classes_.tolist()
    _, rows = run(database, of.model, of.X)
    of.check(1e-12, labels_of(of.model.classes_, rows), probabilities=[row[2:] for row in rows])

    for top in (2, None):
        columns, rows = run(database, of.model, of.X, key=np.arange(n), what="explain", top=top)
        assert columns[1:] == ["place", "class", "batch", "row", "weight", "similarity", "share"]
        for i in range(n):
            own = [row[1:] for row in rows if row[0] == i]
            assert [row[1] for row in own if row[0] == 0] == classes
            assert models.largest_difference([row[6] for row in own if row[0] == 0], of.start[i]) < 1e-12
            listed = [row for row in own if row[0]]
            n_listed = min(top or len(of.shares), len(of.shares))
            assert [row[0] for row in listed] == list(range(1, n_listed + 1))
            of.check_explanation(i, [((row[2], row[3]), row[6]) for row in listed], 1e-12)

    columns, rows = run(database, of.model, of.X, key=np.arange(n), what="attributions", background=of.background)
    assert columns[1:] == ["feature", "class", "attribution", "base_value"]
    found, base_values = np.zeros((2, *of.attributions.shape))
    for i, feature, label, value, base_value in rows:
        place = i, list(of.X).index(feature), classes.index(label)
        found[place], base_values[place] = value, base_value
    assert models.largest_difference(found, of.attributions) < 1e-12
    active = [name for d, name in enumerate(of.X) if d in of.classifier.active_features_]
    assert {row[1] for row in rows} == {*active}
    assert models.largest_difference(base_values[:, of.classifier.active_features_[0]], of.base_values) < 1e-12


@pytest.mark.parametrize("database", DATABASES)
def test_shares_of_a_base(database):
    model, X, start, shares = models.with_linear_base()
    _, rows = run(database, model, X)
    assert models.largest_difference([row[2:] for row in rows], model.predict_proba(X)) < 1e-5
    assert [row[1] for row in rows] == model.predict(X).tolist()
    _, rows = run(database, model, X, what="explain")
    found = np.reshape([row[7] for row in rows], (len(X), -1))
    assert models.largest_difference(found, np.hstack([start, shares])) < 1e-5


@pytest.mark.parametrize("database", DATABASES)
def test_a_linear_base_alone(database):
    X, y = load_iris(return_X_y=True)
    model = ProsetClassifier(base=LogisticRegression(max_iter=1000), n_batches=0).fit(X, y)
    _, rows = run(database, model, X)
    assert models.largest_difference([row[2:] for row in rows], model.predict_proba(X)) < 1e-12
    _, rows = run(database, model, X[:2], what="explain")
    assert models.largest_difference([row[7] for row in rows], model.predict_proba(X[:2]).ravel()) < 1e-12


@pytest.mark.parametrize("database", DATABASES)
def test_rows_that_cannot_be_predicted_have_nulls(database):
    model, X, *_ = models.with_linear_base()
    gap = np.where(np.arange(4) == 2, np.nan, X[0])
    _, rows = run(database, model, np.vstack([gap, X[0], [np.inf, *X[0, :3]]]))
    assert [row[0] for row in rows] == [2, 1, 0]
    assert rows[0][1:] == rows[2][1:] == (None,) * 4
    assert rows[1][1] is not None
    model, X = models.of_numbers("no scaler")
    X = np.repeat(X[:1], 3, axis=0)
    X[:, model.active_features_[0]] = [np.nan, np.inf, -np.inf]
    _, rows = run(database, model, X)
    assert models.largest_difference(rows[0][2:], model.predict_proba(X[:1])[0]) < 1e-5
    assert rows[1][1:] == rows[2][1:] == (None,) * 4
    _, rows = run(database, model, X, what="explain")
    assert {row[0] for row in rows} == {2}


@pytest.mark.parametrize("database", DATABASES)
def test_keys_need_not_differ_and_columns_that_do_not_count_need_not_be_there(database):
    model, X = models.one_that_does_not_count()
    _, rows = run(database, model, X[["x in m/s"]], key=[None] * len(X))
    assert labels_of(model.classes_, rows) == model.predict(X).tolist()


def test_a_column_that_is_not_there_is_an_error_in_sqlite():
    """Which takes a name in quotes for text, if it stands alone."""
    model, X = models.of_numbers("no scaler")
    with pytest.raises(sqlite3.OperationalError, match=r"no such column: t\.x2"):
        run("sqlite", model, X[:, :2])


def test_categories_are_compared_by_characters_whatever_the_collation():
    model, X = models.mixed_models()["mixed, complete"]
    frame = X.assign(kind=X["kind"].where(X.index % 2 == 0, X["kind"].str.upper()))
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE t (id, x, kind TEXT COLLATE NOCASE, flag, grade, place, code)")
    frame.assign(id=range(len(frame))).to_sql("t", connection, index=False, if_exists="append")
    rows = connection.execute(to_sql(model, "t", "id")).fetchall()
    assert models.largest_difference([row[2:] for row in rows], models.exact_probabilities(model, frame)) < 1e-12
    connection.close()
