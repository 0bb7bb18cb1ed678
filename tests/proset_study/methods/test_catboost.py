import threading

import numpy as np
import psutil
import pytest
from tests.proset_study.methods.small import SEED, classes_by_three_features, fit

pytest.importorskip("catboost")
PARAMETERS = {"learning_rate": 0.1, "depth": 3}


def librarys_classifier(iterations, **more):
    """With the settings of ours that are not searched for."""
    from catboost import CatBoostClassifier

    seed = int(SEED.generate_state(1)[0] >> 1)
    settings = {"random_seed": seed, "verbose": False, "allow_writing_files": False}
    return CatBoostClassifier(iterations=iterations, **PARAMETERS, **settings, **more)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_it_is_the_librarys_classifier(n_classes):
    X, y = classes_by_three_features(n_classes)
    fitted = fit("catboost", X, y, 30, **PARAMETERS)
    theirs = librarys_classifier(30).fit(X, y)
    np.testing.assert_allclose(fitted.predict_proba(X), theirs.predict_proba(X), atol=1e-9)
    assert fitted.summary()["rounds"] == 30


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_part_of_the_rows_is_drawn_for_any_number_of_classes(n_classes):
    X, y = classes_by_three_features(n_classes)
    half, all_rows, by_default = (
        fit("catboost", X, y, 10, **PARAMETERS, **part).predict_proba(X)
        for part in ({"subsample": 0.5}, {"subsample": 1.0}, {})
    )
    assert np.abs(half - all_rows).max() > 0.01
    assert np.abs(half - by_default).max() > 0.01
    if n_classes == 2:  # where the library has the same type by default
        theirs = librarys_classifier(10, subsample=0.5).fit(X, y)
        np.testing.assert_allclose(half, theirs.predict_proba(X), atol=1e-9)


def test_a_path_on_which_nothing_is_left_to_split_has_all_sizes():
    X, y = np.arange(20)[:, None] % 1.0, np.arange(20) % 2
    X[0] = 1e-3  # the library refuses constant features
    stages = list(fit("catboost", X, y, 5, **PARAMETERS).staged_predict_proba(X))
    assert len(stages) == 5


def test_nothing_is_written_to_the_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    fit("catboost", np.arange(20)[:, None], np.arange(20) > 9, 5, **PARAMETERS)
    assert not list(tmp_path.iterdir())


def test_stronger_penalties_give_smaller_leaves():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 4))
    plain, penalised = (
        np.ptp(fit("catboost", X, X[:, 0] > 0, 5, **PARAMETERS, l2_leaf_reg=value).predict_proba(X))
        for value in (3.0, 300.0)
    )
    assert penalised < 0.8 * plain


def test_one_thread_computes():
    """The library starts another one for each fit, which waits; it starts no process."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 20))
    process, done, seconds = psutil.Process(), threading.Event(), {}
    before = {t.id: t.user_time + t.system_time for t in process.threads()}
    children, started = set(process.children()), set()

    def watch():
        while not done.wait(0.01):
            started.update(process.children())
            seconds.update({t.id: t.user_time + t.system_time - before.get(t.id, 0.0) for t in process.threads()})

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        fit("catboost", X, X[:, 0] > 0, 100, learning_rate=0.1, depth=6)
    finally:
        done.set()
        watcher.join()
    seconds.pop(watcher.native_id)
    *others, own = sorted(seconds.values())
    assert sum(others) < 0.1 * own
    assert started <= children
