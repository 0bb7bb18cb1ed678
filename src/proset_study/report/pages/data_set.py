"""The page of a data set."""

from functools import partial
from pathlib import Path

import numpy as np

from proset_study import methods
from proset_study.data.cards import Card, card
from proset_study.data.metrics import EUCLIDEAN
from proset_study.data.splits import TEST
from proset_study.fits.evaluations import KINDS
from proset_study.methods.labels import method_name
from proset_study.report import evaluations
from proset_study.report.analysis.explanations import explained_points
from proset_study.report.evaluation_tables import class_rows, confusion_of
from proset_study.report.pages.rendering import read_figures, write_page
from proset_study.report.rows import groups
from proset_study.report.tables.grids import Cell, Column, Grid, count, headed, number, texts
from proset_study.report.wording import format_number, listed
from proset_study.store.metrics import SCORES
from proset_study.store.stored import Final, Stored
from proset_study.study import layout
from proset_study.study.failures import LOCAL, retry

# How many figures of a category are shown unfolded on the page of a data set (default 1): two where they fit in a row.
UNFOLDED = {"Calibration and ranking": 2}


def write_data_set(
    path: Path,
    stored: Stored,
    data_set: str,
    figures: Path,
    options: list[str] = LOCAL,
    neighbours: tuple[str, str] = ("", ""),
) -> None:
    """Write the page of one data set, with the figures of a folder.

    `options` are those of the commands that the page gives; `neighbours` are the data sets before and after it that
    have pages, too, or empty.
    """
    finals = stored.finals(data_set=data_set)
    drawn = read_figures(figures, path)
    first = finals[0]
    planned = {run.experiment for run in stored.study.runs.values() if data_set in run.data_sets}
    counts = [np.bincount(first.data.y[part], minlength=len(first.data.class_names)) for part in _parts(first)]
    settings = stored.study.config["data_sets"][data_set]
    records = layout.RECORDS.format(archive=layout.REPLICATE.format(replicate=first.replicate))
    columns = headed("class", text=True) + headed("training samples", "test samples")
    sizes = [[Cell(name), *map(count, both)] for name, *both in zip(first.data.class_names, *counts, strict=True)]
    write_page(
        path,
        "data_set.html.j2",
        missing_models=[model for model in stored.missing_models if model.data_set == data_set],
        partial=bool(stored.missing_models),
        study=stored.study.name,
        name=data_set,
        neighbours=neighbours,
        seed=stored.study.config["seed"],
        replicate=first.replicate,
        records="" if stored.missing_models else records,
        description=f"{description(first, by_time='time' in settings)}.{_seen(finals)}",
        card=card_lines(card(settings)),
        classes=Grid("class-sizes", "Samples by class", columns, sizes),
        models=_models(finals),
        finals=[_final(f) for f in finals],
        class_scores=[_class_scores(f) for f in finals],
        evaluations=[grid for grid, *_ in evaluation_grids(stored, finals, by_data_set=True)],
        not_run=sorted(planned - {f.run.experiment for f in finals}),
        command=partial(retry, options=options),
        figures={
            category: [{**figure, "folded": i >= UNFOLDED.get(category, 1)} for i, figure in enumerate(of_category)]
            for category, of_category in groups(drawn["figures"], "category").items()
        },
        missing=drawn["missing"],
        explained=explained_points(stored, data_set),
    )


CARD = {"licence": "Licence", "source": "Source", "url": "URL", "notes": "Notes", "package": "Package"}
CARD |= {"settings": "Settings", "bayes_error": "Bayes error", "version": "Version", "sha256": "SHA-256", "md5": "MD5"}


def card_lines(known: Card) -> list[tuple[str, str]]:
    """What a card says, as terms and text in their order on the page."""
    values = {**known, "settings": ", ".join(f"{key} {value}" for key, value in known.get("settings", {}).items())}
    return [("Title", known["title"]), *((term, str(values[key])) for key, term in CARD.items() if values.get(key))]


def description(final: Final, by_time: bool = False) -> str:
    """Size of the data set of a final model, in words; `by_time` says whether its groups are times."""
    data = final.data
    n_train, n_test = (int(part.sum()) for part in _parts(final))
    columns = f" made of {data.X.shape[1]} columns" if data.categories is not None else ""
    features = f"{data.n_features} features{columns}" if data.n_features else "no features"
    imputed = f", missing values imputed ({data.impute})" if data.impute else ""
    kept = "times, the latest for the test" if by_time else "groups kept together"
    groups = f", {len(np.unique(data.group)):,} {kept}" if data.group is not None else ""
    weighted = ""
    if data.sample_weight is not None:
        never = int((data.sample_weight == 0).sum())
        weighted = ", weighted" + (f" ({never:,} of weight 0, which are never fitted)" if never else "")
    return (
        f"{len(data.y):,} samples ({n_train:,} for training, {n_test:,} for the test), {features}, "
        f"{len(data.class_names)} classes{imputed}{groups}{weighted}"
    )


