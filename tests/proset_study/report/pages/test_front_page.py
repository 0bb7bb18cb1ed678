"""The report of a study about another method than proset, which is none of its methods either."""

import re
import shutil
from contextlib import chdir
from dataclasses import asdict
from statistics import fmean

import pytest
from scipy.stats import ttest_rel
from tests.proset_study.report.conftest import PUBLISHED
from tests.proset_study.small_study import check_findings, compute, config_of
from tests.shared import ROOT

from proset_study.base.records import read_json
from proset_study.report.analysis.against import Difference, differences_of_pairs, score_of
from proset_study.report.analysis.over_data_sets import over_data_sets
from proset_study.report.analysis.over_replicates import methods_over_replicates
from proset_study.report.analysis.verdict import verdict, verdict_markdown
from proset_study.report.article.topics import Reported
from proset_study.report.catalogue import overview_figures
from proset_study.report.pages import evidence, front_page
from proset_study.report.pages.evidence import against_grids
from proset_study.report.row_files import write_row_files
from proset_study.report.rows import pick, read_cells
from proset_study.report.write import write_data_sets, write_report
from proset_study.store.results import Row, read_rows
from proset_study.store.stored import Finished, Stored
from proset_study.study import layout
from proset_study.study.config.checks import load


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """Three replicates of a tree, neighbours and a set cover, which predicts no probabilities; nothing is searched."""
    common = {"stage2": {"complexity": 2}}
    cross = {"generator": "xor", "features": 2, "samples_per_orthant": 30}
    config = config_of(
        "rivals",
        {"flowers": {"sklearn": "iris", "features": [0, 1]}, "cross": cross},
        {
            "neighbours": {**common, "method": "knn"},
            "tree": {**common, "method": "decision_tree", "parameters": {"min_samples_leaf": 5}},
            "cover": {**common, "method": "set_cover"},
        },
        comparisons={"methods": {"title": "All", "rows": "methods", "experiments": ["neighbours", "tree", "cover"]}},
        subject="decision_tree",
        replicates=[0, 1, 2],
    )
    return compute(config, tmp_path_factory.mktemp("rivals"))


@pytest.mark.slow
def test_the_whole_report_is_about_the_subject(stored, tmp_path):
    write_report(stored, tmp_path, PUBLISHED, ["manifest", "numbers", "models", "overview", "article"])
    write_data_sets(Stored(stored.folder, stored.study.of_data_set("flowers")), tmp_path, order=stored.study.data_sets)
    headline, index = (read(tmp_path / name) for name in (layout.HEADLINE, layout.INDEX))
    assert "<h1>Does decision tree predict as well as KNN?</h1>" in index
    assert "**Test scores:** decision tree is ahead of KNN on " in headline
    size = r"\*\*Model size:\*\* the median decision tree model has .* leaves.* from .* and uses .* features"
    assert re.search(size, headline)
    assert "paired differences between decision tree and another method on a data set" in index
    compared = read_cells(tmp_path / layout.METHODS)
    pairs = {(row["first"], row["second"]) for row in pick(compared, score="log-loss")}
    assert pairs == {("decision_tree", "knn")}
    assert {row["second"] for row in pick(compared, score="balanced error")} == {"knn", "set_cover"}
    assert read_json(tmp_path / layout.NUMBERS) == {}  # article and findings are about another method
    figures = {f["name"]: f for f in read_json(tmp_path / "figures/overview/figures.json")["figures"]}
    assert {"headline", "methods_over_replicates"} <= figures.keys()
    assert "(decision tree is better)" in figures["methods_over_replicates"]["finding"]
    written = [*tmp_path.rglob("*.html"), *tmp_path.rglob("*.md"), *tmp_path.rglob("*.svg")]
    assert len(written) > 20
    assert [(file.name, line) for file in written for line in spoken(file) if "proset" in line.lower()] == []


def test_a_subject_without_probabilities_is_compared_by_balanced_error(stored):
    covers = about(stored, "set_cover")
    found = verdict(covers, PUBLISHED)
    assert (found.score, found.methods[0]) == ("balanced error", "set_cover")
    assert found.question == "Does set cover predict as well as KNN and decision tree?"
    assert verdict(about(stored, "set_cover", question="Why?"), PUBLISHED).question == "Why?"
    said = dict(found.sentences)
    assert said["Balanced error:"] == (
        "set cover predicts no probabilities, so methods are compared by balanced error and not by log-loss."
    )
    assert " and uses 2 features." in said["Model size:"]
    rows = pick(methods_over_replicates(covers), first="set_cover")
    assert {(row["score"], row["second"]) for row in rows} == {
        ("balanced error", "decision_tree"),
        ("balanced error", "knn"),
    }
    assert {(c.score, c.methods[0]) for c in over_data_sets(covers)} == {("balanced error", "set_cover")}
    figures = {figure.name: figure for figure in overview_figures(covers, PUBLISHED)}
    check_findings(figures.values())
    assert "The lowest balanced error is that of" in figures["headline"].finding
    assert figures["methods_over_replicates"].alt.startswith("Data sets on which set cover is better, and worse, than")


