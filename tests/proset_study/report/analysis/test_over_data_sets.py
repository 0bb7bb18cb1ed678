from pathlib import Path

import numpy as np
import pytest
from tests.proset_study.small_study import check_findings, config_of

from proset_study import methods
from proset_study.report.analysis.over_data_sets import over_data_sets
from proset_study.report.figures.over_data_sets import ranks_figure
from proset_study.report.figures.style import save
from proset_study.report.pages import evidence
from proset_study.report.pages.evidence import over_data_sets_section
from proset_study.store.results import Row
from proset_study.store.stored import Stored
from proset_study.study.config.study import Study

METHODS = {"A": "proset", "B": "proset", "C": "knn", "D": "xgboost", "E": "logistic_regression"}
DATA_SETS = [f"d{i}" for i in range(8)]


class Given(Stored):
    """A study with given test scores: by experiment, data set and replicate."""

    def __init__(self, scores, generators=(), **entries):
        experiments = {e: {"method": METHODS[e], "data_sets": list(by_data_set)} for e, by_data_set in scores.items()}
        data_sets = {
            d: {"generator": "xor"} if d in generators else entries.get(d, {"file": f"{d}.csv", "target": "kind"})
            for d in DATA_SETS
        }
        comparisons = {"all": {"title": "<all> of them", "experiments": list(scores)}}
        super().__init__(Path("nowhere"), Study.of(config_of("given", data_sets, experiments, comparisons=comparisons)))
        self._given = {
            e: [
                Row(replicate, e, METHODS[e], d, "", section, quantity, value)
                for d, by_replicate in by_data_set.items()
                for replicate, loss in (by_replicate or {}).items()
                for section, quantity, value in (
                    ("data", "train_samples", 70),
                    ("data", "test_samples", 30),
                    *(("final", name, loss) for name in ("log_loss", "clipped_log_loss", "brier_score")),
                    ("final", "balanced_accuracy", 1 - loss / 2),
                )
            ]
            for e, by_data_set in scores.items()
        }

    def _read_rows(self, experiment):
        return self._given[experiment]


def several(rng=0, experiments="ACD", data_sets=DATA_SETS):
    rng = np.random.default_rng(rng)
    return {e: {d: {0: float(rng.random())} for d in data_sets} for e in experiments}


def in_words(sections):
    return " ".join(f"{section['words']} {section['power']}" for section in sections)


def text_of(stored):
    return in_words(over_data_sets_section(stored))


def test_methods_are_joined_over_experiments_and_the_first_experiment_counts():
    half = DATA_SETS[:5]
    scores = {
        "A": {d: {0: 0.1} for d in half},
        "C": {d: {0: 0.2} for d in DATA_SETS},
        "B": {d: {0: 0.3} for d in DATA_SETS[4:]},
    }
    log_loss, *_, error = over_data_sets(Given(scores))
    assert (log_loss.score, log_loss.methods, log_loss.data_sets) == ("log-loss", ["proset", "knn"], DATA_SETS)
    assert log_loss.losses.tolist() == [[0.1, 0.2]] * 5 + [[0.3, 0.2]] * 3
    assert error.losses == pytest.approx(log_loss.losses / 2)
    assert (log_loss.pairs[0].first_wins, log_loss.pairs[0].second_wins) == (5, 3)


def test_data_sets_without_all_methods_are_left_out_and_named():
    scores = several()
    scores["C"]["d3"] = None  # planned, no result
    del scores["D"]["d6"]  # not planned
    compared = over_data_sets(Given(scores))[0]
    assert compared.data_sets == ["d0", "d1", "d2", "d4", "d5", "d7"]
    assert compared.test.excluded == "d3 (not knn); d6 (not xgboost)"
    assert "without a result of some method are left out: d3; d6." in text_of(Given(scores))


def test_a_method_without_any_result_is_named_and_does_not_empty_the_comparison():
    scores = several()
    scores["E"] = dict.fromkeys(DATA_SETS)
    compared = over_data_sets(Given(scores))[0]
    assert (compared.methods, len(compared.data_sets)) == (["proset", "knn", "xgboost"], 8)
    assert compared.test.not_run == "logistic_regression"


