# Refit on the training part with the chosen parameters and size, predict the test part.
#
# This part of the workflow expects as input
#   results/{study}/replicate_{replicate}/{data_set}/data.npz and split.csv
#   results/{study}/replicate_{replicate}/{data_set}/{run}/stage1.json (if there is a stage 1) and stage2.json
# and produces, below results/{study}/replicate_{replicate}/{data_set}/{run}/,
#   model.npz         the model
#   predictions.csv   class probabilities of every test row
#   fit.json          parameters, complexity, diagnostics, time and memory


rule fit:
    input:
        data=rules.data.output,
        split=rules.split.output,
        parameters=lambda wildcards: study.parameters_file(wildcards.replicate, wildcards.data_set, wildcards.run),
        steps=rules.select_complexity.output,
    output:
        model="results/{study}/replicate_{replicate}/{data_set}/{run}/model.npz",
        predictions="results/{study}/replicate_{replicate}/{data_set}/{run}/predictions.csv",
        record="results/{study}/replicate_{replicate}/{data_set}/{run}/fit.json",
    log:
        "results/{study}/logs/replicate_{replicate}/{data_set}/{run}/fit.log",
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
        code=lambda wildcards: study.code(wildcards.run, "fits.final"),
    shell:
        "python -m proset_study fit --data {input.data:q} --split {input.split:q} --method {params.method:q}"
        " --settings {params.settings:q} --seed {params.seed:q}"
        " --parameters {input.parameters:q} --steps {input.steps:q}"
        " --data-set {wildcards.data_set:q} --replicate {wildcards.replicate:q} --run {wildcards.run:q}"
        " --model {output.model:q} --predictions {output.predictions:q} --output {output.record:q} 2> {log:q}"