def test_a_study_that_names_no_subject_is_about_the_first_method_with_probabilities(stored):
    config = {key: value for key, value in stored.study.config.items() if key != "subject"}
    config["comparisons"]["methods"]["experiments"] = ["cover", "tree", "neighbours"]
    unnamed = Stored(stored.folder, load(config))
    assert verdict(unnamed, PUBLISHED).methods == ["decision_tree", "knn"]
    assert over_data_sets(unnamed)[0].methods == ["decision_tree", "knn"]
    assert pick(over_data_sets(unnamed), score="balanced error")[0].methods[0] == "set_cover"


def test_what_the_subject_lacks_is_missed_by_name(stored, tmp_path):
    shutil.copytree(stored.folder.parent, tmp_path / "results")
    for data_set, replicates in (("cross", (0, 1, 2)), ("flowers", (2,))):
        for replicate in replicates:
            shutil.rmtree(tmp_path / f"results/rivals/replicate_{replicate}/{data_set}/tree")
    with chdir(tmp_path):
        found = verdict(Finished.of(stored.study), PUBLISHED)
    said = dict(found.sentences)
    assert said["Missing:"] == "decision tree has no score on 1 (cross) of 2 data sets; these are not counted."
    assert said["Incomplete:"] == "decision tree lacks scores of some replicates on 1 (flowers) of 2 data sets."
    assert "lowest mean test log-loss over 1 data set, " in said["Test scores:"]
    assert said["Test scores:"].endswith("; 2 replicates are too few to test a difference on a single data set.")


def test_a_subject_that_is_not_run_is_said_to_be_missing(stored):
    found = verdict(about(stored, "decision_tree", only={"neighbours": ["flowers"]}), PUBLISHED)
    said = dict(found.sentences)
    assert said["Missing:"] == "this config runs no experiment of decision tree."
    assert said["Unfinished:"] == "no model of decision tree has a score."
    tree = {"method": "decision_tree", "title": "t", "data_sets": ["flowers"], "vary": {"min_samples_leaf": [1, 5]}}
    experiments = {**stored.study.config["experiments"], "varied": {**tree, "stage2": {"complexity": 2}}}
    only = {"neighbours": ["flowers"], "varied": ["flowers"]}
    found = verdict(about(stored, "decision_tree", only=only, experiments=experiments), PUBLISHED)
    assert dict(found.sentences)["Missing:"] == "this config runs no experiment of decision tree without `vary`."
    assert "decision tree" in verdict_markdown(found)


def test_one_replicate_has_no_intervals_and_no_tests(stored):
    once = about(stored, "knn", replicates=[0])
    found = verdict(once, PUBLISHED)
    assert dict(found.sentences)["Not tested:"] == (
        "KNN has one replicate on 2 (flowers, cross) of 2 data sets; intervals and tests need at least 3 replicates."
    )
    assert not [score for scores in found.scores.values() for score in scores.values() if score.interval]
    assert methods_over_replicates(once) == []
    assert "Not tested:" not in dict(verdict(about(stored, "knn"), PUBLISHED).sentences)


def test_the_published_number_in_brackets_is_that_of_the_experiment_that_is_shown():
    """E1 and E5 are the same method on the same data sets; the loss of the first one is shown."""
    study = Reported(ROOT / "reports/study")
    data_sets = ["wine", "cancer", "digits"]
    study.study = load({**study.study.config, "only": {"E1": data_sets, "E5": data_sets}})
    found = verdict(study, PUBLISHED)
    printed = {d: of["proset"].published for d, of in found.scores.items()}
    assert printed == {"wine": 0.10, "cancer": 0.31, "digits": 0.15}
    assert found.sizes[0] == ("settings tried", {"proset": "50"})  # E5 has 11


def test_methods_without_a_data_set_in_common_are_shown_and_not_tested(stored):
    only = {"neighbours": ["flowers"], "tree": ["cross"]}

    class Apart(Stored):
        def _read_rows(self, experiment):
            return [row for row in super()._read_rows(experiment) if row.dataset in only[experiment]]

    found = verdict(Apart(stored.folder, about(stored, "decision_tree", only=only).study), PUBLISHED)
    words = "Without a replicate of a data set that both methods have, no difference can be tested."
    assert dict(found.sentences)["Test scores:"] == words
    assert {d: list(of) for d, of in found.scores.items()} == {"flowers": ["knn"], "cross": ["decision_tree"]}


