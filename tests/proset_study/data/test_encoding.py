"""Categories and missing values of the user's own file, from the file to what a stored model predicts."""

import numpy as np
import pandas as pd
import pytest

from proset_study.data.datasets import DataSet, make
from proset_study.data.encoding import MISSING, Encoder
from proset_study.data.splits import TEST, select_fold, split
from proset_study.fits.final import fit_final, read_model, rounded
from proset_study.fits.search import Case, run_paths, run_trials

COLOURS = ["red", "größer", "red", None, "blue", "red", "größer", "blue"]
SIZES = [1.0, 2.0, None, 4.0, 5.0, 6.0, 7.0, 80.0]


def table(n=1):
    return pd.DataFrame({"size": SIZES * n, "colour": COLOURS * n, "kind": list("xyxyxyxy") * n})


def own(path, frame, **settings):
    frame.to_parquet(path) if path.suffix == ".parquet" else frame.to_csv(path, index=False)
    return make({"file": str(path), "target": "kind", **settings}, 0, "own", 0)


@pytest.mark.parametrize(
    ("impute", "size", "colour", "names"),
    [
        ("median", 5.0, "(missing)", ["size", "colour=blue", "colour=größer", "colour=red", "colour=(missing)"]),
        ("mean", 15.0, "(missing)", ["size", "colour=blue", "colour=größer", "colour=red", "colour=(missing)"]),
        ("most_frequent", 1.0, "red", ["size", "colour=blue", "colour=größer", "colour=red"]),
    ],
)
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_features_by_hand(tmp_path, impute, size, colour, names, suffix):
    data = own(tmp_path / f"own.{suffix}", table(), categorical=["colour"], impute=impute)
    encoder = Encoder.fit(data.X, data)
    assert encoder.feature_names.tolist() == names
    assert data.n_features == len(names)
    features = encoder.transform(data.X)
    expected = np.array([[float(f"colour={c or colour}" == name) for name in names] for c in COLOURS])
    expected[:, 0] = [size if s is None else s for s in SIZES]
    np.testing.assert_array_equal(features, expected)
    np.testing.assert_array_equal(encoder.transform(encoder.read(table()[["colour", "kind", "size"]])), expected)


def test_a_data_set_is_stored_with_its_categories(tmp_path):
    frame = table().assign(nest=list("aabbccdd"))
    data = own(tmp_path / "own.csv", frame, categorical=["colour"], impute="median", group="nest")
    data.save(tmp_path / "data.npz")
    loaded = DataSet.load(tmp_path / "data.npz")
    assert loaded.group.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    assert (loaded.impute, loaded.n_features) == ("median", 5)
    np.testing.assert_array_equal(loaded.X, data.X)
    np.testing.assert_array_equal(loaded.categories, ["blue", "größer", "red", MISSING])


def test_what_is_left_out_changes_nothing_that_is_fitted(tmp_path):
    frame = table(10)
    folds = np.repeat([0, 1, 2, TEST], 20)
    outside = np.isin(folds, [1, TEST])
    changed = frame.copy()
    changed.loc[outside, "size"] = changed.loc[outside, "size"].fillna(3.0) * 1e6
    changed.loc[outside, "colour"] = "never seen"
    for impute in ("median", "mean", "most_frequent"):
        bound, other = (
            select_fold(own(tmp_path / "own.csv", f, categorical=["colour"], impute=impute), folds, 1, scaled=True)
            for f in (frame, changed)
        )
        np.testing.assert_array_equal(bound.X, other.X)
        assert bound.encoder.feature_names.tolist() == other.encoder.feature_names.tolist()
        one_hot = ~bound.encoder.is_number
        assert set(bound.X[:, one_hot].ravel()) == {0.0, 1.0}  # not scaled
        np.testing.assert_allclose(bound.X[:, ~one_hot].std(axis=0), 1.0)
        assert (other.X_score[:, one_hot] == 0).all()  # an unknown category


