# Everything of a data set in a replicate as one job, where data sets are many and small; see src/proset_study/study/all_runs.py.


use rule _job as all_runs with:
    """Make a data set, and search, fit and evaluate all that is run on it, into the files of the other rules."""
    input:
        lambda wildcards: layout.custom_files(study, wildcards.data_set),
    output:
        f"{RESULTS}{layout.ALL_RUNS}",
    log:
        "results/{study}/logs/replicate_{replicate}/{data_set}/all_runs.log",
    params:
        command=command("all-runs", code=all_runs_code),
        version=lambda wildcards: layout.custom_version(study, wildcards.data_set),
        key=all_runs_code,


rule all_data_sets:
    """A file that stands for all of these jobs of a replicate in the inputs of others."""
    input:
        lambda wildcards: inputs.jobs_of_data_sets(study, int(wildcards.replicate)),
    output:
        f"{RESULTS}{layout.ALL_DATA_SETS}",
    log:
        "results/{study}/logs/replicate_{replicate}/all_data_sets.log",
    localrule: True
    conda:
        "../../environment.yml"
    params:
        command=command("all-data-sets"),
    shell:
        "python -m proset_study {params.command:q} 2> {log:q}"
