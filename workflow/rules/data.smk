# Make or load a data set.
#
# This part of the workflow expects as input
#   the file named in the config, if the data set is the user's own
# and produces
#   results/{study}/replicate_{replicate}/{data_set}/data.npz


rule data:
    input:
        lambda wildcards: study.data_files(wildcards.data_set),
    output:
        "results/{study}/replicate_{replicate}/{data_set}/data.npz",
    log:
        "results/{study}/logs/replicate_{replicate}/{data_set}/data.log",
    priority: 1  # a data set that is not right is known before others are searched
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=needs.memory,
        runtime=needs.minutes,
    params:
        settings=lambda wildcards: study.data_settings(wildcards.data_set),
        version=lambda wildcards: study.data_version(wildcards.data_set),
        seed=study.config["seed"],
        code=lambda wildcards: key("data", source=source_of(study.config["data_sets"][wildcards.data_set])),
    shell:
        "printf '%s\\0' --settings {params.settings:q} | python -m proset_study data --seed {params.seed:q}"
        " --data-set {wildcards.data_set:q} --replicate {wildcards.replicate:q} --output {output:q} - 2> {log:q}"
