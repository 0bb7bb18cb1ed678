# A report of what is finished when not everything can be: `snakemake --cores 2 partial`.
from proset_study.store.missing import finished_files, missing_fingerprint


use rule _job as partial with:
    """As the report, with a list of what is missing, and marks in its place."""
    input:
        models=lambda wildcards: finished_files(study),
        published=published,
        statements=statements,
    output:
        directory(layout.PARTIAL.format(study=study.name)),
    log:
        layout.result(study, "logs/partial.log"),
    params:
        command=command("partial", published=published, options=json.dumps(options)),
        looks=looks,
        options=json.dumps(options),
        config=study.config,
        known=lambda wildcards: inputs.known_of(study, study.data_sets),
        missing=lambda wildcards: missing_fingerprint(study),
        code=code("report"),
