"""What the article speaks of: each topic names the records it needs, and gives texts, tables and figures by name."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from matplotlib.figure import Figure

TOPICS: dict[str, "Topic"] = {}


@dataclass
class Content:
    """What a topic gives, by name.

    Attributes
    ----------
    texts : dict of str
        Numbers, and the sentences and words that follow from them, as they are printed.
    tables : dict of list
        Rows of cells, the first one the heading. What is between two "**" is bold.
    figures : dict of Figure
    """

    texts: dict[str, str] = field(default_factory=dict)
    tables: dict[str, list[list[str]]] = field(default_factory=dict)
    figures: dict[str, Figure] = field(default_factory=dict)


@dataclass(frozen=True)
class Topic:
    """A topic, its records and the function that reads them.

    Attributes
    ----------
    name : str
    records : tuple of str
        Files below the folder of the project. If one is missing, so is the topic.
    command : str
        That makes them.
    gather : callable
        From the folder of the project to `Content`.
    """

    name: str
    records: tuple[str, ...]
    command: str
    gather: Callable[[Path], Content]

    def missing(self, project: Path) -> list[str]:
        """Those of its records that are not there."""
        return [name for name in self.records if not (project / name).is_file()]


def topic(*records: str, command: str) -> Callable[[Callable[[Path], Content]], Callable[[Path], Content]]:
    """Register a function as the topic of its name."""

    def register(gather):
        TOPICS[gather.__name__] = Topic(gather.__name__, records, command, gather)
        return gather

    return register
