"""CPU seconds of a fresh process: what a worker costs before its first fit, beside what it avoids."""

import resource
import subprocess
import sys
from statistics import median

COLUMNS = ("what", "cpu_seconds")
PROCESSES = {
    "python": "pass",
    "numpy": "import numpy",
    "worker of proset": "import proset_study.__main__, proset_study.fits.search, proset_study.methods.proset;"
    "import proset.library; proset.library.library()",
    "worker of xgboost": "import proset_study.__main__, proset_study.fits.search;"
    "from proset_study.base.environment import import_xgboost_alone as i; i()",
    "scipy.optimize": "import scipy.optimize",
    "scikit-learn": "import sklearn.neighbors",
    "xgboost": "import xgboost",
}


def run(repeats: int = 9) -> list[dict]:
    """Rows with `COLUMNS`: medians of user and system time together."""
    return [
        {"what": what, "cpu_seconds": median(_cpu(code) for _ in range(repeats))} for what, code in PROCESSES.items()
    ]


def _cpu(code):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", code], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
