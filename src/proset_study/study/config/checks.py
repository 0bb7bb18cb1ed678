"""The check of a config before anything runs: its form, then what it means."""

import math
import re
from collections.abc import Iterator

from proset_study import methods
from proset_study.base.records import file_digest
from proset_study.data import generators
from proset_study.data.openml import description, differences, table_of
from proset_study.data.sizes import SKLEARN, size_of
from proset_study.data.table_file import MAX_BYTES, check_file
from proset_study.fits import evaluations
from proset_study.methods.base import Method, largest_complexity, takes_mixed
from proset_study.study.config.metrics import MATRIX, kind_of, metric_errors
from proset_study.study.config.schema import schema_errors
from proset_study.study.config.study import Run, Study, selected_data_sets
from proset_study.study.config.suite import suite_errors, written_out


class ConfigError(ValueError):
    """The config is wrong; the message names the key, what was given and what is allowed."""


def load(config: dict) -> Study:
    """Check a config and give the study it describes.

    Parameters
    ----------
    config : dict

    Returns
    -------
    Study

    Raises
    ------
    ConfigError
        Lists everything that is wrong.
    """
    errors = list(dict.fromkeys(schema_errors(config))) or list(suite_errors(config))
    if not errors:
        config = written_out(config)
        errors = list(dict.fromkeys(_meaning_errors(config))) or list(dict.fromkeys(metric_errors(config)))
    if not errors:
        errors = list(_data_errors(Study.of(config)))
    if errors:
        raise ConfigError("the config is refused:\n" + "\n".join(f"- {e}" for e in errors))
    return Study.of(config)


def _meaning_errors(config) -> Iterator[str]:
    data_sets, experiments = config["data_sets"], config["experiments"]
    yield from _name_errors(config)
    further = config.get("additional_replicates", {"numbers": [], "only": {}})
    for number in further["numbers"]:
        if number in config["replicates"]:
            yield f"additional_replicates.numbers: {number} is not allowed, it is one of replicates already"
    for where, only in (("only", config.get("only", {})), ("additional_replicates.only", further["only"])):
        for experiment, allowed in only.items():
            if experiment not in experiments:
                yield f"{where}: unknown experiment {experiment!r}, allowed are {', '.join(experiments)}"
                continue
            for d in allowed:
                if d not in experiments[experiment]["data_sets"]:
                    yield (
                        f"{where}.{experiment}: unknown data set {d!r}, allowed are "
                        f"{', '.join(experiments[experiment]['data_sets'])}"
                    )
    yield from _evaluation_errors(config)
    for name, comparison in config.get("comparisons", {}).items():
        for experiment in comparison["experiments"]:
            if experiment not in experiments:
                yield (
                    f"comparisons.{name}.experiments: unknown experiment {experiment!r}, allowed are "
                    f"{', '.join(experiments)}"
                )
        if comparison.get("rows") == "methods":
            yield from _row_errors(f"comparisons.{name}", comparison["experiments"], config)
        for kind in comparison.get("evaluations", []):
            if kind not in (asked_for := config.get("evaluations", {})):
                allowed = ", ".join(asked_for) or "none"
                yield f"comparisons.{name}.evaluations: {kind!r} is not allowed, allowed are {allowed}"
    for key in ("trials_per_job", "folds_per_job"):
        for method in config.get(key, {}):
            if method not in methods.METHODS:
                yield f"{key}: unknown method {method!r}, allowed are {', '.join(methods.METHODS)}"
    for experiment, entry in experiments.items():
        where = f"experiments.{experiment}"
        if entry["method"] not in methods.METHODS:
            allowed = ", ".join(methods.METHODS)
            yield f"{where}.method: {entry['method']!r} is not allowed, allowed are {allowed}"
            continue
        try:
            method = methods.get(entry["method"])
        except ValueError as error:
            yield f"{where}.{error}"
            continue
        yield from _stage2_errors(where, entry, method)
        selected = selected_data_sets(config, experiment)
        for d in [*entry["data_sets"], *entry.get("overrides", {})]:
            if d not in data_sets:
                yield f"{where}.data_sets: unknown data set {d!r}, allowed are {', '.join(data_sets)}"
            elif d in selected and "weight" in data_sets[d] and method.weights == "none":
                yield f"{where}.data_sets: {d!r} is not allowed, it has weights and {entry['method']} takes none"
            elif d in selected and "impute" not in data_sets[d] and _has_gaps(data_sets[d]):
                yield from _gap_errors(f"{where}.data_sets", d, entry["method"])
        yield from _parameter_errors(where, entry, experiments, selected)


def _has_gaps(settings):
    generated = generators.of(settings)
    return generated is not None and generated.lacks_values


def _gap_errors(where, data_set, name) -> Iterator[str]:
    """Missing values are filled in, or the method takes them."""
    if not takes_mixed(methods.get(name)):
        yield (
            f"{where}: {data_set!r} is not allowed, it has missing values and {name} needs numbers; name"
            f" data_sets.{data_set}.impute, or take a method that needs none: {', '.join(methods.for_mixed())}"
        )


