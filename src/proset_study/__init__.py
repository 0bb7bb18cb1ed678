"""The study: data sets, splits, two-stage search, final models, scores, tables.

The modules a worker needs import NumPy only; each method imports its own library when it is used.
"""

from pathlib import Path

_PACKAGE = Path(__file__).parent
# The folder with the workflow and what it reads: the copy in an installed package, or that of a checkout.
PROJECT = _PACKAGE / "project" if (_PACKAGE / "project").is_dir() else _PACKAGE.parents[1]
SNAKEFILE = str(PROJECT / "workflow/Snakefile")
