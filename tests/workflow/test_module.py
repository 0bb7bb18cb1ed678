"""The workflow as a module of another one, as Snakemake's documentation has it."""

import re
import subprocess

from tests.workflow.project import ROOT, TINY, new_project

SNAKEFILE = """
configfile: "config.yaml"


module proset:
    snakefile:
        {snakefile!r}
    config:
        config["proset"]


use rule * from proset as proset_*


rule summary:
    default_target: True
    input:
        "results/tiny/replicate_0/E8.csv",
        "reports/tiny/tables/E8.md",
    output:
        "summary.txt",
    shell:
        "wc -l {{input}} > {{output}}"


rule without_output:
    log:
        "without_output.log",
    shell:
        "ls nowhere 2> {{log}}"
"""


def test_another_workflow_imports_ours_with_its_own_config(tmp_path):
    project = new_project(tmp_path / "theirs")
    for name in ("workflow", "profiles", "data"):  # nothing of ours is in their folder
        subprocess.run(["rm", "-rf", project.folder / name], check=True)
    (project.folder / "Snakefile").write_text(SNAKEFILE.format(snakefile=str(ROOT / "workflow/Snakefile")), "utf-8")
    only = {"E8": ["iris_2f"]}
    project.configure(lambda config: (config.clear(), config.update(proset={**TINY, "only": only})))
    run = project.snakemake()
    assert "proset_fit" in run.stderr + run.stdout
    assert "fits of knn: about" in run.stderr
    assert "localrules" not in run.stderr
    assert (project.folder / "summary.txt").read_text(encoding="utf-8").splitlines()[-1].endswith("total")
    assert "nothing to be done" in (again := project.snakemake()).stdout.lower() + again.stderr.lower()
    run = project.snakemake("without_output", check=False)
    assert run.returncode != 0
    assert "Study tiny: 1 job(s) failed; " in run.stderr
    named = r"cause: ls: .*nowhere.*\n    log:   without_output.log\n    retry: \S+ without_output "
    assert re.search(named, run.stderr)
