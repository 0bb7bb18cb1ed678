"""What the contract of methods tests: a method with parameters of the config, on small data."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from proset_study import methods
from proset_study.data.splits import FoldData
from proset_study.fits.search import Case, draw_parameters
from proset_study.methods.base import Fitted, Method
from proset_study.study.config.runs import Run

SEED = np.random.SeedSequence(3)
STEPS = 2  # beyond the first one


@dataclass(frozen=True)
class Subject:
    """A method under test, with the experiment of the config that its parameters come from."""

    method: type[Method]
    run: Run

    @property
    def complexity(self) -> int:
        """The end of a short path."""
        return self.end(STEPS)

    def end(self, complexity: int) -> int:
        """The end of a path with that many sizes after the first one, if the experiment has as many."""
        return min(self._stage("stage2")["complexity"], self.method.min_complexity + complexity)

    def parameters(self, trial: int = 0, n_features: int = 3) -> dict[str, float]:
        """Parameters of one trial, as in stage 1; without a stage 1, the fixed ones."""
        stage1, stage2 = self._stage("stage1"), self._stage("stage2")
        fixed = {**stage2["parameters"], **self.method.fixed(n_features)}
        if "space" not in stage1:
            return fixed
        drawn = draw_parameters(stage1["space"], Case(0, 0, "contract", "contract", "contract"), trial)
        return {**stage1["parameters"], **drawn, **fixed}

    def fit(self, data: FoldData, complexity: int | None = None, parameters: dict | None = None) -> Fitted:
        """Fit; the same arguments ask for the same model."""
        parameters = self.parameters(n_features=data.X.shape[1]) if parameters is None else parameters
        return self.method(data).fit(parameters, self.complexity if complexity is None else complexity, SEED)

    @cached_property
    def fits(self) -> list[tuple[FoldData, Fitted]]:
        """Data of two and of three classes, each with a fit, for the checks that only look at a model."""
        return [(data, self.fit(data)) for data in map(make_fold_data, (2, 3))]

    def _stage(self, stage):
        return self.run.stage(stage, self.run.data_sets[0])


def subject_of(name: str, experiments: dict[str, dict]) -> Subject:
    """A method with the first experiment of a config that uses it and searches for itself; ValueError without one."""
    method = methods.get(name)
    for experiment, settings in experiments.items():
        if settings.get("method") == name and "vary" not in settings and "from" not in settings.get("stage1", {}):
            return Subject(method, Run(experiment, experiment, "", settings))
    raise ValueError(f"method: no experiment uses {name!r}; the contract takes parameters from one")


def make_fold_data(n_classes: int, weight: np.ndarray | None = None) -> FoldData:
    """Classes of different size around different points; the third feature says nothing."""
    rng, sizes = np.random.default_rng(n_classes), np.array([3, 2, 1])[:n_classes]
    y = np.sort(rng.choice(n_classes, 120, p=sizes / sizes.sum()))
    X = rng.normal(size=(120, 3))
    X[:, :2] += 1.5 * np.array([[0, 0], [1, 1], [-1, 1]])[y]
    return _halves(X, y, weight)


def _halves(X: np.ndarray, y: np.ndarray, weight: np.ndarray | None = None) -> FoldData:
    """Every other row is fitted, the rest scored."""
    to_fit = np.arange(len(y)) % 2 == 0
    return FoldData(
        X=X[to_fit],
        y=y[to_fit],
        weight=weight,
        X_score=X[~to_fit],
        y_score=y[~to_fit],
        weight_score=None,
        rows_score=np.flatnonzero(~to_fit),
        n_classes=y.max() + 1,
        centre=np.zeros(X.shape[1]),
        scale=np.ones(X.shape[1]),
    )


def make_mixed_data() -> FoldData:
    """Two classes, even and odd categories, a number that says nothing of them, and gaps in it."""
    rng, n = np.random.default_rng(5), 400
    X = np.column_stack([rng.normal(size=n), rng.integers(0, 4, n)])
    y = (X[:, 1] % 2).astype(int)
    X[rng.random(n) < 0.2, 0] = np.nan
    return replace(_halves(X, y), levels=np.array([0, 4]))
