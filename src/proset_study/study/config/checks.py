"""The check of a config before anything runs: its form, then what it means."""

import math
import re
from collections.abc import Iterable, Iterator

from proset_study import methods
from proset_study.base import additions
from proset_study.base.records import file_digest
from proset_study.data import generators
from proset_study.data.cards import own_card
from proset_study.data.openml import description, differences, table_of
from proset_study.data.sizes import SKLEARN, size_of
from proset_study.data.table_file import MAX_BYTES, check_file
from proset_study.fits import evaluations
from proset_study.methods.base import largest_complexity
from proset_study.study.config.halves import SEALED, written_out
from proset_study.study.config.metrics import MATRIX, kind_of, metric_errors
from proset_study.study.config.runs import Run, selected_data_sets
from proset_study.study.config.schema import schema_errors
from proset_study.study.config.study import Study

RESERVED = {  # names of rules
    *("all", "downloads", "openml", "study", "standing", "standing_on", "partial", "predictions", "pack", "report"),
    *("data", "dissimilarities", "split", "stage1", "select_parameters", "stage2", "select_complexity"),
    *("fit", "evaluate", "all_runs", "all_data_sets", "score", "score_data_set", "table", "data_set_page"),
}

_CHANGEABLE = {"trials", "complexity", "space", "parameters"}  # by overrides
_OF_COLUMNS = ("drop", "threshold", "categorical", "impute", "items")  # settings of a table


class ConfigError(ValueError):
    """The config is wrong; the message names the key, what was given and what is allowed."""


def load(config: dict) -> Study:
    """Check a config and give the study it describes; a ConfigError lists everything that is wrong."""
    errors = list(dict.fromkeys(schema_errors(config))) or list(_suite_errors(config))
    if not errors:
        config = written_out(config)
        errors = list(dict.fromkeys(_meaning_errors(config))) or list(dict.fromkeys(metric_errors(config)))
    if errors := errors or list(_data_errors(Study.of(config))):
        raise ConfigError("the config is refused:\n" + "\n".join(f"- {e}" for e in errors))
    return Study.of(config)


def _refused(where: str, value: object, reason: str) -> str:
    return f"{where}: {value!r} is not allowed, {reason}"


def _not_among(where: str, value: object, allowed: Iterable[str]) -> str:
    return _refused(where, value, f"allowed are {', '.join(allowed) or 'none'}")


def _unknown(where: str, kind: str, names: Iterable[str], known: Iterable[str]) -> Iterator[str]:
    """For each of the names that is not known."""
    return (f"{where}: unknown {kind} {name!r}, allowed are {', '.join(known)}" for name in names if name not in known)


def _suite_errors(config) -> Iterator[str]:
    suite = config.get("suite", {})
    if suite and "only" in config:
        yield "only: not allowed together with suite, which says what is run"
    without, known = suite.get("without", {}), config["data_sets"]
    yield from _unknown("suite.experiments", "experiment", suite.get("experiments", []), config["experiments"])
    yield from _unknown("suite.without", "experiment", without, suite.get("experiments", []))
    for key in ("data_sets", "drawn_from", "used"):
        yield from _unknown(f"suite.{key}", "data set", suite.get(key, []), known)
    if "half" in suite:
        if "drawn_from" not in suite:
            yield "suite.drawn_from: missing, the halves are drawn from it"
        else:
            yield from _unknown("suite.data_sets", "data set", suite.get("data_sets", []), suite["drawn_from"])
        if (suite["half"] == SEALED) != config.get("study", "").endswith(f"_{SEALED}"):
            named = f"a study that runs the sealed half is named ..._{SEALED}, and no other one"
            yield f"suite.half: {suite['half']!r} is not allowed, {named}"
    for name, data_sets in without.items():
        yield from _unknown(f"suite.without.{name}", "data set", data_sets, known)


def _meaning_errors(config) -> Iterator[str]:
    experiments, of_replicates = config["experiments"], config.get("additional_replicates", {"numbers": [], "only": {}})
    yield from additions.errors()
    yield from _name_errors(config)
    for number in of_replicates["numbers"]:
        if number in config["replicates"]:
            yield _refused("additional_replicates.numbers", number, "it is one of replicates already")
    for where, only in (("only", config.get("only", {})), ("additional_replicates.only", of_replicates["only"])):
        yield from _unknown(where, "experiment", only, experiments)
        for experiment, names in only.items():
            known = experiments.get(experiment, {"data_sets": names})["data_sets"]
            yield from _unknown(f"{where}.{experiment}", "data set", names, known)
    yield from _evaluation_errors(config)
    yield from _comparison_errors(config)
    compared = dict.fromkeys(entry["method"] for entry in experiments.values())
    if "subject" in config and config["subject"] not in compared:
        yield _not_among("subject", config["subject"], compared)
    for key in ("trials_per_job", "folds_per_job"):
        yield from _unknown(key, "method", config.get(key, {}), methods.METHODS)
    for experiment, entry in experiments.items():
        yield from _experiment_errors(f"experiments.{experiment}", experiment, entry, config)


