"""Which libraries a method imports, and when: in forks of a process that has imported what all methods need."""

import importlib.util
import inspect
import json
import os
import subprocess
import sys
from functools import cache

from proset_study.methods.base import Method
from proset_study.study.subject import SEED, make_fold_data

HEAVY = (
    *("scipy", "sklearn", "pandas", "matplotlib", "xgboost", "interpret", "skops", "kmedoids", "statsmodels"),
    *("lightgbm", "catboost"),
)


def imported(method: type[Method], *fit) -> list[str]:
    """Modules of `HEAVY` libraries that the file of a method imports, or a fit: class, parameters, complexity."""
    process = _forking()
    assert process.stdin is not None
    assert process.stdout is not None
    print(json.dumps([inspect.getfile(method), *fit]), file=process.stdin, flush=True)
    return process.stdout.readline().split()


@cache
def _forking() -> subprocess.Popen[str]:
    """A process that ends with this one."""
    command = [sys.executable, "-c", f"from {__name__} import serve; serve()"]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def serve() -> None:
    """Answer each line of the input by a line of a fork."""
    for line in sys.stdin:
        if not os.fork():
            print(*_imported_here(*json.loads(line)), flush=True)
            os._exit(0)
        if os.wait()[1]:
            print("nothing for this error, see above", flush=True)


def _imported_here(file: str, name: str = "", parameters: dict | None = None, complexity: int = 0) -> list[str]:
    spec = importlib.util.spec_from_file_location("own", file)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules["own"] = importlib.util.module_from_spec(spec)
    before = set(sys.modules)
    spec.loader.exec_module(module)
    if name:
        data = make_fold_data(3)
        bound = getattr(module, name)(data)
        before = set(sys.modules)
        list(bound.fit(parameters, complexity, SEED).staged_predict_proba(data.X_score))
    return sorted(name for name in set(sys.modules) - before if name.split(".")[0] in HEAVY)
