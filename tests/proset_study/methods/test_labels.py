"""What methods say of themselves for figures and tables."""

import pytest

from proset_study import methods
from proset_study.methods import labels
from proset_study.methods.base import Name
from proset_study.methods.labels import method_name
from proset_study.report.figures.style import axis_name


@pytest.fixture
def silent(monkeypatch):
    """A method of a user who says nothing of how it looks, and the file of one that is broken."""
    silent = type("Silent", (methods.get("svm"),), {"label": "", "place": 0, "names": ()})
    known = (*methods.METHODS, "broken_one", "silent_one")

    def get(name):
        return silent if name == "silent_one" else methods.get(name)

    monkeypatch.setattr(labels, "METHODS", known)
    monkeypatch.setattr(labels, "get", get)
    labels._known.cache_clear()
    yield "silent_one"
    labels._known.cache_clear()


def test_a_method_that_says_nothing_has_its_name_and_a_place_of_its_own(silent):
    assert method_name(silent) == "silent one"
    places = [labels.place(method) for method in methods.METHODS]
    assert len({*places}) == len(places)
    assert labels.place(silent) > max(places)


def test_a_broken_file_does_not_stop_the_names_of_others(silent):
    assert labels.name_of("k") == Name("k", axis="neighbours k")
    assert labels.name_of("absent") == Name("absent")


def test_axes_are_named_as_the_method_says_or_by_the_parameter():
    assert axis_name("log2_c") == "C (its place in the log2 grid)"
    assert axis_name("learning_rate") == "learning rate"


def test_appearance_changes_with_any_of_it(monkeypatch):
    before = labels.appearance(["knn", "svm"])
    assert labels.appearance(["knn"]) != before
    asked = (("label", "nearest"), ("place", 30), ("names", (Name("k", axis="k"),)))
    for name, value in (*asked, ("is_baseline", True), ("operations", methods.get("svm").operations)):
        with monkeypatch.context() as changed:
            changed.setattr(methods.get("knn"), name, value)
            assert labels.appearance(["knn", "svm"]) != before
    assert labels.appearance(["knn", "svm"]) == before
