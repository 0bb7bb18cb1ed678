"""setup.py as a module: how the library is compiled."""

import importlib.util
from pathlib import Path

ROOT = Path(__file__).parents[1]
_spec = importlib.util.spec_from_file_location("proset_setup", ROOT / "setup.py")
setup = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(setup)
