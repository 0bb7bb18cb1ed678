"""A model card of a fitted classifier, in the form of the package skops: Markdown for those who get the model.

Names come from tables of strangers: what is shown of them is text, neither Markdown nor HTML.
"""

import html
import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from sklearn.frozen import FrozenEstimator
from sklearn.metrics import balanced_accuracy_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.validation import check_consistent_length, check_is_fitted

import proset
from proset.rates import group_rates
from proset.tables import require
from proset.units import feature_names, opened
from proset.validation import checked_count

if TYPE_CHECKING:
    from skops.card import Card

MAX_COLUMNS = 8  # features whose values the table of prototypes has; people read it in a README
MAX_ROWS = 20  # of the table of feature weights
MAX_LENGTH = 200  # of a hyperparameter
DESCRIPTION = "Model description"
PROCEDURE = f"{DESCRIPTION}/Training Procedure"
PROTOTYPES = """"Row" counts the rows of the training data from 0.

**Prototypes are rows of the training data, with their values:** who may not see those should not see this table, nor
the model, which has them, too."""
LIMITS = """- Judge the model on samples that it was not fitted on.
- Probabilities, and what is familiar, hold for samples from where the training samples came from. A sample that differs
  in inactive features alone looks familiar.
- Feature weights depend on the scale of the features, on the penalties and on the other features; of two features that
  say the same, one may have all the weight. They are no causes.
- Error rates of groups of samples may differ from that of all; `proset.group_rates` has them."""


def model_card(
    model: Any,
    X: npt.ArrayLike | None = None,
    y: npt.ArrayLike | None = None,
    *,
    intended_uses: str | None = None,
    n_prototypes: int = 20,
    model_diagram: bool = False,
) -> "Card":
    """Describe a fitted classifier in a model card of skops.

    The card describes what the model knows of itself. You fill in what it is for, who made it and how to cite it, with
    the methods of the card. It needs skops, which the extra `card` installs.

    Parameters
    ----------
    model : estimator
        A fitted `ProsetClassifier`, or a Pipeline, FrozenEstimator or search with one.
    X : array-like, shape (N, D), optional
        Samples for the evaluation results, as `model` takes them. On those of `fit`, results are too good.
    y : array-like, shape (N,), optional
        Their classes. Not with ``base="prefit"``.
    intended_uses : str, optional
        Markdown, for the section of this name.
    n_prototypes : int >= 0, default=20
        How many prototypes are listed at most, the heaviest first; with 0 the card shows no row of the training data.
    model_diagram : bool, default=False
        Whether the card has scikit-learn's diagram of the model, which is HTML.

    Returns
    -------
    skops.card.Card
        `save` writes it as Markdown, `add` adds sections.

    Raises
    ------
    ImportError
        If skops is not installed; or pandas, for prototypes and evaluation results.
    sklearn.exceptions.NotFittedError
        If `model` is not fitted.
    ValueError
        If `model` has no `ProsetClassifier`, only one of `X` and `y` is given or they have different lengths, or
        `n_prototypes` is not a whole number of at least 0.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import train_test_split
    >>> from proset import ProsetClassifier, model_card
    >>> X_train, X_test, y_train, y_test = train_test_split(*load_iris(return_X_y=True, as_frame=True), random_state=0)
    >>> card = model_card(ProsetClassifier(random_state=0).fit(X_train, y_train), X_test, y_test)
    >>> print(card.add(**{"Model Card Authors": "The botanists"}).get_toc())
    - Model description
      - Intended uses & limitations
      - Training Procedure
        - Hyperparameters
      - Evaluation Results
      - Features
      - Prototypes
    - How to Get Started with the Model
    - Model Card Authors
    - Model Card Contact
    - Citation
    """
    require("skops", "model_card", "card")
    from skops.card import Card

    if (X is None) != (y is None):
        raise ValueError(f"{'X' if X is None else 'y'}: None is not allowed, X and y belong together")
    checked_count(n_prototypes, "n_prototypes", least=0)
    classifier, transformer = _inside(model)
    names = feature_names(classifier, transformer)
    card = Card(model, model_diagram=model_diagram)
    uses = intended_uses or "[More Information Needed]"
    card.add(
        **{
            DESCRIPTION: _description(classifier),
            f"{DESCRIPTION}/Intended uses & limitations": f"{uses}\n\n{LIMITS}",
            PROCEDURE: _procedure(classifier, transformer),
            "How to Get Started with the Model": _start(transformer, model),
        }
    )
    if not model_diagram:
        card.delete(f"{PROCEDURE}/Model Plot")
    parameters = {name: repr(value)[:MAX_LENGTH] for name, value in model.get_params().items()}
    _add_table(card, f"{PROCEDURE}/Hyperparameters", {"Hyperparameter": [*parameters], "Value": [*parameters.values()]})
    if X is not None and y is not None:
        check_consistent_length(X, y)
        metrics = _metrics(model, X, np.asarray(y))
        _add_table(
            card,
            f"{DESCRIPTION}/Evaluation Results",
            {"Metric": [*metrics], "Value": [*metrics.values()]},
            f"On {len(np.asarray(y)):,} samples. Whether the model has seen them, whoever made this card knows.",
        )
    _add_features(card, classifier, names)
    if n_prototypes and classifier.n_prototypes_:
        _add_prototypes(card, classifier, transformer, names, n_prototypes)
    return card