def test_the_answer_is_that_of_the_pairs_which_the_config_compares(stored, tmp_path):
    paired = about(stored, "decision_tree", against={"tree": "neighbours"})
    flowers, cross = found = differences_of_pairs(paired)
    assert [(d.name, d.against, d.dataset) for d in found] == [("tree", "neighbours", d) for d in ("flowers", "cross")]
    rows = pick(stored.rows_of(["tree", "neighbours"], "final", "log_loss"), dataset="cross", fit_seed=0)
    tree, neighbours = ([row.value for row in pick(rows, experiment=e)] for e in ("tree", "neighbours"))
    expected = ttest_rel(tree, neighbours)
    assert (cross.low, cross.high) == pytest.approx(tuple(expected.confidence_interval()))
    assert cross.is_significant == (expected.pvalue < 0.05)
    assert (cross.loss, cross.loss_against) == pytest.approx((fmean(tree), fmean(neighbours)))
    (word, answer), *_ = verdict(paired, PUBLISHED).sentences
    assert word == "Answer:"
    n_lower = sum(d.is_lower for d in found)
    assert answer.startswith(
        f"in {n_lower} of 2 cases (1 pair, 2 data sets), the experiment has a lower mean test log-loss"
    )
    summary, each = against_grids(paired)
    titles = [paired.study.tables[name]["title"] for name in ("tree", "neighbours")]
    assert [cell.text for cell in summary.rows[0]][:2] == [f"tree: {titles[0]}", f"neighbours: {titles[1]}"]
    assert [cell.value for cell in each.rows[0][1:]] == [flowers.difference, cross.difference]
    write_row_files(tmp_path, paired, PUBLISHED, [layout.AGAINST])
    read = read_rows(tmp_path / layout.AGAINST, Difference)
    assert [asdict(d) for d in read] == [pytest.approx(asdict(d)) for d in found]


def test_pairs_without_log_losses_are_compared_by_balanced_error_and_tested_with_replicates(stored):
    pairs = {"cover": "tree", "tree": "neighbours"}
    found = differences_of_pairs(about(stored, "decision_tree", against=pairs))
    assert {(d.experiment, d.score) for d in found} == {("cover", "balanced error"), ("tree", "log-loss")}
    assert score_of(found) == "loss"
    once = about(stored, "decision_tree", against=pairs, replicates=[0])
    assert {(d.low, d.is_significant) for d in differences_of_pairs(once)} == {(None, False)}
    assert against_grids(stored) == []
    assert "Answer:" not in dict(verdict(stored, PUBLISHED).sentences)


def test_variants_are_compared_with_those_of_the_same_name():
    report = ROOT / "reports/set_cover"
    found = [d for d in differences_of_pairs(Reported(report)) if d.dataset == "digits_16"]
    assert [d.variant for d in found] == ["metric=euclidean", "metric=tangent"]
    accuracy = pick(read_rows(report / layout.ALL_SCORES, Row), section="final", quantity="balanced_accuracy")
    for d in found:
        ours, theirs = (
            fmean(1 - row.value for row in pick(accuracy, experiment=e, variant=d.variant))
            for e in (d.experiment, d.against)
        )
        assert (d.loss, d.loss_against) == pytest.approx((ours, theirs))


def about(stored, subject, **settings):
    """The same records in a study about another method, or with other settings."""
    return Stored(stored.folder, load({**stored.study.config, "subject": subject, **settings}))


def read(path):
    return path.read_text(encoding="utf-8")


def spoken(file):
    """Lines of a file without scripts, styles, what is packed in a picture, and the versions of packages."""
    text = re.sub(r"<(script|style)\b.*?</\1>", "", read(file), flags=re.DOTALL)
    text = re.sub(r'src="data:[^"]*"', "", text)
    return [line for line in text.splitlines() if not line.startswith("<dt>Versions</dt>")]


def test_what_the_config_leads_with_is_said_first():
    folder = PUBLISHED.parents[2] / "reports/error_estimates"
    ((word, sentence),) = front_page._lead("estimates", folder, {})
    assert (word, sentence[:40]) == ("Estimates:", "of the estimates that work for every met")
    assert "with 54 samples (0.0" in sentence
    assert (
        front_page._lead("estimates", folder / "nowhere", {})
        == front_page._lead("claims", folder, {"in_words": ""})
        == []
    )
    assert front_page._lead("scores", folder, {}) == front_page._lead(None, folder, {}) == []
    verdicts = ["holds", "holds", "fails", "not decidable"]
    assert evidence._verdicts_in_words(verdicts) == (
        "of 3 verdicts on claims, mostly for single data sets, 2 are “holds”, 1 “fails” and 0 undetermined."
    )
