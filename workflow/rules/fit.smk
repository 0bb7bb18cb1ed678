# Final models, and what else is asked of them.


rule fit:
    """Fit the final model with the selected parameters and complexity on the training part, predict the test part."""
    input:
        data=rules.data.output,
        split=rules.split.output,
        matrix=lambda wildcards: layout.matrix_files(study, wildcards.replicate, wildcards.data_set, wildcards.run),
        parameters=lambda wildcards: layout.parameters_file(
            study, wildcards.replicate, wildcards.data_set, wildcards.run
        ),
        complexity=rules.select_complexity.output,
    output:
        model=f"{RESULTS}{layout.MODEL}",
        predictions=f"{RESULTS}{layout.PREDICTIONS}",
        record=f"{RESULTS}{layout.FIT}",
    log:
        "results/{study}/logs/replicate_{replicate}/{data_set}/{run}/fit.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=estimate.memory,
        runtime=estimate.minutes,
    params:
        study=lambda wildcards, input: study_file,
        method=lambda wildcards: study.runs[wildcards.run].method,
        settings=lambda wildcards: study.stage2_settings(wildcards.run, wildcards.data_set),
        fits=lambda wildcards: study.final_fits(wildcards.run),
        seed=study.config["seed"],
        code=lambda wildcards: key("fit", method=study.runs[wildcards.run].method),
    shell:
        "python -m proset_study fit --study {params.study:q} --replicate {wildcards.replicate:q}"
        " --data-set {wildcards.data_set:q} --run {wildcards.run:q} 2> {log:q}"


rule evaluate:
    """Evaluate a final model where the config asks for it, in one of the ways of docs/evaluation.md."""
    input:
        data=rules.data.output,
        split=rules.split.output,
        matrix=lambda wildcards: layout.matrix_files(study, wildcards.replicate, wildcards.data_set, wildcards.run),
        final=rules.fit.output.record,
    output:
        f"{RESULTS}{layout.EVALUATION}",
    log:
        "results/{study}/logs/replicate_{replicate}/{data_set}/{run}/{kind}.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=estimate.memory,
        runtime=estimate.minutes,
    params:
        study=lambda wildcards, input: study_file,
        method=lambda wildcards: study.runs[wildcards.run].method,
        settings=lambda wildcards: study.evaluation_settings(wildcards.kind),
        source=lambda wildcards: study.data_settings(wildcards.data_set),
        seed=study.config["seed"],
        code=lambda wildcards: key("evaluation", kind=wildcards.kind, method=study.runs[wildcards.run].method),
        data_code=lambda wildcards: key("data", source=source_of(study.data_settings(wildcards.data_set))),
    shell:
        "python -m proset_study evaluate --study {params.study:q} --replicate {wildcards.replicate:q}"
        " --data-set {wildcards.data_set:q} --run {wildcards.run:q} --kind {wildcards.kind:q} 2> {log:q}"
