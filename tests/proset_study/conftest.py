import json
import shutil
import subprocess

import pytest
from tests.proset_study.small_study import compute, small_config, write_all, write_odd
from tests.shared import ROOT, made_once

from proset_study.store.stored import Stored
from proset_study.study import layout
from proset_study.study.config.checks import load


@pytest.fixture(scope="session")
def stored(tmp_path_factory) -> Stored:
    """A small study with everything computed but `NOT_RUN`; it must not be changed."""

    def make(folder):
        folder.mkdir()
        write_odd(folder / "odd.csv")
        compute(small_config(folder / "odd.csv"), folder)

    folder = made_once(tmp_path_factory, "small_study", make)
    study = load(small_config(folder / "odd.csv"))
    return Stored(folder / layout.result(study, ""), study)


@pytest.fixture(scope="session")
def published(tmp_path_factory):
    path = tmp_path_factory.mktemp("published") / "published.csv"
    shutil.copy(ROOT / "data/published/statements.csv", path.parent)
    path.write_text(
        "experiment,method,dataset,variant,section,quantity,value,text\nE3,proset,flowers,,final,log_loss,0.5,0.50\n",
        encoding="utf-8",
    )
    return path


@pytest.fixture(scope="session")
def whole(stored):
    """The part of the small study that has been run."""
    config = json.loads(json.dumps(stored.study.config))
    config["only"] = {name: list(entry["data_sets"]) for name, entry in config["experiments"].items()}
    config["only"]["E9"].remove("odd")
    config["evaluations"]["bootstrap"]["of"].pop("E9")
    return Stored(stored.folder, type(stored.study).of(config))


@pytest.fixture(scope="session")
def checkout(tmp_path_factory):
    """A repository with one commit, of what a release takes from it."""
    folder = tmp_path_factory.mktemp("checkout")
    for file in layout.SURROUNDINGS.values():
        shutil.copy(ROOT / file, folder)
    git = ["git", "-C", str(folder), "-c", "user.name=A", "-c", "user.email=a@example.org"]
    for command in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "--message=all"]):
        subprocess.run([*git, *command], check=True)
    return folder


@pytest.fixture(scope="session")
def written(whole, published, checkout, tmp_path_factory):
    """What the workflow leaves of the small study, with stand-ins for pages."""
    folder = tmp_path_factory.mktemp("report")
    write_all(whole, folder, published, checkout)
    return folder


@pytest.fixture(scope="session")
def report(written):
    """The same; tests of pages have another one of this name, with the pages."""
    return written
