"""Published numbers and findings of the original next to ours, for one page."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from proset_study.methods.labels import method_name
from proset_study.report.analysis.published import TOLERANCE_NOTE, Agreement, prediction_half_width, summary
from proset_study.report.article.study import STUDY
from proset_study.report.article.wording import percent
from proset_study.report.figures.style import method_style
from proset_study.report.rows import groups, pick, read_cells
from proset_study.report.site.answer import Answer
from proset_study.report.wording import quantity_label
from proset_study.store.results import FINAL, read_rows
from proset_study.study import layout


def reproduction_context(project: Path, answer: Answer) -> dict[str, Any]:
    """What the template of the reproduction takes."""
    numbers = read_rows(project / STUDY / layout.COMPARISON, Agreement)
    shown = strips(numbers)
    every = [strip for rows in shown.values() for strip in rows]
    return {
        "sentences": answer.author(),
        "strips": shown,
        "n_inside": sum(strip.is_inside for strip in every),
        "n_losses": len(every),
        "experiments": by_experiment(numbers),
        "tolerance": TOLERANCE_NOTE,
        "outside": outside(numbers),
        "failing": failing(project),
    }


@dataclass(frozen=True)
class Strip:
    """A published log-loss and the range of ours; places are in per cent of the axis."""

    name: str
    method: str
    colour: str
    low: float
    high: float
    mean: float
    published: float
    is_inside: bool
    text: str


def strips(numbers: list[Agreement]) -> dict[str, list[Strip]]:
    """Test log-losses with several replicates, by data set, each data set on an axis of its own from 0."""
    found = {}
    chosen = [n for n in pick(numbers, section=FINAL, quantity="log_loss") if n.chance and not n.role]
    for data_set, of_set in groups(chosen, "dataset").items():
        ends = [(n, n.mean or 0.0, prediction_half_width(n.standard_deviation or 0.0, n.replicates)) for n in of_set]
        top = max(max(mean + half, n.published or 0.0) for n, mean, half in ends)
        found[data_set] = [_strip(n, mean, half, top) for n, mean, half in ends]
    return found


def _strip(number, mean, half, top):
    def place(value: float) -> float:
        return round(1 + 98 * max(0.0, value) / top, 2)

    name = f"{number.experiment} {number.variant.replace('=', ' = ')}".strip()  # a line may break at a space
    text = f"{number.published:.2f}, ours {max(0.0, mean - half):.2f} to {mean + half:.2f}"
    places = (place(mean - half), place(mean + half), place(mean), place(number.published))
    colour = method_style(number.method)["color"]
    return Strip(name, method_name(number.method), colour, *places, number.chance == "yes", text)


def by_experiment(numbers: list[Agreement]) -> list[list[str]]:
    """How many scores agree, by experiment, below a heading."""
    table = [["experiment", "within the tolerance", "compared", "two repetitions of ours"]]
    for row in summary(numbers):
        again = "" if row.repeated is None else percent(row.repeated)
        table.append([row.experiment, str(row.within), str(row.compared), again])
    return table


def outside(numbers: list[Agreement]) -> list[list[str]]:
    """Published test scores outside the range of 95 percent of our repetitions, below a heading."""
    table = [["experiment", "data set", "score", "published", "ours, mean of the repetitions"]]
    for n in pick(numbers, is_test_score=True, chance="no"):
        name = f"{n.experiment} {n.variant}".strip()
        table.append([name, n.dataset, quantity_label(n.quantity), f"{n.published:.2f}", f"{n.mean:.2f}"])
    return table


def failing(project: Path) -> list[tuple[str, str, str]]:
    """Published claims that fail here: what is said, on which data sets, and the evidence of the first."""
    claims = pick(read_cells(project / STUDY / layout.CLAIMS), published="holds", cannot_fail="", verdict="fails")
    return [
        (text, ", ".join(c["dataset"] or "all together" for c in group), group[0]["evidence"])
        for (_, text), group in groups(claims, "id", "claim").items()
    ]
