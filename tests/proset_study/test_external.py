"""Programs as methods: those of docs/commands in an environment of their own, and what is said of one that fails."""

import shutil
import subprocess
import sys
import sysconfig

import numpy as np
import pytest
from tests.shared import ROOT, load_module

from proset_study.study import contract
from proset_study.study.config.runs import Run
from proset_study.study.subject import SEED, Subject, make_fold_data

# Class means in plain Python: a program that starts in no time.
MEANS = """
import csv, json, math, pathlib, sys
folder = pathlib.Path(sys.argv[1])
K = json.loads((folder / "settings.json").read_text())["n_classes"]
train = list(csv.DictReader((folder / "train.csv").open()))
names = [name for name in train[0] if name != "y"]
rows = [[[float(row[n]) for n in names] for row in train if row["y"] == str(k)] for k in range(K)]
means = [[sum(column) / len(own) for column in zip(*own)] for own in rows]
with (folder / "predictions.csv").open("w") as file:
    print(*(f"p{k}" for k in range(K)), sep=",", file=file)
    for row in csv.DictReader((folder / "test.csv").open()):
        near = [math.exp(-math.dist([float(row[n]) for n in names], mean)) for mean in means]
        print(*(value / sum(near) for value in near), sep=",", file=file)
"""
MODULE = """
from proset_study.external import CommandMethod

class Own(CommandMethod):
    command = {command!r}
    tables = {tables!r}
"""


@pytest.fixture
def own(tmp_path):
    """Makes a method of a command, in a module next to the files that it needs."""

    def make(*command, tables="csv", files=()):
        for file, text in files:
            (tmp_path / file).write_text(text, encoding="utf-8")
        (tmp_path / "own.py").write_text(MODULE.format(command=command, tables=tables), encoding="utf-8")
        return load_module(tmp_path / "own.py").Own

    yield make
    sys.modules.pop("own", None)


def subject_of(method):
    settings = {"method": "own", "data_sets": ["d"], "stage2": {"complexity": 1}}
    return Subject(method, Run("own", "own", "", settings))


def errors(method, **parameters):
    data = make_fold_data(3)
    fitted = method(data).fit(parameters, 1, SEED)
    p = fitted.predict_proba(data.X_score)
    assert p.shape == (len(data.y_score), 3)
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    return (p.argmax(axis=1) != data.y_score).mean()


@pytest.mark.parametrize(
    "check",
    [
        contract.interface_is_complete,
        contract.same_seed_same_model,
        contract.a_stored_model_predicts_the_same,
        contract.columns_are_the_classes,
        contract.models_are_what_is_declared,
        contract.one_thread_is_enough,
    ],
)
def test_a_program_keeps_the_contract(own, check):
    check(subject_of(own(sys.executable, "-S", "means.py", files=[("means.py", MEANS)])))


@pytest.fixture(scope="module")
def another_python(tmp_path_factory):
    """The Python of another virtual environment, which has the libraries of this one."""
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    (packages,) = folder.glob("lib/python3*/site-packages")
    libraries = sysconfig.get_path("purelib")  # an editable installation of ours is not in there
    (packages / "libraries.pth").write_text(f"{libraries}\n", encoding="utf-8")
    return str(folder / "bin/python")


@pytest.mark.slow
def test_a_forest_in_another_environment(own, another_python):
    script = [("forest.py", (ROOT / "docs/commands/forest.py").read_text(encoding="utf-8"))]
    assert errors(own(another_python, "forest.py", tables="parquet", files=script), n_estimators=20) < 0.35


@pytest.mark.slow
def test_boosting_of_lightgbm(own):
    pytest.importorskip("lightgbm", exc_type=(ImportError, OSError))
    script = [("boosting.py", (ROOT / "docs/commands/boosting.py").read_text(encoding="utf-8"))]
    assert errors(own(sys.executable, "boosting.py", tables="arrow", files=script), n_estimators=20) < 0.4


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("Rscript") is None, reason="R is not installed")
def test_a_tree_of_r(own):
    if subprocess.run(["Rscript", "--vanilla", "-e", "loadNamespace('rpart')"], capture_output=True).returncode:
        pytest.skip("R is installed without its recommended packages")
    script = [("tree.R", (ROOT / "docs/commands/tree.R").read_text(encoding="utf-8"))]
    assert errors(own("Rscript", "--vanilla", "tree.R", files=script)) < 0.4


FAILURES = {
    "import sys; print('reading', file=sys.stderr); sys.exit('no such column')": (
        r"-c .* ended with status 1: reading \| no such column$"
    ),
    "raise SystemExit(3)": "ended with status 3: it said nothing$",
    "": "its predictions.csv cannot be read: ",
    "import sys; open(sys.argv[1] + '/predictions.csv', 'w').write('p0\\n0.5\\n')": (
        r"its predictions.csv has the shape \(1, 1\), must be \(\d+, 3\)$"
    ),
    "import sys; open(sys.argv[1] + '/predictions.csv', 'w').write('p0\\nnan\\n')": "with values that are not finite",
    **{
        "import sys; n = len(open(sys.argv[1] + '/test.csv').readlines()) - 1; "
        f"open(sys.argv[1] + '/predictions.csv', 'w').write('a,b,c\\n' + '{row}\\n' * n)": (
            rf"row 1 of its predictions.csv has \[{row.replace(',', ', ')}\], must be probabilities whose sum is 1"
        )
        for row in ("0.5,0.6,0.1", "-0.5,1.0,0.5")
    },
}


@pytest.mark.parametrize("program", FAILURES)
def test_a_program_that_fails_is_a_failed_fit(own, program):
    with pytest.raises(ValueError, match=FAILURES[program]):
        errors(own(sys.executable, "-S", "-c", program))


def test_what_cannot_be_run_is_named(own):
    with pytest.raises(ValueError, match=r"^nobodys-program a cannot be run: No such file or directory$"):
        errors(own("nobodys-program", "a"))
    with pytest.raises(ValueError, match=r"^tables: 'xlsx' is not allowed, allowed are parquet, arrow, csv$"):
        errors(own("nobodys-program", tables="xlsx"))


def test_weights_are_a_column(own, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    program = "import sys, shutil; shutil.copy(sys.argv[1] + '/train.csv', 'weights.csv'); sys.exit('seen')"
    method = type("Weighted", (own(sys.executable, "-S", "-c", program),), {"weights": "importance"})
    data = make_fold_data(2, np.full(60, 2.0))
    with pytest.raises(ValueError, match="seen"):
        method(data).fit({}, 1, SEED)
    head, first = (tmp_path / "weights.csv").read_text(encoding="utf-8").split()[:2]
    assert head == "x1,x2,x3,y,weight"
    assert first.split(",")[0] == repr(float(data.X[0, 0]))
    assert first.endswith(",2.0")
