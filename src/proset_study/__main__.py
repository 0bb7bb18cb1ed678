"""Commands of the workflow: each parses its arguments, calls one function, writes one result atomically."""

from proset_study.fork_server import hand_over, serve

if __name__ == "__main__":
    hand_over()  # first, because it does not return where a process forks for this run

from proset_study.environment import COPIES, check_core, commit, import_xgboost_alone, install_command, pin_libraries

pin_libraries()  # before NumPy is imported, however the command is started

import argparse  # noqa: E402
import json  # noqa: E402
import os  # noqa: E402
import sys  # noqa: E402
import time  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import TYPE_CHECKING, Any  # noqa: E402

from proset_study import layout  # noqa: E402
from proset_study.config.study import Study  # noqa: E402

if TYPE_CHECKING:
    import numpy as np

    from proset_study.data.dataset import DataSet
    from proset_study.fits.search import Case


def fork_server(args: argparse.Namespace) -> None:
    """Start the jobs of a run on this machine, which starts this process."""
    serve(args.socket, main)


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
    from proset_study import methods
    from proset_study.data.dataset import MissingValues
    from proset_study.data.sources import make

    settings = args.study.data_settings(args.data_set)
    try:
        data = make(settings, args.study.config["seed"], args.data_set, args.replicate)
    except MissingValues as error:
        needing, able = args.study.needing_numbers(args.data_set), methods.for_mixed()
        remedy = f"without it {', '.join(needing)} cannot be run, whose methods are not among {', '.join(able)}"
        raise ValueError(f"{error}; {remedy}") from error
    data.save(_file(args, layout.DATA))


def dissimilarities(args: argparse.Namespace) -> None:
    """Compute or check the dissimilarities of all samples of a data set."""
    from proset_study.data.dataset import DataSet
    from proset_study.data.matrix import write_matrix

    data, settings = DataSet.load(_file(args, layout.DATA)), args.study.metric_settings(args.metric, args.data_set)
    source = args.study.data_settings(args.data_set)
    try:
        write_matrix(_file(args, layout.DISSIMILARITIES), data, settings, source)
    except ValueError as error:
        raise ValueError(f"data_sets.{args.data_set}: {error}") from error


def openml(args: argparse.Namespace) -> None:
    """Download a data set of OpenML."""
    from proset_study.data.download import download
    from proset_study.data.openml import TABLE, table_of

    table = TABLE.format(name=args.name)
    wanted: dict = {}
    for settings in args.study.config["data_sets"].values():
        if "openml" in settings and table_of(settings["openml"]) == table:
            wanted |= settings["openml"]
    found = download(wanted, table)
    print(f"openml: {table}, " + ", ".join(f"{key}: {found[key]}" for key in ("name", "version", "md5", "licence")))


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
    """Fit and score trials first..last of some folds."""
    from proset_study.fits.search import run_trials
    from proset_study.records import write_json_lines

    inputs, origin, case = _inputs(args), _origin(args), _case(args)
    trials, settings = range(args.first, args.last + 1), args.study.stage1_settings(args.run, args.data_set)
    records, failures = [], []
    for fold in range(args.fold, args.last_fold + 1):
        kept = Path(layout.result(args.study, layout.TRIAL, **{**_names(args), "fold": fold, "trial": 0})).parent
        try:
            records += run_trials(*inputs, fold, trials, settings, case, kept, [*origin, fold])
        except RuntimeError as error:  # all that can be fitted is kept
            failures.append(f"fold {fold}: {error}")
    if failures:
        raise RuntimeError("\n".join(failures))
    write_json_lines(_file(args, layout.TRIALS), records)


def select_parameters(args: argparse.Namespace) -> None:
    """Select the parameters from all records of stage 1."""
    from proset_study.fits.selection import select_parameters
    from proset_study.records import read_all, write_json

    study, run, place = args.study, args.study.runs[args.run], (args.replicate, args.data_set, args.run)
    n_trials = study.n_trials(args.run, args.data_set)
    records = read_all(
        [Path(file) for file in layout.stage1_files(study, *place)], trial=n_trials, fold=study.config["folds"]
    )
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
    records = read_all([Path(file) for file in layout.stage2_files(study, *place)], fold=study.config["folds"])
    write_json(_file(args, layout.COMPLEXITY), select_complexity(records, run.size_rule, run.criterion))


