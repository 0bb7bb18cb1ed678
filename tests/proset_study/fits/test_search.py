import numpy as np
import pytest
from scipy.stats.qmc import discrepancy
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from proset.losses import log_loss
from proset_study.data.splits import TEST
from proset_study.fits import search
from proset_study.fits.search import Case, draw_parameters, parameters_of, run_paths, run_trials

CASE = Case(seed=1, replicate=0, data_set="xor", run="E3", method="proset")
SPACE = {"lambda_v": {"log_uniform": [1e-6, 1e-1]}, "lambda_w": {"log_uniform": [1e-9, 1e-4]}}
SETTINGS = {"space": SPACE, "parameters": {"n_candidates": 50}, "complexity": 1}


def test_draws_are_in_range_log_uniform_and_independent_of_the_number_of_trials():
    draws = [draw_parameters(SPACE, CASE, t) for t in range(400)]
    for name, (low, high) in (("lambda_v", (-6, -1)), ("lambda_w", (-9, -4))):
        exponents = np.log10([d[name] for d in draws])
        assert low <= exponents.min() < low + 0.1
        assert high - 0.1 < exponents.max() <= high
        assert abs(exponents.mean() - (low + high) / 2) < 5 * 5 / np.sqrt(12 * 400)
    other = Case(1, 1, "xor", "E3", "proset")
    assert draw_parameters(SPACE, other, 0) != draws[0]
    assert draw_parameters(SPACE, Case(1, 0, "xor", "E1", "proset"), 7) == draws[7]  # experiments share the draws


def test_integers_include_both_ends_and_a_grid_is_even():
    drawn = {draw_parameters({"max_depth": {"integers": [0, 3]}}, CASE, t)["max_depth"] for t in range(100)}
    assert drawn == {0, 1, 2, 3}
    drawn = [draw_parameters({"max_depth": {"log_integers": [1, 7]}}, CASE, t)["max_depth"] for t in range(400)]
    assert set(drawn) == set(range(1, 8))
    np.testing.assert_allclose(np.bincount(np.log2(drawn).astype(int)) / 400, 1 / 3, atol=0.07)  # 1, 2 to 3, 4 to 7
    grid = [draw_parameters({"lambda_v": {"log_grid": [1e-6, 1e-1, 11]}}, CASE, t)["lambda_v"] for t in range(11)]
    np.testing.assert_allclose(grid, np.logspace(-6, -1, 11))


def _quantiles(design, case, trials):
    """Of the draws of SPACE, shape (trials, 2)."""
    settings = {"space": SPACE, "design": design}
    draws = [parameters_of(settings, {}, case, t) for t in range(trials)]
    exponents = np.log10([[d["lambda_v"], d["lambda_w"]] for d in draws])
    return (exponents - [-6, -9]) / 5


def test_points_of_a_sobol_design_fill_the_space_better_than_random_ones():
    cases = [Case(1, replicate, "xor", "E3", "proset") for replicate in range(20)]
    sobol, random = ([discrepancy(_quantiles(design, case, 40)) for case in cases] for design in ("sobol", "random"))
    assert max(sobol) < min(random)
    for case in cases[:3]:
        for column in _quantiles("sobol", case, 16).T:
            assert sorted(np.floor(16 * column)) == list(range(16))  # one point in each sixteenth


def test_a_sobol_design_is_keyed_as_random_draws_are():
    settings = {"space": SPACE, "design": "sobol"}
    draws = [parameters_of(settings, {}, CASE, t) for t in range(10)]
    np.testing.assert_array_equal(_quantiles("sobol", CASE, 40)[:10], _quantiles("sobol", CASE, 10))
    assert parameters_of(settings, {}, Case(1, 0, "xor", "E1", "proset"), 7) == draws[7]
    for other in (
        Case(2, 0, "xor", "E3", "proset"),
        Case(1, 1, "xor", "E3", "proset"),
        Case(1, 0, "d", "E3", "proset"),
    ):
        assert parameters_of(settings, {}, other, 7) != draws[7]
    random = parameters_of({"space": SPACE}, {"lambda_w": 1e-8}, CASE, 7)
    assert random == {**draw_parameters(SPACE, CASE, 7), "lambda_w": 1e-8}


