# Two-stage search: cross-validate parameters at one complexity, select; cross-validate the complexity, select.
#
# How many fits a job has is in src/proset_study/study/blocks.py. Where a stage has several jobs, one more puts their
# records together, so that everything after it reads the same file whatever their number.


use rule _job as stage1 with:
    """Fit and score some trials on some folds; a record per trial and fold."""
    input:
        data=rules.data.output,
        split=rules.split.output,
        matrix=matrix,
        parts=parts("stage1"),
    output:
        f"{RESULTS}{layout.TRIALS}",
    log:
        "results/{study}/logs/replicate_{replicate}/{data_set}/{run}/"
        "stage1_folds_{first_fold}-{last_fold}_trials_{first_trial}-{last_trial}.log",
    params:
        command=command(
            "stage1",
            code=code_of_method("search"),
            part_folds=in_parts("stage1", "folds"),
            part_trials=in_parts("stage1", "trials"),
        ),
        method=method_of,
        settings=lambda wildcards: study.stage1_settings(wildcards.run, wildcards.data_set),
        seed=study.config["seed"],
        code=code_of_method("search"),


use rule _job as select_parameters with:
    """Select the parameters from all records of stage 1."""
    input:
        lambda wildcards: place(wildcards).trial_files(),
    output:
        f"{RESULTS}{layout.PARAMETERS}",
    log:
        "results/{study}/logs/replicate_{replicate}/{data_set}/{run}/select_parameters.log",
    params:
        command=command("select-parameters"),
        rule=lambda wildcards: study.runs[wildcards.run].selection_rule,
        criterion=lambda wildcards: study.runs[wildcards.run].criterion,
        fixed=lambda wildcards: study.fixed_parameters(wildcards.run, wildcards.data_set),
        folds=study.config["folds"],
        trials=lambda wildcards: study.n_trials(wildcards.run, wildcards.data_set),
        code=code_of_method("select"),


use rule _job as stage2 with:
    """Fit some folds up to the largest complexity; a record per fold with the scores at every complexity."""
    input:
        data=rules.data.output,
        split=rules.split.output,
        matrix=matrix,
        parameters=selected_parameters,
        parts=parts("stage2"),
    output:
        f"{RESULTS}{layout.PATHS}",
    log:
        "results/{study}/logs/replicate_{replicate}/{data_set}/{run}/stage2_folds_{first_fold}-{last_fold}.log",
    params:
        command=command("stage2", code=code_of_method("search"), part_folds=in_parts("stage2", "folds")),
        method=method_of,
        settings=lambda wildcards: study.stage2_settings(wildcards.run, wildcards.data_set),
        seed=study.config["seed"],
        code=code_of_method("search"),


use rule _job as select_complexity with:
    """Select the complexity from the records of all folds."""
    input:
        lambda wildcards: place(wildcards).path_files(),
    output:
        f"{RESULTS}{layout.COMPLEXITY}",
    log:
        "results/{study}/logs/replicate_{replicate}/{data_set}/{run}/select_complexity.log",
    params:
        command=command("select-complexity"),
        rule=lambda wildcards: study.runs[wildcards.run].size_rule,
        criterion=lambda wildcards: study.runs[wildcards.run].criterion,
        folds=study.config["folds"],
        code=code_of_method("select"),
