# Tables with the published numbers beside ours, one tidy file of all numbers, the manifest, the page.
#
# This part of the workflow expects as input
#   results/{study}/replicate_{replicate}/{experiment}.csv
#   data/published/published.csv
# and produces
#   reports/{study}/tables/{experiment or comparison}.md and .csv
#   reports/{study}/results.csv
#   reports/{study}/manifest.json
#   reports/{study}/index.html


rule table:
    input:
        scores=expand(
            "results/{{study}}/replicate_{replicate}/{{experiment}}.csv", replicate=study.config["replicates"]
        ),
        published="data/published/published.csv",
    output:
        markdown="reports/{study}/tables/{experiment}.md",
        csv="reports/{study}/tables/{experiment}.csv",
    log:
        "results/{study}/logs/tables/{experiment}.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        title=lambda wildcards: study.config["experiments"][wildcards.experiment]["title"],
        code=code_fingerprint("proset.study.tables"),
    shell:
        "python -m proset.study table --scores {input.scores} --published {input.published} --title {params.title:q}"
        " --name {wildcards.experiment} --markdown {output.markdown} --csv {output.csv} 2> {log}"


rule comparison:
    input:
        scores=lambda wildcards: study.comparison_files(wildcards.comparison),
        published="data/published/published.csv",
    output:
        markdown="reports/{study}/tables/{comparison}.md",
        csv="reports/{study}/tables/{comparison}.csv",
    log:
        "results/{study}/logs/tables/{comparison}.log",
    wildcard_constraints:
        comparison="|".join(study.comparisons) or "none",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        title=lambda wildcards: study.config["comparisons"][wildcards.comparison]["title"],
        code=code_fingerprint("proset.study.tables"),
    shell:
        "python -m proset.study comparison --scores {input.scores} --published {input.published} --title {params.title:q}"
        " --name {wildcards.comparison} --markdown {output.markdown} --csv {output.csv} 2> {log}"


rule results:
    input:
        expand(
            "results/{{study}}/replicate_{replicate}/{experiment}.csv",
            replicate=study.config["replicates"],
            experiment=study.experiments,
        ),
    output:
        "reports/{study}/results.csv",
    log:
        "results/{study}/logs/results.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=1000,
        runtime=10,
    shell:
        "python -m proset.study results --scores {input} --output {output} 2> {log}"


rule manifest:
    input:
        scores=rules.results.output,
        data=expand(
            "results/{{study}}/replicate_{replicate}/{data_set}/data.npz",
            replicate=study.config["replicates"],
            data_set=study.data_sets,
        ),
    output:
        "reports/{study}/manifest.json",
    log:
        "results/{study}/logs/manifest.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        config=study.config_json,
    shell:
        "python -m proset.study manifest --folder results/{wildcards.study} --config {params.config:q}"
        " --data-files {input.data}"
        " --output {output} 2> {log}"


rule page:
    input:
        scores=rules.results.input,
        published="data/published/published.csv",
        manifest=rules.manifest.output,
    output:
        "reports/{study}/index.html",
    log:
        "results/{study}/logs/page.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        code=code_fingerprint("proset.study.page"),
    shell:
        "python -m proset.study page --scores {input.scores} --published {input.published} --manifest {input.manifest}"
        " --output {output} 2> {log}"