def test_a_category_that_the_fitted_rows_lack_is_no_feature(tmp_path):
    frame = pd.DataFrame({"c": [*"aabb", *"aabb", *"cccc"], "kind": list("xyxyxyxyxyxy")})
    data = own(tmp_path / "own.csv", frame, categorical=["c"])
    bound = select_fold(data, np.repeat([0, 1, TEST], 4), TEST, scaled=True)
    assert data.n_features == 3
    assert bound.encoder.feature_names.tolist() == ["c=a", "c=b"]
    np.testing.assert_array_equal(bound.X_score, np.zeros((4, 2)))


@pytest.mark.parametrize(
    "colours",
    [
        pd.Categorical(["b", "a", None, "a"] * 3, categories=["unused", "b", "a"]),
        pd.array([2, 10, None, 10] * 3, dtype="Int64"),
        np.array([2.0, 10.0, np.nan, 10.0] * 3),
        pd.array([True, False, None, False] * 3, dtype="boolean"),
    ],
    ids=["categorical", "Int64", "float", "boolean"],
)
def test_types_of_parquet(tmp_path, colours):
    frame = pd.DataFrame({"c": colours, "n": pd.array([1, None, 3, 4] * 3, dtype="Int64"), "kind": list("xyz") * 4})
    data = own(tmp_path / "own.parquet", frame, categorical=["c"], impute="median")
    expected = {"b": ["a", "b"], 2: ["10", "2"], True: ["False", "True"]}[frame["c"][0]]
    assert data.categories.tolist() == [*expected, MISSING]
    features = Encoder.fit(data.X, data).transform(data.X)
    np.testing.assert_array_equal(features[:, :3], np.tile(np.eye(3)[[1, 0, 2, 0]], (3, 1)))
    np.testing.assert_array_equal(features[:, 3], [1, 3, 3, 4] * 3)


@pytest.mark.parametrize(
    ("labels", "names"),
    [
        (["größer", "小さい", "größer", "x y"], ["größer", "x y", "小さい"]),
        ([True, False, True, False], ["False", "True"]),
        ([3, 1, 2, 3], ["1", "2", "3"]),
        (pd.array([3, 1, 2, 3], dtype="Int64"), ["1", "2", "3"]),
        (pd.array([True, False, True, False], dtype="boolean"), ["False", "True"]),
        (pd.Categorical(["b", "a", "b", "b"], categories=["unused", "b", "a"]), ["a", "b"]),
    ],
    ids=["text", "bool", "int", "Int64", "boolean", "categorical"],
)
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_class_labels_of_any_type(tmp_path, labels, names, suffix):
    data = own(tmp_path / f"own.{suffix}", pd.DataFrame({"a": range(4), "kind": labels}))
    assert data.class_names.tolist() == names
    assert [names[k] for k in data.y] == [str(label) for label in labels]


def test_labels_categories_and_groups_of_a_csv_stay_as_they_are_written(tmp_path):
    texts = ["01", "1", "02", "2"]
    data = own(
        tmp_path / "own.csv",
        pd.DataFrame({"a": range(4), "c": texts, "g": texts, "kind": texts}),
        categorical=["c"],
        group="g",
    )
    assert data.class_names.tolist() == data.categories.tolist() == sorted(texts)
    assert len(set(data.group)) == 4
    encoder = Encoder.fit(data.X, data)
    new = pd.DataFrame({"a": range(4), "c": texts})
    np.testing.assert_array_equal(encoder.read(new), data.X)
    with pytest.raises(ValueError, match="X: column 'c' was read as numbers, its categories are text such as '01'; re"):
        encoder.read(new.astype({"c": int}))
    np.testing.assert_array_equal(encoder.read(new.assign(c=np.nan))[:, 1], np.full(4, np.nan))


@pytest.mark.parametrize(
    ("written", "parsed", "allowed"),
    [
        (["0.5", "1.25", "2", "1"], [2.0, 1.0], True),
        (["0.5", "1.25", "2.0", "1.0"], [2.0, 1.0], False),
        (["9007199254740993", "9007199254740992", "a", "b"], [9007199254740993], True),
        (["True", "False", "True", "False"], [True, False], True),
        (["true", "false", "true", "false"], [True, False], False),
        (["a", "b", "c", "d"], [3.0, 4.0], True),  # unknown ones
    ],
)
def test_new_rows_read_without_types_are_the_same_or_refused(tmp_path, written, parsed, allowed):
    data = own(tmp_path / "own.csv", pd.DataFrame({"c": written, "kind": list("xyxy")}), categorical=["c"])
    encoder = Encoder.fit(data.X, data)
    np.testing.assert_array_equal(encoder.read(pd.DataFrame({"c": written})), data.X)
    if allowed:
        found = encoder.read(pd.DataFrame({"c": parsed}))
        expected = encoder.read(pd.DataFrame({"c": [str(p).removesuffix(".0") for p in parsed]}))
        np.testing.assert_array_equal(found, expected)
    else:
        with pytest.raises(ValueError, match=r"column 'c' was read as (numbers|booleans), its categories are text"):
            encoder.read(pd.DataFrame({"c": parsed}))


