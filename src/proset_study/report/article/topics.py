"""What article and findings speak of: each topic names the records it needs, and gives numbers and tables by name."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from proset_study.methods import get
from proset_study.report.analysis.manifest import read_manifest
from proset_study.report.article.wording import Printed
from proset_study.report.rows import read_table
from proset_study.store.results import Row, read_rows
from proset_study.store.stored import Missing, Stored
from proset_study.study import layout
from proset_study.study.config.runs import selected_data_sets
from proset_study.study.config.study import Study

PUBLISHED = "data/published/published.csv"
SUBJECT = "proset"  # of the studies that article and findings are about


class Reported(Stored):
    """A study of which only the report, the folder reports/<study>, is needed: its numbers are in results.csv.xz.

    `published` is the CSV file of the published numbers, by default that of the project around the report.
    """

    def __init__(self, folder: Path, published: Path | None = None):
        self.manifest = read_manifest(folder)
        self.published = published or folder.parents[1] / PUBLISHED
        super().__init__(folder, Study.of(self.manifest["config"]))
        self.findings = folder / layout.FINDINGS

    def read(self, name: str, **wanted: Any) -> list[dict[str, Any]]:
        """Rows of one of its CSV files; see `rows.read_table`."""
        return read_table(self.folder / name, **wanted)

    def experiments(self, comparison: str, *methods: str) -> list[str]:
        """Experiments that a comparison of the config names, of all methods or of some."""
        named = self.study.config["comparisons"][comparison]["experiments"]
        return [e for e in named if not methods or self.study.config["experiments"][e]["method"] in methods]

    def runs_whole(self, name: str) -> bool:
        """Whether the study has an experiment or a comparison, and runs it on all of its data sets."""
        config = self.study.config
        if name in config["experiments"]:
            return selected_data_sets(config, name) == config["experiments"][name]["data_sets"]
        return name in config.get("comparisons", {}) and all(map(self.runs_whole, self.experiments(name)))

    def ranks(
        self, comparison: str, group: str = "all", score: str = "log-loss"
    ) -> tuple[dict[str, float], list[str], float]:
        """Average ranks over a group of data sets, the best first; those near it; the critical difference."""
        found = self.read("findings/ranks.csv", comparison=comparison, score=score, group=group)
        ranked = {row["method"]: row["average_rank"] for row in sorted(found, key=lambda row: row["average_rank"])}
        if not found:  # of too few data sets
            return {}, [], 0.0
        best, critical = min(ranked.values()), found[0]["critical_difference"]
        return ranked, [method for method, rank in ranked.items() if rank - best <= critical], critical

    def pairs_with_rivals(self, comparison: str, method: str) -> list[dict[str, Any]]:
        """Tests of a method against each other one that learns, by log-loss over all data sets."""
        pairs = self.read("findings/pairs.csv", comparison=comparison, score="log-loss", group="all", first=method)
        return [row for row in pairs if not get(row["second"]).is_baseline]

    @cached_property
    def _scores(self):
        return read_rows(self.folder / layout.ALL_SCORES, Row)

    def _read_rows(self, experiment):
        return [row for row in self._scores if row.experiment == experiment]


TOPICS: dict[str, "Topic"] = {}
FIGURES: dict[str, Callable[[Reported], Figure]] = {}


@dataclass
class Content:
    """What a topic gives, by name.

    Texts are numbers as they are printed, and the words that follow from them; of the rows of a table the first is the
    heading. What is between two "**" is bold.
    """

    texts: Mapping[str, str] = field(default_factory=dict)
    tables: Mapping[str, list[list[str]]] = field(default_factory=dict)
    figures: dict[str, Figure] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Texts, with the numbers behind those that print some, and tables."""
        numbers = {
            name: {"value": text.value, "text": text} if isinstance(text, Printed) else {"text": text}
            for name, text in self.texts.items()
        }
        return {"numbers": numbers, "tables": self.tables}

    @classmethod
    def of_json(cls, found: dict[str, Any]) -> "Content":
        """The inverse, as texts without their numbers."""
        return cls({name: entry["text"] for name, entry in found["numbers"].items()}, found["tables"])


@dataclass(frozen=True)
class Topic:
    """A topic of a report, such as "reports/study", or of the whole project if `report` is empty.

    It is missing without one of `files`, which are below the report, in a report with another `subject`, or unless the
    study runs the whole of each experiment or comparison that it `needs`; `command` makes them. `give` takes a
    `Reported`, or the project's folder.
    """

    name: str
    report: str
    files: tuple[str, ...]
    command: str
    give: Callable[[Any], Content]
    needs: tuple[str, ...] = ()
    reads_published: bool = False  # whether it needs the published numbers, too
    subject: str = SUBJECT

    @property
    def records(self) -> tuple[str, ...]:
        """Files below the folder of the project."""
        below = f"{self.report}/" if self.report else ""
        return (*(f"{below}{name}" for name in self.files), *([PUBLISHED] if self.reads_published else []))

    def content(self, folder: Path, opened: Callable[[], Reported]) -> Content:
        """What it gives from a report, or from the project; `Missing` if that lacks what it needs.

        `opened` gives the report of the folder: topics share one, so that its scores are read once.
        """
        if absent := [name for name in self.files if not (folder / name).is_file()]:
            raise Missing(", ".join(absent))
        if not self.report:
            return self.give(folder)
        stored = opened()
        if stored.study.subject != self.subject:
            raise Missing(f"the subject {self.subject}")
        if absent := [name for name in self.needs if not stored.runs_whole(name)]:
            raise Missing(f"the whole of {', '.join(absent)}")
        if self.reads_published and not stored.published.is_file():
            raise Missing(str(stored.published))
        return self.give(stored)


def topic(
    report: str, *files: str, command: str = "", **about: Any
) -> Callable[[Callable[[Any], Content]], Callable[[Any], Content]]:
    """Register a function as the topic of its name, with what else a `Topic` is told.

    The overlay of a report is named after it, but for the study.
    """

    def register(give):
        names = (layout.MANIFEST, *files) if report else files
        made_by = command or command_of({"reports/study": "replicates"}.get(report, Path(report).name))
        TOPICS[give.__name__] = Topic(give.__name__, report, names, made_by, give, **about)
        return give

    return register


def figure(name: str) -> Callable[[Callable[[Reported], Figure]], Callable[[Reported], Figure]]:
    """Register what draws a figure, "topic.name", from the report of the topic."""

    def register(draw):
        FIGURES[name] = draw
        return draw

    return register


def command_of(name: str) -> str:
    """The command that computes the study of an overlay in `workflow`, given its name."""
    return f"snakemake --cores all --configfile workflow/{name}.yaml"
