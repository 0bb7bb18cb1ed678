"""The check of the sources of article and findings: no number typed by hand, no name without a record."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import yaml

TEXT, TEMPLATE, DEFINITIONS, METADATA = "article.typ", "template.typ", "definitions.typ", "metadata.yaml"
EXAMPLE = '#n("reproduction.within")'
CALLS = {"n": "texts", "tab": "tables", "fig": "figures"}  # of template.typ, and what of the records they name
_NAME = re.compile(rf'\b({"|".join((*CALLS, "given", "missing"))})\(\s*"([^"]*)"')
PAGE = "findings.md.j2"
_CODE_OR_TARGET = re.compile(r"`[^`]*[A-Za-z][^`]*`|\]\([^)]*\)|\{#.*?#\}|\breason\([^)]*\)", re.DOTALL)
_COMMENT = re.compile(r"(?<!:)//[^\n]*|/\*.*?\*/|(?P<raw>`[^`\n]*`)", re.DOTALL)
_SWALLOWED = re.compile(rf'#(?:{"|".join(CALLS)})\("[^"]*"\)(;)')
SEMICOLON = r"loses its semicolon, which ends the call in Typst; write \;"
_WIDTH = re.compile(r"\bwidth: \d+%")  # of a figure on the page
_WORDS = (
    *("three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen", "fourteen"),
    *("fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty", "thirty", "forty", "fifty", "sixty"),
    *("seventy", "eighty", "ninety", "hundred", "thousand", "million", "dozen"),
)
_NUMBER = re.compile(rf"\d+(?:[.,]\d+)*|[⁰¹²³⁴⁵⁶⁷⁸⁹½¼¾]+|\b(?:{'|'.join(_WORDS)})\b", re.IGNORECASE)


def check(folder: Path, own_names: Iterable[str], known: dict[str, set[str]], missing: set[str]) -> None:
    """Refuse sources with a number that is typed by hand, a name without a record, or a formula without its source.

    `own_names` are experiments and data sets, which may have digits; `known` are the names of "texts", "tables",
    "figures" and "topics"; those of the topics in `missing` cannot be known. ValueError with a line for each fault:
    file, line, what is written, what is allowed.
    """
    allowed = re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, own_names))})(?![\w-])")
    found = []
    for path in sorted(folder.glob("*.typ")):
        text = path.read_text(encoding="utf-8")
        if path.name == DEFINITIONS:
            found += [f"{path}:{place}" for place in _without_source(text)]
            continue
        bare = _COMMENT.sub(lambda match: match["raw"] or _blank(match), text)
        found += [f"{path}:{place}" for place in (*_unknown(bare, known, missing), *_all(_SWALLOWED, bare, SEMICOLON))]
        bare = allowed.sub(_blank, _WIDTH.sub(_blank, _NAME.sub(_blank, bare)))
        if path.name == TEMPLATE:  # its code has sizes and places; what it prints is in brackets
            bare = "".join(_outside_brackets_blank(bare))
        found += [f"{path}:{place}" for place in _typed(bare)]
    text = (folder / PAGE).read_text(encoding="utf-8")
    found += [f"{folder / PAGE}:{place}" for place in _unknown(text, known, missing)]
    bare = allowed.sub(_blank, _CODE_OR_TARGET.sub(_blank, _NAME.sub(_blank, text)))
    found += [f"{folder / PAGE}:{place}" for place in _typed(bare)]
    metadata = yaml.safe_load((folder / METADATA).read_text(encoding="utf-8"))
    for key in ("title", "abstract"):
        found += [f"{folder / METADATA}: {key}: {place.partition(': ')[2]}" for place in _typed(metadata[key])]
    if found:
        raise ValueError("\n".join(found))


def check_subject(subject: str, allowed: str) -> None:
    """Refuse (ValueError) the report of a study about another method: texts and topics are about this one."""
    if subject != allowed:
        raise ValueError(f"subject: {subject!r} is not allowed, article and findings are about {allowed}")


def _typed(text: str) -> list[str]:
    return _all(_NUMBER, text, f"is typed by hand; allowed are names of the records, as in {EXAMPLE}")


def _unknown(text: str, known: dict[str, set[str]], missing: set[str]) -> Iterator[str]:
    for match in _NAME.finditer(text):
        call, name = match.groups()
        names, topic = known[CALLS.get(call, "topics")], name.partition(".")[0]
        if name not in names and topic not in missing:
            like = [n for n in names if n.partition(".")[0] == topic] or {n.partition(".")[0] for n in names}
            yield f"{_line(text, match)}: {name!r} is not in the records, which have {', '.join(sorted(like))}"


def _all(pattern: re.Pattern, text: str, fault: str) -> list[str]:
    return [f"{_line(text, match)}: {match[0]!r} {fault}" for match in pattern.finditer(text)]


def _without_source(text: str) -> Iterator[str]:
    for match in re.finditer(r"^#(.*)$", text, re.MULTILINE):
        before = text[: match.start()].rstrip("\n").rpartition("\n")[2]
        if not before.startswith("// Source: ") or not re.match(r"let [\w-]+ = \$", match[1]):
            yield f"{_line(text, match)}: {match[0]!r} is not a formula below a line '// Source: ...'"


def _outside_brackets_blank(text: str) -> Iterator[str]:
    depth = 0
    for character in text:
        depth += (character == "[") - (character == "]")
        yield character if depth or character == "\n" else " "


def _line(text: str, match: re.Match) -> int:
    return text.count("\n", 0, match.start()) + 1


def _blank(match: re.Match) -> str:
    return re.sub(r"[^\n]", " ", match[0])
