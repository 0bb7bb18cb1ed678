"""What the article speaks of: each topic names the records it needs, and gives texts, tables and figures by name."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from matplotlib.figure import Figure

from proset_study.store.stored import Missing

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

    def content(self, project: Path) -> Content:
        """What it gives; `Missing` if a file is not there, or has nothing of the topic."""
        if absent := [name for name in self.records if not (project / name).is_file()]:
            raise Missing(", ".join(absent))
        return self.gather(project)


def overlay(name: str) -> str:
    """The command that computes the study of a config in `workflow`."""
    return f"snakemake --cores all --configfile workflow/{name}.yaml"


def topic(*records: str, command: str) -> Callable[[Callable[[Path], Content]], Callable[[Path], Content]]:
    """Register a function as the topic of its name."""

    def register(gather):
        TOPICS[gather.__name__] = Topic(gather.__name__, records, command, gather)
        return gather

    return register
