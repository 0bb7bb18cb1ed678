"""Check a report from its own records: every number is computed again, some fits are repeated from their seeds.

The report may be from a stranger: see `foreign`. What was checked and what was not is said; not checked are claims.csv,
the features that were selected and the pages, which need the models, and these are not in the records.
"""

import math
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import numpy as np

from proset import arithmetic
from proset_study import evaluations, layout, methods
from proset_study.data.dataset import DataSet
from proset_study.data.sources import make
from proset_study.data.splits import read_split
from proset_study.data.splitting import split
from proset_study.evaluations import KINDS
from proset_study.fingerprints import arithmetic_of, uses_kernel
from proset_study.fits.final import fit_final
from proset_study.fits.search import Case, run_paths, run_trials
from proset_study.fits.selection import select_complexity, select_parameters
from proset_study.layout import belongs
from proset_study.report.comparison import write_comparison
from proset_study.report.evaluation import write_evaluation
from proset_study.report.findings import METHOD_COLUMNS, RULE_COLUMNS, methods_over_replicates, rules
from proset_study.report.manifest import content_hash, fits_and_cost
from proset_study.report.over_data_sets import write_over_data_sets
from proset_study.report.prototypes import write_prototypes
from proset_study.report.tables import study_tables, write_table, write_workbook
from proset_study.seeds import integer_seed
from proset_study.store.packed import records_sha256, unpack
from proset_study.store.results import case_rows, write_rows
from proset_study.store.stored import Final, Stored
from proset_study.verify.foreign import ForeignReport, Refused, checked_study, one_line

NOT_COMPARED = ("resources", "fingerprint", "arithmetic")  # what a fit costs differs from time to time
TOLERANCE = 1e-6  # of numbers that other libraries give on another class of processors, relative and of 1
OLDER = 1e-9  # relative, of numbers that an older arithmetic derived from records
CANCELLED = 1e-11  # absolute, of those that are differences: not in results.csv
NUMBER = re.compile(r"([-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?)")
SHOWN = 10  # differences of one file
MAX_WORKBOOK = 2**26  # bytes of its parts
NOT_CHECKED = "claims.csv, findings/selected_features.csv, index.html, data_sets/, figures/"


def verify(
    report: Path,
    published: Path,
    n_refits: int,
    seed: int,
    scratch: Path,
    files: Iterable[str] = (),
    say: Callable[[str], None] = print,
) -> Iterator[str]:
    """Yield a line for everything that differs; nothing if all is right.

    Parameters
    ----------
    report : Path
        reports/<study>.
    published : Path
        CSV file of the published numbers.
    n_refits : int
        How many records of each kind (trial of stage 1, fold of stage 2, final model) are fitted again.
    seed : int
        Of the selection of these records.
    scratch : Path
        An empty folder; nothing is written elsewhere.
    files : iterable of str
        Files of custom data that may be read, besides those of the report.
    say : callable
        Gets a line for everything that has been checked, and for what has not.
    """
    try:
        foreign = ForeignReport(report)
        manifest = foreign.manifest()
        if manifest["missing"]:
            yield (
                f"{report} is a partial report, {len(manifest['missing'])} final models are missing: it has no records"
            )
            return
        study = checked_study(manifest["config"], files)
        stored = Stored(scratch / study.name, study)
        others = []
        for replicate in study.replicates:
            others += unpack(foreign.path(f"records/replicate_{replicate}.tar.xz"), study, replicate, stored.folder)
    except (OSError, ValueError, MemoryError) as error:
        yield f"{report} is refused: {one_line(error)}"
        return
    made_by = manifest["arithmetic"]["proset"] if "arithmetic" in manifest else None
    same = made_by == arithmetic.name()
    tolerance = 0.0 if same else OLDER
    say(f"data and splits are made again from their seeds, selections and costs from records of {_replicates(study)}")
    if others:
        ignored = f"{len(others)} file(s) in records/ are no records of the config, the first is {min(others)[:200]!r}"
        if made_by is None:
            say(f"{ignored}; they are not read")
        else:
            yield ignored
    complete = True
    for line in _guarded("records", _completeness, stored):
        complete = False
        yield line
    yield from _guarded("data", _data, stored, manifest)
    yield from _guarded("selections", _choices, stored)
    yield from _guarded("costs", _costs, stored, manifest)
    if made_by is not None:
        yield from _guarded("records", _records, stored, manifest)
    exactness = "to the byte" if same else f"text exactly, numbers to a relative difference of {tolerance:g}"
    say(
        "results.csv, comparison.csv, tables/, tables.xlsx, evaluation/ and findings/ are computed again and compared "
        f"{exactness}"
    )
    if not same:
        say(
            f"the arithmetic of the report is {'an older one' if made_by is None else repr(made_by)}, here it is "
            f"{arithmetic.name()}: fits of proset are not repeated"
        )
    for name, check in (("numbers", _numbers), ("tables", _tables), ("workbook", _workbook), ("findings", _findings)):
        yield from _guarded(name, check, stored, foreign, published, tolerance)
    strange = [name for name in sorted(foreign.files) if not belongs(study, name)]
    yield from (f"{name!r} does not belong to the report" for name in strange[:SHOWN])
    if len(strange) > SHOWN:
        yield f"{len(strange) - SHOWN} more files do not belong to the report"
    if n_refits and complete:
        yield from _guarded("refits", _refits, stored, same, n_refits, np.random.default_rng(seed), scratch, say)
    else:
        say("no fit is repeated")
    say(f"not checked: {NOT_CHECKED}{_of_further(study)}")


