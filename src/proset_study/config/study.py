"""The study as the config describes it, checked before anything runs, and what each job of the workflow needs of it."""

import contextlib
import copy
import json
import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import jsonschema
import yaml

from proset_study import methods
from proset_study.data.sizes import SKLEARN, size_of
from proset_study.data.table_file import MAX_BYTES, check_file
from proset_study.fingerprints import code_fingerprint
from proset_study.fits import KINDS
from proset_study.methods.base import largest_complexity

TRIALS_PER_JOB = 50  # of a method that `trials_per_job` does not name


class ConfigError(ValueError):
    """The config is wrong; the message names the key, what was given and what is allowed."""


@dataclass(frozen=True)
class Run:
    """One experiment, or one of its variants, on all its data sets.

    Attributes
    ----------
    name : str
        Experiment, with the varied value if there is one; a folder name.
    experiment : str
    variant : str
        As published, for example "candidates=100"; empty if nothing is varied.
    settings : dict
        The experiment's entry of the config, the varied value put into its parameters.
    """

    name: str
    experiment: str
    variant: str
    settings: dict

    @property
    def method(self) -> str:
        """Name of the method."""
        return self.settings["method"]

    @property
    def selection_rule(self) -> str:
        """How both stages select; see `fits.search.select`."""
        return self.settings.get("selection_rule", "one_standard_deviation")

    @property
    def criterion(self) -> str:
        """The score by which both stages select."""
        return self.settings.get("criterion", "log_loss")

    @property
    def data_sets(self) -> list[str]:
        """Names of the data sets, in the order of the table."""
        return self.settings["data_sets"]

    def stage(self, stage: str, data_set: str) -> dict | None:
        """Settings of "stage1" or "stage2" for a data set, with fixed parameters; None if there is no such stage."""
        if stage not in self.settings:
            return None
        change = self.settings.get("overrides", {}).get(data_set, {}).get(stage, {})
        merged = _merged(self.settings[stage], change)
        resampling = {key: self.settings[key] for key in ("resampling",) if key in self.settings}
        parameters = {**self.settings.get("parameters", {}), **merged.get("parameters", {})}
        return {**merged, **resampling, "parameters": parameters}


