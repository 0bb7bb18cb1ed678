"""The article of the committed records, which lack none: names, words, figures, the PDF."""

import json
import re
import shutil
import sys
from importlib.util import find_spec

import pandas as pd
import pytest
from tests.proset_study.report.article.conftest import copied, numbered
from tests.shared import ROOT

from proset_study.base.records import read_json, write_json
from proset_study.report.article.build import NO_TYPST, PICTURE, build, gather, numbers_record
from proset_study.report.article.methods import place_of, signed_ranks_in_words
from proset_study.report.article.open_track import TRACK, TRACKED
from proset_study.report.article.sources import CALLS, PAGE
from proset_study.report.article.study import DRAWS, STUDY
from proset_study.report.article.topics import PUBLISHED, TOPICS, Reported
from proset_study.report.article.wording import ordinal
from proset_study.report.rows import pick, read_cells, read_table
from proset_study.store.results import write_rows
from proset_study.study import layout


@pytest.fixture(scope="session")
def everything(committed):
    content, missing = gather(committed)
    assert not missing
    return content


def texts_of(project, name):
    """The texts of a topic."""
    folder = project / TOPICS[name].report
    return TOPICS[name].content(folder, lambda: Reported(folder)).texts


def change(path, **values):
    """Set columns of every row of a CSV file."""
    table = read_cells(path)
    write_rows(path, [{**row, **values} for row in table], list(table[0]))


@pytest.mark.parametrize("call", CALLS)
def test_article_and_findings_name_all_that_is_gathered_and_nothing_else(everything, committed, call):
    text = "".join(path.read_text(encoding="utf-8") for path in sorted((committed / "article").glob("*.typ")))
    text = re.sub(r"^\s*//.*$", "", text, flags=re.MULTILINE)
    text += (committed / "article" / PAGE).read_text(encoding="utf-8")
    named = set(re.findall(rf'\b{call}\("([\w.]+)"', text))
    assert named == set(getattr(everything, CALLS[call]))


def test_every_text_is_there_and_every_table_is_a_rectangle(everything):
    undefined = re.compile(r"\b(nan|inf)\b")
    assert [name for name, text in everything.texts.items() if not text.strip() or undefined.search(text)] == []
    for name, (heading, *body) in everything.tables.items():
        assert body, name
        assert {len(row) for row in body} == {len(heading)}, name
        assert not any(undefined.search(cell) for row in body for cell in row), name


def agreeing(project, report):
    """Numbers of published test scores that ours are within the tolerance of, and that are compared."""
    names = ("log_loss", "roc_auc", "balanced_accuracy")
    numbers = pick(read_cells(project / report / layout.COMPARISON), section="final")
    scores = [cell["within"] for cell in numbers if cell["quantity"] in names and cell["within"] in ("yes", "no")]
    return f"{scores.count('yes')} of {len(scores)}"


def test_numbers_are_those_of_the_records(everything, committed):
    texts, tables = everything.texts, everything.tables
    assert texts["reproduction.within"] == agreeing(committed, STUDY)
    assert texts["published_draws.within"] == agreeing(committed, DRAWS)
    assert texts["protocol.cells"] == f"{len(read_cells(committed / STUDY / layout.COMPARISON)):,}"
    assert tables["reproduction.by_experiment"][-1][:2] == ["all", agreeing(committed, STUDY)]
    scores = pd.read_csv(committed / TRACK / layout.ALL_SCORES).query("quantity == 'log_loss'")
    scores = scores[scores["section"].str.match("final|refit")].groupby(["dataset", "method", "replicate"])["value"]
    means = scores.mean().groupby(["dataset", "method"]).mean().unstack()
    _, *forms = tables["leave_one_out.forms"]
    assert len(forms) == len(means)
    for data_set, *cells in forms:
        few, split, searched = means.loc[data_set, ["proset_few", "proset", "proset_leave_one_out"]]
        found = [float(cell.split()[0].replace("\N{MINUS SIGN}", "-")) for cell in cells[:3]]
        assert found == pytest.approx([few, few - split, searched - split], abs=6e-4)
    ranks = read_table(committed / TRACK / "findings/ranks.csv", comparison=TRACKED, score="log-loss", group="real")
    (rank,) = (row["average_rank"] for row in ranks if row["method"] == "proset_few")
    assert texts["open_track.real_place"] == ordinal(1 + sum(row["average_rank"] < rank for row in ranks))


def test_words_follow_from_numbers(committed, tmp_path):
    copy = copied(committed, tmp_path, *TOPICS["reproduction"].records)
    for p, words in ((0.2, "not shown to be equivalent"), (0.01, "equivalent")):
        change(copy / STUDY / "findings/reproduction.csv", p=p)
        texts = texts_of(copy, "reproduction")
        assert (texts["equivalent"], texts["equivalence_p"]) == (words, f"p = {p}")


def test_the_worst_of_the_unlucky_fits_may_be_of_either_implementation(committed, tmp_path):
    copy = copied(committed, tmp_path, *TOPICS["explanations"].records)
    fits = read_table(copy / "benchmarks/results/e1_on_cancer.csv")
    unlucky = [fit["log_loss"] for fit in fits if fit["features"] == 1]
    assert {fit["implementation"] for fit in fits if fit["log_loss"] == max(unlucky)} == {"ours"}
    assert texts_of(copy, "explanations")["single_loss"] == f"{max(unlucky):.2f}"


