"""What a stranger sends: 50 spoilt reports, drawn at random, each refused or found wrong in a few short lines."""

import json
import os
import re
import shutil
import sys
import tempfile
import time
import traceback

import numpy as np
from tests.proset_study.release.verify.hostile import spoil

from proset_study import cli

REPORTS = 50
SECONDS = 120
MEBIBYTES = 1500


def tree(folder):
    """All there is below a folder, files with the time of the last change."""
    return {str(p.relative_to(folder)): p.is_file() and p.lstat().st_mtime_ns for p in folder.rglob("*")}


def verified(scratch, *arguments):
    """Status and output of the command in a child that has its libraries already; its temporary files in `scratch`."""
    with tempfile.TemporaryFile("w+", encoding="utf-8") as said:
        if not (child := os.fork()):
            os.dup2(said.fileno(), 1)
            os.dup2(said.fileno(), 2)
            sys.stdout, sys.stderr = os.fdopen(1, "w"), os.fdopen(2, "w")
            sys.argv, tempfile.tempdir, code = ["verify", "verify", *map(str, arguments)], str(scratch), 0
            try:
                cli.main()
            except SystemExit as end:
                print(end, file=sys.stderr)
                code = 1
            except BaseException:
                traceback.print_exc()
                code = 2
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
        _, status, used = os.wait4(child, 0)
        said.seek(0)
        return os.waitstatus_to_exitcode(status), said.read(), used.ru_maxrss / 1024


def test_fifty_hostile_reports_do_no_harm_and_are_not_believed(report, whole, published, tmp_path):
    rng, found = np.random.default_rng(11), {}
    file = whole.study.config["data_sets"]["odd"]["file"]
    outside, scratch = tmp_path / "outside", tmp_path / "scratch"
    outside.mkdir()
    (outside / "secret.csv").write_text("a,class,weight\n1234567,SECRET,1\n", encoding="utf-8")
    scratch.mkdir()
    for i in range(REPORTS):
        copy = shutil.copytree(report, tmp_path / f"{i}/report")
        what = spoil(copy, outside, rng)
        before, start = tree(tmp_path), time.monotonic()
        arguments = ["--report", copy, "--published", published, "--refits", "1", "--seed", i, "--minutes", "5"]
        status, said, mebibytes = verified(scratch, *arguments, "--files", file)
        assert status == 1, (what, said)
        assert "Traceback" not in said, (what, said)
        assert "SECRET" not in said, what
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", said), what
        assert max(map(len, said.splitlines())) < 1500, (what, said)
        assert len(said.splitlines()) < 400, (what, said)
        assert re.search(r"\d+ difference\(s\) in ", said), (what, said)
        assert tree(tmp_path) == before, what
        assert time.monotonic() - start < SECONDS, what
        assert mebibytes < MEBIBYTES, what
        shutil.rmtree(tmp_path / f"{i}")
        found[what] = said.splitlines()
    print(json.dumps(found, indent=1))


def test_the_time_that_a_check_takes_is_bounded(report, whole, published, tmp_path):
    file = whole.study.config["data_sets"]["odd"]["file"]
    arguments = ["--report", report, "--published", published, "--refits", "1", "--seed", "1", "--minutes", "0.001"]
    status, said, _ = verified(tmp_path, *arguments, "--files", file)
    assert status == 1
    assert "not finished after 0.001 minutes; allow more of them: make verify MINUTES=..." in said
    end = time.monotonic() + 60
    while list(tmp_path.iterdir()):  # removed once the process is gone
        assert time.monotonic() < end
        time.sleep(0.1)
