"""What a model would be without single rows of its training data: true refits, from where its weights are.

Without a row the class proportions, the references and the candidates change; penalties, scale and the largest number
of prototypes stay as they were chosen. All weights are fitted again to the tolerance of `fit`. A row that is a
prototype leaves its place: where the number of prototypes is limited, others are let in as in an exchange of
`proset.elimination`, else the fit goes on until no row outside would enter (`proset.leave_one_out.certified`). The
model with all rows is fitted again as well, so that what differs is due to the row.

The objective is not convex. A refit ends in the minimum next to that of the model, where a fit from the start may end
in another one; between two such minima the row would get what chance did.
"""

import reprlib
import warnings
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _check_sample_weight, _num_samples

from proset import arithmetic, fitting
from proset.elimination import Elimination
from proset.leave_one_out import Task, certified, class_sums
from proset.model import Model
from proset.objective import Penalty
from proset.parts import Part, Parts, merged, n_prototypes, parts_of
from proset.tables import require
from proset.training import Training
from proset.validation import checked_count, class_codes

if TYPE_CHECKING:
    import pandas as pd

    from proset.fitted_model import FittedModel


@dataclass(frozen=True)
class Refits:
    """A model as its task and its weights, with all rows or without one.

    Attributes
    ----------
    task : Task
        The first batch's, with all samples as candidates, or those that were drawn.
    penalty : Penalty
    parts : Parts
    has_base : bool
        Whether q_0 is that of a base model, held out, which stays as it is.
    max_prototypes : int, optional
        Where their number is limited: all batches compete for it, and none is fitted without the others.
    max_iter : int
    tol : float
    left_out : int
        Which sample lacks a row, if one does.
    """

    task: Task
    penalty: Penalty
    parts: Parts
    has_base: bool
    max_prototypes: int | None
    max_iter: int
    tol: float
    left_out: int = 0

    @classmethod
    def of(cls, classifier: "FittedModel") -> "Refits":
        """Refits of a classifier; ValueError if it was fitted otherwise, or is not as it was fitted."""
        training = classifier._fitted_to()
        settings = training.parameters
        if settings["references"] == "split":
            raise ValueError("references: 'split' is not allowed for refits, must be 'leave_one_out'")
        scaled = classifier._scaled(training.points)
        task = classifier._task(scaled, training.codes, training.weight, training.copies, training.base)
        fitted = scaled_model(classifier)
        drawn = [task.samples.of_row[batch.candidate_index] for batch in fitted.batches]
        task = replace(task, candidates=np.unique(np.concatenate([np.empty(0, dtype=np.intp), *drawn])))
        penalty = Penalty(classifier.lambda_v_, classifier.lambda_w_, settings["alpha_v"], settings["alpha_w"])
        parts = parts_of(fitted, task.samples)
        is_limited = (classifier.n_prototypes_, len(classifier.active_features_)) != training.size
        n = n_prototypes(parts) if is_limited else None
        return cls(task, penalty, parts, training.base is not None, n, settings["max_iter"], settings["tol"])

    def all(self) -> "Refits":
        """The model with all rows."""
        return self._fitted(self.task, self.parts)

    def without(self, place: int, training: Training) -> "Refits":
        """The model without a row of positive weight, the `place`-th of these."""
        samples, sample = self.task.samples, self.task.samples.of_row[place]
        weights, copies = samples.weight.copy(), samples.copies.copy()
        weights[sample] -= training.weight[place]
        copies[sample] -= training.copies[place]
        task, parts = self.task, self.parts
        if copies[sample] <= 0.0:  # no other row is the same
            weights[sample] = copies[sample] = 0.0
            references, candidates = (rows[rows != sample] for rows in (task.references, task.candidates))
            task = replace(task, references=references, candidates=candidates)
            parts = tuple(_without(part, sample) for part in parts)
        samples = replace(samples, weight=weights, copies=copies)
        q = task.q if self.has_base else np.tile(samples.class_prior(task.q.shape[1]), (len(weights), 1))
        found = self._fitted(replace(task, samples=samples, q=q), parts)
        return replace(found, left_out=sample)

    def predicted(self, X: np.ndarray, base: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
        """Class probabilities of the row left out, (K,), and of scaled samples X, (N, K), whose q_0 is `base`."""
        task, samples = self.task, self.task.samples
        n_classes = task.q.shape[1]
        q = np.concatenate([task.q[self.left_out, None], np.tile(task.q[0], (len(X), 1)) if base is None else base])
        points = np.concatenate([samples.X[self.left_out, None], X])
        for part in self.parts:
            if len(part.w):
                q = q + part.sums_at(points, samples, n_classes, task.n_threads)
        p = q / arithmetic.row_sums(q)[:, None]
        return p[0], p[1:]

    def _fitted(self, task: Task, parts: Parts) -> "Refits":
        if self.max_prototypes is None:
            return replace(self, task=task, parts=tuple(self._in_turn(task, parts)))
        elimination = Elimination(task, self.penalty)
        if n_prototypes(parts) < self.max_prototypes:
            parts = elimination.filled(parts, self.max_prototypes)
            parts = tuple(part if len(part.w) else replace(part, v=0.0 * part.v) for part in parts)
        return replace(self, task=task, parts=elimination.refitted(parts, self.max_iter, self.tol))

    def _in_turn(self, task: Task, parts: Parts) -> Iterator[Part]:
        """Batch after batch, each with all candidates, given the ones before it."""
        n_features, n_classes = task.samples.X.shape[1], task.q.shape[1]
        for part in parts:
            if not len(part.w):
                yield part
                continue
            theta = np.zeros(n_features + len(task.candidates))
            theta[:n_features] = part.v
            theta[n_features + np.searchsorted(task.candidates, part.candidates)] = part.w
            objective = task.objective(self.penalty)
            solution = objective.minimum(self.max_iter, self.tol, theta, path=0)
            solution = certified(objective, solution, self.max_iter, self.tol)
            found = merged(Part.of(solution.x, task.candidates, solution), task.samples)
            yield found
            weights = found.v, found.w
            added = class_sums(task.samples, found.candidates, weights, n_classes, task.n_threads)
            task = replace(task, q=task.q + added)


def _without(part: Part, sample: int) -> Part:
    kept = part.candidates != sample
    return replace(part, candidates=part.candidates[kept], w=part.w[kept])


def scaled_model(classifier: "FittedModel") -> Model:
    """The model as it was fitted: of scaled samples of positive weight, which its rows count."""
    rows, batches = classifier._fitted_to().rows, []
    for batch in classifier.batches_:
        sample_index, candidate_index = (
            np.searchsorted(rows, of) for of in (batch.sample_index, batch.candidate_index)
        )
        v = batch.feature_weights * classifier.scale_
        batches.append(replace(batch, feature_weights=v, sample_index=sample_index, candidate_index=candidate_index))
    return replace(classifier._model, batches=tuple(batches))


def influence(
    classifier: "FittedModel",
    X: npt.ArrayLike | None,
    y: npt.ArrayLike | None,
    sample_weight: npt.ArrayLike | None,
    rows: npt.ArrayLike | None,
    base_probabilities: npt.ArrayLike | None,
) -> "pd.DataFrame":
    """See `proset.ProsetClassifier.influence`."""
    require("pandas", "influence")
    import pandas as pd

    of_X = {"y": y, "sample_weight": sample_weight, "base_probabilities": base_probabilities}
    if X is None and (given := [name for name, value in of_X.items() if value is not None]):
        raise ValueError(f"{given[0]}: not allowed without X")
    _refuse_edited(classifier, "influence")
    training, classes, refits = classifier._fitted_to(), classifier.classes_, Refits.of(classifier).all()
    asked = training.rows if rows is None else _of(rows, training.rows, ", with a positive weight")
    places = np.searchsorted(training.rows, asked).tolist()
    points, base, weight = np.empty((0, classifier.n_features_in_)), None, np.empty(0)
    if X is not None:
        points, base = classifier._validated(X), classifier._base_of(X, base_probabilities)
        weight = _check_sample_weight(sample_weight, points, dtype=np.float64, ensure_non_negative=True)
    codes = None if y is None else class_codes(y, classes, len(points))
    points = classifier._scaled(points) - refits.task.samples.centre

    _, before = refits.predicted(points, base)
    own, moved, loss = np.empty((len(places), len(classes))), np.zeros(len(places)), np.zeros(len(places))
    for i, place in enumerate(places):
        own[i], found = refits.without(place, training).predicted(points, base)
        if X is not None:
            moved[i] = np.average(np.abs(found - before).sum(axis=1) / 2.0, weights=weight)
        if codes is not None:
            loss[i] = np.average(_losses(found, codes) - _losses(before, codes), weights=weight)
    prototypes = classifier._model.prototypes.rows
    columns = {
        "row": training.rows[places],
        "class": classes[training.codes[places]],
        "prototype": np.isin(training.rows[places], prototypes),
        "own probability": own[np.arange(len(places)), training.codes[places]],
    }
    columns |= {} if X is None else {"moved": moved}
    columns |= {} if codes is None else {"loss": loss}
    return pd.DataFrame(columns)


def suspicious_labels(classifier: "FittedModel", top: int | None) -> "pd.DataFrame":
    """See `proset.ProsetClassifier.suspicious_labels`."""
    require("pandas", "suspicious_labels")
    import pandas as pd

    if top is not None:
        checked_count(top)
    _refuse_edited(classifier, "suspicious_labels")
    training, classes, refits = classifier._fitted_to(), classifier.classes_, Refits.of(classifier).all()
    every, nothing = np.arange(len(training.rows)), np.empty((0, classifier.n_features_in_))
    own = np.array([refits.without(place, training).predicted(nothing, None)[0] for place in range(len(every))])
    of_label, others = own[every, training.codes], own.copy()
    others[every, training.codes] = -1.0
    columns = {
        "row": training.rows,
        "class": classes[training.codes],
        "probability": of_label,
        "instead": classes[others.argmax(axis=1)],
        "its probability": others.max(axis=1),
    }
    return pd.DataFrame(columns).sort_values("probability", kind="stable", ignore_index=True).head(top or len(every))


def forget(classifier: "FittedModel", rows: npt.ArrayLike) -> "FittedModel":
    """See `proset.ProsetClassifier.forget`."""
    training = classifier._fitted_to()
    _refuse_edited(classifier, "forget")
    every = np.arange(_num_samples(training.X))
    _refuse_changed(classifier)
    kept = np.setdiff1d(every, _of(rows, every))
    if not len(kept):
        raise ValueError(f"rows: all {len(every)} are not allowed, something has to be left")

    def rest(of_rows: Any) -> Any:
        return _safe_indexing(of_rows, kept) if np.ndim(of_rows) else of_rows

    other: Any = clone(type(classifier)(**training.parameters))
    other.random_state = deepcopy(training.random_state)
    arguments = rest(training.X), rest(training.y), rest(training.sample_weight)
    other.fit(*arguments, base_probabilities=rest(training.base_probabilities), groups=rest(training.groups))
    other.random_state = training.parameters["random_state"]
    other._training = replace(other._training, parameters=training.parameters)
    return other


def _refuse_changed(classifier: "FittedModel") -> None:
    """ValueError if `fit` would see other samples, classes or weights in the arrays that it was given."""
    training = classifier._fitted_to()
    other = clone(type(classifier)(**training.parameters))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what is odd about the table has been said in fit
        data = fitting.prepare(other, training.X, training.y, training.sample_weight)
    now = data.codes, data.weights, data.copies, data.rows
    then = training.codes, training.weight, training.copies, training.rows
    is_same = np.array_equal(data.X, training.points, equal_nan=True)
    if not (is_same and all(np.array_equal(a, b) for a, b in zip(now, then, strict=True))):
        raise ValueError(
            "X, y, sample_weight: they have been changed since fit, which does not copy them; fit the model again"
        )


def _refuse_edited(classifier: "FittedModel", what: str) -> None:
    if classifier._is_edited:
        raise ValueError(f"{what}: not for an edited model, which no fit gives; edit it afterwards")


def _of(rows: npt.ArrayLike, allowed: np.ndarray, which: str = "") -> np.ndarray:
    """Numbers of rows; ValueError if they are none, or not `allowed`, of which `which` says more."""
    numbers = np.atleast_1d(np.asarray(rows, dtype=None if np.size(rows) else int))
    if numbers.ndim != 1 or numbers.dtype.kind not in "iu":
        given = reprlib.repr(np.asarray(rows).tolist())  # a mask is as long as the data
        raise ValueError(f"rows: {given} is not allowed, must be whole numbers, rows of the training data")
    if len(strange := numbers[~np.isin(numbers, allowed)]):
        ends = f"{allowed[0]} to {allowed[-1]}{which}"
        raise ValueError(f"rows: {strange[0]} is not allowed, must be a row of the training data, {ends}")
    return numbers


def _losses(probabilities: np.ndarray, codes: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore"):  # infinite without the only row of a class
        found: np.ndarray = -np.log(probabilities[np.arange(len(codes)), codes])
    return found
