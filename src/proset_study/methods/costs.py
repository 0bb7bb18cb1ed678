"""What one fit costs, roughly: for the estimate at the start of a run, and the run time that a job asks of a cluster.

Each method has its own `cost`, measured with 1,000, 20,000 and 200,000 rows of 20 features in 5 classes (chosen
parameters in the middle of what config.yaml searches), and taken from the records of the study (80 to 3,600 fitted
rows, 2 to 64 features): CPU seconds of one thread, with the scoring of the whole path. The numbers are in
tests/proset_study/methods/test_costs.py. No result depends on them.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from proset_study.data.dataset import Size


@dataclass(frozen=True)
class Cost:
    """CPU seconds of a fit, with c for complexity: start + c trees tree + each rows^a features^b trees^d c^e

    Trees are those of one round: one for each class, but one for two classes. Rows are the fitted ones.
    """

    start: float
    each: float
    rows: float = 1.0
    features: float = 0.0
    trees: float = 0.0
    complexity: float = 0.0
    tree: float = 0.0

    def __call__(self, size: "Size", stage: dict, fitted: int, scored: int) -> float:
        """Rough CPU seconds of one fit and its scoring; `size` is of the whole data set, the last two are rows."""
        c, trees = stage["complexity"], size.classes if size.classes > 2 else 1
        work = fitted**self.rows * size.features**self.features * trees**self.trees * c**self.complexity
        return self.start + c * trees * self.tree + self.each * work


DEFAULT = Cost(0.05, 1e-6, features=0.5, complexity=1)  # of a method that does not say