def test_numbers_as_categories_do_not_depend_on_the_other_rows(tmp_path):
    frame = pd.DataFrame({"c": [0.5, 1.25, 2.0, 1.0], "kind": list("xyxy")})
    data = own(tmp_path / "own.parquet", frame, categorical=["c"])
    encoder = Encoder.fit(data.X, data)
    assert encoder.feature_names.tolist() == ["c=0.5", "c=1", "c=1.25", "c=2"]
    np.testing.assert_array_equal(encoder.read(frame[2:]), data.X[2:])


@pytest.mark.parametrize("method", ["proset", "knn", "xgboost", "logistic_regression"])
def test_a_stored_model_takes_the_table_of_the_file(tmp_path, rng, method):
    frame = table(15)
    frame["size"] += rng.normal(size=len(frame))
    data = own(tmp_path / "own.csv", frame, categorical=["colour"], impute="median")
    folds = split(data.y, 3, 0.3, 0)
    parameters = {
        "proset": {"lambda_v": 1e-3, "lambda_w": 1e-8},
        "knn": {},
        "xgboost": {"learning_rate": 0.3, "max_depth": 2, "colsample": 0.9, "subsample": 0.9},
        "logistic_regression": {"l1_ratio": 0.5},
    }[method]
    _, rows, probabilities = fit_final(data, folds, parameters, 2, Case(0, 0, "own", "E", method), tmp_path / "m.npz")
    model = read_model(tmp_path / "m.npz")
    np.testing.assert_array_equal(rounded(model.predict_proba(data.X[rows])), probabilities)
    of_file = model.predict_proba(pd.read_csv(tmp_path / "own.csv").iloc[rows])
    np.testing.assert_array_equal(rounded(of_file), probabilities)
    new = pd.DataFrame({"colour": ["never seen", None], "size": [None, 3]})
    assert np.isfinite(model.predict_proba(new)).all()
    with pytest.raises(ValueError, match="X: column 'colour' is missing; needed are 'size', 'colour'"):
        model.predict_proba(new[["size"]])


def test_a_model_without_imputer_refuses_missing_values(tmp_path):
    frame = table(15).dropna()
    data = own(tmp_path / "own.csv", frame, categorical=["colour"])
    case = Case(0, 0, "own", "E", "knn")
    fit_final(data, split(data.y, 3, 0.3, 0), {}, 2, case, tmp_path / "m.npz")
    with pytest.raises(ValueError, match="column 'size', row 3 has no value, and nothing is imputed"):
        read_model(tmp_path / "m.npz").predict_proba(table())


def test_a_search_does_not_depend_on_the_rows_left_out_for_the_test(tmp_path):
    frame = table(15)
    data = own(tmp_path / "own.csv", frame, categorical=["colour"], impute="mean")
    folds = split(data.y, 3, 0.3, 0)
    frame.loc[folds == TEST, ["size", "colour"]] = [1e6, "other"]
    other = own(tmp_path / "own.csv", frame, categorical=["colour"], impute="mean")
    case, settings = Case(0, 0, "own", "E", "proset"), {"space": {}, "parameters": {"lambda_v": 1e-3, "lambda_w": 1e-8}}

    def losses(data, name):
        stage1 = run_trials(data, folds, 1, range(1), {**settings, "complexity": 1}, case, tmp_path / name, [])
        stage2 = run_paths(data, folds, range(3), {**settings, "complexity": 2}, {}, case, tmp_path / f"{name}2", [])
        return [record["log_loss"] for record in (*stage1, *stage2)]

    assert losses(data, "a") == losses(other, "b")
