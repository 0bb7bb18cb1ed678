"""A fitted classifier as one statement of SQL."""

from typing import Any

import numpy as np

from proset import __version__
from proset.base_model import FLOOR
from proset.convert.attributions import background_of, base_values, check_top, orders
from proset.convert.formula import DISTANCES, ProsetFormula, SetCoverFormula, formula, refuse_inexact
from proset.convert.sql_parts import PAIRS, exponents_of, samples_of, tables_of
from proset.convert.sql_text import (
    aliased,
    case_of,
    label_case,
    materialized,
    number_literal,
    numbered,
    quoted_name,
    value_rows,
)

WHAT = ("probabilities", "explain", "attributions")
MOST = 500  # features and classes: SQLite nests 1000 expressions and has 2000 columns
PREFIX = "proset_"


def to_sql(
    model: Any, table: str, key: str, what: str = "probabilities", top: int | None = None, background: Any = None
) -> str:
    """One SELECT statement that predicts the rows of a table, the same one for SQLite (3.35 or later) and DuckDB.

    The table has a column for each feature that the model reads, by its name (x0, x1, ... if the model was fitted to an
    array); other columns do not matter. NULL is a missing value, and so is DuckDB's NaN. A category that the model does
    not know differs from all others; if it is ordered, it counts as missing. Numbers are what ``CAST(... AS DOUBLE)``
    makes of the column: SQLite takes text that is not a number for 0. Where a number is infinite, or missing with a
    logistic regression as base, label and probabilities are NULL, and "explain" and "attributions" have no rows.

    Parameters
    ----------
    model : ProsetClassifier or SetCoverClassifier, or a Pipeline, FrozenEstimator or search that ends in one
        As for `to_c`. It reads at most 500 features and has at most 500 classes.
    table : str
        Name of the table, without a schema; the statement quotes it. It must not begin with ``proset_``.
    key : str
        Column of the table that names its rows in the result.
    what : {"probabilities", "explain", "attributions"}, default="probabilities"
        What the result has. A SetCoverClassifier allows the first only.

        - "probabilities": one row for each row of the table, in its order: the key, "label", and, for a
          ProsetClassifier, a column "probability_<class>" for each class.
        - "explain": for each row of the table, one row for each class with the share of the class prior or of the base
          model, whose "place" is 0, and one for each prototype, whose "place" counts from 1, the largest share first.
          The columns are the key, "place", "class", "batch" (from 1; 0 for the prior), "row" (in the training data; -1
          for the prior), "weight", "similarity" and "share" of the prediction.
        - "attributions": for each row of the table, one row for each active feature and class: the key, "feature",
          "class", "attribution" and "base_value". The base value and the attributions of all features add up to the
          probability.
    top : int >= 1, optional
        How many prototypes "explain" lists at most; by default all.
    background : array-like or frame, shape (M, D), optional
        Rows that "attributions" compares samples with, as for `to_c`; they are written into the statement. Only with
        "attributions", which needs them.

    Returns
    -------
    str
        Numbers read back to the same float64.

    Raises
    ------
    sklearn.exceptions.NotFittedError
        If the model is not fitted.
    ValueError
        If the model, one of its steps or its metric cannot be written, a category is a whole number beyond 2**53, names
        of features differ by case only, or another argument is not as described.

    Examples
    --------
    >>> import sqlite3
    >>> from proset import ProsetClassifier, to_sql
    >>> X = [[-1.2], [-1.1], [-1.0], [-0.9], [-0.8], [0.8], [0.9], [1.0], [1.1], [1.2]]
    >>> model = ProsetClassifier(random_state=0).fit(X, ["left"] * 5 + ["right"] * 5)
    >>> with sqlite3.connect(":memory:") as database:
    ...     _ = database.execute("CREATE TABLE points (id, x0)")
    ...     _ = database.execute("INSERT INTO points VALUES ('a', -1.0), ('b', 1.0)")
    ...     for key, label, left, right in database.execute(to_sql(model, table="points", key="id")):
    ...         print(key, label, round(left, 1), round(right, 1))
    a left 1.0 0.0
    b right 0.0 1.0
    """
    of = formula(model)
    refuse_inexact(of)
    _check(of, table, key, what, top, background)
    parts = samples_of(of, table, key)
    if isinstance(of, SetCoverFormula):
        parts |= _nearest(of)
        result = _wide(of, key, [])
    elif what == "attributions":
        parts |= _attributions(of, background_of(of, model, background))
        names = [of.feature_names[d] for d in of.used]
        result = (
            f"SELECT s.row_key AS {quoted_name(key)}, {case_of('a.a', names)} AS feature, "
            f"{label_case('a.class', of)} AS class, a.attribution, a.base_value\n"
            "FROM proset_attribution AS a JOIN proset_z AS s ON s.id = a.id\nORDER BY a.id, a.a, a.class"
        )
    elif what == "explain":
        parts |= _terms(of) | {"share": _SHARE}
        result = (
            f"SELECT s.row_key AS {quoted_name(key)}, r.place, {label_case('r.class', of)} AS class, r.batch, "
            'r.training_row AS "row", r.weight, r.similarity, r.share\n'
            "FROM proset_share AS r JOIN proset_z AS s ON s.id = r.id\n"
            + ("" if top is None else f"WHERE r.place <= {int(top)}\n")
            + "ORDER BY r.id, r.place, r.class"
        )
    else:
        parts |= _terms(of) | _decision(of)
        result = _wide(of, key, [f"probability_{label}" for label in of.classes])
    tables = ",\n".join(f"{PREFIX}{name} AS {body}" for name, body in parts.items())
    return f"-- A {of.kind}, written by proset {__version__}.\nWITH\n{tables}\n{result}\n"


