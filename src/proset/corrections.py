"""What prototypes change about the predictions of a base model, sample by sample and prototype by prototype."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from proset import arithmetic
from proset.elimination import Elimination
from proset.explain import explain
from proset.leave_one_out import Task
from proset.model import Model
from proset.objective import Penalty
from proset.parts import parts_of
from proset.tables import named, require
from proset.units import given_samples, naming, without_classifier

if TYPE_CHECKING:
    import pandas as pd

    from proset.fitted_model import FittedModel

ENTRIES = 1_000_000  # of a table of samples and prototypes, which exists for some samples at a time
REGION = ("gain", "samples", "proportion", "by base", "by model")
NEAR = 0.5  # similarity from which on a sample counts to the region of a prototype


def regions(fitted: Model, task: Task) -> dict[str, np.ndarray]:
    """What each prototype, over all batches, brings, and the training samples near it.

    Parameters
    ----------
    fitted : Model
        Of the samples of the task, before any change of units.
    task : Task
        The first batch's.

    Returns
    -------
    dict of arrays, shape (J,)
        "gain": by how much the leave-one-out log-loss would rise without it; "samples": rows with a similarity of at
        least `NEAR`, itself included; of these "proportion" with its class, and the mean probability of its class "by
        base" and "by model", held out.
    """
    samples, parts = task.samples, parts_of(fitted, task.samples)
    search = Elimination(task, Penalty(0.0, 0.0, 1.0, 1.0))
    q = search.q_of(parts)
    number, found = np.bincount(samples.of_row), []
    base, model = (table / arithmetic.row_sums(table)[:, None] for table in (task.q[task.references], q))
    rows = task.references
    for part, batch, gain in zip(parts, fitted.batches, search.increases_of(parts), strict=True):
        labels, prototypes = samples.y[part.candidates], samples.X[part.candidates]
        sums = np.zeros((4, len(labels)))  # over the samples near it: of all, of its class, of both probabilities
        offsets, every = np.arange(len(labels) + 1), np.ones(len(labels))  # as if each were a class
        for first in range(0, len(rows), step := max(1, ENTRIES // max(1, len(labels)))):
            of_tile = slice(first, first + step)
            tile = rows[of_tile]
            pairs = samples.X[tile], prototypes, np.zeros(len(part.v)), offsets, part.v, every
            near = arithmetic.class_sums(*pairs, columns=samples.columns) >= NEAR
            weight = near * number[tile, None]
            of_class = samples.y[tile, None] == labels
            for total, value in zip(
                sums, (1.0, of_class, base[of_tile][:, labels], model[of_tile][:, labels]), strict=True
            ):
                total += (weight * value).sum(axis=0)
        means = dict(zip(REGION[2:], sums[1:] / np.maximum(sums[0], 1.0), strict=True))
        columns = {"gain": gain, "samples": sums[0], **means}
        order = np.argsort(np.argsort(samples.of_row[batch.sample_index]))  # as the batch has them
        found.append({name: values[order] for name, values in columns.items()})
    return {name: np.concatenate([np.empty(0), *(of[name] for of in found)]) for name in REGION}


def corrections(
    classifier: "FittedModel", X: npt.ArrayLike, top: int | None, transformer: Any, base_probabilities: Any
) -> "pd.DataFrame":
    """See `proset.ProsetClassifier.corrections`."""
    require("pandas", "corrections")
    import pandas as pd

    transformer, labels, given = given_samples(X, top, transformer)
    points, base = classifier._validated(given), classifier._base_of(given, base_probabilities)
    *_, probabilities = classifier._model.staged_predict_proba(points, classifier._n_threads(), base)
    if base is None:
        base = np.tile(classifier.class_prior_, (len(points), 1))
    by_base, by_model, every = classifier._decided(base), classifier._decided(probabilities), np.arange(len(points))
    moved = np.abs(probabilities - base).sum(axis=1) / 2.0
    order = np.argsort(-moved, kind="stable")
    rows, n_classes = [], len(classifier.classes_)
    for x, of_base in zip(points[order], base[order], strict=True):
        found = explain(replace(classifier._model, class_prior=of_base), x)
        listed = slice(n_classes, None if top is None else n_classes + top)
        shown = found.contribution[listed] > 0
        rows.append((found.sample[listed][shown].tolist(), found.share[listed][shown].round(4).tolist()))
    return pd.DataFrame(
        {
            "sample": np.asarray(labels)[order],
            "moved": moved[order],
            "base": classifier.classes_[by_base[order]],
            "class": classifier.classes_[by_model[order]],
            "probability by base": base[every, by_model][order],
            "probability": probabilities[every, by_model][order],
            "familiarity": classifier.familiarity(given)[order],
            "rows": [found for found, _ in rows],
            "shares": [found for _, found in rows],
        }
    )


def disagreements(classifier: "FittedModel", transformer: Any) -> "pd.DataFrame":
    """See `proset.ProsetClassifier.disagreements`."""
    require("pandas", "disagreements")
    import pandas as pd

    of_table, features = naming(classifier, without_classifier(transformer)), classifier.active_features_
    prototypes = classifier._model.prototypes
    columns: dict[str, Any] = {
        "batch": prototypes.batch + 1,
        "row": prototypes.rows,
        "class": classifier.classes_[prototypes.labels],
        "weight": prototypes.weights,
        **classifier._regions,
    }
    columns["samples"] = columns["samples"].astype(int)
    columns |= named("value of", of_table["names"], features, of_table["units"](prototypes.points)[:, features])
    frame = pd.DataFrame(columns)
    return frame.sort_values("gain", ascending=False, kind="stable", ignore_index=True)
