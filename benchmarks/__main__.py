"""Run the benchmarks: python -m benchmarks PART [--data-sets ...] [--seeds N] [--quick] [--published PYTHON]."""

from proset_study.base.environment import use_one_thread

use_one_thread()  # both sides: the other environment inherits it

import argparse  # noqa: E402
import csv  # noqa: E402
import json  # noqa: E402
from datetime import UTC, datetime  # noqa: E402
from functools import partial  # noqa: E402
from pathlib import Path  # noqa: E402
from tempfile import TemporaryDirectory  # noqa: E402

RESULTS = Path(__file__).with_name("results")
QUICK = Path(__file__).parents[1] / "dist/benchmarks/results"  # tiny sizes replace no numbers that are committed


def write_csv(folder: Path, name: str, columns: tuple[str, ...], rows: list[dict]) -> None:
    """One CSV file, and when and on what it was measured."""
    with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    note(folder, name)


def note(folder: Path, name: str) -> None:
    """When and on what a file was measured."""
    from proset_study.report.analysis.manifest import processor

    path = folder / "measured.json"
    measured = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    measured[name] = f"{datetime.now(UTC).date().isoformat()}, {processor()}"
    path.write_text(json.dumps(measured, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def main() -> None:
    """Run one part and write its results."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "part",
        choices=[
            "evaluations",
            "fits",
            "test-loss",
            "prediction",
            "threads",
            "published",
            "startup",
            "growth",
            "machine",
            "trees",
            "same-parameters",
            "rejection",
            "set-cover",
            "dissimilarities",
            "at-most",
            "out-of-the-box",
            "few-prototypes",
            "base-model",
            "mixed-tables",
            "missing-distances",
            "search-length",
            "stage2-paths",
            "answers",
            "label-errors",
            "many-data-sets",
            "table",
        ],
    )
    parser.add_argument("--data-sets", nargs="+")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help=f"tiny sizes, below {QUICK.parent}: does it run?")
    parser.add_argument("--published", default=".venv-bench/bin/python", help="Python that has proset 0.6.1")
    args = parser.parse_args()
    folder = QUICK if args.quick else RESULTS
    folder.mkdir(parents=True, exist_ok=True)
    write = partial(write_csv, folder)
    data_sets = ["cancer"] if args.quick else args.data_sets
    seeds = range(2 if args.quick else args.seeds)
    if args.part == "evaluations":
        from benchmarks import evaluations

        write("evaluations", evaluations.COLUMNS, evaluations.run(data_sets))
    elif args.part == "fits":
        from benchmarks import fits

        write("fits", fits.COLUMNS, fits.run(data_sets, seeds))
    elif args.part == "test-loss":
        from benchmarks import test_loss

        rows = test_loss.run(data_sets, range(2) if args.quick else range(10))
        write("test_loss", test_loss.COLUMNS, rows)
        test_loss.plot(rows, str(folder / "test_loss"))
    elif args.part == "published":
        from benchmarks import against_published

        rows = against_published.small(args.published, 2 if args.quick else 30)
        write("published_small", against_published.SMALL_COLUMNS, rows)
        against_published.run(folder / "published.csv", args.published, data_sets, seeds)
        note(folder, "published")
    elif args.part == "prediction":
        from benchmarks import prediction

        write("prediction", prediction.COLUMNS, prediction.run(data_sets))
    elif args.part == "threads":
        from benchmarks import threads

        write("threads", threads.COLUMNS, threads.run((5_000,) if args.quick else threads.ROWS))
    elif args.part == "startup":
        from benchmarks import startup

        write("startup", startup.COLUMNS, startup.run())
    elif args.part == "machine":
        from benchmarks import machine

        write("machine", machine.COLUMNS, machine.run(2 if args.quick else machine.ROUNDS))
    elif args.part == "trees":
        from benchmarks import trees

        write("trees", trees.COLUMNS, trees.run(data_sets, seeds))
    elif args.part == "same-parameters":
        from benchmarks import same_parameters

        write("same_parameters", same_parameters.COLUMNS, same_parameters.run(data_sets, seeds))
        rows = same_parameters.e1_on_cancer(args.published, range(2) if args.quick else range(20))
        write("e1_on_cancer", same_parameters.E1_COLUMNS, rows)
    elif args.part == "set-cover":
        from benchmarks import set_cover

        write("set_cover", set_cover.COLUMNS, set_cover.run((500, 1000) if args.quick else set_cover.ROWS))
        rows = set_cover.gap(["digits"] if args.quick else data_sets)
        write("set_cover_gap", set_cover.GAP_COLUMNS, rows)
        set_cover.plot(rows, str(folder / "set_cover_radius"))
    elif args.part == "dissimilarities":
        from benchmarks import dissimilarities

        items = {"tangent": (100,), "mismatch": (50,)} if args.quick else dissimilarities.ITEMS
        write("dissimilarities", dissimilarities.COLUMNS, dissimilarities.run(items))
    elif args.part == "at-most":
        from benchmarks import at_most

        with TemporaryDirectory() as scratch:
            write("at_most", at_most.COLUMNS, at_most.run(Path(scratch)))
    elif args.part == "out-of-the-box":
        from benchmarks import out_of_the_box as box

        splits = box.SPLITS[:2] if args.quick else box.SPLITS
        names = ["diabetes"] if args.quick else args.data_sets
        write("out_of_the_box", box.COLUMNS, box.run(names, splits))
        write("out_of_the_box_oracle", box.ORACLE_COLUMNS, box.oracle(names or box.HARD, splits))
        study = ["wine"] if args.quick else args.data_sets
        write("out_of_the_box_study", box.STUDY_COLUMNS, box.study(study, range(2) if args.quick else range(5)))
        write("out_of_the_box_noise", box.NOISE_COLUMNS, box.noise(splits))
        write("out_of_the_box_cost", box.COST_COLUMNS, box.cost((1_000,) if args.quick else box.SIZES))
    elif args.part == "few-prototypes":
        from benchmarks import few_prototypes as few

        names = ["wine"] if args.quick else args.data_sets
        found = few.run(names, range(2) if args.quick else range(10))
        columns = few.COLUMNS, few.EXPLAINED_COLUMNS, few.COST_COLUMNS
        for name, of_name, rows in zip(("", "_explained", "_cost"), columns, found, strict=True):
            write(f"few_prototypes{name}", of_name, rows)
        write("few_prototypes_export", few.EXPORT_COLUMNS, few.exports())
        few.plot(found[0], str(folder / "few_prototypes"))
    elif args.part == "base-model":
        from benchmarks import base_model as base

        rows = base.of_tables(["party"] if args.quick else base.TABLES, base.SPLITS[:2] if args.quick else base.SPLITS)
        write("base_model", base.COLUMNS, rows)
        names = ["wine"] if args.quick else args.data_sets
        write("base_model_study", base.COLUMNS, base.of_study(names, range(2) if args.quick else range(5)))
    elif args.part == "mixed-tables":
        from benchmarks import mixed_tables as mixed

        families = ["waves"] if args.quick else list(mixed.JUDGED)
        quick = [name for name in mixed.METHODS if name not in mixed.SLOW]
        write("mixed_tables", mixed.COLUMNS, mixed.run(families, range(2 if args.quick else 10), quick))
        write("mixed_tables_slow", mixed.COLUMNS, mixed.run(families, range(1), [*mixed.SLOW]))
        write("mixed_tables_cost", mixed.COST_COLUMNS, mixed.costs(seeds, 500 if args.quick else 2000))
    elif args.part == "missing-distances":
        from benchmarks import missing_distances as distances

        families = ("linear",) if args.quick else distances.FAMILIES
        write("missing_distances", distances.COLUMNS, list(distances.run(families, range(1 if args.quick else 2))))
    elif args.part == "search-length":
        from benchmarks import search_length

        write("search_length", search_length.COLUMNS, list(search_length.run()))
    elif args.part == "stage2-paths":
        from benchmarks import stage2_paths

        rows = list(stage2_paths.run(["iris_2f"] if args.quick else data_sets, range(2 if args.quick else 10)))
        write("stage2_paths", stage2_paths.COLUMNS, rows)
    elif args.part == "answers":
        from benchmarks import answers

        names = ["wine"] if args.quick else args.data_sets or list(answers.STUDY)
        write("attributions", answers.ATTRIBUTIONS, list(answers.attributions(names)))
        write("counterfactuals", answers.COUNTERFACTUALS, list(answers.counterfactuals(names)))
        write(
            "rows_on_trial",
            answers.ROWS,
            list(answers.rows_on_trial([name for name in names if name in answers.SMALL])),
        )
    elif args.part == "label-errors":
        from benchmarks import answers

        rows = list(answers.label_errors(range(1 if args.quick else 10)))
        write("label_errors", answers.LABELS, rows)
    elif args.part == "many-data-sets":
        from benchmarks import many_data_sets as many

        with TemporaryDirectory() as scratch:
            rows = list(many.run(((5, 2),) if args.quick else many.SIZES, Path(scratch)))
        write("many_data_sets", many.COLUMNS, rows)
    elif args.part == "rejection":
        from benchmarks import rejection

        write("rejection", rejection.COLUMNS, rejection.run(data_sets, 2_000 if args.quick else 6_000))
    elif args.part == "growth":
        from benchmarks import growth

        rows = growth.run(args.published, {"n": [1000, 2000], "k": [2, 5]} if args.quick else None)
        write("growth", growth.COLUMNS, rows)
        growth.plot(rows, str(folder / "growth"))
    else:
        from benchmarks import table

        table.write(folder, folder.with_name("results.md"))


if __name__ == "__main__":
    main()
