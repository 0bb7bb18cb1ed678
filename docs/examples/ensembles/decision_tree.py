"""
A decision tree by hand: information gain, rules, pruning
=========================================================

The table of T. M. Mitchell, Machine Learning (1997): on which days was tennis played? A node of the tree asks for one
attribute and has a branch for each of its values (Quinlan's ID3). Which attribute is best says the information gain,
the mean number of bits by which the answer narrows down the class; the gain ratio (C4.5) divides it by the bits of the
answer itself, since an attribute with many values narrows down anything.

The second part grows a tree on data with noise, once more than is good for it, and cuts it back: reduced-error pruning
replaces the node by a leaf whose removal helps most on validation data, as long as it does not harm. A test of
significance that stops the growth is the alternative. Attributes at random, or those with the fewest or the most
values, are the baselines: they do not look at the class.

scikit-learn's trees have binary splits of numbers; these have branches for categories, and need forty lines. The last
panel is scikit-learn's: cost-complexity pruning, which takes away the branch that saves least error a leaf and leaves a
path of trees, from which cross-validation chooses.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import chi2_contingency
from scipy.stats import entropy as shannon
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier

TENNIS = """\
sunny hot high weak no
sunny hot high strong no
overcast hot high weak yes
rain mild high weak yes
rain cool normal weak yes
rain cool normal strong no
overcast cool normal strong yes
sunny mild high weak no
sunny cool normal weak yes
rain mild normal weak yes
sunny mild normal strong yes
overcast mild high strong yes
overcast hot normal weak yes
rain mild high strong no"""
NAMES = ("outlook", "temperature", "humidity", "wind")


@dataclass
class Node:
    """A node with the counts of the classes that reach it; a leaf has no feature."""

    counts: Counter
    feature: int | None = None
    children: dict[str, "Node"] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """The most frequent class, of several the first in the alphabet."""
        return min(self.counts, key=lambda name: (-self.counts[name], name))

    def nodes(self) -> Iterator["Node"]:
        """This node and all below."""
        yield self
        for child in self.children.values():
            yield from child.nodes()

    def leaves(self) -> int:
        """Number of leaves."""
        return sum(not node.children for node in self.nodes())

    def predict(self, row: np.ndarray) -> str:
        """Class of one sample; a value that was never seen ends the way."""
        child = self.children.get(row[self.feature]) if self.children else None
        return self.label if child is None else child.predict(row)


def entropy(y: np.ndarray) -> float:
    """Bits that the class of a sample is worth."""
    return float(shannon(np.unique(y, return_counts=True)[1], base=2))


def gini(y: np.ndarray) -> float:
    """Probability that two samples, drawn with replacement, are of different classes."""
    proportions = np.unique(y, return_counts=True)[1] / len(y)
    return float(1 - (proportions**2).sum())


def gain(x: np.ndarray, y: np.ndarray, impurity: Callable = entropy) -> float:
    """By how much a split lowers the mean impurity."""
    return impurity(y) - sum((x == value).mean() * impurity(y[x == value]) for value in np.unique(x))


def gain_ratio(x: np.ndarray, y: np.ndarray) -> float:
    """Information gain by the entropy of the answer."""
    return gain(x, y) / bits if (bits := entropy(x)) else 0.0


def by_values(sign: int, rng: np.random.Generator) -> Callable[[np.ndarray, np.ndarray], float]:
    """A score that asks for the attribute with the most values (1) or the fewest (-1), or any (0); ties at random."""
    return lambda x, y: sign * len(np.unique(x)) + rng.random()


def grow(
    X: np.ndarray, y: np.ndarray, score: Callable, level: float = 1.0, features: tuple[int, ...] | None = None
) -> Node:
    """Grow a tree on categories.

    Parameters
    ----------
    X : ndarray of str, shape (N, D)
    y : ndarray of str, shape (N,)
    score : callable
        Of a feature and the classes; the feature of the largest one is asked for.
    level : float
        Stop where the best feature is independent of the class with a p above this (chi-squared test).
    features : tuple of int, optional
        Which may be asked for, by default all. None is asked for twice on one way.
    """
    node, free = Node(Counter(y.tolist())), range(X.shape[1]) if features is None else features
    split = [j for j in free if len(np.unique(X[:, j])) > 1]
    if len(node.counts) == 1 or not split:
        return node
    best = max(split, key=lambda j: score(X[:, j], y))
    if level < 1.0:
        table = [[((X[:, best] == v) & (y == k)).sum() for k in node.counts] for v in np.unique(X[:, best])]
        if chi2_contingency(table, correction=False).pvalue > level:
            return node
    node.feature = best
    for value in np.unique(X[:, best]):
        rows = X[:, best] == value
        node.children[str(value)] = grow(X[rows], y[rows], score, level, tuple(j for j in free if j != best))
    return node


def rules(node: Node, names: tuple[str, ...], way: tuple[str, ...] = ()) -> list[str]:
    """The tree as rules, one a leaf."""
    if not node.children:
        condition = " and ".join(way) or "always"
        return [f"if {condition}: {node.label} ({node.counts[node.label]} of {node.counts.total()})"]
    ways = ((child, (*way, f"{names[node.feature]} = {value}")) for value, child in node.children.items())
    return [rule for child, longer in ways for rule in rules(child, names, longer)]


def error(tree: Node, X: np.ndarray, y: np.ndarray) -> float:
    """Error rate."""
    return float(np.mean([tree.predict(row) != label for row, label in zip(X, y, strict=True)]))


def prune(tree: Node, X: np.ndarray, y: np.ndarray) -> Iterator[Node]:
    """Reduced-error pruning down to the root: the tree itself, and again after each node that becomes a leaf.

    The next one is that whose removal leaves the smallest error on the validation data X, y; of several the largest.
    The tree is changed in place.
    """
    yield tree
    while tree.children:
        errors = {}
        for i, node in enumerate(tree.nodes()):
            if node.children:
                kept, node.children = node.children, {}
                errors[i] = error(tree, X, y)
                node.children = kept
        list(tree.nodes())[min(errors, key=lambda i: (errors[i], i))].children = {}
        yield tree


def cost_complexity(
    train: tuple[np.ndarray, np.ndarray], test: tuple[np.ndarray, np.ndarray]
) -> tuple[list[int], list[float], int]:
    """Leaves and test error of each tree on the path, the full one first, and which of them ten folds choose."""
    path = DecisionTreeClassifier(random_state=0).cost_complexity_pruning_path(*train)
    alphas = np.maximum(path.ccp_alphas, 0.0)
    trees = [DecisionTreeClassifier(ccp_alpha=alpha, random_state=0).fit(*train) for alpha in alphas]
    search = GridSearchCV(DecisionTreeClassifier(random_state=0), {"ccp_alpha": alphas}, cv=10).fit(*train)
    return [tree.get_n_leaves() for tree in trees], [1 - tree.score(*test) for tree in trees], search.best_index_


def draw(node: Node, names: tuple[str, ...], axes: plt.Axes, left: float = 0.0, depth: int = 0) -> float:
    """Draw a tree, leaves side by side from `left` on; returns the place of its root."""
    if not node.children:
        x = left + 0.5
        text = f"{node.label}\n{node.counts.total()}"
    else:
        places = []
        for value, child in node.children.items():
            places.append((draw(child, names, axes, left, depth + 1), value))
            left += child.leaves()
        x = float(np.mean([place for place, _ in places]))
        for place, value in places:
            axes.plot([x, place], [-depth, -depth - 1], color="0.6", zorder=0)
            axes.text((x + place) / 2, -depth - 0.5, value, ha="center", fontsize=8, color="0.3")
        text = names[node.feature]
    axes.text(x, -depth, text, ha="center", va="center", bbox={"boxstyle": "round", "facecolor": "white"})
    return x


def noisy_data(n_samples: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Seven features of three values; the class follows from three of them, and is wrong in a fifth of the cases."""
    X = rng.integers(3, size=(n_samples, 7))
    y = ((X[:, 0] == 0) | ((X[:, 1] == 1) & (X[:, 2] > 0))) ^ (rng.random(n_samples) < 0.2)
    return X.astype(str), np.where(y, "yes", "no")


