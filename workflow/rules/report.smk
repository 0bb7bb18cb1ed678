# Tables with the published numbers beside ours, the check against them, figures, pages.
#
# This part of the workflow expects as input
#   results/{study}/replicate_{replicate}/{experiment}.csv and, for figures and pages, what these were made from
#   data/published/published.csv
# and produces
#   reports/{study}/tables/{experiment or comparison}.md, .csv and .tex, and all of them in tables.xlsx
#   reports/{study}/comparison.csv, claims.csv        each published number and claim beside ours
#   reports/{study}/figures/{data set or overview}/   PNG and SVG, with captions in figures.json
#   reports/{study}/data_sets/{data_set}.html
#   reports/{study}/findings/                         selection rules, methods over replicates, selected features,
#                                                     methods over data sets
#   reports/{study}/evaluation/                       scores per class, confusion matrices, tables of the evaluations
#   reports/{study}/results.csv, manifest.json, index.html
#   reports/{study}/records/replicate_{replicate}.tar.xz   records for `make verify`


rule table:
    """The table of an experiment or comparison."""
    input:
        scores=lambda wildcards: layout.score_files(study, study.tables[wildcards.table]["experiments"]),
        published=published,
    output:
        markdown="reports/{study}/tables/{table}.md",
        csv="reports/{study}/tables/{table}.csv",
        latex="reports/{study}/tables/{table}.tex",
    log:
        "results/{study}/logs/tables/{table}.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=estimate.memory,
        runtime=estimate.minutes,
    params:
        title=lambda wildcards: study.tables[wildcards.table]["title"],
        kind=lambda wildcards: study.tables[wildcards.table]["kind"],
        code=code_fingerprint("proset_study.report.tables"),
    shell:
        "printf '%s\\0' --scores {input.scores:q} | python -m proset_study table --published {input.published:q}"
        " --title {params.title:q} --name {wildcards.table:q} --kind {params.kind:q} --markdown {output.markdown:q}"
        " --csv {output.csv:q} --latex {output.latex:q} - 2> {log:q}"


rule results:
    """All numbers of the study in one file."""
    input:
        layout.score_files(study, study.experiments),
    output:
        "reports/{study}/results.csv",
    log:
        "results/{study}/logs/results.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=estimate.memory,
        runtime=estimate.minutes,
    shell:
        "printf '%s\\0' --scores {input:q} | python -m proset_study results --output {output:q} - 2> {log:q}"


rule manifest:
    """What was run."""
    input:
        scores=rules.results.output,
        data=layout.data_files(study),
        records=layout.result_files(study, study.replicates),
    output:
        "reports/{study}/manifest.json",
    log:
        "results/{study}/logs/manifest.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=estimate.memory,
        runtime=estimate.minutes,
    params:
        config=lambda wildcards: json.dumps(study.config),
        code=code_fingerprint("proset_study.report.manifest"),
    shell:
        "printf '%s\\0' --config {params.config:q} --data-files {input.data:q} |"
        " python -m proset_study manifest --folder results/{wildcards.study:q} --output {output:q} - 2> {log:q}"


rule workbook:
    """All tables as one Excel file."""
    input:
        scores=layout.score_files(study, study.experiments),
        published=published,
    output:
        "reports/{study}/tables.xlsx",
    log:
        "results/{study}/logs/workbook.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=estimate.memory,
        runtime=estimate.minutes,
    params:
        config=lambda wildcards: json.dumps(study.config),
        code=code_fingerprint("proset_study.report.tables"),
    shell:
        "printf '%s\\0' --config {params.config:q} |"
        " python -m proset_study workbook --folder results/{wildcards.study:q}"
        " --published {input.published:q} --output {output:q} - 2> {log:q}"


rule check:
    """Every published number and claim next to ours."""
    input:
        scores=layout.score_files(study, study.experiments),
        records=layout.result_files(study, study.replicates),
        published=published,
    output:
        comparison="reports/{study}/comparison.csv",
        claims="reports/{study}/claims.csv",
    log:
        "results/{study}/logs/check.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=estimate.memory,
        runtime=estimate.minutes,
    params:
        config=lambda wildcards: json.dumps(study.config),
        code=code_fingerprint("proset_study.report.comparison", "proset_study.report.claims"),
    shell:
        "printf '%s\\0' --config {params.config:q} |"
        " python -m proset_study check --folder results/{wildcards.study:q}"
        " --published {input.published:q} --comparison {output.comparison:q} --claims {output.claims:q} - 2> {log:q}"


