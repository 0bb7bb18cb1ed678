"""Commands of the workflow: each parses its arguments, calls one function, writes one result atomically."""

from proset_study.environment import import_xgboost_alone, install_command, pin_libraries

pin_libraries()  # before NumPy is imported, however the command is started

import argparse  # noqa: E402
import json  # noqa: E402
import sys  # noqa: E402
import time  # noqa: E402
from pathlib import Path  # noqa: E402


def config(args: argparse.Namespace) -> None:
    """Check config files, each merged over those before it; says what is wrong with file and line."""
    import yaml
    from snakemake.utils import update_config

    from proset_study.config.study import load
    from proset_study.config.yaml_file import check_config_file

    laid: dict = {}
    for file in args.files:
        check_config_file(file)
        update_config(laid, yaml.safe_load(file.read_text(encoding="utf-8")))
    study = load(laid, "workflow/schemas/config.schema.yaml")
    n_models = sum(1 for _ in study.final_models(study.replicates))
    print(
        f"study {study.name}: {', '.join(study.experiments)} on {', '.join(study.data_sets)}, {n_models:,} final models"
    )


def make_data(args: argparse.Namespace) -> None:
    """Make or load a data set."""
    from proset_study.data.datasets import make

    make(args.settings, args.seed, args.data_set, args.replicate).save(args.output)


def make_split(args: argparse.Namespace) -> None:
    """Split a data set into folds and test part."""
    from proset_study.data.datasets import DataSet
    from proset_study.data.splits import split, write_split
    from proset_study.seeds import integer_seed

    seed = integer_seed(args.seed, "split", args.data_set, args.replicate)
    data = DataSet.load(args.data)
    try:
        folds = split(data.y, args.folds, args.test_fraction, seed, data.test, data.group)
    except ValueError as error:
        raise ValueError(f"data_sets.{args.data_set}: {error}") from error
    write_split(args.output, folds)


def stage1(args: argparse.Namespace) -> None:
    """Fit and score trials first..last of one fold."""
    from proset_study.fits.search import run_trials
    from proset_study.records import write_json_lines

    data, folds = _inputs(args)
    records = run_trials(
        data,
        folds,
        args.fold,
        range(args.first, args.last + 1),
        args.settings,
        _case(args),
        record_folder=args.output.parent / "trials",
        depends_on=[*_origin(args), args.fold],
    )
    write_json_lines(args.output, records)


def select_parameters(args: argparse.Namespace) -> None:
    """Pick the parameters from all records of stage 1."""
    from proset_study.fits.search import select_parameters
    from proset_study.records import read_all, write_json

    records = read_all(args.records, fold=args.folds, trial=args.trials)
    write_json(args.output, select_parameters(records, args.fixed, args.rule, args.criterion))


def stage2(args: argparse.Namespace) -> None:
    """Fit folds first..last up to the largest size, score every size."""
    from proset_study.fits.search import run_paths
    from proset_study.records import write_json_lines

    data, folds = _inputs(args)
    records = run_paths(
        data,
        folds,
        range(args.first, args.last + 1),
        args.settings,
        _chosen(args),
        _case(args),
        record_folder=args.output.parent / "folds",
        depends_on=_origin(args),
    )
    write_json_lines(args.output, records)


def select_complexity(args: argparse.Namespace) -> None:
    """Pick the size from the records of all folds."""
    from proset_study.fits.search import select_complexity
    from proset_study.records import read_all, write_json

    records = read_all(args.records, fold=args.folds)
    write_json(args.output, select_complexity(records, args.rule, args.criterion))


def fit(args: argparse.Namespace) -> None:
    """Fit the final model, predict the test part."""
    from proset_study.fits.final import fit_final, write_predictions
    from proset_study.records import read_json, write_json

    data, folds = _inputs(args)
    complexity = read_json(args.complexity)["complexity"]
    parameters = {**args.settings["parameters"], **_chosen(args)}
    record, rows, probabilities = fit_final(data, folds, parameters, complexity, _case(args), args.model)
    weight = None if data.sample_weight is None else data.sample_weight[rows]
    write_predictions(args.predictions, rows, data.y[rows], probabilities, weight)
    write_json(args.output, record)


def learning_curve(args: argparse.Namespace) -> None:
    """Refit the chosen model on growing parts of the training part, score on the test part."""
    from proset_study.fits.learning_curve import learning_curve
    from proset_study.records import read_json, write_json

    write_json(args.output, learning_curve(*_inputs(args), read_json(args.final), args.settings, _case(args)))


