"""What happens around a run of Snakemake 9; what is not in its documented interface is used here and nowhere else."""

import hashlib
import inspect
import json
import os
import re
import shutil
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from snakemake.cli import get_argument_parser
from snakemake.common import FUNC_OVERWRITE_PARAMS_ATTR, overwrite_function_params
from snakemake.logging import logger

from proset_study import PROJECT
from proset_study.base.environment import COPIES, DIRTY, commit, prepare, put_python_first
from proset_study.base.records import write_text
from proset_study.study import fork_server, layout
from proset_study.study.config.study import Study
from proset_study.study.failures import LOCAL, Failed, describe_failures, program
from proset_study.study.plan import describe, own_name, seconds_to_model
from proset_study.study.progress import Progress, is_wanted, job_of
from proset_study.study.targets import ask_for_standing, made

_MADE = re.compile(r"tables/\w+\.(md|csv|tex)|data_sets/\w+\.(html|csv)|records/replicate_\d+\w*\.tar\.xz")


def is_module(workflow) -> bool:
    """Whether the workflow was imported by another one."""
    return not workflow.modifier.is_main_snakefile()


def overlays(workflow) -> list[str]:
    """Config files of the command line; before the directive `configfile`, which adds its own."""
    return [os.path.relpath(file) for file in workflow.configfiles]


def command_options(workflow, files: list[str]) -> list[str]:
    """Options that a command needs to run this study again, with its overlays."""
    words = [f"{key}={value}" for key, value in workflow.config_settings.config.items()]
    return [*LOCAL, *(["--configfile", *files] if files else []), *(["--config", *words] if words else [])]


def targets() -> list[str]:
    """What the command line asks for, before Snakemake has planned it."""
    return get_argument_parser().parse_known_args(sys.argv[1:])[0].targets


def project(workflow) -> str:
    """The folder of this project, wherever the workflow is run; that of the package for a Snakefile from elsewhere."""
    folder = Path(workflow.current_basedir.get_path_or_uri(secret_free=True)).parent
    return str(folder if folder.is_dir() else PROJECT)


def set_environment(workflow) -> None:
    """What the shell commands of the rules find: this Python, and in environment.post-deploy.sh this project."""
    put_python_first()
    os.environ["PROSET_STUDY"] = project(workflow)
    if shared := storage(workflow):
        copy = workflow.storage_registry.default_storage_provider.object(f"{shared}/results").local_path()
        os.environ[COPIES] = str(copy.parent.absolute())


def storage(workflow) -> str | None:
    """The place of results and reports if they are on a shared storage, for example "s3://bucket/folder"."""
    settings = workflow.storage_settings
    return settings.default_storage_prefix.rstrip("/") if settings.default_storage_provider else None


def published(workflow, name: str = "published.csv") -> str:
    """The file of published numbers, or another one next to it; they belong to the workflow."""
    return os.path.relpath(Path(project(workflow), "data/published", name))


def default_records() -> str:
    """The report that a method is compared with if none is named: that of the open track, or the study, if it is there.

    Else that of the open track that comes with the package.
    """
    folders = ("reports/open_track", "reports/study", str(PROJECT / "reports/open_track"))
    return next((folder for folder in folders if Path(folder, layout.ALL_SCORES).exists()), folders[1])


def study_file(study: Study) -> Path:
    """The file by which the study travels to its jobs; other settings, another file."""
    digest = hashlib.sha256(json.dumps(study.config).encode()).hexdigest()[:16]
    return Path(layout.result(study, layout.STUDY, digest=digest))


def write_study(study: Study) -> None:
    """Write the study for its jobs, unless it is there and whole; the config keeps its order, that of the tables."""
    path, text = study_file(study), json.dumps(study.config, indent=1) + "\n"
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        write_text(path, text)


def attach(workflow, study: Study) -> None:
    """Have the workflow that imported ours do the following, too: Snakemake calls nothing of a module around a run."""
    for name, action in (("_onstart", start), ("_onsuccess", finish), ("_onerror", explain_failures)):
        setattr(workflow, name, partial(_both, getattr(workflow, name), partial(action, workflow, study)))


def _both(first: Callable, second: Callable, log: Path) -> None:
    first(log)
    second()