def test_what_is_fixed_or_has_a_grid_takes_no_coordinate_of_a_sobol_design():
    both = {"space": {**SPACE, "alpha_v": {"log_grid": [0.1, 1.0, 4]}}, "design": "sobol"}
    fixed = {"lambda_w": 1e-8}
    draws = [parameters_of(both, fixed, CASE, t) for t in range(16)]
    assert {d["lambda_w"] for d in draws} == {1e-8}
    assert [d["alpha_v"] for d in draws[:4]] == pytest.approx(np.logspace(-1, 0, 4))
    alone = {"space": {"lambda_v": SPACE["lambda_v"]}, "design": "sobol"}
    assert [d["lambda_v"] for d in draws] == [parameters_of(alone, {}, CASE, t)["lambda_v"] for t in range(16)]
    assert parameters_of({"space": {"lambda_w": SPACE["lambda_w"]}, "design": "sobol"}, fixed, CASE, 3) == fixed


def test_integers_of_a_sobol_design_include_both_ends_as_often_as_others():
    settings = {"space": {"max_depth": {"integers": [0, 3]}, "colsample": {"uniform": [0.2, 1.0]}}, "design": "sobol"}
    draws = [parameters_of(settings, {}, CASE, t) for t in range(16)]
    depths = [d["max_depth"] for d in draws]
    assert all(isinstance(depth, int) for depth in depths)
    assert np.bincount(depths).tolist() == [4, 4, 4, 4]
    settings["space"]["max_depth"] = {"log_integers": [1, 15]}
    octaves = np.log2([parameters_of(settings, {}, CASE, t)["max_depth"] for t in range(16)])
    assert np.bincount(octaves.astype(int)).tolist() == [4, 4, 4, 4]
    assert 0.2 <= min(d["colsample"] for d in draws) < 0.25
    assert 0.95 < max(d["colsample"] for d in draws) <= 1.0


def test_trials_of_a_sobol_design_are_fitted_with_its_parameters(data, folds, tmp_path):
    records = _run(data, folds, range(2, 4), tmp_path, design="sobol")
    expected = [parameters_of({**SETTINGS, "design": "sobol"}, {}, CASE, t) for t in (2, 3)]
    assert [record["parameters"] for record in records] == expected


def _run(data, folds, trials, folder, **change):
    return run_trials(data, folds, 0, trials, {**SETTINGS, **change}, CASE, folder, depends_on=["code"])


def _results(records):
    return [{k: v for k, v in r.items() if k != "resources"} for r in records]


def test_trials_do_not_depend_on_their_number_or_order(data, folds, tmp_path):
    together = _run(data, folds, range(4), tmp_path / "a")
    alone = _run(data, folds, range(3, 4), tmp_path / "b")
    assert _results(together)[3:] == _results(alone)


def test_finished_trials_are_not_computed_again_unless_stale_or_damaged(data, folds, tmp_path):
    first = _run(data, folds, range(3), tmp_path)
    (tmp_path / "1.json").write_text('{"cut": ', encoding="utf-8")
    second = _run(data, folds, range(4), tmp_path)
    assert second[0] == first[0]  # times of the fit included
    assert second[2] == first[2]
    assert second[1]["resources"] != first[1]["resources"]
    assert _results(second)[:3] == _results(first)
    stale = _run(data, folds, range(1), tmp_path, parameters={"n_candidates": 10})
    assert stale[0]["log_loss"] != first[0]["log_loss"]


class LibraryError(Exception):
    """As those of CatBoost and LightGBM, which are no ValueErrors."""


@pytest.mark.parametrize("kind", [FloatingPointError, LibraryError])
def test_a_failing_trial_is_named_and_the_others_survive(data, folds, tmp_path, kind):
    space = {"lambda_v": {"uniform": [1e-3, 2e-3]}, "lambda_w": {"uniform": [1e-8, 2e-8]}}
    settings = {"space": space, "parameters": {"n_candidates": 50}, "complexity": 1}
    original = search.log_loss
    calls = []

    def second_fails(*args):
        calls.append(1)
        if len(calls) == 2:
            raise kind("provoked")
        return original(*args)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "log_loss", second_fails)
        with pytest.raises(RuntimeError, match=rf"1 of 3 trials failed\ntrial 1 with .*{kind.__name__}: provoked"):
            run_trials(data, folds, 0, range(3), settings, CASE, tmp_path, [])
    assert sorted(p.name for p in tmp_path.iterdir()) == ["0.json", "2.json"]


