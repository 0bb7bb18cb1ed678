"""The report as one HTML file without external assets, from stored numbers only."""

from importlib.resources import files
from pathlib import Path

from proset.study.records import read_json, write_text
from proset.study.tables import Table, comparison_table, experiment_table, make_cells


def write_page(scores: list[Path], published: Path, manifest: Path, output: Path) -> None:
    """Make index.html.

    Parameters
    ----------
    scores : list of Path
        Numbers of all experiments and replicates.
    published : Path
        CSV file of the published numbers.
    manifest : Path
        What `manifest.manifest` gives, as JSON; its config names the tables.
    output : Path
        The file to write.
    """
    import jinja2

    known = read_json(manifest)
    config = known["config"]
    cells = make_cells(scores, published)
    tables = []
    for name, entry in config.get("comparisons", {}).items():
        chosen = [c for c in cells if c["experiment"] in entry["experiments"]]
        tables.append(_context(comparison_table(name, entry["title"], chosen)))
    for name, entry in config["experiments"].items():
        chosen = [c for c in cells if c["experiment"] == name]
        tables.append(_context(experiment_table(name, entry["title"], chosen, published)))
    template = files("proset.study").joinpath("templates/index.html.j2").read_text(encoding="utf-8")
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True)
    replicates = len(config["replicates"])
    page = environment.from_string(template).render(
        study=config["study"], tables=tables, manifest=known, replicates=replicates
    )
    write_text(output, page)


def _context(table: Table) -> dict:
    return {"name": table.name, "title": table.title, "columns": table.columns, "sections": table.rows()}
