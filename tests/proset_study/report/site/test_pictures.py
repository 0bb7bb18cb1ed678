"""Places of what is drawn: left is better, and everything is on the axis."""

from proset_study.report.article.installed import Bar
from proset_study.report.article.model import Model
from proset_study.report.site.pictures import forest, scatter
from proset_study.report.wording import MINUS


def test_left_of_zero_the_installed_classifier_is_better():
    better = Bar("svm", "real", {"wine": -0.05, "iris": -0.15}, -0.1, (-0.2, 0.05))
    worse = Bar("xgboost", "generated", {"xor": 0.02}, 0.02, None)
    far = Bar("knn", "generated", {"xor": -0.7, "moons": 0.1}, -0.3, None)
    drawn = forest([better, worse, far])
    assert [title for title, _ in drawn.groups] == ["2 real tables", "2 generated tables"]
    (first,), (second, third) = (rows for _, rows in drawn.groups)
    assert first.low < first.mean < drawn.zero < first.high
    assert sorted(first.dots)[0] < first.mean < sorted(first.dots)[1]
    assert first.text == f"{MINUS}0.100 ({MINUS}0.200 to +0.050)"
    assert drawn.zero < second.mean < 100
    assert (second.low, second.text) == (None, "+0.020")
    assert drawn.ticks[0][0] < third.dots[0] < third.mean < drawn.zero < third.dots[1] < drawn.ticks[-1][0]
    assert [text for _, text in drawn.ticks] == [*(f"{MINUS}0.{i}" for i in (8, 6, 4, 2)), "0", "+0.2"]


def test_every_prototype_is_one_of_the_penguins_and_names_are_outside_of_their_clouds():
    model = Model()
    drawn = scatter(model)
    assert len(drawn["points"]) == 342
    places = {(p["x"], p["y"]) for p in drawn["points"]}
    assert len(drawn["prototypes"]) == len(model.prototypes) <= 10
    assert all((p["x"], p["y"]) in places for p in drawn["prototypes"])
    radii = [p["r"] for p in drawn["prototypes"]]
    assert radii == sorted(radii, reverse=True)
    for name in drawn["species"]:
        cloud = [p["y"] for p in drawn["points"] if p["colour"] == name["colour"]]
        assert not min(cloud) <= name["y"] <= max(cloud)
        under = [p for p in drawn["prototypes"] if abs(p["x"] - name["x"]) < 20 and name["y"] - 12 < p["y"] < name["y"]]
        assert under == []
    assert model.features == ["bill length (mm)", "bill depth (mm)", "island"]
