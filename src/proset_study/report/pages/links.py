"""Links of pages to files, and pages without dead ones."""

import re
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from urllib.parse import unquote

from proset_study.study import layout
from proset_study.study.config.study import Study

_LINK = re.compile(r'<a\b[^>]*?\bhref="([^"]*)"[^>]*>(.*?)</a>', re.DOTALL)
_ARCHIVED = 'title="only in the archive of a release"'
_TABLE = re.compile(rf'href="{re.escape(layout.TABLE_PAGE)}#(\w+)"')
_NAVIGATION = re.compile(r"<nav\b.*?</nav>", re.DOTALL)
_DOCUMENT = re.compile(r'(<a\b[^>]*?\bhref="[^"#]*/docs/[^"#]*)\.md(?=[#"])')


def is_there(page: Path, address: str) -> bool:
    """Whether what a page links to is a file here, or elsewhere on the web."""
    path, _, _ = address.partition("#")
    if not path or re.match(r"[a-z]+:", path):
        return True
    return (page.parent / unquote(path)).is_file()


def unlinked(text: str, is_link: Callable[[str], object]) -> str:
    """A page in which links with other addresses than `is_link` takes are text.

    >>> unlinked('<a href="gone.html#x">1</a> <a href="#y">2</a>', lambda address: address.startswith("#"))
    '<span title="only in the archive of a release">1</span> <a href="#y">2</a>'
    """
    return _LINK.sub(lambda match: match[0] if is_link(match[1]) else f"<span {_ARCHIVED}>{match[2]}</span>", text)


def as_committed(text: str, study: Study, there: Iterable[str]) -> str:
    """A page of a report without links to what is not `there`, or in the archive of a release only.

    Without the page of all tables, links to one of them lead to its Markdown. Of the navigation nothing else is left of
    such links. Committed reports share one library.
    """
    text = text.replace(f'run("{layout.VEGA}")', f'run("../{layout.VEGA}")')
    kept = {name for name in there if not layout.archived(study, name)}
    if layout.TABLE_PAGE not in kept:
        text = _TABLE.sub(lambda match: f'href="{layout.TABLE.format(table=match[1], suffix="md")}"', text)

    def is_link(address):
        path, _, _ = address.partition("#")
        return not path or re.match(r"[a-z]+:|\.\./", path) or unquote(path) in kept

    text = unlinked(text, is_link)
    return _NAVIGATION.sub(lambda navigation: re.sub(rf"\s*<span {_ARCHIVED}>[^<]*</span>", "", navigation[0]), text)


def relinked(text: str, page: Path, has_docs: bool) -> str:
    """A page of a report for its place in the site: documentation is HTML there, and dead links are only text."""
    return unlinked(_DOCUMENT.sub(r"\1.html", text) if has_docs else text, partial(is_there, page))