def with_useless(X: np.ndarray, y: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Two more features, of two and of ten values, that say nothing of the class."""
    useless = [rng.integers(values, size=len(y)).astype(str) for values in (2, 10)]
    return np.column_stack([X, *useless]), y


if __name__ == "__main__":
    table = np.array([line.split() for line in TENNIS.splitlines()])
    X, y = table[:, :-1], table[:, -1]
    for j, name in enumerate(NAMES):
        print(
            f"{name}: gain {gain(X[:, j], y):.3f} bits, gain ratio {gain_ratio(X[:, j], y):.3f},"
            f" decrease of the Gini impurity {gain(X[:, j], y, gini):.3f}"
        )
    tennis = grow(X, y, gain)
    print(*rules(tennis, NAMES), sep="\n")
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(12, 4), width_ratios=(3, 2, 2), layout="constrained")
    draw(tennis, NAMES, left)
    left.set(title="When was tennis played?", xlim=(0, tennis.leaves()), ylim=(-2.4, 0.4))
    left.axis("off")
    rng = np.random.default_rng(0)
    train, validation, test = (noisy_data(n, rng) for n in (300, 200, 2000))
    measured = [
        (tree.leaves(), error(tree, *train), error(tree, *validation), error(tree, *test))
        for tree in prune(grow(*train, gain), *validation)
    ]
    leaves, *curves = zip(*measured, strict=True)
    for values, label in zip(curves, ("training", "validation", "test"), strict=True):
        middle.plot(leaves, values, label=label)
    chosen = min(range(len(leaves)), key=lambda i: (curves[1][i], leaves[i]))
    middle.axvline(leaves[chosen], color="0.6", linestyle="--", label="pruned tree")
    middle.set(xlabel="leaves", ylabel="error rate", xscale="log", title="Reduced-error pruning")
    middle.legend()
    print(f"grown: {leaves[0]} leaves, test error {curves[2][0]:.3f}")
    print(f"pruned: {leaves[chosen]} leaves, test error {curves[2][chosen]:.3f}")
    for label, tree in {
        "stopped by a test of significance, level 0.01": grow(*train, gain, level=0.01),
        "gain ratio": grow(*train, gain_ratio),
        "Gini": grow(*train, lambda x, y: gain(x, y, gini)),
    }.items():
        print(f"{label}: {tree.leaves()} leaves, test error {error(tree, *test):.3f}")
    print("with an attribute of two and one of ten values that say nothing:")
    longer_train, longer_test = (with_useless(*part, rng) for part in (train, test))
    for label, score in {
        "largest gain": gain,
        "gain ratio": gain_ratio,
        "fewest values": by_values(-1, rng),
        "most values": by_values(1, rng),
        "at random": by_values(0, rng),
    }.items():
        tree = grow(*longer_train, score)
        print(f"  {label}: {tree.leaves()} leaves, test error {error(tree, *longer_test):.3f}")
    sizes, errors, best = cost_complexity(*((X.astype(float), y) for X, y in (train, test)))
    right.plot(sizes, errors)
    right.axvline(sizes[best], color="0.6", linestyle="--", label="chosen by 10 folds")
    right.set(xlabel="leaves", ylabel="test error rate", xscale="log", title="Cost-complexity pruning, binary splits")
    right.legend()
    print(
        f"cost-complexity pruning: {sizes[best]} of {sizes[0]} leaves, test error {errors[best]:.3f} ({errors[0]:.3f})"
    )
    plt.show()
