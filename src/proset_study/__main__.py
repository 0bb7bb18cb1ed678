"""Commands of the workflow: each parses its arguments, calls one function, writes one result atomically."""

from proset_study.environment import check_core, import_xgboost_alone, install_command, pin_libraries

pin_libraries()  # before NumPy is imported, however the command is started

import argparse  # noqa: E402
import json  # noqa: E402
import sys  # noqa: E402
import time  # noqa: E402
from pathlib import Path  # noqa: E402

from proset_study import layout  # noqa: E402
from proset_study.config.study import Study  # noqa: E402


def config(args: argparse.Namespace) -> None:
    """Check config files, each merged over those before it; says what is wrong with file and line."""
    import yaml
    from snakemake.utils import update_config

    from proset_study.config.checks import load
    from proset_study.config.yaml_file import check_config_file

    merged: dict = {}
    for file in args.files:
        check_config_file(file)
        update_config(merged, yaml.safe_load(file.read_text(encoding="utf-8")))
    study = load(merged)
    n_models = sum(1 for _ in study.final_models(study.replicates))
    print(
        f"study {study.name}: {', '.join(study.experiments)} on {', '.join(study.data_sets)}, {n_models:,} final models"
    )


def make_data(args: argparse.Namespace) -> None:
    """Make or load a data set."""
    from proset_study.data.sources import make

    settings = args.study.data_settings(args.data_set)
    make(settings, args.study.config["seed"], args.data_set, args.replicate).save(_file(args, layout.DATA))


def make_split(args: argparse.Namespace) -> None:
    """Split a data set into folds and test part."""
    from proset_study.data.dataset import DataSet
    from proset_study.data.splits import write_split
    from proset_study.data.splitting import split
    from proset_study.seeds import integer_seed

    config = args.study.config
    seed = integer_seed(config["seed"], "split", args.data_set, args.replicate)
    data = DataSet.load(_file(args, layout.DATA))
    try:
        folds = split(data.y, config["folds"], config["test_fraction"], seed, data.test, data.group)
    except ValueError as error:
        raise ValueError(f"data_sets.{args.data_set}: {error}") from error
    write_split(_file(args, layout.SPLIT), folds)


def stage1(args: argparse.Namespace) -> None:
    """Fit and score trials first..last of one fold."""
    from proset_study.fits.search import run_trials
    from proset_study.records import write_json_lines

    output = _file(args, layout.TRIALS)
    records = run_trials(
        *_inputs(args),
        args.fold,
        range(args.first, args.last + 1),
        args.study.stage1_settings(args.run, args.data_set),
        _case(args),
        record_folder=output.parent / "trials",
        depends_on=[*_origin(args), args.fold],
    )
    write_json_lines(output, records)


def select_parameters(args: argparse.Namespace) -> None:
    """Select the parameters from all records of stage 1."""
    from proset_study.fits.selection import select_parameters
    from proset_study.records import read_all, write_json

    study, run, place = args.study, args.study.runs[args.run], (args.replicate, args.data_set, args.run)
    n_trials = study.n_trials(args.run, args.data_set)
    records = read_all(layout.stage1_files(study, *place), fold=study.config["folds"], trial=n_trials)
    selection = select_parameters(records, study.fixed_parameters(args.run), run.selection_rule, run.criterion)
    write_json(_file(args, layout.PARAMETERS), selection)


def stage2(args: argparse.Namespace) -> None:
    """Fit folds first..last up to the largest complexity, score every complexity."""
    from proset_study.fits.search import run_paths
    from proset_study.records import write_json_lines

    output = _file(args, layout.PATHS)
    records = run_paths(
        *_inputs(args),
        range(args.first, args.last + 1),
        args.study.stage2_settings(args.run, args.data_set),
        _selected(args),
        _case(args),
        record_folder=output.parent / "folds",
        depends_on=_origin(args),
    )
    write_json_lines(output, records)


