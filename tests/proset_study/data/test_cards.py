"""Every bundled data set has a card of the schema; that of a table is next to it; wrong ones are refused."""

from hashlib import sha256
from pathlib import Path

import pytest
from tests.proset_study.config_files import all_data_sets
from tests.proset_study.small_study import config_of

from proset_study.data.cards import card, check, shipped
from proset_study.data.sizes import SKLEARN
from proset_study.study.config.checks import ConfigError, load

MINE = {"file": "t.csv", "target": "kind"}


@pytest.mark.parametrize("name", shipped())
def test_cards_that_are_shipped_have_the_form_of_the_schema(name):
    check(shipped()[name], name)


def test_every_bundled_data_set_of_a_config_has_a_card():
    assert {f"sklearn:{name}" for name in SKLEARN} <= shipped().keys()
    shipped_files = [settings["file"] for settings in all_data_sets().values() if ":" in settings.get("file", "")]
    assert len(shipped_files) > 10
    assert {*shipped_files} <= shipped().keys()


def test_what_follows_from_the_entry_is_on_the_card():
    mixture = {"generator": "mixture", "samples_per_class": 300, "components": 10, "means_seed": 4}
    found = card(mixture)
    assert found["bayes_error"] == pytest.approx(0.2577)
    assert found["settings"] == {"samples_per_class": 300, "components": 10, "means_seed": 4}
    assert "bayes_error" not in card({"generator": "xor", "features": 2})
    fair = card({"file": "statsmodels:datasets/fair/fair.csv", "target": "affairs"})
    assert fair["package"].startswith("statsmodels 0.")
    assert len(fair["sha256"]) == 64
    assert card({"openml": {"task_id": 31}})["licence"] == "not stated"  # nothing is downloaded


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("a,kind\n1,x\n2,y\n", encoding="utf-8")
    return Path("t.csv")


def test_the_card_of_a_table_is_next_to_it(table):
    found = card(MINE)
    assert found["source"] == "not stated"
    assert found["sha256"] == sha256(table.read_bytes()).hexdigest()
    Path("t.csv.card.yaml").write_text("{title: Mine, source: me, licence: none}\n", encoding="utf-8")
    assert card(MINE) == {"title": "Mine", "source": "me", "licence": "none", "sha256": found["sha256"]}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{title: Mine, source: me}", r"t\.csv\.card\.yaml: top level: 'licence' is a required property; keys and"),
        ("{title: 1, source: me, licence: none}", r"t\.csv\.card\.yaml: title: 1 is not of type 'string'"),
        ("{title: Mine, source: me, licence: none, bayes_error: 2}", "bayes_error: 2 is greater than the maximum of 1"),
        ("[Mine", r"t\.csv\.card\.yaml cannot be read: while parsing a flow sequence"),
    ],
)
def test_a_wrong_card_is_refused_before_anything_runs(table, text, words):
    Path("t.csv.card.yaml").write_text(text, encoding="utf-8")
    config = config_of("s", {"mine": MINE}, {"E8": {"method": "knn", "stage2": {"complexity": 3}}})
    with pytest.raises(ConfigError, match=rf"data_sets\.mine\.{words}" if words.startswith("t") else words):
        load(config)
