"""A fitted classifier as a module of JavaScript."""

import json
from string import Template
from typing import Any

import numpy as np

from proset import __version__
from proset.base_model import FLOOR
from proset.convert.attributions import background_of, base_values, orders
from proset.convert.formula import DISTANCES, ProsetFormula, formula, refuse_inexact

_SCALED = """\
const levels = used.map((d) => categories[d]);

function scaled(x) {
  if (x.length !== features.length) throw new RangeError("x: " + x.length + " features, must be " + features.length);
  return used.map((d, a) => {
    const value = x[d] ?? NaN;
    if (levels[a]) {
      const i = levels[a].indexOf(Number.isNaN(value) ? null : value);
      return i >= 0 ? i : ordered[a] ? NaN : levels[a].length; // a category that was not in the training data
    }
    let z = value;
    const allowed = takes_gaps && Number.isNaN(z) ? "" : "finite ";
    if (typeof z !== "number" || (allowed && !Number.isFinite(z))) {
      throw new RangeError("x: " + features[d] + " is " + z + ", must be a finite number");
    }
    for (let s = 0; s < shift.length; s++) {
      z = Math.min(Math.max((z - shift[s][a]) / scale[s][a], low[s][a]), high[s][a]);
    }
    return z;
  });
}

// What feature a adds for two values, by the weights of batch b.
function exponent(b, a, x, c) {
  const v = feature_weights[b][a];
  if (category[a] > 0) return x === c ? 0 : v * category[a] * v * category[a];
  if (Number.isNaN(x) || Number.isNaN(c)) return Number.isNaN(x) && Number.isNaN(c) ? 0 : gaps[b][a];
  return v * (x - c) * (v * (x - c));
}
"""
_PROSET = """
// What probabilities start from.
function startAt(z) {
$start  return q;
}

function similarity(j, z) {
  let distance = 0;
  for (let a = 0; a < z.length; a++) distance += exponent(batch[j], a, z[a], prototypes[j][a]);
  return Math.exp(-0.5 * distance);
}

const total = (values) => values.reduce((sum, value) => sum + value, 0);

function proba(z) {
  const q = startAt(z);
  labels.forEach((k, j) => {
    q[k] += prototype_weights[j] * similarity(j, z);
  });
  const sum = total(q);
  return q.map((value) => value / sum);
}

export function predictProba(x) {
  return proba(scaled(x));
}

export function predict(x) {
  const probabilities = predictProba(x);
$decide}

// The shares of $of_start by class, and the prototypes with the largest ones, by their rows in the training data.
export function explain(x, top = Infinity) {
  const z = scaled(x);
  const start = startAt(z);
  const terms = labels.map((k, j) => {
    const weight = prototype_weights[j];
    const near = similarity(j, z);
    const name = { row: rows[j], batch: batch_numbers[batch[j]], class: classes[k] };
    return { ...name, weight, similarity: near, share: weight * near };
  });
  const sum = total(start) + total(terms.map((term) => term.share));
  for (const term of terms) term.share /= sum;
  terms.sort((one, other) => other.share - one.share);
  return { start: start.map((value) => value / sum), prototypes: terms.slice(0, top) };
}
"""
_ATTRIBUTIONS = """
// How much each feature moves the probabilities from baseValues: Shapley values against background rows.
export function attributions(x) {
  const z = scaled(x);
  const values = features.map(() => classes.map(() => 0));
  for (let s = 0; s < 2 ** used.length; s++) { // all sets of features: those in it are of x, the others of a row
    const has = used.map((_, a) => (s >> a) & 1);
    const size = total(has);
    const mean = classes.map(() => 0);
    for (const row of background) {
      proba(has.map((of_x, a) => (of_x ? z[a] : row[a]))).forEach((p, k) => {
        mean[k] += p / background.length;
      });
    }
    used.forEach((d, a) => {
      const weight = has[a] ? orders[size - 1] : -orders[size];
      mean.forEach((p, k) => {
        values[d][k] += weight * p;
      });
    });
  }
  return { values, baseValues };
}
"""
_MOST_PROBABLE = """\
  return classes[probabilities.indexOf(Math.max(...probabilities))];
"""
_CHEAPEST = """\
  const costs = classes.map((_, k) => total(probabilities.map((p, i) => p * cost_matrix[i][k])));
  return classes[costs.indexOf(Math.min(...costs))];
"""
_PRIOR = """\
  const q = [...class_prior];
"""
_BASE = """\
  const scores = base_intercepts.map((b, k) => base_coefficients[k].reduce((s, c, a) => s + c * z[a], b));
  const exponentials = scores.map((score) => Math.exp(score - Math.max(...scores)));
  const sum = total(exponentials);
  const floored = exponentials.map((value) => Math.max(value / sum, $floor)); // of a logistic regression
  const one = total(floored);
  const q = floored.map((value) => value / one);
"""
_SET_COVER = """
const { sqrt } = Math;

export function predict(x) {
  const z = scaled(x);
  let nearest = Infinity;
  let best = $default;
  prototypes.forEach((prototype, j) => {
    let sum = 0;
    for (let a = 0; a < z.length; a++) {
      const e = exponent(0, a, z[a], prototype[a]);
      sum += $term;
    }
    const distance = $distance;
    if (distance < nearest) {
      nearest = distance;
      best = labels[j];
    }
  });
  return classes[best];
}
"""


