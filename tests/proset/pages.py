"""What a browser would see of a page."""

from html.parser import HTMLParser


class Page(HTMLParser):
    """Tags with their attributes, the addresses that they name, and the text of the cells of tables by row."""

    def __init__(self, text: str):
        super().__init__()
        self.tags: list[tuple[str, dict]] = []
        self.rows: list[list[str]] = []
        self.is_in_cell = False
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
            self.is_in_cell = True

    def handle_endtag(self, tag):
        self.is_in_cell = self.is_in_cell and tag not in ("td", "th")

    def handle_data(self, data):
        if self.is_in_cell:
            self.rows[-1][-1] += data

    @property
    def names(self) -> set[str]:
        return {tag for tag, _ in self.tags}

    @property
    def links(self) -> list[str]:
        return [value for _, given in self.tags for name, value in given.items() if name in ("href", "src")]

    @property
    def cells(self) -> set[str]:
        return {cell for row in self.rows for cell in row}
