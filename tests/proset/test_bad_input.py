"""Every input of bad_input.yaml is tried; the message must be the one given there.

An input is a config that is merged over config.yaml, or an expression of the names below.
"""

# ruff: noqa: F401  (expressions use them)

import datetime
import io
import json
import os
import pickle
import re
import subprocess
import sys
import urllib.request
import zipfile
from enum import Enum
from functools import cache, partial
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
import yaml
from matplotlib.figure import Figure
from scipy import sparse
from scipy.spatial.distance import cdist
from skl2onnx.common.data_types import FloatTensorType, StringTensorType
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, ShuffleSplit
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, SplineTransformer, StandardScaler
from sklearn.svm import LinearSVC
from snakemake.utils import update_config
from tests.proset_study.config_files import read
from tests.shared import ROOT

from proset import (
    ConformalClassifier,
    ProsetClassifier,
    ProsetClassifierCV,
    RejectOptionClassifier,
    SetCoverClassifier,
    SetCoverClassifierCV,
    diff,
    group_rates,
    load_model,
    model_card,
    plot,
    risk_coverage_curve,
    save_model,
    to_c,
    to_html,
    to_javascript,
    to_onnx,
    to_sql,
)
from proset_study.data.categories import read_rows
from proset_study.data.dissimilarities import mismatch
from proset_study.data.download import download
from proset_study.data.encoding import Encoder
from proset_study.data.matrix import write_matrix
from proset_study.data.sources import make
from proset_study.data.splits import select_fold
from proset_study.data.splitting import split
from proset_study.data.time_splitting import split_in_time
from proset_study.report.article.page import check_reasons
from proset_study.report.article.sources import PAGE, check, check_subject
from proset_study.report.article.topics import SUBJECT
from proset_study.study.config.checks import load
from proset_study.study.config.yaml_file import check_config_file

TABLE = "\n".join(f"{i},{i / 2},{i % 3},{1 + i % 2},{'xy'[i % 2]}" for i in range(20)) + "\n"
CSV = "id,a,b,w,kind\n" + TABLE
COLOURS = "colour,b,kind\nred,1,x\n,2,y\nred,3,x\n"
X, Y = load_iris(return_X_y=True)
THIRDS = np.full((150, 3), 1 / 3)
LINEAR = LogisticRegression(max_iter=1000)
GIVEN = {"lambda_v": 0.01, "lambda_w": 1e-4}
MIXED = pd.DataFrame({"a": X[:, 0], "b": np.where(Y > 1, "x", "y")})
QUICK = ProsetClassifier(**GIVEN, max_prototypes=None)  # nothing is searched for
TWO_CLASSES = FrozenEstimator(LogisticRegression().fit([[0.0] * 4, [1.0] * 4], [0, 1]))


def config(text):
    Path("folder.csv").mkdir()
    Path("big.csv").touch()
    os.truncate("big.csv", 2_000_000_000)
    study: dict = {}
    for each in (read("config.yaml"), yaml.safe_load(text)):  # the first one, too: so aliases are apart
        update_config(study, each)
    load(study)


def config_file(content):
    write("config.yaml", content)
    check_config_file("config.yaml")


def write(name, content):
    if isinstance(content, pd.DataFrame):
        content.to_parquet(name)
    elif content is not None:
        Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())


def explore(**settings):
    """Counterfactuals of a model of a category and a number."""
    table = np.c_[Y % 2, X[:, 0]]
    return ProsetClassifier(**GIVEN, categorical_features=[0]).fit(table, Y).counterfactuals(table[:1], **settings)


def data_file(content, name="t.csv", **settings):
    write(name, content)
    return make({"file": name, "target": "kind", **settings}, 0, "mine", 0)


def wide(n_columns):
    return ",".join(f"c{i}" for i in range(n_columns)) + "\n" + ",".join("1" * n_columns) + "\n"


def asymmetric():
    source = {"file": "t.csv", "target": "kind", "metric": "precomputed"}
    write_matrix(Path("results/t.npy"), data_file("a,b,kind\n0,1,x\n3,0,y\n", **source), {"of": "precomputed"}, source)