_SHARE = """(
  SELECT id, class, batch, training_row, weight, similarity, share,
    CASE WHEN batch = 0 THEN 0 ELSE
      row_number() OVER (PARTITION BY id, CASE WHEN batch = 0 THEN 0 ELSE 1 END ORDER BY share DESC, prototype)
    END AS place
  FROM (
    SELECT t.*, weight * similarity / sum(weight * similarity) OVER (PARTITION BY id) AS share FROM proset_term AS t
  ) AS shares
)"""
_PROBABILITY = """MATERIALIZED (
  SELECT id, class, q / sum(q) OVER (PARTITION BY id) AS p
  FROM (SELECT id, class, sum(weight * similarity) AS q FROM proset_term GROUP BY id, class) AS sums
)"""
# Without WHERE place = 1, of which SQLite expects so few rows that it does without an index of them.
_FIRST = """(
  SELECT id, max(CASE WHEN place = 1 THEN class END) AS class
  FROM (
    SELECT id, class, row_number() OVER (PARTITION BY id ORDER BY {by}) AS place FROM proset_{of}
  ) AS ranked
  GROUP BY id
)"""
_EXPECTED = """(
  SELECT p.id, c.class, sum(p.p * c.cost) AS cost
  FROM proset_probability AS p JOIN proset_costs AS c ON c.true_class = p.class GROUP BY p.id, c.class
)"""
_BASE = """(
  SELECT id, class, floored / sum(floored) OVER (PARTITION BY id) AS q
  FROM (
    SELECT id, class, CASE WHEN p < {floor} THEN {floor} ELSE p END AS floored
    FROM (
      SELECT id, class, e / sum(e) OVER (PARTITION BY id) AS p
      FROM (SELECT id, class, exp(score - max(score) OVER (PARTITION BY id)) AS e FROM proset_score) AS exponentials
    ) AS probabilities
  ) AS at_least
)"""


def _check(of: ProsetFormula | SetCoverFormula, table: Any, key: Any, what: Any, top: Any, background: Any) -> None:
    for name, value in (("table", table), ("key", key)):
        if not isinstance(value, str) or not value or "\0" in value:
            raise ValueError(f"{name}: {value!r} is not allowed, must be a name")
    if table.lower().startswith(PREFIX):
        raise ValueError(f"table: {table!r} is not allowed, names that begin with {PREFIX} are those of the statement")
    if what not in WHAT:
        raise ValueError(f"what: {what!r} is not allowed, must be one of {', '.join(WHAT)}")
    if what != WHAT[0] and isinstance(of, SetCoverFormula):
        raise ValueError(f"what: {what!r} is not allowed for a SetCoverClassifier, it has no probabilities")
    if top is not None and what != "explain":
        raise ValueError(f"top: {top!r} is not allowed for what={what!r}, must be None")
    if top is not None:
        check_top("top", top, of)
    if background is None and what == "attributions":
        raise ValueError("background: None is not allowed for what='attributions', must be rows to compare with")
    if background is not None and what != "attributions":
        raise ValueError(f"background: rows are not allowed for what={what!r}, must be None")
    for number, of_what in ((len(of.used), "features that are read"), (len(of.classes), "classes")):
        if number > MOST:
            raise ValueError(f"model: {number} {of_what} are not allowed, must be at most {MOST}")
    names = [of.feature_names[d] for d in of.used]
    if "" in names:
        raise ValueError("model: a feature with an empty name is not allowed, must be the name of a column")
    if same := [name for place, name in enumerate(names) if name.lower() in map(str.lower, names[:place])]:
        raise ValueError(f"model: feature {same[0]!r} is not allowed, SQL takes it for one that differs by case only")


