"""Checks of the metrics that a config names: what each compares, and the data sets and methods it is for."""

from collections.abc import Iterator
from importlib import import_module
from pkgutil import iter_modules

from proset_study import methods
from proset_study.data import dissimilarities, generators
from proset_study.data.metrics import PRECOMPUTED, RANK, VECTORS, base_metric, compares_features, is_ranked
from proset_study.study.config.messages import not_among, refused
from proset_study.study.config.runs import Run
from proset_study.study.config.study import Study

# For truth values, as which all standardised features are alike, and for proportions, which they are not.
UNFIT = ("dice", "jaccard", "jensenshannon", "rogerstanimoto", "russellrao", "sokalsneath", "yule")
OF_FEATURES = tuple(name for name in VECTORS if name not in UNFIT)
STORED = tuple(sorted({module.name for module in iter_modules(dissimilarities.__path__)} - {"blocks"}))
# What the samples of a data set consist of, and which of it metrics need.
FEATURES, STRINGS, MATRIX = "a table of features", "a column of strings", "a matrix"
NEEDS = {"vectors": FEATURES, "images": "image", "strings": STRINGS, "a matrix": MATRIX}


def metric_errors(config: dict) -> Iterator[str]:
    """What is wrong with the metrics of a config whose names are right."""
    try:
        if wrong := list(_definition_errors(config)):
            yield from wrong
            return
        for name, settings in config["data_sets"].items():
            if "metric" in settings and kind_of(settings) == FEATURES:
                where, metric = f"data_sets.{name}.metric", settings["metric"]
                yield refused(where, metric, "it has features; name the metric in experiments")
        study = Study.of(config)
        for run in study.runs.values():
            for data_set in run.data_sets:
                yield from _run_errors(run, data_set, study)
    except ValueError as error:  # a module of somebody else
        yield str(error)


def kind_of(settings: dict) -> str:
    """What the samples of a data set, an entry of the config's `data_sets`, consist of."""
    if settings.get("metric") == PRECOMPUTED:
        return MATRIX
    generated = generators.of(settings)
    return STRINGS if "items" in settings or (generated and generated.strings) else FEATURES


def _definition_errors(config):
    for name, entry in config.get("metrics", {}).items():
        if name in (*VECTORS, *STORED, PRECOMPUTED) or is_ranked(name):
            yield f"metrics: name {name!r} is not allowed, it is that of a metric; take another one"
        if entry["of"] not in STORED:
            yield not_among(f"metrics.{name}.of", entry["of"], STORED)
            continue
        allowed = _module(entry["of"]).PARAMETERS
        for parameter, value in entry["parameters"].items():
            if parameter not in allowed:
                known = ", ".join(allowed) or "none"
                yield f"metrics.{name}.parameters: {entry['of']} has no {parameter!r}, allowed are {known}"
                continue
            try:
                allowed[parameter].check(f"metrics.{name}.parameters.{parameter}", value)
            except ValueError as error:
                yield str(error)


def _module(name):
    """A module that computes dissimilarities; ValueError if it is not as docs/dissimilarities.md says."""
    full = f"{dissimilarities.__name__}.{name}"
    try:
        module = import_module(full)
    except Exception as error:  # whatever the module of somebody else may raise
        raise ValueError(f"metric: {full} cannot be imported: {type(error).__name__}: {error}") from error
    if missing := [part for part in ("distances", "ITEMS", "PARAMETERS") if not hasattr(module, part)]:
        raise ValueError(f"metric: {full} has no {', '.join(missing)}")
    if module.ITEMS not in ("images", "strings"):
        raise ValueError(f"metric: ITEMS of {full} is {module.ITEMS!r}, allowed are images, strings")
    return module


def _run_errors(run: Run, data_set: str, study: Study) -> Iterator[str]:
    metric, taken = study.metric(run.name, data_set), methods.get(run.method).metrics
    where, kind = f"experiments.{run.experiment}", kind_of(study.config["data_sets"][data_set])
    if taken == "none":
        if "metric" in run.settings:
            able = _able("any", "symmetric", "vectors")
            yield refused(f"{where}.metric", metric, f"{run.method} has none; methods with a metric are {able}")
        elif kind != FEATURES:
            able = _able("any", "symmetric")
            reason = f"it has {kind} and no features, which {run.method} needs; methods for it are {able}"
            yield refused(f"{where}.data_sets", data_set, reason)
    elif unfit := list(_unfit(where if "metric" in run.settings else f"data_sets.{data_set}", metric, data_set, study)):
        yield from unfit
    elif taken == "vectors" and not compares_features(metric):
        known = ", ".join(OF_FEATURES)
        yield refused(f"{where}.metric", metric, f"{run.method} takes metrics of features: {known}")
    elif taken == "symmetric" and is_ranked(metric):
        yield refused(f"{where}.metric", metric, f"ranks are not symmetric, as {run.method} needs them")


def _able(*taken):
    return ", ".join(name for name in methods.METHODS if methods.get(name).metrics in taken)


def _unfit(where, metric, data_set, study: Study) -> Iterator[str]:
    """Why a data set cannot be compared by a metric."""
    settings, base = study.config["data_sets"][data_set], base_metric(metric)
    named = study.config.get("metrics", {})
    if base not in (allowed := (*OF_FEATURES, *STORED, PRECOMPUTED, *named)):
        yield not_among(f"{where}.metric", metric, (*allowed, f"{RANK} and {RANK}_ with one of them"))
        return
    if base in VECTORS:
        needed = "vectors"
    elif base == PRECOMPUTED:
        needed = "a matrix"
    else:
        needed = _module(named.get(base, {"of": base})["of"]).ITEMS
    kind = kind_of(settings)
    if NEEDS[needed] != kind and not (needed == "images" and kind == FEATURES and "image" in settings):
        yield f"{where}.metric: {metric!r} is not allowed for {data_set}, it compares {needed}, there is {kind}"
