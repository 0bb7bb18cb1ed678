# Two-stage search: cross-validate parameters at one complexity, select; cross-validate the complexity, select.


rule stage1:
    """Fit and score some trials on some folds; a record per trial and fold."""
    input:
        data=rules.data.output,
        split=rules.split.output,
        matrix=lambda wildcards: layout.matrix_files(study, wildcards.replicate, wildcards.data_set, wildcards.run),
    output:
        f"{RESULTS}{layout.TRIALS}",
    log:
        "results/{study}/logs/replicate_{replicate}/{data_set}/{run}/"
        "stage1_folds_{fold}-{last_fold}_trials_{first}-{last}.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=estimate.memory,
        runtime=estimate.minutes,
    params:
        study=lambda wildcards, input: study_file,
        method=lambda wildcards: study.runs[wildcards.run].method,
        settings=lambda wildcards: study.stage1_settings(wildcards.run, wildcards.data_set),
        seed=study.config["seed"],
        code=lambda wildcards: key("search", method=study.runs[wildcards.run].method),
    shell:
        "python -m proset_study stage1 --study {params.study:q} --replicate {wildcards.replicate:q}"
        " --data-set {wildcards.data_set:q} --run {wildcards.run:q} --fold {wildcards.fold:q}"
        " --last-fold {wildcards.last_fold:q} --first {wildcards.first:q} --last {wildcards.last:q} --code {params.code:q} 2> {log:q}"


rule select_parameters:
    """Select the parameters from all records of stage 1."""
    input:
        lambda wildcards: layout.stage1_files(study, wildcards.replicate, wildcards.data_set, wildcards.run),
    output:
        f"{RESULTS}{layout.PARAMETERS}",
    log:
        "results/{study}/logs/replicate_{replicate}/{data_set}/{run}/select_parameters.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=estimate.memory,
        runtime=estimate.minutes,
    params:
        study=lambda wildcards, input: study_file,
        rule=lambda wildcards: study.runs[wildcards.run].selection_rule,
        criterion=lambda wildcards: study.runs[wildcards.run].criterion,
        fixed=lambda wildcards: study.fixed_parameters(wildcards.run),
        folds=study.config["folds"],
        trials=lambda wildcards: study.n_trials(wildcards.run, wildcards.data_set),
        code=lambda wildcards: key("select", method=study.runs[wildcards.run].method),
    shell:
        "python -m proset_study select-parameters --study {params.study:q} --replicate {wildcards.replicate:q}"
        " --data-set {wildcards.data_set:q} --run {wildcards.run:q} 2> {log:q}"


rule stage2:
    """Fit some folds up to the largest complexity; a record per fold with the scores at every complexity."""
    input:
        data=rules.data.output,
        split=rules.split.output,
        matrix=lambda wildcards: layout.matrix_files(study, wildcards.replicate, wildcards.data_set, wildcards.run),
        parameters=lambda wildcards: layout.parameters_file(
            study, wildcards.replicate, wildcards.data_set, wildcards.run
        ),
    output:
        f"{RESULTS}{layout.PATHS}",
    log:
        "results/{study}/logs/replicate_{replicate}/{data_set}/{run}/stage2_folds_{first}-{last}.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=estimate.memory,
        runtime=estimate.minutes,
    params:
        study=lambda wildcards, input: study_file,
        method=lambda wildcards: study.runs[wildcards.run].method,
        settings=lambda wildcards: study.stage2_settings(wildcards.run, wildcards.data_set),
        seed=study.config["seed"],
        code=lambda wildcards: key("search", method=study.runs[wildcards.run].method),
    shell:
        "python -m proset_study stage2 --study {params.study:q} --replicate {wildcards.replicate:q}"
        " --data-set {wildcards.data_set:q} --run {wildcards.run:q}"
        " --first {wildcards.first:q} --last {wildcards.last:q} --code {params.code:q} 2> {log:q}"


rule select_complexity:
    """Select the complexity from the records of all folds."""
    input:
        lambda wildcards: layout.stage2_files(study, wildcards.replicate, wildcards.data_set, wildcards.run),
    output:
        f"{RESULTS}{layout.COMPLEXITY}",
    log:
        "results/{study}/logs/replicate_{replicate}/{data_set}/{run}/select_complexity.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=estimate.memory,
        runtime=estimate.minutes,
    params:
        study=lambda wildcards, input: study_file,
        rule=lambda wildcards: study.runs[wildcards.run].size_rule,
        criterion=lambda wildcards: study.runs[wildcards.run].criterion,
        folds=study.config["folds"],
        code=lambda wildcards: key("select", method=study.runs[wildcards.run].method),
    shell:
        "python -m proset_study select-complexity --study {params.study:q} --replicate {wildcards.replicate:q}"
        " --data-set {wildcards.data_set:q} --run {wildcards.run:q} 2> {log:q}"