@dataclass(frozen=True)
class Study:
    """A checked config."""

    config: dict
    runs: dict[str, Run]

    @classmethod
    def of(cls, config: dict) -> "Study":
        """The study that a config describes, if the config is right; `load` checks it first."""
        return cls(config, {run.name: run for run in _runs(config)})

    @classmethod
    def read(cls, path: Path) -> "Study":
        """The study of a file that holds the JSON of its checked config."""
        return cls.of(json.loads(path.read_text(encoding="utf-8")))

    @property
    def name(self) -> str:
        """Folder name of the study."""
        return self.config["study"]

    @property
    def replicates(self) -> list[int]:
        """Numbers of all replicates; the first one is the study itself."""
        return [*self.config["replicates"], *self.config.get("additional_replicates", {}).get("numbers", [])]

    def data_sets_of(self, run: Run, replicate: int) -> list[str]:
        """Data sets of a run in a replicate: all of them, or what `additional_replicates` names."""
        if replicate in self.config["replicates"]:
            return run.data_sets
        wanted = self.config["additional_replicates"]["only"].get(run.experiment, [])
        return [d for d in run.data_sets if d in wanted]

    @property
    def experiments(self) -> dict[str, list[Run]]:
        """Runs by experiment, in the order of the config."""
        grouped: dict[str, list[Run]] = {}
        for run in self.runs.values():
            if run.data_sets:
                grouped.setdefault(run.experiment, []).append(run)
        return grouped

    @property
    def data_sets(self) -> list[str]:
        """Data sets that an experiment uses, in the order of the config."""
        used = {d for run in self.runs.values() for d in run.data_sets}
        return [d for d in self.config["data_sets"] if d in used]

    def stage1_run(self, run: Run) -> Run | None:
        """The run whose records of stage 1 this run uses: its own, another's, or none."""
        stage1 = run.settings.get("stage1")
        return None if stage1 is None else self.runs[stage1["from"]] if "from" in stage1 else run

    def n_trials(self, run: str, data_set: str) -> int:
        """Number of trials behind the selection of a run's stage 1."""
        return self.stage1_run(self.runs[run]).stage("stage1", data_set)["trials"]

    def chunks(self, run: Run, data_set: str) -> list[tuple[int, int]]:
        """First and last trial of each job of one fold in stage 1."""
        size = self.config.get("trials_per_job", {}).get(run.method, TRIALS_PER_JOB)
        return _chunks(run.stage("stage1", data_set)["trials"], size)

    @property
    def comparisons(self) -> list[str]:
        """Comparison tables of which at least one experiment is run."""
        wanted = self.config.get("comparisons", {})
        return [name for name in wanted if set(wanted[name]["experiments"]) & set(self.experiments)]

    @property
    def tables(self) -> dict[str, dict]:
        """Tables by name, experiments first: "title", "kind" (what its rows are) and the "experiments" it shows."""
        found = {
            name: {"title": self.config["experiments"][name]["title"], "kind": "quantities", "experiments": [name]}
            for name in self.experiments
        }
        for name in self.comparisons:
            entry = self.config["comparisons"][name]
            shown = [e for e in entry["experiments"] if e in self.experiments]
            found[name] = {"title": entry["title"], "kind": entry.get("rows", "experiments"), "experiments": shown}
        return found

    @property
    def config_json(self) -> str:
        """JSON of the whole config, in its own order, which is that of tables and pages."""
        return json.dumps(self.config)

    # What the parameters of the rules are made of: JSON of exactly the settings that enter a result.

    def data_settings(self, data_set: str) -> str:
        """What one data set is made from; how figures show it is no part of it."""
        return _json({k: v for k, v in self.config["data_sets"][data_set].items() if k != "image"})

    def stage1_settings(self, run: str, data_set: str) -> str:
        """What the records of stage 1 depend on; the number of trials is not part of it."""
        stage1 = self.runs[run].stage("stage1", data_set)
        return _json({key: stage1[key] for key in ("space", "parameters", "complexity", "resampling") if key in stage1})

    def fixed_parameters(self, run: str) -> str:
        """Parameters that are not searched in either stage."""
        return _json(self.runs[run].settings.get("parameters", {}))

    def stage2_settings(self, run: str, data_set: str) -> str:
        """What the records of stage 2 depend on, next to the selection of stage 1."""
        return _json(self.runs[run].stage("stage2", data_set))

    def cases(self, replicates: list, experiment: str | None = None, data_set: str | None = None) -> str:
        """The final models of an experiment or a data set."""
        return _json(
            [
                {
                    "replicate": int(replicate),
                    "experiment": run.experiment,
                    "method": run.method,
                    "dataset": d,
                    "variant": run.variant,
                    "run": run.name,
                    "stage1_run": stage1.name if (stage1 := self.stage1_run(run)) else None,
                }
                for replicate, run, d in self.final_models(replicates, experiment, data_set)
            ]
        )

    def evaluation_settings(self, kind: str) -> str:
        """What the records of one kind of evaluation depend on, next to the final model."""
        return _json({key: value for key, value in self.config["evaluations"][kind].items() if key != "of"})

    def code(self, run: str, module: str) -> str:
        """Fingerprint of the code behind a job: a module of the study, and the method of the run."""
        return code_fingerprint(f"proset_study.{module}", f"proset_study.methods.{self.runs[run].method}")

    def page_config(self, data_set: str) -> str:
        """The part of the config that the page of one data set depends on."""
        kept = ("study", "seed", "folds", "trials_per_job", "folds_per_job")
        config = {key: self.config[key] for key in kept if key in self.config}
        config["replicates"] = self.config["replicates"][:1]
        config["data_sets"] = {data_set: self.config["data_sets"][data_set]}
        experiments = self.config["experiments"]
        wanted = [e for e, entry in experiments.items() if data_set in entry["data_sets"]]
        if "only" in self.config:
            config["only"] = {e: [data_set] for e, allowed in self.config["only"].items() if data_set in allowed}
        config["experiments"] = {e: {**self.config["experiments"][e], "data_sets": [data_set]} for e in wanted}
        config["comparisons"] = {
            name: {**entry, "experiments": [e for e in entry["experiments"] if e in wanted]}
            for name, entry in self.config.get("comparisons", {}).items()
        }
        config["evaluations"] = {
            kind: {**entry, "of": {e: [data_set] for e, allowed in entry["of"].items() if data_set in allowed}}
            for kind, entry in self.config.get("evaluations", {}).items()
            if any(data_set in allowed for allowed in entry["of"].values())
        }
        return json.dumps(config)

    # Input files that depend on the config.

    def data_files(self, data_set: str) -> list[str]:
        """The user's own file, if the data set is one, and if it has no braces, which Snakemake takes for wildcards."""
        file = self.config["data_sets"][data_set].get("file", "{}")
        return [] if set(file) & {"{", "}"} else [file]

    def data_version(self, data_set: str) -> list[int]:
        """Size and time of the user's own file if Snakemake cannot look at it, see `data_files`."""
        file = self.config["data_sets"][data_set].get("file")
        if file is None or self.data_files(data_set) or not Path(file).exists():
            return []
        return [Path(file).stat().st_size, Path(file).stat().st_mtime_ns]

    def stage1_files(self, replicate: str, data_set: str, run: str) -> list[str]:
        """All records of stage 1."""
        source = self.stage1_run(self.runs[run])
        folder = self._folder(replicate, data_set, source.name)
        return [
            f"{folder}/stage1/fold_{fold}/trials_{first}-{last}.jsonl"
            for fold in range(self.config["folds"])
            for first, last in self.chunks(source, data_set)
        ]

    def stage2_files(self, replicate: str, data_set: str, run: str) -> list[str]:
        """All records of stage 2."""
        folds = self.config["folds"]
        chunks = _chunks(folds, self.config.get("folds_per_job", {}).get(self.runs[run].method, folds))
        return [f"{self._folder(replicate, data_set, run)}/stage2/folds_{first}-{last}.jsonl" for first, last in chunks]

    def parameters_file(self, replicate: str, data_set: str, run: str) -> list[str]:
        """The selection of stage 1, if there is one."""
        return [f"{self._folder(replicate, data_set, run)}/stage1.json"] if "stage1" in self.runs[run].settings else []

    def scored_files(self, replicates: list, experiment: str | None = None, data_set: str | None = None) -> list[str]:
        """Everything the numbers of an experiment or a data set come from."""
        files = []
        for replicate, run, d in self.final_models(replicates, experiment, data_set):
            folder = self._folder(replicate, d, run.name)
            files += [f"{folder}/{name}" for name in ("stage2.json", "fit.json", "predictions.csv")]
            files += self.parameters_file(replicate, d, run.name)
        return files

    def evaluation_files(self, replicates: list, data_set: str | None = None) -> list[str]:
        """Records of all evaluations that the config asks for, optionally of one data set."""
        return [
            f"{self._folder(replicate, d, run.name)}/{kind}.json"
            for kind in KINDS
            for replicate, run, d in self.evaluated(kind, replicates, data_set)
        ]

    def score_files(self, experiments: Iterable[str], replicates: Iterable[int] | None = None) -> list[str]:
        """Numbers of some experiments, by default for all replicates."""
        return [
            f"results/{self.name}/replicate_{replicate}/{experiment}.csv"
            for experiment in experiments
            for replicate in replicates or self.replicates
            if any(self.data_sets_of(run, replicate) for run in self.experiments[experiment])
        ]

    def steps_to(self, replicate: int, data_set: str, run: str) -> list[tuple[str, list[str]]]:
        """What a final model is made by: rule and output files of each step, in order."""
        data, folder = self._data_folder(replicate, data_set), self._folder(replicate, data_set, run)
        steps = [("data", [f"{data}/data.npz"]), ("split", [f"{data}/split.csv"])]
        if self.stage1_run(self.runs[run]):
            steps += [
                ("stage1", self.stage1_files(replicate, data_set, run)),
                ("select_parameters", self.parameters_file(replicate, data_set, run)),
            ]
        final = [f"{folder}/{name}" for name in ("model.npz", "predictions.csv", "fit.json")]
        return [
            *steps,
            ("stage2", self.stage2_files(replicate, data_set, run)),
            ("select_complexity", [f"{folder}/stage2.json"]),
            ("fit", final),
        ]

    def made_files(self) -> list[str]:
        """The data sets of all replicates."""
        made = dict.fromkeys((replicate, d) for replicate, _, d in self.final_models(self.replicates))
        return [f"results/{self.name}/replicate_{replicate}/{d}/data.npz" for replicate, d in made]

    def final_models(
        self, replicates: Iterable, experiment: str | None = None, data_set: str | None = None
    ) -> Iterator[tuple[int, Run, str]]:
        """Replicate, run and data set of each; optionally of one experiment or data set."""
        for replicate in replicates:
            for run in self.runs.values():
                for d in self.data_sets_of(run, int(replicate)):
                    if experiment in (None, run.experiment) and data_set in (None, d):
                        yield replicate, run, d

    def evaluated(self, kind: str, replicates: Iterable, data_set: str | None = None) -> Iterator[tuple[int, Run, str]]:
        """The final models, as in `final_models`, that the config wants evaluated; none of `additional_replicates`."""
        wanted = self.config.get("evaluations", {}).get(kind, {"of": {}})["of"]
        for replicate, run, d in self.final_models(replicates, data_set=data_set):
            if int(replicate) in self.config["replicates"] and d in wanted.get(run.experiment, []):
                yield replicate, run, d

    def _data_folder(self, replicate, data_set):
        return f"results/{self.name}/replicate_{replicate}/{data_set}"

    def _folder(self, replicate, data_set, run):
        return f"{self._data_folder(replicate, data_set)}/{run}"


