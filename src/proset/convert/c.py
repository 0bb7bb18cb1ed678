"""A fitted classifier as one file of C."""

import json
import re
from collections.abc import Iterable
from string import Template
from typing import Any

import numpy as np

from proset import __version__
from proset.base_model import FLOOR
from proset.convert.formula import DISTANCES, ProsetFormula, formula
from proset.encoding import Category

_HEAD = """\
/* A $kind, written by proset $version. C99 without other files; link with -lm.
 *
$functions
$types *     extern const char *const ${name}_features[$n_features];
 *     extern const char *const ${name}_classes[$n_classes];
 *
 * x has $n_features features, not scaled, in the order of ${name}_features; only the $n_used in `used` are read.
 * Classes are positions in ${name}_classes. $missing
 */
#include <math.h>
#include <string.h>

enum { USED = $n_used, SCALERS = $n_scalers, CLASSES = $n_classes, PROTOTYPES = $n_prototypes };

"""
_SCALED = """
static int scaled(const $value *x, double *z) {
    for (int a = 0; a < USED; a++) {
$read        if ($refused) return -1;
        for (int s = 0; s < SCALERS && !isnan(z[a]); s++)
            z[a] = fmin(fmax((z[a] - shift[s][a]) / scale[s][a], low[s][a]), high[s][a]);
    }
    return 0;
}

/* What feature a adds for two values, by the weights of batch b. */
static double exponent(int b, int a, double x, double c) {
    const double v = feature_weights[b][a];
    if (category[a] > 0.0) return x == c ? 0.0 : v * category[a] * v * category[a];
    if (isnan(x) || isnan(c)) return isnan(x) && isnan(c) ? 0.0 : gaps[b][a];
    return v * (x - c) * (v * (x - c));
}
"""
_NUMBER = """\
        z[a] = x[used[a]];
"""
_MIXED = """\
        if (n_levels[a]) {
            const char *text = x[used[a]].text;
            int i = 0; /* a missing one is the level NULL, if there is one */
            while (i < n_levels[a] && (text && levels[a][i] ? strcmp(text, levels[a][i]) : text != levels[a][i])) i++;
            z[a] = ordered[a] && i == n_levels[a] ? NAN : i;
            continue;
        }
        z[a] = x[used[a]].number;
"""
_COMPLETE = "If a feature that is read is infinite or not a number, the result is -1 and\n * nothing is written."
_MISSING = (
    "A number that is NAN is missing. If one that is read is infinite, the result\n * is -1 and nothing is written."
)
_TEXT = "Categories are text, NULL if missing; true, false and numbers as text, if they are the categories."
_PROSET = """
int ${name}_predict_proba(const $value *x, double *probabilities) {
    double z[USED], sum = 0.0;
    if (scaled(x, z)) return -1;
$start    for (int j = 0; j < PROTOTYPES; j++) {
        double distance = 0.0;
        for (int a = 0; a < USED; a++) distance += exponent(batch[j], a, z[a], prototypes[j][a]);
        probabilities[labels[j]] += prototype_weights[j] * exp(-0.5 * distance);
    }
    for (int k = 0; k < CLASSES; k++) sum += probabilities[k];
    for (int k = 0; k < CLASSES; k++) probabilities[k] /= sum;
    return 0;
}

int ${name}_predict(const $value *x) {
    double probabilities[CLASSES];
    int best = 0;
    if (${name}_predict_proba(x, probabilities)) return -1;
    for (int k = 1; k < CLASSES; k++)
        if (probabilities[k] > probabilities[best]) best = k;
    return best;
}
"""
_PRIOR = """\
    for (int k = 0; k < CLASSES; k++) probabilities[k] = class_prior[k];
"""
_BASE = """\
    double largest = -HUGE_VAL, total = 0.0, floored = 0.0; /* a logistic regression, then at least FLOOR */
    for (int k = 0; k < CLASSES; k++) {
        probabilities[k] = base_intercepts[k];
        for (int a = 0; a < USED; a++) probabilities[k] += base_coefficients[k][a] * z[a];
        largest = fmax(largest, probabilities[k]);
    }
    for (int k = 0; k < CLASSES; k++) total += probabilities[k] = exp(probabilities[k] - largest);
    for (int k = 0; k < CLASSES; k++) floored += probabilities[k] = fmax(probabilities[k] / total, $floor);
    for (int k = 0; k < CLASSES; k++) probabilities[k] /= floored;
"""
_SET_COVER = """
int ${name}_predict(const $value *x) {
    double z[USED], nearest = HUGE_VAL;
    int best = $default;
    if (scaled(x, z)) return -1;
    for (int j = 0; j < PROTOTYPES; j++) {
        double sum = 0.0;
        for (int a = 0; a < USED; a++) {
            const double e = exponent(0, a, z[a], prototypes[j][a]);
            sum += $term;
        }
        const double distance = $distance;
        if (distance < nearest) nearest = distance, best = labels[j];
    }
    return best;
}
"""


