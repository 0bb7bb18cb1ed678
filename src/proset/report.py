"""One HTML page about a fitted classifier: a model card, its features by batch, its prototypes.

Names come from tables of strangers: the template escapes everything.
"""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import proset
from proset.encoding import ORDERED
from proset.files import replacing
from proset.tables import export, require
from proset.units import feature_names, without_classifier

if TYPE_CHECKING:
    from proset.classifier import ProsetClassifier

LEVELS = (0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.95)  # of the familiarity of training samples
MAX_LEVELS = 12  # of a column that are named
MAX_COLUMNS = 20  # features whose values a table of prototypes has


def write_report(classifier: "ProsetClassifier", path: str | os.PathLike[str], transformer: Any, title: str) -> None:
    """See `proset.ProsetClassifier.report`."""
    require("jinja2", "report")
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).with_name("templates")),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters["number"] = "{:,.4g}".format
    page = environment.get_template("report.html.j2").render(
        title=title, version=proset.__version__, **_contents(classifier, transformer)
    )
    with replacing(Path(path)) as file:
        file.write(page.encode("utf-8"))


def _shown(value: Any) -> str:
    if value is None or value != value:
        return "missing"
    return f"{value:,.6g}" if isinstance(value, float) else str(value)


def _kind(classifier: "ProsetClassifier", d: int) -> str:
    """What a column is, with its levels."""
    levels = classifier.categories_[d]
    if levels is None:
        return "number"
    names = ["missing" if level is None else str(level) for level in levels]
    more = f", ... ({len(names)})" if len(names) > MAX_LEVELS else ""
    between = " < " if classifier._encoding.kinds[d] == ORDERED else ", "
    return between.join(names[:MAX_LEVELS]) + more


def _contents(classifier: "ProsetClassifier", transformer: Any) -> dict[str, Any]:
    table, transformer = export(classifier, transformer), without_classifier(transformer)
    names, features = feature_names(classifier, transformer), classifier.active_features_
    weights = classifier.feature_weights_[:, features].T
    order = np.argsort(-weights.max(axis=1, initial=0.0), kind="stable")
    shown = [names[d] for d in features[order[:MAX_COLUMNS]]]
    prototypes = table[table["batch"] > 0].sort_values("weight", ascending=False, kind="stable")
    by_class = [int((prototypes["class"] == name).sum()) for name in classifier.classes_]
    levels = np.quantile(getattr(classifier, "training_familiarity_", [[np.nan]])[-1], LEVELS, method="weibull")
    return {
        "base": None if classifier._fitted_base() is None else classifier._base_name(),
        "n_samples": getattr(classifier, "n_samples_fit_", None),
        "names": names,
        "inactive": [name for d, name in enumerate(names) if d not in features],
        "n_prototypes": classifier.n_prototypes_,
        "classes": list(zip(classifier.classes_, classifier.class_prior_, by_class, strict=True)),
        "transformer": transformer,
        "parameters": {name: repr(value) for name, value in classifier.get_params().items()},
        "features": [(names[features[i]], _kind(classifier, features[i]), weights[i]) for i in order],
        "is_mixed": not classifier._encoding.are_numbers,
        "has_gaps": classifier._model.columns is not None and bool(classifier._model.columns.has_gaps.any()),
        "max_weight": weights.max(initial=0.0),
        "familiarity": list(zip(LEVELS, levels, strict=True)),
        "shown": shown,
        "batches": [
            (batch, [(row, [_shown(row[f"value of {name}"]) for name in shown]) for row in rows.to_dict("records")])
            for b, batch in enumerate(classifier.batches_, start=1)
            for rows in [prototypes[prototypes["batch"] == b]]
        ],
        "heaviest": prototypes["weight"].max(),
    }