def _replicates(study):
    return f"replicate{'s' if len(study.replicates) > 1 else ''} {', '.join(map(str, study.replicates))}"


def _of_further(study):
    further = [str(r) for r in study.replicates if r not in study.config["replicates"]]
    names = f"selections, costs and findings/rules.csv of replicate {', '.join(further)}"
    return f", {names} (their archives have no searches)" if further else ""


def _guarded(what, check, stored, *arguments):
    """The lines of a check; one line if the records are so wrong that it fails."""
    try:
        yield from check(stored, *arguments)
    except Refused as error:
        yield str(error)
    except Exception as error:  # a lie in a record can make anything fail
        said = one_line(error).replace(f"{stored.folder}/", "").replace("; remove it and run snakemake again", "")
        yield f"{what} cannot be checked from these records: {type(error).__name__}: {said}"


def _data(stored, manifest):
    """Make the data sets and splits again; the records have no data sets."""
    study, config = stored.study, stored.study.config
    digests = dict(manifest["data_sha256"])
    for file in layout.data_files(study):
        path = stored.folder / (name := str(Path(file).relative_to(f"results/{study.name}")))
        replicate, data_set = int(path.parts[-3].removeprefix("replicate_")), path.parts[-2]
        data = make(study.data_settings(data_set), config["seed"], data_set, replicate)
        data.save(path)
        if content_hash(path) != digests.pop(name, None):
            yield f"{name}: the data made again from the seed differ"
        key = integer_seed(config["seed"], "split", data_set, replicate)
        folds = split(data.y, config["folds"], config["test_fraction"], key, data.test, data.group)
        if not np.array_equal(folds, read_split(path.with_name("split.csv"), len(data.y))):
            yield f"{path.with_name('split.csv').relative_to(stored.folder)}: the split made again differs"
    if digests:
        yield f"manifest.json: data_sha256 has {len(digests)} file(s) that the config does not make, {min(digests)!r}"


def _records(stored, manifest):
    for replicate in stored.replicates:
        if manifest["records_sha256"].get(str(replicate)) != records_sha256(stored.folder, stored.study, replicate):
            yield f"records/replicate_{replicate}.tar.xz: manifest.json has the checksum of other records"


def _completeness(stored):
    """Whether the records are those of the fits that the config asks for."""
    config = stored.study.config
    folds = list(range(config["folds"]))
    for final in _with_searches(stored):
        name, stage2 = _name(stored, final), final.run.stage("stage2", final.data_set)
        sizes = stage2["complexity"] - methods.get(final.run.method).min_complexity + 1
        if final.stage1:
            trials = range(stored.study.n_trials(final.run.name, final.data_set))
            if sorted((r["fold"], r["trial"]) for r in final.trials) != [(f, t) for f in folds for t in trials]:
                yield f"{name}: stage 1 has other records than a trial of the config for each fold"
        if sorted(r["fold"] for r in final.paths) != folds or any(len(r["log_loss"]) != sizes for r in final.paths):
            yield f"{name}: stage 2 has other records than {sizes} sizes for each fold"
    for final in stored.all_finals():
        found = [final.fit[key] for key in ("replicate", "data_set", "run", "method", "complexity")]
        if found != [final.replicate, final.data_set, final.run.name, final.run.method, final.stage2["complexity"]]:
            yield f"{_name(stored, final)}/fit.json: it is the record of another model"