def test_the_published_draws_are_held_against_the_same_scores_of_the_study(committed, tmp_path):
    copy = copied(committed, tmp_path, *TOPICS["published_draws"].records)
    texts = texts_of(copy, "published_draws")
    assert "wine" not in texts["without"]
    table = read_table(copy / STUDY / layout.COMPARISON)
    for without, words in ((), "none"), (("wine",), "wine"):
        rows = [row for row in table if row["dataset"] not in without]
        write_rows(copy / DRAWS / layout.COMPARISON, rows, list(table[0]))
        texts = texts_of(copy, "published_draws")
        assert texts["without"] == words
        assert (texts["within"] == agreeing(copy, STUDY)) == (not without)
        assert texts["within"] == texts["within_ours"]


def test_what_nothing_tells_apart_is_none(committed, tmp_path):
    copy = copied(committed, tmp_path, *TOPICS["explanations"].records)
    change(copy / "benchmarks/results/e1_on_cancer.csv", features=2)
    texts = texts_of(copy, "explanations")
    assert (texts["single_ours"], texts["single_theirs"]) == ("none", "none")


def test_records_that_are_missing_are_named_with_the_command_that_makes_them(committed, tmp_path):
    project = numbered(copied(committed, tmp_path, *TOPICS["claims"].records))
    content, missing = gather(project)
    assert set(missing) == set(TOPICS) - {"claims", "example"}  # which is fitted, not read
    assert {name.partition(".")[0] for name in content.texts} == {"claims", "example"}
    assert all(
        re.match(r"snakemake --cores all --configfile( workflow/[\w/]+\.yaml)+$|make (bench|article)$", t.command)
        for t in TOPICS.values()
    )


def test_numbers_of_a_report_are_read_from_what_it_has_written(committed, everything, tmp_path):
    names = [name for name, entry in TOPICS.items() if entry.report == STUDY]
    copy = numbered(copied(committed, tmp_path, *{file for name in names for file in TOPICS[name].records}, PUBLISHED))
    written = read_json(copy / STUDY / layout.NUMBERS)
    within = written["reproduction"]["numbers"]["within"]
    assert within["text"] == "{:.0f} of {:.0f}".format(*within["value"]) == everything.texts["reproduction.within"]
    content, _ = gather(copy)
    there = [*names, "example"]  # which is fitted, not read
    assert dict(content.texts) == {n: text for n, text in everything.texts.items() if n.partition(".")[0] in there}
    assert set(content.figures) == {name for name in everything.figures if name.partition(".")[0] in names}
    written["reproduction"]["numbers"]["within"]["text"] = "none of 1"
    del written["claims"]
    write_json(copy / STUDY / layout.NUMBERS, written)
    content, missing = gather(copy)
    assert content.texts["reproduction.within"] == "none of 1"
    assert "claims" in missing


def test_a_report_without_all_published_data_sets_gives_what_it_has():
    assert [*numbers_record(ROOT / DRAWS, ROOT / PUBLISHED)] == ["claims"]


@pytest.mark.slow
def test_the_article_is_a_pdf_of_eight_to_ten_pages(committed, tmp_path):
    said = build(committed, tmp_path / "out")
    record = json.loads((tmp_path / "out/records.json").read_text(encoding="utf-8"))
    assert all((tmp_path / "out" / file).stat().st_size for file in record["figures"].values())
    assert [topic in said for topic in record["missing"]] == [True] * len(record["missing"])
    if find_spec("typst") is None:
        pytest.skip("typst is not installed: pip install -r requirements-article.txt")
    import typst

    assert (tmp_path / "out/article.pdf").read_bytes().startswith(b"%PDF")
    pages = typst.compile(tmp_path / "out/article.typ", root=tmp_path / "out", format="png", ppi=20)
    assert 8 <= len(pages) <= 10


def test_without_typst_it_says_so_and_leaves_what_the_article_is_made_of(committed, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "typst", None)
    project = numbered(copied(committed, tmp_path, *TOPICS["claims"].records, PICTURE))
    shutil.copytree(committed / "article", project / "article", dirs_exist_ok=True)
    said = build(project, tmp_path / "out")
    assert NO_TYPST in said
    assert (tmp_path / "out/records.json").is_file()
    assert not (tmp_path / "out/article.pdf").exists()


def test_a_lead_below_the_region_of_equivalence_is_a_lead():
    pair = {"second": "knn", "median_difference": -0.003, "first_better": 0.0, "second_better": 0.0}
    assert signed_ranks_in_words("proset", [{**pair, "holm_p_control": 1e-6}]) == "proset is ahead of KNN"
    assert (
        signed_ranks_in_words("proset", [{**pair, "holm_p_control": 0.5}])
        == "proset does not differ significantly from KNN"
    )


def test_equal_average_ranks_share_a_place():
    assert place_of("proset", {"svm": 2.0 + 1e-15, "proset": 2.0, "class_prior": 1.0, "knn": 3.0}) == (1, 3)
    assert place_of("knn", {"svm": 2.0, "proset": 2.0, "knn": 3.0}) == (3, 3)
    assert place_of("knn", {"svm": 2.0}) == (0, 0)
