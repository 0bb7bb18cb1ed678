"""What is longer than a command line can be goes through the workflow: long names, many trials."""

import json
import string

from tests.workflow.project import new_project

from proset_study.base.records import read_json_lines, write_json_lines

ARGUMENT = 2**17  # bytes of an argument that Linux allows; a shell command is one
TRIALS = 700


def test_a_long_target_and_many_columns_to_drop(tmp_path):
    project = new_project(tmp_path / "project")
    target, dropped = "t" * 140_000, [f"column {i} {'x' * 140}" for i in range(1000)]
    assert min(len(target), sum(map(len, dropped))) > ARGUMENT
    rows = [",".join(["x" if i % 2 else "y", str(i % 7 + i / 50), *["1"] * len(dropped)]) for i in range(60)]
    (project.folder / "own.csv").write_text(
        "\n".join([",".join([target, "a", *dropped]), *rows]) + "\n", encoding="utf-8"
    )

    def change(config):
        config["data_sets"]["own"] = {"file": "own.csv", "target": target, "drop": dropped}
        config["experiments"]["E8"]["data_sets"] = ["own"]
        config.update(only={"E8": ["own"]}, evaluations={})

    project.configure(change)
    targets = ("reports/tiny/tables/E8.md",)
    project.snakemake(*targets)
    assert all((project.folder / target).exists() for target in targets)
    assert project.planned(*targets) == []


def test_many_trials(tmp_path):
    """One trial a job, names as long as they may be; the records of all but a few are copies of these."""
    project = new_project(tmp_path / "project")
    study, data_set, experiment = (first + string.ascii_letters[:49] for first in "XYZ")

    def search(trials):
        def change(config):
            entry = {**config["experiments"]["E3"], "data_sets": [data_set]}
            entry["stage1"]["trials"] = trials
            config.update(study=study, data_sets={data_set: config["data_sets"]["iris_2f"]})
            config.update(experiments={experiment: entry}, comparisons={}, evaluations={})
            config["trials_per_job"]["proset"] = 1

        return change

    project.configure(search(2))
    chosen = f"results/{study}/replicate_0/{data_set}/{experiment}/stage1.json"
    project.snakemake(chosen)
    stage1 = (project.folder / chosen).with_suffix("")
    (file,) = stage1.glob("folds_*_trials_1-1.jsonl")
    records = read_json_lines(file)
    assert TRIALS * len(str(file.relative_to(project.folder))) > ARGUMENT
    for trial in range(2, TRIALS):
        copies = [{**record, "trial": trial} for record in records]
        write_json_lines(file.with_name(file.name.replace("1-1.", f"{trial}-{trial}.")), copies)
    project.configure(search(TRIALS))
    run = project.snakemake(chosen, "--rerun-triggers", "mtime", "input", "--quiet", "all")
    assert f"done; see {chosen}" in run.stderr
    assert len(json.loads((project.folder / chosen).read_text(encoding="utf-8"))["mean"]) == TRIALS
