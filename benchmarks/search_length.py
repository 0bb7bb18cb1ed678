"""What searches four times as long gain on the battery; docs/battery.md says how to run them.

Both are read from results/, for each half of which both have been run. Trials are points of one Sobol sequence, so that
a long search begins with the short one.
"""

from collections.abc import Iterator
from pathlib import Path

import yaml
from snakemake.utils import update_config

from proset_study.store.stored import Stored
from proset_study.study import layout
from proset_study.study.config.checks import load

DEVELOPMENT = ("config.yaml", "workflow/suites/battery.yaml")
SEALED = (*DEVELOPMENT, "workflow/suites/battery_sealed.yaml")
HALVES = {  # the configs of the short searches, and what is merged over them for the long ones
    "development": (DEVELOPMENT, "workflow/suites/battery_long.yaml"),
    "sealed": (SEALED, "workflow/suites/battery_long_sealed.yaml"),
}
COLUMNS = (
    *("half", "data_set", "method", "trials", "cross_validated", "test", "fit_cpu_s"),
    *("long_trials", "long_cross_validated", "long_test", "long_fit_cpu_s"),
)


def run() -> Iterator[dict]:
    """A row for every method with a search and every data set that both runs have finished."""
    for half, (files, overlay) in HALVES.items():
        short, long = _searches(files), _searches((*files, overlay))
        for (experiment, data_set), found in long.items():
            if (experiment, data_set) in short:
                yield {
                    "half": half,
                    "data_set": data_set,
                    "method": experiment.removeprefix("tuned_"),
                    **short[experiment, data_set],
                    **{f"long_{name}": value for name, value in found.items()},
                }


def _searches(files):
    config: dict = {}
    for file in files:
        update_config(config, yaml.safe_load(Path(file).read_text(encoding="utf-8")))
    finals = Stored.of(load(config)).finals(0)
    return {
        (final.run.experiment, final.data_set): {
            "trials": len(final.stage1["trials"]),
            "cross_validated": final.stage2["mean"][final.stage2["selected"]],
            "test": final.scores["log_loss"],
            "fit_cpu_s": sum(record["resources"]["fit_cpu_s"] for record in (*final.trials, *final.paths)),
        }
        for final in finals
        if final.stage1_folder and layout.file_in(final.folder, layout.FIT).exists()
    }
