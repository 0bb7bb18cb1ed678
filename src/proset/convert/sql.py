"""A fitted classifier as one statement of SQL."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from proset import __version__
from proset.base_model import FLOOR
from proset.convert.attributions import background_of, base_values, check_top, orders
from proset.convert.c import text_of
from proset.convert.formula import DISTANCES, LARGEST, ProsetFormula, SetCoverFormula, formula
from proset.encoding import Category

WHAT = ("probabilities", "explain", "attributions")
MOST = 500  # features and classes: SQLite nests 1000 expressions and has 2000 columns
PREFIX = "proset_"


def to_sql(
    model: Any,
    table: str,
    key: str,
    what: str = "probabilities",
    top: int | None = None,
    background: Any = None,
) -> str:
    """One SELECT statement that predicts the rows of a table, the same one for SQLite (3.35 or later) and DuckDB.

    The table has a column for each feature that the model reads, by its name (x0, x1, ... if the model was fitted to an
    array); others do not matter. NULL is a missing value, NaN of DuckDB as well. A category that the model does not
    know differs from all others; an ordered one is missing. Numbers are what ``CAST(... AS DOUBLE)`` makes of the
    column, so that SQLite takes text that is no number for 0. Where a number is infinite, or is missing with a base
    that takes none, label and probabilities are NULL, and there are no rows of the other kinds.

    Parameters
    ----------
    model : ProsetClassifier or SetCoverClassifier, or a Pipeline or search that ends in one
        As for `to_c`. At most 500 features that are read, and classes.
    table : str
        Its name as it is, without a schema; quotes are put around it.
    key : str
        A column of it that names rows, for the result.
    what : {"probabilities", "explain", "attributions"}, default="probabilities"
        What the result has; all but the first not of a SetCoverClassifier.

        - "probabilities": a row for each of the table, in its order: the key, "label", and, of proset, a column
          "probability_<class>" for each class.
        - "explain": for each row of the table one for each class of the class prior, or of the base model, whose
          "place" is 0, and one for each prototype, whose "place" counts from 1, the largest share first. The columns
          are the key, "place", "class", "batch" (from 1), "row" (in the training data; -1 of the prior), "weight",
          "similarity" and "share" of the prediction.
        - "attributions": for each row of the table one for each active feature and class: the key, "feature",
          "class", "attribution" and "base_value", which with the attributions of all features is the probability.
    top : int >= 1, optional
        Of "explain": prototypes to list, all of them by default or if there are fewer.
    background : array-like or frame, shape (M, D), optional
        Of "attributions", as for `to_c`: the rows that they compare with, which are written into the statement.

    Returns
    -------
    str
        Numbers read back to the same float64.

    Raises
    ------
    sklearn.exceptions.NotFittedError
        If the model is not fitted.
    ValueError
        If the model, one of its steps or its metric cannot be written, or another argument is not as it says there.

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
    _check(of, table, key, what, top, background)
    parts = _samples(of, table, key)
    if isinstance(of, SetCoverFormula):
        parts |= _nearest(of)
        result = _wide(of, key, [])
    elif what == "attributions":
        parts |= _attributions(of, background_of(of, model, background))
        result = (
            f"SELECT s.row_key AS {_name(key)}, {_case('a.a', [of.feature_names[d] for d in of.used])} AS feature, "
            f"{_label('a.class', of)} AS class, a.attribution, a.base_value\n"
            "FROM proset_attribution AS a JOIN proset_z AS s ON s.id = a.id\nORDER BY a.id, a.a, a.class"
        )
    elif what == "explain":
        parts |= _terms(of) | {"share": _SHARE}
        result = (
            f"SELECT s.row_key AS {_name(key)}, r.place, {_label('r.class', of)} AS class, r.batch, "
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


def _samples(of: ProsetFormula | SetCoverFormula, table: str, key: str) -> dict[str, str]:
    """Rows of the table by number, and their scaled features, of those rows that can be predicted."""
    read = [_read(of, a) for a in range(len(of.used))]
    numbers = [a for a, levels in enumerate(of.levels) if levels is None]
    finite = [f"z{a} - z{a} = 0" if not of.takes_gaps else f"(z{a} IS NULL OR z{a} - z{a} = 0)" for a in numbers]
    select = f"SELECT row_number() OVER () AS id, t.{_name(key)} AS row_key, {_columns(read, 'z')}"
    parts = {"sample": _materialized(f"{select} FROM {_name(table)} AS t")}
    inner = f"SELECT * FROM proset_sample WHERE {' AND '.join(finite) or '1 = 1'}"
    for shift, scale, low, high in zip(of.shift, of.scale, of.low, of.high, strict=True):
        moved, clipped = [f"z{a}" for a in range(len(of.used))], [f"z{a}" for a in range(len(of.used))]
        for a in numbers:
            if shift[a] != 0.0 or scale[a] != 1.0:
                moved[a] = f"(z{a} - {_number(shift[a])}) / {_number(scale[a])}"
            if low[a] != -LARGEST or high[a] != LARGEST:
                least, most = _number(low[a]), _number(high[a])
                clipped[a] = f"CASE WHEN z{a} < {least} THEN {least} WHEN z{a} > {most} THEN {most} ELSE z{a} END"
        for stage in (moved, clipped):
            inner = f"SELECT id, row_key, {_columns(stage, 'z')} FROM (\n  {inner}\n  ) AS stage"
    return parts | {"z": _materialized(inner)}


def _read(of: ProsetFormula | SetCoverFormula, a: int) -> str:
    """A number, NULL if it is missing, or that of a category among the levels."""
    column, levels = f"t.{_name(of.feature_names[of.used[a]])}", of.levels[a]
    number = f"CAST({column} AS DOUBLE)"
    is_nan = f"{number} > 0 AND -{number} > 0"  # in DuckDB, where NaN is above all numbers
    if levels is None:
        return f"CASE WHEN {is_nan} THEN NULL ELSE {number} END"
    beyond = "NULL" if of.ordered[a] else _number(float(len(levels)))
    numbers: dict[Category, str] = {level: _number(float(i)) for i, level in enumerate(levels)}
    missing = numbers.pop(None, beyond)
    if any(isinstance(level, str) for level in numbers):
        # '' is appended to compare by characters, whatever the collation of the column.
        value, named = (
            f"CAST({column} AS VARCHAR) || ''",
            {_text(text_of(level)): i for level, i in numbers.items() if level is not None},
        )
        gap = f"{column} IS NULL"
    else:
        value, named = number, {_number(float(level)): i for level, i in numbers.items() if level is not None}
        gap = f"{column} IS NULL OR {is_nan}"
    known = "".join(f" WHEN {value} = {level} THEN {i}" for level, i in named.items())
    return f"CASE WHEN {gap} THEN {missing}{known} ELSE {beyond} END"


def _tables(of: ProsetFormula | SetCoverFormula, prior: np.ndarray) -> dict[str, str]:
    """Prototypes and the weights of their batches; the prior is as many prototypes without feature weights."""
    n_used, n_prior = len(of.used), len(prior)
    rows: list[list[str]] = [
        [str(k), str(k), "-1", "0", "-1", _number(q), *["0e0"] * n_used] for k, q in enumerate(prior)
    ]
    batch, numbers, names, weights = np.zeros(len(of.labels), dtype=int), [0], np.zeros(len(of.labels), dtype=int), None
    if isinstance(of, ProsetFormula):
        batch, numbers, names, weights = of.batch, of.batch_numbers.tolist(), of.rows, of.prototype_weights
    for j, point in enumerate(of.prototypes):
        weight = "1e0" if weights is None else _number(weights[j])
        place = [str(n_prior + j), str(of.labels[j]), str(batch[j]), str(numbers[batch[j]]), str(names[j]), weight]
        rows.append([*place, *map(_number, point)])
    squares = np.where(of.category > 0.0, (of.feature_weights * of.category) ** 2, of.feature_weights)
    weights_of = [["-1", *["0e0"] * (2 * n_used)]] if n_prior else []
    weights_of += [[str(b), *map(_number, [*v, *of.gaps[b]])] for b, v in enumerate(squares)]
    head = ["prototype", "class", "of_batch", "batch", "training_row", "weight"]
    return {
        f"prototype({', '.join([*head, *_numbered('c', n_used)])})": _values(rows),
        f"batch({', '.join(['of_batch', *_numbered('v', n_used), *_numbered('gap', n_used)])})": _values(weights_of),
    }


def _exponents(of: ProsetFormula | SetCoverFormula) -> list[str]:
    """What each feature adds for a point z and a prototype c, by the weights of its batch b."""
    found = []
    for a, category in enumerate(of.category):
        square = f"b.v{a} * (z.z{a} - c.c{a}) * (b.v{a} * (z.z{a} - c.c{a}))"
        if category > 0.0:
            square = f"CASE WHEN z.z{a} = c.c{a} THEN 0e0 ELSE b.v{a} END"
        elif of.takes_gaps:
            both, one = f"z.z{a} IS NULL AND c.c{a} IS NULL", f"z.z{a} IS NULL OR c.c{a} IS NULL"
            square = f"CASE WHEN {both} THEN 0e0 WHEN {one} THEN b.gap{a} ELSE {square} END"
        found.append(square)
    return found


_PAIRS = "proset_z AS z CROSS JOIN proset_prototype AS c JOIN proset_batch AS b ON b.of_batch = c.of_batch"


def _terms(of: ProsetFormula) -> dict[str, str]:
    """What the start and the prototypes add to their classes."""
    exponent = " +\n    ".join(_exponents(of))
    columns = "id, prototype, class, batch, training_row, weight, similarity"
    term = (
        f"SELECT z.id, prototype, class, batch, training_row, weight, exp(-0.5e0 * (\n    {exponent}))\n  FROM {_PAIRS}"
    )
    if of.base_coefficients is None or of.base_intercepts is None:
        return _tables(of, of.class_prior) | {f"term({columns})": f"(\n  {term}\n)"}
    n_used = len(of.used)
    rows = [
        [str(k), *map(_number, [b, *w])]
        for k, (b, w) in enumerate(zip(of.base_intercepts, of.base_coefficients, strict=True))
    ]
    score = " + ".join(["r.intercept", *(f"r.w{a} * z.z{a}" for a in range(n_used))])
    start = "SELECT id, -1, class, 0, -1, q, 1e0 FROM proset_base"
    found = {
        f"regression({', '.join(['class', 'intercept', *_numbered('w', n_used)])})": _values(rows),
        "score": f"(\n  SELECT z.id, r.class, {score} AS score FROM proset_z AS z CROSS JOIN proset_regression AS r\n)",
        "base": _BASE.format(floor=_number(FLOOR)),
    }
    if not len(of.labels):
        return found | {f"term({columns})": f"(\n  {start}\n)"}
    return found | _tables(of, np.empty(0)) | {f"term({columns})": f"(\n  {start}\n  UNION ALL\n  {term}\n)"}


def _decision(of: ProsetFormula) -> dict[str, str]:
    """Probabilities, and the first of the most probable classes, or of those with the smallest expected cost."""
    found = {"probability": _PROBABILITY}
    if of.cost_matrix is None:
        found["first"] = _FIRST.format(of="probability", by="p DESC, class")
    else:
        rows = [[str(i), str(k), _number(cost)] for (i, k), cost in np.ndenumerate(of.cost_matrix)]
        found["costs(true_class, class, cost)"] = _values(rows)
        found |= {"expected": _EXPECTED, "first": _FIRST.format(of="expected", by="cost, class")}
    columns = _columns([f"max(CASE WHEN class = {k} THEN p END)" for k in range(len(of.classes))], "p")
    return found | {"row": f"(SELECT id, {columns} FROM proset_probability GROUP BY id)"}


def _nearest(of: SetCoverFormula) -> dict[str, str]:
    """The class of the nearest prototype, of equally near ones the first."""
    if not len(of.labels):
        return {"first": f"(SELECT id, {of.majority} AS class FROM proset_z)"}
    term, distance = DISTANCES[of.metric]
    terms = " + ".join(f"sqrt({e})" if term.startswith("sqrt") else e for e in _exponents(of))
    distance = f"sqrt({terms})" if distance.startswith("sqrt") else terms
    return _tables(of, np.empty(0)) | {
        "distance": f"(SELECT z.id, c.class, c.prototype, {distance} AS distance FROM {_PAIRS})",
        "first": _FIRST.format(of="distance", by="distance, prototype"),
    }


def _wide(of: ProsetFormula | SetCoverFormula, key: str, names: list[str]) -> str:
    """A row for each of the table."""
    columns = "".join(f", r.p{k} AS {_name(name)}" for k, name in enumerate(names))
    join = "\nLEFT JOIN proset_row AS r ON r.id = s.id" if names else ""
    return (
        f"SELECT s.row_key AS {_name(key)}, {_label('f.class', of)} AS label{columns}\n"
        f"FROM proset_sample AS s LEFT JOIN proset_first AS f ON f.id = s.id{join}\nORDER BY s.id"
    )


def _attributions(of: ProsetFormula, background: np.ndarray) -> dict[str, str]:
    """See `proset.convert.attributions`; sets of features are numbers, of which bit a stands for feature a."""
    n_used, n_classes = len(of.used), len(of.classes)
    columns = _columns(_exponents(of), "e")
    of_rows = _PAIRS.replace("proset_z", "proset_background")
    bits = [f"((s.s >> {a}) & 1)" for a in range(n_used)]
    inside = " + ".join(f"CASE WHEN {bit} = 1 THEN e.e{a} ELSE 0e0 END" for a, bit in enumerate(bits))
    outside = inside.replace(" = 1 ", " = 0 ")
    number = " + ".join(f"{2**a} * b{a}.bit" for a in range(n_used))
    size = " + ".join(f"b{a}.bit" for a in range(n_used))
    sets = " CROSS JOIN ".join(f"proset_bit AS b{a}" for a in range(n_used))
    q = [f"sum(CASE WHEN r.class = {k} THEN x.factor * r.part ELSE 0e0 END)" for k in range(n_classes)]
    total = " + ".join(_numbered("q", n_classes))
    p = [f"avg(q{k} / ({total}))" for k in range(n_classes)]
    of_class = "CASE k.class " + " ".join(f"WHEN {k} THEN v.p{k}" for k in range(n_classes)) + " END"
    is_inside = "((s.s >> f.a) & 1)"
    rows = [[str(m), *map(_number, row)] for m, row in enumerate(background)]
    base = [[str(k), _number(value)] for k, value in enumerate(base_values(of, background))]
    weights = [[str(n), _number(weight)] for n, weight in enumerate(orders(n_used))]
    return _tables(of, of.class_prior) | {
        f"background({', '.join(['id', *_numbered('z', n_used)])})": _values(rows),
        "bit(bit)": _values([["0"], ["1"]]),
        "feature(a)": _values([[str(a)] for a in range(n_used)]),
        "orders(size, weight)": _values(weights),
        "class(class, base_value)": _values(base),
        "sets": _materialized(f"SELECT {number} AS s, {size} AS size FROM {sets}"),
        "near": f"(SELECT z.id, c.prototype, {columns} FROM {_PAIRS})",
        "near_rows": f"(SELECT z.id, c.prototype, c.class, c.weight, {columns} FROM {of_rows})",
        "of_sample": _materialized(
            f"SELECT e.id, s.s, e.prototype, exp(-0.5e0 * ({inside})) AS factor\n"
            "  FROM proset_near AS e CROSS JOIN proset_sets AS s"
        ),
        "of_rows": _materialized(
            f"SELECT e.id, s.s, e.prototype, e.class, e.weight * exp(-0.5e0 * ({outside})) AS part\n"
            "  FROM proset_near_rows AS e CROSS JOIN proset_sets AS s"
        ),
        "mixed": f"(\n  SELECT x.id, x.s, {_columns(q, 'q')}\n"
        "  FROM proset_of_sample AS x JOIN proset_of_rows AS r ON r.s = x.s AND r.prototype = x.prototype\n"
        "  GROUP BY x.id, x.s, r.id\n)",
        "value": _materialized(f"SELECT id, s, {_columns(p, 'p')} FROM proset_mixed GROUP BY id, s"),
        "attribution": f"(\n  SELECT v.id, f.a, k.class, k.base_value,\n"
        f"    sum({of_class} * CASE WHEN {is_inside} = 1 THEN o.weight ELSE -o.weight END) AS attribution\n"
        "  FROM proset_value AS v JOIN proset_sets AS s ON s.s = v.s\n"
        f"  CROSS JOIN proset_feature AS f JOIN proset_orders AS o ON o.size = s.size - {is_inside}\n"
        "  CROSS JOIN proset_class AS k GROUP BY v.id, f.a, k.class, k.base_value\n)",
    }


def _values(rows: Iterable[list[str]]) -> str:
    return "(\n  VALUES " + ",\n    ".join(f"({', '.join(row)})" for row in rows) + "\n)"


def _materialized(select: str) -> str:
    return f"MATERIALIZED (\n  {select}\n)"


def _columns(expressions: list[str], letter: str) -> str:
    return ", ".join(f"{expression} AS {letter}{i}" for i, expression in enumerate(expressions))


def _numbered(letter: str, n: int) -> list[str]:
    return [f"{letter}{i}" for i in range(n)]


def _case(value: str, texts: list[str]) -> str:
    return f"CASE {value} " + " ".join(f"WHEN {i} THEN {_text(text)}" for i, text in enumerate(texts)) + " END"


def _label(value: str, of: ProsetFormula | SetCoverFormula) -> str:
    """A class by its number: a number or a truth value, if all are and a database has them, else text."""
    labels = of.classes.tolist()
    if all(isinstance(label, bool) for label in labels):
        literals = [str(label).upper() for label in labels]
    elif all(isinstance(label, int) and abs(label) < 2**63 for label in labels):
        literals = [str(label) for label in labels]
    elif all(isinstance(label, float) for label in labels):
        literals = [_number(label) for label in labels]
    else:
        return _case(value, [str(label) for label in labels])
    return f"CASE {value} " + " ".join(f"WHEN {k} THEN {literal}" for k, literal in enumerate(literals)) + " END"


def _number(value: float) -> str:
    """With an exponent: without, DuckDB takes a decimal number, of which it keeps some places."""
    text = repr(float(value))
    return "NULL" if text == "nan" else text if "e" in text else f"{text}e0"


def _text(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
