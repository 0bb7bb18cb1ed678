"""All figures of a study: which there are, what each needs, and the files they are written to."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from proset.study.config import Run
from proset.study.datasets import DataSet
from proset.study.records import write_json
from proset.study.report import findings
from proset.study.report.compared import compared_runs, optimal_pairs, runs_of
from proset.study.report.figures import complexity, cost, over_replicates, performance, search, surfaces, weights
from proset.study.report.figures.style import Drawn, context, save, slug
from proset.study.report.figures.varied import varied_figure
from proset.study.report.stored import Final, Stored


@dataclass(frozen=True)
class Planned:
    """A figure that the config calls for.

    Attributes
    ----------
    name : str
    runs : list of Run
        What it shows.
    draw : callable
        From their final models to `Drawn`.
    needs_all : bool
        Whether it is drawn only if none of the runs is missing.
    """

    name: str
    runs: list[Run]
    draw: Callable[[list[Final]], Drawn]
    needs_all: bool = False


def data_set_figures(stored: Stored, data_set: str) -> list[Drawn]:
    """Figures of one data set for which there are records."""
    finals = {f.run.name: f for f in stored.finals(data_set=data_set)}
    figures = []
    with context():
        for planned in plan(stored, data_set):
            there = [finals[run.name] for run in planned.runs if run.name in finals]
            if there and (len(there) == len(planned.runs) or not planned.needs_all):
                figures.append(planned.draw(there))
    return figures


def overview_figures(stored: Stored) -> list[Drawn]:
    """Figures over all data sets for which there are records."""
    compared, of_proset = {}, {}
    for data_set in stored.study.data_sets:
        finals = {f.run.name: f for f in stored.finals(data_set=data_set)}
        if shown := [finals[r.name] for r in compared_runs(stored.study, data_set) if r.name in finals]:
            compared[data_set] = shown
        if shown := [f for f in finals.values() if f.run.method == "proset"]:
            of_proset[data_set] = shown
    with context():
        figures = [draw(compared) for draw in (cost.headline_figure, cost.time_figure, cost.memory_figure) if compared]
        figures += [cost.iterations_figure(of_proset)] if of_proset else []
        return [*figures[:1], *_findings_figures(stored, compared), *figures[1:]]


def _findings_figures(stored, compared):
    figures = []
    if differences := [row for row in findings.methods_over_replicates(stored) if row["first"] == "proset"]:
        figures.append(over_replicates.methods_figure(differences))
    shown = {f.data_set: f.run for group in compared.values() for f in group if f.run.method == "proset"}

    def of_shown(rows):
        return [r for r in rows if r["dataset"] in shown and r["experiment"] == shown[r["dataset"]].experiment]

    if shown:
        figures.append(over_replicates.rules_figure(of_shown(findings.rules(stored))))
    if len(stored.replicates) > 1 and shown:
        figures.append(over_replicates.features_figure(of_shown(findings.selected_features(stored))))
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
            for name in ("headline", "time", "memory")
            for d in stored.study.data_sets
            for run in compared_runs(stored.study, d)
            if run.name not in _there(stored, d)
        ]
    there = _there(stored, data_set)
    return [
        (planned.name, f"{run.name} on {data_set}", run.experiment)
        for planned in plan(stored, data_set)
        for run in planned.runs
        if run.name not in there
    ]


def plan(stored: Stored, data_set: str) -> list[Planned]:
    """The figures that the config calls for on one data set, in the order of a page."""
    study = stored.study
    every, compared = runs_of(study, data_set), compared_runs(study, data_set)
    runs = [run for run in every if not run.variant]  # variants have a figure of their own
    of_proset = [run for run in runs if run.method == "proset"]
    varied = [[r for r in every if r.experiment == e] for e in dict.fromkeys(r.experiment for r in every if r.variant)]
    found = [
        Planned(slug(data_set, "complexity"), runs, complexity.complexity_figure),
        *(
            Planned(slug(data_set, "stage1", run.name), [run], _of_one(search.stage1_figure))
            for run in runs
            if study.stage1_run(run) is run
        ),
        *(
            Planned(
                slug(data_set, "stage2", method), [run for run in runs if run.method == method], search.stage2_figure
            )
            for method in dict.fromkeys(run.method for run in runs)
        ),
        *(Planned(slug(data_set, "varied", group[0].experiment), group, varied_figure) for group in varied),
    ]
    if _is_plane(stored, data_set):
        found.append(Planned(slug(data_set, "surfaces"), runs, surfaces.surfaces_figure))
        found += [
            Planned(
                slug(data_set, "surfaces", source.name, run.name),
                [source, run],
                lambda pair: surfaces.pair_figure(*pair),
                needs_all=True,
            )
            for source, run in optimal_pairs(study, data_set)
        ]
    found += [
        Planned(slug(data_set, "reliability"), compared, performance.reliability_figure),
        Planned(slug(data_set, "roc"), compared, performance.roc_figure),
    ]
    if of_proset:
        found += _planned_of_proset(study.config["data_sets"][data_set], data_set, of_proset, compared)
    return found


def write_figures(stored: Stored, folder: Path, data_set: str | None = None) -> None:
    """Write <name>.png and <name>.svg of every figure, then figures.json about them and about what is missing.

    Parameters
    ----------
    stored : Stored
    folder : Path
    data_set : str, optional
        None for the figures over all data sets.
    """
    figures = overview_figures(stored) if data_set is None else data_set_figures(stored, data_set)
    for drawn in figures:
        save(drawn.figure, folder / drawn.name)
    about = [{k: getattr(d, k) for k in ("name", "category", "title", "caption", "alt")} for d in figures]
    missing = [dict(zip(("name", "missing", "target"), m, strict=True)) for m in missing_records(stored, data_set)]
    write_json(folder / "figures.json", {"figures": about, "missing": missing})


def _planned_of_proset(settings, data_set, of_proset, compared):
    found = [Planned(slug(data_set, "feature_weights"), of_proset, weights.weights_figure)]
    if settings.get("irrelevant"):
        relevant = settings["features"]
        found.append(
            Planned(slug(data_set, "relevance"), of_proset, lambda finals: weights.relevance_figure(finals, relevant))
        )
    if settings.get("sklearn") == "digits" and "features" not in settings:
        found.append(Planned(slug(data_set, "pixel_weights"), of_proset, weights.pixel_weights_figure))
        shown = [run for run in compared if run.method == "proset"]
        found += [Planned(slug(data_set, "pixel_prototypes"), [r], _of_one(weights.prototypes_figure)) for r in shown]
    return [*found, Planned(slug(data_set, "coverage"), of_proset, performance.coverage_figure)]


def _of_one(draw):
    return lambda finals: draw(*finals)


def _there(stored, data_set):
    return {f.run.name for f in stored.finals(data_set=data_set)}


def _is_plane(stored, data_set):
    """Whether the features are two numbers; not while the data have not been made."""
    path = stored.folder / f"replicate_{stored.replicates[0]}" / data_set / "data.npz"
    if not path.exists():
        return False
    data = DataSet.load(path)
    return data.X.shape[1] == 2 and data.categories is None
