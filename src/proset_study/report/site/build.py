"""The site as a folder, and its answer as the page that one opens in a clone, reports/index.html."""

import json
import shutil
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import jinja2

from proset_study.base.records import read_json, write_text
from proset_study.report.article.beyond import REPORTS as COMMITTED
from proset_study.report.article.model import SOURCE, Model
from proset_study.report.article.study import STUDY
from proset_study.report.pages.links import relinked
from proset_study.report.pages.rendering import environment, write_library
from proset_study.report.site.answer import LOSS, UNIT, WHAT, Answer
from proset_study.report.site.beyond import beyond_context
from proset_study.report.site.compare import comparison_data, first_rows
from proset_study.report.site.pictures import forest, scatter
from proset_study.report.site.reproduction import reproduction_context
from proset_study.report.site.search import index
from proset_study.report.wording import counted
from proset_study.study import layout

REPORTS, DOCS, BUILT = "reports", "docs", "docs/_build"
PAGES = [("index.html", "Answer"), ("try.html", "Try it"), ("compare.html", "Compare")]
PAGES += [("reproduction.html", "Reproduction"), ("beyond.html", "Beyond")]
LEFT_OUT = ("records", layout.STORE)  # of a report: what no page shows
IN_CLONE = {"reproduction": "study", "beyond": "response_curves"}  # reports in the place of pages
COMPARED = "compare-data.js"
NOT_SEARCHED = ("search.html", "genindex.html", "py-modindex.html")


def write_site(project: Path, output: Path) -> None:
    """Write the site of a project, and its `reports/index.html`; the documentation is in it if it has been built.

    `output` is a new folder, an empty one, or a former site, which stays as it is if this one fails; else a ValueError.
    """
    if output.is_dir() and any(output.iterdir()) and not (output / COMPARED).is_file():
        raise ValueError(f"output: {str(output)!r} is not allowed, it has files and no {COMPARED}, so it is no site")
    output.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=output.parent) as scratch:
        _write(project, made := Path(scratch) / "site")
        shutil.rmtree(output, ignore_errors=True)
        made.rename(output)


def _write(project, output):
    model = Model()
    answer = Answer(project, model)
    write_text(project / REPORTS / layout.INDEX, clone_page(project, answer))
    has_docs = (project / BUILT / "index.html").is_file()
    pages = [*PAGES, *([(f"{DOCS}/index.html", "Docs")] if has_docs else [])]

    def write(page: str, template: str, **context: Any) -> None:
        text = render(
            template, href=lambda target: site_href(target, has_docs), pages=pages, here=page, search=True, **context
        )
        write_text(output / page, text)

    if has_docs:
        shutil.copytree(project / BUILT, output / DOCS, ignore=shutil.ignore_patterns(".doctrees", ".buildinfo"))
    write_library(output / REPORTS / layout.VEGA)
    for report in reports(project):
        copy_report(project / REPORTS / report, output / REPORTS / report, has_docs)
    write("index.html", "answer.html.j2", reports=[], **answer_context(answer))
    write("try.html", "try.html.j2", **model.contents, about=model.sentence, source=SOURCE)
    found = comparison_data([project / REPORTS / report for report in reports(project)])
    write("compare.html", "compare.html.j2", reports=reports(project), rows=first_rows(found))
    write("reproduction.html", "reproduction.html.j2", **reproduction_context(project, answer))
    write("beyond.html", "beyond.html.j2", **beyond_context(project))
    write_data(output / COMPARED, "COMPARE", found)
    documents = [p for p in sorted((output / DOCS).rglob("*.html")) if p.name not in NOT_SEARCHED]
    write_data(output / "search.js", "SEARCH", index(output, [*(output / name for name, _ in PAGES), *documents]))


def clone_page(project: Path, answer: Answer) -> str:
    """The answer with links to what is committed."""
    found = [(_title(project / REPORTS / report), f"{report}/index.html") for report in reports(project)]
    context = answer_context(answer) | {"search": False, "reports": found}
    pages = [("index.html", "Answer"), ("study/index.html", "Reproduction"), ("../docs/README.md", "Docs")]
    href = partial(clone_href, compared=answer.standing.stored.folder.name)
    return render("answer.html.j2", href=href, pages=pages, here="index.html", **context)


def answer_context(answer: Answer) -> dict[str, Any]:
    """What the template of the answer takes."""
    return {
        "what": WHAT,
        "forest": forest(answer.standing.bars()),
        "finding": answer.finding(),
        "loss": LOSS,
        "unit": UNIT,
        "scatter": scatter(answer.model),
        "model_sentence": answer.model.sentence,
        "cards": answer.cards,
    }


def write_data(path: Path, name: str, content: Any) -> None:
    """Write data as a script, which pages may load without a server."""
    text = json.dumps(content, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    write_text(path, f"const {name} = {text};\n")


def render(template: str, **context: Any) -> str:
    """A page as text; `href` of the context gives the address of a target."""
    packages = ("proset_study.report.site", "proset", "proset_study.report.pages")  # the first that has a template
    renderer = environment(jinja2.ChoiceLoader([jinja2.PackageLoader(package) for package in packages]))
    renderer.globals["href"] = context.pop("href")
    return renderer.get_template(template).render(**context)


def site_href(target: str, has_docs: bool) -> str:
    """Address of "page:compare", "report:study" or "doc:statistics" in the site; empty if it is not there."""
    kind, _, name = target.partition(":")
    if kind == "doc":
        return f"{DOCS}/{name}.html" if has_docs else ""
    return f"{name}.html" if kind == "page" else f"{REPORTS}/{name}/index.html"


def clone_href(target: str, compared: str) -> str:
    """The same in a clone, of reports/index.html: pages are those of reports, the documentation is Markdown.

    The report `compared` has every difference behind the answer.
    """
    kind, _, name = target.partition(":")
    if kind == "doc":
        return f"../{DOCS}/{name}.md"
    report = (IN_CLONE | {"compare": compared}).get(name, "") if kind == "page" else name
    return f"{report}/index.html" if report else ""


def reports(project: Path) -> list[str]:
    """Names of the committed reports, that of the study first; others may be in the folder."""
    found = [Path(report).name for report in COMMITTED if (project / report / layout.MANIFEST).is_file()]
    return sorted(found, key=lambda name: (name != Path(STUDY).name, name))


def copy_report(source: Path, target: Path, has_docs: bool) -> None:
    """Copy what people read of a report; links to what is not in the copy become text."""
    shutil.copytree(source, target, ignore=shutil.ignore_patterns(*LEFT_OUT))
    for page in target.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        if page.parent == target:  # the answer is above the folder of reports here
            text = text.replace('href="../index.html"', 'href="../../index.html"')
        page.write_text(relinked(text, page, has_docs), encoding="utf-8")


def _title(report):
    n_replicates = len(read_json(report / layout.MANIFEST)["cost"])
    return f"{COMMITTED[f'{REPORTS}/{report.name}']}: {counted(n_replicates, 'repetition')}"
