"""The verdict: what is said follows from the scores, and is the same wherever it is said."""

import re

import numpy as np
import pytest
from tests.proset_study.report.conftest import PUBLISHED
from tests.proset_study.small_study import WithLosses
from tests.shared import ROOT

from proset_study.report.analysis.over_data_sets import over_data_sets
from proset_study.report.analysis.over_replicates import methods_over_replicates
from proset_study.report.analysis.reproduction import DIFFERENCE, INSIDE, PASSING, TOLERATED, Finding, reproduced
from proset_study.report.analysis.variance import variance_rows
from proset_study.report.analysis.verdict import (
    Score,
    Verdict,
    _ahead,
    average_ranks,
    mean_losses,
    strongest,
    verdict,
    verdict_markdown,
)
from proset_study.report.figures.over_data_sets import headline_figures
from proset_study.report.wording import MINUS
from proset_study.store.results import read_rows


def repeated(stored, n=10, **means):
    """Replicates with losses around these."""
    rng = np.random.default_rng(5)
    return WithLosses(stored, lambda row, _: means[row.method] + 0.01 * rng.normal(), range(n))


def test_scores_are_means_and_the_best_is_among_the_marked(stored):
    found = verdict(repeated(stored, proset=0.3, knn=0.3, xgboost=0.5), PUBLISHED)
    scores = found.scores["cross"]
    assert (scores["proset"].best, scores["knn"].best, scores["xgboost"].best) == (True, True, False)
    assert scores["proset"].mean == pytest.approx(0.3, abs=0.01)
    low, high = scores["proset"].interval
    assert low < scores["proset"].mean < high
    assert (found.replicates, found.methods[0]) == (10, "proset")


def test_what_is_ahead_is_said_and_the_best_is_named_even_if_it_is_another(stored):
    words = dict(verdict(repeated(stored, proset=0.4, knn=0.5, xgboost=0.3), PUBLISHED).sentences)
    assert "ahead of KNN on 3 of 3 data sets, behind on none" in words["Test scores:"]
    assert "ahead of XGBoost on 0 of 2, behind on 2 (flowers, cross)" in words["Test scores:"]
    ranked = (
        "Of 3 methods, XGBoost has the best average rank over 2 data sets, 1.0 (proset 2.0, too few data sets to test)"
    )
    assert ranked in words["Test scores:"]


def test_two_replicates_decide_nothing_on_a_single_data_set(stored):
    found = verdict(repeated(stored, n=2, proset=0.4, knn=0.5, xgboost=0.3), PUBLISHED)
    words = dict(found.sentences)["Test scores:"]
    assert words.startswith("XGBoost has the lowest mean test log-loss over 2 data sets, ")
    assert "; 2 replicates are too few to test a difference on a single data set." in words
    assert "Of 3 methods, XGBoost has the best average rank, 1.0 (proset 2.0, too few" in words
    assert not any(score.best for scores in found.scores.values() for score in scores.values())


@pytest.mark.parametrize("key", ["time", "test", "published_draw"])
def test_replicates_of_one_split_are_neither_tested_nor_have_intervals(stored, monkeypatch, key):
    """They differ by seeds only, and would make any difference significant."""
    for data_set in ("flowers", "odd"):
        monkeypatch.setitem(stored.study.config["data_sets"][data_set], key, "column")
    given = repeated(stored, proset=0.4, knn=0.5, xgboost=0.3)
    found = verdict(given, PUBLISHED)
    said = [words for label, words in found.sentences if label == "Not tested:"]
    same = "all replicates have the same test part, which says nothing of another one."
    assert said == [f"on 2 (flowers, odd) of 3 data sets {same}"]
    assert "ahead of KNN on 1 of 1 data sets" in dict(found.sentences)["Test scores:"]
    assert [score.interval for score in found.scores["flowers"].values()] == [None] * 3
    assert not any(score.best for score in found.scores["flowers"].values())
    assert {row["dataset"] for row in methods_over_replicates(given)} == {"cross"}
    noise = {row.dataset: row.standard_error for row in variance_rows(given) if row.score == "log-loss"}
    assert (noise["flowers"], noise["cross"] > 0) == (None, True)
    assert all(np.isfinite(table.pairs[0].mean_difference) for table in over_data_sets(given) if table.pairs)


