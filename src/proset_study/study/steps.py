"""The steps to a final model, each a command of the workflow; `run_case` takes them in order."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from proset_study import methods
from proset_study.base.environment import import_xgboost_alone
from proset_study.base.records import fingerprint, read_all, read_json, write_json, write_json_lines
from proset_study.base.seeds import integer_seed
from proset_study.data.dataset import DataSet, MissingValues
from proset_study.data.download import download
from proset_study.data.matrix import write_matrix
from proset_study.data.openml import TABLE, table_of
from proset_study.data.sources import make
from proset_study.data.splits import TEST, read_split, write_split
from proset_study.data.splitting import split
from proset_study.data.table_file import located
from proset_study.data.time_splitting import split_in_time
from proset_study.fits import evaluations, selection
from proset_study.fits.final import fit_final, refit_final, write_predictions
from proset_study.fits.search import Case, run_paths, run_trials
from proset_study.study import all_runs, blocks, layout
from proset_study.study.config.study import Study
from proset_study.study.fingerprints import arithmetic_of, key
from proset_study.study.finished import data_files, key_in
from proset_study.study.layout import Place


def run_case(study: Study, replicate: int, data_set: str, run: str) -> None:
    """Search, fit and predict as the rules of the workflow do, for a run on a data set that `prepare_data_set` made."""
    settings = study.runs[run]
    place, code = Place(study, replicate, data_set, run), key("search", method=settings.method)
    place.file(layout.FIT).parent.mkdir(parents=True, exist_ok=True)
    source = study.stage1_run(settings)
    if source is not None:
        if source is settings or source.name not in all_runs.runs_on(study, replicate, data_set):
            numbers = blocks.whole(study, "stage1", source.name, data_set)._asdict()
            stage1(*place._replace(run=source.name), **numbers, code=key("search", method=source.method))
        select_parameters(*place)
    stage2(*place, **blocks.whole(study, "stage2", run, data_set)._asdict(), code=code)
    select_complexity(*place)
    fit(*place)


def run_all(study: Study, replicate: int, data_set: str, code: str) -> None:
    """Make a data set, and search, fit and evaluate all that is run on it, as far as that is not done already.

    `code` is what `all_runs.key_of_all` was when the job was planned: from then on this process has the modules.
    """
    if all_runs.key_of_all(study, replicate, data_set) != code:
        raise RuntimeError("the code has changed since the run was planned; give the same command again")
    import_xgboost_alone()  # before another method imports what makes that slow
    place, failures, results = Place(study, replicate, data_set), dict[str, str](), list[str]()
    table = study.data_settings(data_set).get("file")
    key_of_data = fingerprint(all_runs.data_key(study, data_set), *([located(table)] if table else []))
    files, runs = data_files(place), all_runs.runs_on(study, replicate, data_set)
    _once(place.file(layout.DATA_DONE), key_of_data, files, prepare_data_set, study, replicate, data_set)
    for run in runs:
        source = study.stage1_run(study.runs[run])
        if source is not None and source.name in failures:  # its records may be those of an earlier config
            failures[run] = f"it takes parameters from {source.name}"
            continue
        try:
            results += _run_and_evaluate(place._replace(run=run), [Path(file) for file in files])
        except Exception as error:  # the others are made, whatever a library raises
            failures[run] = f"{type(error).__name__}: {error}"
    if failures:
        named = ", ".join(f"{run} ({why.splitlines()[0]})" for run, why in failures.items())
        last = f"{len(failures)} of {len(runs)} runs failed: {named}"  # the line of the log that a summary takes
        raise RuntimeError("\n".join([*(f"{run}: {why}" for run, why in failures.items()), last]))
    # Snakemake compares the content of small files: without a change of this one nothing after it would be made again.
    write_json(place.file(layout.ALL_RUNS), {"fingerprint": code, "results": fingerprint(results)})


def _run_and_evaluate(place: Place, data: list[Path]) -> list[str]:
    """Make the final model and its evaluations; gives their keys."""
    study, _, data_set, run = place
    files = [file for rule, made in place.steps() if rule not in ("data", "split", "dissimilarities") for file in made]
    key_of_run = all_runs.stored_run_key(study, run, data_set, data)
    _once(place.file(layout.RUN_DONE), key_of_run, files, run_case, *place)
    keys = [key_of_run]
    for kind in all_runs.kinds_of(study, int(place.replicate), data_set, run):
        key_of_kind = all_runs.stored_evaluation_key(study, run, data_set, kind, key_of_run)
        record = place.name(layout.EVALUATION, kind=kind)
        _once(place.file(layout.EVALUATION_DONE, kind=kind), key_of_kind, [record], evaluate, *place, kind)
        keys.append(key_of_kind)
    return keys


def _once(done: Path, wanted: str, files: list[str], make: Callable[..., None], *arguments: Any) -> None:
    """Make some files, unless they are there and `done` says that they were made for the same key.

    `done` is there from the first moment on, without a key: Snakemake would take what was left of a job that ended
    before for its own, and for up to date (see `all_runs.in_one_job`).
    """
    if key_in(done) == wanted and all(Path(file).exists() for file in files):
        return
    write_json(done, {"fingerprint": None})
    make(*arguments)
    write_json(done, {"fingerprint": wanted})


def prepare_data_set(study: Study, replicate: int, data_set: str) -> None:
    """Make a data set, its dissimilarities and its split."""
    place = Place(study, replicate, data_set)
    place.file(layout.DATA).parent.mkdir(parents=True, exist_ok=True)
    make_data(study, replicate, data_set)
    for metric in study.stored_metrics(data_set):
        dissimilarities(study, replicate, data_set, metric)
    make_split(study, replicate, data_set)


def openml(study: Study, name: str) -> None:
    """Download a data set of OpenML."""
    table = TABLE.format(name=name)
    wanted: dict = {}
    for settings in study.config["data_sets"].values():
        if "openml" in settings and table_of(settings["openml"]) == table:
            wanted |= settings["openml"]
    loaded = download(wanted, table)
    print(f"openml: {table}, " + ", ".join(f"{key}: {loaded[key]}" for key in ("name", "version", "md5", "licence")))


def data(study: Study, replicate: int, data_set: str) -> None:
    """Make or load a data set whose searches are jobs.

    What one job left in its folder (see `all_runs.in_one_job`) says nothing of what is made there from now on.
    """
    place = Place(study, replicate, data_set)
    left = [place.file(template) for template in (layout.ALL_RUNS, layout.DATA_DONE)]
    for of_run in (place._replace(run=run) for run in study.runs):  # by name: with a bucket the folder is not all there
        left += [of_run.file(layout.RUN_DONE)]
        left += [of_run.file(layout.EVALUATION_DONE, kind=kind) for kind in evaluations.KINDS]
    for file in left:
        file.unlink(missing_ok=True)
    make_data(study, replicate, data_set)


def make_data(study: Study, replicate: int, data_set: str) -> None:
    """Make or load a data set."""
    try:
        data = make(study.data_settings(data_set), study.config["seed"], data_set, replicate)
    except MissingValues as error:
        needing, able = study.needing_numbers(data_set), methods.for_mixed()
        remedy = f"without it {', '.join(needing)} cannot be run, whose methods are not among {', '.join(able)}"
        raise ValueError(f"{error}; {remedy}") from error
    data.save(Place(study, replicate, data_set).file(layout.DATA))


def dissimilarities(study: Study, replicate: int, data_set: str, metric: str) -> None:
    """Compute or check the dissimilarities of all samples of a data set."""
    place = Place(study, replicate, data_set)
    data, output = DataSet.load(place.file(layout.DATA)), place.file(layout.DISSIMILARITIES, metric=metric)
    try:
        write_matrix(output, data, study.metric_settings(metric, data_set), study.data_settings(data_set))
    except ValueError as error:
        raise ValueError(f"data_sets.{data_set}: {error}") from error


def make_split(study: Study, replicate: int, data_set: str) -> None:
    """Split a data set into folds and test part."""
    place = Place(study, replicate, data_set)
    data = DataSet.load(place.file(layout.DATA))
    try:
        _check_training_groups(data, study.config["folds"])
        folds = split_of(study, replicate, data_set, data)
        _check_weights(data, folds, study.config["folds"])
    except ValueError as error:
        raise ValueError(f"data_sets.{data_set}: {error}") from error
    write_split(place.file(layout.SPLIT), folds)


def _check_training_groups(data: DataSet, n_folds: int) -> None:
    """Refuse (ValueError) a given training part with a class in too few groups; `split` sees to those that it draws."""
    if data.test is None or data.group is None:
        return
    for k, name in enumerate(data.class_names):
        n_groups = len(np.unique(data.group[(data.y == k) & ~data.test]))
        if n_groups < n_folds:
            raise ValueError(
                f"folds: {n_folds} is more than the {n_groups} groups with class {str(name)!r} in the training part; "
                "fewer folds, or smaller groups"
            )


def _check_weights(data: DataSet, folds: np.ndarray, n_folds: int) -> None:
    """Refuse (ValueError) a fold in which all weights are 0, and a test part in which those of a class are."""
    if data.sample_weight is None:
        return
    counts = data.sample_weight > 0
    if empty := sorted(set(range(n_folds)) - set(folds[counts].tolist())):
        raise ValueError(
            f"weight: fold {empty[0]} has no row of positive weight to score; fewer folds, or other weights"
        )
    if len(absent := np.setdiff1d(data.y, data.y[counts & (folds == TEST)])):
        raise ValueError(
            f"weight: the test part has no row of positive weight of class {str(data.class_names[absent[0]])!r}"
        )


def split_of(study: Study, replicate: int, data_set: str, data: DataSet) -> np.ndarray:
    """The fold of each row, `TEST` for the test part, as the config asks for it; shape (N,)."""
    n_folds, test_fraction = study.config["folds"], study.config["test_fraction"]
    if "time" in study.config["data_sets"][data_set]:
        return split_in_time(data.y, n_folds, test_fraction, data.group, data.class_names)
    seed = integer_seed(study.config["seed"], "split", data_set, replicate)
    return split(data.y, n_folds, test_fraction, seed, data.test, data.group)


def stage1(
    study: Study,
    replicate: int,
    data_set: str,
    run: str,
    first_fold: int,
    last_fold: int,
    first_trial: int,
    last_trial: int,
    code: str,
    part_folds: int = 0,
    part_trials: int = 0,
) -> None:
    """Fit and score some trials on some folds, or put the records of other jobs of this size together."""
    place = Place(study, replicate, data_set, run)
    block = blocks.Block(first_fold, last_fold, first_trial, last_trial)
    if part_folds:
        files = place.part_files("stage1", blocks.cut(block, part_folds, part_trials))
        records = read_all(files, fold=last_fold + 1, trial=last_trial + 1)
        records.sort(key=lambda record: (record["fold"], record["trial"]))
    else:
        records = _fitted_trials(place, range(first_fold, last_fold + 1), range(first_trial, last_trial + 1), code)
    write_json_lines(place.file(layout.TRIALS, **block._asdict()), records)


def _fitted_trials(place: Place, folds: range, trials: range, code: str) -> list[dict]:
    """The records of some trials on some folds; all that can be fitted is kept."""
    inputs, origin, case = _inputs(place), place.origin(code), _case(place)
    settings = place.study.stage1_settings(place.run, place.data_set)
    records, failures = [], []
    for fold in folds:
        kept = place.file(layout.TRIAL, fold=fold, trial=0).parent
        try:
            records += run_trials(*inputs, fold, trials, settings, case, kept, [*origin, fold])
        except RuntimeError as error:
            failures.append(f"fold {fold}: {error}")
    if failures:
        raise RuntimeError("\n".join(failures))
    return records


def select_parameters(study: Study, replicate: int, data_set: str, run: str) -> None:
    """Select the parameters from all records of stage 1."""
    place, settings = Place(study, replicate, data_set, run), study.runs[run]
    records = read_all(place.trial_files(), trial=study.n_trials(run, data_set), fold=study.config["folds"])
    fixed, rule = study.fixed_parameters(run, data_set), settings.selection_rule
    write_json(place.file(layout.PARAMETERS), selection.select_parameters(records, fixed, rule, settings.criterion))


def stage2(
    study: Study,
    replicate: int,
    data_set: str,
    run: str,
    first_fold: int,
    last_fold: int,
    code: str,
    part_folds: int = 0,
) -> None:
    """Fit some folds up to the largest complexity and score every one, or put records of other jobs together."""
    place = Place(study, replicate, data_set, run)
    if part_folds:
        files = place.part_files("stage2", blocks.cut(blocks.Folds(first_fold, last_fold), part_folds))
        records = read_all(files, fold=last_fold + 1)
    else:
        folds, settings = range(first_fold, last_fold + 1), study.stage2_settings(run, data_set)
        kept, origin = place.file(layout.PATH, fold=0).parent, place.origin(code)
        records = run_paths(*_inputs(place), folds, settings, _selected(place), _case(place), kept, origin)
    write_json_lines(place.file(layout.PATHS, first_fold=first_fold, last_fold=last_fold), records)


def select_complexity(study: Study, replicate: int, data_set: str, run: str) -> None:
    """Select the complexity from the records of all folds."""
    place, settings = Place(study, replicate, data_set, run), study.runs[run]
    records = read_all(place.path_files(), fold=study.config["folds"])
    selected = selection.select_complexity(records, settings.size_rule, settings.criterion)
    write_json(place.file(layout.COMPLEXITY), selected)


def fit(study: Study, replicate: int, data_set: str, run: str) -> None:
    """Fit the final model, predict the test part."""
    place = Place(study, replicate, data_set, run)
    (data, folds), case = _inputs(place), _case(place)
    complexity = read_json(place.file(layout.COMPLEXITY))["complexity"]
    parameters = {**study.stage2_settings(run, data_set)["parameters"], **_selected(place)}
    record, rows, probabilities = fit_final(data, folds, parameters, complexity, case, place.file(layout.MODEL))
    record["refits"], others = refit_final(data, folds, record, case, range(1, study.final_fits(run)))
    weight = None if data.sample_weight is None else data.sample_weight[rows]
    write_predictions(place.file(layout.PREDICTIONS), rows, data.y[rows], [probabilities, *others], weight)
    write_json(place.file(layout.FIT), record)


def evaluate(study: Study, replicate: int, data_set: str, run: str, kind: str) -> None:
    """Evaluate a final model in one of the ways of docs/evaluation.md."""
    place = Place(study, replicate, data_set, run)
    final, settings = read_json(place.file(layout.FIT)), study.evaluation_settings(kind)
    source = study.data_settings(data_set)
    record = evaluations.get(kind).evaluate(*_inputs(place), final, settings, _case(place), source)
    write_json(place.file(layout.EVALUATION, kind=kind), record)


def _inputs(place: Place) -> tuple[DataSet, np.ndarray]:
    data = DataSet.load(place.file(layout.DATA), place.study.metric(place.run, place.data_set))
    return data, read_split(place.file(layout.SPLIT), len(data.y))


def _case(place: Place) -> Case:
    study, replicate, data_set, run = place
    method = study.runs[run].method
    methods.get(method).prepare_process()
    return Case(study.config["seed"], replicate, data_set, run, method, arithmetic_of(method))


def _selected(place: Place) -> dict:
    """Parameters that stage 1 selected, if there is a stage 1."""
    files = place.parameter_files()
    return read_json(files[0])["parameters"] if files else {}
