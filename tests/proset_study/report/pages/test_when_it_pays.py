"""A battery from its records to its pages, and that a study without one says nothing of it."""

import re
from collections import Counter
from itertools import permutations

import pytest
from tests.proset_study.report.battery_study import DATA_SETS, battery_config, write_tables
from tests.proset_study.report.conftest import PUBLISHED
from tests.proset_study.small_study import compute

from proset_study.report.analysis.battery import PROPERTIES, batteries
from proset_study.report.rows import read_cells
from proset_study.report.write import write_report
from proset_study.study import layout

FILES = ("table_properties", "dependence", "between_properties", "ratings", "pareto", "tuning")
CRITERIA = ("log_loss", "size", "fit_cpu_s")


@pytest.fixture(scope="module")
def battery(tmp_path_factory):
    """The battery as it is stored."""
    folder = tmp_path_factory.mktemp("battery")
    write_tables(folder)
    return compute(battery_config(folder), folder)


@pytest.fixture(scope="module")
def pages(battery, tmp_path_factory):
    """Its report: a folder with numbers, figures and pages."""
    folder = tmp_path_factory.mktemp("pages")
    write_report(battery, folder, PUBLISHED, ["manifest", "numbers", "models", "overview"])
    return folder


def rows(pages, name):
    return read_cells(pages / f"findings/{name}.csv")


@pytest.mark.slow
def test_properties_are_those_of_the_tables(battery):
    defaults, tuned = batteries(battery)
    assert (defaults.name, tuned.name) == ("by_default", "after_search")
    assert defaults.compared.methods == ["proset", "knn", "decision_tree", "class_prior"]
    tables = {table.dataset: table for table in defaults.tables}
    assert len(tables) == DATA_SETS
    assert defaults.n_sources == 9
    mixed, of_file, generated = tables["mixed_6"], tables["table_0"], tables["noise_2"]
    assert (mixed.columns, mixed.classes, mixed.train_samples) == (9, 3, 77)
    assert mixed.categorical == pytest.approx(1 / 9)
    assert 0.005 < mixed.missing < 0.03
    assert (of_file.categorical, of_file.missing, of_file.classes, of_file.noise_from) == (0, 0, 2, "best method")
    assert of_file.noise < 0.5 < tables["table_3"].noise
    assert (tables["xor_0"].noise, tables["noise_0"].noise, generated.noise_from) == (0.0, 0.0, "Bayes rule")
    entropy = 0.469  # in bits, of a label that is wrong with a probability of 0.1
    assert generated.noise == pytest.approx(entropy, abs=0.03)


@pytest.mark.slow
def test_files_have_a_row_for_each_comparison_and_belong_to_the_report(battery, pages):
    for name in FILES:
        assert layout.belongs(battery.study, f"findings/{name}.csv")
        assert rows(pages, name)
    assert layout.belongs(battery.study, layout.WHEN_IT_PAYS)
    by_comparison = Counter(row["comparison"] for row in rows(pages, "pareto"))
    assert by_comparison == {"by_default": 4 * DATA_SETS, "after_search": 4 * DATA_SETS}
    for name, number in (("table_properties", DATA_SETS), ("ratings", 4), ("dependence", 3 * len(PROPERTIES))):
        assert Counter(row["comparison"] for row in rows(pages, name)) == dict.fromkeys(by_comparison, number)


@pytest.mark.slow
def test_the_best_of_a_data_set_in_any_criterion_is_on_its_front(pages):
    for data_set in {row["dataset"] for row in rows(pages, "pareto")}:
        points = [r for r in rows(pages, "pareto") if (r["comparison"], r["dataset"]) == ("by_default", data_set)]
        on_front = {row["method"] for row in points if row["on_front"] == "yes"}
        for order in permutations(CRITERIA):  # the others decide ties
            best = sorted(points, key=lambda row, order=order: [float(row[name]) for name in order])[0]
            assert best["method"] in on_front
        assert {row["method"] for row in points if row["prototypes"]} == {"proset"}


@pytest.mark.slow
def test_tuning_changes_the_method_that_was_tuned_only(pages):
    gained = {row["method"]: row for row in rows(pages, "tuning")}
    assert len(gained) == 4
    assert float(gained["proset"]["gain"]) != 0
    assert {float(gained[m]["gain"]) for m in gained if m != "proset"} == {0.0}
    assert {(row["tuned"], row["defaults"]) for row in gained.values()} == {("after_search", "by_default")}


@pytest.mark.slow
def test_the_page_has_sentences_figures_and_tables_of_both_and_the_front_page_links_to_it(pages):
    page, front = ((pages / name).read_text(encoding="utf-8") for name in (layout.WHEN_IT_PAYS, layout.INDEX))
    for name in ("by_default", "after_search"):
        assert f'<h2 id="{name}">' in page
        assert f'id="properties_{name}"' in page
        for kind in ("pays", "ratings", "sizes"):
            assert f'<figure id="{kind}_{name}"' in page
    assert page.count('<ul class="verdict">') == 2
    assert 'id="tuning_after_search_by_default"' in page
    section = front.partition('id="when-it-pays"')[2].partition("<h2")[0]
    sentences = re.findall("<li>(.*?)</li>", section)
    assert len(sentences) == 3  # no property of these tables matters
    assert all(sentence in page for sentence in sentences)
    assert f'<a href="{layout.WHEN_IT_PAYS}">' in section
    linked = set(re.findall(r'href="([^"#]*)"', page)) - {"data:,"}
    assert linked == {"../index.html", *(f"{name}.csv" for name in FILES)}
    assert all((pages / "findings" / link).exists() for link in linked)


def test_a_study_with_few_data_sets_says_nothing_of_it(stored, report):
    assert batteries(stored) == []
    assert not (report / layout.WHEN_IT_PAYS).exists()
    assert not any((report / f"findings/{name}.csv").exists() for name in FILES)
    assert "does it pay" not in (report / layout.INDEX).read_text(encoding="utf-8")
