"""What every method must keep: functions that take a method with parameters, and raise AssertionError if it is broken.

`tests/proset_study/study/test_contract.py` runs them for all methods, or for the named ones:
`pytest --method NAME`, with `--configfile FILE` for an experiment that is not in config.yaml.
"""

import inspect
import json
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from proset.archive import read_archive, write_archive
from proset_study.data.distances import distances
from proset_study.data.metrics import PRECOMPUTED
from proset_study.external import CommandMethod
from proset_study.methods.base import Fitted, PriorModel, faults
from proset_study.methods.prototypes import PrototypeModel
from proset_study.methods.weighted import WeightedPrototypeModel, explain_point
from proset_study.study.imported import imported
from proset_study.study.subject import Subject, make_fold_data, make_mixed_data


def interface_is_complete(subject: Subject) -> None:
    """The class has all that `methods.base.Method` names, and its fits all of `Fitted`."""
    assert not faults(subject.method), "; ".join(faults(subject.method))
    (_, fitted), _ = subject.fits
    missing = [name for name in vars(Fitted) if not name.startswith("_") and not callable(getattr(fitted, name, None))]
    assert not missing, f"what `fit` gives has no {', '.join(missing)}"


def importing_the_module_imports_no_library(subject: Subject) -> None:
    """Libraries are imported when something is fitted: the config is read in every job."""
    names = sorted({name.split(".")[0] for name in imported(subject.method)})
    file = Path(inspect.getfile(subject.method)).name
    assert not names, f"importing {file} imports {', '.join(names)}; move that into a function"


def imports_are_in_no_time(subject: Subject) -> None:
    """A method bound to data has imported what its fits and predictions need: times are those of the method."""
    names = imported(subject.method, subject.method.__name__, subject.parameters(), subject.complexity)
    assert not names, f"fits import {' '.join(names)[:200]}; move that into `__init__`"


def parameters_are_as_declared(subject: Subject) -> None:
    """Ranges are not empty, fixed values are inside, those not required have defaults."""
    method = subject.method
    for name, allowed in method.parameters.items():
        assert allowed.low < allowed.high, f"{name}: the range is empty"
    for n_features in (1, 2, 3, 100):
        for name, value in method.fixed(n_features).items():
            assert name in method.parameters, f"`fixed` gives {name}, which `parameters` has not"
            method.parameters[name].check(name, value)
    for trial in range(3):
        for name, value in subject.parameters(trial).items():
            method.parameters[name].check(name, value)
    given = subject.parameters()
    needed = {*method.required, *(name for group in method.alternatives for name in group)}
    subject.fit(make_fold_data(2), parameters={name: given[name] for name in needed & given.keys()})


def same_seed_same_model(subject: Subject) -> None:
    """The same seed gives the same predictions and arrays of the stored model, to the last bit."""
    _, (data, first) = subject.fits
    second = subject.fit(data)
    assert first.predict_proba(data.X_score).tobytes() == second.predict_proba(data.X_score).tobytes(), (
        "two fits with the same seed predict differently"
    )
    ours, theirs = first.arrays(), second.arrays()
    differ = [name for name in ours if np.asarray(ours[name]).tobytes() != np.asarray(theirs[name]).tobytes()]
    assert not differ, f"arrays of two fits with the same seed differ: {', '.join(differ)}"


def what_draws_says_so(subject: Subject) -> None:
    """Where fits with other seeds predict differently, `draws` is True, so that the study fits with several."""
    if subject.method.draws:
        return
    data, parameters = make_fold_data(3), subject.parameters()
    bound, seeds = subject.method(data), map(np.random.SeedSequence, range(3))
    fits = [bound.fit(parameters, subject.complexity, seed) for seed in seeds]
    first, *others = (fitted.predict_proba(data.X_score) for fitted in fits)
    for other in others:
        np.testing.assert_array_equal(other, first, "`draws` is not True, but the seed changes predictions")