def _name_errors(config) -> Iterator[str]:
    """Names become targets and files, some of them on disks that do not tell capitals from small letters."""
    taken = dict.fromkeys(RESERVED, "a rule") | {"overview": "the folder of figures of the whole study"}
    for key in ("data_sets", "experiments", "comparisons"):
        for name in config.get(key, {}):
            owner = "a replicate" if re.fullmatch(r"replicate_\d+", name.lower()) else taken.get(name.lower())
            if owner:
                yield f"{key}: name {name!r} is not allowed, it is that of {owner} (capitals do not count)"
            taken.setdefault(name.lower(), f"{key}.{name}")


def _evaluation_errors(config) -> Iterator[str]:
    """An experiment may have been left without a data set that is named here, but both must be known."""
    data_sets, experiments = config["data_sets"], config["experiments"]
    generated = [d for d, entry in data_sets.items() if (g := generators.of(entry)) and g.is_population]
    for kind, entry in config.get("evaluations", {}).items():
        where, draws = f"evaluations.{kind}.of", evaluations.get(kind).generated
        yield from _unknown(where, "experiment", entry["of"], experiments)
        for experiment, names in entry["of"].items():
            settings = experiments.get(experiment, {})
            if draws and "metric" in (*settings, *settings.get("vary", {})):
                yield _refused(where, experiment, "draws have no metric; take an experiment of another name")
            for d in names:
                if d not in (allowed := generated if draws else data_sets):
                    known = ", ".join(allowed) or "none"
                    yield f"{where}.{experiment}: data set {d!r} is not allowed, allowed are {known}"
    for kind, only in config.get("additional_replicates", {}).get("evaluations", {}).items():
        if kind not in (asked_for := config.get("evaluations", {})):
            yield _not_among("additional_replicates.evaluations", kind, asked_for)
            continue
        where, run = f"additional_replicates.evaluations.{kind}", config["additional_replicates"]["only"]
        both = {e: [d for d in names if d in run[e]] for e, names in asked_for[kind]["of"].items() if e in run}
        yield from _unknown(where, "experiment", only, both)
        for experiment, names in only.items():
            yield from _unknown(f"{where}.{experiment}", "data set", names, both.get(experiment, names))


def _comparison_errors(config) -> Iterator[str]:
    for name, comparison in config.get("comparisons", {}).items():
        where = f"comparisons.{name}"
        yield from _unknown(f"{where}.experiments", "experiment", comparison["experiments"], config["experiments"])
        if comparison.get("rows") == "methods":
            yield from _row_errors(f"{where}.experiments", comparison["experiments"], config)
        for kind in comparison.get("evaluations", []):
            if kind not in (asked_for := config.get("evaluations", {})):
                yield _not_among(f"{where}.evaluations", kind, asked_for)


def _row_errors(where, names, config) -> Iterator[str]:
    """A table with a row per method has one final model in each of its cells."""
    taken: dict[tuple[str, str], str] = {}
    for name in names:
        if (entry := config["experiments"].get(name)) is None:
            continue
        if "vary" in entry:
            yield _refused(where, name, "rows: methods has no vary; take an experiment of another name")
        for data_set in selected_data_sets(config, name):
            if (first := taken.setdefault((entry["method"], data_set), name)) != name:
                both = f"both have {entry['method']} on {data_set}"
                yield f"{where}: {name!r} is not allowed together with {first!r} with rows: methods, {both}"
                break


def _experiment_errors(where, experiment, entry, config) -> Iterator[str]:
    if entry["method"] not in methods.METHODS:
        yield _not_among(f"{where}.method", entry["method"], methods.METHODS)
        return
    try:
        method = methods.get(entry["method"])
    except ValueError as error:
        yield f"{where}.{error}"
        return
    if entry["stage2"].get("selection_rule") == "largest" and not method.averages:
        yield _refused(f"{where}.stage2.selection_rule", "largest", f"{entry['method']} is no mean of an ensemble")
    yield from _unknown(f"{where}.edges", "parameter", entry.get("edges", {}), [method.complexity, *method.parameters])
    selected, data_sets = selected_data_sets(config, experiment), config["data_sets"]
    resampling = entry.get("resampling")
    for key in ("data_sets", "overrides"):
        yield from _unknown(f"{where}.{key}", "data set", entry.get(key, ()), data_sets)
    for d in entry["data_sets"]:
        if d in selected and d in data_sets:
            yield from _fitness_errors(f"{where}.data_sets", d, data_sets[d], entry["method"], method, resampling)
    yield from _parameter_errors(where, entry, method, config["experiments"], selected)


