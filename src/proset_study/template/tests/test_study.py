"""The config is right, and each method in `methods` keeps what the study asks of one."""

from pathlib import Path

import pytest
import yaml

from proset_study.study.config.checks import load
from proset_study.study.contract import CHECKS
from proset_study.study.subject import subject_of

ROOT = Path(__file__).parents[1]
CONFIG = yaml.safe_load((ROOT / "config/config.yaml").read_text(encoding="utf-8"))
METHODS = sorted(file.stem for file in (ROOT / "methods").glob("*.py"))


def test_the_config_is_right():
    load(CONFIG)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("method", METHODS)
def test_contract(method, check):
    """Check each method with the parameters of the first experiment that has it."""
    check(subject_of(method, CONFIG["experiments"]))