def select_complexity(args: argparse.Namespace) -> None:
    """Select the complexity from the records of all folds."""
    from proset_study.fits.selection import select_complexity
    from proset_study.records import read_all, write_json

    study, run, place = args.study, args.study.runs[args.run], (args.replicate, args.data_set, args.run)
    records = read_all(layout.stage2_files(study, *place), fold=study.config["folds"])
    write_json(_file(args, layout.COMPLEXITY), select_complexity(records, run.selection_rule, run.criterion))


def fit(args: argparse.Namespace) -> None:
    """Fit the final model, predict the test part."""
    from proset_study.fits.final import fit_final, write_predictions
    from proset_study.records import read_json, write_json

    data, folds = _inputs(args)
    complexity = read_json(_file(args, layout.COMPLEXITY))["complexity"]
    parameters = {**args.study.stage2_settings(args.run, args.data_set)["parameters"], **_selected(args)}
    model = _file(args, layout.MODEL)
    record, rows, probabilities = fit_final(data, folds, parameters, complexity, _case(args), model)
    weight = None if data.sample_weight is None else data.sample_weight[rows]
    write_predictions(_file(args, layout.PREDICTIONS), rows, data.y[rows], probabilities, weight)
    write_json(_file(args, layout.FIT), record)


def evaluate(args: argparse.Namespace) -> None:
    """Evaluate a final model in one of the ways of docs/evaluation.md."""
    from proset_study import evaluations
    from proset_study.records import read_json, write_json

    final, settings = read_json(_file(args, layout.FIT)), args.study.evaluation_settings(args.kind)
    source = args.study.data_settings(args.data_set)
    record = evaluations.get(args.kind).evaluate(*_inputs(args), final, settings, _case(args), source)
    write_json(_file(args, layout.EVALUATION), record)


def score(args: argparse.Namespace) -> None:
    """All numbers of an experiment in a replicate."""
    from proset_study.store.results import case_rows, write_rows

    cases = args.study.cases([args.replicate], args.experiment)
    write_rows(_file(args, layout.SCORES), [row for case in cases for row in case_rows(_results(args), case)])


def score_data_set(args: argparse.Namespace) -> None:
    """All numbers of a data set."""
    from proset_study.store.results import case_rows, write_rows

    cases = args.study.cases(args.study.replicates, data_set=args.data_set)
    output = Path(layout.report(args.study, layout.DATA_SET_SCORES, data_set=args.data_set))
    write_rows(output, [row for case in cases for row in case_rows(_results(args), case)])


def table(args: argparse.Namespace) -> None:
    """The table of one experiment or comparison."""
    from proset_study.report.tables import make_cells, make_table, write_table
    from proset_study.store.results import read_scores

    cells = make_cells([row for path in args.scores for row in read_scores(path)], args.published)
    made = make_table(args.name, args.title, args.kind, cells, args.published)
    write_table(made, args.markdown, args.csv, args.latex)


def workbook(args: argparse.Namespace) -> None:
    """All tables as one Excel file."""
    from proset_study.report.tables import study_tables, write_workbook

    write_workbook(args.output, study_tables(_stored(args), args.published))


def check(args: argparse.Namespace) -> None:
    """Every published number and claim beside ours."""
    from proset_study.report.claims import write_claims
    from proset_study.report.comparison import write_comparison

    stored = _stored(args)
    write_comparison(args.comparison, stored, args.published)
    write_claims(args.claims, stored, args.published)


def findings(args: argparse.Namespace) -> None:
    """What the records say of rules, of methods over replicates, and of features."""
    from proset_study.report.findings import write_findings

    write_findings(args.output, _stored(args))


def evaluation(args: argparse.Namespace) -> None:
    """Scores per class of all final models, and the tables of the evaluations."""
    from proset_study.report.evaluation import write_evaluation

    write_evaluation(args.output, _stored(args))


