"""What makes a result stale: the code behind its numbers and the versions of the libraries it calls.

Snakemake does not see changes in imported code. Each rule passes the `key` of its job as a parameter, so that a change
of code reruns what depends on it and nothing else. What only people and tools read does not count: comments, layout,
docstrings, type hints, and the texts of errors. Modules that read and write files count by the version of their format
alone, compiled code by the name of the arithmetic, templates next to a module that renders them as they are.

`tests/proset_study/study/closures.txt` lists what counts for each key.
"""

import ast
import builtins
import hashlib
import json
import sys
import zlib
from contextlib import suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from importlib.util import resolve_name
from pathlib import Path

from proset import arithmetic
from proset.files import replacing
from proset_study.base import additions
from proset_study.base.environment import how_to_install, library_arithmetic
from proset_study.data.generators import base as generators
from proset_study.fits.evaluations import KINDS
from proset_study.fits.evaluations import base as evaluations
from proset_study.methods import base as methods
from proset_study.methods.optional import remedy

# Found by name: no import statement names them.
_FIGURES = tuple(
    f"report.figures.{path.stem}" for path in sorted(Path(__file__).parents[1].glob("report/figures/[!_]*.py"))
)
_SHOWN = (*(f"report.evaluations.{kind}" for kind in KINDS), *_FIGURES)
# The entry modules of each job, below `proset_study`; names in braces are arguments of `key`.
KEYS = {
    "data": ("data.sources", "data.{source}"),
    "dissimilarities": ("data.matrix", "{module}"),
    "split": ("data.splitting",),
    "split_in_time": ("data.time_splitting",),
    "search": ("fits.search", "methods.{method}"),
    "select": ("fits.selection", "methods.{method}"),
    "fit": ("fits.final", "methods.{method}"),
    "evaluation": ("fits.evaluations.{kind}", "methods.{method}"),
    "score": ("store.scores",),
    "table": ("report.tables.table_files",),
    "page": ("report.pages.data_set", "report.catalogue", *_SHOWN),
    "report": ("report.write", *_SHOWN),
    "pack": ("store.packed",),
    "predictions": ("release.predictions",),
}
LIBRARIES = {  # whose versions count, by the name they are imported by: their name as a distribution
    "numpy": "numpy",
    "scipy": "scipy",
    "threadpoolctl": "threadpoolctl",
    "sklearn": "scikit-learn",
    "xgboost": "xgboost",
    "pandas": "pandas",
    "statsmodels": "statsmodels",
    "altair": "altair",
    "matplotlib": "matplotlib",
    "PIL": "pillow",
    "jinja2": "jinja2",
    "interpret": "interpret-core",
    "skops": "skops",
    "kmedoids": "kmedoids",
    "lightgbm": "lightgbm",
    "catboost": "catboost",
}
BATTERY = ("lightgbm", "catboost")  # of the extra of this name, with `requirements-battery.txt`
MAX_NAME = 200  # of a file that a module names
_OWN_SOURCE = Path(__file__).read_text(encoding="utf-8")
_ROOT = Path(__file__).parents[2]  # of both packages, which are one distribution
_OURS = ("proset", "proset_study")
_ARITHMETIC, _KERNEL = "proset.arithmetic", "proset.library"
_COMMAND = "proset_study.external"
_FORMATS = ("proset.archive", "proset_study.base.records")  # what they read is what they wrote: `FORMAT_VERSION` counts
# No result contains anything of these.
_NEVER = (
    *("proset.files", "proset_study.base.settings", "proset_study.methods.costs"),
    *(f"proset_study.study.{name}" for name in ("fingerprints", "layout", "blocks", "all_runs", "finished")),
)
# What classes in a folder say for people, the config and the schedule.
_ABOUT = {
    "proset_study.methods": methods.ABOUT,
    "proset_study.data.generators": generators.ABOUT,
    "proset_study.fits.evaluations": evaluations.ABOUT,
}


def key(job: str, **names: str) -> str:
    """Hash of what the results of a job in `KEYS` depend on besides its input and settings, 16 hexadecimal digits.

    `names` are those in braces there: "source" (see `data.sources.source_of`), "module" (see `data.matrix.module_of`),
    "method", "kind" of evaluation.

    >>> key("search", method="knn") == key("search", method="proset")
    False
    """
    return code_fingerprint(*modules_of(job, **names))


def modules_of(job: str, **names: str) -> tuple[str, ...]:
    """Full names of the entry modules of a job; arguments as for `key`."""
    return tuple(f"proset_study.{module.format(**names)}" for module in KEYS[job])


