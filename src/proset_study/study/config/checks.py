"""The check of a config before anything runs: its form, then what it means."""

import math
import re
from collections.abc import Iterator

from proset_study import methods
from proset_study.base import additions
from proset_study.base.records import file_digest
from proset_study.data import generators
from proset_study.data.cards import own_card
from proset_study.data.openml import description, differences, table_of
from proset_study.data.sizes import SKLEARN, size_of
from proset_study.data.table_file import MAX_BYTES, check_file
from proset_study.fits import evaluations
from proset_study.study.config.halves import SEALED, written_out
from proset_study.study.config.messages import not_among, refused, unknown
from proset_study.study.config.metrics import MATRIX, kind_of, metric_errors
from proset_study.study.config.parameters import parameter_errors
from proset_study.study.config.runs import selected_data_sets
from proset_study.study.config.schema import optional_keys, schema_errors
from proset_study.study.config.study import Study

TARGETS = ("all", "study", "downloads", "partial", "predictions", "standing")  # of every study
RESERVED = {  # names of rules
    *(*TARGETS, "openml", "standing_on", "pack", "report"),
    *("data", "dissimilarities", "split", "stage1", "select_parameters", "stage2", "select_complexity"),
    *("fit", "evaluate", "all_runs", "all_data_sets", "score", "score_data_set", "table", "data_set_page"),
}

_OF_COLUMNS = ("drop", "threshold", "categorical", "impute", "items")  # settings of a table


class ConfigError(ValueError):
    """The config is wrong; the message names the key, what was given and what is allowed."""


def load(config: dict) -> Study:
    """Check a config and give the study it describes; a ConfigError lists everything that is wrong.

    A file merged over another one takes a key of it that is not required away by `null`: {} would leave what is there.
    """
    config = {key: value for key, value in config.items() if value is not None or key not in optional_keys()}
    errors = list(dict.fromkeys(schema_errors(config))) or list(_suite_errors(config))
    if not errors:
        config = written_out(config)
        errors = list(dict.fromkeys(_meaning_errors(config))) or list(dict.fromkeys(metric_errors(config)))
    if errors := errors or list(_data_errors(Study.of(config))):
        raise ConfigError("the config is refused:\n" + "\n".join(f"- {e}" for e in errors))
    return Study.of(config)


def _suite_errors(config) -> Iterator[str]:
    suite = config.get("suite", {})
    if suite and "only" in config:
        yield "only: not allowed together with suite, which says what is run; take it away with only: null"
    without, known = suite.get("without", {}), config["data_sets"]
    yield from unknown("suite.experiments", "experiment", suite.get("experiments", []), config["experiments"])
    yield from unknown("suite.without", "experiment", without, suite.get("experiments", []))
    for key in ("data_sets", "drawn_from", "used"):
        yield from unknown(f"suite.{key}", "data set", suite.get(key, []), known)
    if "half" in suite:
        if "drawn_from" not in suite:
            yield "suite.drawn_from: missing, the halves are drawn from it"
        else:
            yield from unknown("suite.data_sets", "data set", suite.get("data_sets", []), suite["drawn_from"])
        if (suite["half"] == SEALED) != config.get("study", "").endswith(f"_{SEALED}"):
            named = f"a study that runs the sealed half is named ..._{SEALED}, and no other one"
            yield f"suite.half: {suite['half']!r} is not allowed, {named}"
    for name, data_sets in without.items():
        yield from unknown(f"suite.without.{name}", "data set", data_sets, known)