def data_set_page(args: argparse.Namespace) -> None:
    """The figures and the page of one data set."""
    import_xgboost_alone()
    from proset_study.report.figures.catalogue import write_figures
    from proset_study.report.pages import write_data_set

    stored = _stored(args)
    write_figures(stored, args.figures, args.data_set)
    write_data_set(args.output, stored, args.data_set, args.figures, args.options)


def page(args: argparse.Namespace) -> None:
    """The figures over all data sets and the front page."""
    from proset_study.records import read_json
    from proset_study.report.figures.catalogue import write_figures
    from proset_study.report.pages import write_index

    stored = _stored(args)
    write_figures(stored, args.figures)
    known = read_json(args.manifest)
    write_index(args.output, stored, args.published, args.claims, known, args.figures, args.options)


def partial(args: argparse.Namespace) -> None:
    """A report of what is finished."""
    import_xgboost_alone()
    from proset_study.report.partial import Partial, write_partial
    from proset_study.store.missing import find_missing_models

    study = Study.of(args.config)
    stored = Partial(Path("results", study.name), study, find_missing_models(study))
    write_partial(args.output, stored, args.published, args.options)


def results(args: argparse.Namespace) -> None:
    """All numbers of the study in one file."""
    from proset_study.store.results import read_scores, write_rows

    write_rows(args.output, [row for path in args.scores for row in read_scores(path)])


def manifest(args: argparse.Namespace) -> None:
    """What was run."""
    from proset_study.records import write_text
    from proset_study.report.manifest import manifest

    made = manifest(args.folder, args.config, args.data)
    write_text(args.output, json.dumps(made, indent=1, allow_nan=False) + "\n")  # the config keeps its order


def pack(args: argparse.Namespace) -> None:
    """The records of one replicate as one archive."""
    from proset_study.store.packed import pack

    pack(args.folder, Study.of(args.config), args.replicate, args.output)


def verify(args: argparse.Namespace) -> None:
    """Compute every number of a report again from its records, repeat some fits; status 1 if anything differs."""
    import tempfile

    from proset_study.verify.limits import bounded
    from proset_study.verify.report import verify

    differences = 0
    with tempfile.TemporaryDirectory() as scratch, bounded(args.minutes, Path(scratch)):
        for line in verify(args.report, args.published, args.refits, args.seed, Path(scratch), map(str, args.files)):
            differences += 1
            print(line)
    if differences:
        sys.exit(f"{differences} difference(s) in {args.report}")
    print(f"{args.report}: all that was checked is right")


def _stored(args):
    from proset_study.store.stored import Stored

    return Stored(args.folder, Study.of(args.config))


def _file(args, template):
    names = {name: value for name, value in vars(args).items() if name != "study"}
    return Path(layout.result(args.study, template, **names))


def _results(args):
    return Path(layout.result(args.study, ""))


def _inputs(args):
    from proset_study.data.dataset import DataSet
    from proset_study.data.splits import read_split

    data = DataSet.load(_file(args, layout.DATA))
    return data, read_split(_file(args, layout.SPLIT), len(data.y))


def _origin(args):
    """What every record of a search depends on, besides its own settings."""
    place = (args.study.config["seed"], args.replicate, args.data_set, args.run)
    return [_file(args, layout.DATA), _file(args, layout.SPLIT), args.code, *place]


def _case(args):
    from proset_study.fingerprints import arithmetic_of
    from proset_study.fits.search import Case

    method = args.study.runs[args.run].method
    if method == "xgboost":
        import_xgboost_alone()
    seed = args.study.config["seed"]
    return Case(seed, args.replicate, args.data_set, args.run, method, arithmetic_of(method))


