"""What failed, in words, at the end of a run: the cause, its log, and the command that tries it again."""

import shlex
import shutil
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

MOST = 20  # jobs that are listed
FULL = 2**20  # bytes free, below which a disk counts as full
LOCAL = ["--cores", "2"]  # options of a run that no overlay is needed for


class Failed(NamedTuple):
    """A job that failed."""

    rule: str
    wildcards: dict[str, str]
    log: Path
    output: str  # its first one, a name to ask Snakemake for
    mem_mb: int | None  # as it was declared


def describe_failures(
    failed: Iterable[Failed], study: str, command: list[str], targets: Iterable[str], has_partial: bool = True
) -> str:
    """The summary of a run that failed, of at most `MOST` jobs; `command` is `program` with options and targets.

    `has_partial` says whether the target `partial` would report what is finished.
    """
    failed, targets = list(failed), set(targets)
    called, *words = command
    options = [word for word in words if word not in targets]
    if not failed:
        return (
            f"Study {study}: stopped before the end; what is finished is kept, and the same command goes on from there."
        )
    lines = [f"Study {study}: {len(failed)} job(s) failed; all that does not need them is finished and kept."]
    for job in failed[:MOST]:
        wildcards = ", ".join(f"{name} {value}" for name, value in job.wildcards.items() if name != "study")
        lines += [f"{job.rule}: {wildcards}", f"    cause: {cause(job.log, job.mem_mb)}"]
        lines += [f"    log:   {job.log}", f"    retry: {retry(job.output, options, called)}"]
    if len(failed) > MOST:
        lines.append(f"and {len(failed) - MOST} more, named above")
    lines.append("Fix the cause and give the same command again.")
    if has_partial:
        lines[-1] += " For a report of what is finished, missing marked:"
        lines.append(f"    {retry('partial', options, called)}")
    return "\n".join(lines)


def program() -> str:
    """How a shell calls the Snakemake that runs now: by its name, or its path if that is not found first."""
    path = Path(sys.executable).with_name("snakemake")
    if shutil.which("snakemake") == str(path):
        return "snakemake"
    return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)


def retry(target: str, options: list[str], called: str = "snakemake") -> str:
    """The command that makes a target, as it can be pasted in the folder in which Snakemake was started."""
    return shlex.join([called, target, *options])  # target first: some options take every word that follows


def cause(log: Path, mem_mb: int | None = None) -> str:
    """The last line of a log, or what it means that there is none."""
    with suppress(OSError):
        if text := log.read_text(encoding="utf-8", errors="replace").strip():
            return text.rpartition("\n")[2].strip()
    folder = next(parent for parent in log.parents if parent.exists())
    if shutil.disk_usage(folder).free < FULL:
        return f"nothing was logged, the disk of {folder} is full"
    declared = f", {mem_mb} MB were declared" if mem_mb else ""
    return f"nothing was logged; if nothing is said above either, it was killed (out of memory{declared}?)"