def to_c(model: Any, name: str = "model") -> str:
    """The source of a C file with the functions `<name>_predict` and, for proset, `<name>_predict_proba`.

    Parameters
    ----------
    model : ProsetClassifier or SetCoverClassifier, or a Pipeline or search that ends in one
        Fitted. In front of it may be StandardScaler, MinMaxScaler, MaxAbsScaler and RobustScaler. The metric of a
        SetCoverClassifier has to be Euclidean, squared Euclidean or city block. A base model has to be a logistic
        regression, perhaps after scalers, or a DummyClassifier. Of a table with categories there is neither a base nor
        a step before the classifier.
    name : str, default="model"
        What the names of functions and tables begin with.

    Returns
    -------
    str
        ASCII, C99 without other files, allocation or state that changes. The comment at its top has the declarations.
        A sample is an array of double; with categories, of a struct with the `number` of a number (NAN: missing) and
        the `text` of a category (NULL: missing; true, false and numbers as text, if the categories are those). One that
        the model does not know differs from all others; an ordered one is missing.
        Numbers read back to the same float64; class names are strings in UTF-8.

    Raises
    ------
    sklearn.exceptions.NotFittedError
        If the model is not fitted.
    ValueError
        If the model, one of its steps or its metric cannot be written, or `name` is no name in C.

    Examples
    --------
    >>> from proset import ProsetClassifier, to_c
    >>> X = [[-1.2], [-1.1], [-1.0], [-0.9], [-0.8], [0.8], [0.9], [1.0], [1.1], [1.2]]
    >>> model = ProsetClassifier(random_state=0).fit(X, ["left"] * 5 + ["right"] * 5)
    >>> source = to_c(model, name="side")  # for a file side.c
    >>> print(*[line for line in source.splitlines() if line.startswith("int ")], sep="\\n")
    int side_predict_proba(const double *x, double *probabilities) {
    int side_predict(const double *x) {
    """
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
        raise ValueError(f"name: {name!r} is not allowed, must be letters, digits and _, not beginning with a digit")
    what = formula(model)
    value = f"struct {name}_value" if what.is_mixed else "double"
    functions = [f"int {name}_predict(const {value} *x);"]
    doubles = ["shift", "scale", "low", "high", "category", "feature_weights", "gaps", "prototypes"]
    integers = ["used", "labels"]
    values: dict[str, Any] = {
        "name": name,
        "kind": what.kind,
        "version": __version__,
        "n_features": len(what.feature_names),
        "n_used": len(what.used),
        "n_scalers": len(what.shift),
        "n_classes": len(what.classes),
        "n_prototypes": len(what.labels),
        "value": value,
        "types": "",
        "read": _NUMBER,
        "refused": "isinf(z[a])" if what.takes_gaps else "!isfinite(z[a])",
        "missing": _MISSING if what.takes_gaps else _COMPLETE,
    }
    tables = ""
    if what.is_mixed:
        values |= {"types": f" *     {value} {{ double number; const char *text; }};\n", "read": _MIXED}
        values["missing"] = f"{_MISSING}\n * {_TEXT}"
        integers.append("ordered")
        tables = f"{value} {{ double number; const char *text; }};\n\n" + _levels(what.levels)
    if isinstance(what, ProsetFormula):
        body = _PROSET
        functions.insert(0, f"int {name}_predict_proba(const {value} *x, double *probabilities);")
        doubles += ["class_prior", "prototype_weights"]
        integers += ["batch"]
        start = _PRIOR
        if what.base_coefficients is not None:
            doubles[doubles.index("class_prior")] = "base_intercepts"
            doubles.append("base_coefficients")
            start = _BASE
        values["start"] = Template(start).substitute(floor=repr(FLOOR))
    else:
        body = _SET_COVER
        term, distance = DISTANCES[what.metric]
        values |= {"default": what.majority, "term": term, "distance": distance}
    values["functions"] = "\n".join(f" *     {line}" for line in functions)
    parts = [
        Template(_HEAD).substitute(values) + tables,
        _strings(f"{name}_features", what.feature_names),
        _strings(f"{name}_classes", what.classes),
        *(_table(f"int {part}", getattr(what, part)) for part in integers),
        *(_table(f"double {part}", getattr(what, part)) for part in doubles),
        Template(_SCALED + body).substitute(values),
    ]
    return "".join(parts)


def _table(name: str, values: np.ndarray) -> str:
    inner = f"[{values.shape[1]}]" if values.ndim == 2 else ""
    numbers = (
        json.dumps(values.tolist())
        .replace("NaN", "NAN")
        .translate({ord("["): "{", ord("]"): "}"})
        .replace("}, {", "},\n    {")
    )
    if not len(values):
        numbers = "{{0}}" if inner else "{0}"  # never read: C has no empty arrays
    return f"static const {name}[]{inner} = {numbers};\n"


def _levels(levels: list[tuple[Category, ...] | None]) -> str:
    """Of each feature, NULL for a missing one, and how many there are."""
    texts = [
        [] if of is None else ["NULL" if level is None else _string(text_of(level)) for level in of] for of in levels
    ]
    tables = "".join(
        f"static const char *const levels_{a}[] = {{{', '.join(of or ['NULL'])}}};\n" for a, of in enumerate(texts)
    )
    tables += f"static const char *const *const levels[] = {{{', '.join(f'levels_{a}' for a in range(len(texts)))}}};\n"
    return tables + f"static const int n_levels[] = {{{', '.join(str(len(of)) for of in texts)}}};\n"


def text_of(level: Category) -> str:
    """As text is given in C."""
    return str(level).lower() if isinstance(level, bool) else str(level)


def _strings(name: str, strings: Iterable[object]) -> str:
    return f"const char *const {name}[] = {{{', '.join(_string(str(text)) for text in strings)}}};\n"


def _string(text: str) -> str:
    """A literal with everything but letters, digits and blanks as octal escapes, so that nothing has a meaning in C."""
    octets = text.encode("utf-8", "backslashreplace")
    return '"' + "".join(chr(c) if re.match(rb"[A-Za-z0-9 ]", bytes([c])) else f"\\{c:03o}" for c in octets) + '"'
