"""A new study in its own folder, and where the workflow is that it takes its rules from."""

import re
import shlex
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

import proset
from proset_study import PROJECT
from proset_study.base.environment import install_command

TEMPLATE = Path(__file__).with_name("template")
STUDY = "my_study"  # its name in the template
VERSION = "VERSION"
TAKEN = ("demo", "true", "false", "yes", "no", "on", "off", "null")  # by the template's demo, and values of YAML


def where() -> None:
    """Print the folder that has workflow/Snakefile, its profiles and a report to compare with."""
    print(PROJECT)


def new(folder: Path, /) -> None:
    """Write a study of your own into a new folder: config, method, Snakefile, profiles, tests, CI, Makefile."""
    name = re.sub(r"\W", "_", folder.resolve().name, flags=re.ASCII)
    if not re.fullmatch(r"[A-Za-z]\w{0,49}", name, re.ASCII):  # as in the schema of configs
        rule = "it names the study: must begin with a letter from A to Z and have at most 50 characters"
        raise ValueError(f"folder: {folder.name!r} is not allowed, {rule}")
    if name.lower() in TAKEN:
        rule = f"it names the study, and that is none of {', '.join(TAKEN)}"
        raise ValueError(f"folder: {folder.name!r} is not allowed, {rule}")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ValueError(f"folder: {str(folder)!r} exists; name a new one")
    shutil.copytree(TEMPLATE, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    for file in (path for path in folder.rglob("*") if path.is_file()):
        text = file.read_text(encoding="utf-8")
        file.write_text(text.replace(VERSION, proset.__version__).replace(STUDY, name), encoding="utf-8")
    shutil.copytree(PROJECT / "workflow/profiles", folder / "workflow/profiles")
    print(f"{folder} is a study; README.md in it says what to do. Where its method stands, in minutes:")
    if find_spec("snakemake") is None:
        print(f"    {install_command()}")
    print(f"    cd {shlex.quote(str(folder))} && make standing PYTHON={shlex.quote(sys.executable)}")
