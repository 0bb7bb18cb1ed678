"""Values, names and lists as they are written in SQL."""

from collections.abc import Iterable

from proset.convert.formula import ProsetFormula, SetCoverFormula


def value_rows(rows: Iterable[list[str]]) -> str:
    return "(\n  VALUES " + ",\n    ".join(f"({', '.join(row)})" for row in rows) + "\n)"


def materialized(select: str) -> str:
    return f"MATERIALIZED (\n  {select}\n)"


def aliased(expressions: list[str], letter: str) -> str:
    return ", ".join(f"{expression} AS {letter}{i}" for i, expression in enumerate(expressions))


def numbered(letter: str, n: int) -> list[str]:
    return [f"{letter}{i}" for i in range(n)]


def case_of(value: str, texts: list[str]) -> str:
    return f"CASE {value} " + " ".join(f"WHEN {i} THEN {text_literal(text)}" for i, text in enumerate(texts)) + " END"


def label_case(value: str, of: ProsetFormula | SetCoverFormula) -> str:
    """A class by its number: a number or a truth value, if all are and a database has them, else text."""
    labels = of.classes.tolist()
    if all(isinstance(label, bool) for label in labels):
        literals = [str(label).upper() for label in labels]
    elif all(isinstance(label, int) and abs(label) < 2**63 for label in labels):
        literals = [str(label) for label in labels]
    elif all(isinstance(label, float) for label in labels):
        literals = [number_literal(label) for label in labels]
    else:
        return case_of(value, [str(label) for label in labels])
    return f"CASE {value} " + " ".join(f"WHEN {k} THEN {literal}" for k, literal in enumerate(literals)) + " END"


def number_literal(value: float) -> str:
    """A number with an exponent: without one, DuckDB takes a decimal number, of which it keeps some places."""
    text = repr(float(value))
    return "NULL" if text == "nan" else text if "e" in text else f"{text}e0"


def text_literal(text: str) -> str:
    if "\0" in text:
        raise ValueError(f"model: {text!r} is not allowed as a class or category, no text in SQL has a NUL")
    return "'" + text.replace("'", "''") + "'"


def quoted_name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
