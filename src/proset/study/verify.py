"""Check a report from its own records: every number is computed again, some fits are repeated from their seeds.

That is results.csv, comparison.csv, all tables, evaluation/, and what the fits cost. Not checked are claims.csv,
findings/ and the pages, some of whose statements need the models, which the records do not hold, and how further
replicates chose their parameters and what they cost: their archives leave out the single fits of the searches.
"""

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from proset.kernel import is_compiled
from proset.study.config import Study
from proset.study.datasets import DataSet, make
from proset.study.evaluations import KINDS
from proset.study.evaluations.bias_variance import bias_variance
from proset.study.evaluations.bootstrap import bootstrap
from proset.study.evaluations.learning_curve import learning_curve
from proset.study.final import fit_final
from proset.study.manifest import content_hash, fits_and_cost
from proset.study.packed import unpack
from proset.study.records import read_json
from proset.study.report.comparison import write_comparison
from proset.study.report.evaluation import write_evaluation
from proset.study.report.stored import Final, Stored
from proset.study.report.tables import study_tables, write_table
from proset.study.results import case_rows, write_rows
from proset.study.search import Case, choose_parameters, choose_steps, run_paths, run_trials
from proset.study.seeds import integer_seed
from proset.study.splits import read_split, split

NOT_COMPARED = ("resources", "fingerprint")  # what a fit costs differs from time to time


def verify(report: Path, published: Path, n_refits: int, seed: int) -> Iterator[str]:
    """Yield a line for everything that differs; nothing if all is right.

    Parameters
    ----------
    report : Path
        reports/<study>, with manifest.json, results.csv, comparison.csv, tables/ and records/.
    published : Path
        CSV file of the published numbers.
    n_refits : int
        How many records of each kind (trial of stage 1, fold of stage 2, final model) are fitted again.
    seed : int
        Of the choice of these records.
    """
    manifest = read_json(report / "manifest.json")
    if manifest["missing"]:
        yield f"{report} is a partial report, {len(manifest['missing'])} final models are missing: it has no records"
        return
    study = Study.of(manifest["config"])
    with tempfile.TemporaryDirectory() as scratch:
        stored = Stored(Path(scratch, study.name), study)
        for archive in sorted((report / "records").glob("replicate_*.tar.xz")):
            unpack(archive, stored.folder)
        yield from _data(stored, manifest)
        yield from _choices(stored)
        yield from _numbers(stored, report, published)
        yield from _costs(stored, manifest)
        yield from _refits(stored, manifest, n_refits, np.random.default_rng(seed))


def _data(stored, manifest):
    """Make the data sets and splits again; the records have no data sets."""
    config = stored.study.config
    for name, digest in manifest["data_sha256"].items():
        path = stored.folder / name
        replicate, data_set = int(path.parts[-3].removeprefix("replicate_")), path.parts[-2]
        settings = json.loads(stored.study.data_settings(data_set))
        data = make(settings, config["seed"], data_set, replicate)
        path.parent.mkdir(parents=True, exist_ok=True)
        data.save(path)
        if content_hash(path) != digest:
            yield f"{name}: the data made again from the seed differ"
        key = integer_seed(config["seed"], "split", data_set, replicate)
        folds = split(data.y, config["folds"], config["test_fraction"], key, data.test, data.group)
        if not np.array_equal(folds, read_split(path.with_name("split.csv"), len(data.y))):
            yield f"{path.with_name('split.csv').relative_to(stored.folder)}: the split made again differs"


def _with_searches(stored):
    """Final models whose searches are in the archives: not those of further replicates."""
    return [final for replicate in stored.study.config["replicates"] for final in stored.finals(replicate)]


def _costs(stored, manifest):
    for replicate in stored.study.config["replicates"]:
        cost, not_converged = fits_and_cost(stored, replicate)
        claimed = manifest["cost"][str(replicate)]
        if (cost, not_converged) != (claimed, manifest["not_converged"][str(replicate)]):
            yield f"manifest.json: cost of replicate {replicate} is {claimed}, computed again {cost}"


def _choices(stored):
    for final in _with_searches(stored):
        name, fixed = _name(stored, final), final.run.settings.get("parameters", {})
        if final.stage1 and choose_parameters(final.trials, fixed, final.run.rule) != final.stage1:
            yield f"{name}/stage1.json: the choice does not follow from the records"
        if choose_steps(final.paths, final.run.rule) != final.stage2:
            yield f"{name}/stage2.json: the choice does not follow from the records"


