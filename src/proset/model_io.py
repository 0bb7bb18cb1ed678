"""Save and load fitted models as archives of plain arrays; nothing in them is executable."""

import math
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from proset.archive import read_archive, write_archive
from proset.encoding import CATEGORY, NUMBER, ORDERED, Encoding
from proset.model import MAX_ABS, Model

if TYPE_CHECKING:  # importing it would import scikit-learn
    from proset.classifier import ProsetClassifier

MAX_BYTES = 2**30  # of a model's arrays
MAX_SCALE = 1e200  # of weights of features, and of 1 divided by their spread
KINDS = "biufUS"  # of labels, as NumPy names them
# Fitted attributes that files of earlier versions do not have.
OPTIONAL = ("n_samples_fit", "training_familiarity", "scale", "lambda_v", "lambda_w", "feature_range")


def save_model(classifier: "ProsetClassifier", path: str | Path) -> None:
    """Save a fitted `ProsetClassifier`.

    The file has the model in one size, and of the training data only prototypes and summaries. A `random_state` that is
    a generator is not saved.

    Parameters
    ----------
    classifier : ProsetClassifier
        Fitted; class labels are numbers, booleans or strings.
    path : str or Path
        The file to write, by convention with the ending `.npz`. An earlier one is replaced once the new one is whole.

    Raises
    ------
    sklearn.exceptions.NotFittedError
        If the classifier is not fitted.
    TypeError
        If it is no `ProsetClassifier`, or class labels or parameters are neither numbers, booleans nor strings.
    FileNotFoundError
        If there is no folder for the file.
    ValueError
        If the classifier has a base model, or a class label ends with a NUL character.

    Examples
    --------
    >>> import tempfile
    >>> from proset import ProsetClassifier, load_model, save_model
    >>> X = [[-1.2], [-1.1], [-1.0], [-0.9], [-0.8], [0.8], [0.9], [1.0], [1.1], [1.2]]
    >>> model = ProsetClassifier(random_state=0).fit(X, ["left"] * 5 + ["right"] * 5)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_model(model, f"{folder}/model.npz")
    ...     loaded = load_model(f"{folder}/model.npz")
    >>> bool((loaded.predict_proba(X) == model.predict_proba(X)).all())
    True
    """
    from sklearn.utils.validation import check_is_fitted

    from proset.classifier import ProsetClassifier

    if not isinstance(classifier, ProsetClassifier):
        raise TypeError(
            f"classifier: {type(classifier).__name__} is not allowed, must be a ProsetClassifier; it may be in "
            "best_estimator_, in estimator_, or the last step of a Pipeline"
        )
    check_is_fitted(classifier, "batches_")
    if classifier._fitted_base() is not None:
        onnx = "" if isinstance(classifier.base, str) else "to_onnx writes such models, "
        raise ValueError(
            f"base: {classifier._base_name()} is not allowed in a file of plain arrays; {onnx}skops.io and pickle read "
            "them back"
        )
    classes = classifier.classes_
    if classes.dtype == object:
        if not all(isinstance(c, str) for c in classes):
            raise TypeError(f"classes_ must be numbers, booleans or strings to be saved, got {classes!r}")
        classes = classes.astype(str)
        if changed := sorted(set(classifier.classes_) - set(classes.tolist())):
            raise ValueError(f"classes_: {changed[0]!r} is not allowed in a file; must not end with a NUL character")
    if classes.dtype.kind not in KINDS:
        raise TypeError(f"classes_ must be numbers, booleans or strings to be saved, got {classes!r}")
    parameters = classifier.get_params()
    if not isinstance(parameters["random_state"], (int, np.integer, type(None))):
        parameters["random_state"] = None  # a generator's state has been used up by the fit
    arrays = classifier._model.arrays()
    arrays["classes"] = classes.astype(classes.dtype.str)  # a dtype may have metadata, of which NumPy would warn
    for name in OPTIONAL:
        if hasattr(classifier, f"{name}_"):
            arrays[name] = np.asarray(getattr(classifier, f"{name}_"))
    if hasattr(classifier, "feature_names_in_"):
        arrays["feature_names_in"] = classifier.feature_names_in_.astype(str)
    if isinstance(parameters["class_weight"], dict):  # labels of classes need not be text
        parameters["class_weight"] = [[_plain(k), _plain(v)] for k, v in parameters["class_weight"].items()]
    if parameters["cost_matrix"] is not None:  # which may be a frame, in any order
        parameters["cost_matrix"] = classifier._costs()
    if not isinstance(parameters["categorical_features"], str | None):
        parameters["categorical_features"] = np.asarray(parameters["categorical_features"])
    header: dict[str, Any] = {"parameters": {k: _plain(v) for k, v in parameters.items()}}
    if not classifier._encoding.are_numbers:
        header["columns"] = vars(classifier._encoding)
    write_archive(path, header, arrays)


