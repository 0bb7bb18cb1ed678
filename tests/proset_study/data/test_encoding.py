"""Categories and missing values of a custom table, from the file to what a stored model predicts."""

import numpy as np
import pandas as pd
import pytest

from proset_study.data.categories import read_rows
from proset_study.data.encoding import Encoder, Recoder
from proset_study.data.splits import TEST, select_fold
from proset_study.data.splitting import split
from proset_study.fits.final import fit_final, read_model, rounded
from proset_study.fits.search import Case, run_paths, run_trials

COLOURS = ["red", "größer", "red", None, "blue", "red", "größer", "blue"]
SIZES = [1.0, 2.0, None, 4.0, 5.0, 6.0, 7.0, 80.0]


def table(n=1):
    return pd.DataFrame({"size": SIZES * n, "colour": COLOURS * n, "kind": list("xyxyxyxy") * n})


@pytest.mark.parametrize(
    ("impute", "size", "colour", "names"),
    [
        ("median", 5.0, "(missing)", ["size", "colour=blue", "colour=größer", "colour=red", "colour=(missing)"]),
        ("mean", 15.0, "(missing)", ["size", "colour=blue", "colour=größer", "colour=red", "colour=(missing)"]),
        ("most_frequent", 1.0, "red", ["size", "colour=blue", "colour=größer", "colour=red"]),
    ],
)
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_features_by_hand(tmp_path, impute, size, colour, names, suffix, custom):
    data = custom(tmp_path / f"own.{suffix}", table(), categorical=["colour"], impute=impute)
    encoder = Encoder.fit(data.X, data)
    assert encoder.feature_names.tolist() == names
    assert data.n_features == len(names)
    features = encoder.transform(data.X)
    expected = np.array([[float(f"colour={c or colour}" == name) for name in names] for c in COLOURS])
    expected[:, 0] = [size if s is None else s for s in SIZES]
    np.testing.assert_array_equal(features, expected)
    np.testing.assert_array_equal(encoder.transform(read_rows(encoder, table()[["colour", "kind", "size"]])), expected)


def test_what_is_left_out_changes_nothing_that_is_fitted(tmp_path, custom):
    frame = table(10)
    folds = np.repeat([0, 1, 2, TEST], 20)
    outside = np.isin(folds, [1, TEST])
    changed = frame.copy()
    changed.loc[outside, "size"] = changed.loc[outside, "size"].fillna(3.0) * 1e6
    changed.loc[outside, "colour"] = "never seen"
    for impute in ("median", "mean", "most_frequent"):
        fold_data, other = (
            select_fold(custom(tmp_path / "own.csv", f, categorical=["colour"], impute=impute), folds, 1, scaled=True)
            for f in (frame, changed)
        )
        np.testing.assert_array_equal(fold_data.X, other.X)
        assert fold_data.encoder.feature_names.tolist() == other.encoder.feature_names.tolist()
        one_hot = ~fold_data.encoder.is_number
        assert set(fold_data.X[:, one_hot].ravel()) == {0.0, 1.0}  # not scaled
        np.testing.assert_allclose(fold_data.X[:, ~one_hot].std(axis=0), 1.0)
        assert (other.X_score[:, one_hot] == 0).all()  # an unknown category


def test_a_model_without_imputer_refuses_missing_values(tmp_path, custom):
    frame = table(15).dropna()
    data = custom(tmp_path / "own.csv", frame, categorical=["colour"])
    case = Case(0, 0, "own", "E", "knn")
    fit_final(data, split(data.y, 3, 0.3, 0), {}, 2, case, tmp_path / "m.npz")
    model = read_model(tmp_path / "m.npz")
    with pytest.raises(ValueError, match="column 'size', row 3 has no value, and nothing is imputed"):
        model.predict_proba(read_rows(model.encoder, table()))


def test_a_search_does_not_depend_on_the_rows_left_out_for_the_test(tmp_path, custom):
    frame = table(15)
    data = custom(tmp_path / "own.csv", frame, categorical=["colour"], impute="mean")
    folds = split(data.y, 3, 0.3, 0)
    frame.loc[folds == TEST, ["size", "colour"]] = [1e6, "other"]
    other = custom(tmp_path / "own.csv", frame, categorical=["colour"], impute="mean")
    case, settings = Case(0, 0, "own", "E", "knn"), {"space": {}, "parameters": {}}

    def losses(data, name):
        stage1 = run_trials(data, folds, 1, range(1), {**settings, "complexity": 1}, case, tmp_path / name, [])
        stage2 = run_paths(data, folds, range(3), {**settings, "complexity": 2}, {}, case, tmp_path / f"{name}2", [])
        return [record["log_loss"] for record in (*stage1, *stage2)]

    assert losses(data, "a") == losses(other, "b")


GAP = float("nan")


