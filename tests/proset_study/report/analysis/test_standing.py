"""Where a method stands: pairs of scores from rows, by hand; and a study of one method on what a report has."""

import json
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import t
from tests.proset_study.small_study import config_of

from proset.archive import write_archive
from proset_study import methods
from proset_study.base.records import content_hash, write_text
from proset_study.report.analysis.standing import NOT_SEARCHED, check_data, in_words, standing_study
from proset_study.report.analysis.standing import differences as differences_of
from proset_study.store.results import Row, write_rows
from proset_study.study import layout
from proset_study.study.config.checks import ConfigError


def differences(study, rows, records):
    (run,) = study.runs.values()
    return differences_of(study, rows, records, methods.get(run.method).probabilistic)


METRICS = {"mismatch_3_1": {"of": "mismatch", "parameters": {"k": 3, "m": 1}}}
SIZES = {"train_samples": 80.0, "test_samples": 20.0}


def rows(experiment, method, losses, data_set="real", variant="", errors=0.25):
    """Of replicates 0, 1, ...; a list of losses is one of fit seeds."""
    found = []
    for replicate, values in enumerate(losses):
        names = (replicate, experiment, method, data_set, variant)
        found += [Row(*names, "data", key, value) for key, value in SIZES.items()]
        for seed, value in enumerate(values if isinstance(values, list) else [values]):
            scores = {"prototypes": 7.0, "active_features": 2.0, "log_loss": value, "balanced_accuracy": 1 - errors}
            found += [Row(*names, "final", key, score, fit_seed=seed) for key, score in scores.items()]
    return found


@pytest.fixture
def compared(tmp_path):
    """A method of three replicates beside experiments of as many, of one, and of none of the same data."""
    theirs = [
        *rows("E1", "theirs", [0.5, [0.4, 0.6], 0.75]),  # means over fit seeds: 0.5, 0.5, 0.75
        *rows("E1", "theirs", [9.0, 9.0, 9.0], variant="candidates=1"),
        *rows("single", "other", [0.2]),
        *rows("E1", "theirs", [0.9, 0.8, 1.0], data_set="drawn"),
        *rows("elsewhere", "other", [0.1], data_set="not asked for"),
    ]
    real = {"sklearn": "iris", "features": [0, 1]}
    drawn = {"generator": "xor", "features": 2, "samples_per_orthant": 30}
    knn = {"method": "knn", "stage2": {"complexity": 3}}
    of_study = {"replicates": [0, 1, 2], "test_fraction": 0.2, "metrics": METRICS}
    config = config_of("all", {"real": real, "drawn": drawn}, {"E8": knn}, **of_study)
    write_text(tmp_path / layout.MANIFEST, json.dumps({"config": config}) + "\n")
    write_rows(tmp_path / layout.ALL_SCORES, theirs, Row)
    ours = rows("knn", "knn", [0.25, 0.5, 0.5]) + rows("knn", "knn", [0.3, 0.4, 0.2], data_set="drawn")
    return differences(standing_study("knn", tmp_path, {}), ours, tmp_path), tmp_path


def test_differences_are_paired_by_replicate_and_intervals_know_of_samples_that_are_shared(compared):
    found = {(row.dataset, row.rival): row for row in compared[0]}
    assert set(found) == {("real", "E1"), ("real", "single"), ("drawn", "E1")}
    real = found["real", "E1"]  # differences -0.25, 0, -0.25: mean -1/6, variance 1/48
    assert real.difference == pytest.approx(-1 / 6)
    half = t.ppf(0.975, 2) * ((1 / 3 + 20 / 80) / 48) ** 0.5
    assert (real.low, real.high) == pytest.approx((-1 / 6 - half, -1 / 6 + half))
    assert real.verdict == "not decided"
    assert (real.loss, real.rival_loss, real.replicates) == pytest.approx((1.25 / 3, 1.75 / 3, 3))
    drawn = found["drawn", "E1"]  # -0.6, -0.4, -0.8: independent draws
    assert drawn.high == pytest.approx(-0.6 + t.ppf(0.975, 2) * 0.2 / 3**0.5)
    assert drawn.verdict == "ahead"
    single = found["real", "single"]
    assert (single.low, single.verdict, single.replicates, single.loss) == (None, None, 1, 0.25)


def test_one_split_has_no_interval(compared):
    study = standing_study("knn", compared[1], {})
    study.config["data_sets"]["real"] = {"file": "t.csv", "target": "y", "time": "t"}
    found = differences(study, rows("knn", "knn", [0.25, 0.5, 0.5]), compared[1])
    assert [(row.low, row.high, row.verdict) for row in found] == [(None, None, None)] * 2


def test_ranks_are_among_methods_and_words_say_the_same(compared):
    text = in_words(*compared)
    assert (
        "| real | 2 of 3 | 0.250 | single (other) | 0.200 | +0.050 | 1 | 0.250 | 7.0 | 2.0 | 0 of 2 | 0 of 2 |" in text
    )
    assert "| drawn | 1 of 2 | 0.300 | E1 (theirs) | 0.900 | -0.600 [" in text
    assert "Mean rank 1.5 over 2 data sets." in text
    interval = "-0.383"  # without ends, which two sources do not give
    assert f"| E1 (theirs) | 2 | 1 | 0 | 1 | {interval} | 0.250 : 0.250 | 7.0 : 7.0 | 2.0 : 2.0 |" in text
    assert "its parameters are the defaults" not in text
    assert "its parameters are the defaults" in in_words(*compared, NOT_SEARCHED)


