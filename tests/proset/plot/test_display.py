"""What holds of every display, whatever it shows."""

import doctest
import inspect
import subprocess
import sys

import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.figure import Figure
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB

from proset import ProsetClassifier, ProsetClassifierCV, SetCoverClassifier, plot
from proset.plot.display import Display

GROUPS = np.arange(150) // 10 % 3
KINDS = dict.fromkeys(plot.__all__, "ProsetClassifier")
KINDS |= dict.fromkeys(["SearchPlaneDisplay", "SearchProfileDisplay"], "ProsetClassifierCV")
KINDS |= {"BallsDisplay": "SetCoverClassifier", "SearchPathDisplay": "ProsetClassifierCV or SetCoverClassifierCV"}
KINDS |= dict.fromkeys(["DecisionSurfaceDisplay", "GroupRatesDisplay", "RiskCoverageDisplay"])  # any classifier


@pytest.fixture(scope="session")
def given(pipeline, few, flowers):
    """The arguments for each display: an estimator, then samples or what stands for them, then options."""
    X, y = flowers
    corrected = ProsetClassifier(base=GaussianNB(), lambda_v=0.01, lambda_w=1e-4, max_prototypes=10).fit(X, y)
    search = ProsetClassifierCV(lambda_v=[1e-3, 1e-2], lambda_w=[1e-8, 1e-4], n_batches=2, cv=3).fit(X, y)
    other = few[-1].edited(pin={int(few[-1].active_features_[-1]): 0.0})
    return {
        "AttributionSummaryDisplay": (pipeline, [X.iloc[:5]], {}),
        "AttributionsDisplay": (pipeline, [X.iloc[[0]]], {}),
        "BallsDisplay": (SetCoverClassifier(eps=0.8).fit(X, y), [X, y], {"grid_resolution": 20}),
        "BatchPathDisplay": (pipeline, [X, y], {"name": "training"}),
        "CorrectionsDisplay": (corrected, [X], {}),
        "CounterfactualDisplay": (pipeline, [X.iloc[[60]]], {}),
        "DecisionSurfaceDisplay": (pipeline, [X, y], {"grid_resolution": 20}),
        "DifferenceDisplay": (few, [other, X], {}),
        "DisagreementsDisplay": (corrected, [], {}),
        "DriftDisplay": (pipeline, [X], {}),
        "ExplanationDisplay": (pipeline, [X.iloc[[0]]], {}),
        "FeatureWeightsDisplay": (pipeline, [], {}),
        "GroupRatesDisplay": (pipeline, [X, y, GROUPS], {}),
        "InfluenceDisplay": (pipeline, [X, y], {"rows": [0, 60]}),
        "ParallelCoordinatesDisplay": (pipeline, [], {}),
        "PrototypePathDisplay": (few, [X, y], {"name": "training"}),
        "PrototypesDisplay": (pipeline, [X, y], {}),
        "RiskCoverageDisplay": (pipeline, [X, y], {}),
        "SearchPathDisplay": (search, [], {}),
        "SearchPlaneDisplay": (search, [], {}),
        "SearchProfileDisplay": (search, [], {}),
        "SizeTableDisplay": (ProsetClassifier(lambda_v=0.01), [X[::3], y[::3]], {"n_features": [1]}),
    }


@pytest.fixture(scope="session")
def refused(flowers):
    """A search without prototypes."""
    return GridSearchCV(LogisticRegression(max_iter=1000), {"C": [1.0]}, cv=2).fit(*flowers)


def maker(name):
    display = getattr(plot, name)
    return getattr(display, "from_estimators", None) or display.from_estimator


@pytest.fixture(scope="session")
def drawn(given):
    """Each display, drawn once on a figure of its own, with its pixels."""
    found = {}

    def draw(name):
        if name not in found:
            estimator, data, options = given[name]
            display = maker(name)(estimator, *data, **options)
            found[name] = display, pixels(display.figure_)
        return found[name]

    return draw


def pixels(figure):
    figure.set_dpi(50)  # faster, and sharp enough
    figure.canvas.draw()
    return np.asarray(figure.canvas.buffer_rgba()).copy()


def new_axes(name):
    """On a figure that pyplot does not know."""
    return Figure(layout="constrained").subplots(1, 2) if name == "DifferenceDisplay" else Figure().subplots()


@pytest.fixture(params=plot.__all__)
def name(request):
    return request.param