def test_a_study_of_one_split_says_why_nothing_is_tested(stored, monkeypatch):
    for data_set in stored.study.data_sets:
        monkeypatch.setitem(stored.study.config["data_sets"][data_set], "test", "column")
    found = verdict(repeated(stored, proset=0.4, knn=0.5, xgboost=0.3), PUBLISHED)
    words = dict(found.sentences)["Test scores:"]
    assert "; all replicates have the same test part, so no difference can be tested." in words


def test_ties_have_several_names_and_one_method_alone_is_not_the_best(stored):
    same = {"proset": 0.3, "knn": 0.3, "xgboost": 0.4}
    found = verdict(WithLosses(stored, lambda row, _: same[row.method]), PUBLISHED)
    both = "proset and KNN have the lowest mean test log-loss over 2 data sets, 0.300; "
    assert dict(found.sentences)["Test scores:"].startswith(both)
    alone = {"proset": {"flowers": {0: 0.2}}}
    ((_, words),) = _ahead("proset", ["proset"], alone, {}, set(), "log-loss")
    assert words == "the mean test log-loss of proset over 1 data set is 0.200."
    apart = alone | {"class_prior": {"flowers": {1: 0.7}}}
    assert _ahead("proset", ["proset"], apart, {}, set(), "log-loss") == []


def test_one_replicate_of_other_data_says_nothing_of_the_best_and_the_published(stored):
    found = verdict(stored, PUBLISHED)
    assert not any(score.best or score.interval for scores in found.scores.values() for score in scores.values())
    assert "with one replicate no difference can be tested" in dict(found.sentences)["Test scores:"]
    assert "**" not in verdict_markdown(found).partition("| test log-loss")[2]
    assert [word for word, _ in found.sentences] == ["Test scores:", "Model size:"]
    assert all(score.published is None for scores in found.scores.values() for score in scores.values())


@pytest.mark.parametrize(
    ("inside", "p", "word"),
    [(0.2, 0.01, "Reproduced:"), (0.2, 0.2, "Compatible:"), *((0.01, p, "Not reproduced:") for p in (0.01, 0.2))],
)
def test_reproduced_takes_equal_log_losses_and_the_scores_in_their_intervals(inside, p, word):
    rows = [
        Finding(DIFFERENCE, of=11, value=-0.001, low=-0.011, high=0.01, p=p),
        Finding(INSIDE, of=100, found=95, p=inside),
        Finding(TOLERATED, of=200, found=0),
    ]
    ((said, sentence),) = reproduced(rows)
    assert said == word
    equal = "shown to be equal" if p < 0.05 else "not shown to be equal"
    assert f"are 0.001 below ours on average (90 % interval {MINUS}0.011 to +0.010), {equal} within 0.01. " in sentence
    assert "95 of 100 test scores are in our 95 % prediction intervals" in sentence
    assert reproduced(rows[2:])[0][0] == "Reproduced?"
    of_one = "95 of 100 in our 95 % prediction intervals; a single data set is too few to test equality."
    assert reproduced(rows[1:])[0][1].endswith(of_one)
    ((_, sentence),) = reproduced([*rows, Finding(PASSING, of=11, value=0.115)])
    assert (" (power 12 %)." in sentence) == equal.startswith("not")


def test_methods_without_a_common_data_set_have_no_ranks():
    apart = {"a": {"x": {0: 0.1}}, "b": {"y": {0: 0.2}}}
    assert mean_losses(apart) == {}
    assert np.isnan(list(average_ranks(apart).values())).all()