def plain(value: Any) -> str:
    r"""Any text so that Markdown and HTML show it as it is, on one line, in a table or out of it.

    Examples
    --------
    >>> print(plain("a|b *c* <script>"))
    a\|b \*c\* &lt;script&gt;
    """
    line = "".join(c if c.isprintable() else " " for c in str(value))
    marks = r"[\\`*\[\]|~$!#]|(?<!\w)_+|_+(?!\w)"  # _ within a word is none
    line = re.sub(marks, lambda found: "".join("\\" + c for c in found[0]), html.escape(line, quote=False))
    # Addresses are links without any markup.
    return re.sub(r"(?i)\b(https?|ftp)(?=://)|\bwww(?=\.)", lambda found: found[0][0] + "&#8203;" + found[0][1:], line)


def _inside(model: Any) -> tuple[Any, Any]:
    """The `ProsetClassifier` in an estimator, and the steps before it."""
    steps, found = opened(model)
    if not hasattr(found, "batches_"):
        if hasattr(found, "fit"):
            check_is_fitted(found)
        name = type(found).__name__
        raise ValueError(f"model: {name} is not allowed, must be a ProsetClassifier, or a Pipeline or search with one")
    return found, make_pipeline(*(step for _, step in steps)) if steps else None


def _description(classifier: Any) -> str:
    n_features, n_classes = len(classifier.active_features_), len(classifier.classes_)
    base = None if classifier._fitted_base() is None else plain(classifier._base_name())
    first = "its prior" if base is None else f"its probability by the base model, {base},"
    size = ", ".join([_number(n_classes, "class", "classes"), _number(classifier.n_prototypes_, "prototype")])
    return f"""A `ProsetClassifier`, described by proset {proset.__version__}: {size}, and
{_number(n_features, "active feature")} of {classifier.n_features_in_}.

The score of a class is {first} plus, for each of its prototypes, weight times similarity to the sample; scores divided
by their sum are the probabilities. The similarity is 1 at the prototype and falls with the distance in the active
features. Far from all prototypes a prediction is {"the class prior" if base is None else "that of the base model"}.

Classes: {", ".join(map(plain, classifier.classes_))}."""


def _procedure(classifier: Any, transformer: Any) -> str:
    n = getattr(classifier, "n_samples_fit_", None)
    steps = (
        ""
        if transformer is None
        else " after " + ", ".join(f"`{type(step).__name__}`" for _, step in transformer.steps)
    )
    found = "\n".join(
        f"- `{name}`: {getattr(classifier, name):.4g}"
        for name in ("lambda_v_", "lambda_w_")
        if hasattr(classifier, name)
    )
    fitted = "Fitted" if n is None else f"Fitted to {n:,} samples"
    return (
        f"{fitted}{steps}, by penalised likelihood. Penalties of the fit:\n\n{found}" if found else f"{fitted}{steps}."
    )


