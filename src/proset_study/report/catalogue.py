"""All figures of a study: which there are, what each needs, and the files they are written to."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from proset_study.base.records import write_json
from proset_study.data import generators
from proset_study.data.dataset import DataSet
from proset_study.data.metrics import compares_features
from proset_study.fits.evaluations import KINDS
from proset_study.methods import METHODS, get, makes
from proset_study.methods.weighted import WeightedPrototypeModel
from proset_study.report import evaluations
from proset_study.report.analysis import findings
from proset_study.report.analysis.over_data_sets import OverDataSets, over_data_sets
from proset_study.report.analysis.prototypes import prototype_finals
from proset_study.report.analysis.response_curves import response_curves
from proset_study.report.analysis.runs import compared_runs, has_path, optimal_pairs, prototype_runs, runs_of
from proset_study.report.analysis.verdict import verdict
from proset_study.report.figures import (
    complexity,
    cost,
    cover_radii,
    over_replicates,
    performance,
    prototypes,
    search,
    selected,
    set_cover,
    surfaces,
    trials,
    weights,
)
from proset_study.report.figures.over_data_sets import MIN_METHODS, SCORES, ranks_figure
from proset_study.report.figures.response_curves import response_figure
from proset_study.report.figures.style import ReportFigure, context, save, slug
from proset_study.report.figures.varied import varied_figure
from proset_study.report.figures.verdict import headline_figures
from proset_study.store.stored import Final, Stored
from proset_study.study import layout
from proset_study.study.config.study import Run


@dataclass(frozen=True)
class FigureSpec:
    """A figure that the config calls for.

    Attributes
    ----------
    name : str
    runs : list of Run
        What it shows.
    draw : callable
        From their final models to `ReportFigure`, or to None if there is nothing to show.
    needs_all : bool
        Whether it is drawn only if none of the runs is missing.
    evaluation : str
        The record that it needs of a final model, if it shows one of `evaluations.KINDS`.
    """

    name: str
    runs: list[Run]
    draw: Callable[[list[Final]], ReportFigure | None]
    needs_all: bool = False
    evaluation: str = ""

    def shows(self, final: Final | None) -> bool:
        """Whether a final model is there, with what is needed of it."""
        return final is not None and (not self.evaluation or final.evaluation(self.evaluation) is not None)


def data_set_figures(stored: Stored, data_set: str) -> list[ReportFigure]:
    """Figures of one data set for which there are records."""
    finals, figures = _there(stored, data_set), []
    with context():
        for planned in plan(stored, data_set):
            there = [finals[run.name] for run in planned.runs if planned.shows(finals.get(run.name))]
            if there and (len(there) == len(planned.runs) or not planned.needs_all):
                figures.append(planned.draw(there))
    return [drawn for drawn in figures if drawn is not None]


def overview_figures(stored: Stored, published: Path) -> list[ReportFigure]:
    """Figures over all data sets for which there are records; `published` is the CSV file of the published numbers."""
    compared = {}
    for data_set in stored.study.data_sets:
        finals = {f.run.name: f for f in stored.finals(data_set=data_set)}
        if shown := [finals[r.name] for r in compared_runs(stored.study, data_set) if r.name in finals]:
            compared[data_set] = shown
    with context():
        figures = headline_figures(verdict(stored, published)) if compared else []
        figures += [response_figure(curves) for curves in response_curves(stored)]
        figures += _over_data_sets_figures(stored) + _prototype_figures(stored) + _findings_figures(stored, compared)
        costs = (cost.time_figure, cost.products_figure)
        figures += [figure for draw in costs if compared and (figure := draw(compared))]
        return figures + _evaluation_figures(stored)


def _over_data_sets_figures(stored):
    groups: dict[str, list[OverDataSets]] = {}
    for c in over_data_sets(stored):
        if c.ranks and c.group == "all" and c.score in SCORES and len(c.methods) >= MIN_METHODS:
            groups.setdefault(c.comparison, []).append(c)
    return [ranks_figure(scores) for scores in groups.values()]


def _prototype_figures(stored):
    found = {d: prototype_finals(stored, stored.replicates[0], d) for d in stored.study.data_sets}
    shown = {d: finals for d, finals in found.items() if finals}
    return [prototypes.prototypes_overview(shown, stored.study.config["data_sets"])] if shown else []


def _findings_figures(stored, compared):
    figures = []
    if differences := [
        row
        for row in findings.methods_over_replicates(stored)
        if (row["score"], row["first"]) == ("log-loss", METHODS[0])
    ]:
        figures.append(over_replicates.methods_figure(differences))
    if shown := {f.data_set: f.run.experiment for group in compared.values() for f in group if _is_weighted(f.run)}:
        rows = [r for r in findings.rules(stored) if r["experiment"] == shown.get(r["dataset"])]
        figures.append(over_replicates.rules_figure(rows))
    return figures


def _evaluation_figures(stored):
    figures = []
    for kind in KINDS:
        shown = [final for final in stored.evaluated(kind) if final.replicate == stored.replicates[0]]
        if shown and not evaluations.get(kind).by_data_set:
            figures.append(evaluations.get(kind).figure(shown))
    return figures


def missing_records(stored: Stored, data_set: str | None = None) -> list[tuple[str, str, str]]:
    """What figures lack: name of the figure, the run that is missing, and the target of Snakemake that makes it.

    Parameters
    ----------
    stored : Stored
    data_set : str, optional
        None for the figures over all data sets.
    """
    if data_set is None:
        return [
            (name, f"{run.name} on {d}", run.experiment)
            for name in ("headline", "time")
            for d in stored.study.data_sets
            for run in compared_runs(stored.study, d)
            if run.name not in _there(stored, d)
        ] + [missing for missing in stored.missing_evaluations() if not evaluations.get(missing[0]).by_data_set]
    there = _there(stored, data_set)
    return [
        (planned.name, f"{run.name} on {data_set}", data_set if planned.evaluation else run.experiment)
        for planned in plan(stored, data_set)
        for run in planned.runs
        if not planned.shows(there.get(run.name))
    ]


def plan(stored: Stored, data_set: str) -> list[FigureSpec]:
    """The figures that the config calls for on one data set, in the order of a page."""
    study = stored.study
    every, compared = runs_of(study, data_set), compared_runs(study, data_set)  # explore.html has the searches of all
    runs = [run for run in every if not run.variant]  # variants have a figure of their own
    probabilistic = [run for run in runs if get(run.method).probabilistic]
    of_proset = [run for run in runs if _is_weighted(run)]
    with_path = [run for run in runs if has_path(run, data_set)]
    of_prototypes = prototype_runs(study, data_set)
    draw_prototypes = partial(prototypes.error_figure, settings=study.config["data_sets"][data_set])
    by_number = dict.fromkeys(r.experiment for r in every if r.variant and "metric" not in r.settings["vary"])
    varied = [[r for r in every if r.experiment == e] for e in by_number]
    searched = [run for run in of_prototypes if study.stage1_run(run) is not None]
    found = [
        FigureSpec(slug(data_set, "complexity"), probabilistic, complexity.complexity_figure),
        *([FigureSpec(slug(data_set, "prototypes"), of_prototypes, draw_prototypes)] if of_prototypes else []),
        *([FigureSpec(slug(data_set, "trials"), searched, trials.trials_figure)] if len(searched) > 1 else []),
        *(
            FigureSpec(slug(data_set, "stage1", run.name), [run], _of_one(search.stage1_figure))
            for run in compared
            if study.stage1_run(run) is run
        ),
        *(
            FigureSpec(
                slug(data_set, "stage2", method),
                [run for run in with_path if run.method == method],
                search.stage2_figure,
            )
            for method in dict.fromkeys(run.method for run in compared if run in with_path)
        ),
        *(FigureSpec(slug(data_set, "varied", group[0].experiment), group, varied_figure) for group in varied),
    ]
    selecting = [run for run in every if selected.shows_prototypes(run.method) and _by_metric(run)]
    if len({run.method for run in selecting}) > 1:
        found.append(FigureSpec(slug(data_set, "prototypes_by_class"), selecting, selected.class_counts_figure))
        found.append(FigureSpec(slug(data_set, "prototypes_test_path"), selecting, selected.test_path_figure))
    if _is_plane(stored, data_set):
        found += [
            FigureSpec(slug(data_set, "cover_balls", run.name), [run], _of_one(cover_radii.balls_figure))
            for run in runs
            if "covers" in get(run.method).figures
        ]
        of_features = [run for run in runs if compares_features(study.metric(run.name, data_set))]
        draw_surfaces = partial(surfaces.surfaces_figure, settings=study.config["data_sets"][data_set])
        found.append(FigureSpec(slug(data_set, "surfaces"), of_features, draw_surfaces))
        found += [
            FigureSpec(
                slug(data_set, "surfaces", source.name, run.name),
                [source, run],
                lambda pair: surfaces.pair_figure(*pair),
                needs_all=True,
            )
            for source, run in optimal_pairs(study, data_set)
        ]
    found += [
        FigureSpec(slug(data_set, "reliability"), compared, performance.reliability_figure),
        FigureSpec(slug(data_set, "roc"), compared, performance.roc_figure),
    ]
    for kind in KINDS:
        evaluated = [run for _, run, _ in study.evaluated(kind, stored.replicates[:1], data_set)]
        if evaluated and (shown := evaluations.get(kind)).by_data_set:
            found.append(FigureSpec(slug(data_set, kind), evaluated, shown.figure, evaluation=kind))
    if of_proset:
        found += _planned_of_proset(stored, data_set, of_proset, compared)
    first = {figure: run for run in reversed(runs) for figure in get(run.method).figures}
    for run in every:
        if "covers" in get(run.method).figures and _by_metric(run):
            found += _planned_of_set_cover(study.config["data_sets"][data_set], data_set, run, first.get("centres"))
    if {"covers", "bounds"} <= first.keys():
        both = [first["covers"], first["bounds"]]
        name, draw = slug(data_set, "cover_bounds"), lambda pair: set_cover.bounds_figure(*pair)
        found.append(FigureSpec(name, both, draw, needs_all=True))
    return found


def write_figures(stored: Stored, folder: Path, which: str | Path) -> None:
    """Write <name>.svg of every figure, over all data sets also <name>.png, and figures.json about them.

    Parameters
    ----------
    stored : Stored
    folder : Path
    which : str or Path
        A data set; for the figures over all of them the CSV file of the published numbers.
    """
    if isinstance(which, Path):
        figures, missing = overview_figures(stored, which), missing_records(stored)
    else:
        figures, missing = data_set_figures(stored, which), missing_records(stored, which)
    for drawn in figures:
        save(drawn.figure, folder / drawn.name, png=isinstance(which, Path))
    about = [{k: getattr(d, k) for k in ("name", "category", "title", "finding", "caption", "alt")} for d in figures]
    lacking = [dict(zip(("name", "missing", "target"), m, strict=True)) for m in missing]
    write_json(folder / "figures.json", {"figures": about, "missing": lacking})


def _planned_of_proset(stored, data_set, of_proset, compared):
    settings, found = stored.study.config["data_sets"][data_set], []
    for_mixed = [run for run in of_proset if get(run.method).takes_mixed]
    of_columns = for_mixed if for_mixed and _is_mixed(stored, data_set) else []
    if of_features := [run for run in of_proset if run not in of_columns]:
        found.append(FigureSpec(slug(data_set, weights.OF_FEATURES), of_features, weights.weights_figure))
    if of_columns:
        found.append(FigureSpec(slug(data_set, weights.OF_COLUMNS), of_columns, weights.weights_figure))
    if (generated := generators.of(settings)) is not None and (relevant := generated.relevant) is not None:
        found.append(
            FigureSpec(
                slug(data_set, "relevance"), of_proset, lambda finals: weights.relevance_figure(finals, relevant)
            )
        )
    if settings.get("image") == [weights.SIDE, weights.SIDE]:
        found.append(FigureSpec(slug(data_set, "pixel_weights"), of_proset, weights.pixel_weights_figure))
        shown = [run for run in compared if _is_weighted(run)]
        found += [
            FigureSpec(slug(data_set, "pixel_prototypes"), [r], _of_one(weights.prototypes_figure)) for r in shown
        ]
    return [*found, FigureSpec(slug(data_set, "coverage"), of_proset, performance.coverage_figure)]


def _planned_of_set_cover(settings, data_set, run, k_means):
    shape = tuple(settings["image"]) if "image" in settings else None
    figures = {
        "images": lambda final: set_cover.images_figure(final, shape) if shape else None,
        "arrangement": lambda final: set_cover.arrangement_figure(final, shape),
        "tree": lambda final: set_cover.tree_figure(final, shape),
        "objective": set_cover.objective_figure,
        "classes": set_cover.classes_figure,
        "class_tree": cover_radii.class_tree_figure,
    }
    found = [FigureSpec(slug(data_set, "cover", w, run.name), [run], _of_one(draw)) for w, draw in figures.items()]
    if shape and k_means:
        name, draw = slug(data_set, "centres_and_prototypes", run.name), partial(selected.centres_figure, shape=shape)
        found.append(FigureSpec(name, [k_means, run], _of_one(draw), needs_all=True))
    return found


def _by_metric(run):
    """Whether a run is no variant, or one by its metric only."""
    return not run.variant or "metric" in run.settings["vary"]


def _of_one(draw):
    return lambda finals: draw(*finals)


def _is_weighted(run):
    """Whether the models of a run have prototypes and feature weights to show, as those of proset."""
    return makes(run.method, WeightedPrototypeModel)


def _there(stored, data_set):
    return {f.run.name: f for f in stored.finals(data_set=data_set)}


def _is_plane(stored, data_set):
    """Whether the features are two numbers; not while the data have not been made."""
    data = _data(stored, data_set)
    return data is not None and data.X.shape[1] == 2 and data.categories is None


def _is_mixed(stored, data_set):
    """Whether there are categories or missing values, so that models have features or columns, by their method."""
    data = _data(stored, data_set)
    return data is not None and data.is_mixed


def _data(stored, data_set):
    path = stored.folder / layout.DATA.format(replicate=stored.replicates[0], data_set=data_set)
    return DataSet.load(path) if path.exists() else None
