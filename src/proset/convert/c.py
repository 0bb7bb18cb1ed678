"""A fitted classifier as one file of C."""

import re
from string import Template
from typing import Any

from proset import __version__
from proset.base_model import FLOOR
from proset.convert.attributions import background_of, base_values, orders
from proset.convert.c_tables import levels, strings, table
from proset.convert.formula import DISTANCES, ProsetFormula, formula

_HEAD = """\
/* A $kind, written by proset $version. C99 without other files; link with -lm.
 *
$functions
$types *     extern const char *const ${name}_features[$n_features];
 *     extern const char *const ${name}_classes[$n_classes];
$variables *
 * x has $n_features features, not scaled, in the order of ${name}_features; only the $n_used in `used` are read.
 * Classes are positions in ${name}_classes. $missing
$notes */
#include <math.h>
#include <string.h>

enum { USED = $n_used, SCALERS = $n_scalers, CLASSES = $n_classes, PROTOTYPES = $n_prototypes };

"""
_ON_EXPLAIN = """\
 *
 * _explain writes shares of the prediction: those of $of_start, by class, into `start`, and those of the
 * `top` prototypes with the largest ones, in falling order, into `shares`. `prototypes` gets their positions in
 * ${name}_prototype_rows (of the training data), _batches (from 1) and _classes. The result is how many they are:
 * `top`, or all $n_prototypes.
"""
_ON_ATTRIBUTIONS = """\
 *
 * _attributions writes how much each feature moves the probabilities from ${name}_base_values into
 * values[$n_features][$n_classes]: Shapley values against $n_background background rows. Those of a class add up to its
 * probability minus its base value.
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
_TEXT = "Categories are text, NULL if missing; true, false and numbers (2, not 2.0), if they are the categories."
_PROSET = """
/* What probabilities start from. */
static void start_at(const double *z, double *q) {
$start}

/* What prototype j adds to its class. */
static double contribution(int j, const double *z) {
    double distance = 0.0;
    for (int a = 0; a < USED; a++) distance += exponent(batch[j], a, z[a], prototypes[j][a]);
    return prototype_weights[j] * exp(-0.5 * distance);
}

static void proba(const double *z, double *probabilities) {
    double sum = 0.0;
    start_at(z, probabilities);
    for (int j = 0; j < PROTOTYPES; j++) probabilities[labels[j]] += contribution(j, z);
    for (int k = 0; k < CLASSES; k++) sum += probabilities[k];
    for (int k = 0; k < CLASSES; k++) probabilities[k] /= sum;
}

int ${name}_predict_proba(const $value *x, double *probabilities) {
    double z[USED];
    if (scaled(x, z)) return -1;
    proba(z, probabilities);
    return 0;
}

int ${name}_predict(const $value *x) {
    double probabilities[CLASSES];
    int best = 0;
    if (${name}_predict_proba(x, probabilities)) return -1;
$decide    return best;
}

int ${name}_explain(const $value *x, int top, double *start, int *prototypes, double *shares) {
    double z[USED], sum = 0.0;
    int n = 0;
    if (scaled(x, z)) return -1;
    start_at(z, start);
    for (int j = 0; j < PROTOTYPES; j++) {
        const double share = contribution(j, z);
        int i = n < top ? n++ : top; /* from behind all that are listed to behind the last one that is as large */
        sum += share;
        for (; i > 0 && shares[i - 1] < share; i--)
            if (i < top) shares[i] = shares[i - 1], prototypes[i] = prototypes[i - 1];
        if (i < top) shares[i] = share, prototypes[i] = j;
    }
    for (int k = 0; k < CLASSES; k++) sum += start[k];
    for (int k = 0; k < CLASSES; k++) start[k] /= sum;
    for (int i = 0; i < n; i++) shares[i] /= sum;
    return n;
}
"""
_ATTRIBUTIONS = """
int ${name}_attributions(const $value *x, double *values) {
    double z[USED];
    if (scaled(x, z)) return -1;
    for (int i = 0; i < $n_features * CLASSES; i++) values[i] = 0.0;
    for (long s = 0; s < 1L << USED; s++) { /* all sets of features: those in it are of x, the others of a row */
        double mean[CLASSES] = {0.0};
        int size = 0;
        for (int a = 0; a < USED; a++) size += s >> a & 1;
        for (int m = 0; m < $n_background; m++) {
            double mixed[USED], probabilities[CLASSES];
            for (int a = 0; a < USED; a++) mixed[a] = s >> a & 1 ? z[a] : background[m][a];
            proba(mixed, probabilities);
            for (int k = 0; k < CLASSES; k++) mean[k] += probabilities[k] / $n_background;
        }
        for (int a = 0; a < USED; a++)
            for (int k = 0; k < CLASSES; k++)
                values[used[a] * CLASSES + k] += mean[k] * (s >> a & 1 ? orders[size - 1] : -orders[size]);
    }
    return 0;
}
"""
_MOST_PROBABLE = """\
    for (int k = 1; k < CLASSES; k++)
        if (probabilities[k] > probabilities[best]) best = k;
