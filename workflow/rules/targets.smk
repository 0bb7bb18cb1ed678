# Names to ask for on the command line: an experiment or comparison (E3), a data set (wine), a replicate (replicate_0),
# the downloads.


rule downloads:
    """What needs a network, and nothing else."""
    input:
        layout.downloads(study),
    localrule: True


for _table in study.tables:

    rule:
        name:
            _table
        input:
            layout.score_files(study, study.tables[_table]["experiments"]),  # a clone has tables, but no results
            layout.table_files(study, _table),
            inputs.evaluations_of(study, _table),
        localrule: True


for _data_set in study.data_sets:

    rule:
        name:
            _data_set
        input:
            f"reports/{study.name}/data_sets/{_data_set}.csv",
            f"reports/{study.name}/data_sets/{_data_set}.html",
        localrule: True


for _replicate in study.replicates:

    rule:
        name:
            f"replicate_{_replicate}"
        input:
            layout.score_files(study, study.experiments, [_replicate]),
        localrule: True