def rows_to_score_are_not_fitted(subject: Subject) -> None:
    """`FoldData` has them with their classes, within reach of a fit that would learn from what it is scored on."""
    _, (data, fitted) = subject.fits
    other = replace(data, X_score=data.X_score[::-1] + 1.0, y_score=(data.y_score + 1) % 3)
    first, second = (model.predict_proba(data.X_score) for model in (fitted, subject.fit(other)))
    np.testing.assert_array_equal(first, second, "with other rows to score, a fit predicts differently")


def a_row_is_predicted_alone(subject: Subject) -> None:
    """A prediction does not depend on what is predicted with it."""
    _, (data, fitted) = subject.fits
    together = fitted.predict_proba(data.X_score)[:10]
    alone = np.concatenate([fitted.predict_proba(row[None]) for row in data.X_score[:10]])
    message = "a row alone is predicted differently from the same row among others"
    np.testing.assert_allclose(alone, together, rtol=1e-5, atol=1e-7, err_msg=message)


def every_step_is_a_shorter_fit(subject: Subject) -> None:
    """One prediction per step; the last one is that of the full size, the others are those of smaller fits."""
    first = subject.method.min_complexity
    for data, fitted in subject.fits:
        stages = [p.copy() for p in fitted.staged_predict_proba(data.X_score)]
        assert len(stages) == subject.complexity - first + 1, (
            f"{len(stages)} sizes instead of {subject.complexity - first + 1}"
        )
        for number, p in enumerate(stages, start=first):
            if number == subject.complexity:
                np.testing.assert_allclose(p, fitted.predict_proba(data.X_score), rtol=1e-5, atol=1e-7)
            if 1 <= number < subject.complexity:
                shorter = subject.fit(data, number).predict_proba(data.X_score)
                np.testing.assert_allclose(p, shorter, rtol=1e-5, atol=1e-7, err_msg=f"step {number}")


def predictions_are_probabilities(subject: Subject) -> None:
    """Finite, in [0, 1], of sum 1; only 0 and 1 from a method that is not probabilistic; also for one row far away."""
    for data, fitted in subject.fits:
        for X in (data.X_score, np.full((1, 3), 50.0)):
            for p in [fitted.predict_proba(X), *fitted.staged_predict_proba(X)]:
                assert isinstance(p, np.ndarray)
                assert p.shape == (len(X), data.n_classes), f"shape {p.shape} instead of {(len(X), data.n_classes)}"
                assert np.isfinite(p).all(), "a probability is not finite"
                assert p.min() >= 0, "a probability is negative"
                assert p.max() <= 1 + 1e-6, "a probability is larger than 1"
                np.testing.assert_allclose(p.sum(axis=1), 1.0, atol=1e-6, err_msg="probabilities do not sum to 1")
                if not subject.method.probabilistic:
                    assert set(np.unique(p)) <= {0.0, 1.0}, "`probabilistic` is False, so only 0 and 1 are allowed"


def columns_are_the_classes(subject: Subject) -> None:
    """Column k is class k: in any other order the predictions are worse. The class prior just passes."""
    for data, fitted in subject.fits:
        p, K = fitted.predict_proba(data.X_score), data.n_classes
        own = [p[np.arange(len(p)), (data.y_score + shift) % K].mean() for shift in range(K)]
        assert own[0] > max(own[1:]), "columns are not in the order of the classes, or nothing is learned"


def weights_do_what_is_declared(subject: Subject) -> None:
    """A heavy class is predicted more; with "frequency", weights of 1 change nothing and 2 is the row twice."""
    if subject.method.weights == "none":
        return
    plain = make_fold_data(2)

    def predictions(data, trial=0):  # along a longer path: at some places of it, prototype methods keep every sample
        fitted = subject.fit(data, subject.end(12), subject.parameters(trial, data.X.shape[1]))
        return np.array([p.copy() for p in fitted.staged_predict_proba(plain.X_score)])  # (sizes, n, 2)

    heavy = make_fold_data(2, np.where(plain.y == 1, 20.0, 1.0))
    gains = (np.subtract(*(predictions(data, trial)[..., 1].mean() for data in (heavy, plain))) for trial in range(3))
    # Of the first trial in which there is a difference: weights change nothing in leaves that have one sample each.
    assert next(filter(None, gains), 0.0) > 0, "a class of weight 20 is not predicted more"
    if subject.method.weights == "frequency":
        times = 1 + np.arange(len(plain.y)) % 2
        rows = np.repeat(np.arange(len(times)), times)
        twice = replace(plain, X=plain.X[rows], y=plain.y[rows])
        for weight, same, message in (
            (np.ones(len(times)), plain, "weights of 1 are not the same as none"),
            (times.astype(float), twice, "a weight of 2 is not the row twice"),
        ):
            weighted = predictions(make_fold_data(2, weight))
            np.testing.assert_allclose(weighted, predictions(same), atol=2e-3, err_msg=message)


