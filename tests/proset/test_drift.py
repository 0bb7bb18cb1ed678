import numpy as np
import pandas as pd
import pytest
from scipy.stats import beta, fisher_exact
from sklearn.datasets import load_wine
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from proset import ProsetClassifier


def blobs(n, seed, shift=(0.0, 0.0, 0.0)):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    X = rng.normal(size=(n, 3)) + np.outer(y, [2.0, 2.0, 0.0])
    return pd.DataFrame(X + shift, columns=["a", "b", "noise"]), y


@pytest.fixture(scope="module")
def model():
    return ProsetClassifier(lambda_v=0.01, lambda_w=1e-4, max_prototypes=12).fit(*blobs(1500, 0))


def test_shares_are_counted_as_they_say(model):
    X, _ = blobs(400, 1)
    found = model.drift(X, level=0.1, confidence_level=0.9)
    whole = found.iloc[0]
    below = int((model.familiarity_quantile(X) < 0.1).sum())
    assert whole["below"] == below / 400
    assert whole["low"] == pytest.approx(beta.ppf(0.05, below, 400 - below + 1))
    assert whole["high"] == pytest.approx(beta.ppf(0.95, below + 1, 400 - below))
    assert whole["usual below"] == pytest.approx(0.1, abs=0.03)  # of 1,000 of the 1,500
    prototypes = found[found["of"] == "prototype"]
    assert len(prototypes) == model.n_prototypes_
    assert prototypes["samples"].sum() == 400
    assert (prototypes["samples"] * prototypes["below"].fillna(0.0)).sum() == pytest.approx(below)
    assert prototypes["usual share"].sum() == pytest.approx(1.0)
    terms = model.explain(X.iloc[[5]], top=1)
    nearest = terms.loc[terms["term"] == "prototype", "row"].iloc[0]
    only = model.drift(X.iloc[[5]])
    assert only.loc[only["samples"] == 1, "name"].tolist()[1] == f"row {nearest}"
    features = found[found["of"] == "feature"]
    assert features["name"].tolist() == [str(model.feature_names_in_[d]) for d in model.active_features_]
    np.testing.assert_allclose(features["usual below"], 0.1, atol=0.002)


def test_samples_that_no_prototype_reaches_are_counted_with_none(model):
    found = model.drift(blobs(50, 1)[0] + 1e4)
    assert found.iloc[0]["below"] == 1.0
    assert (found.loc[found["of"] == "prototype", "samples"] == 0).all()


@pytest.mark.parametrize(("confidence_level", "n_differing"), [(0.5, 6), (0.95, 4), (1 - 1e-9, 0)])
def test_chances_are_those_of_exact_tests_of_the_counts(model, confidence_level, n_differing):
    new, usual = blobs(80, 3, shift=(0.0, 1.5, 0.0))[0], blobs(120, 4)[0]
    found = model.drift(new, reference=usual, confidence_level=confidence_level)

    def chance(now, of_now, before, of_before):
        return fisher_exact([[now, of_now - now], [before, of_before - before]]).pvalue

    shares = found[["below", "usual below"]].fillna(0.0)  # missing where there is no sample
    for row, (below, usually) in zip(found.to_dict("records"), shares.to_numpy(), strict=True):
        n, before = row["samples"], round(row["usual share"] * len(usual))
        expected = chance(round(n * below), n, round(before * usually), before)
        if row["of"] == "prototype":
            expected = min(1.0, 2.0 * min(expected, chance(n, len(new), before, len(usual))))
        assert row["p"] == pytest.approx(expected)
        assert row["share"] == n / len(new)
        assert row["differs"] == (row["p"] <= (1.0 - confidence_level) / len(found))
    assert found["differs"].sum() == n_differing


def test_moved_samples_differ_and_others_do_not(model):
    assert not model.drift(blobs(300, 2)[0])["differs"].any()
    found = model.drift(blobs(300, 50, shift=(0.0, 4.0, 0.0))[0])
    assert found["differs"][0]
    assert found["below"][0] > 0.3
    features = found[found["of"] == "feature"].set_index("name")
    assert features.loc["b", "differs"]
    assert features.loc["b", "below"] > 5 * features.loc["a", "below"]


def test_the_interval_covers_the_share(model):
    usual = model.drift(blobs(20_000, 60)[0])["below"][0]
    covered = [low <= usual <= high for low, high in (interval(model, seed) for seed in range(100, 180))]
    assert np.mean(covered) > 0.9


def interval(model, seed):
    below = model.drift(blobs(200, seed)[0], reference=blobs(20, 61)[0]).iloc[0]  # which they do not depend on
    return below["low"], below["high"]


def test_pipelines_and_mixed_tables(mixed):
    X, y = load_wine(return_X_y=True, as_frame=True)
    pipeline = make_pipeline(StandardScaler(), ProsetClassifier()).fit(X, y)
    found = pipeline[-1].drift(X.tail(50), transformer=pipeline, reference=X)
    assert set(found.loc[found["of"] == "feature", "name"]) <= set(X.columns)
    table, _, model = mixed
    found = model.drift(table.head(100).assign(age=table["age"] + 60.0, colour="new")).set_index("name")
    assert found["differs"].iloc[0]
    assert found.loc["colour", "below"] == 1.0


def test_a_model_without_prototypes_knows_nothing():
    X, y = blobs(100, 0)
    found = ProsetClassifier(n_batches=0).fit(X, y).drift(X)
    assert found["of"].tolist() == ["all"]


def test_classes_are_as_they_were_given(model):
    classes = model.drift(blobs(50, 0)[0])["class"].tolist()
    assert classes[0] is None
    assert {type(label) for label in classes[1 : 1 + model.n_prototypes_]} <= {int, np.int64}


def test_fresh_samples_do_not_differ_from_a_reference():
    """At a level of 5 % for all rows together; the model, the reference and the samples are new each time."""
    found = []
    for seed in range(100, 130):
        small = ProsetClassifier(lambda_v=0.01, lambda_w=1e-4, max_prototypes=4).fit(*blobs(150, seed))
        table = small.drift(blobs(200, seed + 1000)[0], reference=blobs(500, seed + 2000)[0])
        found.append(table["differs"].any())
    assert np.mean(found) < 0.15


def four_blobs(n, seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 4, n)
    return rng.normal(size=(n, 5)) + np.column_stack([2 * (y % 2), 2 * (y // 2), *np.zeros((3, n))]), y


def test_few_training_samples_stand_for_fresh_ones():
    """Prototypes, each without its own weight, would be the least familiar; then 1,000 fresh samples differ."""
    found = []
    for seed in range(8):
        small, new = ProsetClassifier().fit(*four_blobs(60, seed)), four_blobs(1000, seed + 1000)[0]
        found.append(small.drift(new).iloc[0])
    assert np.mean([row["usual below"] for row in found]) == pytest.approx(0.05, abs=0.02)
    assert np.mean([row["below"] for row in found]) == pytest.approx(0.05, abs=0.03)
    assert sum(row["differs"] for row in found) < 2
