# What several rules say of their jobs, as functions of the wildcards.
from proset_study.study.all_runs import key_of_all
from proset_study.study.blocks import numbers_of, sizes

_OPTIONS = {"table": "name", "archive": "name", "openml": "name"}  # of wildcards that are options of another name


def command(name, **options):
    """Words of a command: its name, the study, the wildcards of the job, and further options.

    That `input` is among the arguments tells Snakemake that other words are no reason to run a job again; what a job
    needs of the study is in its other params.
    """

    def words(wildcards, input):
        given = {_OPTIONS.get(wildcard, wildcard): value for wildcard, value in wildcards.items()}
        given |= {option: value(wildcards) if callable(value) else value for option, value in options.items()}
        given["study"] = study_file
        return [name, *(word for option, value in given.items() for word in (f"--{option.replace('_', '-')}", value))]

    return words


def method_of(wildcards):
    return study.runs[wildcards.run].method


def code(job):
    """The key of a job, once a job of this kind is planned: that of a report takes a second, no search waits for it."""
    return lambda wildcards: key(job)


def code_of_method(job):
    return lambda wildcards: key(job, method=method_of(wildcards))


def all_runs_code(wildcards):
    return key_of_all(study, int(wildcards.replicate), wildcards.data_set)


def place(wildcards):
    return layout.Place(study, wildcards.replicate, wildcards.data_set, wildcards.run)


def parts(stage):
    """The files of the jobs whose records a job of a search puts together, if it fits nothing itself."""
    return lambda wildcards: place(wildcards).part_files(stage, _parts(stage, wildcards))


def in_parts(stage, unit):
    """How many folds or trials each of these jobs has; 0 if there are none."""

    def number(wildcards):
        made = _parts(stage, wildcards)
        return sizes(made[0])[unit] if made else 0

    return number


def _parts(stage, wildcards):
    return place(wildcards).parts(stage, numbers_of(dict(wildcards.items())))


def matrix(wildcards):
    return place(wildcards).matrix_files()


def selected_parameters(wildcards):
    return place(wildcards).parameter_files()
