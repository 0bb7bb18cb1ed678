# All numbers of one experiment and replicate, from its records and stored predictions.
#
# This part of the workflow expects as input, below results/{study}/replicate_{replicate}/{data_set}/,
#   data.npz, and in {run}/ stage1.json, stage2.json, fit.json, predictions.csv
# and produces
#   results/{study}/replicate_{replicate}/{experiment}.csv
#   reports/{study}/data_sets/{data_set}.csv   the same of one data set, for all experiments and replicates


rule score:
    input:
        lambda wildcards: scored_files(study, [wildcards.replicate], wildcards.experiment),
    output:
        "results/{study}/replicate_{replicate}/{experiment}.csv",
    log:
        "results/{study}/logs/replicate_{replicate}/{experiment}.log",
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=needs.memory,
        runtime=needs.minutes,
    params:
        cases=lambda wildcards: study.cases([wildcards.replicate], wildcards.experiment),
        code=code_fingerprint("proset_study.store.results"),
    shell:
        "printf '%s\\0' --cases {params.cases:q} | python -m proset_study score --folder results/{wildcards.study:q}"
        " --output {output:q} - 2> {log:q}"


rule score_data_set:
    input:
        lambda wildcards: scored_files(study, study.replicates, data_set=wildcards.data_set),
    output:
        "reports/{study}/data_sets/{data_set}.csv",
    log:
        "results/{study}/logs/data_sets/{data_set}.log",
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=needs.memory,
        runtime=needs.minutes,
    params:
        cases=lambda wildcards: study.cases(study.replicates, data_set=wildcards.data_set),
        code=code_fingerprint("proset_study.store.results"),
    shell:
        "printf '%s\\0' --cases {params.cases:q} | python -m proset_study score --folder results/{wildcards.study:q}"
        " --output {output:q} - 2> {log:q}"
