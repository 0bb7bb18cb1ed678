# Data sets and their splits.


rule openml:
    """Download a data set, where Snakemake runs: the nodes of a cluster need no network."""
    output:
        TABLE.format(name="{openml}"),
    log:
        f"results/{study.name}/logs/openml/{{openml}}.log",
    localrule: True
    conda:
        "../../environment.yml"
    params:
        study=lambda wildcards, input: study_file,
    shell:
        "python -m proset_study openml --study {params.study:q} --name {wildcards.openml:q} 2> {log:q}"


rule data:
    """Make or load a data set."""
    input:
        lambda wildcards: layout.custom_files(study, wildcards.data_set),
    output:
        f"{RESULTS}{layout.DATA}",
    log:
        "results/{study}/logs/replicate_{replicate}/{data_set}/data.log",
    priority: 1  # a data set that is not right is known before others are searched
    conda:
        "../../environment.yml"
    resources:
        mem_mb=estimate.memory,
        runtime=estimate.minutes,
    params:
        study=lambda wildcards, input: study_file,
        settings=lambda wildcards: study.data_settings(wildcards.data_set),
        version=lambda wildcards: layout.custom_version(study, wildcards.data_set),
        seed=study.config["seed"],
        code=lambda wildcards: key("data", source=source_of(study.data_settings(wildcards.data_set))),
    shell:
        "python -m proset_study data --study {params.study:q} --replicate {wildcards.replicate:q}"
        " --data-set {wildcards.data_set:q} 2> {log:q}"


rule dissimilarities:
    """Compute the dissimilarities of a data set by one metric, or check those of a file."""
    input:
        data=rules.data.output,
        file=lambda wildcards: layout.custom_files(study, wildcards.data_set) if wildcards.metric == PRECOMPUTED else [],
    output:
        f"{RESULTS}{layout.DISSIMILARITIES}",
    log:
        "results/{study}/logs/replicate_{replicate}/{data_set}/dissimilarities_{metric}.log",
    priority: 1
    conda:
        "../../environment.yml"
    resources:
        mem_mb=estimate.memory,
        runtime=estimate.minutes,
    params:
        study=lambda wildcards, input: study_file,
        settings=lambda wildcards: study.metric_settings(wildcards.metric, wildcards.data_set),
        code=lambda wildcards: key(
            "dissimilarities", module=module_of(study.metric_settings(wildcards.metric, wildcards.data_set))
        ),
    shell:
        "python -m proset_study dissimilarities --study {params.study:q} --replicate {wildcards.replicate:q}"
        " --data-set {wildcards.data_set:q} --metric {wildcards.metric:q} 2> {log:q}"


rule split:
    """Split a data set into training folds and test part."""
    input:
        data=rules.data.output,
    output:
        f"{RESULTS}{layout.SPLIT}",
    log:
        "results/{study}/logs/replicate_{replicate}/{data_set}/split.log",
    priority: 1
    conda:
        "../../environment.yml"
    resources:
        mem_mb=estimate.memory,
        runtime=estimate.minutes,
    params:
        study=lambda wildcards, input: study_file,
        folds=study.config["folds"],
        test_fraction=study.config["test_fraction"],
        seed=study.config["seed"],
        code=key("split"),
    shell:
        "python -m proset_study split --study {params.study:q} --replicate {wildcards.replicate:q}"
        " --data-set {wildcards.data_set:q} 2> {log:q}"