def _meaning_errors(config) -> Iterator[str]:
    experiments, of_replicates = config["experiments"], config.get("additional_replicates", {"numbers": [], "only": {}})
    yield from additions.errors()
    yield from _name_errors(config)
    for number in of_replicates["numbers"]:
        if number in config["replicates"]:
            yield refused("additional_replicates.numbers", number, "it is one of replicates already")
    for where, only in (("only", config.get("only", {})), ("additional_replicates.only", of_replicates["only"])):
        yield from unknown(where, "experiment", only, experiments)
        for experiment, names in only.items():
            known = experiments.get(experiment, {"data_sets": names})["data_sets"]
            yield from unknown(f"{where}.{experiment}", "data set", names, known)
    yield from _evaluation_errors(config)
    yield from _comparison_errors(config)
    compared = dict.fromkeys(entry["method"] for entry in experiments.values())
    if "subject" in config and config["subject"] not in compared:
        yield not_among("subject", config["subject"], compared)
    for key in ("trials_per_job", "folds_per_job"):
        yield from unknown(key, "method", config.get(key, {}), methods.METHODS)
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
        yield from unknown(where, "experiment", entry["of"], experiments)
        for experiment, names in entry["of"].items():
            settings = experiments.get(experiment, {})
            if draws and "metric" in (*settings, *settings.get("vary", {})):
                yield refused(where, experiment, "draws have no metric; take an experiment of another name")
            for d in names:
                if d not in (allowed := generated if draws else data_sets):
                    known = ", ".join(allowed) or "none"
                    yield f"{where}.{experiment}: data set {d!r} is not allowed, allowed are {known}"
                elif kind == "bootstrap" and "time" in data_sets[d]:
                    yield refused(f"{where}.{experiment}", d, "it has a time and bootstrap draws keep no order")
        for experiment, sizes in entry.get("sizes", {}).items() if kind == "complexity_curve" else ():
            if len(sizes) > 1 and "vary" in experiments.get(experiment, {}):
                yield refused(f"evaluations.{kind}.sizes.{experiment}", sizes, "the curve is along vary; name one size")
    for kind, only in config.get("additional_replicates", {}).get("evaluations", {}).items():
        if kind not in (asked_for := config.get("evaluations", {})):
            yield not_among("additional_replicates.evaluations", kind, asked_for)
            continue
        where, run = f"additional_replicates.evaluations.{kind}", config["additional_replicates"]["only"]
        both = {e: [d for d in names if d in run[e]] for e, names in asked_for[kind]["of"].items() if e in run}
        yield from unknown(where, "experiment", only, both)
        for experiment, names in only.items():
            yield from unknown(f"{where}.{experiment}", "data set", names, both.get(experiment, names))


def _comparison_errors(config) -> Iterator[str]:
    yield from unknown("against", "experiment", config.get("against", {}), config["experiments"])
    for first, second in config.get("against", {}).items():
        yield from unknown(f"against.{first}", "experiment", [second], config["experiments"])
    for name, comparison in config.get("comparisons", {}).items():
        where = f"comparisons.{name}"
        yield from unknown(f"{where}.experiments", "experiment", comparison["experiments"], config["experiments"])
        if comparison.get("rows") == "methods":
            yield from _row_errors(f"{where}.experiments", comparison["experiments"], config)
        for kind in comparison.get("evaluations", []):
            if kind not in (asked_for := config.get("evaluations", {})):
                yield not_among(f"{where}.evaluations", kind, asked_for)


def _row_errors(where, names, config) -> Iterator[str]:
    """A table with a row per method has one final model in each of its cells."""
    taken: dict[tuple[str, str], str] = {}
    for name in names:
        if (entry := config["experiments"].get(name)) is None:
            continue
        if "vary" in entry:
            yield refused(where, name, "rows: methods has no vary; take an experiment of another name")
        for data_set in selected_data_sets(config, name):
            if (first := taken.setdefault((entry["method"], data_set), name)) != name:
                both = f"both have {entry['method']} on {data_set}"
                yield f"{where}: {name!r} is not allowed together with {first!r} with rows: methods, {both}"
                break


