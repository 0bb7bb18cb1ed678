"""Commands that check configs and download data."""

from collections.abc import Sequence
from pathlib import Path

from proset_study.study.config.study import Study


def check_config(files: Sequence[Path] = ()) -> None:
    """Check config files, each merged over those before it; says what is wrong with file and line."""
    import yaml
    from snakemake.utils import update_config

    from proset_study.study.config.checks import load
    from proset_study.study.config.yaml_file import check_config_file

    merged: dict = {}
    for file in files:
        check_config_file(file)
        update_config(merged, yaml.safe_load(file.read_text(encoding="utf-8")))
    study = load(merged)
    n_models = sum(1 for _ in study.final_models(study.replicates))
    experiments, data_sets = ", ".join(study.experiments), ", ".join(study.data_sets)
    print(f"study {study.name}: {experiments} on {data_sets}, {n_models:,} final models")


def openml(study: Study, name: str) -> None:
    """Download a data set of OpenML."""
    from proset_study.data.download import download
    from proset_study.data.openml import TABLE, table_of

    table = TABLE.format(name=name)
    wanted: dict = {}
    for settings in study.config["data_sets"].values():
        if "openml" in settings and table_of(settings["openml"]) == table:
            wanted |= settings["openml"]
    loaded = download(wanted, table)
    print(f"openml: {table}, " + ", ".join(f"{key}: {loaded[key]}" for key in ("name", "version", "md5", "licence")))