def _with_searches(stored):
    """Final models whose searches are in the archives: not those of additional replicates."""
    return [final for replicate in stored.study.config["replicates"] for final in stored.finals(replicate)]


def _costs(stored, manifest):
    for key in ("cost", "not_converged"):
        if set(manifest[key]) != set(map(str, stored.replicates)):
            yield f"manifest.json: {key} has other replicates than the config"
    for replicate in stored.study.config["replicates"]:
        for key, computed in zip(("cost", "not_converged"), fits_and_cost(stored, replicate), strict=True):
            if computed != (claimed := manifest[key].get(str(replicate))):
                found = f"is {_brief(claimed)}, computed again {_brief(computed)}"
                yield f"manifest.json: {key} of replicate {replicate} {found}"


def _choices(stored):
    for final in _with_searches(stored):
        name, fixed = _name(stored, final), final.run.settings.get("parameters", {})
        if (
            final.stage1
            and select_parameters(final.trials, fixed, final.run.selection_rule, final.run.criterion) != final.stage1
        ):
            yield f"{name}/stage1.json: the selection does not follow from the records"
        if select_complexity(final.paths, final.run.selection_rule, final.run.criterion) != final.stage2:
            yield f"{name}/stage2.json: the selection does not follow from the records"


def _numbers(stored, foreign, published, tolerance):
    study = stored.study
    for replicate in study.replicates:
        for experiment in study.experiments:
            if rows := [row for c in study.cases([replicate], experiment) for row in case_rows(stored.folder, c)]:
                write_rows(stored.folder / f"replicate_{replicate}/{experiment}.csv", rows)
    made = stored.folder / "made"
    write_rows(made / "results.csv", stored.rows)
    write_comparison(made / "comparison.csv", stored, published)
    write_evaluation(made / "evaluation", stored)
    for data_set in study.data_sets:
        if (name := f"data_sets/{data_set}.csv") in foreign.files:  # made only where it was asked for
            cases = study.cases(study.replicates, data_set=data_set)
            write_rows(made / name, [row for case in cases for row in case_rows(stored.folder, case)])
    for path in sorted(path for path in made.rglob("*") if path.is_file()):
        yield from _compare(str(path.relative_to(made)), path, foreign, tolerance)
    lost = [name for name in foreign.files if name.startswith("evaluation/") and not (made / name).exists()]
    yield from (f"{name} does not follow from the records" for name in sorted(lost))


def _tables(stored, foreign, published, tolerance):
    made = stored.folder / "tables"
    for table in study_tables(stored, published):
        if table.cells:
            write_table(table, *(made / f"{table.name}.{suffix}" for suffix in ("md", "csv", "tex")))
            for suffix in ("md", "csv", "tex"):
                name = f"{table.name}.{suffix}"
                yield from _compare(f"tables/{name}", made / name, foreign, tolerance)


def _workbook(stored, foreign, published, tolerance):
    """Every cell; the rest of the file (dates, styles) is not compared."""
    write_workbook(stored.folder / "tables.xlsx", study_tables(stored, published))
    ours, theirs = _sheets(stored.folder / "tables.xlsx"), _sheets(foreign.path("tables.xlsx"))
    absolute = CANCELLED if tolerance else 0.0
    if list(ours) != list(theirs):
        yield "tables.xlsx: sheets differ"
    for name in ours.keys() & theirs.keys():
        if (ours[name].max_row, ours[name].max_column) != (theirs[name].max_row, theirs[name].max_column):
            yield f"tables.xlsx, sheet {name}: the number of rows or columns differs"
            continue
        cells = zip(*(sheet.iter_rows() for sheet in (ours[name], theirs[name])), strict=True)
        differing = [
            (a, b)
            for both in cells
            for a, b in zip(*both, strict=True)
            if "f" in (a.data_type, b.data_type) or not _same(a.value, b.value, tolerance, absolute)
        ]
        for a, b in differing[:SHOWN]:
            found = f"{_brief(b.value)}, computed again {_brief(a.value)}"
            yield f"tables.xlsx, sheet {name}, cell {a.coordinate}: {found}"
        if len(differing) > SHOWN:
            yield f"tables.xlsx, sheet {name}: {len(differing) - SHOWN} more cells differ"


