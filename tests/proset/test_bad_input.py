"""Every input of bad_input.yaml is tried; the message must be the one given there.

An input is a config that is merged over config.yaml, or the name of a case below.
"""

import io
import json
import os
import pickle
import re
import subprocess
import sys
import urllib.request
import zipfile
from functools import cache, partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from matplotlib.figure import Figure
from scipy.spatial.distance import cdist
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, ShuffleSplit
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
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


def fit_labels(labels):
    ProsetClassifier().fit(X, labels)


def cover(X=X, sample_weight=None, candidates=None, **settings):
    SetCoverClassifier(**settings).fit(X, Y, sample_weight, candidates=candidates)


@cache
def fitted():
    """A model that nobody may change."""
    return fit(**GIVEN)


def with_base(base):
    return fit(base=base, **GIVEN)


def ask(question):
    """A question to a fitted model."""
    question(fitted())


def ask_mixed(question):
    """A question to a model of a table with a category, and that table."""
    table = frame(np.where(Y > 1, "x", "y"))
    question(fit(table, **GIVEN), table.head(2))


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


def convert(model, write=to_c, **settings):
    write(model.fit(X, Y), **settings)


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
CHECK = "from proset_study.base.environment import PLANNING, check_packages; check_packages(*PLANNING)"

CASES = {
    # config files
    "missing config": partial(config_file, None),
    "empty config": partial(config_file, ""),
    "broken YAML": partial(config_file, "study: [1\n"),
    "deep YAML": partial(config_file, "study: " + 5000 * "[\n"),
    "alias bomb": partial(
        config_file, "a0: &a0 [1, 1]\n" + "".join(f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}]\n" for i in range(1, 40))
    ),
    "octal": partial(config_file, "seed: 017\n"),
    "sexagesimal": partial(config_file, "seed: 1:30\n"),
    "key twice in JSON": partial(config_file, '{"seed": 1, "seed": 2}'),
    "Latin-1 config": partial(config_file, "study: s\n# gr\xfcn\n".encode("latin-1")),
    "key twice": partial(config_file, "seed: 1\nfolds: 5\nseed: 2\n"),
    "key that YAML reads": partial(config_file, "seed: 1\nno: 2\n"),
    "data set twice": partial(config_file, "data_sets:\n  a: {sklearn: iris}\n  a: {sklearn: wine}\n"),
    "template": partial(config_file, "__use_yte__: true\nseed: ?__import__('os').mkdir('executed') or 1\n"),
    "tag": partial(config_file, "seed: !!python/object/apply:os.mkdir [executed]\n"),
    # data files
    "missing file": partial(data_file, None),
    "2 GB file": big,
    "empty file": partial(data_file, ""),
    "header only": partial(data_file, "a,kind\n"),
    "no header": partial(data_file, TABLE),
    "column twice": partial(data_file, CSV.replace("id,a,b", "id,a,a", 1)),
    "column without name": partial(data_file, CSV.replace("id,a,b", ",a,b", 1)),
    "target missing": partial(data_file, CSV, target="label"),
    "20,000 columns": partial(
        data_file, ",".join(f"c{i}" for i in range(20_000)) + "\n" + ",".join("1" * 20_000) + "\n"
    ),
    "drop missing": partial(data_file, CSV, drop=["c"]),
    "target dropped": partial(data_file, CSV, drop=["kind"]),
    "no features": partial(data_file, CSV, drop=["id", "a", "b"], weight="w"),
    "semicolons": partial(data_file, CSV.replace(",", ";")),
    "decimal comma": partial(data_file, CSV.replace(",", ";").replace("2.5", "2,5"), sep=";"),
    "many digits": partial(data_file, f"a,kind\n{2**60 + 1},x\n{2**60 + 2},y\n"),
    "25 digits": partial(data_file, f"a,kind\n{10**25},x\n{2 * 10**25},y\n"),
    "measurement": partial(data_file, "a,kind\n" + "".join(f"{i % 7},{i / 7}\n" for i in range(60))),
    "null character": partial(data_file, "a,kind\n1,u\n2,u\0\n3,u\n4,u\0\n"),
    "too many fields": partial(data_file, CSV + "1,2,3,4,x,6\n"),
    "too few fields": partial(data_file, CSV + "1,2,3,4\n", gaps=True),
    "more fields than names": partial(data_file, "a,kind\n1,2,x\n3,4,y\n"),
    "matrix not square": partial(data_file, CSV, metric="precomputed"),
    "matrix not symmetric": asymmetric,
    "string missing": partial(data_file, COLOURS, items="colour"),
    "test part of other numbers": partial(data_file, CSV, test="id"),
    "test part without a class": partial(data_file, "a,part,kind\n" + "1,0,x\n2,0,y\n3,1,x\n" * 4, test="part"),
    "group in both parts": partial(
        data_file, "a,part,nest,kind\n1,0,n,x\n2,0,m,y\n3,1,m,x\n4,1,k,y\n", test="part", group="nest"
    ),
    "open quote": partial(data_file, CSV.replace("2.5", '"2.5')),
    "Latin-1 data": partial(data_file, CSV.replace("x", "\xe9").encode("latin-1")),
    "UTF-16": partial(data_file, CSV.encode("utf-16")),
    "text": partial(data_file, CSV.replace("2.5", "2;5")),
    "empty field": partial(data_file, CSV.replace("2.5", "")),
    "infinity": partial(data_file, CSV.replace("2.5", "inf")),
    "1e40": partial(data_file, CSV.replace("2.5", "1e40")),
    "dates": partial(
        data_file, pd.DataFrame({"a": pd.to_datetime(["2026-01-01"] * 2), "kind": ["x", "y"]}), "t.parquet"
    ),
    "class missing": partial(data_file, CSV.replace("x", "NA")),
    "one class": partial(data_file, CSV.replace("y\n", "x\n")),
    "weight missing": partial(data_file, "a,w,kind\n1,,x\n2,1,y\n", weight="w"),
    "part missing": partial(
        data_file,
        pd.DataFrame({"a": range(4), "kind": list("xyxy"), "part": pd.array([None, 0, 1, 1], dtype="boolean")}),
        "t.parquet",
        test="part",
    ),
    "negative weight": partial(data_file, "a,w,kind\n1,1,x\n2,-1,y\n", weight="w"),
    "class without weight": partial(data_file, "a,w,kind\n1,1,x\n2,0,y\n3,1,z\n", weight="w"),
    "broken Parquet": partial(data_file, b"PAR1 and no more", "t.parquet"),
    "group missing": partial(data_file, CSV, group="nest"),
    "group is target": partial(data_file, CSV, group="kind"),
    "time missing": partial(data_file, CSV, time="when"),
    "no time": partial(data_file, "a,when,kind\n1,2,x\n2,,y\n", time="when"),
    "time of text": partial(data_file, "a,when,kind\n1,May,x\n2,June,y\n", time="when"),
    "time of the clock": partial(data_file, "a,when,kind\n1,2026-11-25,x\n2,now,y\n", time="when"),
    "no group": partial(data_file, "a,nest,kind\n1,n,x\n2,,y\n", group="nest"),
    "category missing": partial(data_file, CSV, categorical=["colour"]),
    "category dropped": partial(data_file, CSV, drop=["a"], categorical=["a"]),
    "category weighs": partial(data_file, CSV, weight="w", categorical=["w"]),
    "text not named": partial(data_file, COLOURS, categorical=["b"]),
    "empty category": partial(data_file, COLOURS, categorical=["colour"]),
    "threshold of text": partial(data_file, CSV, threshold=1),
    "threshold of nothing": partial(
        data_file, CSV.replace("2,1.0,2,", "2,1.0,,"), target="b", threshold=1, drop=["kind"]
    ),
    "few rows": partial(data_file, "a,kind\n" + "".join(f"{i},{kind}\n" for i, kind in enumerate("xyz" * 6)), rows=2),
    "no target": partial(data_file, pd.DataFrame({"a": [1, 2], "kind": ["x", "y"]}), "t.parquet", target=None),
    "no network": no_network,
    "another checksum": another_checksum,
    "1,001 categories": partial(
        data_file, "id,kind\n" + "".join(f"n{i},{'xy'[i % 2]}\n" for i in range(1001)), categorical=["id"]
    ),
    "too many features": partial(
        data_file, "id,kind\n" + "".join(f"{i % 900},{'xy'[i % 2]}\n" for i in range(100_000)), categorical=["id"]
    ),
    "feature twice": partial(data_file, COLOURS.replace("b,", "colour=red,", 1), categorical=["colour"], impute="mean"),
    "empty column": partial(data_file, "a,b,kind\n,1,x\n,2,y\n", impute="median"),
    "empty categories": partial(
        data_file, "colour,b,kind\n,1,x\n,2,y\n", categorical=["colour"], impute="most_frequent"
    ),
    "infinite target": partial(data_file, CSV.replace("2.5", "inf"), target="a", threshold=1.0, drop=["kind"]),
    "infinite class": partial(data_file, pd.DataFrame({"a": [1, 2], "kind": [0.5, -np.inf]}), "t.parquet"),
    "list in a cell": partial(data_file, pd.DataFrame({"a": [[1, 2], [3]], "kind": ["x", "y"]}), "t.parquet"),
    "lists as classes": partial(data_file, pd.DataFrame({"a": [1, 2], "kind": [[0], [1]]}), "t.parquet"),
    "infinity imputed": partial(data_file, CSV.replace("2.5", "inf"), impute="median"),
    "nothing to impute from": nothing_to_impute_from,
    "new rows as numbers": new_rows_as_numbers,
    "class in few groups": partial(divide_groups, [0, 0, 1, 1, 1, 1, 1, 1, 1, 1], [0, 1, *range(8)], 2),
    "few times": partial(divide_in_time, "xyxyxyxyxyxy", np.repeat(np.arange(3), 4), 3),
    "class in one block": partial(divide_in_time, "xyxyyyyyyx", np.arange(10), 2),
    "class not tested": partial(divide_in_time, "xyxyxyxyyy", np.arange(10), 2),
    "class of late rows": partial(divide_in_time, "xxxxxxxxyx", np.arange(10), 2),
    "large groups": partial(divide_groups, [0, 1] * 8, np.repeat(np.arange(4), 4), 2, 0.6),
    "all groups tested": partial(divide_groups, [0, 1] * 10, np.repeat(np.arange(10), 2), 2, 0.95),
    "class without a sample": lambda: make({"generator": "clusters", "test_samples": 30, "imbalance": 100}, 0, "c", 0),
    "long motifs": lambda: make({"generator": "protein_families", "motifs": 2, "motif_length": 60}, 0, "p", 0),
    "no amino acid": lambda: mismatch.distances(["ACDEF", "ACDXF"]),
    "short string": lambda: mismatch.distances(["ACDEF", "ACDE"]),
    "as many mismatches": lambda: mismatch.distances(["AC", "AD"], k=2, m=2),
    "class of one": partial(divide, [10, 10, 1], 2),
    "more folds than samples": partial(divide, [50, 5], 5),
    # model files
    "missing model": partial(model_file, lambda path: path.unlink()),
    "cut model": partial(model_file, lambda path: path.write_bytes(path.read_bytes()[:500])),
    "pickle": partial(model_file, lambda path: path.write_bytes(pickle.dumps(Hostile()))),
    "pickle inside": partial(model_file, hostile_member),
    "newer version": partial(model_file, partial(header, version=99)),
    "other kind": partial(model_file, partial(header, format="other")),
    # the estimator
    "text column": partial(fit, frame("word"), categorical_features=None),
    "mixed column": partial(fit, frame(np.where(np.arange(150) == 3, "n/a", X[:, 0].astype(object)))),
    "date column": partial(fit, frame(np.datetime64("2026-01-01"))),
    "names twice": partial(fit, pd.concat([frame(1.0)] * 2, axis=1)),
    "no such column": partial(fit, frame("word"), categorical_features=["words"]),
    "infinite": partial(fit, np.where(X > 7, np.inf, X)),
    "scale 1e30": partial(fit, X * 1e30, scale=False),
    "scale 1e-30": partial(fit, X * 1e-30, scale=False),
    "scale 1e300": partial(fit, X * 1e300),
    "huge weight": partial(fit, sample_weight=np.full(150, 1e200)),
    "tiny weight": partial(fit, sample_weight=np.full(150, 1e-200)),
    "single class": partial(fit, y=np.zeros(150)),
    "tiny class": partial(fit, y=np.repeat([0, 1, 2], [100, 48, 2]), references="split"),
    "max_fraction 1": partial(fit, max_fraction=1.0),
    "lambda 1e300": partial(fit, lambda_v=1e300),
    "negative lambda": partial(fit, lambda_w=-1.0),
    "lambda best": partial(fit, lambda_v="best"),
    "lambda NaN": partial(fit, lambda_v=float("nan")),
    "base without probabilities": partial(fit, base=LinearSVC()),
    "base unfitted": partial(fit, base=FrozenEstimator(LogisticRegression()), given=THIRDS),
    "base of other classes": partial(fit, base=TWO_CLASSES, given=THIRDS),
    "prefit without probabilities": partial(fit, base="prefit"),
    "probabilities without base": partial(fit, given=THIRDS),
    "probabilities of other shape": partial(fit, base="prefit", given=THIRDS[:, :2]),
    "probabilities with NaN": partial(fit, base="prefit", given=with_value(7, np.nan)),
    "probabilities above 1": partial(fit, base="prefit", given=100 * THIRDS),
    "probabilities with another sum": partial(fit, base="prefit", given=THIRDS / 2),
    "base by split": partial(fit, base=LogisticRegression(), references="split"),
    "weights for a base without": partial(fit, base=KNeighborsClassifier(), sample_weight=np.arange(1.0, 151.0)),
    "labels missing": partial(fit_labels, ["a", "b", None] * 50),
    "search in a file": lambda: save_model(ProsetClassifierCV(), "model.npz"),
    "file without a folder": lambda: save_model(fitted(), "nowhere/model.npz"),
    "table as transformer": lambda: fitted().report("page.html", pd.DataFrame(X)),
    "base in a file": lambda: save_model(with_base(LogisticRegression()), "model.npz"),
    "forest in C": lambda: to_c(with_base(RandomForestClassifier(5, random_state=0))),
    "minus one prototype": partial(fit, max_prototypes=-1),
    "few by split": partial(fit, references="split", max_prototypes=5),
    "with_prototypes(3)": lambda: ProsetClassifier(max_prototypes=None).fit(X, Y).with_prototypes(3),
    "eps 0": partial(cover, eps=0.0),
    "151 neighbors": partial(cover, n_neighbors=151),
    "candidates": partial(cover, candidates=np.zeros((5, 3))),
    "negative distance": partial(cover, np.where(X > 7.8, -3.0, X), metric="precomputed"),
    "no correlation": partial(cover, np.where(np.arange(150)[:, None] == 7, 1.0, X), metric="correlation"),
    "huge sample_weight": partial(cover, sample_weight=np.full(150, 1e307)),
    "negative sample_weight": partial(cover, sample_weight=np.r_[-1.0, np.ones(149)]),
    "top 0": lambda: fitted().explain(np.zeros(4), top=0),
    "nothing to shrink to": lambda: fit(n_batches=0).shrink(),
    "reject label": lambda: RejectOptionClassifier(ProsetClassifier(), reject_label=1).fit(X, Y),
    "no score": lambda: RejectOptionClassifier(LINEAR).fit(X, Y),
    "negative class_weight": partial(fit, class_weight={0: -1.0}),
    "infinite class_weight": partial(fit, class_weight={0: np.inf}),
    "text in class_weight": partial(fit, class_weight={0: "a"}),
    "text as a penalty": lambda: ProsetClassifierCV(lambda_v=["a"]).fit(X, Y),
    "large categories": partial(fit, np.c_[2.0**60 + 2**9 * (Y % 2), X], categorical_features=[0]),
    "names that differ by case": lambda: to_sql(QUICK.fit(pd.DataFrame(X[:, 2:], columns=["a", "A"]), Y), "t", "k"),
    "empty name": lambda: to_sql(QUICK.fit(pd.DataFrame(X[:, 2:], columns=["a", ""]), Y), "t", "k"),
    "confidence without probabilities": lambda: RejectOptionClassifier(LinearSVC(), criterion="confidence").fit(X, Y),
    "sets without probabilities": lambda: ConformalClassifier(LinearSVC()).fit(X, Y),
    "number as a range of categories": lambda: explore(ranges={0: 5}),
    "direction in a list": lambda: explore(directions={1: ["up"]}),
    "table of another classifier": lambda: plot.SizeTableDisplay.from_estimator(LINEAR, X, Y),
    "prefit in C": lambda: to_c(fit(base="prefit", given=THIRDS)),
    "fewer batches": partial(fit_again, n_batches=1),
    "other data": partial(fit_again, shift=1.0),
    "batches of a prediction": lambda: fitted().predict(X, n_batches=3),
    "range from 0": lambda: ProsetClassifierCV(lambda_v=(0, 0.1)).fit(X, Y),
    "other estimator": lambda: ProsetClassifierCV(SetCoverClassifier()).fit(X, Y),
    "fold without class": lambda: ProsetClassifierCV(cv=KFold(3)).fit(X, Y),
    "one fold": lambda: ProsetClassifierCV(cv=ShuffleSplit(1, random_state=0)).fit(X, Y),
    "radius 0": lambda: SetCoverClassifierCV([0.0, 1.0]).fit(X, Y),
    "ranks searched": lambda: SetCoverClassifierCV(estimator=SetCoverClassifier(n_neighbors=3)).fit(X, Y),
    "other features": lambda: fitted().predict(np.zeros((2, 3))),
    "to_c: PCA": partial(convert, make_pipeline(PCA(), QUICK)),
    "to_c: metric": partial(convert, SetCoverClassifier(metric="canberra")),
    "to_c: name": partial(convert, SetCoverClassifier(), name="my-model"),
    "to_onnx: other classifier": partial(convert, DummyClassifier(), write=to_onnx),
    # answers
    "cost matrix of another shape": partial(fit, cost_matrix=[[0, 1], [1, 0]]),
    "other background": partial(ask, lambda model: model.attributions(X[:1], background=np.zeros((5, 3)))),
    "file without background": partial(ask, lambda model: pickle.loads(pickle.dumps(model)).attributions(X[:1])),
    "attributions with a base": lambda: with_base(LINEAR).attributions(X[:1]),
    "counterfactual of no class": partial(ask, lambda model: model.counterfactuals(X[:1], target=7)),
    "probability in words": partial(ask, lambda model: model.counterfactuals(X[:1], probability="high")),
    "probability above 1": partial(ask, lambda model: model.counterfactuals(X[:1], probability=1.5)),
    "familiarity of 1": partial(ask, lambda model: model.counterfactuals(X[:1], min_familiarity_quantile=1.0)),
    "fixed feature": partial(ask, lambda model: model.counterfactuals(X[:1], fixed=["age"])),
    "range turned round": partial(ask, lambda model: model.counterfactuals(X[:1], ranges={2: (3, 1)})),
    "category that was never there": partial(
        ask_mixed, lambda model, X: model.counterfactuals(X, ranges={"b": ["red"]})
    ),
    "direction of a category": partial(ask_mixed, lambda model, X: model.counterfactuals(X, directions={"b": "up"})),
    "sideways": partial(ask, lambda model: model.counterfactuals(X[:1], directions={0: "left"})),
    "row that is not there": partial(ask, lambda model: model.forget([0, 150])),
    "row without influence": partial(ask, lambda model: model.influence(rows=[150])),
    "row by name": partial(ask, lambda model: model.influence(rows="first")),
    "mask of rows": partial(ask, lambda model: model.forget(np.zeros(150, bool))),
    "all rows forgotten": partial(ask, lambda model: model.forget(np.arange(150))),
    "class that was not there": partial(ask, lambda model: model.influence(X[:2], [0, 9])),
    "classes without samples": partial(ask, lambda model: model.influence(y=[0])),
    "refits of split": lambda: ProsetClassifier.published(random_state=0).fit(X, Y).influence(),
    "forgetting after an edit": partial(ask, lambda model: model.edited(pin={2: 1.0}).forget([0])),
    "data changed": data_changed,
    "no prototype": partial(ask, lambda model: model.edited(drop=[0])),
    "negative pin": partial(ask, lambda model: model.edited(pin={2: -1.0})),
    "everything dropped": partial(ask, lambda model: model.edited(pin=dict.fromkeys(range(4), 0.0))),
    "models of other data": partial(ask, lambda model: diff(model, fit(y=Y > 0, **GIVEN))),
    "level of 1": partial(ask, lambda model: model.drift(X, level=1.0)),
    "level in words": partial(ask, lambda model: model.drift(X, level="low")),
    "page without samples": partial(ask, lambda model: model.report("page.html", y=Y)),
    "confidence of 1": lambda: ConformalClassifier(ProsetClassifier(), confidence_level=1.0).fit(X, Y),
    "group without names": lambda: ConformalClassifier(ProsetClassifier(), group_by="kind").fit(X, Y),
    "fifth column": lambda: RejectOptionClassifier(ProsetClassifier(), group_by=4).fit(X, Y),
    "one group label": lambda: ConformalClassifier(ProsetClassifier(), group_by=lambda X: ["a"]).fit(X, Y),
    "frozen without class": lambda: ConformalClassifier(TWO_CLASSES).fit(X, Y),
    "search with a missing group": lambda: ProsetClassifierCV(n_iter=1).fit(X, Y, groups=["a", None] * 75),
    "base with a missing group": lambda: with_base(LogisticRegression()).fit(X, Y, groups=np.r_[np.nan, np.ones(149)]),
    "rates of no group": partial(ask, lambda model: group_rates(model, X, Y, [1, 2])),
    "scores by class": lambda: risk_coverage_curve(Y, Y, THIRDS),
    "card without classes": partial(ask, lambda model: model_card(model, X)),
    "card of a cover": lambda: model_card(SetCoverClassifier().fit(X, Y)),
    "exported attributions of a base": lambda: to_c(with_base(LINEAR), background=X[:2]),
    "exported attributions of a cover": partial(convert, SetCoverClassifier(), background=X[:2]),
    "exported background of 1,001 rows": partial(convert, QUICK, background=np.resize(X, (1001, 4))),
    "to_onnx: explain": partial(convert, QUICK, write=to_onnx, explain=0),
    "to_sql: table": partial(convert, QUICK, write=to_sql, table="", key="id"),
    "to_sql: own name": partial(convert, QUICK, write=to_sql, table="proset_z", key="id"),
    "to_sql: what": partial(convert, QUICK, write=to_sql, table="t", key="id", what="label"),
    "to_sql: cover": partial(convert, SetCoverClassifier(), write=to_sql, table="t", key="id", what="explain"),
    "to_sql: no background": partial(convert, QUICK, write=to_sql, table="t", key="id", what="attributions"),
    # figures
    "one feature": partial(figure, plot.DecisionSurfaceDisplay, X=X[:, :1]),
    "unknown feature": partial(figure, plot.DecisionSurfaceDisplay, features=["x0", "x9"]),
    "short point": partial(figure, plot.DecisionSurfaceDisplay, point=[1.0, 2.0]),
    "short sample": lambda: plot.ExplanationDisplay.from_estimator(fit(frame(X[:, 3]), **GIVEN), X[0, :1]),
    "array of axes": partial(figure, plot.PrototypesDisplay, ax=Figure().subplots(1, 2)),
    "one axes for two": lambda: plot.DifferenceDisplay.from_estimators(fitted(), fitted(), ax=Figure().subplots()),
    "third batch": partial(figure, plot.PrototypesDisplay, batch=3),
    "figure of another": partial(figure, plot.PrototypesDisplay, model=LINEAR),
    "balls of distances": partial(figure, plot.BallsDisplay, SetCoverClassifier(metric="precomputed"), cdist(X, X)),
    # article
    "typed number": partial(article, 'On `xor_6f`, #n("reproduction.within") of E3:\na loss of 0.53.'),
    "typed word": partial(article, "The eleven data sets."),
    "number in the abstract": partial(article, abstract="All of 12 experiments."),
    "unknown record": partial(article, 'Of all scores #n("reproduction.witin") agree.'),
    "unknown topic": partial(article, '#if given("reprodution") []'),
    "typed in the findings": partial(article, page="A loss of 0.53"),
    "reason of what holds": lambda: check_reasons({"S1"}, {"N64"}),
    "another subject": partial(check_subject, "knn", SUBJECT),
    "formula without source": partial(article, definitions="#let half = $1/2$\n// Source: none.\n#let x = $y_1$\n"),
    # environment
    "old package": partial(installed, "numpy", "1.20.0"),
    "missing library": partial(python, WITHOUT_LIBRARY),
    "missing package": partial(installed, "proset-study", "9.9", "Requires-Dist: forest-of-trees>=2.1\n"),
    "ASCII locale": partial(
        python,
        "from proset_study.data.table_file import check_file\ntry:\n  check_file('gr\\xfcn.csv')\n"
        "except ValueError as error:\n  raise SystemExit(ascii(str(error)).strip('\"'))",
        LC_ALL="C",
        PYTHONUTF8="0",
    ),
    "missing method": partial(
        python,
        "from importlib.metadata import PackageNotFoundError, version\nfrom proset_study.study import fingerprints\n"
        "def installed(name):\n  if name == 'lightgbm':\n    raise PackageNotFoundError(name)\n  return version(name)\n"
        "fingerprints.version = installed\ntry:\n  fingerprints.code_fingerprint('proset_study.methods.lightgbm')\n"
        "except ValueError as error:\n  raise SystemExit(str(error))",
    ),
    "missing in a job": job_without_pyarrow,
}
MESSAGES = yaml.safe_load(Path(__file__).with_name("bad_input.yaml").read_text(encoding="utf-8"))
ROWS = [(section, given, message) for section in MESSAGES for given, message in MESSAGES[section].items()]


@pytest.mark.parametrize(("section", "given", "message"), ROWS, ids=[f"{row[0]}: {row[1][:40]}" for row in ROWS])
def test_bad_input_is_refused_with_its_message_and_writes_nothing(section, given, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    case = partial(config, given) if section == "Config" else CASES[given]
    with pytest.raises((ValueError, TypeError, OSError, RuntimeError)) as caught:
        case()
    said = str(caught.value).rstrip()
    parts = [re.escape(part) for part in message.split("…")]
    assert re.search(".*".join(parts) + r"\Z", said, re.DOTALL), said
    assert not (tmp_path / "executed").exists()
    assert not list(tmp_path.rglob("data.npz"))


def test_every_case_has_a_message():
    named = [given for section, given, _ in ROWS if section != "Config"]
    assert sorted(named) == sorted(CASES)


def test_the_examples_of_the_user_guide_are_messages():
    page = (ROOT / "docs/guide/limits.md").read_text(encoding="utf-8")
    (block,) = re.findall("```\n(.*?)```", page, re.DOTALL)
    assert len(block.splitlines()) == 3
    assert {*block.splitlines()} <= {message for _, _, message in ROWS}