def _numbers(stored, report, published):
    study = stored.study
    there = {(f.replicate, f.run.name, f.data_set) for f in stored.all_finals()}
    for replicate in study.replicates:
        for experiment in study.experiments:
            cases = json.loads(study.cases([replicate], experiment))
            cases = [case for case in cases if (replicate, case["run"], case["dataset"]) in there]
            if rows := [row for case in cases for row in case_rows(stored.folder, case)]:
                write_rows(stored.folder / f"replicate_{replicate}/{experiment}.csv", rows)
    write_rows(stored.folder / "results.csv", stored.rows)
    write_comparison(stored.folder / "comparison.csv", stored, published)
    for name in ("results.csv", "comparison.csv"):
        yield from _lines(name, (stored.folder / name).read_text(encoding="utf-8"), report / name)
    for table in study_tables(stored, published):
        if table.cells:
            write_table(table, *(stored.folder / f"{table.name}.{suffix}" for suffix in ("md", "csv", "tex")))
            for suffix in ("md", "csv", "tex"):
                computed = (stored.folder / f"{table.name}.{suffix}").read_text(encoding="utf-8")
                yield from _lines(f"tables/{table.name}.{suffix}", computed, report / f"tables/{table.name}.{suffix}")
    write_evaluation(stored.folder / "evaluation", stored)
    computed = {path.name: path.read_text(encoding="utf-8") for path in (stored.folder / "evaluation").iterdir()}
    for name in sorted({*computed, *(path.name for path in report.glob("evaluation/*.csv"))}):
        yield from _lines(f"evaluation/{name}", computed.get(name, ""), report / "evaluation" / name)


def _lines(name, computed, path):
    if not path.exists():
        yield f"{name} is missing"
        return
    ours, theirs = computed.splitlines(), path.read_text(encoding="utf-8").splitlines()
    if len(ours) != len(theirs):
        yield f"{name}: {len(theirs)} lines, computed again {len(ours)}"
    for number, (a, b) in enumerate(zip(ours, theirs, strict=False), start=1):
        if a != b:
            yield f"{name}, line {number}: {b!r}, computed again {a!r}"


def _refits(stored, manifest, n_refits, rng):
    if manifest["kernel"] != ("compiled" if is_compiled() else "NumPy"):
        yield f"fits are not repeated: the study used the {manifest['kernel']} kernel, which is not the one here"
        return
    folds = _with_searches(stored)
    trials = [f for f in folds if stored.study.stage1_run(f.run) is f.run]
    groups = (("trial", trials, _trial), ("fold", folds, _fold), ("final model", stored.all_finals(), _final))
    for kind, group, refit in groups:
        for i in rng.choice(len(group), min(n_refits, len(group)), replace=False):
            for difference in refit(stored, group[i], rng):
                yield f"{_name(stored, group[i])}, {kind} {difference}"
    for kind in KINDS if n_refits else ():  # one of each kind, because they are many fits each
        if evaluated := stored.evaluated(kind):
            final = evaluated[rng.integers(len(evaluated))]
            for difference in _evaluation(stored, final, kind):
                yield f"{_name(stored, final)}, {kind} {difference}"


def _trial(stored, final: Final, rng):
    recorded = final.trials[rng.integers(len(final.trials))]
    fold, trial = recorded["fold"], recorded["trial"]
    settings = final.run.stage("stage1", final.data_set)
    with tempfile.TemporaryDirectory() as folder:
        (again,) = run_trials(
            *_inputs(final), fold, range(trial, trial + 1), settings, _case(stored, final), Path(folder), []
        )
    yield from _differences(f"{trial} of fold {fold}", recorded, again)


def _fold(stored, final: Final, rng):
    recorded = final.paths[rng.integers(len(final.paths))]
    fold, settings = recorded["fold"], final.run.stage("stage2", final.data_set)
    with tempfile.TemporaryDirectory() as folder:
        (again,) = run_paths(
            *_inputs(final), range(fold, fold + 1), settings, _chosen(final), _case(stored, final), Path(folder), []
        )
    yield from _differences(f"{fold}", recorded, again)


def _final(stored, final: Final, rng):
    parameters = {**final.run.stage("stage2", final.data_set)["parameters"], **_chosen(final)}
    with tempfile.TemporaryDirectory() as folder:
        again, _, probabilities = fit_final(
            *_inputs(final), parameters, final.stage2["steps"], _case(stored, final), Path(folder, "model.npz")
        )
    yield from _differences("", final.fit, again)
    if not np.array_equal(probabilities, final.probabilities):
        yield f"predicts differently, by up to {np.abs(probabilities - final.probabilities).max():.1e}"


def _evaluation(stored, final: Final, kind):
    study, case = stored.study, _case(stored, final)
    settings = json.loads(study.evaluation_settings(kind))
    if kind == "bias_variance":
        again = bias_variance(final.fit, study.config["data_sets"][final.data_set], settings, case)
    else:
        evaluate = {"learning_curve": learning_curve, "bootstrap": bootstrap}[kind]
        again = evaluate(*_inputs(final), final.fit, settings, case)
    yield from _differences("", final.evaluation(kind), again)


def _differences(which, recorded, again):
    for key in recorded:
        if key not in NOT_COMPARED and recorded[key] != again[key]:
            yield f"{which}: {key} is {recorded[key]!r}, fitted again {again[key]!r}".lstrip(": ")


def _inputs(final) -> tuple[DataSet, np.ndarray]:
    return final.data, final.folds


def _chosen(final):
    return final.stage1["parameters"] if final.stage1 else {}


def _case(stored, final):
    return Case(stored.study.config["seed"], final.replicate, final.data_set, final.run.name, final.run.method)


def _name(stored, final):
    return str(final.folder.relative_to(stored.folder))
