"""The page "When does it pay?" of a battery, and what the front page says of it."""

from pathlib import Path

from proset_study.methods.labels import method_name
from proset_study.report.analysis.battery import PROPERTIES, rival_name
from proset_study.report.analysis.dependence import UNCLEAR
from proset_study.report.analysis.pareto import fronts
from proset_study.report.analysis.pays import BatteryFindings, battery_findings
from proset_study.report.analysis.tuning import Gain, gains
from proset_study.report.figures.style import slug
from proset_study.report.pages.rendering import read_figures, write_page
from proset_study.report.rows import groups
from proset_study.report.tables.grids import Cell, Grid, count, headed, number, texts
from proset_study.store.stored import Stored

_INTERVAL = ("mean", "from", "to")


def when_it_pays_section(stored: Stored) -> dict | None:
    """The title and the sentences of the first battery, for the front page; None without any."""
    for found in battery_findings(stored):
        return {"title": found.battery.compared.title, "sentences": found.sentences}
    return None


def write_when_it_pays(path: Path, stored: Stored, figures: Path) -> None:
    """Write the page, if the study has a battery; `figures` is the folder of those over all data sets."""
    if found := battery_findings(stored):
        drawn = {figure["name"]: figure for figure in read_figures(figures, path)["figures"]}
        write_page(
            path,
            "when_does_it_pay.html.j2",
            study=stored.study.name,
            batteries=[_of_battery(one) for one in found],
            tuning=_tuning(gains(stored)),
            figures=drawn,
        )


def _of_battery(found: BatteryFindings) -> dict:
    battery, name = found.battery, found.battery.name
    sure = [effect for effect in found.effects if effect.state != UNCLEAR]
    return {
        "name": name,
        "title": battery.compared.title,
        "control": method_name(battery.control),
        "counts": (len(battery.compared.methods), len(battery.tables), battery.n_sources),
        "sentences": found.sentences,
        "figures": [slug(kind, name) for kind in ("pays", "ratings", "sizes")],
        "found": _effects(slug("found", name), "Significant correlations", sure) if sure else None,
        "effects": _effects(slug("effects", name), "All correlations", found.effects),
        "alike": _alike(name, found.alike),
        "ratings": _ratings(name, found),
        "tables": _tables(name, battery.tables),
    }


def _effects(identifier, caption, rows):
    columns = headed("rival", "property", text=True) + headed("value", "from", "to", spanner="rank correlation")
    columns += headed("as it increases", text=True) + headed("tables split at")
    columns += headed(*_INTERVAL, spanner="difference up to the split")
    columns += headed(*_INTERVAL, spanner="difference above the split")
    lines = [
        [
            *texts(rival_name(row.rival), PROPERTIES[row.property].title),
            *(number(value, 2, "+") for value in (row.correlation, row.low, row.high)),
            *(Cell(row.state), Cell(PROPERTIES[row.property].unit.format(row.split), row.split)),
            *(number(value, 3, "+") for value in (row.up_to, row.up_to_low, row.up_to_high)),
            *(number(value, 3, "+") for value in (row.above, row.above_low, row.above_high)),
        ]
        for row in rows
    ]
    return Grid(identifier, f"{caption}; differences of log-loss, control minus rival", columns, lines)


def _alike(name, rows):
    columns = headed("property", "and", text=True) + headed("rank correlation")
    ordered = sorted(rows, key=lambda row: -abs(row.correlation))
    lines = [
        [*texts(PROPERTIES[row.first].title, PROPERTIES[row.second].title), number(row.correlation, 2, "+")]
        for row in ordered
    ]
    return Grid(slug("alike", name), "Correlations between properties", columns, lines)


def _ratings(name, found):
    of_method = {front.method: front for front in fronts(found.points)}
    columns = headed("method", text=True) + headed(*_INTERVAL, spanner="Elo")
    columns += headed(*_INTERVAL, spanner="normalised score") + headed("data sets on the front")
    columns += headed("size", "prototypes", "features", "CPU s of a fit", spanner="medians")
    lines = []
    for row in found.ratings:
        front = of_method.get(row.method)
        of_front = [Cell()] * 5
        if front is not None:
            of_front = [
                Cell(f"{front.on_front} of {front.data_sets}", front.on_front),
                *map(count, (front.size, front.prototypes, front.active_features)),
                number(front.fit_cpu_s),
            ]
        lines.append(
            [
                Cell(method_name(row.method)),
                *map(count, (row.elo, row.elo_low, row.elo_high)),
                *(number(value, 2) for value in (row.normalised, row.normalised_low, row.normalised_high)),
                *of_front,
            ]
        )
    return Grid(slug("ratings", name, "table"), "Ratings, and the Pareto front of loss, size and time", columns, lines)


def _tables(name, rows):
    columns = headed("data set", "source", text=True) + headed(*(shown.title for shown in PROPERTIES.values()))
    columns += headed("noise from", text=True)
    lines = [
        [
            *texts(row.dataset, row.source),
            *(Cell(shown.unit.format(getattr(row, key)), getattr(row, key)) for key, shown in PROPERTIES.items()),
            Cell(row.noise_from),
        ]
        for row in rows
    ]
    return Grid(slug("properties", name), "Data sets and their properties", columns, lines)


def _tuning(rows: list[Gain]) -> list[Grid]:
    columns = headed("method", text=True) + headed("tuned", "defaults", spanner="average rank")
    columns += headed(*_INTERVAL, spanner="log-loss gained")
    grids = []
    for (tuned, defaults), own in groups(rows, "tuned", "defaults").items():
        lines = [
            [
                Cell(method_name(row.method)),
                *(number(rank, 1) for rank in (row.rank_tuned, row.rank_defaults)),
                *(number(value, 3, "+") for value in (row.gain, row.low, row.high)),
            ]
            for row in own
        ]
        caption = f"Comparisons “{tuned}” and “{defaults}” on {own[0].data_sets} data sets"
        grids.append(Grid(slug("tuning", tuned, defaults), caption, columns, lines))
    return grids
