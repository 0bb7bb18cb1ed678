# A report of what is finished when not everything can be: `snakemake --cores 2 partial`.


rule partial:
    """As the report, with a list of what is missing, and marks in its place."""
    input:
        models=lambda wildcards: missing.finished_files,
        published=published,
        statements=statements,
    output:
        directory(layout.PARTIAL.format(study=study.name)),
    log:
        layout.result(study, "logs/partial.log"),
    conda:
        "../../environment.yml"
    resources:
        mem_mb=estimate.memory,
        runtime=estimate.minutes,
    params:
        study=lambda wildcards, input: study_file,
        looks=looks,
        options=json.dumps(options),
        config=study.config,
        missing=lambda wildcards: missing.fingerprint,
        code=key("report"),
    shell:
        "python -m proset_study partial --study {params.study:q} --published {input.published:q}"
        " --options {params.options:q} 2> {log:q}"