def test_a_method_is_not_lowest_because_its_data_sets_are_easier(stored):
    """XGBoost is second, and lacks the data set that is hard."""
    of_data_set, of_method = {"flowers": 0.1, "cross": 0.2, "odd": 0.9}, {"proset": 0.0, "xgboost": 0.05, "knn": 0.1}
    found = verdict(WithLosses(stored, lambda row, _: of_data_set[row.dataset] + of_method[row.method]), PUBLISHED)
    words = dict(found.sentences)["Test scores:"]
    assert words.startswith("proset has the lowest mean test log-loss over 2 data sets, 0.150; with one replicate")
    assert "Of 3 methods, proset has the best average rank, 1.0 (too few data sets to test)" in words


def test_the_best_of_the_others_has_a_column_and_fewer_replicates_a_mark():
    scores = {"wine": {"proset": Score(0.2, 0.1, None, 0.25, True, 10), "svm": Score(0.1, None, None, None, False, 1)}}
    rest = {"wine": ("knn", Score(0.15, 0.01, None, None, True, 10))}
    means = {"wine": {"proset": 0.2, "svm": 0.1}}
    found = Verdict("", "one protocol", "log-loss", [], ["proset", "svm"], scores, 10, [], means, rest=rest)
    assert verdict_markdown(found).splitlines()[1:] == [
        "| test log-loss, one protocol | proset | SVM | best of the others |",
        "|---|---:|---:|---:|",
        "| wine | **0.200** ± 0.100 (0.25) | 0.100† | **0.150** ± 0.010 KNN |",
    ]
    wide, narrow = (drawn.figure.axes[0] for drawn in headline_figures(found).values())
    for axes in (wide, narrow):
        (hollow,) = (line for line in axes.lines if line.get_label() == "best of the others")
        assert hollow.get_xdata()[0] == 0.15


def test_methods_with_a_score_on_all_data_sets_come_before_better_ones_on_few():
    own = {"x": {0: 0.3}, "y": {0: 0.3}}
    losses = {"proset": own, "knn": {"x": {0: 0.1}}, "svm": {d: {0: 0.5} for d in own}, "class_prior": own}
    assert strongest([m for m in losses if m != "proset"], losses, own) == ["svm", "knn"]


def test_the_committed_words_follow_from_the_committed_rows():
    rows = read_rows(ROOT / "reports/study/findings/reproduction.csv", Finding)
    ((word, sentence),) = reproduced(rows)
    headline = (ROOT / "reports/study/findings/headline.md").read_text(encoding="utf-8")
    assert headline.startswith(f"- **{word}** {sentence}\n")


@pytest.mark.parametrize("file", ["README.md", "docs/findings.md", "reports/study/index.html"])
def test_readme_findings_and_page_say_the_same(file):
    headline = (ROOT / "reports/study/findings/headline.md").read_text(encoding="utf-8")
    text = (ROOT / file).read_text(encoding="utf-8")
    sentences, _, table = headline.partition("\n\n")
    if file.endswith(".md"):
        assert sentences in text
        heading, _, *rows = table.splitlines()  # the page does not align its columns
        assert file != "docs/findings.md" or (heading in text and "\n".join(rows) in text)
        return
    for line in sentences.splitlines():
        word, _, sentence = line.removeprefix("- **").partition("** ")
        assert f"<b>{word}</b> {sentence}" in text
    section = re.search(r'<table[^>]*id="headline-table".*?</table>', text, re.DOTALL)[0]
    for row in (line.split("|")[1:-1] for line in table.splitlines() if re.search(r"\d\.\d{3}", line)):
        means = [re.match(r" (\**)([\d.]+†?)", cell) for cell in row[1:]]
        shown = re.search(rf">{row[0].strip()}</a></th>(.*?)</tr>", section)[1]
        cells = re.findall(r'<td(?: class="(\w+)")?[^>]*>([\d.]*†?)</td>', shown)
        assert [(m[2], bool(m[1])) for m in means] == [(text, tone == "best") for tone, text in cells]
