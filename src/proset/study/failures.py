"""What failed, in words, at the end of a run: the cause, its log, and the command that tries it again."""

import shlex
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

MOST = 20  # jobs that are listed
FULL = 2**20  # bytes free, below which a disk counts as full


@dataclass(frozen=True)
class Failed:
    """A job that failed.

    Attributes
    ----------
    rule : str
    wildcards : dict
    log : Path
    output : str
        Its first output, which is a name to ask Snakemake for.
    mem_mb : int or None
        Memory that was declared for it.
    """

    rule: str
    wildcards: dict[str, str]
    log: Path
    output: str
    mem_mb: int | None


def describe_failures(failed: Iterable[Failed], study: str, command: list[str], targets: Iterable[str]) -> str:
    """The summary of a run that failed.

    Parameters
    ----------
    failed : iterable of Failed
    study : str
    command : list of str
        Options and targets that Snakemake was called with.
    targets : iterable of str
        Those of `command` that are targets.

    Returns
    -------
    str
        Several lines, at most `MOST` jobs.
    """
    failed, targets = list(failed), set(targets)
    options = [word for word in command if word not in targets]

    def again(target):  # in front, because some options take every word that follows
        return shlex.join(["snakemake", target, *options])

    lines = [f"Study {study}: {len(failed)} job(s) failed; all that does not need them is finished and kept."]
    for job in failed[:MOST]:
        wildcards = ", ".join(f"{name} {value}" for name, value in job.wildcards.items() if name != "study")
        lines += [f"{job.rule}: {wildcards}", f"    cause: {cause(job.log, job.mem_mb)}"]
        lines += [f"    log:   {job.log}", f"    retry: {again(job.output)}"]
    if len(failed) > MOST:
        lines.append(f"and {len(failed) - MOST} more, named above")
    lines.append("Mend the cause and give the same command again. For a report of what is finished, holes marked:")
    return "\n".join([*lines, f"    {again('partial')}"])


def cause(log: Path, mem_mb: int | None = None) -> str:
    """The last line of a log, or what it means that there is none."""
    try:
        lines = log.read_text(encoding="utf-8", errors="replace").split("\n")
    except OSError:
        lines = []
    for line in reversed(lines):
        if line.strip():
            return line.strip()
    folder = next(parent for parent in log.parents if parent.exists())
    if shutil.disk_usage(folder).free < FULL:
        return f"nothing was logged, the disk of {folder} is full"
    declared = f", {mem_mb} MB were declared" if mem_mb else ""
    return f"nothing was logged; if nothing is said above either, it was killed (out of memory{declared}?)"
