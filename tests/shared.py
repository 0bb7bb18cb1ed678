"""What several files of tests need; of what takes long the first process that asks makes it, the others wait."""

import fcntl
import importlib.util
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[1]


def made_once(tmp_path_factory, name: str, make: Callable[[Path], object]) -> Path:
    """A folder of this test run, filled by `make`; nobody may change it."""
    base = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent
    folder, is_made = base / name, base / f"{name}_is_made"
    with (base / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not is_made.exists():
            make(folder)
            is_made.touch()
    return folder


def load_module(file: Path):
    """The module of a file, by the name of the file; `inspect` finds its source."""
    spec = importlib.util.spec_from_file_location(file.stem, file)
    module = sys.modules[file.stem] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def code_blocks(page: str | Path, language: str) -> list[str]:
    """The code in a language on a page, such as "docs/suites.md"."""
    return re.findall(rf"```{language}\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL)


def dead_links(page: Path) -> list[str]:
    """Addresses of files that a page links to and that are not there, once each."""
    from proset_study.report.pages.links import is_there

    addresses = re.findall(r'<a\b[^>]*?\bhref="([^"]*)"', page.read_text(encoding="utf-8"))
    return [address for address in dict.fromkeys(addresses) if not is_there(page, address)]
