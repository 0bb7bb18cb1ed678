"""Packages that only some methods need: those of the extra `battery`."""

import sys
from importlib import import_module

SYSTEM = {"lightgbm": "libgomp1"}  # packages of Debian and Ubuntu that a wheel takes a library of


def import_package(name: str) -> None:
    """Import a package; a ValueError says how to install it if that fails."""
    try:
        import_module(name)
    except (ImportError, OSError) as error:  # OSError: a library of the system is missing
        raise ValueError(f"{name} cannot be imported: {error}; {remedy(name)}") from error


def remedy(name: str) -> str:
    """How a package and what it needs of the system are installed."""
    system = f", and its library of the system with: apt-get install {SYSTEM[name]}" if name in SYSTEM else ""
    return f"install it with: {sys.executable} -m pip install -r requirements-battery.txt{system}"
