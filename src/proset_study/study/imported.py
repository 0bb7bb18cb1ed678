"""Which libraries a method imports, and when: in forks of processes that have imported what methods need before."""

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
READY = "sklearn"  # whose import takes longer than all else that most methods import
UNKNOWN = ["?"]  # answer of the process that has it already, about a method that does not import it before a fit


def imported(method: type[Method], *fit) -> list[str]:
    """Modules of `HEAVY` libraries that the file of a method imports, or a fit: class, parameters, complexity."""
    question = [inspect.getfile(method), *fit]
    answer = _answer(READY, question) if fit else UNKNOWN
    return _answer("", question) if answer == UNKNOWN else answer


def _answer(ready: str, question: list) -> list[str]:
    process = _forking(ready)
    assert process.stdin is not None
    assert process.stdout is not None
    print(json.dumps(question), file=process.stdin, flush=True)
    return process.stdout.readline().split()


@cache
def _forking(ready: str) -> subprocess.Popen[str]:
    """A process that ends with this one."""
    command = [sys.executable, "-c", f"from {__name__} import serve; serve({ready!r})"]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def serve(ready: str) -> None:
    """Answer each line of the input by a line of a fork, which has what the library `ready` imports."""
    if ready:
        importlib.import_module(ready)
        del sys.modules[ready]  # to see who imports it
    for line in sys.stdin:
        if not os.fork():
            print(*_imported_here(ready, *json.loads(line)), flush=True)
            os._exit(0)
        if os.wait()[1]:
            print("nothing for this error, see above", flush=True)


def _imported_here(
    ready: str, file: str, name: str = "", parameters: dict | None = None, complexity: int = 0
) -> list[str]:
    spec = importlib.util.spec_from_file_location("own", file)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules["own"] = importlib.util.module_from_spec(spec)
    before = set(sys.modules)
    spec.loader.exec_module(module)
    if name:
        data = make_fold_data(3)
        bound = getattr(module, name)(data)
        if ready and ready not in sys.modules:
            return UNKNOWN
        before = set(sys.modules)
        list(bound.fit(parameters, complexity, SEED).staged_predict_proba(data.X_score))
    return sorted(name for name in set(sys.modules) - before if name.split(".")[0] in HEAVY)