def _seen(finals: list[Final]) -> str:
    """Which methods have seen the table as it is, where there is more than numbers; a sentence after a space."""
    data = finals[0].data
    if not data.is_mixed:
        return ""
    are_mixed = {method_name(f.run.method): f.model.is_mixed for f in finals}
    as_it_is, others = ([name for name, is_so in are_mixed.items() if is_so is kind] for kind in (True, False))
    has_gaps = bool(np.isnan(data.X).any())
    found = [*(["categories"] if data.categories is not None else []), *(["missing values"] if has_gaps else [])]
    if not as_it_is:
        return ""
    changes = {"categories": "a feature of 0 and 1 for each category", "missing values": "imputed missing values"}
    made = listed([changes[name] for name in found])
    seen = f" The {listed(found)} are used as they are by {listed(as_it_is)}"
    return f"{seen}; {listed(others)} {'use' if len(others) > 1 else 'uses'} {made}." if others else f"{seen}."


def evaluation_grids(stored: Stored, finals: list[Final], by_data_set: bool) -> list[tuple[Grid, str, list[str]]]:
    """Tables of evaluations of some models, of the kinds shown by data set or of the others, and what they say."""
    found = []
    for kind in KINDS:
        shown = evaluations.get(kind)
        evaluated = [final for final in stored.evaluated(kind) if final in finals]
        if shown.by_data_set == by_data_set and (rows := shown.rows(evaluated)):
            are_text = ("data set", "experiment", "estimate", "loss")
            columns = [Column(heading, text=heading in are_text) for heading in shown.cells]
            cells = [texts(*(cell(row) for cell in shown.cells.values())) for row in shown.condensed(rows)]
            grid = Grid(f"{kind}-numbers", f"{shown.title}: {shown.text}", columns, cells)
            found.append((grid, kind, shown.sentences(rows)))
    return found


def _parts(final):
    return final.folds != TEST, final.folds == TEST


def _models(finals):
    scores = [score for score in SCORES.values() if score.in_published]
    columns = [
        *headed("experiment", "method", text=True),
        *headed(scores[0].name, "threshold", *(score.name for score in scores[1:])),
        *headed("active features", "prototypes", "size"),
        *headed("unit of the size", "selected parameters", text=True),
    ]
    rows = []
    for f in finals:
        summary, method = f.fit["summary"], methods.get(f.run.method)
        loss, *others = (f.scores[score.quantity] if score.fits(method) else None for score in scores)
        threshold = f.stage2["threshold"] if method.probabilistic else None
        rows.append(
            [
                *(Cell(f.label, link=f"#{f.run.name}"), Cell(method_name(f.run.method), wide=True)),
                *map(number, (loss, threshold, *others)),
                *(count(summary["active_features"]), count(summary.get("prototypes")), count(f.fit["complexity"])),
                *(Cell(method.complexity, wide=True), Cell(_parameters(f.selected_parameters), wide=True)),
            ]
        )
    n_seeds = max(len(f.fits) for f in finals)
    seeds = f" of the first of {n_seeds} fit seeds; the front page has means over the seeds" if n_seeds > 1 else ""
    return Grid("final-models", f"Final models, with test scores{seeds}", columns, rows)


def _class_scores(final):
    rows = class_rows([final])
    keys = [key for key in rows[0] if key in _SCORES]
    columns = headed("class", text=True) + headed(*map(_SCORES.__getitem__, keys))
    columns += headed(*(f"predicted {row['class']}" for row in rows))
    lines = [
        [Cell(row["class"]), *(number(row[key]) for key in keys), *(count(n) for n in counts)]
        for row, counts in zip(rows, confusion_of(final), strict=True)
    ]
    return Grid(f"classes-{final.run.name}", f"{final.label}, {method_name(final.run.method)}", columns, lines)


_SCORES = {
    "sensitivity": "sensitivity (recall)",
    "specificity": "specificity",
    "positive_predictive_value": "positive predictive value",
    "negative_predictive_value": "negative predictive value",
    "f1": "F1",
}


def _final(final):
    fit = final.fit
    return {
        "run": final.run.name,
        "label": final.label,
        "method": method_name(final.run.method) + ("" if final.metric == EUCLIDEAN else f", {final.metric}"),
        "complexity": fit["complexity"],
        "complexity_name": methods.get(final.run.method).complexity,
        "all_parameters": _parameters(fit["parameters"]) or "no parameters",
        "trials": len(final.stage1["settings"]) if final.stage1 else 0,
        "resources": fit["resources"],
        "convergence": "; ".join(
            f"batch {b}: {record['message']} after {record['n_iter']} iterations"
            for b, record in enumerate(fit["summary"].get("batches", []), start=1)
        ),
    }


def _parameters(values):
    return ", ".join(f"{name.replace('_', ' ')} {format_number(name, value)}" for name, value in values.items())