def fit(args: argparse.Namespace) -> None:
    """Fit the final model, predict the test part."""
    from proset_study.fits.final import fit_final, refit_final, write_predictions
    from proset_study.records import read_json, write_json

    data, folds = _inputs(args)
    complexity = read_json(_file(args, layout.COMPLEXITY))["complexity"]
    parameters = {**args.study.stage2_settings(args.run, args.data_set)["parameters"], **_selected(args)}
    model = _file(args, layout.MODEL)
    record, rows, probabilities = fit_final(data, folds, parameters, complexity, _case(args), model)
    record["refits"], others = refit_final(data, folds, record, _case(args), range(1, args.study.final_fits(args.run)))
    weight = None if data.sample_weight is None else data.sample_weight[rows]
    write_predictions(_file(args, layout.PREDICTIONS), rows, data.y[rows], [probabilities, *others], weight)
    write_json(_file(args, layout.FIT), record)


def evaluate(args: argparse.Namespace) -> None:
    """Evaluate a final model in one of the ways of docs/evaluation.md."""
    from proset_study import evaluations
    from proset_study.records import read_json, write_json

    final, settings = read_json(_file(args, layout.FIT)), args.study.evaluation_settings(args.kind)
    source = args.study.data_settings(args.data_set)
    record = evaluations.get(args.kind).evaluate(*_inputs(args), final, settings, _case(args), source)
    write_json(_file(args, layout.EVALUATION), record)


def standing_on(args: argparse.Namespace) -> None:
    """All replicates of a data set in one process, as the jobs of the workflow would: to start these takes longer."""
    from proset_study.fingerprints import key
    from proset_study.report.standing import check_data
    from proset_study.store.results import case_rows, write_rows

    for replicate in args.study.replicates:
        place = {"study": args.study, "replicate": replicate, "data_set": args.data_set}
        for run in args.study.runs:
            _file(argparse.Namespace(**place, run=run), layout.FIT).parent.mkdir(parents=True, exist_ok=True)
        make_data(argparse.Namespace(**place))
        check_data(_results(args), layout.DATA.format(**place), args.report)
        make_split(argparse.Namespace(**place))
        for run in args.study.runs.values():
            model = {**place, "run": run.name, "code": key("search", method=run.method)}
            if "stage1" in run.settings:
                for fold, last_fold in args.study.fold_chunks(run):
                    for first, last in args.study.trial_chunks(run, args.data_set):
                        stage1(argparse.Namespace(**model, fold=fold, last_fold=last_fold, first=first, last=last))
                select_parameters(argparse.Namespace(**model))
            for first, last in args.study.fold_chunks(run):
                stage2(argparse.Namespace(**model, first=first, last=last))
            select_complexity(argparse.Namespace(**model))
            fit(argparse.Namespace(**model))
    cases = args.study.cases(args.study.replicates, data_set=args.data_set)
    write_rows(args.output, [row for case in cases for row in case_rows(_results(args), case)])


def standing(args: argparse.Namespace) -> None:
    """Where a method stands among those of a report."""
    from proset_study.report.standing import write_standing
    from proset_study.store.results import read_scores

    rows = [row for file in args.files for row in read_scores(file)]
    write_standing(Path(layout.report(args.study, "")), args.study, rows, args.report)


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
    from proset_study.report.table_files import write_table
    from proset_study.report.tables import study_table

    table = study_table(_stored(args.study), args.name, args.published)
    write_table(Path(layout.report(args.study, layout.TABLES)), table)


def data_set_page(args: argparse.Namespace) -> None:
    """The figures and the page of one data set."""
    part = _stored(args.study.of_data_set(args.data_set))
    _write_report(part, args, None, ["data_sets"], order=args.study.data_sets)


def report(args: argparse.Namespace) -> None:
    """All of the report but its tables, the pages of data sets and the archives of records."""
    _write_report(_stored(args.study), args, args.published, ["manifest", "numbers", "models", "overview"])


def partial(args: argparse.Namespace) -> None:
    """A report of what is finished."""
    from proset_study.store.stored import Finished

    _write_report(Finished(_results(args), args.study), args, args.published, folder=layout.PARTIAL)


def pack(args: argparse.Namespace) -> None:
    """Records of one replicate as one archive."""
    from proset_study.store.packed import pack

    names = layout.record_names(args.study, args.name)
    output = Path(layout.report(args.study, layout.RECORDS, archive=args.name))
    pack(_results(args), names, output, args.name.endswith(layout.FIRST_FITS))


def predictions(args: argparse.Namespace) -> None:
    """Predictions of all final models as Parquet files."""
    from proset_study.report.predictions import write_store

    write_store(Path(layout.report(args.study, layout.STORE)), _stored(args.study), commit() or "")