def _row_errors(where, names, config) -> Iterator[str]:
    """A table with a row per method has one final model in each of its cells."""
    taken: dict[tuple[str, str], str] = {}
    for name in names:
        if (entry := config["experiments"].get(name)) is None:
            continue
        if "vary" in entry:
            yield f"{where}.experiments: {name!r} is not allowed, with rows: methods nothing may be varied"
        for data_set in selected_data_sets(config, name):
            if (first := taken.setdefault((entry["method"], data_set), name)) != name:
                yield (
                    f"{where}.experiments: {name!r} is not allowed beside {first!r} with rows: methods, both have "
                    f"{entry['method']} on {data_set}"
                )
                break


def _evaluation_errors(config) -> Iterator[str]:
    """An experiment may have been left without a data set that is named here, but both must be known."""
    data_sets, experiments = config["data_sets"], config["experiments"]
    generated = [d for d, entry in data_sets.items() if (g := generators.of(entry)) and g.is_population]
    for kind, entry in config.get("evaluations", {}).items():
        where, allowed = f"evaluations.{kind}.of", generated if evaluations.get(kind).generated else data_sets
        for experiment, names in entry["of"].items():
            if experiment not in experiments:
                yield f"{where}: unknown experiment {experiment!r}, allowed are {', '.join(experiments)}"
            elif evaluations.get(kind).generated and "metric" in (*(e := experiments[experiment]), *e.get("vary", {})):
                yield f"{where}: {experiment!r} is not allowed, it has a metric, data drawn anew have none"
            for d in names:
                if d not in allowed:
                    known = ", ".join(allowed) or "none"
                    yield f"{where}.{experiment}: data set {d!r} is not allowed, allowed are {known}"


def _name_errors(config) -> Iterator[str]:
    """Names become targets and files, some of them on disks that do not tell capitals from small letters."""
    taken = dict.fromkeys(RESERVED, "a rule") | {"overview": "the folder of figures of the whole study"}
    for key in ("data_sets", "experiments", "comparisons"):
        for name in config.get(key, {}):
            owner = "a replicate" if re.fullmatch(r"replicate_\d+", name.lower()) else taken.get(name.lower())
            if owner:
                yield f"{key}: name {name!r} is not allowed, it is that of {owner} (capitals do not count)"
            taken.setdefault(name.lower(), f"{key}.{name}")


def _data_errors(study) -> Iterator[str]:
    """What can be said of the data without reading them."""
    for name in study.data_sets:
        settings, where = study.config["data_sets"][name], f"data_sets.{name}"
        if "image" in settings and math.prod(settings["image"]) != size_of(settings).features:
            yield (
                f"{where}.image: {settings['image']} is not allowed, rows times columns must be the number of features,"
                f" {size_of(settings).features}"
            )
        if (generated := generators.of(settings)) is not None:
            yield from (f"{where}.{error}" for error in generated.errors())
            size = generated.size
            if 8 * size.values > MAX_BYTES:
                yield (
                    f"{where}: {size.rows:,} samples of {size.features} features are not allowed, must be at most "
                    f"{MAX_BYTES // 8:,} numbers together"
                )
        elif "sklearn" in settings:
            last = SKLEARN[settings["sklearn"]].features - 1
            wrong = [f for f in settings.get("features", []) if f > last]
            if wrong:
                yield f"{where}.features: {wrong} is not allowed, columns are 0 to {last}"
        elif "openml" in settings:
            found = description(table_of(settings["openml"]))
            yield from (f"{where}.openml.{difference}" for difference in differences(settings["openml"], found))
        else:
            try:
                path = check_file(settings["file"])
                if (wanted := settings.get("sha256")) and (digest := file_digest(path).hex()) != wanted:
                    yield f"{where}.sha256: {wanted!r} is not allowed, that of {settings['file']} is {digest!r}"
            except ValueError as error:
                yield f"{where}.{error}"
            if settings["file"].endswith(".npz") and kind_of(settings) != MATRIX:
                yield f"{where}.file: {settings['file']!r} is not allowed, .npz is for metric: precomputed only"
            written = [key for key in ("sep", "decimal") if key in settings]
            if written and not settings["file"].endswith(".csv"):
                yield f"{where}.{written[0]}: {settings[written[0]]!r} is not allowed, it is for .csv only"
            elif settings.get("sep", ",") == settings.get("decimal", "."):
                yield f"{where}.decimal: ',' is not allowed, it is sep, too; name another one in sep"


def _has_parameters(name, parameters):
    try:
        return methods.get(name).parameters == parameters
    except ValueError:  # which is said of the experiment that names the method
        return False


