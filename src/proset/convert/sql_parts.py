"""What all statements of SQL about a classifier have in common: its samples, tables and distances."""

import numpy as np

from proset.convert.formula import LARGEST, ProsetFormula, SetCoverFormula
from proset.convert.sql_text import (
    aliased,
    materialized,
    number_literal,
    numbered,
    quoted_name,
    text_literal,
    value_rows,
)
from proset.encoding import Category, text_of


def samples_of(of: ProsetFormula | SetCoverFormula, table: str, key: str) -> dict[str, str]:
    """Rows of the table by number, and their scaled features, of those rows that can be predicted."""
    read = [_read(of, a) for a in range(len(of.used))]
    numbers = [a for a, levels in enumerate(of.levels) if levels is None]
    finite = [f"z{a} - z{a} = 0" if not of.takes_gaps else f"(z{a} IS NULL OR z{a} - z{a} = 0)" for a in numbers]
    select = f"SELECT row_number() OVER () AS id, t.{quoted_name(key)} AS row_key, {aliased(read, 'z')}"
    parts = {"sample": materialized(f"{select} FROM {quoted_name(table)} AS t")}
    inner = f"SELECT * FROM proset_sample WHERE {' AND '.join(finite) or '1 = 1'}"
    for shift, scale, low, high in zip(of.shift, of.scale, of.low, of.high, strict=True):
        moved, clipped = [f"z{a}" for a in range(len(of.used))], [f"z{a}" for a in range(len(of.used))]
        for a in numbers:
            if shift[a] != 0.0 or scale[a] != 1.0:
                moved[a] = f"(z{a} - {number_literal(shift[a])}) / {number_literal(scale[a])}"
            if low[a] != -LARGEST or high[a] != LARGEST:
                least, most = number_literal(low[a]), number_literal(high[a])
                clipped[a] = f"CASE WHEN z{a} < {least} THEN {least} WHEN z{a} > {most} THEN {most} ELSE z{a} END"
        for stage in (moved, clipped):
            inner = f"SELECT id, row_key, {aliased(stage, 'z')} FROM (\n  {inner}\n  ) AS stage"
    return parts | {"z": materialized(inner)}


def _read(of: ProsetFormula | SetCoverFormula, a: int) -> str:
    """A number, NULL if it is missing, or that of a category among the levels."""
    column, levels = f"t.{quoted_name(of.feature_names[of.used[a]])}", of.levels[a]
    number = f"CAST({column} AS DOUBLE)"
    is_nan = f"{number} > 0 AND -{number} > 0"  # in DuckDB, where NaN is above all numbers
    if levels is None:
        return f"CASE WHEN {is_nan} THEN NULL ELSE {number} END"
    beyond = "NULL" if of.ordered[a] else number_literal(float(len(levels)))
    numbers: dict[Category, str] = {level: number_literal(float(i)) for i, level in enumerate(levels)}
    missing = numbers.pop(None, beyond)
    if any(isinstance(level, str) for level in numbers):
        # '' is appended to compare by characters, whatever the collation of the column.
        value, named = (
            f"CAST({column} AS VARCHAR) || ''",
            {text_literal(text_of(level)): i for level, i in numbers.items() if level is not None},
        )
        gap = f"{column} IS NULL"
    else:
        value, named = number, {number_literal(float(level)): i for level, i in numbers.items() if level is not None}
        gap = f"{column} IS NULL OR {is_nan}"
    known = "".join(f" WHEN {value} = {level} THEN {i}" for level, i in named.items())
    return f"CASE WHEN {gap} THEN {missing}{known} ELSE {beyond} END"


def tables_of(of: ProsetFormula | SetCoverFormula, prior: np.ndarray) -> dict[str, str]:
    """Prototypes and the weights of their batches; the prior is as many prototypes without feature weights."""
    n_used, n_prior = len(of.used), len(prior)
    rows: list[list[str]] = [
        [str(k), str(k), "-1", "0", "-1", number_literal(q), *["0e0"] * n_used] for k, q in enumerate(prior)
    ]
    batch, numbers, names, weights = np.zeros(len(of.labels), dtype=int), [0], np.zeros(len(of.labels), dtype=int), None
    if isinstance(of, ProsetFormula):
        batch, numbers, names, weights = of.batch, of.batch_numbers.tolist(), of.rows, of.prototype_weights
    for j, point in enumerate(of.prototypes):
        weight = "1e0" if weights is None else number_literal(weights[j])
        place = [str(n_prior + j), str(of.labels[j]), str(batch[j]), str(numbers[batch[j]]), str(names[j]), weight]
        rows.append([*place, *map(number_literal, point)])
    squares = np.where(of.category > 0.0, (of.feature_weights * of.category) ** 2, of.feature_weights)
    weights_of = [["-1", *["0e0"] * (2 * n_used)]] if n_prior else []
    weights_of += [[str(b), *map(number_literal, [*v, *of.gaps[b]])] for b, v in enumerate(squares)]
    head = ["prototype", "class", "of_batch", "batch", "training_row", "weight"]
    return {
        f"prototype({', '.join([*head, *numbered('c', n_used)])})": value_rows(rows),
        f"batch({', '.join(['of_batch', *numbered('v', n_used), *numbered('gap', n_used)])})": value_rows(weights_of),
    }


def exponents_of(of: ProsetFormula | SetCoverFormula) -> list[str]:
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


PAIRS = "proset_z AS z CROSS JOIN proset_prototype AS c JOIN proset_batch AS b ON b.of_batch = c.of_batch"
