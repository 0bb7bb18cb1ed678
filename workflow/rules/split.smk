# Split a data set into training folds and test part.
#
# This part of the workflow expects as input
#   results/{study}/replicate_{replicate}/{data_set}/data.npz
# and produces
#   results/{study}/replicate_{replicate}/{data_set}/split.csv


rule split:
    input:
        data=rules.data.output,
    output:
        "results/{study}/replicate_{replicate}/{data_set}/split.csv",
    log:
        "results/{study}/logs/replicate_{replicate}/{data_set}/split.log",
    priority: 1  # a data set that is not right is known before others are searched
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=needs.memory,
        runtime=needs.minutes,
    params:
        folds=study.config["folds"],
        test_fraction=study.config["test_fraction"],
        seed=study.config["seed"],
        code=key("split"),
    shell:
        "python -m proset_study split --data {input.data:q} --folds {params.folds:q}"
        " --test-fraction {params.test_fraction:q} --seed {params.seed:q} --data-set {wildcards.data_set:q} --replicate {wildcards.replicate:q}"
        " --output {output:q} 2> {log:q}"
