"""What goes beyond the original: few prototypes, response curves, estimates of the error, the battery."""

from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median
from typing import Any

from proset_study.methods.labels import method_name
from proset_study.report.analysis.against import Difference, tally
from proset_study.report.analysis.losses import overlaps
from proset_study.report.analysis.paired import differences, shown_interval
from proset_study.report.analysis.response_curves import Curves, compared, title
from proset_study.report.analysis.verdict import LEAVE_ONE_OUT
from proset_study.report.article.beyond import CORRECTED, CURVES, ESTIMATES, error_estimates, stored_curves
from proset_study.report.article.installed import DEVELOPMENT, SEALED, Standing, rank_table
from proset_study.report.article.study import RESULTS, STUDY
from proset_study.report.article.topics import SUBJECT, Reported
from proset_study.report.article.wording import count
from proset_study.report.rows import groups, pick, read_table
from proset_study.report.wording import fixed
from proset_study.store.results import read_rows
from proset_study.study import layout

HALVES = ((SEALED, "tables on which nothing was chosen"), (DEVELOPMENT, "tables on which choices were allowed"))
FEW, BASE = f"{RESULTS}/few_prototypes.csv", f"{RESULTS}/base_model.csv"
MARKS = {"ahead of": ("✓", "good", "better"), "behind": ("✗", "bad", "worse")}
TIED = ("·", "", "no significant difference")


@dataclass(frozen=True)
class Few:
    """Numbers of prototypes (medians over the replicates) and mean losses, with all prototypes and by default.

    `is_significant` is whether the 95 % interval of the change of the loss does not contain 0.
    """

    data_set: str
    all_prototypes: float
    kept: float
    all_loss: float
    loss: float
    is_significant: bool


def response_curves(project: Path) -> Curves:
    """Log-loss above the lowest possible one as one property of generated tables is varied."""
    return next(c for c in stored_curves(Reported(project / CURVES)) if c.score == "log_loss")


def few_prototypes(project: Path) -> list[Few]:
    """Models with few prototypes by data set, from the benchmark's records; empty without them."""
    if not (project / FEW).is_file():
        return []
    found, overlap = [], overlaps(Reported(project / STUDY), ["E3", "E10"])  # which have all of the data sets
    for data_set, of_set in groups(read_table(project / FEW), "data_set").items():
        all_, kept = (pick(of_set, method=method) for method in ("all prototypes", "default"))
        before, after = ({row["replicate"]: row["log_loss"] for row in of_method} for of_method in (all_, kept))
        low, high = shown_interval(differences(after, before), overlap[data_set]) or (0.0, 0.0)
        found.append(
            Few(
                data_set,
                all_prototypes=median(row["prototypes"] for row in all_),
                kept=median(row["prototypes"] for row in kept),
                all_loss=fmean(before.values()),
                loss=fmean(after.values()),
                is_significant=low > 0 or high < 0,
            )
        )
    return found


def few_table(found: list[Few]) -> list[list[str]]:
    """Their numbers as text, below a heading."""
    table = [["data set", "all examples", "kept", "loss with all", "loss", "change"]]
    for few in found:
        sizes = f"{few.all_prototypes:,.0f}", f"{few.kept:,.0f}"
        change = fixed(few.loss - few.all_loss, 3, "+") + "*" * few.is_significant
        table.append([few.data_set, *sizes, fixed(few.all_loss), fixed(few.loss), change])
    return table


def typical(found: list[Few]) -> tuple[float, float, float]:
    """Medians over the data sets: prototypes before and after, and the change of the loss."""
    change = median(few.loss - few.all_loss for few in found)
    return median(few.all_prototypes for few in found), median(few.kept for few in found), change


def base_table(project: Path) -> list[list[str]]:
    """What prototypes add to another model: mean losses over tables and splits, by base."""
    if not (project / BASE).is_file():
        return []
    table = [["base model", "alone", "with prototypes", "change", "tables"]]
    for base, of_base in groups(read_table(project / BASE), "base").items():
        alone, corrected = (fmean(row[key] for row in of_base) for key in ("base_log_loss", "log_loss"))
        change, n = fixed(corrected - alone, 3, "+"), len(groups(of_base, "data_set"))
        table.append([base, fixed(alone), fixed(corrected), change, str(n)])
    return table