def _terms(of: ProsetFormula) -> dict[str, str]:
    """What the start and the prototypes add to their classes."""
    exponent = " +\n    ".join(exponents_of(of))
    columns = "id, prototype, class, batch, training_row, weight, similarity"
    term = (
        f"SELECT z.id, prototype, class, batch, training_row, weight, exp(-0.5e0 * (\n    {exponent}))\n  FROM {PAIRS}"
    )
    if of.base_coefficients is None or of.base_intercepts is None:
        return tables_of(of, of.class_prior) | {f"term({columns})": f"(\n  {term}\n)"}
    n_used = len(of.used)
    rows = [
        [str(k), *map(number_literal, [b, *w])]
        for k, (b, w) in enumerate(zip(of.base_intercepts, of.base_coefficients, strict=True))
    ]
    score = " + ".join(["r.intercept", *(f"r.w{a} * z.z{a}" for a in range(n_used))])
    start = "SELECT id, -1, class, 0, -1, q, 1e0 FROM proset_base"
    found = {
        f"regression({', '.join(['class', 'intercept', *numbered('w', n_used)])})": value_rows(rows),
        "score": f"(\n  SELECT z.id, r.class, {score} AS score FROM proset_z AS z CROSS JOIN proset_regression AS r\n)",
        "base": _BASE.format(floor=number_literal(FLOOR)),
    }
    if not len(of.labels):
        return found | {f"term({columns})": f"(\n  {start}\n)"}
    return found | tables_of(of, np.empty(0)) | {f"term({columns})": f"(\n  {start}\n  UNION ALL\n  {term}\n)"}


def _decision(of: ProsetFormula) -> dict[str, str]:
    """Probabilities, and the first of the most probable classes, or of those with the smallest expected cost."""
    found = {"probability": _PROBABILITY}
    if of.cost_matrix is None:
        found["first"] = _FIRST.format(of="probability", by="p DESC, class")
    else:
        rows = [[str(i), str(k), number_literal(cost)] for (i, k), cost in np.ndenumerate(of.cost_matrix)]
        found["costs(true_class, class, cost)"] = value_rows(rows)
        found |= {"expected": _EXPECTED, "first": _FIRST.format(of="expected", by="cost, class")}
    columns = aliased([f"max(CASE WHEN class = {k} THEN p END)" for k in range(len(of.classes))], "p")
    return found | {"row": f"(SELECT id, {columns} FROM proset_probability GROUP BY id)"}


def _nearest(of: SetCoverFormula) -> dict[str, str]:
    """The class of the nearest prototype, of equally near ones the first."""
    if not len(of.labels):
        return {"first": f"(SELECT id, {of.majority} AS class FROM proset_z)"}
    term, distance = DISTANCES[of.metric]
    terms = " + ".join(f"sqrt({e})" if term.startswith("sqrt") else e for e in exponents_of(of))
    distance = f"sqrt({terms})" if distance.startswith("sqrt") else terms
    return tables_of(of, np.empty(0)) | {
        "distance": f"(SELECT z.id, c.class, c.prototype, {distance} AS distance FROM {PAIRS})",
        "first": _FIRST.format(of="distance", by="distance, prototype"),
    }


