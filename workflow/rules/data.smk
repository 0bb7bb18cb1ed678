# Data sets and their splits.
from proset_study.data.matrix import module_of
from proset_study.data.metrics import PRECOMPUTED
from proset_study.data.openml import TABLE
from proset_study.data.sources import source_of


use rule _job as openml with:
    """Download a data set, where Snakemake runs: the nodes of a cluster need no network."""
    output:
        TABLE.format(name="{openml}"),
    log:
        f"results/{study.name}/logs/openml/{{openml}}.log",
    localrule: True
    params:
        command=command("openml"),


use rule _job as data with:
    """Make or load a data set."""
    input:
        lambda wildcards: layout.custom_files(study, wildcards.data_set),
    output:
        f"{RESULTS}{layout.DATA}",
    log:
        "results/{study}/logs/replicate_{replicate}/{data_set}/data.log",
    priority: 1  # check every data set before the first search
    params:
        command=command("data"),
        settings=lambda wildcards: study.data_settings(wildcards.data_set),
        version=lambda wildcards: layout.custom_version(study, wildcards.data_set),
        seed=study.config["seed"],
        code=lambda wildcards: key("data", source=source_of(study.data_settings(wildcards.data_set))),


use rule _job as dissimilarities with:
    """Compute the dissimilarities of a data set by one metric, or check those of a file."""
    input:
        data=rules.data.output,
        file=lambda wildcards: layout.custom_files(study, wildcards.data_set) if wildcards.metric == PRECOMPUTED else [],
    output:
        f"{RESULTS}{layout.DISSIMILARITIES}",
    log:
        "results/{study}/logs/replicate_{replicate}/{data_set}/dissimilarities_{metric}.log",
    priority: 1
    params:
        command=command("dissimilarities"),
        version=lambda wildcards: (
            layout.custom_version(study, wildcards.data_set) if wildcards.metric == PRECOMPUTED else ""
        ),
        settings=lambda wildcards: study.metric_settings(wildcards.metric, wildcards.data_set),
        code=lambda wildcards: key(
            "dissimilarities", module=module_of(study.metric_settings(wildcards.metric, wildcards.data_set))
        ),


use rule _job as split with:
    """Split a data set into training folds and test part."""
    input:
        data=rules.data.output,
    output:
        f"{RESULTS}{layout.SPLIT}",
    log:
        "results/{study}/logs/replicate_{replicate}/{data_set}/split.log",
    priority: 1
    params:
        command=command("split"),
        # With its name: Snakemake compares params as a set, where folds 2 and seed 3 are folds 3 and seed 2, too.
        folds={"folds": study.config["folds"]},
        test_fraction=study.config["test_fraction"],
        seed=study.config["seed"],
        code=lambda wildcards: key("split_in_time" if "time" in study.data_settings(wildcards.data_set) else "split"),