def bootstrap(args: argparse.Namespace) -> None:
    """Refit the chosen model on bootstrap samples of the training part, score on what they leave out."""
    from proset_study.fits.bootstrap import bootstrap
    from proset_study.records import read_json, write_json

    write_json(args.output, bootstrap(*_inputs(args), read_json(args.final), args.settings, _case(args)))


def bias_variance(args: argparse.Namespace) -> None:
    """Refit the chosen model on training sets drawn anew, decompose its Brier score."""
    from proset_study.fits.bias_variance import bias_variance
    from proset_study.records import read_json, write_json

    write_json(args.output, bias_variance(read_json(args.final), args.source, args.settings, _case(args)))


def score(args: argparse.Namespace) -> None:
    """All numbers of some final models."""
    from proset_study.store.results import case_rows, write_rows

    write_rows(args.output, [row for case in args.cases for row in case_rows(args.folder, case)])


def table(args: argparse.Namespace) -> None:
    """The table of one experiment or comparison."""
    from proset_study.report.tables import study_table, write_table

    write_table(args.output / "tables", study_table(_stored(args), args.name, args.published))


def data_set_page(args: argparse.Namespace) -> None:
    """The figures and the page of one data set."""
    from proset_study.config.study import Study
    from proset_study.store.stored import Stored

    page = Study.of(json.loads(Study.read(args.study).page_config(args.data_set)))
    _write_report(Stored(args.study.parent, page), args, ["data_sets"])


def report(args: argparse.Namespace) -> None:
    """All of the report but its tables, the pages of data sets and the archives of records."""
    _write_report(_stored(args), args, ["numbers", "models", "manifest", "overview"])


def partial(args: argparse.Namespace) -> None:
    """A report of what is finished."""
    from proset_study.config.study import Study
    from proset_study.store.stored import Finished

    _write_report(Finished(args.study.parent, Study.read(args.study)), args)


def pack(args: argparse.Namespace) -> None:
    """Records of one replicate as one archive."""
    from proset_study.config.study import Study
    from proset_study.store.inputs import record_names
    from proset_study.store.packed import pack

    pack(args.study.parent, record_names(Study.read(args.study), args.name), args.output)


def release(args: argparse.Namespace) -> None:
    """What is too large to commit of a report as one archive."""
    from proset_study.report.release import release

    print(release(args.report, args.output))


def verify(args: argparse.Namespace) -> None:
    """Compute every number of a report again from its records, repeat some fits; status 1 if anything differs."""
    import tempfile

    from proset_study.verify.limits import bounded
    from proset_study.verify.report import verify

    differences = 0
    with tempfile.TemporaryDirectory() as scratch, bounded(args.minutes, Path(scratch)):
        found = verify(
            args.report, args.published, args.refits, args.seed, Path(scratch), map(str, args.files), args.archive
        )
        for line in found:
            differences += 1
            print(line)
    if differences:
        sys.exit(f"{differences} difference(s) in {args.report}")
    print(f"{args.report}: all that was checked is right")


def _stored(args):
    from proset_study.config.study import Study
    from proset_study.store.stored import Stored

    return Stored(args.study.parent, Study.read(args.study))


def _write_report(stored, args, parts=None):
    import_xgboost_alone()
    from proset_study.report.write import write_report

    write_report(stored, args.output, args.published, parts, args.options)


def _inputs(args):
    from proset_study.data.datasets import DataSet
    from proset_study.data.splits import read_split

    data = DataSet.load(args.data)
    return data, read_split(args.split, len(data.y))


def _origin(args):
    """What every record of a search depends on, besides its own settings."""
    return [args.data, args.split, args.code, args.seed, args.replicate, args.data_set, args.run]


def _case(args):
    from proset_study.fingerprints import arithmetic_of
    from proset_study.fits.search import Case

    if args.method == "xgboost":
        import_xgboost_alone()
    return Case(args.seed, args.replicate, args.data_set, args.run, args.method, arithmetic_of(args.method))


