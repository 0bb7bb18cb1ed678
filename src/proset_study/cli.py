"""Commands of the workflow: each parses its arguments, calls one function, writes one result atomically.

Options are the parameters of the function. To import Click takes four times as long as `argparse`, and each job of the
workflow is a process, which imports the module of its own command only.
"""

import argparse
import inspect
import os
import sys
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

from proset_study.base.environment import COPIES, check_core, install_command
from proset_study.study.config.study import Study
from proset_study.study.fork_server import serve

COMMANDS = {  # module and function below `proset_study`
    "fork-server": "cli.fork_server",
    "new": "new.new",
    "where": "new.where",
    "config": "study.config.yaml_file.check_config",
    "openml": "study.steps.openml",
    "data": "study.steps.data",
    "dissimilarities": "study.steps.dissimilarities",
    "split": "study.steps.make_split",
    "stage1": "study.steps.stage1",
    "select-parameters": "study.steps.select_parameters",
    "stage2": "study.steps.stage2",
    "select-complexity": "study.steps.select_complexity",
    "fit": "study.steps.fit",
    "evaluate": "study.steps.evaluate",
    "all-runs": "study.steps.run_all",
    "all-data-sets": "study.inputs.gather",
    "score": "store.scores.score",
    "score-data-set": "store.scores.score_data_set",
    "pack": "store.packed.pack_records",
    "standing-on": "report.commands.standing_on",
    "standing": "report.commands.standing",
    "table": "report.commands.table",
    "data-set-page": "report.commands.data_set_page",
    "report": "report.commands.report",
    "partial": "report.commands.partial",
    "article": "report.commands.article",
    "findings": "report.commands.findings",
    "site": "report.commands.site",
    "renew": "report.commands.renew",
    "edges": "report.commands.edges",
    "predictions": "release.commands.predictions",
    "merge": "release.commands.merge",
    "standing-of": "release.commands.standing_of",
    "store-of": "release.commands.store_of",
    "leaderboard": "release.commands.leaderboard",
    "release": "release.commands.release",
    "verify": "release.commands.verify",
    "restore": "release.commands.restore",
    "verify-release": "release.commands.verify_release",
}
PROGRAM = "python -m proset_study"


def fork_server(socket: int) -> None:
    """Start the jobs of a run on this machine, which starts this process."""
    serve(socket, main)


def main() -> None:
    """Run one command; a wrong input ends with a message and status 1."""
    name, options, start = sys.argv[1] if sys.argv[1:] else "", sys.argv[2:], time.monotonic()
    try:
        check_core()
        if name not in COMMANDS:
            _explain(sys.argv[1:2])
        function = _function(name)
        arguments = vars(_parser(name, function).parse_args(options))
        if COPIES in os.environ:
            arguments = _work_in(Path(os.environ[COPIES]), arguments)
        if "study" in arguments:
            arguments["study"] = Study.read(arguments["study"])
        positional = [arguments.pop(name) for name in _positional(function)]
        function(*positional, **arguments)
    except ModuleNotFoundError as error:
        sys.exit(f"{error.name} cannot be imported by {sys.executable}; install it with: {install_command()}")
    except (ValueError, ArithmeticError, RuntimeError, OSError, MemoryError, ImportError) as error:
        sys.exit(f"{type(error).__name__}: {error}")
    if what := _what(arguments):
        print(f"{name}: {what}, {time.monotonic() - start:.0f} s", flush=True)


def _function(name: str) -> Callable[..., None]:
    module, _, function = COMMANDS[name].rpartition(".")
    command: Callable[..., None] = getattr(import_module(f"proset_study.{module}"), function)
    return command


def _explain(arguments: list[str]) -> None:
    """End with the list of all commands, for `--help` or because the first argument is none of them."""
    parser = argparse.ArgumentParser(prog=PROGRAM, description="Run a command of the study.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for known in COMMANDS:
        commands.add_parser(known, help=_function(known).__doc__)
    parser.parse_args(arguments)


def _parser(name: str, function: Callable[..., None]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=f"{PROGRAM} {name}", description=function.__doc__)
    hints = get_type_hints(function, include_extras=True)
    for parameter in inspect.signature(function).parameters.values():
        if parameter.name in _positional(function):
            parser.add_argument(parameter.name, type=hints[parameter.name])
        else:
            parser.add_argument(f"--{parameter.name.replace('_', '-')}", **_option(parameter, hints[parameter.name]))
    return parser


def _positional(function: Callable[..., None]) -> list[str]:
    """Names of the arguments that are given without an option."""
    parameters = inspect.signature(function).parameters.values()
    return [parameter.name for parameter in parameters if parameter.kind is parameter.POSITIONAL_ONLY]


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
    about += [
        f"{unit}s {arguments[f'first_{unit}']} to {arguments[f'last_{unit}']}"
        for unit in ("fold", "trial")
        if f"first_{unit}" in arguments
    ]
    return ", ".join(filter(None, about)) or arguments["study"].name
