"""Links of pages to files, and pages without dead ones."""

import re
from collections.abc import Callable, Iterable
from pathlib import Path
from urllib.parse import unquote

from proset_study.study import layout
from proset_study.study.config.study import Study

_LINK = re.compile(r'<a\b([^>]*?)\bhref="([^"]*)"([^>]*)>(.*?)</a>', re.DOTALL)
_ARCHIVED = 'title="only in the archive of a release"'
_TABLE = re.compile(rf'href="{re.escape(layout.TABLE_PAGE)}#(\w+)"')
_NAVIGATION = re.compile(r"<nav\b.*?</nav>", re.DOTALL)
_MARKDOWN = re.compile(r"^(.*?)\.md(#.*)?$")


def is_there(page: Path, address: str) -> bool:
    """Whether what a page links to is a file here, or elsewhere on the web."""
    path, _, _ = address.partition("#")
    if not path or re.match(r"[a-z]+:", path):
        return True
    return (page.parent / unquote(path)).is_file()


def unlinked(text: str, has: Callable[[str], bool]) -> str:
    """A page in which links are text where the file that they lead to is not there; other addresses stay.

    >>> unlinked('<a href="gone.html#x">1</a> <a href="#y">2</a>', lambda name: False)
    '<span title="only in the archive of a release">1</span> <a href="#y">2</a>'
    """

    def kept(match: re.Match) -> str:
        _, address, _, content = match.groups()
        path, _, _ = address.partition("#")
        is_link = not path or re.match(r"[a-z]+:|\.\./", path) or has(unquote(path))
        return match[0] if is_link else f"<span {_ARCHIVED}>{content}</span>"

    return _LINK.sub(kept, text)


def as_committed(text: str, study: Study, there: Iterable[str]) -> str:
    """A page of a report without links to what is not `there`, or in the archive of a release only.

    Without the page of all tables, links to one of them lead to its Markdown. Of the navigation nothing else is left of
    such links. Committed reports share one library.
    """
    text = text.replace(f'run("{layout.VEGA}")', f'run("../{layout.VEGA}")')
    kept = {name for name in there if not layout.archived(study, name)}
    if layout.TABLE_PAGE not in kept:
        text = _TABLE.sub(lambda match: f'href="{layout.TABLE.format(table=match[1], suffix="md")}"', text)
    text = unlinked(text, kept.__contains__)
    return _NAVIGATION.sub(lambda navigation: re.sub(rf"\s*<span {_ARCHIVED}>[^<]*</span>", "", navigation[0]), text)


def relinked(text: str, page: Path, has_docs: bool) -> str:
    """A page of a report for its place in the site: documentation is HTML there, and dead links are only text."""

    def changed(match: re.Match) -> str:
        before, address, after, content = match.groups()
        markdown = _MARKDOWN.match(address)
        if has_docs and markdown and "/docs/" in address:
            address = f"{markdown[1]}.html{markdown[2] or ''}"
        if is_there(page, address):
            return f'<a{before}href="{address}"{after}>{content}</a>'
        return f"<span {_ARCHIVED}>{content}</span>"

    return _LINK.sub(changed, text)