def test_scores_are_means_over_the_replicates_that_all_methods_share():
    scores = several()
    scores["A"]["d0"] = {0: 0.2, 1: 0.4, 2: 0.9}
    scores["C"]["d0"] = {0: 0.3, 1: 0.3}
    scores["D"]["d0"] = {0: 0.5, 1: 0.1, 2: 0.0}
    compared = over_data_sets(Given(scores))[0]
    assert compared.losses[0] == pytest.approx([0.3, 0.3, 0.3])
    assert compared.test.replicates == "1 to 2"


def test_a_method_without_probabilities_is_compared_by_its_error_only(monkeypatch):
    monkeypatch.setattr(methods.get("knn"), "probabilistic", False)
    *probabilistic, error = over_data_sets(Given(several()))
    assert [found.methods for found in probabilistic] == [["proset", "xgboost"]] * 3
    assert error.methods == ["proset", "knn", "xgboost"]


def test_a_comparison_of_settings_of_one_method_is_none_of_methods():
    assert over_data_sets(Given(several(experiments="AB"))) == []


def test_too_few_data_sets_are_not_tested():
    stored = Given(several(data_sets=DATA_SETS[:5]))
    for compared in over_data_sets(stored):
        assert (compared.test.too_few, compared.ranks, compared.pairs) == ("yes", [], [])
    assert text_of(stored) == ""
    repeated = {
        e: {d: {0: loss[0], 1: loss[0] + 0.01 * i, 2: loss[0]} for i, (d, loss) in enumerate(of.items())}
        for e, of in several(data_sets=DATA_SETS[:5]).items()
    }
    assert "with fewer than 6 common data sets no p-value of signed ranks can be below 0.05" in text_of(Given(repeated))


def test_two_methods_are_tested_without_friedman():
    stored = Given(several(experiments="AC"))
    compared = over_data_sets(stored)[0]
    assert compared.test.f is compared.test.critical_difference is None
    (pair,) = compared.pairs
    assert pair.wilcoxon_p == pair.holm_p == pair.holm_p_control
    assert "Friedman" not in text_of(stored)


def test_equal_scores_are_ties():
    scores = several(experiments="AC")
    scores["D"] = {d: {0: by_replicate[0] + 1e-16} for d, by_replicate in scores["A"].items()}
    compared = over_data_sets(Given(scores))[0]
    pair = next(p for p in compared.pairs if (p.first, p.second) == ("proset", "xgboost"))
    assert (pair.first_wins, pair.ties, pair.second_wins) == (0, 8, 0)
    assert (pair.wilcoxon_p, pair.equivalent) == (1.0, 1.0)
    ranks = {r.method: r.average_rank for r in compared.ranks}
    assert ranks["proset"] == ranks["xgboost"]


def test_holm_against_the_first_method_counts_its_pairs_only():
    compared = over_data_sets(Given(several(experiments="ACDE")))[0]
    control = sorted((r for r in compared.pairs if r.first == "proset"), key=lambda r: r.wilcoxon_p)
    assert [r.holm_p_control is None for r in compared.pairs] == [False] * 3 + [True] * 3
    assert control[0].holm_p_control == pytest.approx(min(1, 3 * control[0].wilcoxon_p))
    first = min(compared.pairs, key=lambda r: r.wilcoxon_p)
    assert first.holm_p == pytest.approx(min(1, 6 * first.wilcoxon_p))
    assert compared.test.smallest_holm_p == 6 * 2 / 2**8
    assert compared.test.smallest_holm_p_control == 3 * 2 / 2**8
    shifts = [getattr(compared.test, f"detectable_shift{key}") for key in ("", "_control", "_holm")]
    assert shifts == sorted(shifts)


def test_what_so_few_data_sets_can_say_is_in_the_page():
    text = text_of(Given(several(experiments="ACDE"), generators=DATA_SETS[5:]))
    assert "No pair can differ significantly" not in text
    assert "8 data sets of 6 sources" in text
    assert "0.0078" in text  # 2 / 2^8
    six = text_of(Given(several(experiments="ACDE", data_sets=DATA_SETS[:6])))
    assert "No pair can differ significantly" in six  # 6 * 2 / 2^6


