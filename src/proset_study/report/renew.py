"""A report as it is committed: written again where it follows from its numbers, without links to what is not there.

Most records of fits are in the archive of a release only, so that other code cannot render all of a committed report.
It can render what depends on the numbers alone: the headline, its table and figure, all tables, errors by number of
prototypes, comparisons over data sets and with published numbers. The rest of a page stays as it is, and other pictures
are only written in fewer bytes.
"""

import re
import shutil
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZipFile

from proset_study.base.records import read_json, write_json, write_text
from proset_study.report.analysis.verdict import verdict, verdict_markdown
from proset_study.report.article.build import numbers_record
from proset_study.report.article.topics import Reported
from proset_study.report.catalogue import write_drawn
from proset_study.report.figures.registry import overview_figures
from proset_study.report.figures.style import smaller
from proset_study.report.pages.front_page import write_index, write_tables
from proset_study.report.pages.links import as_committed
from proset_study.report.pages.rendering import write_library
from proset_study.report.row_files import AGAINST_PUBLISHED, OF_NUMBERS, write_row_files
from proset_study.report.tables.table_files import write_workbook
from proset_study.report.tables.tables import shown_tables
from proset_study.report.write import write_report
from proset_study.study import layout

SCRIPTS = r"(?<=</main>\n).*(?=</body>)"
LOOK = (r"<style>.*?</head>", SCRIPTS)
# Sections of a front page that need records, but for their headings.
OF_RECORDS = ("prototype-methods", "when-it-pays", "choice", "data-sets", "cautions", "run")
PARTS = (  # of a front page that follow from the numbers alone
    r"<title>.*?</title>",
    r'<section class="first" id="verdict">.*?</section>',
    r'<h2 id="methods".*?(?=<form class="chart" id="explore-methods")',
    r'<form class="chart" id="explore-methods".*?</form>',
    r'<figure id="prototypes".*?</figure>',
    r'<details id="differences">.*?</details>',
    r'<div class="wide"[^>]*><table[^>]* id="errors">.*?</table></div>',
    r'<details id="noise">.*?</details>',
    *(rf'<h2 id="{section}">.*?(?=<h2 id=)' for section in ("check", "claims", "over-data-sets")),
    r'<a href="#over-data-sets">[^<]*</a>',
    r'<h2 id="glossary">.*?(?=</main>)',
)
HEADINGS = (
    *(rf'<h2 id="{section}">[^<]*</h2>' for section in OF_RECORDS),
    *(rf'<a href="#{section}">[^<]*</a>' for section in OF_RECORDS),
)
OVERVIEW = layout.FIGURES.format(data_set="overview")
LISTED = f"{OVERVIEW}/figures.json"
CATEGORIES = ("Verdict", "Over data sets", "Prototypes", "Over replicates")  # of figures that follow from the numbers


def renew(report: Path, published: Path) -> list[str]:
    """Write headline, tables, figures, pages and numbers of a report again, for committing; gives the names of changes.

    Pages of data sets and pages that are not there are left out.
    The same code changes nothing but links to what only a release has.
    """
    stored = Reported(report, published)
    stored.findings = None  # tests over data sets are computed again
    with TemporaryDirectory() as scratch:
        made = Path(scratch)
        if (report / layout.EVALUATIONS).is_dir():
            shutil.copytree(report / layout.EVALUATIONS, made / layout.EVALUATIONS)
        for name in (layout.MANIFEST, layout.CLAIMS, layout.FEATURES):
            (made / name).parent.mkdir(exist_ok=True)
            shutil.copy(report / name, made / name)
        write_text(made / layout.HEADLINE, verdict_markdown(verdict(stored, published)))
        write_report(stored, made, published, ["tables"])
        write_workbook(made / layout.WORKBOOK, [table for table, _ in shown_tables(stored, published)])
        write_row_files(made, stored, published, OF_NUMBERS)
        tables = sorted(str(path.relative_to(made)) for path in (made / layout.TABLES).iterdir())
        figures = _write_figures(stored, made)
        write_index(made, stored, published)
        front = _read(made / layout.INDEX)
        page = replaced(_read(report / layout.INDEX), front, PARTS, all_of_them=True)
        shown = {layout.INDEX: replaced(page, front, (*LOOK, *HEADINGS))}
        if (report / layout.TABLE_PAGE).exists():
            write_tables(made / layout.TABLE_PAGE, stored, published)
            shown[layout.TABLE_PAGE] = _read(made / layout.TABLE_PAGE)
        for name in (layout.EXPLORE, layout.WHEN_IT_PAYS):
            if (report / name).exists():
                shown[name] = replaced(_read(report / name), front, LOOK)
        figures += _shrink(report, made, set(figures))
        of_rows = [name for name in (*OF_NUMBERS, *AGAINST_PUBLISHED) if (made / name).exists()]
        names = [layout.HEADLINE, layout.WORKBOOK, *of_rows, *tables, *figures, LISTED, *shown]
        there = {*names, *(str(path.relative_to(report)) for path in report.rglob("*") if path.is_file())}
        for name, text in shown.items():
            write_text(made / name, as_committed(text, stored.study, there))
        listed = read_json(report / LISTED)
        texts = {text["name"]: text for text in read_json(made / LISTED)["figures"]}
        listed["figures"] = [texts.get(figure["name"], figure) for figure in listed["figures"]]
        write_json(made / LISTED, listed)
        write_library(report.parent / layout.VEGA)
        changed = [name for name in names if _move(made / name, report / name)]
        write_json(made / layout.NUMBERS, numbers_record(report, published))  # last, since it reads the other files
        return changed + [layout.NUMBERS] * _move(made / layout.NUMBERS, report / layout.NUMBERS)


def replaced(text: str, other: str, patterns: Iterable[str], all_of_them: bool = False) -> str:
    """A page with parts of another one in the place of its own, where both have them.

    With `all_of_them` those that the other one does not have are left out.
    """
    for pattern in patterns:
        new, old = (re.search(pattern, page, re.DOTALL) for page in (other, text))
        if old is not None and (new is not None or all_of_them):
            text = text[: old.start()] + (new[0] if new else "") + text[old.end() :]
    return text


def _write_figures(stored: Reported, made: Path) -> list[str]:
    """Draw the figures that depend on the numbers alone; gives the names of what is committed of it."""
    paths = stored.read(layout.PROTOTYPES, replicate=stored.replicates[0])
    texts = write_drawn(overview_figures(stored, stored.published, CATEGORIES, paths), made / OVERVIEW)
    write_json(made / LISTED, {"figures": texts, "missing": []})  # that the front page reads
    return [f"{OVERVIEW}/{text['name']}.svg" for text in texts]


def _shrink(report: Path, made: Path, drawn: set[str]) -> list[str]:
    """Write the pictures that need records as they would be written today; gives their names."""
    kept = sorted({str(path.relative_to(report)) for path in report.rglob("*.svg")} - drawn)
    for name in kept:
        write_text(made / name, smaller(_read(report / name)))
    return kept


def _read(page: Path) -> str:
    return page.read_text(encoding="utf-8")  # a page has no line break at its end, which records have


def _content(path: Path) -> object:
    """What is in a file; of a workbook all but the time at which it was written."""
    if path.suffix != ".xlsx":
        return path.read_bytes()
    with ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist() if name != "docProps/core.xml"}


def _move(new: Path, old: Path) -> bool:
    """Put a file in the place of another one, if it is not the same; whether it has been moved."""
    if old.exists() and _content(old) == _content(new):
        return False
    shutil.move(new, old)
    return True
