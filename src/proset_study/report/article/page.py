"""docs/findings.md from its template, with numbers and tables by the names that they have in the article."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined

from proset_study.report.article.build import SOURCES, checked
from proset_study.report.article.sources import PAGE
from proset_study.report.wording import table_line
from proset_study.store.stored import Missing


def findings(project: Path) -> str:
    """The page in Markdown, of the folder with `article`, `reports`, `benchmarks` and `data`.

    ValueError as `checked`, or if the template gives a reason why a claim fails that does not, or none for one that
    does; `Missing` if it names, outside of an `if given(...)`, what is in records that are missing.
    """
    content, missing = checked(project)
    failing = {row[0] for row in content.tables["claims.failing"][1:]}
    explained: set[str] = set()

    def reason(*claims: str) -> str:
        explained.update(claims)
        return ", ".join(claims)

    def of(found: Mapping[str, Any]) -> Callable[[str], Any]:
        def named(name: str) -> Any:
            if name in found:
                return found[name]
            raise Missing(f"{name}, which `{missing[name.partition('.')[0]].command}` computes")

        return named

    environment = Environment(undefined=StrictUndefined, keep_trailing_newline=True, trim_blocks=True)
    environment.globals = {
        "n": of(content.texts),
        "tab": of({name: markdown(table) for name, table in content.tables.items()}),
        "given": lambda topic: topic not in missing,
        "missing": lambda topic: f"No records are in the repository yet; `{missing[topic].command}` computes them.",
        "reason": reason,
    }
    page = environment.from_string((project / SOURCES / PAGE).read_text(encoding="utf-8")).render()
    check_reasons(explained, failing)
    return page


def check_reasons(explained: set[str], failing: set[str]) -> None:
    """Refuse a reason for a claim that does not fail, and a claim that fails without one."""
    words = [f"{name} does not fail" for name in sorted(explained - failing)]
    words += [f"no reason why {name} fails" for name in sorted(failing - explained)]
    if words:
        raise ValueError(f"{SOURCES}/{PAGE}: {'; '.join(words)}")


def markdown(table: list[list[str]]) -> str:
    """Rows of cells as a table, without an end of line.

    >>> print(markdown([["data set", "loss"], ["wine", "0.1"]]))
    | data set | loss |
    |---|---|
    | wine | 0.1 |
    """
    heading, *rows = (table_line(cell.replace("|", r"\|") for cell in row) for row in table)
    return "\n".join([heading, "|" + "---|" * len(table[0]), *rows])