def _chosen(args):
    from proset_study.records import read_json

    return read_json(args.parameters[0])["parameters"] if args.parameters else {}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m proset_study", description=__doc__)
    commands = parser.add_subparsers(required=True)

    def command(name, function, *options):
        sub = commands.add_parser(name, help=function.__doc__, description=function.__doc__)
        sub.set_defaults(function=function)
        for option in options:
            sub.add_argument(f"--{option}", **_OPTIONS[option])

    named = ("seed", "data-set", "replicate")
    part = (*named, "data", "split", "method", "settings", "run")
    command("config", config, "files")
    command("data", make_data, *named, "settings", "output")
    command("split", make_split, *named, "data", "folds", "test-fraction", "output")
    command("stage1", stage1, *part, "fold", "first", "last", "code", "output")
    command(
        "select-parameters", select_parameters, "records", "folds", "trials", "fixed", "rule", "criterion", "output"
    )
    command("stage2", stage2, *part, "first", "last", "parameters", "code", "output")
    command("select-complexity", select_complexity, "records", "folds", "rule", "criterion", "output")
    command("fit", fit, *part, "parameters", "complexity", "model", "predictions", "output")
    command("learning-curve", learning_curve, *part, "final", "output")
    command("bootstrap", bootstrap, *part, "final", "output")
    command("bias-variance", bias_variance, *named, "method", "settings", "run", "source", "final", "output")
    command("score", score, "folder", "cases", "output")
    command("table", table, "study", "name", "published", "output")
    command("data-set-page", data_set_page, "study", "data-set", "published", "options", "output")
    command("report", report, "study", "published", "options", "output")
    command("partial", partial, "study", "published", "options", "output")
    command("pack", pack, "study", "name", "output")
    command("release", release, "report", "output")
    command("verify", verify, "report", "archive", "published", "refits", "seed", "files", "minutes")
    return parser


_INTEGER, _PATH, _PATHS, _JSON = (
    {"type": int, "required": True},
    {"type": Path, "required": True},
    {"type": Path, "required": True, "nargs": "+"},
    {"type": json.loads, "required": True},
)
_TEXT = {"required": True}
_OPTIONS = {
    "archive": {"type": Path},
    "cases": _JSON,
    "code": _TEXT,
    "data": _PATH,
    "data-set": _TEXT,
    "files": {"type": Path, "nargs": "*", "default": []},
    "final": _PATH,
    "first": _INTEGER,
    "fixed": _JSON,
    "fold": _INTEGER,
    "folder": _PATH,
    "folds": _INTEGER,
    "last": _INTEGER,
    "method": _TEXT,
    "minutes": {"type": float, "default": 120.0},
    "model": _PATH,
    "name": _TEXT,
    "options": _JSON,
    "output": _PATH,
    "parameters": {"type": Path, "nargs": "*"},
    "predictions": _PATH,
    "published": _PATH,
    "records": _PATHS,
    "refits": _INTEGER,
    "replicate": _INTEGER,
    "report": _PATH,
    "criterion": _TEXT,
    "rule": _TEXT,
    "run": _TEXT,
    "scores": _PATHS,
    "seed": _INTEGER,
    "settings": _JSON,
    "source": _JSON,
    "split": _PATH,
    "study": _PATH,
    "complexity": _PATH,
    "test-fraction": {"type": float, "required": True},
    "trials": _INTEGER,
}


def main() -> None:
    """Run one command; a wrong input ends with a message and status 1.

    If the last argument is "-", others are read from standard input, words that end with a null byte each: they may be
    longer than a command line can be.
    """
    words = sys.argv[1:]
    if words[-1:] == ["-"]:
        words[-1:] = sys.stdin.buffer.read().decode("utf-8").split("\0")[:-1]
    args = _parser().parse_args(words)
    start = time.monotonic()
    try:
        args.function(args)
    except ModuleNotFoundError as error:
        sys.exit(f"{error.name} cannot be imported by {sys.executable}; install it with: {install_command()}")
    except (ValueError, ArithmeticError, RuntimeError, OSError, MemoryError) as error:
        sys.exit(f"{type(error).__name__}: {error}")
    if what := _what(vars(args)):
        print(f"{words[0]}: {what}, {time.monotonic() - start:.0f} s", flush=True)


def _what(given):
    """What a job of the workflow was about, for the log of the run."""
    if "data_set" not in given:
        return given.get("output")
    about = [" on ".join(given[name] for name in ("run", "data_set") if name in given)]
    about += [f"{name} {given[name]}" for name in ("replicate", "fold") if name in given]
    if "first" in given:
        about.append(f"{'trials' if 'fold' in given else 'folds'} {given['first']} to {given['last']}")
    return ", ".join(about)


if __name__ == "__main__":
    main()
