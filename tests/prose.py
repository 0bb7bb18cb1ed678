"""The checker of English: `python -m tests.prose`, a part of `make lint`.

Proselint checks pages by its own rules. In pages, docstrings, comments, messages and templates of the report it looks
for the phrases that the style page of CONTRIBUTING.md says to avoid. Quotations in pages are not checked.
"""

import ast
import re
import sys
from functools import cache

from proselint.checks import __register__ as PROSELINT
from proselint.config import DEFAULT
from proselint.registry import CheckRegistry
from proselint.registry.checks import Check, Padding
from proselint.registry.checks.types import Existence
from proselint.tools import LintFile
from tests.shared import ROOT

PAGES = ("*.md", "docs/*.md", "docs/guide/*.md", "article/*.typ", "article/*.j2")
SOURCES = ("src/**/*.py", "src/**/*.j2", "workflow/**/*.smk", "workflow/Snakefile")
# One says what former versions said, the other quotes sentences of committed reports.
EXCEPT = ("CHANGELOG.md", "findings.md")
CLAIMS = ROOT / "src/proset_study/report/claims"  # whose words are in the records of committed reports
STYLE = "style"
HEADLESS = re.compile(r"(Of|Those|That|By|From|With|As|On|To|For|Over|Ever)\b")
# These take code, formulas and quoted messages for prose.
OFF = (
    *("typography", "lexical_illusions", "dates_times", "psychology"),
    *("misc.preferred_forms", "misc.phrasal_adjectives"),
)


def rules() -> list[tuple[list[str], str, str]]:
    """Phrases to avoid, a sentence with one of them and a better one: the rows of the style page's table."""
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| \d+ \| [^|]* \| ([^|]*) \| ([^|]*) \| ([^|]*) \|$", page, re.MULTILINE)
    return [(re.findall("`(.+?)`", avoid), before, after) for avoid, before, after in rows]


def style() -> Check:
    """The phrases to avoid as a check of proselint."""
    phrases = tuple(phrase for avoid, _, _ in rules() for phrase in avoid)
    return Check(Existence(phrases, Padding.WORDS_IN_TEXT), path=STYLE, message="'{}': see Style in CONTRIBUTING.md.")


def faults(text: str, *, prose: bool = True) -> list[str]:
    """What is wrong with a text, each with line and column; of what is not `prose` only phrases to avoid count."""
    registry = CheckRegistry()
    if not registry.checks:
        registry.register_many((*PROSELINT, style()))
    enabled = {name: prose and usual for name, usual in DEFAULT["checks"].items()}
    enabled |= dict.fromkeys(OFF, False) | {STYLE: True}
    checks = dict(sorted(enabled.items(), key=lambda item: -item[0].count(".")))  # the most specific decides
    results = LintFile("", text).lint({"max_errors": 1000, "checks": checks})
    return [f"{line}:{column}: {result.message}" for result, (line, column) in results]


@cache
def _pattern() -> re.Pattern[str]:
    phrases = [re.escape(phrase) for avoid, _, _ in rules() for phrase in avoid]
    return re.compile(rf"\b({'|'.join(phrases)})\b", re.IGNORECASE)


def avoided(source: str) -> list[str]:
    """Phrases to avoid in the strings of a Python file, docstrings too, which proselint takes for quotations."""
    strings = [n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    return [
        f"{n.lineno}: '{match}': see Style in CONTRIBUTING.md."
        for n in strings
        for match in _pattern().findall(n.value)
    ]


def headless(source: str) -> list[str]:
    """Docstrings of a Python file whose first words name neither what is returned nor what is done."""
    documented = (n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.FunctionDef | ast.ClassDef))
    return [
        f"{n.lineno}: '{words[1]}' begins the docstring of {n.name}: see Style in CONTRIBUTING.md."
        for n in documented
        if (words := HEADLESS.match(ast.get_docstring(n) or ""))
    ]


def main() -> None:
    """Print all faults of the project's texts; status 1 if there are any."""
    files = [(path, True) for pattern in PAGES for path in sorted(ROOT.glob(pattern)) if path.name not in EXCEPT]
    files += [(path, False) for pattern in SOURCES for path in sorted(ROOT.glob(pattern))]
    printed = 0
    for path, prose in files:
        text = path.read_text(encoding="utf-8")
        if path.name == "CONTRIBUTING.md":
            text = re.sub(r"^\| \d+ \|.*$", "", text, flags=re.MULTILINE)
        is_python = path.suffix == ".py" and path.parent != CLAIMS
        for fault in faults(text, prose=prose) + (avoided(text) + headless(text) if is_python else []):
            printed += 1
            print(f"{path.relative_to(ROOT)}:{fault}")
    sys.exit(bool(printed))


if __name__ == "__main__":
    main()
