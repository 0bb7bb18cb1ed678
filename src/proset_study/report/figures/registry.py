"""Which figures there are: every topic of this folder registers what it draws of one data set, or of all of them."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any, TypeVar

from proset_study.data.dataset import DataSet
from proset_study.methods import get, makes
from proset_study.methods.weighted import WeightedPrototypeModel
from proset_study.report.analysis.runs import compared_runs, finals_of, runs_of
from proset_study.report.figures.style import ReportFigure, context, slug
from proset_study.store.stored import Final, Stored
from proset_study.study import layout
from proset_study.study.config.runs import Run

CATEGORIES = (  # in the order of a page; others follow
    *("Verdict", "Response curves", "Over data sets", "Loss and complexity", "Prototypes", "Search"),
    *("Decision surfaces", "Calibration and ranking", "Learning curves", "Feature weights and prototypes"),
    *("Familiarity", "Prototypes chosen by set cover", "Over replicates", "Choice", "Cost"),
    *("Bias and variance", "Estimates of the error"),
)


@dataclass(frozen=True)
class FigureSpec:
    """A figure of a data set that the config calls for: `draw` takes the final models of `runs`.

    With `needs_all` it is drawn only if none of them is missing; `evaluation` is the record that it needs of each.
    """

    name: str
    runs: list[Run]
    draw: Callable[[list[Final]], ReportFigure | None]
    needs_all: bool = False
    evaluation: str = ""
    category: str = ""

    def shows(self, final: Final | None) -> bool:
        """Whether a final model exists, with the record that is needed of it."""
        return final is not None and (not self.evaluation or final.evaluation(self.evaluation) is not None)

    def drawn(self, finals: dict[str, Final]) -> ReportFigure | None:
        """The figure from final models by run, or None if they are too few or there is nothing to show."""
        shown = [finals[run.name] for run in self.runs if self.shows(finals.get(run.name))]
        if not shown or (self.needs_all and len(shown) < len(self.runs)):
            return None
        figure = self.draw(shown)
        return figure and replace(figure, name=self.name, category=self.category)


@dataclass(frozen=True)
class DataSetRuns:
    """A data set of a study, with the runs among which topics choose."""

    stored: Stored
    data_set: str

    @cached_property
    def settings(self) -> dict:
        """The config's entry of the data set."""
        return self.stored.study.config["data_sets"][self.data_set]

    @cached_property
    def every(self) -> list[Run]:
        """All runs, also those that vary a parameter."""
        return runs_of(self.stored.study, self.data_set)

    @cached_property
    def runs(self) -> list[Run]:
        """All runs but the variants, which have a figure of their own."""
        return [run for run in self.every if not run.variant]

    @cached_property
    def compared(self) -> list[Run]:
        """One run of each method with probabilities."""
        return [run for run in compared_runs(self.stored.study, self.data_set) if get(run.method).probabilistic]

    @cached_property
    def weighted(self) -> list[Run]:
        """Runs whose models have prototypes and feature weights to show."""
        return [run for run in self.runs if is_weighted(run)]

    @cached_property
    def data(self) -> DataSet | None:
        """The data of the first replicate; None while they have not been made."""
        names = {"replicate": self.stored.replicates[0], "data_set": self.data_set}
        path = self.stored.folder / layout.DATA.format(**names)
        return DataSet.load(path) if path.exists() else None

    @cached_property
    def is_plane(self) -> bool:
        """Whether the features are two numbers."""
        return self.data is not None and self.data.X.shape[1] == 2 and self.data.categories is None


@dataclass(frozen=True)
class Overview:
    """A study, with the final models that figures over all data sets put next to each other."""

    stored: Stored
    published: Path
    paths: list[dict[str, Any]] | None = None  # see `overview_figures`

    @cached_property
    def compared(self) -> dict[str, list[Final]]:
        """One final model of each method, by data set."""
        data_sets = self.stored.study.data_sets
        found = {d: finals_of(self.stored, compared_runs(self.stored.study, d), d) for d in data_sets}
        return {data_set: finals for data_set, finals in found.items() if finals}


T = TypeVar("T")
Plan = Callable[[DataSetRuns], Iterable[FigureSpec]]
Draw = Callable[[Overview], Iterable[tuple[str, ReportFigure]]]
_PLANS: list[tuple[str, Plan]] = []
_DRAWS: list[tuple[str, Draw]] = []


def of_data_set(category: str) -> Callable[[Plan], Plan]:
    """Register a function that gives the figures of a category for a data set; their names follow that of the set."""
    return partial(_register, _PLANS, category)


def over_data_sets(category: str) -> Callable[[Draw], Draw]:
    """Register a function that draws the figures of a category over all data sets, each with its name."""
    return partial(_register, _DRAWS, category)


def _register(entries: list[tuple[str, T]], category: str, function: T) -> T:
    entries.append((category, function))
    return function


def planned(available: DataSetRuns) -> list[FigureSpec]:
    """All figures that the config calls for on a data set, in the order of a page."""
    _import_topics()
    return _in_order(
        [
            replace(spec, name=slug(available.data_set, spec.name), category=spec.category or category)
            for category, plan in _PLANS
            for spec in plan(available)
        ]
    )


def overview_figures(
    stored: Stored,
    published: Path,
    categories: Collection[str] | None = None,
    paths: list[dict[str, Any]] | None = None,
) -> list[ReportFigure]:
    """All figures over data sets for which there are records, or those of some categories.

    `published` is the CSV file of the published numbers; `paths` are the rows of `analysis.prototypes.prototype_rows`
    of the first replicate where they are not made from records.
    """
    _import_topics()
    overview = Overview(stored, published, paths)
    draws = [(category, draw) for category, draw in _DRAWS if categories is None or category in categories]
    with context():
        drawn = [(category, *named) for category, draw in draws for named in draw(overview)]
    return _in_order([replace(figure, name=name, category=figure.category or c) for c, name, figure in drawn])


def unpacked(draw: Callable[..., ReportFigure | None], **options: Any) -> Callable[[list[Final]], ReportFigure | None]:
    """A function that takes final models one by one, as one of their list."""
    return lambda finals: draw(*finals, **options)


def is_weighted(run: Run) -> bool:
    """Whether the models of a run have weighted prototypes and feature weights."""
    return makes(run.method, WeightedPrototypeModel)


def is_of(run: Run, method: object) -> bool:
    """Whether a run is of the method of a class, not of one derived from it."""
    return get(run.method) is method


def by_metric(run: Run) -> bool:
    """Whether a run is no variant, or one by its metric only."""
    return not run.variant or "metric" in run.settings["vary"]


@cache
def _import_topics() -> None:
    """Import every module of this folder, which registers its figures."""
    for module in iter_modules([str(Path(__file__).parent)]):
        import_module(f"{__package__}.{module.name}")


def _in_order(figures):
    places = {category: place for place, category in enumerate(CATEGORIES)}
    return sorted(figures, key=lambda figure: places.get(figure.category, len(places)))
