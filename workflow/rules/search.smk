# Two-stage search: cross-validate parameters at one size, pick; cross-validate the size, pick.
#
# This part of the workflow expects as input
#   results/{study}/replicate_{replicate}/{data_set}/data.npz and split.csv
# and produces, below results/{study}/replicate_{replicate}/{data_set}/{run}/,
#   stage1/fold_{fold}/trials_{first}-{last}.jsonl   a record per trial
#   stage1.json                                      the chosen parameters
#   stage2/folds_{first}-{last}.jsonl                a record per fold with the scores at every size
#   stage2.json                                      the chosen size


rule stage1:
    input:
        data=rules.data.output,
        split=rules.split.output,
    output:
        "results/{study}/replicate_{replicate}/{data_set}/{run}/stage1/fold_{fold}/trials_{first}-{last}.jsonl",
    log:
        "results/{study}/logs/replicate_{replicate}/{data_set}/{run}/stage1_fold_{fold}_trials_{first}-{last}.log",
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=needs.memory,
        runtime=needs.minutes,
    params:
        method=lambda wildcards: study.runs[wildcards.run].method,
        settings=lambda wildcards: study.stage1_settings(wildcards.run, wildcards.data_set),
        seed=study.config["seed"],
        code=lambda wildcards: study.code(wildcards.run, "fits.search"),
    shell:
        "python -m proset_study stage1 --data {input.data:q} --split {input.split:q} --method {params.method:q}"
        " --settings {params.settings:q} --seed {params.seed:q} --code {params.code:q}"
        " --data-set {wildcards.data_set:q} --replicate {wildcards.replicate:q} --run {wildcards.run:q}"
        " --fold {wildcards.fold:q} --first {wildcards.first:q} --last {wildcards.last:q}"
        " --output {output:q} 2> {log:q}"


rule select_parameters:
    input:
        lambda wildcards: study.stage1_files(wildcards.replicate, wildcards.data_set, wildcards.run),
    output:
        "results/{study}/replicate_{replicate}/{data_set}/{run}/stage1.json",
    log:
        "results/{study}/logs/replicate_{replicate}/{data_set}/{run}/select_parameters.log",
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=needs.memory,
        runtime=needs.minutes,
    params:
        rule=lambda wildcards: study.runs[wildcards.run].selection_rule,
        criterion=lambda wildcards: study.runs[wildcards.run].criterion,
        fixed=lambda wildcards: study.fixed_parameters(wildcards.run),
        folds=study.config["folds"],
        trials=lambda wildcards: study.n_trials(wildcards.run, wildcards.data_set),
        code=lambda wildcards: study.code(wildcards.run, "fits.search"),
    shell:
        "printf '%s\\0' --records {input:q} | python -m proset_study select-parameters --folds {params.folds:q}"
        " --trials {params.trials:q} --fixed {params.fixed:q} --rule {params.rule:q} --criterion {params.criterion:q} --output {output:q} - 2> {log:q}"


rule stage2:
    input:
        data=rules.data.output,
        split=rules.split.output,
        parameters=lambda wildcards: study.parameters_file(wildcards.replicate, wildcards.data_set, wildcards.run),
    output:
        "results/{study}/replicate_{replicate}/{data_set}/{run}/stage2/folds_{first}-{last}.jsonl",
    log:
        "results/{study}/logs/replicate_{replicate}/{data_set}/{run}/stage2_folds_{first}-{last}.log",
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=needs.memory,
        runtime=needs.minutes,
    params:
        method=lambda wildcards: study.runs[wildcards.run].method,
        settings=lambda wildcards: study.stage2_settings(wildcards.run, wildcards.data_set),
        seed=study.config["seed"],
        code=lambda wildcards: study.code(wildcards.run, "fits.search"),
    shell:
        "python -m proset_study stage2 --data {input.data:q} --split {input.split:q} --method {params.method:q}"
        " --settings {params.settings:q} --seed {params.seed:q} --code {params.code:q}"
        " --parameters {input.parameters:q}"
        " --data-set {wildcards.data_set:q} --replicate {wildcards.replicate:q} --run {wildcards.run:q}"
        " --first {wildcards.first:q} --last {wildcards.last:q} --output {output:q} 2> {log:q}"


rule select_complexity:
    input:
        lambda wildcards: study.stage2_files(wildcards.replicate, wildcards.data_set, wildcards.run),
    output:
        "results/{study}/replicate_{replicate}/{data_set}/{run}/stage2.json",
    log:
        "results/{study}/logs/replicate_{replicate}/{data_set}/{run}/select_complexity.log",
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=needs.memory,
        runtime=needs.minutes,
    params:
        rule=lambda wildcards: study.runs[wildcards.run].selection_rule,
        criterion=lambda wildcards: study.runs[wildcards.run].criterion,
        folds=study.config["folds"],
        code=lambda wildcards: study.code(wildcards.run, "fits.search"),
    shell:
        "python -m proset_study select-complexity --records {input:q} --folds {params.folds:q} --rule {params.rule:q}"
        " --criterion {params.criterion:q} --output {output:q} 2> {log:q}"