@pytest.mark.parametrize("impute", [None, "median", "most_frequent"])
def test_a_table_as_it_is(tmp_path, impute, custom):
    """Whatever is imputed for other methods: categories by number, sorted, a missing one last, numbers as they are."""
    data = custom(tmp_path / "own.csv", table(), categorical=["colour"], impute=impute, gaps=impute is None)
    recoder = Recoder.fit(data.X, data)
    assert recoder.feature_names.tolist() == ["size", "colour"]
    assert recoder.n_levels.tolist() == [0, 4]
    number = {"blue": 0.0, "größer": 1.0, "red": 2.0, None: 3.0}
    expected = np.column_stack([[GAP if s is None else s for s in SIZES], [number[c] for c in COLOURS]])
    np.testing.assert_array_equal(recoder.transform(data.X), expected)
    np.testing.assert_array_equal(recoder.transform(read_rows(recoder, table()[["colour", "kind", "size"]])), expected)
    assert recoder.decode(expected)[:, 1].tolist() == [c or "(missing)" for c in COLOURS]
    again = Encoder.pop_from(recoder.arrays())
    assert type(again) is Recoder
    np.testing.assert_array_equal(again.transform(data.X), expected)


def test_categories_that_the_fitted_rows_lack_are_another_one(tmp_path, custom):
    frame = table(10)
    folds = np.repeat([0, 1, 2, TEST], 20)
    outside = np.isin(folds, [1, TEST])
    frame.loc[~outside, "colour"] = frame.loc[~outside, "colour"].fillna("red")
    changed = frame.copy()
    changed.loc[outside, ["size", "colour"]] = [1e6, "never seen"]
    fold_data, other = (
        select_fold(custom(tmp_path / "own.csv", f, categorical=["colour"], gaps=True), folds, 1, True, mixed=True)
        for f in (frame, changed)
    )
    np.testing.assert_array_equal(fold_data.X, other.X)
    assert fold_data.levels.tolist() == [0, 3]
    assert set(fold_data.X[:, 1]) == {0.0, 1.0, 2.0}  # not scaled
    assert set(fold_data.X_score[:, 1]) == {0.0, 1.0, 2.0, 3.0}  # the last is missing, and no fitted row lacks it
    assert set(other.X_score[:, 1]) == {3.0}
    size = fold_data.X[:, 0]
    assert np.isnan(size).any()
    np.testing.assert_allclose([np.nanmean(size), np.nanstd(size)], [0.0, 1.0], atol=1e-12)


def test_plain_numbers_are_the_same_for_all_methods(tmp_path, rng, custom):
    frame = pd.DataFrame({"a": rng.normal(size=40), "b": rng.normal(size=40), "kind": list("xy") * 20})
    for settings in ({}, {"impute": "median"}, {"gaps": True}):
        data = custom(tmp_path / "own.csv", frame, **settings)
        folds = split(data.y, 3, 0.3, 0)
        plain, mixed = (select_fold(data, folds, 0, True, mixed=m) for m in (False, True))
        assert mixed.levels is None
        for name in ("X", "X_score", "centre", "scale"):
            assert getattr(plain, name).tobytes() == getattr(mixed, name).tobytes()


def test_methods_that_need_numbers_refuse_gaps_that_nothing_fills(tmp_path, custom):
    data = custom(tmp_path / "own.csv", table(5)[["size", "kind"]], gaps=True)
    folds = split(data.y, 3, 0.3, 0)
    with pytest.raises(ValueError, match="column 'size' has missing values, which need impute in the entry of the"):
        select_fold(data, folds, 0, scaled=True)
    assert np.isnan(select_fold(data, folds, 0, scaled=True, mixed=True).X).any()


@pytest.mark.parametrize(
    ("method", "parameters", "settings"),
    [
        ("knn", {}, {"impute": "median"}),
        ("hist_gradient_boosting", {"max_leaf_nodes": 4, "learning_rate": 0.3, "min_samples_leaf": 3}, {"gaps": True}),
        ("proset_few", {}, {"gaps": True}),
    ],
)
@pytest.mark.parametrize("complete", [False, True], ids=["gaps", "complete"])
def test_a_stored_model_takes_rows_of_the_file(tmp_path, rng, method, parameters, settings, complete, custom):
    """Encoded, or as they are."""
    frame = table(25)
    frame["size"] += rng.normal(size=len(frame))
    frame["kind"] = np.where((frame["colour"] == "red") ^ (rng.random(len(frame)) < 0.1), "x", "y")
    frame = frame.dropna().reset_index(drop=True) if complete else frame
    data = custom(tmp_path / "own.csv", frame, categorical=["colour"], **settings)
    folds, case = split(data.y, 3, 0.3, 0), Case(0, 0, "own", "E", method)
    record, rows, probabilities = fit_final(data, folds, parameters, 5, case, tmp_path / "m.npz")
    assert (probabilities.argmax(axis=1) == data.y[rows]).mean() > 0.8
    model = read_model(tmp_path / "m.npz")
    assert model.is_mixed == ("gaps" in settings) == (record["n_features"] == 2)
    np.testing.assert_array_equal(rounded(model.predict_proba(data.X[rows])), probabilities)
    of_file = model.predict_proba(read_rows(model.encoder, pd.read_csv(tmp_path / "own.csv").iloc[rows]))
    np.testing.assert_array_equal(rounded(of_file), probabilities)
    new = pd.DataFrame({"colour": ["never seen", None], "size": [None, 3]})
    assert np.isfinite(model.predict_proba(read_rows(model.encoder, new))).all()
    with pytest.raises(ValueError, match="X: column 'colour' is missing; needed are 'size', 'colour'"):
        read_rows(model.encoder, new[["size"]])
