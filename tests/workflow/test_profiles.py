"""The profiles for clusters know every rule."""

import os
import re
import shutil
import tomllib

import pytest
import yaml
from snakemake.profiles import ProfileConfigFileParser
from tests.shared import ROOT

WORKFLOW = ROOT / "workflow"
# Options of the plugin for Slurm that the profile has, and the version of the plugin that brought them.
SLURM = {"slurm-status-command": "2.3", "slurm-array-jobs": "2.6", "slurm-no-requeue": "2.8"}
STARTS = r"^(?:use rule _job as|rule) "
RULES = {
    match[1]: match[0]
    for path in (WORKFLOW / "rules").glob("*.smk")
    for match in re.finditer(rf"{STARTS}(\w+).*?(?={STARTS}|\Z)", path.read_text(encoding="utf-8"), re.M | re.S)
}
SUBMITTED = {name for name, text in RULES.items() if "    localrule: True\n" not in text} - {"_job"}


def test_every_rule_says_what_it_does_and_needs():
    assert {"data", "stage1", "evaluate", "score"} <= set(RULES)
    for name, text in RULES.items():
        assert text.partition("\n")[2].startswith('    """'), name
    for name, text in RULES.items():
        if text.startswith("rule ") and (name in SUBMITTED or name == "_job"):
            for pattern in (r" {8}mem_mb=\w+\.memory,\n", r" {8}runtime=\w+\.minutes,\n"):
                assert re.search(pattern, text), name


@pytest.mark.parametrize("profile", ["slurm", "cluster-generic"])
def test_every_rule_is_part_of_a_submission(profile):
    settings = yaml.safe_load((WORKFLOW / f"profiles/{profile}/config.yaml").read_text(encoding="utf-8"))
    in_arrays = {settings["slurm-array-jobs"]} if "slurm-array-jobs" in settings else set()
    assert set(settings["groups"]) | in_arrays == SUBMITTED
    assert not set(settings["groups"]) & in_arrays  # a job of a group is no task of an array
    assert set(settings["group-components"]) == set(settings["groups"].values())


def test_no_version_that_is_allowed_of_the_plugin_for_slurm_lacks_an_option():
    settings = yaml.safe_load((WORKFLOW / "profiles/slurm/config.yaml").read_text(encoding="utf-8"))
    assert {name for name in settings if name.startswith("slurm-")} == SLURM.keys()
    project = tomllib.loads((WORKFLOW.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (plugin,) = (line for line in project["optional-dependencies"]["cluster"] if "slurm" in line)
    assert plugin.partition(">=")[2] == max(SLURM.values())


def test_the_status_command_is_found_where_profiles_are_elsewhere(tmp_path, monkeypatch):
    """As in a folder that snakedeploy writes."""
    shutil.copytree(WORKFLOW / "profiles/cluster-generic", tmp_path / "profiles/cluster-generic")
    monkeypatch.chdir(tmp_path)
    with open("profiles/cluster-generic/config.yaml", encoding="utf-8") as file:
        settings = ProfileConfigFileParser().parse(file)
    assert os.access(settings["cluster-generic-status-cmd"], os.X_OK)
