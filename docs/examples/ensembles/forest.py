"""
Why averages of trees work
==========================

The variance of a mean of B predictions, each of variance s2, any two with correlation r, is r s2 + (1 - r) s2 / B: more
trees remove the second part and only that, which is why forests draw the features of each split at random, to lower r.
Measured here over training sets drawn anew, next to the formula.

What comes with a forest without another fit: the out-of-bag error, of every sample by the trees whose bootstrap sample
lacks it, which is an estimate of the test error; and the importance of features, by the impurity that their splits
remove or by how much worse the forest is when a column is permuted. Of the 20 features here 15 have no influence: the
impurity of the training set gives some to them all the same, as every split removes some, the permutation of a test set
does not.

The last part is the vote of Hastie, Tibshirani and Friedman (2009, figure 8.11): 50 voters, four candidates, and only
15 who know something. The majority is right far more often than one of them.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import binom
from sklearn.ensemble import RandomForestClassifier
from sklearn.inspection import permutation_importance

RELEVANT, FEATURES = 5, 20


def samples(n_samples: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Features of which the first five decide, a tenth of the labels wrong."""
    X = rng.normal(size=(n_samples, FEATURES))
    y = (X[:, 0] * X[:, 1] + X[:, 2:RELEVANT].sum(axis=1) > 0) ^ (rng.random(n_samples) < 0.1)
    return X, y.astype(int)


def variances(max_features: int | str, n_sets: int = 12, n_trees: int = 20, n_samples: int = 200) -> dict[str, float]:
    """Variance of one tree and of the forest, correlation of two trees, and what the formula makes of them.

    Means over test points of what varies with training set and trees together.
    """
    X_test, _ = samples(300, np.random.default_rng(0))
    trees = []
    for number in range(n_sets):
        X, y = samples(n_samples, np.random.default_rng([1, number]))
        forest = RandomForestClassifier(n_trees, max_features=max_features, random_state=number).fit(X, y)
        trees.append([tree.predict_proba(X_test)[:, 1] for tree in forest.estimators_])
    predicted = np.array(trees)  # sets, trees, points
    single = predicted.var(axis=(0, 1)).mean()
    total = predicted.mean(axis=1).var(axis=0, ddof=1).mean()
    # of two different trees of one training set: all pairs less those of a tree with itself
    deviation = predicted - predicted.mean(axis=(0, 1))
    pairs = (deviation.sum(axis=1) ** 2 - (deviation**2).sum(axis=1)) / (n_trees * (n_trees - 1))
    correlation = float(pairs.mean() * n_sets / (n_sets - 1) / single)
    return {
        "tree": float(single),
        "correlation": correlation,
        "forest": float(total),
        "formula": float(single * (correlation + (1 - correlation) / n_trees)),
    }


def consensus(knowledge: float, simulations: int, rng: np.random.Generator) -> tuple[float, float]:
    """How many of ten categories a majority of 50 decides rightly, and one of the 15 who know something, on average.

    Parameters
    ----------
    knowledge : float in [0.25, 1]
        With which probability one of the 15 votes for the right one of four candidates; the others guess.
    """
    right = 0
    for _ in range(simulations * 10):
        informed = rng.random(15) < knowledge
        wrong = rng.multinomial(15 - informed.sum(), [1 / 3] * 3)
        votes = np.append(informed.sum(), wrong) + rng.multinomial(35, [1 / 4] * 4)
        best = np.flatnonzero(votes == votes.max())
        right += (0 in best) / len(best)  # lots are drawn
    return right / simulations, 10 * knowledge


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    (X, y), (X_test, y_test) = samples(500, rng), samples(1000, rng)
    forest = RandomForestClassifier(500, max_features="sqrt", oob_score=True, random_state=0).fit(X, y)
    votes = np.mean([tree.predict(X_test) for tree in forest.estimators_], axis=0) > 0.5
    print(f"500 trees, sqrt(D) features a split: out-of-bag error {1 - forest.oob_score_:.3f},")
    print(f"  test error {np.mean(forest.predict(X_test) != y_test):.3f} by mean probability, ", end="")
    print(f"{np.mean(votes != y_test):.3f} by majority vote")
    for max_features in (FEATURES, "sqrt", 1):
        found = variances(max_features)
        print(f"features a split {max_features}:", ", ".join(f"{name} {value:.3f}" for name, value in found.items()))
    permuted = permutation_importance(forest, X_test, y_test, n_repeats=2, random_state=0).importances_mean
    by_impurity = forest.feature_importances_
    print(f"importance of the 15 irrelevant features: {by_impurity[RELEVANT:].sum():.0%} of all impurity,")
    print(f"  {permuted[RELEVANT:].sum() / permuted.sum():.0%} of all that permutations cost")
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(11, 3.6), layout="constrained")
    for values, label in ((by_impurity, "impurity"), (permuted, "permutation (test)")):
        left.plot(values / values.sum(), "o", label=label)
    left.axvline(RELEVANT - 0.5, color="0.6", linestyle="--")
    left.set(xlabel="feature, the first five are relevant", ylabel="proportion", title="Importance of features")
    left.legend()
    numbers = np.arange(1, 202, 10)
    for wrong in (0.4, 0.45, 0.49):
        middle.plot(numbers, binom.sf(numbers // 2, numbers, wrong), label=f"each is wrong with {wrong:g}")
    middle.set(xlabel="independent voters", ylabel="the majority is wrong", title="Condorcet", ylim=(0, None))
    middle.legend()
    levels = np.linspace(0.25, 1, 7)
    decided = np.array([consensus(level, 50, rng) for level in levels])
    right.plot(levels, decided[:, 0], marker="o", label="majority of 50")
    right.plot(levels, decided[:, 1], label="one of the 15")
    right.set(xlabel="probability of an informed vote being right", ylabel="right decisions of ten", title="A vote")
    right.legend()
    half = consensus(0.5, 200, rng)
    print(f"informed votes right with 0.5: majority {half[0]:.1f} of ten, one of them {half[1]:.1f}")
    plt.show()
