"""Data sets of one's own in one study: those of docs/dissimilarities.md, and names of characters that programs mind."""

import csv
from pathlib import Path

import numpy as np
import pandas as pd
import yaml
from tests.shared import code_blocks
from tests.workflow.project import Project

PAGE = "docs/dissimilarities.md"
SHELL = "; touch pwned1; $(touch pwned2) `touch pwned3` ' \" & > x"
HOSTILE = f"<script>alert(1)</script>\\input{{/etc/passwd}}{SHELL}"  # for shell, LaTeX and HTML
LINE = [
    *"{}{}{{}}<>&'\"\\$%#~^_|*`;,=:@!?/ []()",
    "{study}",
    "{{a}}",
    "{0}",
    "ä",
    "ß",
    "Ж",
    "日本",
    "e\u0301",
    "🙂",
    "x1",
]
ANY = [*LINE, "\n", "\t", "\r\n"]  # what a field of a CSV file may have besides
ONE = {"title": "t", "stage2": {"complexity": 1}}


def configs() -> list[dict]:
    """The overlays of the page: on strings, on a matrix."""
    return [yaml.safe_load(block) for block in code_blocks(PAGE, "yaml")]


class RandomNames:
    """Names of a file, its columns, classes and categories, and titles."""

    def __init__(self):
        self.rng = np.random.default_rng(2)
        self.target, self.group, self.colour, self.dropped, *self.numbers = (self._name(ANY) for _ in range(6))
        self.labels, self.colours = [self._name(ANY) for _ in range(3)], [self._name(ANY) for _ in range(2)]
        self.titles = [self._name(LINE, 60) for _ in range(3)]
        self.path = self._name([c for c in LINE if c != "/"]) + ".csv"
        self.data_set, self.tables = "names", ("search", "neighbours", "both")

    def _name(self, characters, n=24):
        """A random one; letters at the ends, because spaces there are nobody's."""
        return "a" + "".join(self.rng.choice(characters, n)) + "z"

    @property
    def settings(self) -> dict:
        """The entry of the data set."""
        columns = {"target": self.target, "group": self.group, "categorical": [self.colour], "drop": [self.dropped]}
        return {"file": self.path, **columns}

    def write(self, folder: Path) -> None:
        with (folder / self.path).open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow([self.target, self.group, self.colour, self.dropped, *self.numbers])
            for i in range(90):
                x = self.rng.normal(size=2) + 4 * (i % 3)
                writer.writerow([self.labels[i % 3], f"{self.colours[0]}{i}", self.colours[i % 2], self._name(ANY), *x])


def write(project: Project) -> None:
    """All data sets, the metric that the page shows, and the config."""
    folder = project.folder / "data/private"
    folder.mkdir(parents=True)
    archive, module = code_blocks(PAGE, "python")
    (project.folder / "src/proset_study/data/dissimilarities/prefix.py").write_text(module, encoding="utf-8")
    exec(archive.replace("data/private", str(folder)))
    rng = np.random.default_rng(4)
    words = ["".join(rng.choice(list("ACDEFG"), 25)) for _ in range(40)]
    table = {"id": range(40), "sequence": [("WYWHW" if i % 2 else "") + w for i, w in enumerate(words)]}
    pd.DataFrame({**table, "class": np.arange(40) % 2}).to_csv(folder / "proteins.csv", index=False)

    quoted = HOSTILE.replace('"', '""')
    lines = [f'"a{quoted}",b,"t{quoted}"', *(f'{i % 7 + i / 99},{i},"{i % 2}{quoted}"' for i in range(60))]
    (project.folder / f"own{SHELL}.csv").write_text("\n".join(lines), encoding="utf-8")
    RandomNames().write(project.folder)
    project.configure(_change)


def files() -> list[str]:
    """What the report can be verified with."""
    return ["data/private/proteins.csv", "data/private/towns.npz", f"own{SHELL}.csv", RandomNames().path]


def _change(config):
    strings, matrix = configs()
    search, neighbours = config["experiments"]["E3"], config["experiments"]["E8"]
    config.update(study="own", trials_per_job={}, folds_per_job={}, metrics=strings["metrics"])
    del config["evaluations"]
    config["data_sets"] = {
        **strings["data_sets"],
        **matrix["data_sets"],
        "hostile": {"file": f"own{SHELL}.csv", "target": f"t{HOSTILE}"},
    }
    config["experiments"] = {
        "nearest_neighbour": {**ONE, "method": "nearest_neighbour", "data_sets": ["towns"]},
        "set_cover": {"title": "t", "method": "set_cover", "data_sets": ["proteins"], "stage2": {"complexity": 12}},
        "prefixes": {**ONE, "method": "nearest_neighbour", "metric": "prefix", "data_sets": ["proteins"]},
        "E8": {**neighbours, "title": HOSTILE, "data_sets": ["hostile"]},
    }
    config["comparisons"] = {"hostile_title": {"title": HOSTILE, "experiments": ["E8"]}}
    names = RandomNames()
    config["data_sets"][names.data_set] = names.settings
    *experiments, both = names.tables
    for name, entry, title in zip(experiments, (search, neighbours), names.titles, strict=False):
        config["experiments"][name] = {**entry, "title": title, "data_sets": [names.data_set]}
    config["comparisons"][both] = {"title": names.titles[2], "experiments": experiments}
