# Final models, and what else is asked of them.


use rule _job as fit with:
    """Fit the final model with the selected parameters and complexity on the training part, predict the test part."""
    input:
        data=rules.data.output,
        split=rules.split.output,
        matrix=matrix,
        parameters=selected_parameters,
        complexity=rules.select_complexity.output,
    output:
        model=f"{RESULTS}{layout.MODEL}",
        predictions=f"{RESULTS}{layout.PREDICTIONS}",
        record=f"{RESULTS}{layout.FIT}",
    log:
        "results/{study}/logs/replicate_{replicate}/{data_set}/{run}/fit.log",
    params:
        command=command("fit"),
        method=method_of,
        settings=lambda wildcards: study.stage2_settings(wildcards.run, wildcards.data_set),
        fits=lambda wildcards: {"fits": study.final_fits(wildcards.run)},  # with its name, as folds in data.smk
        seed=study.config["seed"],
        code=code_of_method("fit"),


use rule _job as evaluate with:
    """Evaluate a final model where the config asks for it, in one of the ways of docs/evaluation.md."""
    input:
        data=rules.data.output,
        split=rules.split.output,
        matrix=matrix,
        final=rules.fit.output.record,
    output:
        f"{RESULTS}{layout.EVALUATION}",
    log:
        "results/{study}/logs/replicate_{replicate}/{data_set}/{run}/{kind}.log",
    params:
        command=command("evaluate"),
        method=method_of,
        settings=lambda wildcards: study.evaluation_settings(wildcards.kind),
        source=lambda wildcards: study.data_settings(wildcards.data_set),
        seed=study.config["seed"],
        code=lambda wildcards: key("evaluation", kind=wildcards.kind, method=method_of(wildcards)),
        data_code=lambda wildcards: key("data", source=source_of(study.data_settings(wildcards.data_set))),
