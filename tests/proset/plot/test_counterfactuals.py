import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from proset import ProsetClassifier
from proset.plot import CounterfactualDisplay


@pytest.fixture(scope="module")
def bare(flowers):
    """A scaler that gives no names, and a classifier."""
    return make_pipeline(StandardScaler(), ProsetClassifier()).fit(*flowers)


def titles(display):
    axes = display.ax_
    return axes.get_title(loc="left"), axes.get_legend().get_title().get_text().split("\n")


def words(display):
    return dict(
        zip(
            [label.get_text() for label in display.ax_.get_yticklabels()],
            [text.get_text() for text in display.ax_.texts if text.get_text()],
            strict=True,
        )
    )


def test_arrows_are_the_changes_and_add_up_to_the_cost(bare, flowers):
    X, _ = flowers
    x = X.iloc[[60]]
    display = CounterfactualDisplay.from_estimator(bare, x, "virginica", probability=0.9, min_familiarity_quantile=0.1)
    found, features = display.found, display.features
    expected = bare[-1].counterfactuals(
        bare[:-1].transform(x), "virginica", probability=0.9, min_familiarity_quantile=0.1
    )
    assert found["cost"] == expected["cost"].iloc[0]
    assert features["change"].abs().sum() == pytest.approx(found["cost"])
    new = x.copy()
    new[features["name"].tolist()] = features["new value"].astype(float).to_numpy()
    assert bare.predict_proba(new)[0, 2] == pytest.approx(found["probability"], abs=1e-6)
    assert found["changed"] == ", ".join(features["name"][features["change"] != 0])
    ends = [arrow.xy[0] for arrow in display.arrows_]
    np.testing.assert_allclose(sorted(ends), sorted(features["change"][features["change"] != 0]))
    facts = [f"probability {found['probability']:.3f}", f"familiarity quantile {found['familiarity quantile']:.2f}"]
    title = "class versicolor → class virginica"
    assert titles(display) == (title, [*facts, "nothing is nearer (proved)"])
    for row in features.to_dict("records"):
        expected = f"{row['value']:.4g}" + (f" → {row['new value']:.4g}" if row["change"] else "")
        assert words(display)[row["name"]] == expected


def test_lines_are_the_range_of_the_training_data(bare, flowers):
    X, _ = flowers
    display = CounterfactualDisplay.from_estimator(bare, X.to_numpy()[60])
    features = display.features
    of = X[features["name"]]
    spread = X[features["name"]].std(ddof=0).to_numpy()
    np.testing.assert_allclose(features["low"], (of.min() - of.iloc[60]) / spread)
    np.testing.assert_allclose(features["high"], (of.max() - of.iloc[60]) / spread)
    again = display.plot()
    assert again.ax_.get_xlim()[0] < features["low"].min()


def test_constraints_are_by_name_and_in_units_of_the_data(bare, flowers):
    X, _ = flowers
    x = X.iloc[[60]]
    free = CounterfactualDisplay.from_estimator(bare, x, "virginica")
    (changed,) = free.found["changed"].split(", ")
    other = CounterfactualDisplay.from_estimator(bare, x, "virginica", fixed=[changed])
    assert changed not in other.found["changed"]
    row = free.features.set_index("name").loc[changed]
    end = row["value"] + 0.9 * (row["new value"] - row["value"])
    narrow = CounterfactualDisplay.from_estimator(bare, x, "virginica", ranges={changed: (row["value"], end)})
    assert narrow.features.set_index("name").loc[changed, "new value"] <= end + 1e-6
    assert narrow.found["cost"] > free.found["cost"]
    down = CounterfactualDisplay.from_estimator(bare, x, "virginica", directions={changed: "down"})
    assert down.features.set_index("name").loc[changed, "new value"] <= row["value"]


def test_where_there_is_none_the_figure_says_so(bare, flowers):
    X, _ = flowers
    names = [X.columns[d] for d in bare[-1].active_features_]
    display = CounterfactualDisplay.from_estimator(bare, X.iloc[[60]], fixed=names)
    assert titles(display) == ("class versicolor. There is provably no counterfactual", [""])
    assert display.arrows_ == []
    assert (display.features["change"] == 0).all()
    display = CounterfactualDisplay.from_estimator(bare, X.iloc[[60]], "versicolor")
    assert titles(display)[0] == "class versicolor. Nothing has to change"


def test_categories_and_missing_values(mixed_table):
    X, _, model = mixed_table
    x = X[X["age"].isna() & (X["job"] == "cook")].head(1)
    display = CounterfactualDisplay.from_estimator(model, x, ranges={"job": ["smith"]}, fixed=["grade"])
    assert words(display)["age"] == "missing"
    assert words(display)["job"] == "cook → smith"
    assert display.features.set_index("name")["change"].to_dict() == {"age": 0.0, "job": 1.0, "grade": 0.0}
    rows = CounterfactualDisplay.from_estimator(model, X.iloc[0].tolist(), only_training_rows=True)
    assert rows.features["change"].abs().sum() == pytest.approx(rows.found["cost"])


def test_features_that_change_come_first_and_not_all_are_shown(bare, flowers):
    display = CounterfactualDisplay.from_estimator(bare, flowers[0].iloc[[60]], top=1)
    assert list(words(display)) == [display.found["changed"]]
    assert titles(display)[1][-1] == f"{len(display.features) - 1} features not shown"


def test_a_missing_category_is_no_change():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"x": rng.normal(size=120), "job": rng.choice(["cook", "smith"], 120).astype(object)})
    X.loc[::5, "job"] = None
    y = np.where(X["x"] + (X["job"] == "cook") > 0.3, "yes", "no")
    model = ProsetClassifier(lambda_v=1e-3, lambda_w=1e-4, max_prototypes=12).fit(X, y)
    assert model.counterfactuals(X.iloc[[0]])["changed"].tolist() == ["x"]
    assert CounterfactualDisplay.from_estimator(model, X.iloc[[0]]).found["changed"] == "x"
