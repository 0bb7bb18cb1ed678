"""Proset with leave-one-out references and few prototypes; its path is `proset.elimination.SIZES`.

Penalties are those that `ProsetClassifier` chooses from the data of the fit. Where the penalties leave fewer prototypes
than a size allows, its model has all of them. Categories and missing values count as they do there, see
`proset.columns`.
"""

from dataclasses import dataclass

import numpy as np

from proset import leave_one_out
from proset.columns import Columns
from proset.defaults import ALPHA, N_CANDIDATES
from proset.elimination import SIZES, Settings, eliminate
from proset.leave_one_out import Samples, Task
from proset.model import Model
from proset.objective import Penalty
from proset.penalty_path import choose, folds, minimum
from proset.size_choice import cross_validate
from proset.solver import MAX_ITER, TOL
from proset_study.data.splits import FoldData
from proset_study.methods.base import Name, with_prefix, without_prefix
from proset_study.methods.proset import FittedProset, Proset


@dataclass(frozen=True)
class FittedFew(FittedProset):
    """Models by increasing size, the last one of which is `model`; see `methods.weighted.WeightedPrototypeModel`."""

    path: tuple[Model, ...]

    def staged_predict_proba(self, X):
        for model in self.path:
            *_, found = model.staged_predict_proba(X)
            yield found

    def staged_summary(self):
        return {
            "active_features": [len(model.active_features()) for model in self.path],
            "prototypes": [model.n_prototypes() for model in self.path],
        }

    def arrays(self):
        parts = [with_prefix(f"size_{i}_", model.arrays()) for i, model in enumerate(self.path)]
        return {name: array for part in parts for name, array in part.items()}

    @classmethod
    def load(cls, arrays):
        path: list[Model] = []
        while part := without_prefix(f"size_{len(path)}_", arrays):
            path.append(Model.from_arrays(part))
        return cls(path[-1], tuple(path))


class ProsetFew(Proset):
    label = "proset (few prototypes)"
    place = 6
    names = (Name("size", "size on the path of 1, 2, ..., 10, 12, 15, 20, ... prototypes"),)
    model = FittedFew
    weights = "frequency"
    takes_mixed = True
    one_stage = True
    complexity = "size"
    min_complexity = 1
    max_complexity = len(SIZES)
    parameters = {}  # noqa: RUF012
    required = ()

    @staticmethod
    def simplicity(parameters):
        return ()

    @staticmethod
    def cost(size, stage, fitted, scored):
        return 0.05 + 5e-4 * min(fitted, 5000) * (1 + size.features / 20)

    @staticmethod
    def references(n_fit, candidates):
        return n_fit

    def fit(self, parameters, complexity, seed):
        path, _ = path_of_sizes(self.data, seed)
        sizes = [model.n_prototypes() for model in path]
        within = [max([0, *(i for i, n in enumerate(sizes) if n <= size)]) for size in SIZES[:complexity]]
        return FittedFew(path[within[-1]], tuple(path[i] for i in within))


def path_of_sizes(
    data: FoldData, seed: np.random.SeedSequence, base: np.ndarray | None = None
) -> tuple[list[Model], int]:
    """Models by increasing number of prototypes, as `ProsetClassifier` has them, and the place of the one it chooses.

    `base`, shape (n, K), is q_0 of a base model. Without one the choice, which takes as long again, is left to the
    study, and the place is the last.
    """
    X, y, n_classes = data.X, data.y, data.n_classes
    weight = np.ones(len(y)) if data.weight is None else data.weight
    copies, columns = leave_one_out.copies_of(weight), _columns(data, weight)
    task = Task.of(Samples.of(X, y, weight, copies, columns), n_classes, base=base)
    parts = list(folds(task, ALPHA, ALPHA))
    pair = choose(parts).pair or (np.inf, np.inf)
    penalty = Penalty(*pair, ALPHA, ALPHA)
    fitted = leave_one_out.fit(
        *(X, y, n_classes),
        n_batches=1,
        n_candidates=N_CANDIDATES["leave_one_out"],
        penalty=penalty,
        max_iter=MAX_ITER,
        tol=TOL,
        seed=seed,
        sample_weight=weight,
        copies=copies,
        minimum=minimum,
        base=base,
        columns=columns,
    )
    n = None
    if base is not None and fitted.n_prototypes():
        (sizes,) = cross_validate(parts, pair, 1)
        n = sizes.chosen("one_standard_error")
    settings = Settings(penalty, MAX_ITER, TOL, None, () if n is None else (n,))
    path = [one.model for one in eliminate(fitted, X, y, task, settings)]
    return path, max(i for i, model in enumerate(path) if n is None or model.n_prototypes() <= n)


def _columns(data: FoldData, weight: np.ndarray) -> Columns | None:
    """How the values of columns compare; None where all are numbers.

    Numbers have been divided by their standard deviations, of categories the distance is divided by it.
    """
    if data.levels is None:
        return None
    columns = Columns.of(data.X, data.levels, weight)
    return columns.divided(np.where(data.levels > 0, columns.spread, 1.0))
