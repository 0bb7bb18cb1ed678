"""The one model that is fitted for site and article: penguins by bill and island, small enough to be seen whole."""

from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from typing import Any

import numpy as np

from proset.classifier import ProsetClassifier
from proset.convert.page import contents
from proset_study.report.article.wording import count, whole

FEATURES = {
    "bill_length_mm": "bill length (mm)",
    "bill_depth_mm": "bill depth (mm)",
    "flipper_length_mm": "flipper length (mm)",
    "body_mass_g": "body mass (g)",
    "island": "island",
}
SOURCE = "K. B. Gorman, T. D. Williams and W. R. Fraser (2014), PLoS ONE 9(3): e90081; package palmerpenguins, CC0"
BACKGROUND = 12  # every twelfth row is in the background of the attributions


@dataclass(frozen=True)
class Point:
    """A penguin in the picture."""

    x: float
    y: float
    species: str


@dataclass(frozen=True)
class Prototype(Point):
    """A penguin that the model keeps, with its row and the island, and its weight in the sum."""

    row: int
    island: str
    weight: float


class Model:
    """`ProsetClassifier()` of the penguins, as anybody would fit it."""

    @cached_property
    def table(self) -> Any:
        """Features as a frame, and the classes."""
        from palmerpenguins import load_penguins

        penguins = load_penguins()
        return penguins[list(FEATURES)].rename(columns=FEATURES), penguins["species"]

    @cached_property
    def classifier(self) -> ProsetClassifier:
        """Fitted to all rows; missing values and names of islands are taken as they are."""
        return ProsetClassifier().fit(*self.table)

    @property
    def contents(self) -> dict[str, str]:
        """What the template of a page to play with takes, see `proset.to_html`."""
        return contents(self.classifier, self.table[0].iloc[::BACKGROUND], "Which penguin is it?")

    @cached_property
    def prototypes(self) -> list[Prototype]:
        """The heaviest first."""
        X, y = self.table
        found = []
        for batch in self.classifier.batches_:
            for row, weight in zip(batch.sample_index, batch.prototype_weights, strict=True):
                length, depth, *_, island = X.iloc[row]
                found.append(Prototype(float(length), float(depth), y.iloc[row], int(row), island, float(weight)))
        return sorted(found, key=lambda p: -p.weight)

    @cached_property
    def points(self) -> list[Point]:
        """All penguins whose bill was measured."""
        X, y = self.table
        length, depth, *_ = FEATURES.values()
        bills = zip(X[length], X[depth], y, strict=True)
        return [Point(float(x), float(y), of) for x, y, of in bills if isfinite(x)]  # both numbers are missing, or none

    @property
    def features(self) -> list[str]:
        """Names of those that it reads."""
        used = np.vstack([batch.feature_weights for batch in self.classifier.batches_]).max(axis=0) > 0
        return [name for name, is_used in zip(FEATURES.values(), used, strict=True) if is_used]

    @property
    def sentence(self) -> str:
        """What it keeps."""
        kept = f"Fitted to {whole(len(self.table[1]))} penguins, it keeps {count(len(self.prototypes))} of them"
        return f"{kept} and uses {count(len(self.features))} of {count(len(FEATURES))} features."
