"""Random names, of the characters that some program minds, come through the real workflow as they are."""

import csv
import html
import io
import json

import numpy as np
import pytest
from tests.workflow.project import new_project, verify

from proset_study.data.dataset import DataSet

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


def name(rng, characters, n=12):
    """A random one; letters at the ends, because spaces there are nobody's."""
    return "a" + "".join(rng.choice(characters, n)) + "z"


@pytest.mark.parametrize("seed", [0, 1])
def test_random_names_come_through_unchanged(tmp_path, seed):
    rng = np.random.default_rng(seed)
    project = new_project(tmp_path / "project")
    target, group, colour, dropped, *numbers = (name(rng, ANY) for _ in range(6))
    labels, colours = [name(rng, ANY) for _ in range(3)], [name(rng, ANY) for _ in range(2)]
    titles = [name(rng, LINE, 60) for _ in range(3)]
    path = name(rng, [c for c in LINE if c != "/"]) + ".csv"
    n = 90
    with (project.folder / path).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([target, group, colour, dropped, *numbers])
        for i in range(n):
            x = rng.normal(size=2) + 4 * (i % 3)
            writer.writerow([labels[i % 3], f"{colours[0]}{i}", colours[i % 2], name(rng, ANY), *x])
    settings = {"file": path, "target": target, "group": group, "categorical": [colour], "drop": [dropped]}

    def change(config):
        config["data_sets"] = {"own": settings}
        experiments = {e: {**config["experiments"][e], "data_sets": ["own"]} for e in ("E3", "E8")}
        for title, entry in zip(titles, experiments.values(), strict=False):
            entry["title"] = title
        config["experiments"] = experiments
        config["comparisons"] = {"both": {"title": titles[2], "experiments": ["E3", "E8"]}}
        del config["evaluations"]

    project.configure(change)
    project.snakemake()
    reports = project.folder / "reports/tiny"

    data = DataSet.load(project.folder / "results/tiny/replicate_0/own/data.npz")
    assert data.feature_names.tolist() == [colour, *numbers]
    assert data.class_names.tolist() == sorted(labels)
    assert data.categories.tolist() == sorted(colours)

    manifest = json.loads((reports / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["config"]["data_sets"]["own"] == settings
    assert [manifest["config"]["experiments"][e]["title"] for e in ("E3", "E8")] == titles[:2]
    assert manifest["config"]["comparisons"]["both"]["title"] == titles[2]

    tables = (reports / "tables.html").read_bytes().decode()
    assert all(escaped(title) in tables for title in titles)
    page = (reports / "data_sets/own.html").read_bytes().decode()  # "\r\n" as it is
    assert all(escaped(label) in page for label in labels)
    assert any(escaped(column) in page for column in numbers)  # those that the model has chosen
    for table, title in zip(("E3", "E8", "both"), titles, strict=True):
        markdown = (reports / f"tables/{table}.md").read_text(encoding="utf-8")
        assert markdown.startswith(f"# [{table}] {title}\n")
    text = (reports / "findings/selected_features.csv").read_bytes().decode()
    found = {row["feature"] for row in csv.DictReader(io.StringIO(text, newline=""))}
    assert found >= {*numbers, *(f"{colour}={category}" for category in colours)}
    with (reports / "evaluation/class_scores.csv").open(encoding="utf-8", newline="") as file:
        assert {row["class"] for row in csv.DictReader(file)} >= set(labels)
    assert verify(project, files=[settings["file"]]).returncode == 0
    assert project.planned() == {}


def escaped(text):
    return html.escape(text).replace("&#x27;", "&#39;").replace("&quot;", "&#34;")


def test_a_checkout_with_braces_is_refused(tmp_path):
    run = new_project(tmp_path / "a{ce} b").snakemake("--dry-run", check=False)
    assert run.returncode != 0
    assert run.stderr.strip().endswith("a{ce} b is not allowed, Snakemake takes braces for wildcards; rename it")