def load(config: dict, schema: str | Path) -> Study:
    """Check a config and give the study it describes.

    Parameters
    ----------
    config : dict
    schema : str or Path
        YAML file of its JSON schema.

    Returns
    -------
    Study

    Raises
    ------
    ConfigError
        Lists everything that is wrong.
    """
    errors = list(dict.fromkeys(_schema_errors(config, yaml.safe_load(Path(schema).read_text(encoding="utf-8")))))
    if not errors:
        errors = list(dict.fromkeys(_meaning_errors(config)))
    if not errors:
        errors = list(_data_errors(Study.of(config)))
    if errors:
        raise ConfigError("the config is refused:\n" + "\n".join(f"- {e}" for e in errors))
    return Study.of(config)


def _chunks(number: int, size: int) -> list[tuple[int, int]]:
    return [(first, min(first + size, number) - 1) for first in range(0, number, size)]


def _runs(config) -> Iterator[Run]:
    for experiment, entry in config["experiments"].items():
        settings = {**copy.deepcopy(entry), "data_sets": _selected(config, experiment)}
        ((parameter, values),) = settings.get("vary", {"": [None]}).items()
        for value in values:
            if value is None:
                yield Run(experiment, experiment, "", settings)
            else:
                varied = _merged(settings, {"parameters": {parameter: value}})
                variant = f"{parameter.removeprefix('n_')}={value}"
                yield Run(f"{experiment}-{variant}", experiment, variant, varied)


