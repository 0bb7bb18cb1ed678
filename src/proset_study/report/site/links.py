"""Links of pages to files: which are dead, and pages without those."""

import re
from pathlib import Path
from urllib.parse import unquote

_LINK = re.compile(r'<a\b([^>]*?)\bhref="([^"]*)"([^>]*)>(.*?)</a>', re.DOTALL)
_MARKDOWN = re.compile(r"^(.*?)\.md(#.*)?$")


def dead_links(page: Path) -> list[str]:
    """Addresses of files that a page links to and that are not there, once each."""
    text = page.read_text(encoding="utf-8")
    return list(dict.fromkeys(address for _, address, *_ in _LINK.findall(text) if not is_there(page, address)))


def is_there(page: Path, address: str) -> bool:
    """Whether what a page links to is a file here, or elsewhere on the web."""
    path, _, _ = address.partition("#")
    if not path or re.match(r"[a-z]+:", path):
        return True
    return (page.parent / unquote(path)).is_file()


def relinked(text: str, page: Path, has_docs: bool) -> str:
    """A page of a report for its place in the site: documentation is HTML there, and dead links are only text."""

    def changed(match: re.Match) -> str:
        before, address, after, content = match.groups()
        markdown = _MARKDOWN.match(address)
        if has_docs and markdown and "/docs/" in address:
            address = f"{markdown[1]}.html{markdown[2] or ''}"
        if is_there(page, address):
            return f'<a{before}href="{address}"{after}>{content}</a>'
        return f'<span title="only in the archive of a release">{content}</span>'

    return _LINK.sub(changed, text)
