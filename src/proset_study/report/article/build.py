"""The article from its sources and the committed records: gathered, checked, typeset."""

import shutil
from pathlib import Path

from proset_study.base.records import write_json
from proset_study.report.article import beyond, findings, leave_one_out, methods, study  # noqa: F401  # they register the topics
from proset_study.report.article.records import Reported
from proset_study.report.article.sources import TEXT, check
from proset_study.report.article.topics import TOPICS, Content, Topic
from proset_study.report.figures.style import save
from proset_study.store.stored import Missing

SOURCES, RECORDS = "article", "records.json"
PDF = Path(TEXT).with_suffix(".pdf")
NO_TYPST = "no PDF, because Typst is not installed: pip install -r requirements-article.txt"


def gather(project: Path) -> tuple[Content, dict[str, Topic]]:
    """What all topics give, by "topic.name", and the topics whose records are missing."""
    content, missing = Content(), {}
    for name, topic in TOPICS.items():
        try:
            found = topic.content(project)
        except Missing:
            missing[name] = topic
            continue
        content.texts |= {f"{name}.{key}": text for key, text in found.texts.items()}
        content.tables |= {f"{name}.{key}": table for key, table in found.tables.items()}
        content.figures |= {f"{name}.{key}": figure for key, figure in found.figures.items()}
    return content, missing


def checked(project: Path) -> tuple[Content, dict[str, Topic]]:
    """The same for sources that name what is there; ValueError for others, see `sources.check`."""
    content, missing = gather(project)
    config = Reported(project / study.STUDY).study.config
    names = {"texts": set(content.texts), "tables": set(content.tables), "figures": set(content.figures)}
    known = {**names, "topics": set(TOPICS)}
    own_names = [*config["data_sets"], *config["experiments"], *config["comparisons"]]
    check(project / SOURCES, own_names, known, set(missing))
    return content, missing


def build(project: Path, output: Path) -> str:
    """Write the article, and next to it everything that it is typeset from.

    Parameters
    ----------
    project : Path
        The folder with `article`, `reports`, `benchmarks` and `data`.
    output : Path
        Folder for the PDF, records.json, figures and sources: what a journal can typeset again.

    Returns
    -------
    str
        What was written, and what is not in it.

    Raises
    ------
    ValueError
        If the sources have a number that is typed by hand, or name what the records do not have; see `sources.check`.
    """
    content, missing = checked(project)
    shutil.copytree(project / SOURCES, output, dirs_exist_ok=True)
    for name, figure in content.figures.items():
        save(figure, output / "figures" / name, png=False)
    record = {
        "texts": content.texts,
        "tables": content.tables,
        "figures": {name: f"figures/{name}.svg" for name in content.figures},
        "missing": {name: {"records": topic.records, "command": topic.command} for name, topic in missing.items()},
        "sources": {name: topic.records for name, topic in TOPICS.items() if name not in missing},
    }
    write_json(output / RECORDS, record)
    words = [f"without records of {', '.join(missing)}"] if missing else []
    try:
        import typst
    except ModuleNotFoundError:
        return "; ".join([str(output / RECORDS), NO_TYPST, *words])
    typst.compile(output / TEXT, output=output / PDF, root=output, ignore_system_fonts=True)
    return "; ".join([str(output / PDF), *words])
