"""Tables as people have them: either they work, or a sentence says what to do."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from proset import ProsetClassifier, ProsetClassifierCV, SetCoverClassifier, load_model, save_model

N = 120


def people(seed=0):
    """Numbers, text, booleans and ordered categories; who is old or a smith says yes."""
    rng = np.random.default_rng(seed)
    grades = pd.Categorical(rng.choice(["low", "mid", "high"], N), categories=["low", "mid", "high"], ordered=True)
    frame = pd.DataFrame(
        {
            "age": rng.normal(40, 10, N),
            "job": rng.choice(["cook", "nurse", "smith"], N),
            "member": rng.random(N) < 0.5,
            "grade": grades,
        }
    )
    return frame, np.where((frame["age"] > 40) | (frame["job"] == "smith"), "yes", "no")


def fitted(X, y, **parameters):
    """A small model, with every warning an error."""
    with warnings.catch_warnings(action="error"):
        return ProsetClassifier(lambda_v=0.003, lambda_w=1e-4, max_prototypes=10, **parameters).fit(X, y)


def refused(X, y=None, **parameters):
    """The one line that a fit ends with."""
    with pytest.raises((TypeError, ValueError)) as error:
        fitted(X, people()[1] if y is None else y, **parameters)
    return str(error.value)


def test_mixed_types():
    X, y = people()
    model = fitted(X, y)
    assert model.score(X, y) > 0.9
    assert model.categories_ == [None, ["cook", "nurse", "smith"], [False, True], ["low", "mid", "high"]]
    assert model.feature_names_in_.tolist() == ["age", "job", "member", "grade"]
    assert set(model.active_features_) == {0, 1}
    X.loc[0, ["age", "job"]] = [np.nan, "dancer"]  # a gap and a category that were not there
    assert np.isfinite(model.predict_proba(X[:1])).all()
    described = model.explain(X[:1], top=2)
    assert described["value of job"][0] == "(not in the training data)"
    assert set(model.export()["value of job"].dropna()) <= {"cook", "nurse", "smith"}


def test_gaps_everywhere():
    X, y = people()
    X = X.mask(np.random.default_rng(1).random(X.shape) < 0.4).astype({"job": object})
    model = fitted(X, y)
    assert model.score(X, y) > 0.7
    assert model.categories_[1] == ["cook", "nurse", "smith", None]
    nothing = pd.DataFrame({name: pd.Series([None], dtype=X[name].dtype) for name in X})
    assert np.isfinite(model.predict_proba(nothing)).all()


def test_columns_of_one_value_and_empty_ones_do_not_count():
    X, y = people()
    more = X.assign(one="same", zero=0.0, empty=np.nan, nothing=None)
    model = fitted(more, y)
    assert set(model.active_features_) == {0, 1}
    assert model.score(more, y) > 0.9


def test_names_of_rows():
    X, y = people()
    X["name"] = [f"person {row}" for row in range(N)]
    with pytest.warns(UserWarning, match=r"column 'name' has 120 categories in 120 rows; .* leave it out"):
        model = ProsetClassifier(lambda_v=0.01, lambda_w=1e-4, max_prototypes=10).fit(X, y)
    assert 4 not in model.active_features_


def test_three_hundred_levels():
    rng = np.random.default_rng(2)
    level = rng.integers(0, 300, 3000)
    X = pd.DataFrame({"place": pd.Categorical(np.char.add("place ", level.astype(str))), "x": rng.normal(size=3000)})
    y = (level < 100) ^ (rng.random(3000) < 0.05)
    model = ProsetClassifier(lambda_v=1e-3, lambda_w=1e-5, max_prototypes=None).fit(X[:2500], y[:2500])
    assert len(model.categories_[0]) == 300
    assert model.score(X[2500:], y[2500:]) > 0.9


def test_wrong_types_in_one_row():
    X, y = people()
    X["age"] = X["age"].astype(object)
    X.loc[17, "age"] = "forty"
    assert "text ('forty' in row 17)" in refused(X, y)
    X.loc[17, "age"] = np.nan
    assert fitted(X, y).categories_[0] is None


def test_numbers_as_strings():
    X, y = people()
    X["age"] = X["age"].round(1).astype(str)
    with pytest.warns(UserWarning, match=r"column 'age' has \d+ numbers as text, .* pd.to_numeric\(X\['age'\]\)"):
        ProsetClassifier(max_prototypes=5, lambda_v=0.01, lambda_w=1e-4).fit(X, y)
    model = fitted(X.assign(age=pd.to_numeric(X["age"])), y)
    for other in ([0, 1], ["", "k"]):  # the first of them is nothing to Python
        categories = pd.Categorical([other[i % 2] for i in range(len(X))], other)
        with pytest.raises(ValueError, match=rf"column 'age' had numbers in fit, now it has {other[0]!r}"):
            model.predict(X.assign(age=categories))
    with pytest.raises(ValueError, match=r"column 'age' had numbers in fit, now it has '"):
        model.predict(X)
    codes = X.assign(age=(np.arange(N) % 5).astype(str))
    with pytest.raises(ValueError, match=r"column 'age' had text in fit, such as '0', now it has numbers, such as 0"):
        fitted(codes, y).predict(codes.assign(age=np.arange(N) % 5))


@pytest.mark.parametrize("dtype", [object, "boolean"])
def test_booleans_with_gaps(dtype):
    X, y = people()
    X["member"] = pd.array(np.where(np.arange(N) % 3 == 0, None, X["member"]), dtype=dtype)
    assert fitted(X, y).categories_[2] == [False, True, None]


def test_an_index_that_is_not_a_range():
    X, y = people()
    expected = fitted(X, y)
    moved = X.set_axis([f"row {row}" for row in range(N)])
    model = fitted(moved, y)
    np.testing.assert_array_equal(model.predict_proba(moved), expected.predict_proba(X))
    assert model.explain(moved[3:4])["sample"][0] == "row 3"
    assert model.batches_[0].sample_index.max() < N


@pytest.mark.parametrize("kind", [pl.from_pandas, pa.Table.from_pandas], ids=["polars", "Arrow"])
def test_frames_of_others_give_the_same(kind):
    X, y = people()
    X["age"] = X["age"].mask(np.arange(N) % 4 == 0)
    X["grade"] = X["grade"].astype(str)
    model, other = fitted(X, y), fitted(kind(X), y)
    np.testing.assert_array_equal(other.predict_proba(kind(X)), model.predict_proba(X))
    np.testing.assert_array_equal(model.predict_proba(kind(X)), model.predict_proba(X))
    assert other.feature_names_in_.tolist() == list(X)


def test_polars_ranks_and_categories():
    X, y = people()
    frame = pl.DataFrame({"age": X["age"].to_numpy(), "grade": X["grade"].astype(str).to_list()})
    ordered = frame.with_columns(pl.col("grade").cast(pl.Enum(["low", "mid", "high"])))
    assert fitted(ordered, y).categories_ == [None, ["low", "mid", "high"]]
    assert fitted(frame.with_columns(pl.col("grade").cast(pl.Categorical)), y).categories_[1] == ["high", "low", "mid"]


def test_lists_and_arrays_of_objects():
    X, y = people()
    rows = X[["age", "job"]].to_numpy().tolist()
    model = fitted(rows, y)
    assert model.categories_ == [None, ["cook", "nurse", "smith"]]
    np.testing.assert_array_equal(model.predict_proba(np.array(rows, dtype=object)), model.predict_proba(rows))


def test_nullable_types():
    X, y = people()
    nullable = X.convert_dtypes()
    nullable.loc[5, "age"] = pd.NA
    plain = X.assign(age=X["age"].mask(X.index == 5))
    np.testing.assert_array_equal(fitted(nullable, y).predict_proba(nullable), fitted(plain, y).predict_proba(plain))


def test_lines_that_make_numbers_of_dates_help():
    X, y = people()
    X["born"] = pd.Timestamp("1980-01-01") + pd.to_timedelta(np.arange(N), unit="D")
    names = {"X": X.copy(), "pd": pd}
    lines = "\n".join(line.strip() for line in refused(X, y).splitlines()[1:])
    exec(lines, names)  # as it says
    assert fitted(names["X"], y).categories_[4] is None
    there = {"X": X.assign(born=X["born"].dt.tz_localize("Asia/Tokyo")), "pd": pd}
    exec(lines, there)
    assert (there["X"]["born"] - names["X"]["born"]).abs().max() < 1 / 365  # of a year
    X["born"] = pd.to_timedelta(np.arange(N), unit="D")
    assert "X['born'].dt.total_seconds()" in refused(X, y)


@pytest.mark.parametrize("chosen", [["job"], [1], [False, True, False], np.array([-2])])
def test_categories_are_named_numbered_or_marked(chosen):
    X, y = people()
    model = fitted(X[["age", "job", "member"]], y, categorical_features=chosen)
    assert model.categories_ == [None, ["cook", "nurse", "smith"], [False, True]]


def test_numbers_can_be_categories():
    X, y = people()
    codes = np.column_stack([X["age"], X["job"].astype("category").cat.codes])
    model = fitted(codes, y, categorical_features=[1])
    assert model.categories_ == [None, [0, 1, 2]]
    named = fitted(X[["age", "job"]], y)
    np.testing.assert_array_equal(model.predict_proba(codes), named.predict_proba(X[["age", "job"]]))


def test_a_number_may_be_missing_where_the_training_data_have_all():
    X, y = people()
    model = fitted(X[["age"]], y)
    gap = X[["age"]].assign(age=X["age"].mask(X.index % 2 == 0))
    p = model.predict_proba(gap)
    np.testing.assert_array_equal(p[1::2], model.predict_proba(X[["age"]])[1::2])  # rows do not depend on each other
    assert np.ptp(p[::2], axis=0).max() == 0.0
    np.testing.assert_array_equal(model.predict_proba(gap[:1]), p[:1])


@pytest.mark.parametrize("metric", ["euclidean", "cityblock"])
def test_set_cover_takes_mixed_tables(metric):
    X, y = people()
    X["age"] = (X["age"].mask(np.arange(N) % 5 == 0) - 40) / 10
    model = SetCoverClassifier(eps=0.8, metric=metric).fit(X, y)
    assert model.score(X, y) > 0.8
    assert model.export()["value of job"].isin(["cook", "nurse", "smith"]).all()
    assert (model.explain(X[:3])["distance"].dropna() >= 0).all()


def test_the_search_takes_mixed_tables():
    X, y = people()
    X["age"] = X["age"].mask(np.arange(N) % 5 == 0)
    search = ProsetClassifierCV(cv=3, lambda_v=[0.003, 0.01], lambda_w=[1e-4], random_state=0).fit(X, y)
    assert search.score(X, y) > 0.8
    assert search.best_estimator_.categories_[1] == ["cook", "nurse", "smith"]


def test_intervals_are_ranks_with_names(tmp_path):
    X, y = people()
    X["band"] = pd.cut(X["age"], 4)
    model = fitted(X[["band", "job"]], y)
    assert model.categories_[0] == [str(band) for band in X["band"].cat.categories]
    save_model(model, tmp_path / "model.npz")
    as_text = X.assign(band=X["band"].cat.rename_categories(str))
    for other in (model, load_model(tmp_path / "model.npz")):
        np.testing.assert_array_equal(
            other.predict_proba(X[["band", "job"]]), model.predict_proba(as_text[["band", "job"]])
        )


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("unit", ["day", "tuple", "infinity"])
def test_categories_that_no_file_can_hold(unit, ordered):
    """Else the model could be fitted, and then neither saved nor exported."""
    X, y = people()
    days = pd.period_range("2026", periods=3)
    levels = {"day": days, "tuple": [(1, 2), (3, 4)], "infinity": [1.0, 2.0, np.inf]}[unit]
    X["when"] = pd.Categorical([levels[i % len(levels)] for i in range(N)], categories=levels, ordered=ordered)
    said = refused(X, y)
    assert "X: column 'when' has " in said
    if unit != "infinity":
        X["when"] = X["when"].cat.rename_categories(str)  # as it says
        assert "X['when'].cat.rename_categories(str)" in said
        assert fitted(X, y).categories_[4] == [str(level) for level in levels]


def test_an_infinite_code_was_not_in_the_training_data():
    X, y = people()
    codes = X["job"].astype("category").cat.codes.astype(float).to_frame("job")
    model = fitted(codes, y, categorical_features=["job"])
    unseen = model.predict_proba(codes[:1].assign(job=7.0))
    np.testing.assert_array_equal(model.predict_proba(codes[:1].assign(job=np.inf)), unseen)


def test_ordered_types_of_arrow_are_ranks():
    X, y = people()
    table = pa.Table.from_pandas(X)
    model, other = fitted(X, y), fitted(table, y)
    assert other.categories_ == model.categories_
    np.testing.assert_array_equal(other.predict_proba(table), model.predict_proba(X))


@pytest.mark.parametrize("kind", [pl.DataFrame, pa.table])
def test_a_column_of_nothing_is_of_missing_numbers(kind):
    X, y = people()
    assert fitted(kind({"age": X["age"].tolist(), "gone": [None] * N}), y).categories_ == [None, None]


@pytest.mark.parametrize("estimator", [ProsetClassifier(), SetCoverClassifier(eps=1)])
def test_arrays_of_dates_and_durations_are_no_numbers(estimator):
    days = np.array("2020-01-01", "M8[D]") + np.arange(60)[:, None]
    y = [0, 1] * 30
    for X in (days, days.astype("M8[ns]"), days.astype(object), days.tolist()):
        with pytest.raises(ValueError, match=r"^X: column .* has dates, which have no distance; convert"):
            estimator.fit(X, y)
    for X in (days - days[0], (days - days[0]).astype(object), pd.DataFrame(days - days[0], dtype=object)):
        with pytest.raises(ValueError, match=r"^X: column .* has durations; convert them to numbers"):
            estimator.fit(X, y)


def test_the_order_of_a_type_of_arrow_in_a_frame_of_pandas_counts():
    codes = pa.array([0, 1, 2] * 20, pa.int8())
    values = pa.DictionaryArray.from_arrays(codes, ["lo", "mid", "hi"], ordered=True)
    y = ([0, 0, 1] * 20)[:60]
    as_arrow = pa.table({"g": values})
    in_pandas = as_arrow.to_pandas(types_mapper=pd.ArrowDtype)
    models = [ProsetClassifier(random_state=0).fit(X, y) for X in (as_arrow, in_pandas, as_arrow.to_pandas())]
    for model in models:
        assert model.categories_ == [["lo", "mid", "hi"]]
        np.testing.assert_array_equal(model.predict_proba(in_pandas), models[0].predict_proba(as_arrow))