def _is_in_a_file(model: Any) -> bool:
    """Whether `proset.save_model` takes a fitted estimator."""
    return hasattr(model, "batches_") and not isinstance(model, FrozenEstimator) and model._fitted_base() is None


def _start(transformer: Any, model: Any) -> str:
    """Code that keeps and loads the model."""
    if transformer is None and _is_in_a_file(model):
        return f"""`proset.save_model(model, "model.npz")` keeps the model in a file that executes nothing when loaded.

```python
from proset import load_model

model = load_model("model.npz")
model.predict_proba(X)  # X: {model.n_features_in_} columns, in the order of the training data
```"""
    by_base = ", base_probabilities=..." if isinstance(getattr(model, "base_", None), str) else ""
    return f"""`skops.io.dump(model, "model.skops")` keeps the model. Look at the types in the file before you trust it.

```python
import skops.io

untrusted = skops.io.get_untrusted_types(file="model.skops")
print(untrusted)  # of proset, if the file is what it says
model = skops.io.load("model.skops", trusted=untrusted)
model.predict_proba(X{by_base})
```"""


def _metrics(model: Any, X: Any, y: np.ndarray) -> dict[str, str]:
    rates = group_rates(model, X, y, np.zeros(len(y))).iloc[0]
    low, high = 1 - rates["error high"], 1 - rates["error low"]
    found = {
        "accuracy": f"{1 - rates['error']:.4g} (95 % interval {low:.4g} to {high:.4g})",
        "balanced accuracy": f"{balanced_accuracy_score(y, model.predict(X)):.4g}",
        "log loss": f"{rates['log loss']:.4g}",
    }
    if "unfamiliar" in rates:
        found["samples less familiar than 95 % of the training samples"] = f"{rates['unfamiliar']:.1%}"
    return found


def _add_features(card: "Card", classifier: Any, names: list[str]) -> None:
    weights = classifier.feature_weights_.max(axis=0, initial=0.0)
    order = np.argsort(-weights, kind="stable")[: np.count_nonzero(weights)][:MAX_ROWS]
    if len(order):
        table = {"feature": [names[d] for d in order], "weight": [f"{weights[d]:.4g}" for d in order]}
        unit = "standard deviation" if classifier.scale else "unit"
        _add_table(card, f"{DESCRIPTION}/Features", table, f"Weights per {unit} of a feature, the largest first.")


def _add_prototypes(card: "Card", classifier: Any, transformer: Any, names: list[str], n: int) -> None:
    prototypes = classifier.export(transformer)
    prototypes = prototypes[prototypes["batch"] > 0].sort_values("weight", ascending=False, kind="stable").head(n)
    weights = classifier.feature_weights_.max(axis=0, initial=0.0)
    order = np.argsort(-weights, kind="stable")[: np.count_nonzero(weights)]
    more = f" The {MAX_COLUMNS} features with the largest weights are shown." if len(order) > MAX_COLUMNS else ""
    columns = {name: list(prototypes[name]) for name in ("batch", "row", "class")}
    columns["weight"] = [f"{weight:.4g}" for weight in prototypes["weight"]]
    columns |= {names[d]: [_value(v) for v in prototypes[f"value of {names[d]}"]] for d in order[:MAX_COLUMNS]}
    listed = f"{len(prototypes)} of {_number(classifier.n_prototypes_, 'prototype')}, the heaviest first."
    _add_table(card, f"{DESCRIPTION}/Prototypes", columns, f"{listed}{more} {PROTOTYPES}")


def _add_table(card: "Card", section: str, table: Mapping[str, Iterable[Any]], description: str = "") -> None:
    """Add a table whose cells are text and whose headings differ."""
    cells: dict[str, list[str]] = {}
    for name, values in table.items():
        heading = plain(name)
        while heading in cells:
            heading += "'"
        cells[heading] = [plain(value) for value in values]
    card.add_table(description=description, **{section: cells})
    card.select(section).title = section.rpartition("/")[2]


def _value(value: Any) -> str:
    if value is None or value != value:
        return "missing"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _number(n: int, one: str, many: str | None = None) -> str:
    return f"{n:,} {one if n == 1 else many or one + 's'}"