def corrected_table(project: Path) -> list[list[str]]:
    """What prototypes add to another model on the study's data: mean losses, and data sets with significant changes."""
    if not (project / CORRECTED / layout.AGAINST).is_file():
        return []
    experiments = Reported(project / CORRECTED).study.config["experiments"]
    table = [["model", "alone", "with prototypes", "change", "significantly lower", "significantly higher"]]
    for name, found in groups(read_rows(project / CORRECTED / layout.AGAINST, Difference), "experiment").items():
        old, new, n = fmean(d.loss_against for d in found), fmean(d.loss for d in found), tally(found)
        numbers = fixed(old), fixed(new), fixed(new - old, 3, "+")
        table.append([experiments[name]["title"], *numbers, str(n.significantly_lower), str(n.significantly_higher)])
    return table


def curve_grid(curves: Curves, first: str) -> tuple[list[str], list[tuple[str, str, list]]]:
    """Where a method is better than the others: names of these, and rows of property, value and marks."""
    states = compared(curves, first)
    others = [m for m in curves.methods if any(m in by_rival for by_rival in states.values())]
    lines = []
    for varied, by_rival in states.items():
        for value in curves.points[varied]:
            marks = [MARKS.get(by_rival.get(m, {}).get(value, ""), TIED) for m in others]
            there = [mark if value in by_rival.get(m, {}) else None for m, mark in zip(others, marks, strict=True)]
            lines.append((title(varied), f"{value:g}", there))
    return [method_name(m) for m in others], lines


def share_better(curves: Curves, names: list[str], grid: list[tuple[str, str, list]]) -> tuple[int, int]:
    """Marks of `curve_grid` that say better, and all of them, of rivals.

    Other forms of proset and models that it corrects are left out, and the baseline, which is on all curves.
    """
    forms = {method_name(m) for m in curves.methods if m.startswith(SUBJECT)}
    data_sets = [data_set for on_curve in curves.points.values() for data_set in on_curve.values()]
    own = [marks for (*_, marks), d in zip(grid, data_sets, strict=True) if data_sets.count(d) == 1]
    found = [mark for marks in own for name, mark in zip(names, marks, strict=True) if mark and name not in forms]
    return found.count(MARKS["ahead of"]), len(found)


def estimates_table(project: Path) -> list[list[str]]:
    """Bias, root mean squared error and coverage of estimates of the error; empty without the report."""
    if not (project / ESTIMATES / "evaluation/error_estimates.csv").is_file():
        return []
    return error_estimates(Reported(project / ESTIMATES)).tables["ends"]


def battery_tables(project: Path) -> dict[str, list[list[str]]]:
    """Average ranks over each half of the battery whose report is there, by what the half is for."""
    found = {}
    for report, half in HALVES:
        if (project / report / layout.ALL_SCORES).is_file():
            stored = Reported(project / report)
            found[f"{count(len(Standing(stored).data_sets))} {half}"] = rank_table(stored)
    return found


def beyond_context(project: Path) -> dict[str, Any]:
    """What the template of what goes beyond the original takes; without its records a part is left out."""
    few = few_prototypes(project)
    curves = response_curves(project) if (project / CURVES / layout.MANIFEST).is_file() else None
    rivals, grid = curve_grid(curves, LEAVE_ONE_OUT) if curves else ([], [])
    n_better, n_marks = share_better(curves, rivals, grid) if curves else (0, 0)
    few_title = ""
    if few:
        before, after, change = typical(few)
        kept = f"It keeps {after:,.0f} examples instead of {before:,.0f}"
        few_title = f"{kept}, and the loss changes by {fixed(change, 3, '+')}"
    return {
        "battery": battery_tables(project),
        "few": few_table(few) if few else [],
        "few_title": few_title,
        "n_few": sum(one.is_significant for one in few),
        "base": base_table(project),
        "corrected": corrected_table(project),
        "form": method_name(LEAVE_ONE_OUT),
        "rivals": rivals,
        "grid": grid,
        "curves_title": f"Significantly lower loss in {n_better} of {n_marks} comparisons on tables that suit proset",
        "estimates": estimates_table(project),
    }