def _selected(config, experiment):
    """Data sets that `only` leaves to an experiment."""
    data_sets = config["experiments"][experiment]["data_sets"]
    return [d for d in data_sets if d in config["only"].get(experiment, [])] if "only" in config else data_sets


def _is_integer(checker, value):
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(checker, value):
    return _is_integer(checker, value) or (isinstance(value, float) and math.isfinite(value))


# JSON schema takes 1.0 for an integer and NaN for a number; the commands of the workflow do not.
_Validator = jsonschema.validators.extend(
    jsonschema.Draft202012Validator,
    type_checker=jsonschema.Draft202012Validator.TYPE_CHECKER.redefine_many(
        {"integer": _is_integer, "number": _is_number}
    ),
)


def _schema_errors(config, schema) -> Iterator[str]:
    validator = _Validator(schema)
    for error in sorted(validator.iter_errors(config), key=lambda e: list(map(str, e.absolute_path))):
        yield _explain(error)


def _explain(error) -> str:
    where = _key(error)
    if error.validator == "additionalProperties":
        known = sorted(error.schema.get("properties", {}))
        unknown = sorted(set(error.instance) - set(known))
        return f"{where}: unknown key {', '.join(map(repr, unknown))}, allowed are {', '.join(known)}"
    if error.validator == "required":
        missing = [k for k in error.validator_value if k not in error.instance]
        return f"{where}: missing key {', '.join(missing)} (given: {', '.join(map(str, error.instance)) or 'nothing'})"
    rules = {
        "type": lambda v: f"must be {_TYPES[v]}" + _hint(v, error.instance),
        "enum": lambda v: f"allowed are {', '.join(x if x.isidentifier() else repr(x) for x in v)}",
        "pattern": lambda v: f"must be {error.schema['description'][0].lower()}{error.schema['description'][1:-1]}",
        "minimum": lambda v: f"must be at least {v}",
        "maximum": lambda v: f"must be at most {v}",
        "exclusiveMinimum": lambda v: f"must be greater than {v}",
        "exclusiveMaximum": lambda v: f"must be less than {v}",
        "minLength": lambda v: f"needs at least {v} character(s)",
        "maxLength": lambda v: f"may have at most {v} characters",
        "minItems": lambda v: f"needs at least {v} item(s)",
        "maxItems": lambda v: f"may have at most {v} item(s)",
        "minProperties": lambda v: f"needs at least {v} key(s)",
        "maxProperties": lambda v: f"may have at most {v} key(s)",
        "uniqueItems": lambda v: "must not repeat an item",
    }
    rule = rules[error.validator](error.validator_value) if error.validator in rules else error.message
    return f"{where}: {error.instance!r} is not allowed, {rule}"


