"""The set covering machine: for each class a disjunction of few data-dependent balls, found greedily.

The machine of a class says yes where one of its features is true: inside a ball around a sample of the class, or
outside one around another sample. Radii end half way between samples. The next feature is the one that holds for most
samples of the class that no feature has covered, less `penalty` for each sample of other classes that it is the first
to get wrong; there is none if that is not positive. The path counts features of each class.

The source has two classes. Here, each class has a machine against the rest, and a point gets the class whose machine
says yes or, if that are several or none, that is deepest inside or nearest to it: with the largest signed distance from
the border of a feature.

M. Marchand and J. Shawe-Taylor, The set covering machine, Journal of Machine Learning Research 3 (2002), 723-746.
"""

from dataclasses import dataclass

import numpy as np

from proset_study.data.distances import distances
from proset_study.data.metrics import PRECOMPUTED
from proset_study.data.splits import FoldData
from proset_study.methods.base import Cost, FittedModel, Name, Range
from proset_study.methods.nearest_prototype import NearestPrototype
from proset_study.methods.prototypes import Prototypes

MAX_SAMPLES = 5_000  # all distances are kept in order, with sums along them: 1.2 GB


@dataclass(frozen=True)
class FittedMachine(FittedModel):
    """Features of all classes; see `methods.prototypes.PrototypeModel`."""

    points: np.ndarray  # centres, shape (M, D), as `FoldData.points`
    labels: np.ndarray  # their own classes, of int, shape (M,)
    classes: np.ndarray  # the class whose machine each belongs to: another one if it is true outside the ball
    radius: np.ndarray  # shape (M,)
    step: np.ndarray  # of int, shape (M,): 1 for the first feature of a class, and so on, in increasing order
    majority: int  # class that is predicted without features
    n_classes: int
    n_steps: int
    metric: str  # as `FoldData.metric`

    def staged_predict_proba(self, X):
        depth = np.full((len(X), self.n_classes), -np.inf)
        chosen = np.full(len(X), self.majority)
        inside = self.radius - distances(X, self.points, self.metric)
        for step in range(1, self.n_steps + 1):
            for j in np.flatnonzero(self.step == step):
                k = self.classes[j]
                signed = inside[:, j] if self.labels[j] == k else -inside[:, j]
                depth[:, k] = np.maximum(depth[:, k], signed)
                chosen = depth.argmax(axis=1)
            yield np.eye(self.n_classes)[chosen]

    def staged_summary(self):
        features = 0 if self.metric == PRECOMPUTED else self.points.shape[1]
        balls = np.searchsorted(self.step, np.arange(1, self.n_steps + 1), side="right").tolist()
        return {"active_features": [features] * self.n_steps, "prototypes": balls}

    def prototypes(self):
        return Prototypes.unweighted(self.points, self.labels)


class SetCoveringMachine(NearestPrototype):
    label = "set covering machine"
    place = 26
    names = (Name("balls", "balls of each class"), Name("penalty", number=".2f"))
    cost = Cost(0.05, 1.9e-8, rows=2, trees=1, complexity=1)
    model = FittedMachine
    metrics = "symmetric"
    complexity = "balls"
    parameters = {"penalty": Range(0.0, 1e6)}  # noqa: RUF012
    required = ("penalty",)

    @staticmethod
    def simplicity(parameters):
        return (-parameters["penalty"],)

    def fit(self, parameters, complexity, seed):
        data, found = self.data, []
        if len(data.y) > MAX_SAMPLES:
            raise ValueError(
                f"{len(data.y):,} training samples are not allowed, at most {MAX_SAMPLES:,}: this method needs all"
                " distances"
            )
        balls = Balls.of(data)
        for k in range(data.n_classes):
            features = balls.greedy(data.y == k, parameters["penalty"], complexity)
            found += [(step, k, *ball) for step, ball in enumerate(features, start=1)]
        step, classes, centre, radius = np.array(sorted(found)).reshape(-1, 4).T
        step, classes, centre = (numbers.astype(int) for numbers in (step, classes, centre))
        sizes = int(np.bincount(data.y).argmax()), data.n_classes, complexity
        return FittedMachine(data.points[centre], data.y[centre], classes, radius, step, *sizes, data.metric)


@dataclass(frozen=True)
class Balls:
    """All balls around samples whose borders are half way between samples."""

    order: np.ndarray  # samples by distance from the one of the row, of int, shape (n, n)
    sorted: np.ndarray  # their distances, shape (n, n)

    @classmethod
    def of(cls, data: FoldData) -> "Balls":
        """The balls of the samples to fit."""
        between = distances(data.X, data.points, data.metric)
        order = np.argsort(between, axis=1, kind="stable").astype(np.int32)
        return cls(order, np.take_along_axis(between, order, axis=1))

    def greedy(self, positive: np.ndarray, penalty: float, most: int) -> list[tuple[int, float]]:
        """Centres and radii of the features of one machine, in order of choice.

        `positive`, shape (n,), are the samples of the class; `penalty` is >= 0.

        On a line, two groups of the class with two other samples between them:

        >>> x = np.array([0.0, 1.0, 4.0, 5.0, 8.0, 9.0])
        >>> between = np.abs(x[:, None] - x)
        >>> order = np.argsort(between, axis=1, kind="stable")
        >>> balls = Balls(order, np.take_along_axis(between, order, axis=1))
        >>> balls.greedy(np.array([True, True, False, False, True, True]), penalty=1.0, most=5)
        [(2, 2.0)]

        which is: at least 2 from the sample at 4. For the two in between, one ball:

        >>> balls.greedy(np.array([False, False, True, True, False, False]), penalty=1.0, most=5)
        [(2, 2.0)]
        """
        value = np.where(positive, 1.0, -penalty)
        ends = self.sorted[:, :-1] < self.sorted[:, 1:]
        found: list[tuple[int, float]] = []
        while len(found) < most:
            inside = np.where(ends, np.cumsum(value[self.order], axis=1)[:, :-1], np.nan)
            use = np.where(positive[:, None], inside, value.sum() - inside)
            if not np.nanmax(use, initial=0.0) > 0:
                break
            centre, last = np.unravel_index(np.nanargmax(use), use.shape)
            there = np.zeros(len(value), dtype=bool)
            there[self.order[centre, : last + 1]] = True
            value[there if positive[centre] else ~there] = 0.0
            found.append((int(centre), float(self.sorted[centre, last : last + 2].mean())))
        return found
