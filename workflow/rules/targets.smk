# Names to ask for on the command line: an experiment (E3), a data set (wine), a replicate (replicate_0).


for _experiment in study.experiments:

    rule:
        name:
            _experiment
        input:
            f"reports/{study.name}/tables/{_experiment}.md",
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
            study.score_files(study.experiments, [_replicate]),
        localrule: True