def _selected(args):
    """Parameters that stage 1 selected, if there is a stage 1."""
    from proset_study.records import read_json

    files = layout.parameters_file(args.study, args.replicate, args.data_set, args.run)
    return read_json(files[0])["parameters"] if files else {}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m proset_study", description=__doc__)
    commands = parser.add_subparsers(required=True)

    def command(name, function, *options):
        sub = commands.add_parser(name, help=function.__doc__, description=function.__doc__)
        sub.set_defaults(function=function)
        for option in options:
            sub.add_argument(f"--{option}", **_OPTIONS[option])

    data_set = ("study", "replicate", "data-set")
    model = (*data_set, "run")
    command("config", config, "files")
    command("data", make_data, *data_set)
    command("split", make_split, *data_set)
    command("stage1", stage1, *model, "fold", "first", "last", "code")
    command("select-parameters", select_parameters, *model)
    command("stage2", stage2, *model, "first", "last", "code")
    command("select-complexity", select_complexity, *model)
    command("fit", fit, *model)
    command("evaluate", evaluate, *model, "kind")
    command("score", score, "study", "replicate", "experiment")
    command("score-data-set", score_data_set, "study", "data-set")
    command("table", table, "name", "title", "kind", "scores", "published", "markdown", "csv", "latex")
    command("results", results, "scores", "output")
    command("manifest", manifest, "folder", "config", "data-files", "output")
    command("workbook", workbook, "folder", "config", "published", "output")
    command("check", check, "folder", "config", "published", "comparison", "claims")
    command("findings", findings, "folder", "config", "output")
    command("evaluation", evaluation, "folder", "config", "output")
    command("data-set-page", data_set_page, "folder", "config", "data-set", "figures", "options", "output")
    command("pack", pack, "folder", "config", "replicate", "output")
    command("verify", verify, "report", "published", "refits", "seed", "files", "minutes")
    command("page", page, "folder", "config", "published", "manifest", "claims", "figures", "options", "output")
    command("partial", partial, "config", "published", "options", "output")
    return parser


_INTEGER, _PATH, _PATHS, _JSON = (
    {"type": int, "required": True},
    {"type": Path, "required": True},
    {"type": Path, "required": True, "nargs": "+"},
    {"type": json.loads, "required": True},
)
_TEXT = {"required": True}
_OPTIONS = {
    "claims": _PATH,
    "code": _TEXT,
    "comparison": _PATH,
    "config": _JSON,
    "csv": _PATH,
    "data-files": {**_PATHS, "dest": "data"},
    "data-set": _TEXT,
    "experiment": _TEXT,
    "figures": _PATH,
    "files": {"type": Path, "nargs": "*", "default": []},
    "first": _INTEGER,
    "fold": _INTEGER,
    "folder": _PATH,
    "kind": _TEXT,
    "last": _INTEGER,
    "latex": _PATH,
    "manifest": _PATH,
    "markdown": _PATH,
    "minutes": {"type": float, "default": 120.0},
    "name": _TEXT,
    "options": _JSON,
    "output": _PATH,
    "published": _PATH,
    "refits": _INTEGER,
    "replicate": _INTEGER,
    "report": _PATH,
    "run": _TEXT,
    "scores": _PATHS,
    "seed": _INTEGER,
    "study": _PATH,
    "title": _TEXT,
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
        check_core()
        if "study" in args:
            args.study = Study.read(args.study)
        args.function(args)
    except ModuleNotFoundError as error:
        sys.exit(f"{error.name} cannot be imported by {sys.executable}; install it with: {install_command()}")
    except (ValueError, ArithmeticError, RuntimeError, OSError, MemoryError, ImportError) as error:
        sys.exit(f"{type(error).__name__}: {error}")
    if what := _what(vars(args)):
        print(f"{words[0]}: {what}, {time.monotonic() - start:.0f} s", flush=True)


def _what(given):
    """What a job of the workflow was about, for the log of the run."""
    made = [given[name] for name in ("output", "markdown", "comparison") if name in given]
    if made and "data_set" not in given:
        return made[0]
    about = [" on ".join(given[name] for name in ("experiment", "run", "data_set") if name in given)]
    about += [f"{name} {given[name]}" for name in ("replicate", "kind", "fold") if name in given]
    if "first" in given:
        about.append(f"{'trials' if 'fold' in given else 'folds'} {given['first']} to {given['last']}")
    return ", ".join(filter(None, about))


if __name__ == "__main__":
    main()