def big():
    """A file without content that claims 2 GB."""
    Path("t.csv").touch()
    os.truncate("t.csv", 2_000_000_000)
    data_file(None)


def divide(counts, folds):
    split(np.repeat(range(len(counts)), counts), folds, 0.3, 0)


def divide_groups(y, group, folds, test_fraction=0.3):
    split(np.array(y), folds, test_fraction, 0, group=np.array(group))


def divide_in_time(labels, time, folds):
    names, y = np.unique(list(labels), return_inverse=True)
    split_in_time(y, folds, 0.3, np.array(time), names)


def no_network():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("https_proxy", "http://127.0.0.1:9")  # nobody listens there
        urllib.request.install_opener(None)
        try:
            download({"task_id": 31}, "task_31.parquet")
        finally:
            urllib.request.install_opener(None)


def another_checksum():
    Path("data/openml").mkdir(parents=True)
    table = pd.DataFrame({"a": [1, 2], "kind": ["x", "y"]})
    table.attrs = {"md5": "0" * 32}
    table.to_parquet("data/openml/data_61.parquet")
    entry = {"openml": {"data_id": 61, "md5": "1" * 32}}
    config(yaml.safe_dump({"data_sets": {"mine": entry}, "experiments": {"E8": {"data_sets": ["mine"]}}}))


def nothing_to_impute_from():
    content = "a,b,kind\n" + "".join(f"{'' if i > 1 else i},{i},{'xy'[i % 2]}\n" for i in range(8))
    select_fold(data_file(content, impute="median"), np.repeat(range(4), 2), 0, scaled=True)


def new_rows_as_numbers():
    data = data_file("c,kind\n01,x\n1,y\n02,x\n2,y\n", categorical=["c"])
    read_rows(Encoder.fit(data.X, data), pd.read_csv("t.csv"))


def model_file(change):
    """`change` gets the path of a saved model before it is loaded."""
    save_model(fitted(), "model.npz")
    change(Path("model.npz"))
    load_model("model.npz")


def header(path, **changes):
    with np.load(path) as archive:
        arrays = dict(archive)
    arrays["header"] = np.array(json.dumps({**json.loads(str(arrays["header"])), **changes}))
    np.savez(path, **arrays)


class Hostile:
    """Pickled, it leaves a file when it is loaded."""

    def __reduce__(self):
        return os.mkdir, ("executed",)


def hostile_member(path):
    buffer = io.BytesIO()
    np.save(buffer, np.array([Hostile()], dtype=object), allow_pickle=True)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.npy", buffer.getvalue())


def with_value(row, value):
    probabilities = THIRDS.copy()
    probabilities[row, 0] = value
    return probabilities


def frame(value):
    return pd.DataFrame({"a": X[:, 0], "b": value})


def fit(X=X, y=Y, sample_weight=None, given=None, **settings):
    return ProsetClassifier(**settings).fit(X, y, sample_weight, base_probabilities=given)


def cover(X=X, sample_weight=None, candidates=None, **settings):
    return SetCoverClassifier(**settings).fit(X, Y, sample_weight, candidates=candidates)


@cache
def fitted():
    """A model that nobody may change."""
    return fit(**GIVEN)


@cache
def mixed():
    """The same for a table with a category."""
    return fit(MIXED, **GIVEN)


def with_base(base):
    return fit(base=base, **GIVEN)


def data_changed():
    changed = X.copy()
    model = fit(changed, **GIVEN)
    changed[0, 0] = 0.0
    model.forget([3])


def figure(display, model=QUICK, X=X, **options):
    display.from_estimator(model.fit(X, Y), X, Y, **options)


def fit_again(shift=0.0, **changes):
    """A second fit of a warm start."""
    ProsetClassifier(2, warm_start=True, **GIVEN).fit(X, Y).set_params(**changes).fit(X + shift, Y)


