from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.model_selection import train_test_split
from tests.proset_study.config_files import read

from proset import ProsetClassifier, boxes
from proset_study.data.sources import make

GIVEN = {"lambda_v": 0.01, "lambda_w": 1e-4}
DATA_SETS = read("config.yaml")["data_sets"]


@pytest.fixture(scope="module")
def flowers():
    X, y = load_iris(return_X_y=True, as_frame=True)
    return X, ProsetClassifier(**GIVEN).fit(X, y)


def proposals(model, X, found):
    """The samples with the new values."""
    X = X.copy()
    for d in model.active_features_:
        name = model.feature_names_in_[d] if hasattr(X, "columns") else f"x{d}"
        values = found[f"new value of {name}"].to_numpy()
        if hasattr(X, "columns"):
            X[name] = pd.Series(values, index=X.index).astype(X[name].dtype)
        else:
            X[:, d] = values
    return X


@pytest.mark.parametrize("name", ["iris_2f", "wine", "cancer", "digits", "checker", "mixture", "xor_6_6f"])
def test_every_proposal_is_predicted_otherwise(name):
    """On data sets of the study, of every kind."""
    data = make(DATA_SETS[name], 0, name, 0)
    X, X_test, y, _ = train_test_split(data.X, data.y, test_size=0.5, stratify=data.y, random_state=0)
    model = ProsetClassifier(**GIVEN, max_prototypes=50).fit(X[:1000], y[:1000])
    X_test = X_test[:20]
    found = model.counterfactuals(X_test)
    assert found["found"].all()
    new = proposals(model, X_test, found)
    assert (model.predict(new) != model.predict(X_test)).all()
    assert (model.predict(new) == found["class then"]).all()
    np.testing.assert_allclose(model.familiarity(new), found["familiarity"], rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(model.predict_proba(new).max(axis=1), found["probability"])
    assert (found["n_changed"] == (new != X_test).sum(axis=1)).all()
    if len(model.active_features_) <= boxes.MAX_PROVEN:
        assert found["proved"].all()
    else:
        assert not found["proved"].all()
        assert found.loc[found["proved"], "n_changed"].eq(1).all()
        assert found["n_changed"].mean() < 4


def test_nothing_on_a_fine_grid_is_nearer(flowers):
    """Few features first, then the distance: all values of a grid, of one feature and of two, are tried."""
    X, model = flowers
    features = model.active_features_
    spread, (low, high) = model._columns.spread, model.feature_range_
    for row in (0, 60, 83, 120):
        found = model.counterfactuals(X.iloc[[row]]).iloc[0]
        assert found["proved"]
        before = model.predict(X.iloc[[row]])[0]
        best = (len(features) + 1, np.inf)
        for size in (1, 2):
            for some in combinations(features, size):
                axes = [np.linspace(low[d], high[d], 400 if size == 1 else 60) for d in some]
                grid = np.array(list(product(*axes)))
                tried = pd.concat([X.iloc[[row]]] * len(grid))
                tried.iloc[:, list(some)] = grid
                turned = model.predict(tried) != before
                if turned.any():
                    costs = (np.abs(grid - X.iloc[row, list(some)].to_numpy(float)) / spread[list(some)]).sum(axis=1)
                    best = min(best, (size, costs[turned].min()))
        assert found["n_changed"] == best[0]
        assert found["cost"] <= best[1] * (1 + 2e-3)
        step = max((high[d] - low[d]) / spread[d] for d in features) / (399 if best[0] == 1 else 59)
        assert found["cost"] > best[1] - best[0] * step  # the grid is that coarse


def test_two_features_are_searched_when_one_does_not_do():
    rng = np.random.default_rng(1)
    X = rng.uniform(-1, 1, (600, 2))
    y = ((X > 0.2).all(axis=1)).astype(int)
    model = ProsetClassifier(**GIVEN).fit(X, y)
    found = model.counterfactuals([[-0.9, -0.9]], target=1).iloc[0]
    assert (found["n_changed"], found["proved"], found["class then"]) == (2, True, 1)
    spread, grid = model.scale_, np.array(list(product(np.linspace(-0.9, 1, 300), repeat=2)))
    turned = grid[model.predict(grid) == 1]
    least = (np.abs(turned + 0.9) / spread).sum(axis=1).min()
    assert found["cost"] == pytest.approx(least, abs=2 * 1.9 / 299 / spread.min())
    assert found["cost"] <= least * 1.002


def test_a_class_and_a_probability_can_be_asked_for(flowers):
    X, model = flowers
    for target in (0, 1, 2):
        assert (model.counterfactuals(X.iloc[::10], target)["class then"] == target).all()
    kept = model.counterfactuals(X.iloc[[0]], target=0).iloc[0]
    assert (kept["cost"], kept["n_changed"], kept["changed"], kept["proved"]) == (0.0, 0, "", True)
    sure = model.counterfactuals(X.iloc[::10], 1, probability=0.8)
    assert (sure["probability"] >= 0.8).all()
    np.testing.assert_allclose(
        sure["probability"], model.predict_proba(proposals(model, X.iloc[::10], sure))[:, 1], atol=1e-12
    )
    little = model.counterfactuals(X.iloc[[0]], probability=0.2).iloc[0]
    assert 0.2 <= little["probability"] < 0.21
    assert little["class then"] == 0


def test_constraints_hold(flowers):
    X, model = flowers
    names = [str(X.columns[d]) for d in model.active_features_]
    some = X.iloc[50:100:5]
    free = model.counterfactuals(some, target=2)
    fixed = model.counterfactuals(some, target=2, fixed=names[:1])
    assert (fixed[f"new value of {names[0]}"] == fixed[f"value of {names[0]}"]).all()
    assert (fixed["cost"] >= free["cost"] * (1 - 2e-3)).all()
    down = model.counterfactuals(some, target=2, directions=dict.fromkeys(names, "down"))
    for name in names:
        new = down.loc[down["found"], f"new value of {name}"]
        assert (new <= down.loc[down["found"], f"value of {name}"]).all()
    ranged = model.counterfactuals(some, target=2, ranges={names[-1]: (0.5, 1.65)})
    changed = ranged["found"] & (ranged[f"new value of {names[-1]}"] != ranged[f"value of {names[-1]}"])
    assert ranged.loc[changed, f"new value of {names[-1]}"].between(0.5, 1.65).all()
    usual = model.counterfactuals(some, target=0)
    for d, name in zip(model.active_features_, names, strict=True):
        assert usual[f"new value of {name}"].between(*model.feature_range_[:, d]).all()


def test_that_there_is_none_is_an_answer(flowers):
    X, model = flowers
    names = [str(X.columns[d]) for d in model.active_features_]
    for settings in (
        {"fixed": names},
        {"ranges": dict.fromkeys(names, (1000.0, 1001.0)), "min_familiarity_quantile": 0.5},
        {"min_familiarity_quantile": 0.999},
        {"target": 1, "probability": 0.99999999},
    ):
        (found,) = model.counterfactuals(X.iloc[[0]], **settings).to_dict("records")
        assert (found["found"], found["proved"], found["class then"]) == (False, True, None)
        assert np.isnan(found["cost"])
        assert np.isnan(found[f"new value of {names[0]}"])


def test_familiarity_is_bounded_from_below(flowers):
    X, model = flowers
    free = model.counterfactuals(X.iloc[::7])
    familiar = model.counterfactuals(X.iloc[::7], min_familiarity_quantile=0.25)
    assert (free["familiarity quantile"] < 0.25).any()
    found = familiar[familiar["found"]]
    assert len(found) > 10
    assert (found["familiarity quantile"] >= 0.25).all()
    both = familiar["found"].to_numpy()
    assert (found["cost"].to_numpy() >= free["cost"].to_numpy()[both] * (1 - 2e-3)).sum() >= (
        found["n_changed"] == free["n_changed"][both]
    ).sum()


def test_only_training_rows(flowers):
    X, model = flowers
    features = model.active_features_
    found = model.counterfactuals(X.iloc[::9], only_training_rows=True)
    assert found["found"].all()
    new = proposals(model, X.iloc[::9], found).to_numpy()[:, features]
    rows = X.to_numpy()[:, features]
    assert (new[:, None] == rows).all(axis=2).any(axis=1).all()
    x = X.iloc[0].to_numpy()
    turned = rows[model.predict(X) != model.predict(X.iloc[[0]])]
    changed = (turned != x[features]).sum(axis=1)
    costs = (np.abs(turned - x[features]) / model._columns.spread[features]).sum(axis=1)
    assert found["n_changed"][0] == changed.min()
    assert found["cost"][0] == pytest.approx(costs[changed == changed.min()].min())


def test_categories_ranks_and_missing_values(mixed):
    X, _, model = mixed
    some = X.iloc[:60]
    found = model.counterfactuals(some)
    assert found["found"].all()
    assert found["proved"].all()
    new = proposals(model, some, found)
    assert (model.predict(new) != model.predict(some)).all()
    pd.testing.assert_series_equal(new["income"].isna(), some["income"].isna())  # what is missing stays missing
    assert set(new["colour"].dropna()) <= {"red", "green", "blue"}
    assert not found["changed"][some["colour"].isna().to_numpy()].str.contains("colour").any()
    is_new = new["colour"].notna() & (new["colour"] != some["colour"])
    assert (found["changed"].str.contains("colour").to_numpy() == is_new.to_numpy()).all()
    one = model.counterfactuals(some, fixed=["age", "income", "size"], ranges={"colour": ["green"]})
    changed = one[one["found"]]
    assert set(changed["new value of colour"]) <= {"green"}
    up = model.counterfactuals(some, fixed=["age", "income", "colour"], directions={"size": "up"})
    order = {"S": 0, "M": 1, "L": 2}
    moved = up[up["found"]]
    assert len(moved)
    assert (moved["new value of size"].map(order) > moved["value of size"].map(order)).all()
    every = [dict(zip(("colour", "size"), pair, strict=True)) for pair in product(["red", "green", "blue"], "SML")]
    tried = pd.concat([some.iloc[[1]].assign(**values) for values in every]).astype(some.dtypes.to_dict())
    tried["size"] = pd.Categorical(tried["size"], categories=["S", "M", "L"], ordered=True)
    turned = tried[model.predict(tried) != model.predict(some.iloc[[1]])[0]]
    best = model.counterfactuals(some.iloc[[1]], fixed=["age", "income"]).iloc[0]
    differing = (turned["colour"] != some["colour"][1]) * 1 + (turned["size"].astype(str) != some["size"][1]) * 1
    assert best["n_changed"] == differing.min()


def test_costs_of_errors_count(flowers, iris):
    X, model = flowers
    some = X.iloc[100:150:10]
    other = ProsetClassifier(**GIVEN, cost_matrix=[[0, 1, 1], [1, 0, 1], [1, 20, 0]]).fit(X, iris[1])
    found = other.counterfactuals(some)
    assert (other.predict(proposals(other, some, found)) == found["class then"]).all()
    assert (found["class then"] != 2).all()
    # to leave the class whose errors cost most is further
    assert (found["cost"] > model.counterfactuals(some)["cost"]).all()


def test_a_search_that_is_cut_short_proves_nothing(flowers, monkeypatch):
    X, model = flowers
    monkeypatch.setattr(boxes, "MAX_PRODUCTS", 10)
    assert not model.counterfactuals(X.iloc[[0]])["proved"][0]


def test_ranges_may_be_open(flowers):
    X, model = flowers
    fixed, free = (str(X.columns[d]) for d in model.active_features_)
    for ends in ((-np.inf, np.inf), (0.0, np.inf), (0, 1e300)):
        found = model.counterfactuals(X.iloc[[60]], target=2, fixed=[fixed], ranges={free: ends}).iloc[0]
        wide = model.counterfactuals(X.iloc[[60]], target=2, fixed=[fixed], ranges={free: (0.0, 50.0)}).iloc[0]
        assert (found["found"], found["proved"]) == (wide["found"], True)
        assert found["cost"] == pytest.approx(wide["cost"], rel=2e-3)


def test_costs_that_decide_the_same_give_the_same(iris):
    """What a row of costs has in common, and their unit, do not change a prediction."""
    X, y = iris
    plain = ProsetClassifier(**GIVEN).fit(X, y).counterfactuals(X[::15])
    shifted = [[1e5, 1e5 + 1, 1e5 + 1], [1.0, 0.0, 1.0], [-4.0, -4.0, -5.0]]
    for costs in (shifted, 1e6 * (1 - np.eye(3))):
        found = ProsetClassifier(**GIVEN, cost_matrix=costs).fit(X, y).counterfactuals(X[::15])
        np.testing.assert_allclose(found["cost"], plain["cost"], rtol=1e-3)
        assert found["proved"].all()


def test_very_unequal_costs_leave_a_way():
    X, y = load_breast_cancer(return_X_y=True)
    model = ProsetClassifier(cost_matrix=[[0, 1e6], [1, 0]]).fit(X, y)
    some = X[model.predict(X) == 0][:5]
    sure = model.counterfactuals(some, probability=0.5)
    found = model.counterfactuals(some)
    assert sure["found"].all()
    assert found.loc[found["found"], "probability"].gt(1 - 1e-5).all()
    assert (found["proved"] | found["found"]).all()


def test_models_without_anything_and_rows_of_lists(iris):
    X, y = iris
    for settings in ({"n_batches": 0}, {"max_prototypes": 0}):
        (found,) = ProsetClassifier(**settings).fit(X, y).counterfactuals(X[:1]).to_dict("records")
        assert (found["found"], found["proved"]) == (False, True)
    rng = np.random.default_rng(0)
    rows = [[float(value), "u" if value > 0 else "v"] for value in rng.normal(size=80)]
    model = ProsetClassifier(**GIVEN).fit(rows, [row[1] for row in rows])
    assert model.counterfactuals(rows[:3])["found"].all()
    assert model.counterfactuals(rows[0])["class then"][0] == ("v" if rows[0][1] == "u" else "u")
    assert model.attributions(rows[0], background=rows[1]).values.shape == (1, 2, 2)
    assert len(model.drift(rows[:5]))
    assert len(model.explain(rows[0]))


def test_many_boxes_take_neither_memory_nor_hours(monkeypatch):
    """Categories whose combinations are too many, and boxes beyond the limit: a solution without a proof."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({f"c{d}": rng.choice([f"l{i}" for i in range(15)], 600) for d in range(4)})
    y = sum(X[name].isin(["l1", "l2", "l3"]) for name in X) % 2
    model = ProsetClassifier(lambda_v=1e-4, lambda_w=1e-6, max_prototypes=None).fit(X, y)
    monkeypatch.setattr(boxes, "MAX_PRODUCTS", 50)
    found = model.counterfactuals(X.head(3))
    assert not found["proved"].all()
    assert found["found"].any()
    monkeypatch.setattr(boxes, "MAX_PRODUCTS", 200_000_000)
    whole = model.counterfactuals(X.head(3))
    monkeypatch.setattr(boxes, "ENTRIES", 5000)
    pd.testing.assert_frame_equal(model.counterfactuals(X.head(3)), whole)


def test_training_rows_far_from_all_prototypes_count():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(-1, 0.1, 20), rng.normal(100, 1, 20), rng.normal(0, 0.1, 20)])[:, None]
    model = ProsetClassifier(lambda_v=1e-8, lambda_w=1e-6, max_prototypes=1).fit(X, np.repeat(["a", "a", "b"], 20))
    above = X[(X[:, 0] > 0.05) & (model.predict(X) == "a")]
    assert above.min() > 90
    found = model.counterfactuals([[0.05]], only_training_rows=True, directions={0: "up"})
    assert found["found"][0]
    assert found["new value of x0"][0] == above.min()


def test_where_no_training_row_is_allowed_there_is_no_proposal():
    model = ProsetClassifier(random_state=0).fit(*load_iris(return_X_y=True))
    near = [6.0, 3.0, 4.55, 1.55]
    for given, rules in ((near, {"fixed": [2]}), ([*near[:2], np.nan, 1.55], {})):
        found = model.counterfactuals([given, near], only_training_rows=True, **rules)
        assert found["found"].tolist() == [False, not rules]
        assert found["proved"].all()
