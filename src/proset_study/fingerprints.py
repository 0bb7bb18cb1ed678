"""What makes a result stale: the numeric code behind it and the versions of the libraries it calls.

Snakemake does not see changes in imported code. Each rule passes the fingerprint of its entry module as a parameter,
so that a change of code reruns what depends on it and nothing else. Comments, docstrings and layout of Python code do
not count; the templates beside a module count as they are. For compiled code the name of the arithmetic counts, which
also says whether the library is there.
"""

import ast
import hashlib
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from proset import arithmetic
from proset_study.environment import library_arithmetic

_OURS = ("proset", "proset_study")
_ARITHMETIC, _KERNEL = "proset.arithmetic", "proset.kernel"
_VERSIONED = (
    *("numpy", "scipy", "sklearn", "xgboost", "pandas", "statsmodels", "scikit_posthocs", "interpret", "skops"),
    *("kmedoids",),
)
_DISTRIBUTION = {"sklearn": "scikit-learn", "scikit_posthocs": "scikit-posthocs", "interpret": "interpret-core"}


@cache
def code_fingerprint(*modules: str) -> str:
    """Hash of modules, of all modules of this package that they import, and of the libraries' versions.

    Parameters
    ----------
    *modules : str
        Full names, e.g. "proset_study.methods.proset".

    Returns
    -------
    str
        16 hexadecimal digits.
    """
    sources, libraries = _closure(modules)
    digest = hashlib.sha256()
    for name in sorted(sources):
        digest.update(f"{name}\n{sources[name]}\n".encode())
    for library in sorted(libraries):
        digest.update(f"{library}=={version(_DISTRIBUTION.get(library, library))}\n".encode())
    if _KERNEL in sources:
        digest.update(f"{arithmetic.name()}\n".encode())
    return digest.hexdigest()[:16]


def method_fingerprint(module: str, method: str) -> str:
    """Fingerprint of a job that fits: a module of the study, for example "fits.search", and a method."""
    return code_fingerprint(f"proset_study.{module}", f"proset_study.methods.{method}")


@cache
def uses_kernel(method: str) -> bool:
    """Whether the fits of a method are made with proset's kernel, so that its arithmetic decides them."""
    return _KERNEL in _closure((f"proset_study.methods.{method}",))[0]


def arithmetic_of(method: str) -> str:
    """What makes the bits of a method's fits here: proset's arithmetic, or that of the libraries."""
    return arithmetic.name() if uses_kernel(method) else library_arithmetic()


def _closure(modules: tuple[str, ...]) -> tuple[dict[str, str], set[str]]:
    sources: dict[str, str] = {}
    libraries: set[str] = set()
    waiting, seen = list(modules), set()
    while waiting:
        if (name := waiting.pop()) not in seen:
            seen.add(name)
            own, imported = _module(name)
            sources |= own
            libraries |= {i.split(".")[0] for i in imported} & set(_VERSIONED)
            if name == _ARITHMETIC:  # its version stands for what it imports: the kernel is not in every score
                continue
            waiting += [i for i in imported if i.split(".")[0] in _OURS and i not in _OURS and _source_file(i)]
    return sources, libraries


@cache  # parsing takes most of the planning, and closures share most of their modules
def _module(name: str) -> tuple[dict[str, str], frozenset[str]]:
    """What counts of a module and of the files beside it, by name; and what it imports."""
    path = _source_file(name)
    tree = ast.parse(path.read_text(encoding="utf-8"))
    imported = frozenset(_imports(tree))
    _strip_docstrings(tree)
    besides = path.parent.glob("templates/*")
    return {name: ast.dump(tree), **{beside.name: beside.read_text(encoding="utf-8") for beside in besides}}, imported


@cache
def _source_file(name: str) -> Path | None:
    try:
        spec = find_spec(name)
    except ModuleNotFoundError:  # the parent is a module, so `name` is an attribute of it
        return None
    return Path(spec.origin) if spec and spec.origin else None


def _imports(tree: ast.Module):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _strip_docstrings(tree: ast.Module) -> None:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