def _fitness_errors(where, name, data_set, method_name, method, resampling) -> Iterator[str]:
    """A method must take what a data set has: weights, missing values, an order in time."""
    if "time" in data_set and resampling == "bootstrap":
        yield _refused(where, name, "it has a time and bootstrap draws keep no order; leave out resampling")
    if "weight" in data_set and method.weights == "none":
        yield _refused(where, name, f"it has weights and {method_name} takes none")
    elif "impute" not in data_set and not method.takes_mixed:
        generated = generators.of(data_set)
        if generated is not None and generated.lacks_values:
            able = ", ".join(methods.for_mixed())
            remedy = f"name data_sets.{name}.impute, or take a method that needs none: {able}"
            yield _refused(where, name, f"it has missing values and {method_name} needs numbers; {remedy}")


def _parameter_errors(where, entry, method, experiments, selected) -> Iterator[str]:
    """Errors of the search and its parameters; those of the first data set that has some."""
    source, space = entry.get("stage1", {}).get("from"), entry.get("stage1", {}).get("space", {})
    if source is not None:
        fitting = [name for name, other in experiments.items() if _searches(other, method) and "vary" not in other]
        if source not in fitting:
            yield _not_among(f"{where}.stage1.from", source, fitting)
            return
        known, space = experiments[source]["data_sets"], experiments[source]["stage1"]["space"]
        if missing := [d for d in selected if d not in known]:
            yield f"{where}.stage1.from: {source!r} has no {', '.join(missing)}, only {', '.join(known)}"
    for data_set in entry["data_sets"]:
        errors = [
            _refused(f"{where}.overrides.{data_set}.{stage}", change, "it changes what is not there")
            for stage, change in entry.get("overrides", {}).get(data_set, {}).items()
            if stage not in entry or "from" in entry[stage] or not set(change) <= _CHANGEABLE
        ]
        if errors := errors[:1] or list(_errors_on(where, entry, method, space, data_set)):
            yield from errors
            return


def _searches(entry, method) -> bool:
    """Whether an experiment searches the parameters of a method."""
    try:
        return "space" in entry.get("stage1", {}) and methods.get(entry["method"]).parameters == method.parameters
    except ValueError:  # which is said of the experiment that names the method
        return False


def _errors_on(where, entry, method, space, data_set) -> Iterator[str]:
    """Errors of the values that an experiment has on a data set."""
    run, longest = Run(where, where, "", entry), largest_complexity(method)
    searched = {*space, *run.stage("stage1", data_set).get("space", {})}
    given = {*space, *entry.get("parameters", {}), *entry.get("vary", {})}
    for stage in ("stage1", "stage2"):
        settings = run.stage(stage, data_set)
        if "from" in settings:
            continue
        given |= set(settings.get("parameters", {}))
        if (complexity := settings.get("complexity", 1)) > longest:
            yield _refused(f"{where}.{stage}.complexity", complexity, f"{entry['method']} has at most {longest}")
        for name, distribution in settings.get("space", {}).items():
            for kind, bounds in distribution.items():
                yield from _range_errors(f"{where}.{stage}.space.{name}.{kind}", method, name, kind, bounds)
                points = math.prod(other.get("log_grid", [0, 0, 1])[2] for other in settings["space"].values())
                if kind == "log_grid" and points != settings["trials"]:
                    yield _refused(f"{where}.stage1.trials", settings["trials"], f"the grid has {points}")
        for name, value in settings.get("parameters", {}).items():
            yield from _value_errors(f"{where}.parameters.{name}", method, name, value)
            if name in searched:
                yield _refused(f"{where}.{stage}.parameters.{name}", value, "stage1.space has it, too")
    fixed = {f"{stage}.parameters": entry.get(stage, {}).get("parameters", {}) for stage in ("stage1", "stage2")}
    for name, values in entry.get("vary", {}).items():
        for other, names in {"stage1.space": searched, **fixed}.items():
            if name in names:
                yield _refused(f"{where}.vary", name, f"{other} has it, too")
        if name != "metric":
            for value in values:
                yield from _value_errors(f"{where}.vary.{name}", method, name, value)
    if needed := [p for p in method.required if p not in given]:
        yield f"{where}: method {entry['method']!r} needs {', '.join(needed)} in parameters or stage1.space"
    for group in method.alternatives:
        if len(named := [p for p in group if p in given]) != 1:
            rule = f"needs exactly one of {', '.join(group)} in parameters or stage1.space"
            yield f"{where}: method {entry['method']!r} {rule}, given: {', '.join(named) or 'none'}"


