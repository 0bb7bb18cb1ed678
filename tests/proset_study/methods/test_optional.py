import re
import sys

import pytest
from tests.proset_study.methods.small import make_part

from proset_study import methods
from proset_study.methods import optional

DATA = make_part([[0.0], [1.0]], [0, 1])
REQUIREMENTS = re.escape(f"install it with: {sys.executable} -m pip install -r requirements-battery.txt")


@pytest.mark.parametrize("name", ["lightgbm", "catboost"])
def test_a_method_whose_package_is_missing_says_how_to_install_it(name, monkeypatch):
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ValueError, match=f"{name} cannot be imported: .*; {REQUIREMENTS}"):
        methods.get(name)(DATA)
    with pytest.raises(ValueError, match=f"{name} cannot be imported"):
        methods.get(name).load({})


def test_a_library_of_the_system_that_is_missing_is_named(tmp_path, monkeypatch):
    (tmp_path / "lightgbm.py").write_text("raise OSError('libgomp.so.1: cannot open shared object file')", "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "lightgbm", raising=False)
    message = f"lightgbm cannot be imported: libgomp.so.1: .*; {REQUIREMENTS}, and its .*: apt-get install libgomp1"
    with pytest.raises(ValueError, match=message):
        optional.import_package("lightgbm")
