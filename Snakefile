# The study in flow order: data, split, search, fit, score, report. Settings are in config.yaml, the work in src/proset.
import sys

from proset.study.config import ConfigError, load
from proset.study.environment import put_python_first, use_one_thread
from proset.study.fingerprints import code_fingerprint
from proset.study.progress import describe
from proset.study.resources import Needs


configfile: "config.yaml"


try:
    study = load(config, workflow.source_path("workflow/schemas/config.schema.yaml"))
except ConfigError as error:
    sys.exit(str(error))

needs = Needs(study)
put_python_first()
use_one_thread()


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
        f"reports/{study.name}/results.csv",
        f"reports/{study.name}/index.html",
        f"reports/{study.name}/comparison.csv",
        f"reports/{study.name}/tables.xlsx",
        f"reports/{study.name}/findings",
        expand("reports/{study}/records/replicate_{replicate}.tar.xz", study=study.name, replicate=study.replicates),
        expand("reports/{study}/tables/{table}.md", study=study.name, table=study.tables),
        expand("reports/{study}/data_sets/{data_set}.html", study=study.name, data_set=study.data_sets),


include: "workflow/rules/data.smk"
include: "workflow/rules/split.smk"
include: "workflow/rules/search.smk"
include: "workflow/rules/fit.smk"
include: "workflow/rules/score.smk"
include: "workflow/rules/report.smk"
include: "workflow/rules/targets.smk"


onstart:
    planned = [(job.rule.name, dict(job.wildcards_dict)) for job in workflow.dag.needrun_jobs()]
    if workflow.local_exec:
        # Snakemake's limit of jobs per second makes every finished job wake the scheduler once a second from then on,
        # which costs a fifth of a core after some hundred jobs; it protects clusters, here there is nothing to protect.
        workflow.scheduler.job_rate_limiter = None
    print(f"Study {study.name}: {describe(planned, study, workflow.cores)}", file=sys.stderr)


onsuccess:
    print(f"Study {study.name}: done; see reports/{study.name}/index.html", file=sys.stderr)


onerror:
    print(
        f"Study {study.name}: some jobs failed; each is named above with its log. What is finished is kept: mend the"
        " cause and give the same command again.",
        file=sys.stderr,
    )
