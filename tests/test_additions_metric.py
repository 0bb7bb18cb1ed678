"""A metric takes one file, shows in every table, and is in the way of no test."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.additions_metric import FAST_TESTS, add_metric

ROOT = Path(__file__).parents[1]
TABLES = """
from pathlib import Path
from proset_study.report.tables.table_files import to_markdown
from proset_study.report.tables.tables import comparison_table, experiment_table, methods_table, numbers_of
from proset_study.store.results import Row, read_published

published = read_published(Path("data/published/published.csv"))
rows = [Row(r, "E1", "proset", "wine", "", "final", q, 0.5) for r in (0, 1) for q in ("log_loss", "sharpness")]
numbers = numbers_of(rows, published)
for table in (
    experiment_table("E1", "one", numbers, published),
    comparison_table("all", "several", numbers, {}),
    methods_table("E14", "methods", numbers, {}),
):
    assert "harpness|" in to_markdown(table) or "Sharpness**" in to_markdown(table), to_markdown(table)
"""


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """A copy of the project with one more metric."""
    folder = tmp_path_factory.mktemp("checkout")
    for name in ("src", "tests", "data/published"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    for name in ("pyproject.toml", "config.yaml"):
        shutil.copy2(ROOT / name, folder)
    add_metric(folder)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize(
    "command", [("-m", "pytest", "-q", "-x", *FAST_TESTS), ("-c", TABLES)], ids=["tests", "tables"]
)
def test_a_metric_is_one_entry(checkout, command):
    environment = {**os.environ, "PYTHONPATH": str(checkout / "src")}
    run = [sys.executable, *command]
    done = subprocess.run(run, cwd=checkout, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
