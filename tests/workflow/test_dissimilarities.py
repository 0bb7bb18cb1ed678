"""docs/dissimilarities.md, tried: its configs, on a matrix and on strings, and its metric, by the real workflow."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from tests.workflow.project import ROOT, new_project, verify

PAGE = (ROOT / "docs/dissimilarities.md").read_text(encoding="utf-8")
ONE = {"title": "t", "stage2": {"complexity": 1}}
EXPERIMENTS = {
    "nearest_neighbour": {**ONE, "method": "nearest_neighbour", "data_sets": ["towns"]},
    "set_cover": {"title": "t", "method": "set_cover", "data_sets": ["proteins"], "stage2": {"complexity": 12}},
    "prefixes": {**ONE, "method": "nearest_neighbour", "metric": "prefix", "data_sets": ["proteins"]},
}


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def configs():
    strings, matrix = (yaml.safe_load(block) for block in blocks("yaml"))
    return strings, matrix


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """Both data sets of the page, and the module of a metric that it shows."""
    project = new_project(tmp_path_factory.mktemp("apart") / "project")
    folder = project.folder / "data/private"
    folder.mkdir(parents=True)
    strings, matrix = configs()
    archive, module = blocks("python")
    (project.folder / "src/proset_study/data/dissimilarities/prefix.py").write_text(module, encoding="utf-8")
    exec(archive.replace("data/private", str(folder)))
    rng = np.random.default_rng(4)
    words = ["".join(rng.choice(list("ACDEFG"), 25)) for _ in range(40)]
    table = {"id": range(40), "sequence": [("WYWHW" if i % 2 else "") + w for i, w in enumerate(words)]}
    pd.DataFrame({**table, "class": np.arange(40) % 2}).to_csv(folder / "proteins.csv", index=False)

    def change(config):
        config.update(experiments=EXPERIMENTS, comparisons={}, trials_per_job={}, folds_per_job={})
        config.update(metrics=strings["metrics"], data_sets={**strings["data_sets"], **matrix["data_sets"]})
        del config["evaluations"]

    project.configure(change)
    project.snakemake()
    return project


def test_configs_of_the_page_are_right(tmp_path, monkeypatch):
    from snakemake.utils import update_config

    from proset_study.study.config.checks import load

    monkeypatch.chdir(tmp_path)
    Path("data/private").mkdir(parents=True)
    Path("data/private/proteins.csv").write_text("sequence,class\nA,x\n", encoding="utf-8")
    exec(blocks("python")[0])
    for overlay in configs():
        config = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))
        update_config(config, overlay)
        study = load(config)
        assert study.data_sets == list(overlay["data_sets"])


def test_dissimilarities_are_stored_once_for_each_metric(finished):
    results = finished.folder / "results/tiny/replicate_0"
    names = {"proteins": ["prefix", "words_of_3"], "towns": ["precomputed"]}
    for data_set, metrics in names.items():
        found = sorted(path.name for path in (results / data_set).glob("*.npy"))
        assert found == [f"dissimilarities_{metric}.npy" for metric in metrics]
    given = np.load(finished.folder / "data/private/towns.npz")["dissimilarities"]
    stored = np.load(results / "towns/dissimilarities_precomputed.npy")
    np.testing.assert_array_equal(stored, given.astype(np.float32))


def test_pages_name_the_metrics_and_the_models_are_good(finished):
    page = (finished.folder / "reports/tiny/data_sets/proteins.html").read_text(encoding="utf-8")
    assert "40 samples (28 for training, 12 for the test), no features, 2 classes" in page
    assert "set cover, words_of_3" in page
    assert "1-NN, prefix" in page
    rows = pd.read_csv(finished.folder / "reports/tiny/results.csv.xz")
    errors = rows[rows["quantity"] == "error"].set_index("experiment")["value"]
    assert errors["set_cover"] < 0.2
    assert errors["prefixes"] < 0.2
    assert set(rows[rows["quantity"] == "features"]["value"]) == {0.0}


def test_another_parameter_makes_the_matrix_again_and_what_follows(finished):
    path = finished.folder / "config.yaml"
    before = path.read_text(encoding="utf-8")
    path.write_text(before.replace("k: 3", "k: 4"), encoding="utf-8")
    planned = finished.planned()
    path.write_text(before, encoding="utf-8")
    assert [planned[rule] for rule in ("dissimilarities", "stage2", "fit")] == [1, 1, 1]
    assert "data" not in planned
    assert "split" not in planned


def test_the_report_can_be_verified(finished):
    files = ["data/private/proteins.csv", "data/private/towns.npz"]
    checked = verify(finished, files=files)
    assert checked.returncode == 0, checked.stdout + checked.stderr
