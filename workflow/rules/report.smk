# The report: tables with the published numbers next to ours, the check against them, findings, figures, pages, records.
#
# What it reads of the results is in the lists of inputs; everything below reports/ is made here, by the function
# proset_study.report.write.write_report, or packed.


use rule _job as table with:
    """One experiment or comparison, as Markdown, CSV and LaTeX."""
    input:
        scores=lambda wildcards: layout.score_files(study, study.tables[wildcards.table]["experiments"]),
        published=published,
    output:
        expand(f"{REPORTS}{layout.TABLE}", suffix=["md", "tex"], allow_missing=True),
        report(
            expand(f"{REPORTS}{layout.TABLE}", suffix="csv", allow_missing=True),
            caption="../report/table.rst",
            category="Tables",
            labels={"table": "{table}"},
        ),
    log:
        "results/{study}/logs/tables/{table}.log",
    params:
        command=command("table", published=published),
        looks=looks,
        entry=lambda wildcards: study.tables[wildcards.table],
        replicates=study.replicates,
        code=code("table"),


use rule _job as data_set_page with:
    """The figures of one data set, and the page with them."""
    input:
        records=lambda wildcards: inputs.result_files(study, study.replicates[:1], wildcards.data_set),
    output:
        page=f"{REPORTS}{layout.PAGE}",
        figures=report(
            directory(f"{REPORTS}{layout.FIGURES}"),
            patterns=["{name}.svg"],
            caption="../report/figure.rst",
            category="{data_set}",
            labels={"figure": "{name}"},
        ),
    log:
        "results/{study}/logs/pages/{data_set}.log",
    params:
        command=command("data-set-page", options=json.dumps(options)),
        looks=looks,
        options=json.dumps(options),
        config=lambda wildcards: study.of_data_set(wildcards.data_set).config,
        known=lambda wildcards: inputs.known_of(study, [wildcards.data_set]),
        order=study.data_sets,
        code=code("page"),


use rule _job as report with:
    """All numbers, the manifest, comparison with the published study, findings, evaluations, and the front page."""
    input:
        scores=layout.score_files(study, study.experiments),
        records=inputs.result_files(study, study.replicates),
        downloads=layout.downloads(study),  # whose descriptions are in the manifest
        published=published,
        statements=statements,
    output:
        report(
            f"{REPORTS}{layout.INDEX}",
            caption="../report/page.rst",
            category="All data sets",
            labels={"figure": "front page"},
        ),
        expand(f"{REPORTS}{{file}}", file=layout.report_files(study)[1:], allow_missing=True),
        directory(f"{REPORTS}{layout.FINDINGS}"),
        directory(f"{REPORTS}{layout.EVALUATIONS}"),
        report(
            directory("reports/{study}/figures/overview"),
            patterns=["{name}.svg"],
            caption="../report/figure.rst",
            category="All data sets",
            labels={"figure": "{name}"},
        ),
    log:
        "results/{study}/logs/report.log",
    params:
        command=command("report", published=published, options=json.dumps(options)),
        looks=looks,
        options=json.dumps(options),
        config=study.config,
        known=lambda wildcards: inputs.known_of(study, study.data_sets),
        code=code("report"),


use rule _job as predictions with:
    """The predictions of all final models as Parquet files for other programs, see docs/predictions.md."""
    input:
        inputs.prediction_files(study),
    output:
        directory(layout.report(study, layout.STORE)),
    log:
        layout.result(study, "logs/predictions.log"),
    params:
        command=command("predictions"),
        experiments=study.config["experiments"],
        protocol=[study.config[key] for key in ("seed", "folds", "test_fraction")],  # in the index
        code=code("predictions"),


use rule _job as pack with:
    """Records of one replicate for `make verify`; a job of its own, because a new replicate packs no other again."""
    input:
        lambda wildcards: inputs.record_files(study, wildcards.archive),
    output:
        f"{REPORTS}{layout.RECORDS}",
    log:
        "results/{study}/logs/pack/{archive}.log",
    params:
        command=command("pack"),
        code=code("pack"),
