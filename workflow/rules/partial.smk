# A report of what is finished when not everything can be: `snakemake --cores 2 partial`.
#
# This part of the workflow expects as input
#   whatever final models there are, with all that they were made by
# and produces
#   reports/{study}-partial/   as the report, with a list of what is missing and marks in its place


rule partial:
    """A report of what is finished."""
    input:
        models=lambda wildcards: missing.finished_files,
        published=published,
    output:
        directory(f"reports/{study.name}-partial"),
    log:
        f"results/{study.name}/logs/partial.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=estimate.memory,
        runtime=estimate.minutes,
    params:
        options=lambda wildcards: json.dumps(options),
        config=lambda wildcards: json.dumps(study.config),
        missing=lambda wildcards: missing.fingerprint,
        code=code_fingerprint("proset_study.report.partial"),
    shell:
        "printf '%s\\0' --config {params.config:q} | python -m proset_study partial"
        " --published {input.published:q} --options {params.options:q} --output {output:q} - 2> {log:q}"
