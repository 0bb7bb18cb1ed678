# Numbers of final models, from their records and stored predictions.


use rule _job as score with:
    """All numbers of one experiment and replicate."""
    input:
        lambda wildcards: inputs.scored_files(study, [wildcards.replicate], wildcards.experiment),
    output:
        f"{RESULTS}{layout.scores(study)}",
    log:
        "results/{study}/logs/replicate_{replicate}/{experiment}.log",
    params:
        command=command("score"),
        cases=lambda wildcards: study.cases([wildcards.replicate], wildcards.experiment),
        code=code("score"),


use rule _job as score_data_set with:
    """All numbers of one data set, for all experiments and replicates."""
    input:
        lambda wildcards: inputs.scored_files(study, study.replicates, data_set=wildcards.data_set),
    output:
        f"{REPORTS}{layout.DATA_SET_SCORES}",
    log:
        "results/{study}/logs/data_sets/{data_set}.log",
    params:
        command=command("score-data-set"),
        cases=lambda wildcards: study.cases(study.replicates, data_set=wildcards.data_set),
        code=code("score"),