def load_model(path: str | Path) -> "ProsetClassifier":
    """Load a `ProsetClassifier` that `save_model` wrote.

    You may load files from strangers: nothing in them is executed, and at most 2 GiB of memory are taken.

    Parameters
    ----------
    path : str or Path

    Returns
    -------
    ProsetClassifier
        Fitted, with the same predictions. It has no training data, no other sizes, and neither `prototype_path_` nor
        `penalty_search_`.

    Raises
    ------
    FileNotFoundError, PermissionError, IsADirectoryError
        If the file cannot be read.
    ValueError
        If the file is damaged, of another format version, larger than 1 GiB unpacked, or holds anything but a model
        that a fit can give: unknown arrays, numbers that are not finite or out of range, shapes or labels that do not
        fit.

    Examples
    --------
    >>> import tempfile
    >>> from proset import load_model
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "model.npz")
    ...     _ = path.write_bytes(b"something else")
    ...     load_model(path)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    ValueError: ...model.npz is damaged or not a proset file: File is not a zip file
    """
    from proset.classifier import ProsetClassifier

    header, arrays = read_archive(path, MAX_BYTES)
    try:
        names = arrays.pop("feature_names_in", None)
        classes = arrays.pop("classes")
        optional = {name: arrays.pop(name) for name in OPTIONAL if name in arrays}
        model = Model.from_arrays(arrays)
        _check(model, classes, names, unknown=sorted(arrays.keys() - model.arrays().keys()))
        parameters = header["parameters"]
        if isinstance(parameters.get("class_weight"), list):
            parameters["class_weight"] = dict(parameters["class_weight"])
        classifier = ProsetClassifier(**parameters)
        classifier._validate_params()
        classifier.classes_ = classes
        classifier._encoding = _encoding(header.get("columns"), model)
        _check_optional(model, **optional)
        classifier.scale_ = np.ones(len(model.centre))
        classifier.feature_range_ = _range_of_prototypes(model)
        for name, array in optional.items():
            setattr(classifier, f"{name}_", array if array.ndim else array.item())
        classifier._store(model)
        classifier.n_features_in_ = len(model.centre)
        if names is not None:
            classifier.feature_names_in_ = names.astype(object)
    except Exception as error:  # a file that was made to deceive can make any of this fail
        what = " ".join(f"{type(error).__name__}: {error}".split())[:300]
        raise ValueError(f"{path} is not a complete proset model: {what}") from error
    return classifier


def _check(model: Model, classes: np.ndarray, names: np.ndarray | None, unknown: list[str]) -> None:
    """ValueError unless the model is one that a fit can give."""
    n_features, n_classes = len(model.centre), len(model.class_prior)
    if unknown:
        raise ValueError(f"unknown array {unknown[0]!r}")
    _check_array("centre", model.centre, (n_features,), -MAX_ABS)
    _check_array("class_prior", model.class_prior, (n_classes,), 0.0)
    if abs(model.class_prior.sum() - 1.0) > 1e-6 or (model.class_prior == 0).any():
        raise ValueError("class_prior must be positive and sum to 1")
    if classes.dtype.kind not in KINDS or classes.shape != (n_classes,) or n_classes < 2:
        raise ValueError(f"classes must be {n_classes} labels, at least two")
    if (classes[1:] <= classes[:-1]).any() or (classes != classes).any():
        raise ValueError("classes must be sorted and different")
    if names is not None and (names.dtype.kind != "U" or names.shape != (n_features,)):
        raise ValueError(f"feature_names_in must be {n_features} names")
    gaps = np.zeros(n_features, dtype=bool)
    if model.columns is not None:
        levels, category, spread, gaps = vars(model.columns).values()
        _check_array("levels", levels, (n_features,), 0, kind="i")
        _check_array("category", category, (n_features,), 0.0)
        _check_array("spread", spread, (n_features,), 1.0 / MAX_SCALE)
        _check_array("has_gaps", gaps, (n_features,), 0, kind="b")
        if ((category > 0) != (levels > 0)).any():
            raise ValueError("category must be positive for columns with levels")
    for b, batch in enumerate(model.batches):
        n, where = len(batch.labels), f"batch_{b}_"
        _check_array(f"{where}feature_weights", batch.feature_weights, (n_features,), 0.0, high=MAX_SCALE)
        complete = np.where(gaps & np.isnan(batch.prototypes), 0.0, batch.prototypes)
        _check_array(f"{where}prototypes", complete, (n, n_features), -MAX_ABS)
        if model.columns is not None:
            of_categories = complete[:, levels > 0]
            if (of_categories != np.floor(of_categories)).any() or (of_categories < 0).any():
                raise ValueError(f"{where}prototypes must have whole numbers for categories")
        _check_array(f"{where}prototype_weights", batch.prototype_weights, (n,), 0.0)
        for name in ("labels", "sample_index", "candidate_index"):
            shape = (batch.candidate_index.size if name == "candidate_index" else n,)
            _check_array(f"{where}{name}", getattr(batch, name), shape, 0, kind="iu")
        if (batch.labels[1:] < batch.labels[:-1]).any() or (n and batch.labels[-1] >= n_classes):
            raise ValueError(f"{where}labels must be sorted and below {n_classes}")
        for field in fields(batch):
            value: Any = getattr(batch, field.name)
            kind = field.type
            if not isinstance(kind, type) or kind is np.ndarray:
                continue
            is_finite = not isinstance(value, float) or math.isfinite(value)
            if type(value) is not kind or not is_finite:
                raise ValueError(f"{where}fit: {field.name} must be a {kind.__name__}, is {value!r:.50}")


