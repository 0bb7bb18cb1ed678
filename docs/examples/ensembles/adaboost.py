"""
AdaBoost by hand: weights of rules, margins, noise in the labels
================================================================

Discrete AdaBoost with stumps (Freund and Schapire 1997), classes -1 and 1. Each round fits a stump to weighted samples,
gives it the weight alpha = log((1 - e) / e) / 2 with e its weighted error, and makes the samples that it gets wrong
heavier. A stump with e = 1/2 has alpha = 0 and changes nothing; one with e = 0 has infinite alpha and is the answer by
itself; one with e > 1/2 counts with the opposite sign.

Three panels, three questions. Does the test error rise when the training error is long 0? What grows in the meantime:
the margins ``y F(x) / sum |alpha|``, from -1 (wrong, and sure of it) to 1. And what becomes of it if labels are wrong?
Those samples get the largest weights, so that AdaBoost finds them, but also learns them.

Every round lowers the exponential loss, the mean of ``exp(-y F(x))``, by the factor ``2 sqrt(e (1 - e))``, which is as
much as its stump allows. The error is never above that loss.

The second figure has the rounds themselves, on ten points: each stump is a half-plane, and the area of a point is its
weight before the round. None of the three is right everywhere, their weighted vote is.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf, log

import matplotlib.pyplot as plt
import numpy as np
from sklearn.tree import DecisionTreeClassifier


@dataclass(frozen=True)
class Boosted:
    """Weak rules with their weights, and the weights of the samples after the last round."""

    stumps: list
    alphas: np.ndarray
    weights: np.ndarray

    def staged_score(self, X: np.ndarray) -> Iterator[np.ndarray]:
        """F(x) after each round; its sign is the class."""
        total = np.zeros(len(X))
        for stump, alpha in zip(self.stumps, self.alphas, strict=True):
            total = total + alpha * stump.predict(X)
            yield total

    def margins(self, X: np.ndarray, y: np.ndarray) -> np.ndarray:
        """y F(x) / sum |alpha|."""
        *_, total = self.staged_score(X)
        return y * total / np.abs(self.alphas).sum()


def alpha_of(error: float) -> float:
    """Weight of a rule with a weighted error from 0 to 1: infinite for 0, nothing for 1/2."""
    if error in (0.0, 1.0):
        return inf if error == 0.0 else -inf
    return log((1 - error) / error) / 2


def boost(X: np.ndarray, y: np.ndarray, rounds: int, depth: int = 1) -> Boosted:
    """AdaBoost.

    Parameters
    ----------
    X : ndarray, shape (N, D)
    y : ndarray of -1 and 1, shape (N,)
    rounds : int >= 1
        It ends before if a rule makes no error, which then is all there is, or is no better than chance.
    depth : int >= 1
        Of the trees; 1 is a stump.
    """
    weights, stumps, alphas = np.full(len(y), 1 / len(y)), [], []
    for _ in range(rounds):
        stump = DecisionTreeClassifier(max_depth=depth, random_state=0).fit(X, y, sample_weight=weights)
        right = y * stump.predict(X)
        error = float(weights[right < 0].sum())
        if error == 0.0:
            return Boosted([stump], np.ones(1), weights)  # of infinite weight, so that no other counts
        if error >= 0.5 - 1e-12:  # no rule of this kind is of any more use
            break
        alpha = alpha_of(error)
        stumps.append(stump)
        alphas.append(alpha)
        weights = weights * np.exp(-alpha * right)
        weights /= weights.sum()
    return Boosted(stumps, np.array(alphas), weights)


def rings(n_samples: int, rng: np.random.Generator, noise: float = 0.0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Ten normal features; class 1 outside of a sphere that has half of them, classes flipped with probability `noise`.

    The example of Hastie, Tibshirani and Friedman (2009), section 10.1. The last array tells which labels are flipped.
    """
    X = rng.normal(size=(n_samples, 10))
    flipped = rng.random(n_samples) < noise
    y = np.where((X**2).sum(axis=1) > 9.34, 1, -1)
    return X, np.where(flipped, -y, y), flipped