@cache
def code_fingerprint(*modules: str) -> str:
    """Hash of modules, of all modules of ours that they import, and of the libraries' versions.

    A ModuleNotFoundError names a module that does not exist, a ValueError a library that is not installed.
    """
    sources, libraries = closure(*modules)
    digest = hashlib.sha256()
    for name in sorted(sources):
        digest.update(f"{name}\n{sources[name]}\n".encode())
    for library in sorted(libraries):
        digest.update(f"{library}=={_version(library)}\n".encode())
    if _KERNEL in sources:
        digest.update(f"{arithmetic.name()}\n".encode())
    return digest.hexdigest()[:16]


def _version(library):
    try:
        return version(library)
    except PackageNotFoundError:
        how = remedy(library) if library in BATTERY else how_to_install(library)
        raise ValueError(f"{library} is not installed; {how}") from None


@cache
def uses_kernel(method: str) -> bool:
    """Whether the fits of a method are made with proset's kernel, so that its arithmetic decides them."""
    return _KERNEL in closure(f"proset_study.methods.{method}")[0]


def arithmetic_of(method: str) -> str:
    """What makes the bits of a method's fits here: proset's arithmetic, or that of the libraries."""
    return arithmetic.name() if uses_kernel(method) else library_arithmetic()


def closure(*modules: str) -> tuple[dict[str, str], set[str]]:
    """Normalised sources, by name, of modules and of our modules that they import; the `LIBRARIES` that they use."""
    sources: dict[str, str] = {}
    libraries: set[str] = set()
    waiting, seen = list(modules), set()
    while waiting:
        if (name := waiting.pop()) not in seen:
            seen.add(name)
            texts, imported = _module(name)
            sources |= texts
            packages = {i.split(".")[0] for i in imported}
            libraries |= {LIBRARIES[package] for package in packages & LIBRARIES.keys()} | _others(name, packages)
            if name == _ARITHMETIC:  # its version stands for what it imports: the kernel is not in every score
                continue
            counted = {*_OURS, *additions.packages()}
            counted |= {package for package in packages if additions.is_in_study(package)}
            ours = [i for i in imported if i.split(".")[0] in counted and i not in (*_OURS, *_NEVER)]
            waiting += [i for i in ours if _source_file(i)]
    return sources, libraries


@cache  # closures share most of their modules
def _module(name: str) -> tuple[dict[str, str], frozenset[str]]:
    """Normalised sources of a module and its templates, by name, and what it imports."""
    if (path := _source_file(name)) is None:
        raise ModuleNotFoundError(f"there is no module {name!r}", name=name)
    source, imported, named = _remembered(path, name, path.read_text(encoding="utf-8"))
    if "jinja2" in imported:
        files = {file.name: file.read_text(encoding="utf-8") for file in path.parent.glob("templates/*")}
    else:
        files = _files(path.parent, named)
    return {name: source, **files}, imported


def _remembered(path: Path, name: str, text: str) -> tuple[str, frozenset[str], tuple[str, ...]]:
    """`_normalised`, kept in a file next to the bytecode: to parse all modules takes half of the start of a run."""
    about = _ABOUT.get(name.rpartition(".")[0])
    digest = hashlib.sha256(repr((name, text, about, sys.version, _OWN_SOURCE)).encode()).hexdigest()
    kept = path.parent / "__pycache__" / f"{path.stem}.numbers"
    with suppress(OSError, ValueError, zlib.error):  # not there, cut short
        known_digest, source, imported, named = json.loads(zlib.decompress(kept.read_bytes()))
        if known_digest == digest:
            return source, frozenset(imported), tuple(named)
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    source, imported, named = _normalised(name, text, package)
    if not sys.dont_write_bytecode:
        with suppress(OSError):  # a folder that cannot be written to, as with bytecode
            kept.parent.mkdir(exist_ok=True)
            with replacing(kept) as file:
                file.write(zlib.compress(json.dumps([digest, source, sorted(imported), named]).encode()))
    return source, imported, named


def _normalised(name: str, text: str, package: str) -> tuple[str, frozenset[str], tuple[str, ...]]:
    """What counts of a source, what it imports, and what may be names of files if it is a method by command."""
    tree = ast.parse(text)
    if name in _FORMATS:
        return next(s for s in map(ast.unparse, tree.body) if s.startswith("FORMAT_VERSION = ")), frozenset(), ()
    for_numbers = _ForNumbers(_ABOUT.get(name.rpartition(".")[0], ()), _described(tree, name, package), package)
    tree, imported = for_numbers.visit(tree), frozenset(for_numbers.imported)
    may_run_files = _COMMAND in imported or not _own_file(name)  # it may inherit from one that does
    return ast.dump(tree), imported, _constants(tree) if may_run_files else ()


def _source_file(name: str) -> Path | None:
    """The file of a module, without importing anything; None for an attribute of a module."""
    return _own_file(name) or additions.source_file(name)


