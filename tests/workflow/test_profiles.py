"""The profiles for clusters know every rule."""

import re
from pathlib import Path

import pytest
import yaml

WORKFLOW = Path(__file__).parents[2] / "workflow"
RULES = {
    match[1]: match[2]
    for path in (WORKFLOW / "rules").glob("*.smk")
    for match in re.finditer(r"^rule (\w+):\n(.*?)(?=^rule |\Z)", path.read_text(encoding="utf-8"), re.M | re.S)
}


def test_every_rule_says_what_it_needs():
    assert {"data", "stage1", "page"} <= set(RULES)
    for name, text in RULES.items():
        for line in ("    threads: 1\n", "        mem_mb=needs.memory,\n", "        runtime=needs.minutes,\n"):
            assert line in text, name


@pytest.mark.parametrize("profile", ["slurm", "cluster-generic"])
def test_every_rule_is_part_of_a_submission(profile):
    settings = yaml.safe_load((WORKFLOW / f"profiles/{profile}/config.yaml").read_text(encoding="utf-8"))
    assert set(settings["groups"]) == set(RULES)
    assert set(settings["group-components"]) == set(settings["groups"].values())
