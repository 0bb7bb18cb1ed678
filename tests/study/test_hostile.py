"""What a stranger sends: 50 spoilt reports, drawn at random, each refused or found wrong in a few short lines."""

import json
import os
import re
import resource
import shutil
import subprocess
import sys
import time

import numpy as np
from hostile import spoil
from test_verify import published, report, whole  # noqa: F401 - fixtures

REPORTS = 50
SECONDS = 120
MEBIBYTES = 1500


def tree(folder):
    """All there is below a folder, files with the time of the last change."""
    return {str(p.relative_to(folder)): p.is_file() and p.lstat().st_mtime_ns for p in folder.rglob("*")}


def test_fifty_hostile_reports_do_no_harm_and_are_not_believed(report, whole, published, tmp_path):  # noqa: F811
    rng, found = np.random.default_rng(11), {}
    file = whole.study.config["data_sets"]["odd"]["file"]
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.csv").write_text("a,class,weight\n1234567,SECRET,1\n", encoding="utf-8")
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    for i in range(REPORTS):
        copy = shutil.copytree(report, tmp_path / f"{i}/report")
        what = spoil(copy, outside, rng)
        before, start = tree(tmp_path), time.monotonic()
        command = [sys.executable, "-m", "proset.study", "verify", "--report", str(copy), "--published", str(published)]
        run = subprocess.run(
            [*command, "--refits", "1", "--seed", str(i), "--files", file, "--minutes", "5"],
            env={**os.environ, "TMPDIR": str(scratch)},
            capture_output=True,
            text=True,
            check=False,
        )
        said = run.stdout + run.stderr
        assert run.returncode == 1, (what, said)
        assert "Traceback" not in said, (what, said)
        assert "SECRET" not in said, what
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", said), what
        assert max(map(len, said.splitlines())) < 1500, (what, said)
        assert len(said.splitlines()) < 400, (what, said)
        assert re.search(r"\d+ difference\(s\) in ", said), (what, said)
        assert tree(tmp_path) == before, what
        assert time.monotonic() - start < SECONDS, what
        shutil.rmtree(tmp_path / f"{i}")
        found[what] = said
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    assert peak < MEBIBYTES
    print(json.dumps({what: said.splitlines()[:20] for what, said in found.items()}, indent=1))


def test_the_time_that_a_check_takes_is_bounded(report, whole, published, tmp_path):  # noqa: F811
    file = whole.study.config["data_sets"]["odd"]["file"]
    command = [sys.executable, "-m", "proset.study", "verify", "--report", str(report), "--published", str(published)]
    run = subprocess.run(
        [*command, "--refits", "1", "--seed", "1", "--files", file, "--minutes", "0.001"],
        env={**os.environ, "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 1
    assert "not finished after 0.001 minutes; allow more of them: make verify MINUTES=..." in run.stderr
    assert not list(tmp_path.iterdir())
