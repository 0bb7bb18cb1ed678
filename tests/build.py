"""setup.py as a module: how the library is compiled; and commands."""

import importlib.util
import subprocess

from tests.shared import ROOT

_spec = importlib.util.spec_from_file_location("proset_setup", ROOT / "setup.py")
setup = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(setup)


def run(*command, **keywords):
    """What a command prints, which has to succeed."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False, **keywords)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return done.stdout
