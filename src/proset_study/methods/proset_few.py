"""Proset with leave-one-out references and few prototypes; its path is `proset.elimination.SIZES`.

Penalties are those that `ProsetClassifier` chooses from the data of the fit. Where the penalties leave fewer prototypes
than a size allows, its model has all of them.
"""

from dataclasses import dataclass

from proset.elimination import SIZES
from proset.model import Model
from proset_study.methods.base import Name
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
        return {f"size_{i}_{name}": a for i, model in enumerate(self.path) for name, a in model.arrays().items()}


class ProsetFew(Proset):
    """Few prototypes on the data of one fold; see `methods.base.Method`."""

    label = "proset (few prototypes)"
    place = 31
    names = (Name("size", "size on the path of 1, 2, ..., 10, 12, 15, 20, ... prototypes"),)
    model = FittedFew
    draws = False
    weights = "frequency"
    one_stage = True
    complexity = "size"
    min_complexity = 1
    max_complexity = len(SIZES)
    parameters = {}  # noqa: RUF012
    required: tuple[str, ...] = ()

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
        from proset.classifier import ProsetClassifier

        data = self.data
        fitted = ProsetClassifier(scale=False, max_prototypes=1)  # any number: the path has all sizes
        fitted._fit(data.X, data.y, data.weight)
        sizes = [model.n_prototypes() for model in fitted._sized]
        within = [max([0, *(i for i, n in enumerate(sizes) if n <= size)]) for size in SIZES[:complexity]]
        path = tuple(fitted._sized[i] for i in within)
        return FittedFew(path[-1], path)

    @staticmethod
    def load(arrays):
        models: dict[int, dict] = {}
        for name, array in arrays.items():
            _, size, key = name.split("_", 2)
            models.setdefault(int(size), {})[key] = array
        path = tuple(Model.from_arrays(models[size]) for size in sorted(models))
        return FittedFew(path[-1], path)


METHOD = ProsetFew
