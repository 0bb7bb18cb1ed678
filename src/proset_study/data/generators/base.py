"""The base class of generated data sets."""

from collections.abc import Iterator
from dataclasses import MISSING, dataclass, fields
from typing import Any, ClassVar, Self

import numpy as np

from proset_study.data.dataset import DataSet, Size, joined

Random = np.random.Generator | np.random.RandomState
ABOUT = ("description", "settings", "required", "errors")  # for the config; in no result


@dataclass(frozen=True)
class Generator:
    """A generated data set, with its settings as fields.

    A subclass is a frozen dataclass, the only one in a module of this folder; the config calls it by the name of the
    module. Its fields are settings, with a JSON schema each. Besides, only `description`, `size` and `draw` have to be
    written. All other members have defaults, which say that nothing more is known.

    Attributes
    ----------
    description : str
        Of the entry in the config.
    settings : dict of str to dict
        JSON schema of keys of that entry that are not needed to draw, such as "image", or of fields without one. A
        schema may refer to the definitions "image", "impute", "name" and "published_draw" of the config's own.
    required : tuple of str
        Keys that every entry has.
    strings : bool
        Whether samples are strings, `DataSet.items`, in place of features.
    curves : tuple of str
        Settings that response curves vary, one at a time, from their defaults. It needs `probabilities`.
    curves_of : str
        In the titles of these curves, to keep them apart from those of another generator.
    is_population : bool
        Whether all draws come from one distribution, so that evaluations can draw training sets anew. It needs
        `probabilities`, and rows that are independent, or a `sample` of its own.
    by_class : bool
        Whether rows come class by class, as many of each.

    Examples
    --------
    Two Gaussians on a line, at -1 and 1, of which all is known:

    >>> from proset_study.base.settings import integer, setting
    >>> @dataclass(frozen=True)
    ... class TwoGaussians(Generator):
    ...     description = "Two Gaussians on a line."
    ...     is_population = True
    ...
    ...     samples: int = setting(integer("Of both classes.", 2), 200)
    ...
    ...     @property
    ...     def size(self):
    ...         return Size(rows=self.samples, features=1, classes=2)
    ...
    ...     def draw(self, rng):
    ...         y = rng.integers(2, size=self.samples)
    ...         X = rng.normal(2.0 * y - 1.0)[:, None]
    ...         return DataSet(X, y, numbered(1), np.array(["low", "high"]))
    ...
    ...     def probabilities(self, X, rng=None):
    ...         high = 1 / (1 + np.exp(-2 * X[:, 0]))
    ...         return np.column_stack([1 - high, high])
    >>> TwoGaussians.of({"generator": "two_gaussians", "samples": 50}).draw(np.random.default_rng(0)).X.shape
    (50, 1)
    >>> TwoGaussians().probabilities(np.array([[0.0]]))
    array([[0.5, 0.5]])
    """

    description: ClassVar[str]
    settings: ClassVar[dict[str, dict[str, Any]]] = {}
    required: ClassVar[tuple[str, ...]] = ()
    strings: ClassVar[bool] = False
    curves: ClassVar[tuple[str, ...]] = ()
    curves_of: ClassVar[str] = ""
    is_population: ClassVar[bool] = False
    by_class: ClassVar[bool] = False

    @classmethod
    def of(cls, settings: dict) -> Self:
        """Make the generator from an entry of the config; keys that are no fields are not needed to draw."""
        return cls(**{field.name: settings[field.name] for field in fields(cls) if field.name in settings})

    @classmethod
    def defaults(cls) -> dict[str, Any]:
        """Default of every field that has one."""
        return {field.name: field.default for field in fields(cls) if field.default is not MISSING}

    @classmethod
    def schemas(cls) -> dict[str, dict[str, Any]]:
        """JSON schema of every key of an entry of the config; a field with another default keeps that of its base."""
        kinds = [kind for kind in reversed(cls.__mro__) if issubclass(kind, Generator)]
        return {f.name: dict(f.metadata) for kind in kinds for f in fields(kind) if f.metadata} | cls.settings

    @classmethod
    def schema(cls) -> dict[str, Any]:
        """JSON schema of an entry of the config."""
        defaults = {name: {"default": value} for name, value in cls.defaults().items() if value is not None}
        return {
            "description": cls.description,
            "type": "object",
            "additionalProperties": False,
            "required": ["generator", *cls.required],
            "properties": {
                "generator": {"description": "Kind of the data."},
                **{name: {**allowed, **defaults.get(name, {})} for name, allowed in cls.schemas().items()},
            },
        }

    @property
    def size(self) -> Size:
        """Rows, features (with every category counted) and classes, known without drawing."""
        raise NotImplementedError

    @property
    def test_samples(self) -> int:
        """Rows of the test part that the data set comes with; 0 if the study draws one."""
        return 0

    @property
    def relevant(self) -> int | None:
        """How many features, the first ones, have influence on the class, if others have none."""
        return None

    @property
    def lacks_values(self) -> bool:
        """Whether values may be missing."""
        return False

    def errors(self) -> Iterator[str]:
        """What is wrong with settings that the schema allows: "key: value is not allowed, ..."."""
        yield from ()

    def draw(self, rng: Random) -> DataSet:
        """Make the data set.

        Parameters
        ----------
        rng : numpy.random.Generator
            A RandomState with "published_draw", if `settings` allow that.

        Raises
        ------
        ValueError
            If that is not possible; the message begins with the key of a setting.
        """
        raise NotImplementedError

    def sample(self, n: int, rng: Random) -> DataSet:
        """Independent samples of the population; how many each class has is left to chance, as in a survey.

        Parameters
        ----------
        n : int >= 1
        rng : numpy.random.Generator
        """
        pieces = [self.draw(rng)]
        while sum(len(piece.y) for piece in pieces) < n:
            pieces.append(self.draw(rng))
        return joined(*pieces).take(np.arange(n))

    def probabilities(self, X: np.ndarray, rng: Random | None = None) -> np.ndarray:
        """True class probabilities of points.

        Parameters
        ----------
        X : ndarray, shape (N, D)
            As in `DataSet.X`.
        rng : numpy.random.Generator, optional
            In the state in which `draw` was given it; needed where what is drawn first decides the problem.

        Returns
        -------
        ndarray, shape (N, K)
        """
        raise NotImplementedError

    def bayes_error(self) -> float | None:
        """The lowest possible error rate, if it is known and not 0; figures then show the best possible rule."""
        return None


def numbered(n: int, prefix: str = "x") -> np.ndarray:
    """Names of features: "x1", "x2" and so on."""
    return np.array([f"{prefix}{i}" for i in range(1, n + 1)], dtype=str)
