"""A fitted classifier as a module of JavaScript."""

import json
from string import Template
from typing import Any

from proset import __version__
from proset.base_model import FLOOR
from proset.convert.formula import DISTANCES, ProsetFormula, formula

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
export function predictProba(x) {
  const z = scaled(x);
$start  prototypes.forEach((prototype, j) => {
    let distance = 0;
    for (let a = 0; a < z.length; a++) distance += exponent(batch[j], a, z[a], prototype[a]);
    q[labels[j]] += prototype_weights[j] * Math.exp(-0.5 * distance);
  });
  const sum = q.reduce((total, value) => total + value, 0);
  return q.map((value) => value / sum);
}

export function predict(x) {
  const probabilities = predictProba(x);
  return classes[probabilities.indexOf(Math.max(...probabilities))];
}
"""
_PRIOR = """\
  const q = [...class_prior];
"""
_BASE = """\
  const scores = base_intercepts.map((b, k) => base_coefficients[k].reduce((s, c, a) => s + c * z[a], b));
  const exponentials = scores.map((score) => Math.exp(score - Math.max(...scores)));
  const total = exponentials.reduce((sum, value) => sum + value, 0);
  const floored = exponentials.map((value) => Math.max(value / total, $floor)); // of a logistic regression
  const one = floored.reduce((sum, value) => sum + value, 0);
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


def to_javascript(model: Any) -> str:
    """The source of a JavaScript module with the functions `predict` and, for proset, `predictProba`.

    It exports `features`, their names in order, and `classes`, too, and `categories`: those of each feature, null for
    numbers. The functions take one sample, an array of numbers that are not scaled and of categories as they are in the
    table, text, booleans or numbers. `null`, `undefined` and NaN are missing values. A category that the model does not
    know differs from all others; an ordered one is missing. Features without weight are not read. Where a number is
    infinite or none, or the length is wrong, a RangeError is thrown; for a missing number, if the base is a logistic
    regression.

    Parameters
    ----------
    model : ProsetClassifier or SetCoverClassifier, or a Pipeline or search that ends in one
        As for `to_c`.

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
        If the model, one of its steps or its metric cannot be written.

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
    """
    what = formula(model)
    tables = ["used", "shift", "scale", "low", "high", "ordered", "category", "feature_weights", "gaps"]
    tables += ["prototypes", "labels"]
    if isinstance(what, ProsetFormula):
        tables += ["class_prior", "batch", "prototype_weights"]
        start = _PRIOR
        if what.base_coefficients is not None:
            tables = [name for name in tables if name != "class_prior"] + ["base_coefficients", "base_intercepts"]
            start = _BASE
        body = Template(_PROSET).substitute(start=Template(start).substitute(floor=repr(FLOOR)))
    else:
        term, distance = DISTANCES[what.metric]
        body = Template(_SET_COVER).substitute(default=what.majority, term=term, distance=distance)
    return "".join(
        [
            f"// A {what.kind}, written by proset {__version__}.\n",
            f"export const features = {_literal(what.feature_names)};\n",
            f"export const categories = {_literal(what.categories)};\n",
            f"export const classes = {_literal([_label(label) for label in what.classes.tolist()])};\n",
            f"const takes_gaps = {_literal(what.takes_gaps)};\n",
            *(f"const {name} = {_literal(getattr(what, name).tolist())};\n" for name in tables),
            _SCALED,
            body,
        ]
    )


def _label(label: object) -> object:
    exact = isinstance(label, bool | float) or (isinstance(label, int) and abs(label) <= 2**53)
    return label if exact else str(label)


def _literal(values: Any) -> str:
    # Escaped, because in a page HTML would end the script at "</script>".
    return json.dumps(values).replace("<", "\\u003c")
