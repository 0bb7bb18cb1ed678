"""The files that set up an environment agree with each other."""

import re
import tomllib
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]


def _packages(lines):
    return {re.split(r"[<>=!~ ]", line)[0].lower(): line for line in lines}


def _project():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [*project["dependencies"], *project["optional-dependencies"]["dev"]]


def test_conda_environment_has_the_packages_and_ranges_of_the_project():
    conda = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))["dependencies"]
    conda = {d.replace("snakemake-minimal", "snakemake") for d in conda if not re.match(r"python\b|pip\b", d)}
    assert conda == set(_project())


def test_pinned_requirements_fit_the_project_and_name_no_index():
    text = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    pins = _packages(line for line in text.splitlines() if line and not line.startswith("#"))
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.+!]+( ;.*)?", pin) for pin in pins.values())
    for name, wanted in _packages(_project()).items():
        pinned, lowest = pins[name].split("==")[1], wanted.split(">=")[1]
        assert [int(p) for p in re.findall(r"\d+", pinned)] >= [int(p) for p in re.findall(r"\d+", lowest)], name
