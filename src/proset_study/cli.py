"""Commands of the workflow: each parses its arguments, calls one function, writes one result atomically.

Options are the parameters of the function: one without a default is required, and its annotation says how it is read.
`argparse` does for it: to import Click takes four times as long, and each job of the workflow is a process.
"""

import argparse
import inspect
import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

from proset_study.base.environment import COPIES, check_core, install_command
from proset_study.release import commands as of_releases
from proset_study.report import commands as of_reports
from proset_study.store import commands as of_stores
from proset_study.study import commands as of_configs
from proset_study.study import steps
from proset_study.study.config.study import Study

COMMANDS: dict[str, Callable[..., None]] = {
    "config": of_configs.check_config,
    "data": steps.make_data,
    "dissimilarities": steps.dissimilarities,
    "openml": of_configs.openml,
    "split": steps.make_split,
    "stage1": steps.stage1,
    "select-parameters": steps.select_parameters,
    "stage2": steps.stage2,
    "select-complexity": steps.select_complexity,
    "fit": steps.fit,
    "evaluate": steps.evaluate,
    "score": of_stores.score,
    "score-data-set": of_stores.score_data_set,
    "standing-on": of_reports.standing_on,
    "standing": of_reports.standing,
    "table": of_reports.table,
    "data-set-page": of_reports.data_set_page,
    "report": of_reports.report,
    "partial": of_reports.partial,
    "pack": of_stores.pack,
    "predictions": of_releases.predictions,
    "merge": of_releases.merge,
    "release": of_releases.release,
    "article": of_reports.article,
    "findings": of_reports.findings,
    "edges": of_reports.edges,
    "verify": of_releases.verify,
    "restore": of_releases.restore,
    "verify-release": of_releases.verify_release,
}


def main() -> None:
    """Run one command; a wrong input ends with a message and status 1."""
    arguments = vars(_parser().parse_args())
    name, start = arguments.pop("command"), time.monotonic()
    try:
        check_core()
        if COPIES in os.environ:
            arguments = _work_in(Path(os.environ[COPIES]), arguments)
        if "study" in arguments:
            arguments["study"] = Study.read(arguments["study"])
        COMMANDS[name](**arguments)
    except ModuleNotFoundError as error:
        sys.exit(f"{error.name} cannot be imported by {sys.executable}; install it with: {install_command()}")
    except (ValueError, ArithmeticError, RuntimeError, OSError, MemoryError, ImportError) as error:
        sys.exit(f"{type(error).__name__}: {error}")
    if what := _what(arguments):
        print(f"{name}: {what}, {time.monotonic() - start:.0f} s", flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m proset_study", description="Run a command of the study.")
    commands = parser.add_subparsers(required=True, dest="command", metavar="COMMAND")
    for name, function in COMMANDS.items():
        command = commands.add_parser(name, help=function.__doc__, description=function.__doc__)
        hints = get_type_hints(function, include_extras=True)
        for parameter in inspect.signature(function).parameters.values():
            command.add_argument(f"--{parameter.name.replace('_', '-')}", **_option(parameter, hints[parameter.name]))
    return parser


def _option(parameter: inspect.Parameter, hint: Any) -> dict[str, Any]:
    """What argparse is told of a parameter: `Annotated` names the function that reads its text."""
    optional = parameter.default is not parameter.empty
    option: dict[str, Any] = {"default": parameter.default} if optional else {"required": True}
    if get_origin(hint) is Sequence:
        option["nargs"] = "*" if optional else "+"
    reads, *_ = getattr(hint, "__metadata__", get_args(hint) or [hint])
    return option | {"type": Path if reads is Study else reads}


def _work_in(folder: Path, arguments: dict[str, Any]) -> dict[str, Any]:
    """Go to the copies of what a job has declared, in which results have the same names; arguments are from here."""

    def resolved(value):
        if isinstance(value, list):
            return [resolved(item) for item in value]
        return value.resolve() if isinstance(value, Path) else value

    arguments = {name: resolved(value) for name, value in arguments.items()}
    folder.mkdir(parents=True, exist_ok=True)
    os.chdir(folder)
    return arguments


def _what(arguments: dict[str, Any]) -> str | Path | None:
    """What a job of the workflow was about, for the log of the run."""
    if "study" not in arguments:
        return arguments.get("output")
    about = [" on ".join(arguments[name] for name in ("name", "experiment", "run", "data_set") if name in arguments)]
    about += [f"{name} {arguments[name]}" for name in ("replicate", "kind") if name in arguments]
    if "fold" in arguments:
        about.append(f"folds {arguments['fold']} to {arguments['last_fold']}")
    if "first" in arguments:
        unit = "trials" if "fold" in arguments else "folds"
        about.append(f"{unit} {arguments['first']} to {arguments['last']}")
    return ", ".join(filter(None, about)) or arguments["study"].name
