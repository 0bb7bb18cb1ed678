# Numbers of final models, from their records and stored predictions.


rule score:
    """All numbers of one experiment and replicate."""
    input:
        lambda wildcards: layout.scored_files(study, [wildcards.replicate], wildcards.experiment),
    output:
        f"{RESULTS}{layout.SCORES}",
    log:
        "results/{study}/logs/replicate_{replicate}/{experiment}.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=estimate.memory,
        runtime=estimate.minutes,
    params:
        study=lambda wildcards, input: study_file,
        cases=lambda wildcards: study.cases([wildcards.replicate], wildcards.experiment),
        code=key("score"),
    shell:
        "python -m proset_study score --study {params.study:q} --replicate {wildcards.replicate:q}"
        " --experiment {wildcards.experiment:q} 2> {log:q}"


rule score_data_set:
    """All numbers of one data set, for all experiments and replicates."""
    input:
        lambda wildcards: layout.scored_files(study, study.replicates, data_set=wildcards.data_set),
    output:
        f"{REPORTS}{layout.DATA_SET_SCORES}",
    log:
        "results/{study}/logs/data_sets/{data_set}.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=estimate.memory,
        runtime=estimate.minutes,
    params:
        study=lambda wildcards, input: study_file,
        cases=lambda wildcards: study.cases(study.replicates, data_set=wildcards.data_set),
        code=key("score"),
    shell:
        "python -m proset_study score-data-set --study {params.study:q} --data-set {wildcards.data_set:q} 2> {log:q}"
