# Where a method stands among those of a report: one job for each data set, whose results are kept apart from the study's.
standing_file = local(str(session.study_file(standing)))
session.write_study(standing)
of_standing = ResourceEstimate(standing)
SCORES_OF_STANDING = f"results/{standing.name}/{{data_set}}.csv"


rule standing_on:
    """All replicates of one data set."""
    input:
        study=standing_file,
        manifest=local(str(records / layout.MANIFEST)),
    output:
        SCORES_OF_STANDING,
    log:
        f"results/{standing.name}/logs/{{data_set}}.log",
    wildcard_constraints:
        data_set="|".join(standing.data_sets),
    conda:
        "../../environment.yml"
    resources:
        mem_mb=of_standing.memory,
        runtime=of_standing.minutes,
    params:
        records=str(records),
        code=lambda wildcards: [key_of_all(standing, standing.replicates[0], wildcards.data_set), key("score")],
    shell:
        "python -m proset_study standing-on --study {input.study:q} --data-set {wildcards.data_set:q} --report {params.records:q}"
        " --output {output:q} 2> {log:q}"


rule standing:
    """Ranks, and differences with intervals to each experiment of the report."""
    input:
        study=standing_file,
        scores=expand(SCORES_OF_STANDING, data_set=standing.data_sets),
        records=local(str(records / layout.ALL_SCORES)),
    output:
        expand(f"reports/{standing.name}/{{file}}", file=["standing.md", "differences.csv"]),
    log:
        f"results/{standing.name}/logs/standing.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=of_standing.memory,
        runtime=of_standing.minutes,
    params:
        records=str(records),
        code=code("report"),
    shell:
        "python -m proset_study standing --study {input.study:q} --report {params.records:q} --files {input.scores:q}"
        " 2> {log:q}"