def errors(model: Boosted, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Error rate after each round."""
    return np.array([np.mean(y * score <= 0) for score in model.staged_score(X)])


def exponential_loss(model: Boosted, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Mean of exp(-y F(x)) after each round."""
    return np.array([np.mean(np.exp(-y * score)) for score in model.staged_score(X)])


def draw_rounds(axes: np.ndarray, X: np.ndarray, y: np.ndarray) -> None:
    """A panel for the half-plane of each round, with the weights before it, and one for the vote of all rounds."""
    sides = np.linspace(0, 10, 201)
    points = np.column_stack([axis.ravel() for axis in np.meshgrid(sides, sides)])
    rounds = len(axes) - 1
    model = boost(X, y, rounds)
    *_, vote = model.staged_score(points)
    regions = [*(stump.predict(points) for stump in model.stumps), np.sign(vote)]
    for number, (panel, region) in enumerate(zip(axes, regions, strict=True)):
        is_vote = number == rounds
        weights = np.full(len(y), 1 / len(y)) if is_vote else boost(X, y, number).weights
        panel.contourf(sides, sides, region.reshape(201, 201), levels=[-2, 0, 2], colors=["C1", "C0"], alpha=0.25)
        for label, marker, colour in ((1, "P", "C0"), (-1, "o", "C1")):
            own = y == label
            panel.scatter(*X[own].T, s=900 * weights[own], marker=marker, color=colour, edgecolor="black")
        title = "weighted vote" if is_vote else f"round {number + 1}: alpha = {model.alphas[number]:.2f}"
        panel.set(title=title, xlim=(0, 10), ylim=(0, 10), xticks=[], yticks=[], aspect="equal")


def flipped_among_heaviest(model: Boosted, flipped: np.ndarray) -> float:
    """Share of flipped labels among as many samples of the largest weight as there are flipped ones."""
    heaviest = np.argsort(-model.weights, kind="stable")[: flipped.sum()]
    return float(flipped[heaviest].mean())


TEN_POINTS = np.array(
    [
        *([6.5, 7.5], [7.5, 2.5], [9.5, 1.5], [0.5, 9.5], [1.5, 3.5]),  # of class 1
        *([3.5, 5.5], [5.5, 4.5], [8.5, 0.5], [4.5, 6.5], [2.5, 8.5]),
    ]
)
TEN_CLASSES = np.repeat([1, -1], 5)

if __name__ == "__main__":
    rng = np.random.default_rng(0)
    X_test, y_test, _ = rings(2000, rng)
    X, y, _ = rings(200, rng)
    model = boost(X, y, 1000)
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(11, 3.6), layout="constrained")
    for (points, labels), name in (((X, y), "training"), ((X_test, y_test), "test")):
        left.plot(np.arange(1, 1001), errors(model, points, labels), label=f"{name} error")
    loss = exponential_loss(model, X, y)
    left.plot(np.arange(1, 1001), loss, color="C0", linestyle="--", label="exponential loss, training")
    left.set(xscale="log", xlabel="rounds", ylabel="error rate, loss", title="Training error 0 is not the end")
    left.set_ylim(top=1.45)  # room for the legend
    left.legend()
    after = errors(model, X_test, y_test)
    zero = int(np.flatnonzero(errors(model, X, y) == 0)[0]) + 1
    print(f"training error 0 after {zero} rounds; test error {after[zero - 1]:.3f} then, {after[-1]:.3f} after 1,000")
    print(
        f"exponential loss {loss[0]:.3f} after one round, {loss[zero - 1]:.3f} after {zero}, {loss[-1]:.1e} after 1,000"
    )
    for rounds in (20, zero, 1000):
        shown = Boosted(model.stumps[:rounds], model.alphas[:rounds], model.weights)
        middle.plot(np.sort(shown.margins(X, y)), np.linspace(0, 1, len(y)), label=f"{rounds} rounds")
        print(f"{rounds} rounds: smallest margin {shown.margins(X, y).min():+.3f}")
    middle.set(xlabel="margin of training samples", ylabel="proportion below", title="Margins go on growing")
    middle.legend()
    levels = (0.0, 0.1, 0.2, 0.3)
    for depth in (1, 4):
        final = []
        for noise in levels:
            X, y, flipped = rings(500, np.random.default_rng(1), noise)
            model = boost(X, y, 200, depth)
            final.append(errors(model, X_test, y_test)[-1])
            if noise and depth == 1:
                share = flipped_among_heaviest(model, flipped)
                print(f"{noise:.0%} of labels flipped: {share:.0%} of as many samples of the largest weights are")
        right.plot(levels, final, marker="o", label="stumps" if depth == 1 else f"trees of depth {depth}")
        print(f"trees of depth {depth}: test error", " ".join(f"{value:.3f}" for value in final))
    right.set(xlabel="proportion of flipped labels", ylabel="test error, labels right", title="Noise is learned")
    right.set_ylim(bottom=0)
    right.legend()
    figure, axes = plt.subplots(1, 4, figsize=(11, 3), layout="constrained")
    draw_rounds(axes, TEN_POINTS, TEN_CLASSES)
    print("ten points, errors after each round:", *errors(boost(TEN_POINTS, TEN_CLASSES, 3), TEN_POINTS, TEN_CLASSES))
    plt.show()
