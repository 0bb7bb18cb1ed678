"""The article from its sources and the committed records: checked, gathered, typeset."""

import shutil
from importlib.util import find_spec
from pathlib import Path

from proset_study.article import beyond, methods, study  # noqa: F401  # they register the topics
from proset_study.article.records import Reported
from proset_study.article.sources import TEXT, complaints
from proset_study.article.topics import TOPICS
from proset_study.records import write_json
from proset_study.report.figures.style import save

SOURCES, RECORDS = "article", "records.json"
PDF = Path(TEXT).with_suffix(".pdf")
INSTALL = "pip install 'proset-study[article]'"


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
        What was done, and what is not in it.

    Raises
    ------
    ValueError
        If the sources have a number that is typed by hand, or name what the records do not have. A line for each.
    """
    missing = {name: topic for name, topic in TOPICS.items() if topic.missing(project)}
    found = {name: topic.gather(project) for name, topic in TOPICS.items() if name not in missing}
    gathered = {
        kind: {
            f"{name}.{key}": value for name, content in found.items() for key, value in getattr(content, kind).items()
        }
        for kind in ("texts", "tables", "figures")
    }
    config = Reported(project / study.STUDY).study.config
    own_names = [*config["data_sets"], *config["experiments"]]
    known = {**{kind: set(named) for kind, named in gathered.items()}, "topics": set(TOPICS)}
    if faults := complaints(project / SOURCES, own_names, known, set(missing)):
        raise ValueError("\n".join(faults))

    shutil.copytree(project / SOURCES, output, dirs_exist_ok=True)
    for name, figure in gathered["figures"].items():
        save(figure, output / "figures" / name, png=False)
    record = {
        "texts": gathered["texts"],
        "tables": gathered["tables"],
        "figures": {name: f"figures/{name}.svg" for name in gathered["figures"]},
        "missing": {
            name: {"records": topic.missing(project), "command": topic.command} for name, topic in missing.items()
        },
        "sources": {name: list(TOPICS[name].records) for name in found},
    }
    write_json(output / RECORDS, record)
    words = [f"without records of {', '.join(missing)}"] if missing else []
    if find_spec("typst") is None:
        return "; ".join([f"{output / RECORDS}, no PDF: Typst is not installed, {INSTALL}", *words])
    import typst

    typst.compile(output / TEXT, output=output / PDF, root=output, ignore_system_fonts=True)
    return "; ".join([str(output / PDF), *words])