def _sheets(path):
    import zipfile

    from openpyxl import load_workbook

    with zipfile.ZipFile(path) as archive:
        if sum(member.file_size for member in archive.infolist()) > MAX_WORKBOOK:
            raise Refused(f"{path.name}: its parts have more than {MAX_WORKBOOK:,} bytes")
        if any(member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) for member in archive.infolist()):
            raise Refused(f"{path.name}: its parts are compressed in an unusual way")
    return {sheet.title: sheet for sheet in load_workbook(path).worksheets}


def _findings(stored, foreign, published, tolerance):
    made = stored.folder / "findings"
    searched = [str(r) for r in stored.study.config["replicates"]]
    write_rows(made / "rules.csv", rules(stored, stored.study.config["replicates"]), RULE_COLUMNS)
    write_rows(made / "methods.csv", methods_over_replicates(stored), METHOD_COLUMNS)
    write_over_data_sets(made, stored)
    write_prototypes(made / "prototypes.csv", stored)
    for path in sorted(made.iterdir()):
        kept = (lambda line: line.split(",", 1)[0] in (*searched, "replicate")) if path.name == "rules.csv" else None
        yield from _compare(f"findings/{path.name}", path, foreign, tolerance, kept)


def _compare(name, made, foreign, tolerance, kept=None):
    try:
        ours, theirs = (text.split("\n") for text in (made.read_bytes().decode("utf-8"), foreign.text(name)))
    except Refused as error:
        yield str(error)
        return
    if kept is not None:
        theirs = [*filter(kept, theirs[:-1]), *theirs[-1:]]
    if len(ours) != len(theirs):
        yield f"{name}: {len(theirs) - 1} lines, computed again {len(ours) - 1}"
    absolute = 0.0 if name == "results.csv" else CANCELLED
    differing = [
        (number, a, b)
        for number, (a, b) in enumerate(zip(ours, theirs, strict=False), start=1)
        if a != b and not (tolerance and _same(_pieces(a), _pieces(b), tolerance, absolute))
    ]
    for number, a, b in differing[:SHOWN]:
        yield f"{name}, line {number}: {_brief(b)}, computed again {_brief(a)}"
    if len(differing) > SHOWN:
        yield f"{name}: {len(differing) - SHOWN} more lines differ"


def _pieces(line):
    """Text and numbers of a line in turn, the numbers as such."""
    return [float(piece) if i % 2 else piece for i, piece in enumerate(NUMBER.split(line))]