def _experiment_errors(where, experiment, entry, config) -> Iterator[str]:
    if entry["method"] not in methods.METHODS:
        yield not_among(f"{where}.method", entry["method"], methods.METHODS)
        return
    try:
        method = methods.get(entry["method"])
    except ValueError as error:
        yield f"{where}.{error}"
        return
    if entry["stage2"].get("selection_rule") == "largest" and not method.averages:
        yield refused(f"{where}.stage2.selection_rule", "largest", f"{entry['method']} is no mean of an ensemble")
    yield from unknown(f"{where}.edges", "parameter", entry.get("edges", {}), [method.complexity, *method.parameters])
    selected, data_sets = selected_data_sets(config, experiment), config["data_sets"]
    resampling = entry.get("resampling")
    for key in ("data_sets", "overrides"):
        yield from unknown(f"{where}.{key}", "data set", entry.get(key, ()), data_sets)
    for d in entry["data_sets"]:
        if d in selected and d in data_sets:
            yield from _fitness_errors(f"{where}.data_sets", d, data_sets[d], entry["method"], method, resampling)
    yield from parameter_errors(where, entry, method, config["experiments"], selected)


def _fitness_errors(where, name, data_set, method_name, method, resampling) -> Iterator[str]:
    """A method must take what a data set has: weights, missing values, an order in time."""
    if "time" in data_set and resampling == "bootstrap":
        yield refused(where, name, "it has a time and bootstrap draws keep no order; leave out resampling")
    if "weight" in data_set and method.weights == "none":
        yield refused(where, name, f"it has weights and {method_name} takes none")
    elif "impute" not in data_set and not method.takes_mixed:
        generated = generators.of(data_set)
        if generated is not None and generated.lacks_values:
            able = ", ".join(methods.for_mixed())
            remedy = f"name data_sets.{name}.impute, or take a method that needs none: {able}"
            yield refused(where, name, f"it has missing values and {method_name} needs numbers; {remedy}")


def _data_errors(study) -> Iterator[str]:
    """What can be said of the data without reading them."""
    if next(study.final_models(study.replicates), None) is None:
        yield "only or suite: nothing is left to run"
    for name in study.data_sets:
        settings, where = study.config["data_sets"][name], f"data_sets.{name}"
        if "image" in settings and math.prod(settings["image"]) != (n_features := size_of(settings).features):
            yield refused(f"{where}.image", settings["image"], f"rows times columns must be the {n_features} features")
        thresholds = settings.get("threshold")
        if isinstance(thresholds, list) and thresholds != sorted(thresholds):
            yield refused(f"{where}.threshold", thresholds, "numbers must increase")
        if others := [key for key in ("group", "test") if {key, "time"} <= settings.keys()]:
            yield refused(f"{where}.time", settings["time"], f"{others[0]} asks for another split; leave out one")
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
                yield refused(f"{where}.rows", settings["rows"], "published_draw has all rows")
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
            yield refused(f"{where}.sha256", wanted, f"that of {file} is {digest!r}")
        own_card(file)
    except ValueError as error:
        yield f"{where}.{error}"
    if file.endswith(".npz") and kind_of(settings) != MATRIX:
        yield refused(f"{where}.file", file, ".npz is for metric: precomputed only")
    elif file.endswith(".npz"):
        for key in (key for key in _OF_COLUMNS if key in settings):
            yield refused(f"{where}.{key}", settings[key], "an .npz file has arrays and no columns")
    lacking = {"rows": "has dissimilarities of all rows", "time": "has no times"}
    if not file.endswith(".npz"):  # of which these are refused above
        lacking |= dict.fromkeys(("categorical", "impute", "items"), "has no features")
    for key, what in lacking.items():
        if key in settings and kind_of(settings) == MATRIX:
            yield refused(f"{where}.{key}", settings[key], f"metric: precomputed {what}")
    written = [key for key in ("sep", "decimal") if key in settings]
    if written and not file.endswith((".csv", ".csv.gz")):
        yield refused(f"{where}.{written[0]}", settings[written[0]], "it is for .csv only")
    elif settings.get("sep", ",") == settings.get("decimal", "."):
        yield f"{where}.decimal: ',' is not allowed, it is sep, too; name another one in sep"