@pytest.mark.parametrize("kind", [ModuleNotFoundError, OSError])
def test_what_every_trial_would_fail_of_ends_the_search(data, folds, tmp_path, kind):
    """A package that is not installed, a full disk: the command says what to do about it."""

    def fails(*_):
        raise kind("provoked")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "log_loss", fails)
        with pytest.raises(kind, match="provoked"):
            _run(data, folds, range(3), tmp_path)


def test_path_of_batches(data, folds, tmp_path):
    chosen = {"lambda_v": 1e-3, "lambda_w": 1e-8}
    settings = {"parameters": {}, "complexity": 3}
    (record,) = run_paths(data, folds, range(1, 2), settings, chosen, CASE, tmp_path, depends_on=["code"])
    assert len(record["log_loss"]) == len(record["staged_summary"]["prototypes"]) == 4
    assert record["log_loss"][0] == pytest.approx(np.log(2), abs=0.01)
    assert record["log_loss"][1] < record["log_loss"][0] - 0.1


def test_bootstrap_takes_the_place_of_the_folds(data, folds, tmp_path, monkeypatch):
    parts = []
    original = search.bootstrap_data
    monkeypatch.setattr(search, "bootstrap_data", lambda *args: parts.append(original(*args)) or parts[-1])
    settings = {**SETTINGS, "resampling": "bootstrap"}
    records = [
        run_trials(data, folds, b, range(1), settings, CASE, tmp_path / run / str(b), [])[0]["log_loss"]
        for run in "ab"
        for b in range(3)
    ]
    assert records[:3] == records[3:]  # draws are keyed by their number
    assert len(set(records[:3])) == 3
    with_folds = run_trials(data, folds, 0, range(1), SETTINGS, CASE, tmp_path / "a" / "0", [])[0]["log_loss"]
    assert with_folds != records[0]  # and no record of the one serves the other
    knn = {"parameters": {}, "complexity": 3, "resampling": "bootstrap"}
    run_paths(data, folds, range(1), knn, {}, Case(1, 0, "xor", "E8", "knn"), tmp_path / "knn", [])
    train = np.flatnonzero(folds != TEST)
    for bound in parts:
        assert len(np.unique(bound.X, axis=0)) == len(bound.y)  # what was drawn twice has twice the weight
        assert bound.weight.sum() == len(train)
        assert set(bound.rows_score) < set(train)
        assert 0.2 < len(bound.rows_score) / len(train) < 0.55
        np.testing.assert_array_equal(bound.y_score, data.y[bound.rows_score])
        raw = bound.X * bound.scale + bound.centre
        held_out = data.X[bound.rows_score]
        assert not (np.abs(raw[:, None] - held_out).max(axis=2) < 1e-12).any()  # nothing is scored that was fitted
    np.testing.assert_array_equal(parts[0].rows_score, parts[-1].rows_score)  # methods are compared on the same draws


def test_scores_are_those_on_the_fold_of_fits_without_it(data, folds, tmp_path):
    case, settings = Case(1, 0, "xor", "E8", "knn"), {"space": {}, "parameters": {}, "complexity": 3}
    (trial,) = run_trials(data, folds, 1, range(1), settings, case, tmp_path / "1", [])
    (path,) = run_paths(data, folds, range(1, 2), settings, {}, case, tmp_path / "2", [])
    fitted, held_out = ~np.isin(folds, [1, TEST]), folds == 1
    X, y = data.X[held_out], data.y[held_out]
    for k, loss in enumerate(path["log_loss"], start=1):
        model = make_pipeline(StandardScaler(), KNeighborsClassifier(k)).fit(data.X[fitted], data.y[fitted])
        assert loss == pytest.approx(log_loss(model.predict_proba(X), y))
    assert trial["log_loss"] == path["log_loss"][-1]
    assert trial["error"] == pytest.approx(1 - model.score(X, y))
