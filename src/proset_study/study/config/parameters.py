"""The check of parameters: of their values, of the space that is searched, and of what a method needs."""

import math
from collections.abc import Iterator

from proset_study import methods
from proset_study.methods.base import largest_complexity
from proset_study.study.config.messages import not_among, refused
from proset_study.study.config.runs import Run

_CHANGEABLE = {"trials", "complexity", "space", "parameters"}  # by overrides


def parameter_errors(where, entry, method, experiments, selected) -> Iterator[str]:
    """Errors of the search and its parameters; those of the first data set that has some."""
    source, space = entry.get("stage1", {}).get("from"), entry.get("stage1", {}).get("space", {})
    if source is not None:
        fitting = [name for name, other in experiments.items() if _searches(other, method) and "vary" not in other]
        if source not in fitting:
            yield not_among(f"{where}.stage1.from", source, fitting)
            return
        known, space = experiments[source]["data_sets"], experiments[source]["stage1"]["space"]
        if missing := [d for d in selected if d not in known]:
            yield f"{where}.stage1.from: {source!r} has no {', '.join(missing)}, only {', '.join(known)}"
    for data_set in entry["data_sets"]:
        errors = [
            refused(f"{where}.overrides.{data_set}.{stage}", change, "there is nothing to change")
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
    given: dict[str, set] = {}
    for stage in ("stage1", "stage2"):
        settings = run.stage(stage, data_set)
        if "from" in settings or stage not in entry:
            continue
        if (complexity := settings.get("complexity", 1)) > longest:
            yield refused(f"{where}.{stage}.complexity", complexity, f"{entry['method']} has at most {longest}")
        for name, distribution in settings.get("space", {}).items():
            for kind, bounds in distribution.items():
                yield from _range_errors(f"{where}.{stage}.space.{name}.{kind}", method, name, kind, bounds)
                points = math.prod(other.get("log_grid", [0, 0, 1])[2] for other in settings["space"].values())
                if kind == "log_grid" and points != settings["trials"]:
                    yield refused(f"{where}.stage1.trials", settings["trials"], f"the grid has {points}")
        for name, value in settings.get("parameters", {}).items():
            yield from _value_errors(f"{where}.parameters.{name}", method, name, value)
            if name in searched:
                yield refused(f"{where}.{stage}.parameters.{name}", value, "stage1.space has it, too")
        given[stage] = {*searched, *entry.get("vary", {}), *settings["parameters"]}
    of_both = all(names == given["stage2"] for names in given.values())
    for stage, names in given.items():
        yield from _missing(where if of_both else f"{where}.{stage}", entry["method"], method, names)
    own, change = entry.get("parameters", {}), entry.get("overrides", {}).get(data_set, {})
    fixed = {"stage1.space": searched, "parameters": own}
    for place, settings in (("", entry), (f"overrides.{data_set}.", change)):
        for stage in ("stage1", "stage2"):
            fixed[f"{place}{stage}.parameters"] = settings.get(stage, {}).get("parameters", {})
    for name, values in entry.get("vary", {}).items():
        yield from (refused(f"{where}.vary", name, f"{other} has it, too") for other, of in fixed.items() if name in of)
        if name != "metric":
            for value in values:
                yield from _value_errors(f"{where}.vary.{name}", method, name, value)


def _missing(where, name, method, given) -> Iterator[str]:
    """What a method needs and is neither fixed nor searched."""
    if needed := [p for p in method.required if p not in given]:
        yield f"{where}: method {name!r} needs {', '.join(needed)} in parameters or stage1.space"
    for group in method.alternatives:
        if len(named := [p for p in group if p in given]) != 1:
            rule = f"needs exactly one of {', '.join(group)} in parameters or stage1.space"
            yield f"{where}: method {name!r} {rule}, given: {', '.join(named) or 'none'}"


def _range_errors(key, method, name, kind, bounds) -> Iterator[str]:
    low, high = bounds[:2]
    yield from _value_errors(key, method, name, low)
    yield from _value_errors(key, method, name, high)
    if not low < high:
        yield refused(key, bounds, "low must be less than high")
    if kind.startswith("log") and low <= 0:
        yield refused(key, bounds, "both ends must be greater than 0")
    if kind.endswith("integers") and any(b != int(b) for b in bounds):
        yield refused(key, bounds, "both ends must be whole numbers")
    if (allowed := method.parameters.get(name)) and allowed.integer and kind.endswith("uniform"):
        yield refused(key, kind, f"it takes whole numbers: {kind.replace('uniform', 'integers')}")
    if kind == "log_grid" and (bounds[2] != int(bounds[2]) or bounds[2] < 2):
        yield refused(key, bounds, "points must be a whole number of at least 2")


def _value_errors(key, method, name, value) -> Iterator[str]:
    if name not in method.parameters:
        yield f"{key}: unknown parameter of this method, allowed are {', '.join(method.parameters) or 'none'}"
        return
    try:
        method.parameters[name].check(key, value)
    except ValueError as error:
        yield str(error)