def _range_of_prototypes(model: Model) -> np.ndarray:
    """Stand-in for `feature_range_`, for models from files without the range of the training data."""
    points = np.concatenate([model.centre[None], model.prototypes.points])
    return np.array([np.fmin.reduce(points), np.fmax.reduce(points)])


def _encoding(columns: Any, model: Model) -> Encoding:
    """What the columns are; ValueError unless it fits the model."""
    n = len(model.centre)
    if columns is None:
        encoding = Encoding((NUMBER,) * n, (None,) * n)
    else:
        levels = [None if of is None else tuple(of) for of in columns["levels"]]
        encoding = Encoding(tuple(columns["kinds"]), tuple(levels))
        if {len(encoding.kinds), len(levels)} != {n} or not set(encoding.kinds) <= {NUMBER, ORDERED, CATEGORY}:
            raise ValueError(f"columns must be {n} kinds with their levels")
        for kind, of_column in zip(encoding.kinds, levels, strict=True):
            if (kind == NUMBER) != (of_column is None):
                raise ValueError("columns must have levels unless they are numbers")
            if not all(level is None or isinstance(level, str | bool | int | float) for level in of_column or ()):
                raise ValueError("levels must be text, numbers or booleans")
    of_model = np.zeros(n) if model.columns is None else model.columns.levels
    if (of_model != encoding.n_levels).any():
        raise ValueError("levels must be those of the columns")
    return encoding


def _check_optional(
    model: Model,
    n_samples_fit: Any = None,
    training_familiarity: Any = None,
    scale: Any = None,
    lambda_v: Any = None,
    lambda_w: Any = None,
    feature_range: Any = None,
) -> None:
    n_batches = len(model.batches)
    if scale is not None:
        _check_array("scale", scale, (len(model.centre),), 1.0 / MAX_SCALE)
    for name, penalty in (("lambda_v", lambda_v), ("lambda_w", lambda_w)):
        if penalty is not None and not np.isposinf(penalty).all():
            _check_array(name, penalty, (), 0.0)
    if feature_range is not None:
        known = np.where(np.isnan(feature_range), 0.0, feature_range)
        _check_array("feature_range", known, (2, len(model.centre)), -MAX_ABS)
        if (feature_range[0] > feature_range[1]).any():
            raise ValueError("feature_range must be the smallest and the largest value of each feature")
    if n_samples_fit is not None:
        _check_array("n_samples_fit", n_samples_fit, (), 1, kind="iu")
    if training_familiarity is not None:
        _check_array("training_familiarity", training_familiarity, (n_batches + 1, training_familiarity.shape[-1]), 0.0)
        if not training_familiarity.size or (np.diff(training_familiarity) < 0).any():
            raise ValueError("training_familiarity must be sorted, and not empty")


def _check_array(
    name: str, array: np.ndarray, shape: tuple[int, ...], low: float, kind: str = "f", high: float = MAX_ABS
) -> None:
    if array.dtype.kind not in kind or array.shape != shape:
        raise ValueError(f"{name} must be numbers of shape {shape}, is {array.dtype} of shape {array.shape}")
    if array.size and not (array.min() >= low and array.max() <= high):  # NaN fails, too
        raise ValueError(f"{name} must be finite numbers from {low:g} to {high:g}")


def _plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.generic | np.ndarray) else value