@pytest.mark.parametrize(
    ("error", "prototypes", "better"),
    [(0.2, 7.0, 1), (0.25, 6.0, 1), (0.25, 7.0, 0), (0.2, 8.0, 0), (0.3, 6.0, 0), (0.2, None, None)],
)
def test_a_method_is_better_in_error_and_size_if_neither_is_worse(compared, error, prototypes, better):
    row = compared[0][0]
    text = in_words([replace(row, rival_error=error, rival_prototypes=prototypes)], compared[1])
    cells = next(line for line in text.splitlines() if line.startswith(f"| {row.dataset} ")).split(" | ")
    assert cells[-2] == ("" if better is None else f"{better} of 1")


def test_a_method_without_probabilities_is_compared_by_error_and_is_no_rival_by_log_loss(compared):
    _, folder = compared
    theirs = [*rows("E1", "knn", [0.5] * 3, errors=0.2), *rows("E2", "cccd", [9.0] * 3, errors=0.1)]
    write_rows(folder / layout.ALL_SCORES, theirs, Row)
    ours = rows("class_prior", "class_prior", [0.4] * 3)
    (found,) = differences(standing_study("class_prior", folder, {}), ours, folder)
    assert (found.rival, found.score) == ("E1", "log-loss")
    found = differences(standing_study("cccd", folder, {}), rows("cccd", "cccd", [7.0] * 3, errors=0.3), folder)
    assert [row.score for row in found] == ["balanced error"] * 2
    assert [row.difference for row in found] == pytest.approx([0.1, 0.2])
    write_rows(folder / layout.ALL_SCORES, rows("E2", "cccd", [9.0] * 3), Row)
    with pytest.raises(ValueError, match="no experiment has a log-loss on a replicate of real, drawn"):
        differences(standing_study("class_prior", folder, {}), ours, folder)


def test_data_that_are_not_those_of_the_report_are_refused(compared):
    _, folder = compared
    name = "replicate_0/real/data.npz"
    (folder / "results" / name).parent.mkdir(parents=True)
    write_archive(folder / "results" / name, {}, {"X": np.zeros((2, 2))})
    manifest = json.loads((folder / layout.MANIFEST).read_text(encoding="utf-8"))
    known = {name: content_hash(folder / "results" / name)}
    write_text(folder / layout.MANIFEST, json.dumps(manifest | {"data_sha256": known}) + "\n")
    check_data(folder / "results", name, folder)
    write_text(folder / layout.MANIFEST, json.dumps(manifest | {"data_sha256": {name: "0" * 64}}) + "\n")
    with pytest.raises(ValueError, match=f"{name}: the data drawn here have the SHA-256 .{{12}}, those of .* 0{{12}}"):
        check_data(folder / "results", name, folder)


def test_the_study_of_a_method_has_all_that_the_report_has_and_is_searched_as_the_config_says(compared):
    entry = {"title": "mine", "method": "knn", "data_sets": ["wine"], "stage2": {"complexity": 30}}
    study = standing_study("knn", compared[1], {"E1": {**entry, "method": "proset"}, "mine": entry})
    assert study.name == "standing_knn"
    assert (study.replicates, study.data_sets) == ([0, 1, 2], ["real", "drawn"])
    (run,) = study.runs.values()
    assert (run.name, run.stage("stage2", "real")["complexity"]) == ("knn", 30)
    assert study.config["metrics"] == METRICS
    overrides = {"wine": {"stage2": {"complexity": 100}}, "real": {"stage2": {"complexity": 20}}}
    (run,) = standing_study("knn", compared[1], {"mine": {**entry, "overrides": overrides}}).runs.values()
    assert [run.stage("stage2", name)["complexity"] for name in ("real", "drawn")] == [20, 30]


def test_what_is_not_there_is_refused(compared):
    with pytest.raises(ConfigError, match="method: 'mine' is not allowed, allowed are proset, knn, "):
        standing_study("mine", compared[1], {})
    with pytest.raises(ConfigError, match=r"records: 'no/report' has no manifest.json and results.csv.xz"):
        standing_study("knn", layout.Path("no/report"), {})


def test_a_method_is_level_with_its_own_numbers_in_a_file(compared):
    """A file has twelve digits of a number, a score that is computed again has all of them."""
    _, records = compared
    losses = np.random.default_rng(0).uniform(1, 2, 3).tolist()
    write_rows(records / layout.ALL_SCORES, rows("E1", "theirs", losses), Row)
    (found,) = differences(standing_study("knn", records, {}), rows("knn", "knn", losses), records)
    assert found.difference == 0.0
    assert found.loss == found.rival_loss


def test_another_manifest_is_refused(compared):
    write_text(compared[1] / layout.MANIFEST, "{}\n")
    with pytest.raises(ValueError, match=r"manifest.json: config is missing or of the wrong kind, so it is not the"):
        standing_study("knn", compared[1], {})