rule findings:
    """What the records say of rules, of methods over replicates, and of features."""
    input:
        scores=layout.score_files(study, study.experiments),
        records=layout.result_files(study, study.replicates),
    output:
        directory("reports/{study}/findings"),
    log:
        "results/{study}/logs/findings.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=estimate.memory,
        runtime=estimate.minutes,
    params:
        config=lambda wildcards: json.dumps(study.config),
        code=code_fingerprint("proset_study.report.findings"),
    shell:
        "printf '%s\\0' --config {params.config:q} |"
        " python -m proset_study findings --folder results/{wildcards.study:q}"
        " --output {output:q} - 2> {log:q}"


rule evaluation:
    """Scores per class of all final models, and the tables of the evaluations."""
    input:
        layout.result_files(study, study.replicates),
    output:
        directory("reports/{study}/evaluation"),
    log:
        "results/{study}/logs/evaluation.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=estimate.memory,
        runtime=estimate.minutes,
    params:
        config=lambda wildcards: json.dumps(study.config),
        code=code_fingerprint("proset_study.report.evaluation"),
    shell:
        "printf '%s\\0' --config {params.config:q} |"
        " python -m proset_study evaluation --folder results/{wildcards.study:q}"
        " --output {output:q} - 2> {log:q}"


rule data_set_page:
    """The figures and the page of one data set."""
    input:
        lambda wildcards: layout.result_files(study, study.replicates[:1], wildcards.data_set),
    output:
        page="reports/{study}/data_sets/{data_set}.html",
        figures=report(
            directory("reports/{study}/figures/{data_set}"),
            patterns=["{name}.png"],
            caption="../report/figure.rst",
            category="{data_set}",
            labels={"figure": "{name}"},
        ),
    log:
        "results/{study}/logs/pages/{data_set}.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=estimate.memory,
        runtime=estimate.minutes,
    params:
        options=lambda wildcards: json.dumps(options),
        config=lambda wildcards: json.dumps(study.of_data_set(wildcards.data_set).config),
        code=code_fingerprint("proset_study.report.pages", "proset_study.report.figures.catalogue"),
    shell:
        "printf '%s\\0' --config {params.config:q} |"
        " python -m proset_study data-set-page --folder results/{wildcards.study:q}"
        " --data-set {wildcards.data_set:q} --figures {output.figures:q} --options {params.options:q} --output {output.page:q} - 2> {log:q}"


rule page:
    """The figures over all data sets and the front page."""
    input:
        scores=layout.score_files(study, study.experiments),
        records=layout.result_files(study, study.replicates),
        published=published,
        manifest=rules.manifest.output,
        claims=rules.check.output.claims,
    output:
        page="reports/{study}/index.html",
        figures=report(
            directory("reports/{study}/figures/overview"),
            patterns=["{name}.png"],
            caption="../report/figure.rst",
            category="All data sets",
            labels={"figure": "{name}"},
        ),
    log:
        "results/{study}/logs/pages/index.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=estimate.memory,
        runtime=estimate.minutes,
    params:
        options=lambda wildcards: json.dumps(options),
        config=lambda wildcards: json.dumps(study.config),
        code=code_fingerprint("proset_study.report.pages", "proset_study.report.figures.catalogue"),
    shell:
        "printf '%s\\0' --config {params.config:q} |"
        " python -m proset_study page --folder results/{wildcards.study:q}"
        " --published {input.published:q} --manifest {input.manifest:q} --claims {input.claims:q}"
        " --figures {output.figures:q} --options {params.options:q} --output {output.page:q} - 2> {log:q}"


rule pack:
    """The records of one replicate as one archive."""
    input:
        lambda wildcards: layout.record_files(study, wildcards.replicate),
    output:
        "reports/{study}/records/replicate_{replicate}.tar.xz",
    log:
        "results/{study}/logs/pack/replicate_{replicate}.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=estimate.memory,
        runtime=estimate.minutes,
    params:
        config=lambda wildcards: json.dumps(study.config),
        code=code_fingerprint("proset_study.store.packed"),
    shell:
        "printf '%s\\0' --config {params.config:q} | python -m proset_study pack --folder results/{wildcards.study:q}"
        " --replicate {wildcards.replicate:q} --output {output:q} - 2> {log:q}"
