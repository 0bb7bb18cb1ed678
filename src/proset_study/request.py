"""What is asked of the workflow: its config files, its study, and the targets, checked before anything is planned."""

import shlex
import sys
from pathlib import Path
from typing import Any

from proset_study.base.environment import PAGES, check_packages
from proset_study.study import session
from proset_study.study.config.checks import ConfigError, load
from proset_study.study.config.study import Study
from proset_study.study.config.yaml_file import check_config_file
from proset_study.study.targets import ask_for_standing, check_targets, need_pages


def check_files(workflow) -> list[str]:
    """Check config files before Snakemake reads them; return those of the command line. Exits with a message."""
    if set(str(workflow.basedir)) & {"{", "}"}:
        sys.exit(f"the folder {workflow.basedir} is not allowed, Snakemake takes braces for wildcards; rename it")
    overlays = session.overlays(workflow)
    try:
        for file in [*([] if session.is_module(workflow) else ["config.yaml"]), *overlays]:
            check_config_file(file)
    except ConfigError as error:
        folder = shlex.quote(session.project(workflow))
        sys.exit(f"{error}{'' if Path('config.yaml').exists() else f'; add --directory {folder}'}")
    return overlays


def requested(workflow, config: dict[str, Any]) -> tuple[Study, Study | None, Path]:
    """The study; that of the target `standing`, if it is asked for; the report that it compares with.

    Exits with a message if config, targets or places are refused.
    """
    method = config.pop("method", None)
    records = Path(str(config.pop("records", session.default_records())))  # Snakemake reads 5 as a number
    try:
        study = load(config)
        standing = _standing(workflow, method, records, study)
        _check_targets(workflow, study)
    except ValueError as error:
        sys.exit(str(error))
    for folder in ("results", "reports", f"results/{study.name}", f"reports/{study.name}"):
        if Path(folder).is_file():
            sys.exit(f"{folder} is a file, must be a folder; move it away")
    return study, standing, records


def _standing(workflow, method, records, study):
    targets = session.targets()
    if method is None:
        if "standing" in targets:
            raise ConfigError("standing: no method is named; add --config method=NAME")
        return None
    is_asked = session.is_module(workflow) or ask_for_standing(targets)
    if workflow.is_main_process and not is_asked:  # jobs on other machines name no target
        raise ConfigError("method: it is for the target standing; give that, or leave out --config method=NAME")
    # Not at the top, because it imports SciPy, which takes a quarter of a second.
    from proset_study.report.analysis.standing import standing_study

    return standing_study(method, records, study.config["experiments"])


def _check_targets(workflow, study):
    targets = session.targets()
    if session.storage(workflow) and "partial" in targets:
        raise ConfigError(
            "partial: it is not allowed with a shared storage; get results/ from there, and run it without the storage"
        )
    if not session.is_module(workflow):
        check_targets(targets, study)
    if workflow.is_main_process and need_pages(targets, study):
        check_packages(*PAGES)