def _range_errors(key, method, name, kind, bounds) -> Iterator[str]:
    low, high = bounds[:2]
    yield from _value_errors(key, method, name, low)
    yield from _value_errors(key, method, name, high)
    if not low < high:
        yield _refused(key, bounds, "low must be less than high")
    if kind.startswith("log") and low <= 0:
        yield _refused(key, bounds, "both ends must be greater than 0")
    if kind.endswith("integers") and any(b != int(b) for b in bounds):
        yield _refused(key, bounds, "both ends must be whole numbers")
    if (allowed := method.parameters.get(name)) and allowed.integer and kind.endswith("uniform"):
        yield _refused(key, kind, f"it takes whole numbers: {kind.replace('uniform', 'integers')}")
    if kind == "log_grid" and (bounds[2] != int(bounds[2]) or bounds[2] < 2):
        yield _refused(key, bounds, "points must be a whole number of at least 2")


def _value_errors(key, method, name, value) -> Iterator[str]:
    if name not in method.parameters:
        yield f"{key}: unknown parameter of this method, allowed are {', '.join(method.parameters) or 'none'}"
        return
    try:
        method.parameters[name].check(key, value)
    except ValueError as error:
        yield str(error)


def _data_errors(study) -> Iterator[str]:
    """What can be said of the data without reading them."""
    for name in study.data_sets:
        settings, where = study.config["data_sets"][name], f"data_sets.{name}"
        if "image" in settings and math.prod(settings["image"]) != (n_features := size_of(settings).features):
            yield _refused(f"{where}.image", settings["image"], f"rows times columns must be the {n_features} features")
        thresholds = settings.get("threshold")
        if isinstance(thresholds, list) and thresholds != sorted(thresholds):
            yield _refused(f"{where}.threshold", thresholds, "numbers must increase")
        if others := [key for key in ("group", "test") if {key, "time"} <= settings.keys()]:
            yield _refused(f"{where}.time", settings["time"], f"{others[0]} asks for another split; leave out one")
        if (generated := generators.of(settings)) is not None:
            yield from (f"{where}.{error}" for error in generated.errors())
            size, most = generated.size, MAX_BYTES // 8
            if size.values > most:
                what = f"{size.rows:,} samples of {size.features} features"
                yield f"{where}: {what} are not allowed, must be at most {most:,} numbers together"
        elif "sklearn" in settings:
            last = SKLEARN[settings["sklearn"]].features - 1
            if wrong := [f for f in settings.get("features", []) if f > last]:
                yield f"{where}.features: {wrong} is not allowed, columns are 0 to {last}"
            if "rows" in settings and "published_draw" in settings:
                yield _refused(f"{where}.rows", settings["rows"], "published_draw has all rows")
        elif "openml" in settings:
            table = description(table_of(settings["openml"]))
            yield from (f"{where}.openml.{difference}" for difference in differences(settings["openml"], table))
        else:
            yield from _file_errors(where, settings)


def _file_errors(where, settings) -> Iterator[str]:
    file = settings["file"]
    try:
        path = check_file(file)
        if (wanted := settings.get("sha256")) and (digest := file_digest(path).hex()) != wanted:
            yield _refused(f"{where}.sha256", wanted, f"that of {file} is {digest!r}")
        own_card(file)
    except ValueError as error:
        yield f"{where}.{error}"
    if file.endswith(".npz") and kind_of(settings) != MATRIX:
        yield _refused(f"{where}.file", file, ".npz is for metric: precomputed only")
    elif file.endswith(".npz"):
        for key in (key for key in _OF_COLUMNS if key in settings):
            yield _refused(f"{where}.{key}", settings[key], "an .npz file has arrays and no columns")
    for key, what in (("rows", "has dissimilarities of all rows"), ("time", "has no times")):
        if key in settings and kind_of(settings) == MATRIX:
            yield _refused(f"{where}.{key}", settings[key], f"metric: precomputed {what}")
    written = [key for key in ("sep", "decimal") if key in settings]
    if written and not file.endswith((".csv", ".csv.gz")):
        yield _refused(f"{where}.{written[0]}", settings[written[0]], "it is for .csv only")
    elif settings.get("sep", ",") == settings.get("decimal", "."):
        yield f"{where}.decimal: ',' is not allowed, it is sep, too; name another one in sep"
