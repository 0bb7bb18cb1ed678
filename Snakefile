# The study in flow order: data, split, search, fit, score, report. Settings are in config.yaml, the work in src/proset.
import json
import os
import shlex
import sys
from pathlib import Path

if sys.flags.optimize > 1:
    sys.exit("PYTHONOPTIMIZE=2 is not allowed, the statements of claims are docstrings; unset it")

try:
    from proset_study.environment import check_packages, pin_libraries, put_python_first
except ModuleNotFoundError:
    sys.exit(
        f"proset is not installed for {sys.executable}; install it with: {sys.executable} -m pip install --editable ."
    )

check_packages()  # before they are imported
pin_libraries()

from snakemake.cli import get_argument_parser  # Snakemake itself tells the targets only when it has planned them

from proset_study.config.study import ConfigError, load
from proset_study.config.yaml_file import check_config_file
from proset_study.environment import prepare
from proset_study.workflow.failures import LOCAL, Failed, describe_failures, program
from proset_study.data.sources import source_of
from proset_study.fingerprints import code_fingerprint, key
from proset_study.store.missing import MissingModels
from proset_study.store.inputs import asked_for_before, record_files, remove_leftovers, result_files, scored_files
from proset_study.workflow.plan import describe
from proset_study.workflow.resources import ResourceEstimate
from proset_study.workflow.targets import check_targets, made

if set(str(workflow.basedir)) & {"{", "}"}:
    sys.exit(f"the folder {workflow.basedir} is not allowed, Snakemake takes braces for wildcards; rename it")

overlays = [os.path.relpath(file) for file in workflow.configfiles]
try:
    for file in ("config.yaml", *overlays):
        check_config_file(file)
except ConfigError as error:
    elsewhere = "" if Path("config.yaml").exists() else f"; add --directory {shlex.quote(workflow.basedir)}"
    sys.exit(f"{error}{elsewhere}")


configfile: "config.yaml"


try:
    study = load(config, workflow.source_path("workflow/schemas/config.schema.yaml"))
    check_targets(get_argument_parser().parse_known_args(sys.argv[1:])[0].targets, study)
except ValueError as error:
    sys.exit(str(error))

for folder in ("results", "reports", f"results/{study.name}", f"reports/{study.name}"):
    if Path(folder).is_file():
        sys.exit(f"{folder} is a file, must be a folder; move it away")

missing = MissingModels(study)
needs = ResourceEstimate(study)
words = [f"{key}={value}" for key, value in workflow.config_settings.config.items()]
given = [*(["--configfile", *overlays] if overlays else []), *(["--config", *words] if words else [])]
options = json.dumps([*LOCAL, *given])  # of the commands in pages
called = [program(), *sys.argv[1:]]
put_python_first()


wildcard_constraints:
    study=study.name,
    replicate=r"\d+",
    data_set="|".join(study.config["data_sets"]),
    run="|".join(study.runs),
    experiment="|".join(study.config["experiments"]),
    table="|".join(study.tables),
    fold=r"\d+",
    first=r"\d+",
    last=r"\d+",


localrules:
    all,


rule all:
    default_target: True
    input:
        study.score_files(study.experiments),  # a clone has the report, but no results
        f"reports/{study.name}/results.csv",
        f"reports/{study.name}/index.html",
        f"reports/{study.name}/comparison.csv",
        f"reports/{study.name}/tables.xlsx",
        f"reports/{study.name}/findings",
        f"reports/{study.name}/evaluation",
        expand("reports/{study}/records/replicate_{replicate}.tar.xz", study=study.name, replicate=study.replicates),
        expand("reports/{study}/tables/{table}.md", study=study.name, table=study.tables),
        expand("reports/{study}/data_sets/{data_set}.html", study=study.name, data_set=study.data_sets),
        asked_for_before(study),


include: "workflow/rules/data.smk"
include: "workflow/rules/split.smk"
include: "workflow/rules/search.smk"
include: "workflow/rules/fit.smk"
include: "workflow/rules/evaluate.smk"
include: "workflow/rules/score.smk"
include: "workflow/rules/report.smk"
include: "workflow/rules/partial.smk"
include: "workflow/rules/targets.smk"


onstart:
    planned = [(job.rule.name, dict(job.wildcards_dict)) for job in workflow.dag.needrun_jobs()]
    if workflow.local_exec:
        # Snakemake's limit of jobs per second makes every finished job wake the scheduler once a second from then on,
        # which costs a fifth of a core after some hundred jobs; it protects clusters, here there is nothing to protect.
        workflow.scheduler.job_rate_limiter = None
    try:
        inputs = {str(file) for job in workflow.dag.needrun_jobs() for file in job.input}
        prepare([Path("results", study.name), Path("reports", study.name)], inputs)
    except OSError as error:
        sys.exit(f"Study {study.name}: nothing was run; {error}")
    print(f"Study {study.name}: {describe(planned, study, workflow.cores)}", file=sys.stderr)


onsuccess:
    if any(job.rule.name == "all" for job in workflow.dag.jobs):
        remove_leftovers(study, Path("reports", study.name))
    asked = [
        *workflow.dag.targetfiles,
        *(file for job in workflow.dag.targetjobs for file in (job.output or job.input)),
    ]
    see = made(asked, [f"reports/{study.name}", f"reports/{study.name}-partial"])
    print(f"Study {study.name}: done; see {see}", file=sys.stderr)


onerror:
    failed = [
        Failed(
            job.rule.name, dict(job.wildcards_dict), Path(job.log[0]), job.output[0], job.resources.get("mem_mb")
        )
        for either in workflow.scheduler.failed
        for job in (either if either.is_group() else [either])
    ]
    summary = describe_failures(failed, study.name, called, workflow.dag_settings.targets)
    print(f"\n{summary}\n", file=sys.stderr)