_TYPES = {
    "object": "keys with values",
    "array": "a list",
    "string": "text",
    "integer": "a whole number",
    "number": "a finite number",
}


def _hint(wanted, value):
    if wanted == "number" and isinstance(value, str):  # YAML takes 1e-3 for text
        with contextlib.suppress(ValueError):
            return f" (this is text; write {float(value)!r})"
    return ""


def _key(error):
    return ".".join(map(str, error.absolute_path)) or "top level"


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
            yield from _row_errors(f"comparisons.{name}", comparison["experiments"], experiments)
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
        selected = _selected(config, experiment)
        for d in [*entry["data_sets"], *entry.get("overrides", {})]:
            if d not in data_sets:
                yield f"{where}.data_sets: unknown data set {d!r}, allowed are {', '.join(data_sets)}"
            elif d in selected and "weight" in data_sets[d] and method.weights == "none":
                yield f"{where}.data_sets: {d!r} is not allowed, it has weights and {entry['method']} takes none"
        yield from _parameter_errors(where, entry, experiments, selected)


def _row_errors(where, names, experiments) -> Iterator[str]:
    """A table with a row per method has one final model in each of its cells."""
    taken: dict[tuple[str, str], str] = {}
    for name in names:
        entry = experiments.get(name, {"method": "", "data_sets": []})
        if "vary" in entry:
            yield f"{where}.experiments: {name!r} is not allowed, with rows: methods nothing may be varied"
        for data_set in entry["data_sets"]:
            if (first := taken.setdefault((entry["method"], data_set), name)) != name:
                yield (
                    f"{where}.experiments: {name!r} is not allowed beside {first!r} with rows: methods, both have "
                    f"{entry['method']} on {data_set}"
                )
                break


def _evaluation_errors(config) -> Iterator[str]:
    """An experiment may have been left without a data set that is named here, but both must be known."""
    data_sets, experiments = config["data_sets"], config["experiments"]
    generated = [d for d, entry in data_sets.items() if "generator" in entry]
    for kind, entry in config.get("evaluations", {}).items():
        where, allowed = f"evaluations.{kind}.of", generated if kind == "bias_variance" else data_sets
        for experiment, names in entry["of"].items():
            if experiment not in experiments:
                yield f"{where}: unknown experiment {experiment!r}, allowed are {', '.join(experiments)}"
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
        if "generator" in settings:
            size = size_of(settings)
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
        else:
            try:
                check_file(settings["file"])
            except ValueError as error:
                yield f"{where}.{error}"
            written = [key for key in ("sep", "decimal") if key in settings]
            if written and settings["file"].endswith(".parquet"):
                yield f"{where}.{written[0]}: {settings[written[0]]!r} is not allowed, it is for .csv only"
            elif settings.get("sep", ",") == settings.get("decimal", "."):
                yield f"{where}.decimal: ',' is not allowed, it is sep, too; name another one in sep"


def _parameter_errors(where, entry, experiments, selected) -> Iterator[str]:
    method = methods.get(entry["method"])
    source = entry.get("stage1", {}).get("from")
    if source is not None:
        other = experiments.get(source)
        if other is None or "space" not in other.get("stage1", {}) or other["method"] != entry["method"]:
            fitting = [
                e for e, o in experiments.items() if "space" in o.get("stage1", {}) and o["method"] == entry["method"]
            ]
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
            settings = run.stage(stage, data_set) or {}
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
            found += [e for value in values for e in _value_errors(f"{where}.vary.{name}", method, name, value)]
        needed = [p for p in method.required if p not in given]
        if needed:
            found.append(f"{where}: method {entry['method']!r} needs {', '.join(needed)} in parameters or stage1.space")
        if found:
            yield from found
            return


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


def _merged(base: dict, change: dict) -> dict:
    merged = dict(base)
    for key, value in change.items():
        if key == "space":  # a distribution is replaced as a whole, not mixed with another one
            merged[key] = {**merged.get(key, {}), **value}
        elif isinstance(value, dict) and isinstance(merged.get(key), dict):
            merged[key] = _merged(merged[key], value)
        else:
            merged[key] = value
    return merged


def _json(settings) -> str:
    return json.dumps(settings, sort_keys=True)


RESERVED = frozenset(
    {
        "all",
        "data",
        "split",
        "stage1",
        "select_parameters",
        "stage2",
        "select_complexity",
        "fit",
        "score",
        "score_data_set",
    }
    | {"table", "workbook", "results", "manifest", "check", "findings", "data_set_page", "page", "pack", "partial"}
    | {*KINDS, "evaluation"}
)