def _parameter_errors(where, entry, experiments, selected) -> Iterator[str]:
    method = methods.get(entry["method"])
    source = entry.get("stage1", {}).get("from")
    if source is not None:
        other = experiments.get(source)
        fitting = [
            name
            for name, found in experiments.items()
            if "space" in found.get("stage1", {}) and _has_parameters(found["method"], method.parameters)
        ]
        if source not in fitting:
            yield f"{where}.stage1.from: {source!r} is not allowed, allowed are {', '.join(fitting) or 'none'}"
            return
        missing = [d for d in selected if d not in other["data_sets"]]
        if missing:
            yield f"{where}.stage1.from: {source!r} has no {', '.join(missing)}, only {', '.join(other['data_sets'])}"
    run = Run(where, where, "", entry)
    for data_set in entry["data_sets"]:
        changes = entry.get("overrides", {}).get(data_set, {})
        for stage, change in changes.items():
            if stage not in entry or not set(change) <= {"trials", "complexity", "space", "parameters"}:
                yield f"{where}.overrides.{data_set}.{stage}: {change!r} is not allowed, it changes what is not there"
                return
        found = []
        searched = (entry if source is None else experiments[source]).get("stage1", {}).get("space", {})
        given = {*searched, *entry.get("parameters", {}), *entry.get("vary", {})}
        for stage in ("stage1", "stage2"):
            settings = run.stage(stage, data_set)
            if "from" in settings:
                continue
            given |= set(settings.get("parameters", {}))
            complexity, longest = settings.get("complexity", 1), largest_complexity(method)
            if complexity > longest:
                found.append(
                    f"{where}.{stage}.complexity: {complexity} is not allowed, {entry['method']} has at most {longest}"
                )
            for kind, bounds, name in _spaces(settings):
                found += _range_errors(f"{where}.{stage}.space.{name}.{kind}", method, name, kind, bounds)
                if kind == "log_grid":
                    points = _grid_points(settings["space"])
                    if points != settings["trials"]:
                        found.append(
                            f"{where}.stage1.trials: {settings['trials']} is not allowed, the grid has {points}"
                        )
            for name, value in settings.get("parameters", {}).items():
                found += _value_errors(f"{where}.parameters.{name}", method, name, value)
        for name, values in entry.get("vary", {}).items():
            if name == "metric":
                continue
            found += [e for value in values for e in _value_errors(f"{where}.vary.{name}", method, name, value)]
        needed = [p for p in method.required if p not in given]
        if needed:
            found.append(f"{where}: method {entry['method']!r} needs {', '.join(needed)} in parameters or stage1.space")
        if found:
            yield from found
            return


def _stage2_errors(where, entry, method):
    """What is said of sizes and of ends must be of what the method has."""
    if entry["stage2"].get("selection_rule") == "largest" and not getattr(method, "averages", Method.averages):
        yield f"{where}.stage2.selection_rule: 'largest' is not allowed, {entry['method']} is no mean of an ensemble"
    known = [method.complexity, *method.parameters]
    for name in entry.get("edges", {}):
        if name not in known:
            yield f"{where}.edges: unknown parameter {name!r}, allowed are {', '.join(known)}"


def _spaces(settings):
    for name, distribution in settings.get("space", {}).items():
        for kind, bounds in distribution.items():
            yield kind, bounds, name


def _grid_points(space):
    points = 1
    for distribution in space.values():
        points *= distribution.get("log_grid", [0, 0, 1])[2]
    return points


def _range_errors(key, method, name, kind, bounds):
    low, high = bounds[:2]
    errors = [*_value_errors(key, method, name, low), *_value_errors(key, method, name, high)]
    if not low < high:
        errors.append(f"{key}: {bounds!r} is not allowed, low must be less than high")
    if kind.startswith("log") and low <= 0:
        errors.append(f"{key}: {bounds!r} is not allowed, both ends must be greater than 0")
    if kind == "integers" and any(b != int(b) for b in bounds):
        errors.append(f"{key}: {bounds!r} is not allowed, both ends must be whole numbers")
    if kind == "log_grid" and (bounds[2] != int(bounds[2]) or bounds[2] < 2):
        errors.append(f"{key}: {bounds!r} is not allowed, points must be a whole number of at least 2")
    return errors


def _value_errors(key, method, name, value):
    if name not in method.parameters:
        allowed = ", ".join(method.parameters) or "none"
        return [f"{key}: unknown parameter of this method, allowed are {allowed}"]
    try:
        method.parameters[name].check(key, value)
    except ValueError as error:
        return [str(error)]
    return []


RESERVED = frozenset(
    {
        "all",
        "downloads",
        "openml",
        "study",
        "evaluate",
        "data",
        "dissimilarities",
        "split",
        "stage1",
        "select_parameters",
        "stage2",
        "select_complexity",
        "fit",
        "score",
        "score_data_set",
    }
    | {"table", "data_set_page", "report", "pack", "partial", "predictions", "standing", "standing_on"}
)
