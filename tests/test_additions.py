"""What CONTRIBUTING says of an addition is all that it takes: in a checkout with the templates the fast tests pass."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
METHOD, GENERATOR = "src/proset_study/methods/naive_bayes.py", "src/proset_study/data/generators/two_spirals.py"


def files_of(kind, name):
    """Which files CONTRIBUTING names for an addition."""
    (row,) = re.findall(rf"^\| {kind} \| (.*) \|$", (ROOT / "CONTRIBUTING.md").read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"<\w+>", name, pattern) for pattern in re.findall(r"`(.+?)`", row)}


def test_contributing_names_these_files():
    test = "tests/proset_study/data/generators/test_two_spirals.py"  # only if it has more to test than every generator
    assert files_of("a method", "naive_bayes") == {METHOD, "config.yaml"}
    assert files_of("a generated data set", "two_spirals") == {GENERATOR, test, "config.yaml"}


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """The project, by hard links, with a method and a generated data set, each in its module and in the config."""
    folder = tmp_path_factory.mktemp("additions")
    listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", ":!reports"]
    listed = subprocess.run(listing, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    compiled = (str(path.relative_to(ROOT)) for path in (ROOT / "src/proset").glob("_kernel.*"))
    for source, copy in ((ROOT / name, folder / name) for name in (*listed, *compiled)):
        if source.is_file():
            copy.parent.mkdir(parents=True, exist_ok=True)
            try:
                os.link(source, copy)
            except OSError:  # another file system
                shutil.copy2(source, copy)
    shutil.copy2(ROOT / "docs/method_template.py", folder / METHOD)
    shutil.copy2(ROOT / "docs/generator_template.py", folder / GENERATOR)
    page = (ROOT / "docs/custom-method.md").read_text(encoding="utf-8")
    (experiment,) = re.findall(r"```yaml\nexperiments:\n(.*?)```", page, re.DOTALL)
    config = (folder / "config.yaml").read_text(encoding="utf-8")
    for before, after in (
        ("\nexperiments:\n", "\n  spirals: {generator: two_spirals, turns: 2}\nexperiments:\n"),
        ("\ncomparisons:\n", f"\n{experiment}\ncomparisons:\n"),
        ("explainable_boosting, nearest_neighbour,", "explainable_boosting, naive_bayes, nearest_neighbour,"),  # of E14
    ):
        assert config.count(before) == 1
        config = config.replace(before, after)
    (folder / "config.yaml").unlink()  # it is a link
    (folder / "config.yaml").write_text(config, encoding="utf-8")
    return folder


@pytest.mark.slow
@pytest.mark.parametrize(
    ("tests", "least"),
    [
        (["tests/proset_study/methods", "tests/proset_study/study/config"], 300),
        (["tests/proset_study/study/test_fingerprints.py", "-k", "list or forgotten"], 50),
        (["tests/proset_study/study/test_contract.py", "-k", "naive_bayes"], 10),
        (["tests/proset_study/data/generators/test_generators.py"], 50),
    ],
    ids=["methods and config", "keys", "contract", "generators"],
)
def test_with_no_other_file_tests_pass(checkout, tests, least):
    environment = {**os.environ, "PYTHONPATH": f"{checkout / 'src'}{os.pathsep}{checkout}"}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests]
    done = subprocess.run(command, cwd=checkout, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
    (passed,) = re.findall(r"(\d+) passed", done.stdout)
    assert int(passed) >= least