def article(text="", definitions="", abstract="", page=""):
    sources = {"article.typ": text, "definitions.typ": definitions, "template.typ": "#let wide = 1", PAGE: page}
    sources["metadata.yaml"] = json.dumps({"title": "", "abstract": abstract})
    Path("article").mkdir()
    for name, content in sources.items():
        (Path("article") / name).write_text(content, encoding="utf-8")
    known = {"texts": {"reproduction.within"}, "tables": set(), "figures": set(), "topics": {"reproduction"}}
    check(Path("article"), ["E3", "xor_6f"], known, set())


def python(code, **environment):
    """Code in a Python of its own, with the environment changed; what it prints is the message."""
    paths = [environment.pop("PYTHONPATH", ""), str(ROOT / "src")]
    environment["PYTHONPATH"] = os.pathsep.join(paths).strip(os.pathsep)
    run = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **environment}, capture_output=True, text=True
    )
    assert run.returncode != 0
    assert "Traceback" not in run.stderr
    raise RuntimeError(run.stderr)


def job_without_pyarrow():
    study = read("config.yaml")
    study["data_sets"]["mine"] = {"file": "t.parquet", "target": "kind"}
    write("study.json", json.dumps(study))
    write("t.parquet", "x")
    arguments = ["data", "--study", "study.json", "--data-set", "mine", "--replicate", "0"]
    start = f"import sys\nsys.modules['pyarrow'] = None\nsys.argv[1:] = {arguments}\n"
    python(f"{start}from proset_study.cli import main\nmain()")


def installed(name, version, needs=""):
    """A package comes first in the list of installed ones, with this version and what it needs."""
    info = Path(f"{name.replace('-', '_')}-{version}.dist-info")
    info.mkdir()
    write(info / "METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{needs}")
    python(CHECK, PYTHONPATH=os.getcwd())


WITHOUT_LIBRARY = """
import ctypes
class Missing(ctypes.CDLL):
    def __init__(self, path, *more):
        super().__init__(path + ".missing", *more)
ctypes.CDLL = Missing
import numpy as np
from proset import ProsetClassifier
try:
    ProsetClassifier().fit(np.arange(60.0).reshape(30, 2), np.arange(30) > 15)
except ImportError as error:
    raise SystemExit(str(error))
"""
NAME_BEYOND_ASCII = """
from proset_study.data.table_file import check_file
try:
    check_file("gr\\xfcn.csv")
except ValueError as error:
    raise SystemExit(ascii(str(error)).strip('"'))
"""
WITHOUT_LIGHTGBM = """
from importlib.metadata import PackageNotFoundError, version
from proset_study.study import fingerprints
def installed(name):
    if name == "lightgbm":
        raise PackageNotFoundError(name)
    return version(name)
fingerprints.version = installed
try:
    fingerprints.code_fingerprint("proset_study.methods.lightgbm")
except ValueError as error:
    raise SystemExit(str(error))
"""
CHECK = "from proset_study.base.environment import PLANNING, check_packages; check_packages(*PLANNING)"

MESSAGES = yaml.safe_load(Path(__file__).with_name("bad_input.yaml").read_text(encoding="utf-8"))
ROWS = [(section, given, message) for section in MESSAGES for given, message in MESSAGES[section].items()]


@pytest.mark.parametrize(("section", "given", "message"), ROWS, ids=[f"{row[0]}: {row[1][:60]}" for row in ROWS])
def test_bad_input_is_refused_with_its_message_and_writes_nothing(section, given, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises((ValueError, TypeError, OSError, RuntimeError, AttributeError)) as caught:
        config(given) if section == "Config" else eval(given, globals())
    said = str(caught.value).rstrip()
    parts = [re.escape(part) for part in message.split("…")]
    assert re.search(".*".join(parts) + r"\Z", said, re.DOTALL), said
    assert not (tmp_path / "executed").exists()
    assert not {"data.npz", "page.html"} & {path.name for path in tmp_path.rglob("*")}


def test_the_examples_of_the_user_guide_are_messages():
    page = (ROOT / "docs/guide/limits.md").read_text(encoding="utf-8")
    (block,) = re.findall("```\n(.*?)```", page, re.DOTALL)
    assert len(block.splitlines()) == 3
    assert {*block.splitlines()} <= {message for _, _, message in ROWS}