def test_a_data_set_under_two_names_is_one_source():
    entries = {
        "d0": {"sklearn": "iris"},
        "d1": {"sklearn": "iris", "features": [0, 1]},
        "d2": {"file": "d3.csv", "target": "kind", "drop": ["id"]},
    }
    assert over_data_sets(Given(several()))[0].test.sources == 8
    assert over_data_sets(Given(several(), generators=DATA_SETS[5:], **entries))[0].test.sources == 4


def test_rows_are_the_same_every_time():
    first, second = (over_data_sets(Given(several(), generators=DATA_SETS[5:])) for _ in range(2))
    for ours, again in zip(first, second, strict=True):
        assert (ours.test, ours.ranks, ours.pairs) == (again.test, again.ranks, again.pairs)
    pairs = [pair for c in first for pair in c.pairs if pair.group == "all"]
    assert len(pairs) == 4 * 3
    for pair in pairs:
        assert pair.first_better + pair.equivalent + pair.second_better == pytest.approx(1)
        assert pair.first_wins + pair.ties + pair.second_wins == pair.data_sets == 8


def test_real_and_generated_data_sets_are_compared_apart(monkeypatch):
    """With too few data sets for tests, the hierarchical comparison is there if there are replicates."""
    scores = several()
    for i, d in enumerate(DATA_SETS):
        for e, loss in (("A", 0.1), ("C", 0.3), ("D", 0.1)):
            scores[e][d] = {r: loss + 0.01 * ((r + i) % 3 if e == "A" else 1) for r in range(4)}
    stored = Given(scores, generators=DATA_SETS[5:])
    found = {c.group: c for c in over_data_sets(stored) if c.score == "log-loss"}
    assert {group: c.data_sets for group, c in found.items()} == {
        "all": DATA_SETS,
        "real": DATA_SETS[:5],
        "generated": DATA_SETS[5:],
    }
    assert found["real"].ranks == []
    for c in found.values():
        knn, xgboost, between = c.pairs
        assert knn.hierarchical_first > 0.9
        assert xgboost.hierarchical_equivalent > 0.5 > xgboost.equivalence_p
        assert between.hierarchical_first is None
        assert (knn.wilcoxon_p is None) == (c.group != "all")
    assert found["all"].pairs[0].mean_difference == pytest.approx(np.mean(found["all"].losses @ [1, -1, 0]))
    sections = over_data_sets_section(stored)
    text = in_words(sections)
    assert (
        "the probability that proset is most likely better on a further data set, by more than 0.01, is 1.00 against"
        in text
    )
    assert "On the 5 real data sets, the best average ranks are proset 1." in text
    assert "On the 3 generated data sets, the best average ranks are proset 1." in text
    assert "further data set" not in text_of(Given(several()))
    grid = sections[0]["grids"][0]
    assert [column.title for column in grid.columns][-3:] == ["first", "within", "second"]
    assert float(grid.rows[0][-3].text) == pytest.approx(found["all"].pairs[0].hierarchical_first, abs=0.01)
    monkeypatch.setattr(evidence, "MAX_SAID", 1)
    words = (
        "on a further data set proset is most likely better than 1 of 2 methods, worse than 0, and within 0.01 of the"
        " other 1."
    )
    assert words in text_of(stored)


def test_figures_show_the_ranks_and_the_probabilities(tmp_path):
    scores = over_data_sets(Given(several(experiments="ACDE")))
    drawn = ranks_figure(scores)
    check_findings([drawn])
    best = scores[0].ranks[0].average_rank
    near = sum(row.average_rank <= best + scores[0].test.critical_difference for row in scores[0].ranks) - 1
    assert f"is {best:.1f} for " in drawn.finding
    assert f"{near} of 3 others are not significantly different from it" in drawn.finding
    for i, compared in enumerate(scores):
        left, right = drawn.figure.axes[2 * i : 2 * i + 2]
        assert [line.get_xdata()[0] for line in left.lines] == [r.average_rank for r in compared.ranks]
        bars = [bar.get_width() for bar in right.patches]
        pairs = [p for p in compared.pairs if p.first == "proset"]
        expected = [value for p in pairs for value in (p.first_better, p.equivalent, p.second_better)]
        assert bars == pytest.approx(expected)
        field = left.patches[0]
        assert field.get_width() == pytest.approx(compared.test.critical_difference)
    save(drawn.figure, tmp_path / "ranks")
    assert {p.name for p in tmp_path.iterdir()} == {"ranks.svg"}