def a_stored_model_predicts_the_same(subject: Subject) -> None:
    """Through a file that only holds plain arrays."""
    for data, fitted in subject.fits:
        with TemporaryDirectory() as folder:
            write_archive(Path(folder, "model.npz"), {}, fitted.arrays())
            _, arrays = read_archive(Path(folder, "model.npz"))
        again = subject.method.load(arrays).predict_proba(data.X_score)
        assert np.array_equal(again, fitted.predict_proba(data.X_score)), "a stored model predicts differently"


def simplicity_sorts(subject: Subject) -> None:
    """A tuple of finite numbers, as long for any parameters."""
    keys = [subject.method.simplicity(subject.parameters(trial)) for trial in range(5)]
    assert all(isinstance(key, tuple) for key in keys), f"simplicity is {keys[0]!r}, must be a tuple"
    assert len({len(key) for key in keys}) == 1, "simplicity has not always the same length"
    assert all(np.isfinite(key).all() for key in keys), "simplicity is not finite"


def summaries_have_the_quantities(subject: Subject) -> None:
    """JSON values, active features among them; lists with an entry per step where there are such."""
    _, (data, fitted) = subject.fits
    summary, staged = fitted.summary(), fitted.staged_summary()
    json.dumps([summary, staged], allow_nan=False)
    missing = [name for name in ("active_features", *subject.method.quantities) if name not in summary]
    assert not missing, f"summary has no {', '.join(missing)}"
    assert 0 <= summary["active_features"] <= data.X.shape[1], f"{summary['active_features']} of 3 features are active"
    for name, values in staged.items():
        assert len(values) == subject.complexity - subject.method.min_complexity + 1, (
            f"staged_summary: {name} has {len(values)}"
        )
        assert values[-1] == summary[name], f"staged_summary: the last {name} is not that of summary"


def models_are_what_is_declared(subject: Subject) -> None:
    """Models are of the class `model`, and what `methods.prototypes` and `methods.weighted` say if that has it."""
    _, (data, fitted) = subject.fits
    point = data.X_score[0]
    declared = subject.method.model
    for model in (fitted, subject.method.load(fitted.arrays())):
        assert isinstance(model, declared), f"a model is a {type(model).__name__}, `model` is {declared.__name__}"
    counted = "prototypes" in subject.method.quantities
    assert issubclass(declared, PrototypeModel) == counted, "`quantities` counts prototypes that `model` does not have"
    if isinstance(fitted, PriorModel):
        np.testing.assert_allclose(fitted.class_prior(), np.bincount(data.y) / len(data.y), err_msg="class prior")
    if isinstance(fitted, PrototypeModel):
        kept, number = fitted.prototypes(), fitted.summary()["prototypes"]
        shapes = [len(values) for values in (kept.X, kept.labels, kept.weights, kept.batch)]
        assert shapes == [number] * 4, f"{shapes} prototypes, the summary has {number}"
        assert set(kept.labels.tolist()) <= {0, 1, 2}, "a prototype is of no class"
        assert (kept.weights > 0).all(), "a prototype has no weight"
        assert (np.diff(kept.batch) >= 0).all(), "prototypes are not in the order of their batches"
    if isinstance(fitted, WeightedPrototypeModel):
        active = np.flatnonzero((fitted.feature_weights() > 0).any(axis=0))
        assert active.tolist() == fitted.active_features().tolist(), "active features are not those with a weight"
        explained = explain_point(fitted, point)
        by_class = np.bincount(explained.label, weights=explained.share, minlength=3)
        np.testing.assert_allclose(by_class, fitted.predict_proba(point[None])[0], atol=1e-5, err_msg="explanation")
        np.testing.assert_allclose(explained.familiarity, fitted.familiarity(point[None])[0], rtol=1e-4, atol=1e-6)


