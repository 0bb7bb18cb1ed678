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
        code=code_fingerprint("proset.study.splits"),
    shell:
        "python -m proset.study split --data {input.data} --folds {params.folds} --test-fraction {params.test_fraction}"
        " --seed {params.seed} --data-set {wildcards.data_set} --replicate {wildcards.replicate}"
        " --output {output} 2> {log}"
