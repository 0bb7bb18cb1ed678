"""A fitted classifier as a page to play with: its JavaScript, and controls for the features that it reads."""

from pathlib import Path
from typing import Any

import numpy as np

from proset import __version__
from proset.convert.formula import ProsetFormula, formula, take_apart
from proset.convert.javascript import literal, to_javascript
from proset.tables import require

TEMPLATE = "play.html.j2"


def to_html(model: Any, background: Any = None, title: str = "Prototype classifier") -> str:
    """One page of HTML to play with a model: what it predicts, why, and what would change the prediction.

    There is a slider for each number that the model reads, over the range of the training data, and a list for each
    category. After every change the page shows the class probabilities, the prototypes behind them with their shares,
    what each feature adds to the probability of the predicted class (with `background`), and for single features the
    nearest value for which another class is predicted. It starts with the heaviest prototype. The code of
    `to_javascript` computes everything in the browser; nothing is loaded from elsewhere.

    Parameters
    ----------
    model : ProsetClassifier, or a Pipeline, FrozenEstimator or search that ends in one
        As for `to_javascript`.
    background : array-like or frame, shape (M, D), optional
        As for `to_javascript`: rows to compare samples with, which are written into the page.
    title : str, default="Prototype classifier"

    Returns
    -------
    str
        The page, to be saved in UTF-8.

    Raises
    ------
    ImportError
        Without jinja2.
    sklearn.exceptions.NotFittedError
        If the model is not fitted.
    ValueError
        If the model cannot be written as JavaScript or has no probabilities, or `background` is not as described.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from proset import ProsetClassifier, to_html
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> page = to_html(ProsetClassifier().fit(X, y), background=X[::5], title="Irises")
    >>> "<h1>Irises</h1>" in page, "petal width" in page
    (True, True)
    """
    require("jinja2", "to_html")
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parents[1] / "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
    )
    return environment.get_template(TEMPLATE).render(**contents(model, background, title))


def contents(model: Any, background: Any, title: str) -> dict[str, str]:
    """What `TEMPLATE` takes, as `to_html`; templates that extend it take the same."""
    what = formula(model)
    if not isinstance(what, ProsetFormula):
        raise ValueError(f"model: a {what.kind} is not allowed, it has no probabilities")
    tables = {name: literal(values) for name, values in _controls(model, what).items()}
    return {"title": title, "version": __version__, "module": to_javascript(model, background), **tables}


def _controls(model: Any, what: ProsetFormula) -> dict[str, Any]:
    """Range and standard deviation, before the scalers, of each feature that is read, and the first sample."""
    _, classifier = take_apart(model)
    columns = classifier._model.columns
    spread = (classifier.scale_ if columns is None else columns.spread)[what.used]
    ends = np.vstack([classifier.feature_range_[:, what.used], np.zeros((1, len(what.used)))])
    if len(what.prototypes):
        ends[2] = what.prototypes[what.prototype_weights.argmax()]
    for shift, scale in zip(what.shift[::-1], what.scale[::-1], strict=True):
        is_number = what.category == 0
        ends = np.where(is_number, ends * scale + shift, ends)
        spread = np.where(is_number, spread * np.abs(scale), spread)
    start: list[Any] = [None] * len(what.feature_names)
    for d, value, levels in zip(what.used, ends[2], what.levels, strict=True):
        if not np.isnan(value):
            start[d] = float(value) if levels is None else levels[int(value)]
    low, high = np.sort(ends[:2], axis=0)
    return {"ranges": np.column_stack([low, high]).tolist(), "spreads": spread.tolist(), "first": start}
