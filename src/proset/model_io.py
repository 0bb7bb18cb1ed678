"""Save and load fitted models as archives of plain arrays; nothing in them is executable."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from proset.archive import read_archive, write_archive
from proset.model import Model

if TYPE_CHECKING:  # importing it would import scikit-learn
    from proset.classifier import ProsetClassifier


def save_model(classifier: "ProsetClassifier", path: str | Path) -> None:
    """Save a fitted `ProsetClassifier`.

    Parameters
    ----------
    classifier : ProsetClassifier
        Fitted; class labels are numbers, booleans or strings.
    path : str or Path
        The file to write, atomically; `.npz` by custom.

    Raises
    ------
    sklearn.exceptions.NotFittedError
        If the classifier is not fitted.
    TypeError
        If class labels or parameters are neither numbers, booleans nor strings.
    """
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(classifier, "batches_")
    classes = classifier.classes_
    if classes.dtype == object:
        if not all(isinstance(c, str) for c in classes):
            raise TypeError(f"classes_ must be numbers, booleans or strings to be saved, got {classes!r}")
        classes = classes.astype(str)
    parameters = classifier.get_params()
    if not isinstance(parameters["random_state"], (int, np.integer, type(None))):
        parameters["random_state"] = None  # a generator's state has been used up by the fit
    arrays = classifier._model.arrays()
    arrays["classes"] = classes
    if hasattr(classifier, "feature_names_in_"):
        arrays["feature_names_in"] = classifier.feature_names_in_.astype(str)
    write_archive(path, {"parameters": {k: _plain(v) for k, v in parameters.items()}}, arrays)


def load_model(path: str | Path) -> "ProsetClassifier":
    """Load a `ProsetClassifier` that `save_model` wrote.

    Parameters
    ----------
    path : str or Path

    Returns
    -------
    ProsetClassifier

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If the file is damaged, no model file, or of another format version.
    """
    from proset.classifier import ProsetClassifier

    header, arrays = read_archive(path)
    try:
        classifier = ProsetClassifier(**header["parameters"])
        classifier.classes_ = arrays["classes"]
        classifier._store(Model.from_arrays(arrays))
        classifier.n_features_in_ = len(classifier._model.centre)
        if "feature_names_in" in arrays:
            classifier.feature_names_in_ = arrays["feature_names_in"].astype(object)
    except (KeyError, TypeError) as error:
        raise ValueError(f"{path} is not a complete proset model: {error}") from error
    return classifier


def _plain(value):
    return value.item() if isinstance(value, np.generic) else value
