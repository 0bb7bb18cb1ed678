"""Methods, generators and evaluations of others: in the folder of a study, and in packages with an entry point.

A study has them in its folders `methods`, `generators` and `evaluations`, a file each. A package names the folder that
has them, a package itself, in an entry point of the group "proset_study.methods", "proset_study.generators" or
"proset_study.evaluations". Either way the folder becomes a part of the package with those of ours, and a file in it is
found, imported and counted as if it were one of them.
"""

from functools import cache
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path

STUDY = Path.cwd()  # the folder in which a command is started; some go on in another one
CONFIGS = ("config.yaml", "config/config.yaml")  # one of them makes a folder that of a study
GROUPS = {  # what can be added: the package that has those of ours
    "methods": "proset_study.methods",
    "generators": "proset_study.data.generators",
    "evaluations": "proset_study.fits.evaluations",
    "evaluations/report": "proset_study.report.evaluations",
}
_SRC = Path(__file__).parents[2]


@cache
def folders(kind: str) -> list[str]:
    """Folders that have more of a kind in `GROUPS`, that of the study first."""
    group, _, below = kind.partition("/")
    found = [STUDY / group] if _is_study() else []
    found += [folder for entry in _entries(group) if (folder := _folder_of(entry.value))]
    return [str(folder / below) for folder in found if (folder / below).is_dir()]


def packages() -> set[str]:
    """Packages with an entry point, the first part of their names: their modules count as ours do."""
    return {entry.value.partition(".")[0] for kind in GROUPS for entry in _entries(kind)}


@cache
def is_in_study(name: str) -> bool:
    """Whether a module or package lies in the folder of the study, from where Python imports it, too."""
    return _is_study() and _module_in(STUDY, name) is not None


def source_file(name: str) -> Path | None:
    """The file of a module that was added, or that a package with an entry point has; None if it is neither."""
    for kind, of_kind in GROUPS.items():
        if name.startswith(f"{of_kind}."):  # also of a package in the folder
            files = (_module_in(Path(folder), name.removeprefix(f"{of_kind}.")) for folder in folders(kind))
            return next(filter(None, files), None)
    if is_in_study(name.partition(".")[0]):
        return _module_in(STUDY, name)
    if name.partition(".")[0] in packages():
        try:
            spec = find_spec(name)
        except ModuleNotFoundError:  # an attribute of a module
            return None
        return Path(spec.origin) if spec and spec.origin and spec.origin.endswith(".py") else None
    return None


def errors() -> list[str]:
    """What cannot be used: entry points that name no package, files of helpers, and files with a name that is taken."""
    found: list[str] = []
    taken: dict[tuple[str, str], Path] = {}
    for kind, package in GROUPS.items():
        found += [
            f"entry point {entry.name} of proset_study.{kind}: {entry.value!r} is not allowed, must be a package"
            for entry in _entries(kind)
            if _folder_of(entry.value) is None
        ]
        for path in map(Path, folders(kind) if "/" not in kind else []):
            helpers = {*path.glob("_*.py"), *path.glob("*/__init__.py")}
            for file in sorted(helpers - {path / "__init__.py", path / "report/__init__.py"}):
                found.append(f"{kind}: {file} is not allowed, each file is one; put shared code next to this folder")
        for folder in (str(_SRC.joinpath(*package.split("."))), *folders(kind)):
            for file in sorted(Path(folder).glob("[!_]*.py")):
                if (other := taken.setdefault((kind, file.stem), file)) is not file:
                    found.append(f"{kind}: the name of {file} is not allowed, {other} has it; rename the file")
    return found


def _is_study() -> bool:
    return any((STUDY / config).is_file() for config in CONFIGS)


def _module_in(folder: Path, name: str) -> Path | None:
    """The file of a module or package below a folder, if it is there."""
    *parents, module = name.split(".")
    path = folder.joinpath(*parents)
    return next((file for file in (path / f"{module}.py", path / module / "__init__.py") if file.is_file()), None)


@cache  # each call reads what all distributions say, and closures ask thousands of times
def _entries(group: str) -> tuple[EntryPoint, ...]:
    return tuple(entry_points(group=f"proset_study.{group}"))


@cache
def _folder_of(package: str) -> Path | None:
    """The folder of a package, which is not imported; None if there is no such package."""
    try:
        spec = find_spec(package)
    except ModuleNotFoundError:
        return None
    return Path(spec.submodule_search_locations[0]) if spec and spec.submodule_search_locations else None