def to_javascript(model: Any, background: Any = None) -> str:
    """The source of a JavaScript module with `predict` and, for a ProsetClassifier, `predictProba` and `explain`.

    `explain(x, top)` returns shares of the prediction: `start`, those of the class prior or of the base model by class,
    and `prototypes`, a list of `{row, batch, class, weight, similarity, share}` with the largest share first, all of
    them by default. Rows are those of the training data. With `background`, `attributions(x)` returns `values`, a list
    by feature of lists by class, and `baseValues`; the values and the base value of a class add up to its probability.

    The module also exports `features`, their names in order, `classes`, and `categories`: those of each feature, null
    for numbers. The functions take one sample: an array of numbers, which are not scaled, and of categories as in the
    table, text, booleans or numbers. `null`, `undefined` and NaN are missing values. A category that the model does not
    know differs from all others; if it is ordered, it counts as missing. Features without weight are not read. A
    RangeError is thrown if a number is infinite, if a value for a number has another type, if the length is wrong, and
    if a number is missing where the base is a logistic regression.

    Parameters
    ----------
    model : ProsetClassifier or SetCoverClassifier, or a Pipeline, FrozenEstimator or search that ends in one
        As for `to_c`.
    background : array-like or frame, shape (M, D), optional
        As for `to_c`: rows to compare samples with, which are written into the module.

    Returns
    -------
    str
        ASCII, an ES module without imports. Numbers read back to the same float64. `predict` returns labels of type
        number, boolean or string; whole numbers beyond 2**53 are strings.

    Raises
    ------
    sklearn.exceptions.NotFittedError
        If the model is not fitted.
    ValueError
        If the model, one of its steps or its metric cannot be written, a category is a whole number beyond 2**53, or
        `background` is not as `to_c` takes it.

    Examples
    --------
    >>> from proset import ProsetClassifier, to_javascript
    >>> X = [[-1.2], [-1.1], [-1.0], [-0.9], [-0.8], [0.8], [0.9], [1.0], [1.1], [1.2]]
    >>> model = ProsetClassifier(random_state=0).fit(X, ["left"] * 5 + ["right"] * 5)
    >>> print(*[line for line in to_javascript(model).splitlines() if line.startswith("export")], sep="\\n")
    export const features = ["x0"];
    export const categories = [null];
    export const classes = ["left", "right"];
    export function predictProba(x) {
    export function predict(x) {
    export function explain(x, top = Infinity) {
    """
    what = formula(model)
    refuse_inexact(what)
    compared = None if background is None else background_of(what, model, background)
    tables = ["used", "shift", "scale", "low", "high", "ordered", "category", "feature_weights", "gaps"]
    tables += ["prototypes", "labels"]
    of_background = ""
    if isinstance(what, ProsetFormula):
        tables += ["class_prior", "batch", "batch_numbers", "rows", "prototype_weights"]
        start, of_start, decide = _PRIOR, "the class prior", _MOST_PROBABLE
        if what.base_coefficients is not None:
            tables = [name for name in tables if name != "class_prior"] + ["base_coefficients", "base_intercepts"]
            start, of_start = Template(_BASE).substitute(floor=repr(FLOOR)), "the base model"
        if what.cost_matrix is not None:
            tables.append("cost_matrix")
            decide = _CHEAPEST
        body = Template(_PROSET).substitute(start=start, of_start=of_start, decide=decide)
        if compared is not None:
            body += _ATTRIBUTIONS
            rows = [[None if np.isnan(z) else z for z in row] for row in compared.tolist()]
            of_background = (
                f"const background = {literal(rows)}.map((row) => row.map((z) => z ?? NaN));\n"
                f"const orders = {literal(orders(len(what.used)).tolist())};\n"
                f"export const baseValues = {literal(base_values(what, compared).tolist())};\n"
            )
    else:
        term, distance = DISTANCES[what.metric]
        body = Template(_SET_COVER).substitute(default=what.default, term=term, distance=distance)
    return "".join(
        [
            f"// A {what.kind}, written by proset {__version__}.\n",
            f"export const features = {literal(what.feature_names)};\n",
            f"export const categories = {literal(what.categories)};\n",
            f"export const classes = {literal([_label(label) for label in what.classes.tolist()])};\n",
            f"const takes_gaps = {literal(what.takes_gaps)};\n",
            *(f"const {name} = {literal(getattr(what, name).tolist())};\n" for name in tables),
            of_background,
            _SCALED,
            body,
        ]
    )


def _label(label: object) -> object:
    exact = isinstance(label, bool | float) or (isinstance(label, int) and abs(label) <= 2**53)
    return label if exact else str(label)


def literal(values: Any) -> str:
    """Values as they are written in JavaScript."""
    # Escaped, because in a page HTML would end the script at "</script>".
    return json.dumps(values).replace("<", "\\u003c")
