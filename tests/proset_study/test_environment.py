import os
import time

import pytest

from proset_study.environment import prepare


def test_old_leftovers_go_and_the_future_ends(tmp_path):
    folder = tmp_path / "results"
    prepare([folder], [])  # which makes it
    now = time.time()
    ages = {"old.json": 7200, ".old.json.1.tmp": 7200, ".new.json.1.tmp": 0, "future.json": -7200}
    for name, age in ages.items():
        (folder / name).touch()
        os.utime(folder / name, (now - age, now - age))
    prepare([folder], [])
    assert {p.name for p in folder.iterdir()} == set(ages) - {".old.json.1.tmp"}
    assert (folder / "future.json").stat().st_mtime <= time.time()
    assert (folder / "old.json").stat().st_mtime == pytest.approx(now - 7200, abs=1)


def test_an_input_of_the_future_is_refused_with_the_command_that_mends_it(tmp_path):
    path = tmp_path / "my data.csv"
    path.touch()
    prepare([tmp_path / "results"], [str(path), str(tmp_path / "to be made")])
    os.utime(path, (time.time() + 7200, time.time() + 7200))
    with pytest.raises(OSError, match=r"dated after now .*: touch '.*my data.csv'$"):
        prepare([tmp_path / "results"], [str(path)])
