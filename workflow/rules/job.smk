# What all rules whose names are below have in common.


rule _job:
    """The base of the others, no target: one command of the package, which `params.command` has with its options."""
    log:
        layout.result(study, "logs/job.log"),
    conda:
        "../../environment.yml"
    resources:
        mem_mb=estimate.memory,
        runtime=estimate.minutes,
    shell:
        "python -m proset_study {params.command:q} 2> {log:q}"