def test_every_parameter_and_attribute_is_described(name):
    display = getattr(plot, name)
    assert doctest.DocTestFinder(recurse=False).find(display, name)[0].examples
    assert {"ax_ : matplotlib Axes", "figure_ : matplotlib Figure"} <= set(display.__doc__.split("\n"))
    for documented in (display, maker(name), display.plot):
        described = inspect.getdoc(documented).split("Parameters\n----------\n")[1].split("\n\n")[0]
        heads = [line.split(" : ")[0].lstrip("*") for line in described.split("\n") if not line.startswith(" ")]
        parameters = set(inspect.signature(documented).parameters) - {"self"}
        assert sorted(", ".join(heads).split(", ")) == sorted(parameters)


def test_from_estimator_and_plot_draw_the_same(name, drawn):
    display, first = drawn(name)
    before, settings = display.ax_, dict(pyplot.rcParams)
    assert display.plot() is display
    assert display.ax_ is not before
    assert display.figure_ is display.ax_.figure
    np.testing.assert_array_equal(pixels(display.figure_), first)
    assert dict(pyplot.rcParams) == settings


def test_given_axes_are_drawn_on_and_no_others_made(name, given, drawn):
    estimator, data, options = given[name]
    before = drawn(name)[0]
    open_before = pyplot.get_fignums()
    made = new_axes(name)
    display = maker(name)(estimator, *data, ax=made, **options)
    for axes, shown in ((made, display), (new_axes(name), before)):
        shown = shown if axes is made else shown.plot(axes)
        first = axes[0] if name == "DifferenceDisplay" else axes
        assert (shown.ax_, shown.figure_) == (first, first.figure)
        assert first.get_xlabel() or first.get_xticklabels()
    assert pyplot.get_fignums() == open_before


def test_what_is_no_axes_is_refused(name, drawn):
    display, _ = drawn(name)
    with pytest.raises(ValueError, match=r"^ax: .*, must be (one|two) Axes of Matplotlib$"):
        display.plot(np.empty(3, dtype=object))


def test_text_and_marks_are_seen_on_a_dark_ground(name, drawn):
    display, _ = drawn(name)
    with pyplot.style.context("dark_background"):
        axes = display.plot().ax_
        ground = pyplot.rcParams["axes.facecolor"]
    legend = axes.get_legend()
    on_colours = name == "SizeTableDisplay"  # text in cells
    assert on_colours or ground not in {text.get_color() for text in axes.texts}
    if legend is not None:
        assert ground not in {text.get_color() for text in legend.get_texts()}
        edges = {handle.get_markeredgecolor() for handle in legend.get_lines()}
        assert ground not in edges - {"white"}  # of circles, which have a black outline


def test_bad_input(name, given, refused):
    estimator, data, options = given[name]
    if name == "SizeTableDisplay":
        return  # it fits the classifier itself, which refuses what it cannot take
    with pytest.raises(NotFittedError):
        maker(name)(ProsetClassifier(), *data, **options)
    if kind := KINDS[name]:
        given_kind = "GridSearchCV" if name.startswith("Search") else "LogisticRegression"
        with pytest.raises(ValueError, match=f": {given_kind} is not allowed, must be a {kind}"):
            maker(name)(refused, *data, **options)
    if data:
        narrow = [part.iloc[:, :1] if hasattr(part, "columns") else part for part in data]
        with pytest.raises(ValueError, match="feature"):
            maker(name)(estimator, *narrow, **options)
    if hasattr(getattr(plot, name), "top"):
        with pytest.raises(ValueError, match="top: 0 is not allowed, must be a whole number of at least 1"):
            maker(name)(estimator, *data, top=0, **options)


def test_public_names_are_listed_and_others_refused():
    assert set(plot.__all__) <= set(dir(plot))
    with pytest.raises(AttributeError, match=r"module 'proset\.plot' has no attribute 'PieDisplay'"):
        _ = plot.PieDisplay


def test_parameters_that_nobody_describes_are_an_error():
    described = {"__doc__": "Slices.\n\nParameters\n----------\nslices : int", "__annotations__": {"slices": int}}
    with pytest.raises(KeyError, match="colours"):
        type("PieDisplay", (Display,), {**described, "plot": lambda self, ax, colours: self})


def test_matplotlib_is_needed(child_environment):
    code = "import sys; sys.modules['matplotlib'] = None; import proset.plot"
    found = subprocess.run([sys.executable, "-c", code], env=child_environment, capture_output=True, text=True)
    assert found.stderr.splitlines()[-1].startswith("ImportError: proset.plot needs Matplotlib: pip install")