def metrics_are_heard(subject: Subject) -> None:
    """A method that takes metrics of SciPy predicts as with the matrix of its dissimilarities."""
    if subject.method.metrics not in ("any", "symmetric"):
        return
    named = replace(make_fold_data(3), metric="manhattan")
    X, X_score = (distances(rows, named.X, named.metric) for rows in (named.X, named.X_score))
    fitted, expected = subject.fit(replace(named, X=X, metric=PRECOMPUTED)), subject.fit(named)
    p = fitted.predict_proba(X_score)
    message = "by a matrix it predicts differently"
    np.testing.assert_allclose(p, expected.predict_proba(named.X_score), atol=1e-6, err_msg=message)
    again = subject.method.load(fitted.arrays()).predict_proba(X_score)
    assert np.array_equal(again, p), "a stored model of dissimilarities predicts differently"


def mixed_tables_are_taken(subject: Subject) -> None:
    """If it says so: classes are learned from categories, and rows with new ones and with gaps are predicted."""
    if not subject.method.takes_mixed:
        return
    data, new = make_mixed_data(), np.array([[0.0, 4.0], [np.nan, 4.0], [np.nan, 0.0]])
    fitted = subject.fit(data, subject.end(12))
    p = fitted.predict_proba(data.X_score)
    right = (p.argmax(axis=1) == data.y_score).mean()
    assert right > 0.75, f"of classes that a category decides {right:.0%} are right"
    of_new = fitted.predict_proba(new)
    assert np.isfinite(of_new).all(), "for a category that was not fitted, or a gap, a probability is not finite"
    again = subject.method.load(fitted.arrays())
    for X, expected in ((data.X_score, p), (new, of_new)):
        assert np.array_equal(again.predict_proba(X), expected), "a stored model of categories predicts differently"
    complete = replace(data, X=np.nan_to_num(data.X), X_score=np.nan_to_num(data.X_score))
    assert np.isfinite(subject.fit(complete).predict_proba(new)).all(), (
        "for a gap in a column that had none, a probability is not finite"
    )


def data_are_left_alone(subject: Subject) -> None:
    """Fits share their data, and so do methods."""
    data = make_fold_data(2)
    before = [a.tobytes() for a in (data.X, data.y, data.X_score)]
    subject.fit(data).predict_proba(data.X_score)
    assert before == [a.tobytes() for a in (data.X, data.y, data.X_score)], "the data were changed"


def one_thread_is_enough(subject: Subject) -> None:
    """No thread or process is started, but that of a command; the workflow runs as many jobs as there are cores."""
    import psutil  # comes with Snakemake

    data, process, done = make_fold_data(3), psutil.Process(), threading.Event()
    subject.fit(data).predict_proba(data.X_score)  # what starts once, with the library
    allowed, seen = process.num_threads() + 1, []

    def watch():
        while not done.is_set():
            seen.append((process.num_threads(), len(process.children())))
            done.wait(0.0005)

    children = len(process.children()) + issubclass(subject.method, CommandMethod)
    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        subject.fit(data).predict_proba(data.X_score)
    finally:
        done.set()
        watcher.join()
    threads, processes = (max(numbers) for numbers in zip(*seen, strict=True))
    assert threads <= allowed, f"{threads - allowed} threads are started; ask for one (n_jobs=1)"
    assert processes <= children, "a process is started; ask for none (n_jobs=1)"


CHECKS: tuple[Callable[[Subject], None], ...] = tuple(
    value
    for name, value in list(vars().items())
    if inspect.isfunction(value) and value.__module__ == __name__ and not name.startswith("_")
)
