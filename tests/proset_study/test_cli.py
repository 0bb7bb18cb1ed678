"""The table of commands: options are the parameters of functions, and wrong ones are refused."""

import re
import sys
from pathlib import Path

import pytest
from tests.shared import ROOT

from proset_study import cli
from proset_study.cli import COMMANDS, _function, _parser, _what, _work_in, main

TEXTS = [file.read_text(encoding="utf-8") for file in [*(ROOT / "workflow/rules").glob("*.smk"), ROOT / "Makefile"]]
USES = [
    (match[1], set(re.findall(r"--([\w-]+)", match[2])))
    for text in TEXTS
    for match in re.finditer(r"-m proset_study ([a-z1-2-]+)((?:.|\n)*?)(?:2>|\n\n)", text)
]
OF_RULES = [name for text in TEXTS for name in re.findall(r'command\("([a-z1-2-]+)"', text)]
STUDY = ["--study", "study.json", "--data-set", "wine"]


def parsed(name, *options):
    return vars(_parser(name, _function(name)).parse_args(options))


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_says_what_it_does(name, capsys):
    with pytest.raises(SystemExit) as end:
        _parser(name, _function(name)).parse_args(["--help"])
    assert end.value.code == 0
    assert capsys.readouterr().out.startswith(f"usage: python -m proset_study {name} ")


def test_options_of_rules_are_those_of_the_commands():
    assert len(OF_RULES) > 10
    assert {*OF_RULES} <= {*COMMANDS}  # their options are wildcards: tests/workflow runs them
    assert USES
    for name, options in USES:
        known = {action.option_strings[-1][2:] for action in _parser(name, _function(name))._actions}
        assert options <= known, name


def test_values_have_the_types_of_the_parameters():
    of_page = parsed("data-set-page", *STUDY, "--options", '["--cores 2"]')
    assert of_page == {"study": Path("study.json"), "data_set": "wine", "options": ["--cores 2"]}
    numbers = ["--published", __file__, "--refits", "2", "--seed", "3"]
    verified = parsed("verify", "--report", "reports/study", *numbers, "--files", "a", "b")
    assert (verified["refits"], verified["minutes"], verified["archive"]) == (2, 120.0, None)
    assert verified["files"] == [Path("a"), Path("b")]
    assert list(parsed("verify-release", "--release", "a.tar.xz", *numbers, "--files")["files"]) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["stage3"], "invalid choice: 'stage3' "),
        ([], "the following arguments are required: COMMAND"),
        (["split", *STUDY], "the following arguments are required: --replicate"),
        (["verify", "--refits", "-1"], "argument --refits: -1 is not allowed, must be 0 or more"),
        (["verify", "--published", "no.csv"], "argument --published: no.csv is not allowed, must be a file"),
        (["release", "--output", "r.zip"], "argument --output: r.zip is not allowed, must end with .tar.xz"),
        (["leaderboard", "--output", "b.csv"], "argument --output: b.csv is not allowed, must end with .html"),
        (["merge", "--stores", "--output", "x"], "argument --stores: expected at least one argument"),
    ],
)
def test_what_cannot_be_run_ends_with_status_2(arguments, message, capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["proset_study", *arguments])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 2
    assert message in capsys.readouterr().err


def test_the_log_says_what_a_job_was_about(monkeypatch, tmp_path, capsys):
    place = {"study": None, "replicate": 0, "data_set": "wine", "run": "E3"}
    trials = place | {"first_fold": 0, "last_fold": 4, "first_trial": 0, "last_trial": 49}
    assert _what(trials) == "E3 on wine, replicate 0, folds 0 to 4, trials 0 to 49"
    assert _what(place | {"first_fold": 0, "last_fold": 1}) == "E3 on wine, replicate 0, folds 0 to 1"
    assert _what(place | {"kind": "bootstrap"}) == "E3 on wine, replicate 0, kind bootstrap"
    assert _what({"report": tmp_path}) is None
    monkeypatch.setattr(cli, "COMMANDS", COMMANDS | {"merge": "base.environment.commit"})
    monkeypatch.setattr(sys, "argv", ["proset_study", "merge"])
    main()
    assert capsys.readouterr().out == ""


def test_a_job_on_copies_names_what_is_outside_from_here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    moved = _work_in(tmp_path / "copies", {"study": Path("s.json"), "files": [Path("a.csv")], "name": "E3"})
    assert moved == {"study": tmp_path / "s.json", "files": [tmp_path / "a.csv"], "name": "E3"}
    assert Path.cwd() == tmp_path / "copies"