def remember_parameters(rules) -> None:
    """Name the parameters of all functions of some rules, which Snakemake else finds out anew for every job."""
    for rule in rules:
        given = [*rule.input, *rule.params, *rule.resources.values()]
        for function in (getattr(value, "_evaluator", value) for value in given):
            if callable(function) and not hasattr(function, FUNC_OVERWRITE_PARAMS_ATTR):
                parameters = inspect.signature(function).parameters
                overwrite_function_params(getattr(function, "__func__", function), parameters)


def cores_of(workflow, n_jobs: int) -> int:
    """Number of cores on which jobs run at the same time; on a cluster, of all submissions together."""
    settings = workflow.resource_settings
    cores: int = settings.cores or 1
    return cores if workflow.local_exec else max(1, min(n_jobs, cores * (settings.nodes or 1)))


def start(workflow, study: Study) -> None:
    """Say what is going to be run, when it is known that it can be; ends with a message if it cannot."""
    jobs = list(workflow.dag.needrun_jobs())
    cores = cores_of(workflow, len(jobs))
    if workflow.local_exec:
        # Snakemake's limit of jobs per second makes every finished job wake the scheduler once a second from then on,
        # which costs a fifth of a core after some hundred jobs; it protects clusters, here there is nothing to protect.
        workflow.scheduler.job_rate_limiter = None
        fork_server.start()
    _order(workflow.dag, jobs, study)
    inputs = {str(file) for job in jobs for file in job.input}
    try:
        prepare([Path(layout.result(study, "")), Path(layout.report(study, ""))], inputs)
        write_study(study)
    except OSError as error:
        sys.exit(f"Study {study.name}: nothing was run; {error}")
    planned = [(own_name(job.rule.name), dict(job.wildcards_dict)) for job in jobs]
    print(f"Study {study.name}: {describe(planned, study, cores)}", file=sys.stderr)
    if jobs and (commit() or "").endswith(DIRTY):
        words = "runs code with changes that are not committed; its report will say so, and make release refuse it"
        print(f"Study {study.name}: {words}", file=sys.stderr)
    if is_wanted(sys.stderr.isatty(), [quiet.name.lower() for quiet in workflow.output_settings.quiet or ()]):
        by_number = {job.jobid: job_of(own_name(job.rule.name), dict(job.wildcards_dict), study) for job in jobs}
        logger.addHandler(Progress(study.name, by_number, cores))


def _order(dag, jobs, study):
    """Have jobs on the longest way to a final model started first, unless the command line names others."""
    for job in jobs:
        if dag._priority[job] == job.rule.priority:
            seconds = seconds_to_model(own_name(job.rule.name), dict(job.wildcards_dict), study)
            dag._priority[job] = round(seconds, 1)


def finish(workflow, study: Study) -> None:
    """Remove what a former config left in the report, name what was made."""
    if any(job.rule.name in ("all", "study") for job in workflow.dag.jobs):
        _remove_leftovers(study)
    asked = [
        *workflow.dag.targetfiles,
        *(file for job in workflow.dag.targetjobs for file in (job.output or job.input)),
    ]
    see = storage(workflow) or made(asked, [f"reports/{study.name}", f"reports/{study.name}-partial"])
    print(f"Study {study.name}: done; see {see}", file=sys.stderr)


def explain_failures(workflow, study: Study) -> None:
    """Name each job that failed, with its cause and the command that tries it again."""
    failed = [
        Failed(
            *(job.rule.name, dict(job.wildcards_dict), Path(job.log[0])),
            # As Snakemake is asked for it; a rule of the workflow that imported ours may have no output.
            os.path.relpath(job.output[0], os.environ.get(COPIES, ".")) if job.output else job.rule.name,
            job.resources.get("mem_mb"),
        )
        for either in workflow.scheduler.failed
        for job in (either if either.is_group() else [either])
        if job.log  # nor a log
    ]
    asked = workflow.dag_settings.targets
    has_partial = not (ask_for_standing(asked) or "partial" in asked)
    summary = describe_failures(failed, study.name, [program(), *sys.argv[1:]], asked, has_partial)
    print(f"\n{summary}\n", file=sys.stderr)


def _remove_leftovers(study: Study) -> None:
    """Remove what a former config had from the report: tables, pages, figures and archives; other files stay."""
    folder = Path(layout.report(study, ""))
    for path in folder.glob("*/*"):
        name = str(path.relative_to(folder))
        if path.is_dir() and path.parent.name == "figures" and path.name not in (*study.data_sets, "overview"):
            shutil.rmtree(path)
        elif _MADE.fullmatch(name) and not layout.belongs(study, name):
            path.unlink()