def _same(a, b, relative, absolute):
    """Whether two JSON values are the same; floats may differ by the one tolerance or the other."""
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(_same(a[key], b[key], relative, absolute) for key in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(_same(x, y, relative, absolute) for x, y in zip(a, b, strict=True))
    if isinstance(a, bool) or isinstance(b, bool) or not isinstance(a, float | int) or not isinstance(b, float | int):
        return type(a) is type(b) and a == b
    return a == b or math.isclose(a, b, rel_tol=relative, abs_tol=absolute)


def _refits(stored, same, n_refits, rng, scratch, say):
    searched = [f for f in _with_searches(stored) if same or not uses_kernel(f.run.method)]
    trials = [f for f in searched if stored.study.stage1_run(f.run) is f.run]
    finals = [f for f in stored.all_finals() if same or not uses_kernel(f.run.method)]
    repeated = {True: 0, False: 0}
    for kind, group, refit in (("trial", trials, _trial), ("fold", searched, _fold), ("final model", finals, _final)):
        for i in rng.choice(len(group), min(n_refits, len(group)), replace=False) if group else ():
            repeated[exact := _is_exact(group[i])] += 1
            for difference in refit(stored, group[i], rng, scratch, 0.0 if exact else TOLERANCE):
                yield f"{_name(stored, group[i])}, {kind} {difference}"
    for kind in KINDS:  # one of each kind, because they are many fits each
        if evaluated := [f for f in stored.evaluated(kind) if same or not uses_kernel(f.run.method)]:
            final = evaluated[rng.integers(len(evaluated))]
            repeated[exact := _is_exact(final)] += 1
            for difference in _evaluation(stored, final, kind, 0.0 if exact else TOLERANCE):
                yield f"{_name(stored, final)}, {kind} {difference}"
    if repeated[True]:
        say(f"{repeated[True]} fits and evaluations are repeated and compared exactly")
    if repeated[False]:
        say(
            f"{repeated[False]} fits and evaluations of other methods are repeated and compared to a difference of "
            f"{TOLERANCE:g}: the libraries behind them ran on another class of processors, or were not pinned"
        )


def _is_exact(final):
    """Whether a repeated fit must give the same bits as the recorded one."""
    return final.fit.get("arithmetic") == arithmetic_of(final.run.method)


def _trial(stored, final: Final, rng, scratch, tolerance):
    recorded = final.trials[rng.integers(len(final.trials))]
    fold, trial = recorded["fold"], recorded["trial"]
    settings = final.run.stage("stage1", final.data_set)
    kept = scratch / f"trials of {final.data_set} {final.run.name} {fold}"
    (again,) = run_trials(*_inputs(final), fold, range(trial, trial + 1), settings, _case(stored, final), kept, [])
    yield from _differences(f"{trial} of fold {fold}", recorded, again, tolerance)


def _fold(stored, final: Final, rng, scratch, tolerance):
    recorded = final.paths[rng.integers(len(final.paths))]
    fold, settings = recorded["fold"], final.run.stage("stage2", final.data_set)
    kept, folds = scratch / f"folds of {final.data_set} {final.run.name}", range(fold, fold + 1)
    (again,) = run_paths(*_inputs(final), folds, settings, _chosen(final), _case(stored, final), kept, [])
    yield from _differences(f"{fold}", recorded, again, tolerance)


def _final(stored, final: Final, rng, scratch, tolerance):
    parameters = {**final.run.stage("stage2", final.data_set)["parameters"], **_chosen(final)}
    again, _, probabilities = fit_final(
        *_inputs(final), parameters, final.stage2["complexity"], _case(stored, final), scratch / "model.npz"
    )
    yield from _differences("", final.fit, again, tolerance)
    if not np.allclose(probabilities, final.probabilities, rtol=tolerance, atol=tolerance):
        yield f"predicts differently, by up to {np.abs(probabilities - final.probabilities).max():.1e}"


def _evaluation(stored, final: Final, kind, tolerance):
    study, case = stored.study, _case(stored, final)
    settings, source = study.evaluation_settings(kind), study.config["data_sets"][final.data_set]
    again = evaluations.get(kind).evaluate(*_inputs(final), final.fit, settings, case, source)
    yield from _differences("", final.evaluation(kind), again, tolerance)


def _differences(which, recorded, again, tolerance):
    """What differs; a record without a name of its arithmetic is an older one, which lacks what came later."""
    for key in sorted({*recorded, *(again if "arithmetic" in recorded else ())} - set(NOT_COMPARED)):
        absolute = 0.0 if key == "parameters" else tolerance
        if key not in recorded or key not in again or not _same(recorded[key], again[key], tolerance, absolute):
            found = f"{key} is {_brief(recorded.get(key))}, fitted again {_brief(again.get(key))}"
            yield f"{which}: {found}".lstrip(": ")


def _brief(value):
    """A value in one line without control characters."""
    text = repr(value)
    return text if len(text) <= 300 else f"{text[:300]}..."


def _inputs(final) -> tuple[DataSet, np.ndarray]:
    return final.data, final.folds


def _chosen(final):
    return final.stage1["parameters"] if final.stage1 else {}


def _case(stored, final):
    return Case(stored.study.config["seed"], final.replicate, final.data_set, final.run.name, final.run.method)


def _name(stored, final):
    return str(final.folder.relative_to(stored.folder))
