"""A small index of all pages: an address, a title and the text of each section."""

import re
from html import unescape
from pathlib import Path

_HEADING = re.compile(r"<h([1-3])\b([^>]*)>(.*?)</h\1>", re.DOTALL)
_NOT_READ = re.compile(r"<(script|style|nav|header|footer|svg|table|pre|math)\b.*?</\1>", re.DOTALL)
_MAIN = re.compile(r"<(main|article)\b[^>]*>(.*?)</\1>", re.DOTALL)
_ID = re.compile(r'<section id="([^"]*)"[^>]*>\s*(?:<span[^>]*></span>)?\s*$|\bid="([^"]*)"')


def index(folder: Path, pages: list[Path]) -> list[tuple[str, str, str]]:
    """Entries of pages below a folder: address, title, text."""
    read = ((page.relative_to(folder).as_posix(), page.read_text(encoding="utf-8")) for page in pages)
    return [entry for address, html in read for entry in sections(address, html)]


def sections(address: str, html: str) -> list[tuple[str, str, str]]:
    """The sections of one page by its headings; a page without a main part has none."""
    main = _MAIN.search(html)
    if main is None:
        return []
    body, found, page = main[2], [], ""
    headings = list(_HEADING.finditer(body))
    for heading, after in zip(headings, [*headings[1:], None], strict=True):
        title = _text(heading[3]).removesuffix("#").rstrip()
        page = page or title
        text = _text(body[heading.end() : after.start() if after else len(body)])
        place = _ID.search(heading[2]) or _ID.search(body[: heading.start()][-200:].rstrip())
        anchor = f"#{place[1] or place[2]}" if place and heading is not headings[0] else ""
        found.append((address + anchor, title if title == page else f"{title} \N{EN DASH} {page}", text))
    return found


def _text(html: str) -> str:
    """What one reads of a piece of HTML."""
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", _NOT_READ.sub(" ", html))).split())
