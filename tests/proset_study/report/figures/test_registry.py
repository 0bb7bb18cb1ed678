"""Topics register their figures: one module is enough for a new one."""

from types import SimpleNamespace

import pytest
from matplotlib.figure import Figure

from proset_study.report.catalogue import data_set_figures, overview_figures
from proset_study.report.figures import registry
from proset_study.report.figures.registry import DataSetRuns, FigureSpec, of_data_set, over_data_sets, planned, unpacked
from proset_study.report.figures.style import ReportFigure


@pytest.fixture
def alone(monkeypatch):
    """A registry without the topics of the report."""
    registry._import_topics()  # before their place is taken
    monkeypatch.setattr(registry, "_PLANS", [])
    monkeypatch.setattr(registry, "_DRAWS", [])


def figure_of(*finals):
    return ReportFigure(" ".join(final.label for final in finals), "", "", "", Figure())


def test_figures_have_the_name_and_the_category_that_a_topic_gives(alone, stored):
    @of_data_set("New")
    def later(subject):
        yield FigureSpec("all of <it>", subject.runs, lambda finals: figure_of(*finals))

    @of_data_set("Search")
    def earlier(subject):
        for run in subject.compared:
            yield FigureSpec(f"one {run.name}", [run], unpacked(figure_of))
        yield FigureSpec("nothing to show", subject.compared, lambda finals: None)
        yield FigureSpec("of an evaluation", subject.runs, unpacked(figure_of), evaluation="bootstrap")
        yield FigureSpec("as well", subject.compared[:1], unpacked(figure_of), category="Prototypes")

    figures = {figure.name: figure for figure in data_set_figures(stored, "odd")}
    assert list(figures) == ["odd_as_well", "odd_one_e3", "odd_one_e8", "odd_of_an_evaluation", "odd_all_of_it"]
    assert [f.category for f in figures.values()] == ["Prototypes", *["Search"] * 3, "New"]
    assert figures["odd_of_an_evaluation"].title == "E8"
    assert figures["odd_all_of_it"].title == "E3 E4 E5 E8"  # E9 is missing
    assert [spec.name for spec in planned(DataSetRuns(stored, "odd"))][3] == "odd_one_e9"


def test_a_figure_may_need_all_of_its_models(alone, stored):
    @of_data_set("New")
    def pairs(subject):
        yield FigureSpec("pair", subject.compared[-2:], unpacked(figure_of), needs_all=True)

    assert data_set_figures(stored, "odd") == []
    assert [figure.title for figure in data_set_figures(stored, "cross")] == ["E8 E9"]


def test_figures_over_data_sets_are_named_by_what_draws_them(alone, stored):
    @over_data_sets("Cost")
    def draw(overview):
        yield "second", figure_of(*(final for finals in overview.compared.values() for final in finals[:1]))

    @over_data_sets("Verdict")
    def headline(overview):
        yield "first", figure_of(SimpleNamespace(label=str(overview.published)))

    first, second = overview_figures(stored, "published.csv")
    assert (first.name, first.category, first.title) == ("first", "Verdict", "published.csv")
    assert (second.name, second.category, second.title) == ("second", "Cost", "E3 E3 E3")
