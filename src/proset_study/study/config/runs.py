"""The experiments of a config as runs: one for each value that an experiment varies."""

import copy
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Run:
    """One experiment, or one of its variants, on all its data sets."""

    name: str  # of the experiment, with the varied value if there is one; a folder name
    experiment: str
    variant: str  # as published, for example "candidates=100"; empty if nothing is varied
    settings: dict  # the experiment's entry of the config, with the varied value among its parameters

    @property
    def method(self) -> str:
        return self.settings["method"]

    @property
    def selection_rule(self) -> str:
        """How stage 1 selects, and stage 2 unless it says otherwise; see `proset.selection.select`."""
        return self.settings.get("selection_rule", "one_standard_deviation")

    @property
    def size_rule(self) -> str:
        """How stage 2 selects; see `fits.selection.select_complexity`."""
        return self.settings["stage2"].get("selection_rule", self.selection_rule)

    @property
    def criterion(self) -> str:
        """The score by which both stages select."""
        return self.settings.get("criterion", "log_loss")

    @property
    def data_sets(self) -> list[str]:
        """Names of the data sets, in the order of the table."""
        return self.settings["data_sets"]

    def stage(self, stage: str, data_set: str) -> dict:
        """Settings of "stage1" or "stage2" for a data set, with fixed parameters; empty if there is no such stage."""
        if stage not in self.settings:
            return {}
        change = self.settings.get("overrides", {}).get(data_set, {}).get(stage, {})
        merged = _merged(self.settings[stage], change)
        resampling = {"resampling": self.settings["resampling"]} if "resampling" in self.settings else {}
        parameters = {**self.settings.get("parameters", {}), **merged.get("parameters", {})}
        return {**merged, **resampling, "parameters": parameters}


def runs_of(config: dict) -> Iterator[Run]:
    """All runs of a config, in its order."""
    for experiment, entry in config["experiments"].items():
        settings = {**copy.deepcopy(entry), "data_sets": selected_data_sets(config, experiment)}
        ((parameter, values),) = settings.get("vary", {"": [None]}).items()
        for value in values:
            if value is None:
                yield Run(experiment, experiment, "", settings)
            else:
                change = {"metric": value} if parameter == "metric" else {"parameters": {parameter: value}}
                varied = _merged(settings, change)
                variant = f"{parameter.removeprefix('n_')}={value}"
                yield Run(f"{experiment}-{variant}", experiment, variant, varied)


def selected_data_sets(config: dict, experiment: str) -> list[str]:
    """Data sets that `only` leaves to an experiment."""
    data_sets = config["experiments"][experiment]["data_sets"]
    return [d for d in data_sets if d in config["only"].get(experiment, [])] if "only" in config else data_sets


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
