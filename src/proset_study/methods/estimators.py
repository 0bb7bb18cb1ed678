"""A method made of a classifier with scikit-learn's interface: its own file says what the study cannot know.

Final models are stored by skops: as arrays and a description from which objects of known classes are made, and of the
others that the method lists in `trusted`. Nothing in a file is executed.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, fields
from io import BytesIO
from typing import Any, ClassVar
from zipfile import ZipFile, ZipInfo

import numpy as np

from proset_study.data.splits import FoldData
from proset_study.methods.base import Fitted, FittedModel, Method


@dataclass(frozen=True)
class FittedEstimator(FittedModel):
    method: type["EstimatorMethod"]  # that fitted it
    estimator: object  # its classes are 0..K-1
    complexity: int  # on the path; where the classifier stopped before, the rest of the path is as its end

    def staged_predict_proba(self, X):
        left = self.complexity
        for p in self.method.staged(self.estimator, X):
            yield p
            left -= 1
        for _ in range(left):
            yield p

    def staged_summary(self):
        measures = self.method.measures(self.estimator)
        return {name: values + values[-1:] * (self.complexity - len(values)) for name, values in measures.items()}

    def arrays(self):
        numbers = {field.name: np.asarray(getattr(self, field.name)) for field in fields(self)[2:]}
        return {"estimator": pack(self.estimator), **numbers}


class EstimatorMethod(Method):
    """A classifier on the data of one fold; see `methods.base.Method`.

    A method inherits from this class, gives `estimator`, and replaces what is different from here: at least
    `parameters` and `simplicity` if there is something to search; `complexity`, `staged` and `measures` if there is a
    path.
    """

    model: ClassVar[type[Fitted]] = FittedEstimator
    trusted: ClassVar[tuple[str, ...]] = ()  # full names of classes in a stored model that skops does not know

    def __init__(self, data: FoldData):
        super().__init__(data)
        # It imports the library, so that this is no part of a fit's time.
        self.estimator({name: allowed.low for name, allowed in self.parameters.items()}, 1, 0)

    @staticmethod
    def estimator(parameters: dict[str, float], complexity: int, seed: int) -> Any:
        """The classifier to fit, its random numbers seeded, on one thread; imports of libraries belong in here."""
        raise NotImplementedError

    @classmethod
    def staged(cls, estimator, X: np.ndarray) -> Iterator[np.ndarray]:
        """Class probabilities for every size on the path, shape (N, K); here for a path of length 1."""
        yield estimator.predict_proba(X) if cls.probabilistic else np.eye(len(estimator.classes_))[estimator.predict(X)]

    @staticmethod
    def measures(estimator) -> dict[str, list]:
        """`quantities` and more for every size on the path, as JSON values."""
        return {"active_features": [estimator.n_features_in_]}

    def of_data(self, estimator: Any) -> Any:
        """The classifier, told which columns are categories; for methods that take them as they are."""
        return estimator

    def fit(self, parameters, complexity, seed):
        estimator = self.of_data(self.estimator(parameters, complexity, int(seed.generate_state(1)[0])))
        weight = {} if self.data.weight is None else {"sample_weight": self.data.weight}
        return FittedEstimator(type(self), estimator.fit(self.data.X, self.data.y, **weight), complexity)

    @classmethod
    def load(cls, arrays):
        return FittedEstimator(cls, unpack(arrays["estimator"], cls.trusted), int(arrays["complexity"]))


class TreeEnsemble(EstimatorMethod):
    """A mean of trees, or with `staged` of its own another sum of them; its path counts trees."""

    draws = True
    scaled = False
    complexity = "trees"
    quantities = ("active_features", "leaves")
    trusted = ("sklearn.tree._tree.Tree",)

    @classmethod
    def staged(cls, estimator, X):
        return mean_of_trees(estimator.estimators_, X)

    @staticmethod
    def measures(estimator):
        """Leaves of the first 1, 2, ... trees together, and features they split on."""
        used: set[int] = set()
        trees = estimator.estimators_
        features = [len(used := used | set(tree.tree_.feature[tree.tree_.feature >= 0].tolist())) for tree in trees]
        return {"active_features": features, "leaves": np.cumsum([tree.get_n_leaves() for tree in trees]).tolist()}


def mean_of_trees(trees: list, X: np.ndarray) -> Iterator[np.ndarray]:
    """Mean of the class proportions in the leaves of the first 1, 2, ... trees."""
    total = 0.0
    for number, tree in enumerate(trees, start=1):
        total = total + tree.predict_proba(X)
        yield total / number


def pack(estimator) -> np.ndarray:
    """What skops writes, as bytes, with running numbers in place of addresses and no dates: same model, same bytes."""
    from skops.io import dumps

    numbers: dict[int, int] = {}
    files: dict[str, str] = {}

    def rename(node):
        if isinstance(node.get("__id__"), int):
            node["__id__"] = numbers.setdefault(node["__id__"], len(numbers))
        if isinstance(node.get("file"), str):
            node["file"] = files.setdefault(node["file"], f"{len(files)}.npy")
        return node

    written = BytesIO()
    with ZipFile(BytesIO(dumps(estimator))) as archive, ZipFile(written, "w") as packed:
        schema = json.loads(archive.read("schema.json"), object_hook=rename)
        packed.writestr(ZipInfo("schema.json"), json.dumps(schema))
        for name, new in files.items():
            packed.writestr(ZipInfo(new), archive.read(name))
    return np.frombuffer(written.getvalue(), dtype=np.uint8)


def unpack(packed: np.ndarray, trusted: tuple[str, ...]) -> Any:
    """The classifier that `pack` wrote; classes that skops does not know must be in `trusted`."""
    from skops.io import loads

    return loads(packed.tobytes(), trusted=list(trusted))