def merge(args: argparse.Namespace) -> None:
    """Stores of predictions, of several machines, as one; refused if one is damaged or contradicts another."""
    from proset_study.report.predictions import merge_stores

    print(merge_stores(args.stores, args.output))


def release(args: argparse.Namespace) -> None:
    """A report with all that belongs to it as one archive."""
    from proset_study.report.release import release

    print(release(args.report, args.output, Path()))


def article(args: argparse.Namespace) -> None:
    """Typeset the article from the committed records; status 1 if it has a number that is typed by hand."""
    from proset_study.article.build import build

    print(build(Path(), args.output))


def findings(args: argparse.Namespace) -> None:
    """Write the page of findings from its template and the committed records; fails as `article` does."""
    from proset_study.article.page import findings

    args.output.write_text(findings(Path()), encoding="utf-8")


def edges(args: argparse.Namespace) -> None:
    """List where a report has optima at the end of what was tried; status 1 if one of the open track is unexplained."""
    from proset_study.report.edges import explained, in_words, read_edges

    study = Study.of(json.loads((args.report / layout.MANIFEST).read_text(encoding="utf-8"))["config"])
    found = explained(study, read_edges(args.report / layout.EDGES))
    for edge in sorted(found, key=lambda edge: bool(edge["explanation"])):
        print(in_words(edge))
    unexplained = sum(not edge["explanation"] for edge in found)
    summary = f"{args.report}, {study.track}: {len(found)} edges, {unexplained} without an explanation"
    if unexplained and study.track == "open track":
        sys.exit(summary)
    print(summary)


def verify(args: argparse.Namespace) -> None:
    """Compute every number of a report again from its records, repeat some fits; status 1 if anything differs."""
    import tempfile

    from proset_study.verify.limits import bounded
    from proset_study.verify.report import verify

    differences = 0
    with tempfile.TemporaryDirectory() as scratch, bounded(args.minutes, Path(scratch)):
        given = (args.report, args.published, args.refits, args.seed, Path(scratch))
        for line in verify(*given, map(str, args.files), args.archive):
            differences += 1
            print(line)
    checked = args.report or args.archive
    if differences:
        sys.exit(f"{differences} difference(s) in {checked}")
    print(f"{checked}: all that was checked is right")


def restore(args: argparse.Namespace) -> None:
    """The searches of a report below results/, where a run of its study finds them."""
    import tempfile

    from proset_study.verify.restore import restore

    with tempfile.TemporaryDirectory() as scratch:
        n_records, replicates = restore(args.report, Path(scratch), map(str, args.files), args.archive)
    print(f"{n_records:,} records of searches are restored, of replicates {', '.join(map(str, replicates)) or 'none'}")


def verify_release(args: argparse.Namespace) -> None:
    """Check the archive of a release by what is in it alone; status 1 if anything differs."""
    args.report, args.archive = None, args.release
    verify(args)


def _stored(study):
    from proset_study.store.stored import Stored

    return Stored(Path(layout.result(study, "")), study)


def _write_report(stored, args, published, parts=None, folder=layout.REPORTS, order=None):
    import_xgboost_alone()
    from proset_study.report.write import write_report

    write_report(stored, Path(folder.format(study=args.study.name)), published, parts, args.options, order)


def _file(args: argparse.Namespace, template: str) -> Path:
    return Path(layout.result(args.study, template, **_names(args)))


def _names(args: argparse.Namespace) -> dict[str, Any]:
    return {name: value for name, value in vars(args).items() if name != "study"}


def _results(args):
    return Path(layout.result(args.study, ""))


def _inputs(args: argparse.Namespace) -> "tuple[DataSet, np.ndarray]":
    from proset_study.data.dataset import DataSet
    from proset_study.data.splits import read_split

    data = DataSet.load(_file(args, layout.DATA), args.study.metric(args.run, args.data_set))
    return data, read_split(_file(args, layout.SPLIT), len(data.y))


def _origin(args):
    """What every record of a search depends on, besides its own settings."""
    place = (args.replicate, args.data_set, args.run)
    matrix = map(Path, layout.matrix_files(args.study, *place))
    return [_file(args, layout.DATA), _file(args, layout.SPLIT), args.code, args.study.config["seed"], *place, *matrix]


