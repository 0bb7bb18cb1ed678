# What else is asked of chosen models: learning curves, the bootstrap, bias and variance; only where the config asks.
#
# This part of the workflow expects as input
#   results/{study}/replicate_{replicate}/{data_set}/data.npz and split.csv
#   results/{study}/replicate_{replicate}/{data_set}/{run}/fit.json
# and produces, below results/{study}/replicate_{replicate}/{data_set}/{run}/,
#   learning_curve.json   test scores of refits on growing parts of the training part
#   bootstrap.json        leave-one-out bootstrap and .632+ estimates from the training part
#   bias_variance.json    squared bias and variance over training sets drawn anew (generated data)


rule learning_curve:
    input:
        data=rules.data.output,
        split=rules.split.output,
        final=rules.fit.output.record,
    output:
        "results/{study}/replicate_{replicate}/{data_set}/{run}/learning_curve.json",
    log:
        "results/{study}/logs/replicate_{replicate}/{data_set}/{run}/learning_curve.log",
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=needs.memory,
        runtime=needs.minutes,
    params:
        method=lambda wildcards: study.runs[wildcards.run].method,
        settings=lambda wildcards: study.evaluation_settings("learning_curve"),
        seed=study.config["seed"],
        code=lambda wildcards: study.code(wildcards.run, "fits.learning_curve"),
    shell:
        "python -m proset_study learning-curve --data {input.data:q} --split {input.split:q} --final {input.final:q}"
        " --method {params.method:q} --settings {params.settings:q} --seed {params.seed:q}"
        " --data-set {wildcards.data_set:q} --replicate {wildcards.replicate:q} --run {wildcards.run:q}"
        " --output {output:q} 2> {log:q}"


rule bootstrap:
    input:
        data=rules.data.output,
        split=rules.split.output,
        final=rules.fit.output.record,
    output:
        "results/{study}/replicate_{replicate}/{data_set}/{run}/bootstrap.json",
    log:
        "results/{study}/logs/replicate_{replicate}/{data_set}/{run}/bootstrap.log",
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=needs.memory,
        runtime=needs.minutes,
    params:
        method=lambda wildcards: study.runs[wildcards.run].method,
        settings=lambda wildcards: study.evaluation_settings("bootstrap"),
        seed=study.config["seed"],
        code=lambda wildcards: study.code(wildcards.run, "fits.bootstrap"),
    shell:
        "python -m proset_study bootstrap --data {input.data:q} --split {input.split:q} --final {input.final:q}"
        " --method {params.method:q} --settings {params.settings:q} --seed {params.seed:q}"
        " --data-set {wildcards.data_set:q} --replicate {wildcards.replicate:q} --run {wildcards.run:q}"
        " --output {output:q} 2> {log:q}"


rule bias_variance:
    input:
        final=rules.fit.output.record,
    output:
        "results/{study}/replicate_{replicate}/{data_set}/{run}/bias_variance.json",
    log:
        "results/{study}/logs/replicate_{replicate}/{data_set}/{run}/bias_variance.log",
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=needs.memory,
        runtime=needs.minutes,
    params:
        method=lambda wildcards: study.runs[wildcards.run].method,
        settings=lambda wildcards: study.evaluation_settings("bias_variance"),
        source=lambda wildcards: study.data_settings(wildcards.data_set),
        seed=study.config["seed"],
        code=lambda wildcards: study.code(wildcards.run, "fits.bias_variance"),
    shell:
        "python -m proset_study bias-variance --source {params.source:q} --final {input.final:q}"
        " --method {params.method:q} --settings {params.settings:q} --seed {params.seed:q}"
        " --data-set {wildcards.data_set:q} --replicate {wildcards.replicate:q} --run {wildcards.run:q}"
        " --output {output:q} 2> {log:q}"