"""
_CHEAPEST = """\
    double least = HUGE_VAL;
    for (int k = 0; k < CLASSES; k++) {
        double cost = 0.0;
        for (int i = 0; i < CLASSES; i++) cost += probabilities[i] * cost_matrix[i][k];
        if (cost < least) least = cost, best = k;
    }
"""
_PRIOR = """\
    (void)z;
    for (int k = 0; k < CLASSES; k++) q[k] = class_prior[k];
"""
_BASE = """\
    double largest = -HUGE_VAL, total = 0.0, floored = 0.0; /* a logistic regression, then at least FLOOR */
    for (int k = 0; k < CLASSES; k++) {
        q[k] = base_intercepts[k];
        for (int a = 0; a < USED; a++) q[k] += base_coefficients[k][a] * z[a];
        largest = fmax(largest, q[k]);
    }
    for (int k = 0; k < CLASSES; k++) total += q[k] = exp(q[k] - largest);
    for (int k = 0; k < CLASSES; k++) floored += q[k] = fmax(q[k] / total, $floor);
    for (int k = 0; k < CLASSES; k++) q[k] /= floored;
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


def to_c(model: Any, name: str = "model", background: Any = None) -> str:
    """The source of a C file with the function `<name>_predict` and, for a ProsetClassifier, others.

    `<name>_predict_proba` writes the probabilities and `<name>_explain` the prototypes with the largest shares of them.
    With `background`, `<name>_attributions` writes how much each feature moves the probabilities.

    Parameters
    ----------
    model : ProsetClassifier or SetCoverClassifier, or a Pipeline, FrozenEstimator or search that ends in one
        Fitted. The steps before it may be StandardScaler, MinMaxScaler, MaxAbsScaler and RobustScaler. The metric of a
        SetCoverClassifier has to be Euclidean, squared Euclidean or city block. A base model has to be a
        LogisticRegression or LogisticRegressionCV of all classes, alone or after such scalers that do not clip, or a
        DummyClassifier with the strategy "prior", "most_frequent" or "uniform". With categories, a base and steps
        before the classifier are not allowed.
    name : str, default="model"
        Prefix of the functions and of the tables that others can read: letters, digits and _.
    background : array-like or frame, shape (M, D), optional
        Samples as the model takes them, to which others are compared (see `proset.convert.attributions`). They are
        written into the file; without them it has no attributions. At most 15 active features, A, and 1,000 rows, or
        2**20 / 2**A if that is fewer. Not for a SetCoverClassifier, and not with a base other than a DummyClassifier.

    Returns
    -------
    str
        ASCII, C99 without other files, allocation or state that changes. The comment at its top has the declarations.
        A sample is an array of double; with categories, an array of structs, which have the `number` of a number (NAN
        is missing) and the `text` of a category (NULL is missing). Categories that are booleans or numbers are text
        too: true, false, and 2 for 2.0. A category that the model does not know differs from all others; if it is
        ordered, it counts as missing. Functions return -1 where a number is infinite, or missing with a logistic
        regression as base. Numbers read back to the same float64; class names are strings in UTF-8.

    Raises
    ------
    sklearn.exceptions.NotFittedError
        If the model is not fitted.
    ValueError
        If the model, one of its steps or its metric cannot be written, `name` is not a name in C, or `background` is
        not as described.

    Examples
    --------
    >>> from proset import ProsetClassifier, to_c
    >>> X = [[-1.2], [-1.1], [-1.0], [-0.9], [-0.8], [0.8], [0.9], [1.0], [1.1], [1.2]]
    >>> model = ProsetClassifier(random_state=0).fit(X, ["left"] * 5 + ["right"] * 5)
    >>> source = to_c(model, name="side")  # for a file side.c
    >>> print(*[line for line in source.splitlines() if line.startswith("int ")], sep="\\n")
    int side_predict_proba(const double *x, double *probabilities) {
    int side_predict(const double *x) {
    int side_explain(const double *x, int top, double *start, int *prototypes, double *shares) {
    """
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", str(name)):
        raise ValueError(f"name: {name!r} is not allowed, must be letters, digits and _, not beginning with a digit")
    what = formula(model)
    compared = None if background is None else background_of(what, model, background)
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
        "variables": "",
        "notes": "",
        "read": _NUMBER,
        "refused": "isinf(z[a])" if what.takes_gaps else "!isfinite(z[a])",
        "missing": _MISSING if what.takes_gaps else _COMPLETE,
    }
    tables = ""
    if what.is_mixed:
        values |= {"types": f" *     {value} {{ double number; const char *text; }};\n", "read": _MIXED}
        values["missing"] = f"{_MISSING}\n * {_TEXT}"
        integers.append("ordered")
        tables = f"{value} {{ double number; const char *text; }};\n\n" + levels(what.levels)
    if isinstance(what, ProsetFormula):
        body, notes = _PROSET, _ON_EXPLAIN
        functions.insert(0, f"int {name}_predict_proba(const {value} *x, double *probabilities);")
        functions.append(
            f"int {name}_explain(const {value} *x, int top, double *start, int *prototypes, double *shares);"
        )
        doubles += ["class_prior", "prototype_weights"]
        integers += ["batch"]
        start, values["of_start"], values["decide"] = _PRIOR, "the class prior", _MOST_PROBABLE
        if what.base_coefficients is not None:
            doubles[doubles.index("class_prior")] = "base_intercepts"
            doubles.append("base_coefficients")
            start, values["of_start"] = _BASE, "the base model"
        if what.cost_matrix is not None:
            doubles.append("cost_matrix")
            values["decide"] = _CHEAPEST
        named = {"rows": what.rows, "batches": what.batch_numbers[what.batch], "classes": what.labels}
        public = {f"int {name}_prototype_{of}": values_of for of, values_of in named.items()}
        if compared is not None:
            body, notes = body + _ATTRIBUTIONS, notes + _ON_ATTRIBUTIONS
            functions.append(f"int {name}_attributions(const {value} *x, double *values);")
            public[f"double {name}_base_values"] = base_values(what, compared)
            tables += table("double background", compared) + table("double orders", orders(len(what.used)))
            values["n_background"] = len(compared)
        tables += "".join(table(declared, values_of, "") for declared, values_of in public.items())
        values["variables"] = "".join(f" *     extern const {of}[{max(len(v), 1)}];\n" for of, v in public.items())
        values["start"] = Template(start).substitute(floor=repr(FLOOR))
        values["notes"] = Template(notes).substitute(values)
    else:
        body = _SET_COVER
        term, distance = DISTANCES[what.metric]
        values |= {"default": what.default, "term": term, "distance": distance}
    values["functions"] = "\n".join(f" *     {line}" for line in functions)
    parts = [
        Template(_HEAD).substitute(values) + tables,
        strings(f"{name}_features", what.feature_names),
        strings(f"{name}_classes", what.classes),
        *(table(f"int {part}", getattr(what, part)) for part in integers),
        *(table(f"double {part}", getattr(what, part)) for part in doubles),
        Template(_SCALED + body).substitute(values),
    ]
    return "".join(parts)