def _own_file(name: str) -> Path | None:
    path = _ROOT.joinpath(*name.split("."))
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return path if path.is_file() else None


def _constants(tree: ast.AST) -> tuple[str, ...]:
    texts = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    return tuple(sorted(text for text in texts if len(text) < MAX_NAME))


def _files(folder: Path, named: tuple[str, ...]) -> dict[str, str]:
    """Digests of the files that a method by command names, which it runs or reads; see `external`."""
    files = {name: folder / name for name in named}
    return {name: hashlib.sha256(file.read_bytes()).hexdigest() for name, file in files.items() if file.is_file()}


def _others(name: str, packages: set[str]) -> set[str]:
    """Distributions of the libraries that an added module imports, besides `LIBRARIES`."""
    if _own_file(name):
        return set()
    unknown = packages - LIBRARIES.keys() - set(sys.stdlib_module_names) - {*_OURS, *additions.packages()}
    return {distribution for package in unknown for distribution in _distributions().get(package, [])}


_distributions = cache(packages_distributions)  # by the name they are imported by: PyYAML is imported as yaml


class _ForNumbers(ast.NodeTransformer):
    """Leaves out what is in no result: docstrings, type hints, texts of Python's own errors, `about` in classes.

    Type hints in the body of a class stay, as they are the fields of dataclasses.

    In `imported` it notes what is imported by what is left.
    """

    def __init__(self, about: tuple[str, ...], described: set[str], package: str):
        self._about, self._described, self._package = set(about), described, package
        self.imported: list[str] = []

    def visit_Module(self, node):
        return _without_docstring(self.generic_visit(node))

    def visit_ClassDef(self, node):
        about = self._about if node.name in self._described else set()  # a helper may have a function `cost`
        kept = [child for child in node.body if not _names(child) & about]
        children = [_field(child) if isinstance(child, ast.AnnAssign) else self.visit(child) for child in kept]
        node.body = [child for child in children if child is not None]
        return _without_docstring(node)

    def visit_FunctionDef(self, node):
        node.returns = None
        return _without_docstring(self.generic_visit(node))

    def visit_arguments(self, node):
        for argument in (*node.posonlyargs, *node.args, *node.kwonlyargs, node.vararg, node.kwarg):
            if argument is not None:
                argument.annotation = None
        return self.generic_visit(node)

    def visit_AnnAssign(self, node):
        return self.generic_visit(ast.Assign([node.target], node.value)) if node.value else None

    def visit_If(self, node):
        if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING" and not node.orelse:
            return None
        return self.generic_visit(node)

    def visit_Import(self, node):
        self.imported += (alias.name for alias in node.names)
        return node

    def visit_ImportFrom(self, node):
        if node.module in ("typing", "collections.abc", "proset_study.base.additions"):
            return None
        module = resolve_name("." * node.level + (node.module or ""), self._package)
        self.imported += (module, *(f"{module}.{alias.name}" for alias in node.names))
        return node

    def visit_AugAssign(self, node):  # where else modules are looked for is in no result
        return None if ast.unparse(node.target) == "__path__" else self.generic_visit(node)

    def visit_Raise(self, node):
        function = node.exc.func if isinstance(node.exc, ast.Call) else None
        kind = getattr(builtins, function.id, None) if isinstance(function, ast.Name) else None
        if isinstance(kind, type) and issubclass(kind, Exception):  # an error that Python has
            node.exc = function
        return node


def _described(tree: ast.Module, name: str, package: str) -> set[str]:
    """Names of classes that `_ABOUT` is about: they inherit from one of their folder that is not of fitted models."""
    folder, _, module = name.rpartition(".")
    known: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.ImportFrom):
            source = resolve_name("." * node.level + (node.module or ""), package)
            if source in (folder, _COMMAND) or source.startswith(f"{folder}."):
                known |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, ast.ClassDef):
            bases = [
                ast.unparse(base) for base in node.bases if not ast.unparse(base).split(".")[-1].startswith("Fitted")
            ]
            if module == "base" or any(base.split(".")[0] in known for base in bases):
                known.add(node.name)
    return known


def _field(child):
    """The field of a class without the schema of a setting; see `base.settings.setting`."""
    if isinstance(child.value, ast.Call) and ast.unparse(child.value.func) == "setting":
        named = [keyword.value for keyword in child.value.keywords if keyword.arg == "default"]
        child.value = next(iter([*child.value.args[1:], *named]), None)
    return child


def _names(statement: ast.stmt) -> set[str]:
    """What a statement in the body of a class defines."""
    if isinstance(statement, ast.FunctionDef):
        return {statement.name}
    return {target.id for target in getattr(statement, "targets", ()) if isinstance(target, ast.Name)}


def _without_docstring(node):
    if ast.get_docstring(node) is not None:
        del node.body[0]
    return node