def _case(args: argparse.Namespace) -> "Case":
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
    command("fork-server", fork_server, "socket")
    command("config", config, "files")
    command("data", make_data, *data_set)
    command("dissimilarities", dissimilarities, *data_set, "metric")
    command("openml", openml, "study", "name")
    command("split", make_split, *data_set)
    command("stage1", stage1, *model, "fold", "last-fold", "first", "last", "code")
    command("select-parameters", select_parameters, *model)
    command("stage2", stage2, *model, "first", "last", "code")
    command("select-complexity", select_complexity, *model)
    command("fit", fit, *model)
    command("evaluate", evaluate, *model, "kind")
    command("score", score, "study", "replicate", "experiment")
    command("score-data-set", score_data_set, "study", "data-set")
    command("standing-on", standing_on, "study", "data-set", "report", "output")
    command("standing", standing, "study", "report", "files")
    command("table", table, "study", "name", "published")
    command("data-set-page", data_set_page, "study", "data-set", "options")
    command("report", report, "study", "published", "options")
    command("partial", partial, "study", "published", "options")
    command("pack", pack, "study", "name")
    command("predictions", predictions, "study")
    command("merge", merge, "stores", "output")
    command("release", release, "report", "output")
    command("article", article, "output")
    command("findings", findings, "output")
    command("edges", edges, "report")
    command("verify", verify, "report", "archive", "published", "refits", "seed", "files", "minutes")
    command("restore", restore, "report", "archive", "files")
    command("verify-release", verify_release, "release", "published", "refits", "seed", "files", "minutes")
    return parser


_INTEGER, _PATH, _PATHS, _JSON = (
    {"type": int, "required": True},
    {"type": Path, "required": True},
    {"type": Path, "required": True, "nargs": "+"},
    {"type": json.loads, "required": True},
)


def _count(text: str) -> int:
    if (number := int(text)) < 0:
        raise argparse.ArgumentTypeError(f"{text} is not allowed, must be 0 or more")
    return number


_TEXT = {"required": True}
_OPTIONS: dict[str, dict[str, Any]] = {
    "archive": {"type": Path},
    "code": _TEXT,
    "data-set": _TEXT,
    "experiment": _TEXT,
    "files": {"type": Path, "nargs": "*", "default": []},
    "first": _INTEGER,
    "fold": _INTEGER,
    "kind": _TEXT,
    "last": _INTEGER,
    "last-fold": _INTEGER,
    "metric": _TEXT,
    "minutes": {"type": float, "default": 120.0},
    "name": _TEXT,
    "options": _JSON,
    "output": _PATH,
    "published": _PATH,
    "refits": {"type": _count, "required": True},
    "release": _PATH,
    "replicate": _INTEGER,
    "report": _PATH,
    "run": _TEXT,
    "seed": _INTEGER,
    "socket": _INTEGER,
    "stores": _PATHS,
    "study": _PATH,
}


def main() -> None:
    """Run one command; a wrong input ends with a message and status 1."""
    args = _parser().parse_args()
    start = time.monotonic()
    try:
        check_core()
        if COPIES in os.environ:
            _work_in(Path(os.environ[COPIES]), args)
        if "study" in args:
            args.study = Study.read(args.study)
        args.function(args)
    except ModuleNotFoundError as error:
        sys.exit(f"{error.name} cannot be imported by {sys.executable}; install it with: {install_command()}")
    except (ValueError, ArithmeticError, RuntimeError, OSError, MemoryError, ImportError) as error:
        sys.exit(f"{type(error).__name__}: {error}")
    if what := _what(vars(args)):
        print(f"{sys.argv[1]}: {what}, {time.monotonic() - start:.0f} s", flush=True)


def _work_in(folder, args):
    """Go to the copies of what a job has declared, in which results have the same names; arguments are from here."""
    for name, value in vars(args).items():
        if isinstance(value, Path):
            setattr(args, name, value.resolve())
        elif name == "files":
            setattr(args, name, [path.resolve() for path in value])
    folder.mkdir(parents=True, exist_ok=True)
    os.chdir(folder)


def _what(given):
    """What a job of the workflow was about, for the log of the run."""
    if "study" not in given:
        return given.get("output")
    about = [" on ".join(given[name] for name in ("name", "experiment", "run", "data_set") if name in given)]
    about += [f"{name} {given[name]}" for name in ("replicate", "kind") if name in given]
    if "fold" in given:
        about.append(f"folds {given['fold']} to {given['last_fold']}")
    if "first" in given:
        about.append(f"{'trials' if 'fold' in given else 'folds'} {given['first']} to {given['last']}")
    return ", ".join(filter(None, about)) or given["study"].name


if __name__ == "__main__":
    main()