def _wide(of: ProsetFormula | SetCoverFormula, key: str, names: list[str]) -> str:
    """A row for each of the table."""
    columns = "".join(f", r.p{k} AS {quoted_name(name)}" for k, name in enumerate(names))
    join = "\nLEFT JOIN proset_row AS r ON r.id = s.id" if names else ""
    return (
        f"SELECT s.row_key AS {quoted_name(key)}, {label_case('f.class', of)} AS label{columns}\n"
        f"FROM proset_sample AS s LEFT JOIN proset_first AS f ON f.id = s.id{join}\nORDER BY s.id"
    )


def _attributions(of: ProsetFormula, background: np.ndarray) -> dict[str, str]:
    """See `proset.convert.attributions`; sets of features are numbers, of which bit a stands for feature a."""
    n_used, n_classes = len(of.used), len(of.classes)
    columns = aliased(exponents_of(of), "e")
    of_rows = PAIRS.replace("proset_z", "proset_background")
    bits = [f"((s.s >> {a}) & 1)" for a in range(n_used)]
    inside = " + ".join(f"CASE WHEN {bit} = 1 THEN e.e{a} ELSE 0e0 END" for a, bit in enumerate(bits))
    outside = inside.replace(" = 1 ", " = 0 ")
    number = " + ".join(f"{2**a} * b{a}.bit" for a in range(n_used))
    size = " + ".join(f"b{a}.bit" for a in range(n_used))
    sets = " CROSS JOIN ".join(f"proset_bit AS b{a}" for a in range(n_used))
    q = [f"sum(CASE WHEN r.class = {k} THEN x.factor * r.part ELSE 0e0 END)" for k in range(n_classes)]
    total = " + ".join(numbered("q", n_classes))
    p = [f"avg(q{k} / ({total}))" for k in range(n_classes)]
    of_class = "CASE k.class " + " ".join(f"WHEN {k} THEN v.p{k}" for k in range(n_classes)) + " END"
    is_inside = "((s.s >> f.a) & 1)"
    rows = [[str(m), *map(number_literal, row)] for m, row in enumerate(background)]
    base = [[str(k), number_literal(value)] for k, value in enumerate(base_values(of, background))]
    weights = [[str(n), number_literal(weight)] for n, weight in enumerate(orders(n_used))]
    return tables_of(of, of.class_prior) | {
        f"background({', '.join(['id', *numbered('z', n_used)])})": value_rows(rows),
        "bit(bit)": value_rows([["0"], ["1"]]),
        "feature(a)": value_rows([[str(a)] for a in range(n_used)]),
        "orders(size, weight)": value_rows(weights),
        "class(class, base_value)": value_rows(base),
        "sets": materialized(f"SELECT {number} AS s, {size} AS size FROM {sets}"),
        "near": f"(SELECT z.id, c.prototype, {columns} FROM {PAIRS})",
        "near_rows": f"(SELECT z.id, c.prototype, c.class, c.weight, {columns} FROM {of_rows})",
        "of_sample": materialized(
            f"SELECT e.id, s.s, e.prototype, exp(-0.5e0 * ({inside})) AS factor\n"
            "  FROM proset_near AS e CROSS JOIN proset_sets AS s"
        ),
        "of_rows": materialized(
            f"SELECT e.id, s.s, e.prototype, e.class, e.weight * exp(-0.5e0 * ({outside})) AS part\n"
            "  FROM proset_near_rows AS e CROSS JOIN proset_sets AS s"
        ),
        "mixed": f"(\n  SELECT x.id, x.s, {aliased(q, 'q')}\n"
        "  FROM proset_of_sample AS x JOIN proset_of_rows AS r ON r.s = x.s AND r.prototype = x.prototype\n"
        "  GROUP BY x.id, x.s, r.id\n)",
        "value": materialized(f"SELECT id, s, {aliased(p, 'p')} FROM proset_mixed GROUP BY id, s"),
        "attribution": f"(\n  SELECT v.id, f.a, k.class, k.base_value,\n"
        f"    sum({of_class} * CASE WHEN {is_inside} = 1 THEN o.weight ELSE -o.weight END) AS attribution\n"
        "  FROM proset_value AS v JOIN proset_sets AS s ON s.s = v.s\n"
        f"  CROSS JOIN proset_feature AS f JOIN proset_orders AS o ON o.size = s.size - {is_inside}\n"
        "  CROSS JOIN proset_class AS k GROUP BY v.id, f.a, k.class, k.base_value\n)",
    }
