"""docs/errors.md, row by row: the input of each row is tried, and what is said must be what the table says.

The first column of a row is the config that is merged over config.yaml, or the name of a case below.
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
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
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
from proset_study.report.article.page import check_reasons
from proset_study.report.article.sources import PAGE, check
from proset_study.study.config.checks import load
from proset_study.study.config.yaml_file import check_config_file

ROOT = Path(__file__).parents[2]
TABLE = "\n".join(f"{i},{i / 2},{i % 3},{1 + i % 2},{'xy'[i % 2]}" for i in range(20)) + "\n"
CSV = "id,a,b,w,kind\n" + TABLE
IRIS = load_iris(return_X_y=True)
COLOURS = "colour,b,kind\nred,1,x\n,2,y\nred,3,x\n"


def rows():
    """(section, first column, message) of every row of the page."""
    section, before = "", ""
    for line in (ROOT / "docs/errors.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            section = line[3:]
        elif line.startswith("| `"):
            assert before.startswith("|"), f"not in a table: {line}"
            given, _, message, remedy = [cell.strip() for cell in line.strip("|").split(" | ")]
            assert remedy.strip(), line
            yield section, given.strip("`"), message.strip("`")
        before = line


def merged(base, change):
    """As Snakemake lays one config over another."""
    if not isinstance(base, dict) or not isinstance(change, dict):
        return change
    return {**base, **{key: merged(base.get(key), value) for key, value in change.items()}}


def config_case(text):
    def case(folder):
        config = merged(yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8")), yaml.safe_load(text))
        (folder / "folder.csv").mkdir()
        (folder / "big.csv").touch()
        os.truncate(folder / "big.csv", 2_000_000_000)
        load(config)

    return case


def file_case(content):
    def case(folder):
        if content is not None:
            (folder / "config.yaml").write_bytes(content if isinstance(content, bytes) else content.encode())
        check_config_file("config.yaml")

    return case


def data_case(content, name="t.csv", **settings):
    def case(folder):
        if isinstance(content, pd.DataFrame):
            content.to_parquet(folder / name)
        elif content is not None:
            (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        make({"file": name, "target": "kind", **settings}, 0, "mine", 0)

    return case


def asymmetric(folder):
    (folder / "t.csv").write_text("a,b,kind\n0,1,x\n3,0,y\n", encoding="utf-8")
    source = {"file": "t.csv", "target": "kind", "metric": "precomputed"}
    write_matrix(Path("results/t.npy"), make(source, 0, "mine", 0), {"of": "precomputed"}, source)


def wide(folder):
    """10^5 columns, of which the target is none."""
    (folder / "t.csv").write_text(",".join(f"c{i}" for i in range(100_000)) + "\n" + ",".join("1" * 100_000) + "\n")
    make({"file": "t.csv", "target": "kind"}, 0, "mine", 0)


def big(folder):
    """A file without content that claims 2 GB."""
    with (folder / "t.csv").open("wb") as file:
        file.truncate(2_000_000_000)
    data_case(None)(folder)


def split_case(counts, folds):
    return lambda folder: split(np.repeat(range(len(counts)), counts), folds, 0.3, 0)


def group_case(y, group, folds, test_fraction=0.3):
    return lambda folder: split(np.array(y), folds, test_fraction, 0, group=np.array(group))


def no_network(folder):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("https_proxy", "http://127.0.0.1:9")  # nobody listens there
        urllib.request.install_opener(None)
        try:
            download({"task_id": 31}, str(folder / "task_31.parquet"))
        finally:
            urllib.request.install_opener(None)


def another_checksum(folder):
    (folder / "data/openml").mkdir(parents=True)
    table = pd.DataFrame({"a": [1, 2], "kind": ["x", "y"]})
    table.attrs = {"md5": "0" * 32}
    table.to_parquet(folder / "data/openml/data_61.parquet")
    entry = {"openml": {"data_id": 61, "md5": "1" * 32}}
    config_case(yaml.safe_dump({"data_sets": {"mine": entry}, "experiments": {"E8": {"data_sets": ["mine"]}}}))(folder)


def nothing_to_impute_from(folder):
    (folder / "t.csv").write_text("a,b,kind\n" + "".join(f"{'' if i > 1 else i},{i},{'xy'[i % 2]}\n" for i in range(8)))
    data = make({"file": "t.csv", "target": "kind", "impute": "median"}, 0, "mine", 0)
    select_fold(data, np.repeat(range(4), 2), 0, scaled=True)


def new_rows_as_numbers(folder):
    (folder / "t.csv").write_text("c,kind\n01,x\n1,y\n02,x\n2,y\n")
    data = make({"file": "t.csv", "target": "kind", "categorical": ["c"]}, 0, "mine", 0)
    read_rows(Encoder.fit(data.X, data), pd.read_csv("t.csv"))


def model_case(change):
    """`change` gets the path of a saved model before it is loaded."""

    def case(folder):
        X, y = load_iris(return_X_y=True)
        save_model(ProsetClassifier(random_state=0).fit(X, y), folder / "model.npz")
        change(folder / "model.npz")
        load_model("model.npz")

    return case


def header_case(**changes):
    def change(path):
        with np.load(path) as archive:
            arrays = dict(archive)
        arrays["header"] = np.array(json.dumps({**json.loads(str(arrays["header"])), **changes}))
        np.savez(path, **arrays)

    return model_case(change)


class Hostile:
    """Pickled, it leaves a file when it is loaded."""

    def __reduce__(self):
        return os.mkdir, ("executed",)


def hostile_member(path):
    buffer = io.BytesIO()
    np.save(buffer, np.array([Hostile()], dtype=object), allow_pickle=True)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.npy", buffer.getvalue())


def fitted_iris(**settings):
    return ProsetClassifier(**settings).fit(*IRIS)


def reject_case(estimator, **settings):
    return lambda folder: RejectOptionClassifier(estimator, **settings).fit(*IRIS)


THIRDS = np.full((150, 3), 1 / 3)
TWO_CLASSES = FrozenEstimator(LogisticRegression().fit([[0.0] * 4, [1.0] * 4], [0, 1]))


def with_value(row, value):
    probabilities = THIRDS.copy()
    probabilities[row, 0] = value
    return probabilities


def with_base(base):
    return ProsetClassifier(base=base, lambda_v=0.01, lambda_w=1e-4).fit(*load_iris(return_X_y=True))


def answer_case(question):
    """A question to a fitted model."""
    return lambda folder: question(fitted_iris(lambda_v=0.01, lambda_w=1e-4))


def mixed_case(question):
    """A question to a model of a table with a category, and that table."""

    def case(folder):
        X = frame(IRIS[0], np.where(IRIS[1] > 1, "x", "y"))
        question(ProsetClassifier(lambda_v=0.01, lambda_w=1e-4).fit(X, IRIS[1]), X.head(2))

    return case


def data_changed(folder):
    X = IRIS[0].copy()
    model = ProsetClassifier(lambda_v=0.01, lambda_w=1e-4).fit(X, IRIS[1])
    X[0, 0] = 0.0
    model.forget([3])


def frame(X, value):
    return pd.DataFrame({"a": X[:, 0], "b": value})


def fit_case(X=None, y=None, **settings):
    def case(folder):
        iris = load_iris(return_X_y=True)
        weight, given = settings.pop("sample_weight", None), settings.pop("base_probabilities", None)
        data = iris[0] if X is None else X(iris[0]), iris[1] if y is None else y
        ProsetClassifier(**settings).fit(*data, weight, base_probabilities=given)

    return case


def cover_case(X=lambda X: X, candidates=None, sample_weight=None, **settings):
    def case(folder):
        iris = load_iris(return_X_y=True)
        SetCoverClassifier(**settings).fit(X(iris[0]), iris[1], sample_weight, candidates=candidates)

    return case


def figure_case(display, features_of=lambda X: X, model=None, width=4, **options):
    def case(folder):
        fitted, X = ProsetClassifier(random_state=0) if model is None else model, features_of(IRIS[0][:, :width])
        display.from_estimator(fitted.fit(X, IRIS[1]), X, IRIS[1], **options)

    return case


def again_case(changes, X=lambda X: X):
    """A second fit of a warm start."""

    def case(folder):
        model = ProsetClassifier(2, warm_start=True).fit(*IRIS)
        model.set_params(**changes).fit(X(IRIS[0]), IRIS[1])

    return case


def search_case(kind=ProsetClassifierCV, **settings):
    return lambda folder: kind(**settings).fit(*IRIS)


def convert_case(model, write=to_c, **settings):
    return lambda folder: write(model.fit(*IRIS), **settings)


def article_case(text="", definitions="", abstract="", page=""):
    def case(folder):
        sources = {"article.typ": text, "definitions.typ": definitions, "template.typ": "#let wide = 1", PAGE: page}
        sources["metadata.yaml"] = json.dumps({"title": "", "abstract": abstract})
        (folder / "article").mkdir()
        for name, content in sources.items():
            (folder / "article" / name).write_text(content, encoding="utf-8")
        known = {"texts": {"reproduction.within"}, "tables": set(), "figures": set(), "topics": {"reproduction"}}
        check(Path("article"), ["E3", "xor_6f"], known, set())

    return case


def python_case(code, **environment):
    """Code in a Python of its own, with the environment changed; what it prints is the message."""

    def case(folder):
        given = {name: value.format(folder=folder) for name, value in environment.items()}
        given["PYTHONPATH"] = os.pathsep.join([given.get("PYTHONPATH", ""), str(ROOT / "src")]).strip(os.pathsep)
        command = [sys.executable, "-c", code]
        run = subprocess.run(command, cwd=folder, env={**os.environ, **given}, capture_output=True, text=True)
        assert run.returncode != 0
        assert "Traceback" not in run.stderr
        raise RuntimeError(run.stderr)

    return case


def job_without_pyarrow(folder):
    config = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))
    config["data_sets"]["mine"] = {"file": "t.parquet", "target": "kind"}
    (folder / "study.json").write_text(json.dumps(config), encoding="utf-8")
    (folder / "t.parquet").write_text("x", encoding="utf-8")
    arguments = ["data", "--study", "study.json", "--data-set", "mine", "--replicate", "0"]
    start = f"import sys\nsys.modules['pyarrow'] = None\nsys.argv[1:] = {arguments}\n"
    python_case(f"{start}from proset_study.cli import main\nmain()")(folder)


def installed_case(name, version, needs=""):
    """A package comes first in the list of installed ones, with this version and what it needs."""

    def case(folder):
        info = folder / f"{name.replace('-', '_')}-{version}.dist-info"
        info.mkdir()
        metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{needs}"
        (info / "METADATA").write_text(metadata, encoding="utf-8")
        python_case(CHECK, PYTHONPATH="{folder}")(folder)

    return case


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
CHECK = "from proset_study.base.environment import check_packages; check_packages()"

CASES = {
    # config files
    "missing config": file_case(None),
    "empty config": file_case(""),
    "broken YAML": file_case("study: [1\n"),
    "deep YAML": file_case("study: " + 5000 * "["),
    "alias bomb": file_case(
        "a0: &a0 [1, 1]\n" + "".join(f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}]\n" for i in range(1, 40))
    ),
    "octal": file_case("seed: 017\n"),
    "sexagesimal": file_case("seed: 1:30\n"),
    "key twice in JSON": file_case('{"seed": 1, "seed": 2}'),
    "Latin-1 config": file_case("study: s\n# gr\xfcn\n".encode("latin-1")),
    "key twice": file_case("seed: 1\nfolds: 5\nseed: 2\n"),
    "data set twice": file_case("data_sets:\n  a: {sklearn: iris}\n  a: {sklearn: wine}\n"),
    "template": file_case("__use_yte__: true\nseed: ?__import__('os').mkdir('executed') or 1\n"),
    "tag": file_case("seed: !!python/object/apply:os.mkdir [executed]\n"),
    # data files
    "missing file": data_case(None),
    "2 GB file": big,
    "empty file": data_case(""),
    "header only": data_case("a,kind\n"),
    "no header": data_case(TABLE),
    "column twice": data_case(CSV.replace("id,a,b", "id,a,a", 1)),
    "column without name": data_case(CSV.replace("id,a,b", ",a,b", 1)),
    "target missing": data_case(CSV, target="label"),
    "10^5 columns": wide,
    "drop missing": data_case(CSV, drop=["c"]),
    "target dropped": data_case(CSV, drop=["kind"]),
    "no features": data_case(CSV, drop=["id", "a", "b"], weight="w"),
    "semicolons": data_case(CSV.replace(",", ";")),
    "decimal comma": data_case(CSV.replace(",", ";").replace("2.5", "2,5"), sep=";"),
    "many digits": data_case(f"a,kind\n{2**60 + 1},x\n{2**60 + 2},y\n"),
    "25 digits": data_case(f"a,kind\n{10**25},x\n{2 * 10**25},y\n"),
    "measurement": data_case("a,kind\n" + "".join(f"{i % 7},{i / 7}\n" for i in range(60))),
    "null character": data_case("a,kind\n1,u\n2,u\0\n3,u\n4,u\0\n"),
    "too many fields": data_case(CSV + "1,2,3,4,x,6\n"),
    "more fields than names": data_case("a,kind\n1,2,x\n3,4,y\n"),
    "matrix not square": data_case(CSV, metric="precomputed"),
    "matrix not symmetric": asymmetric,
    "string missing": data_case(COLOURS, items="colour"),
    "test part of other numbers": data_case(CSV, test="id"),
    "test part without a class": data_case("a,part,kind\n" + "1,0,x\n2,0,y\n3,1,x\n" * 4, test="part"),
    "group in both parts": data_case(
        "a,part,nest,kind\n1,0,n,x\n2,0,m,y\n3,1,m,x\n4,1,k,y\n", test="part", group="nest"
    ),
    "open quote": data_case(CSV.replace("2.5", '"2.5')),
    "Latin-1 data": data_case(CSV.replace("x", "\xe9").encode("latin-1")),
    "UTF-16": data_case(CSV.encode("utf-16")),
    "text": data_case(CSV.replace("2.5", "2;5")),
    "empty field": data_case(CSV.replace("2.5", "")),
    "infinity": data_case(CSV.replace("2.5", "inf")),
    "1e40": data_case(CSV.replace("2.5", "1e40")),
    "dates": data_case(pd.DataFrame({"a": pd.to_datetime(["2026-01-01"] * 2), "kind": ["x", "y"]}), "t.parquet"),
    "class missing": data_case(CSV.replace("x", "NA")),
    "one class": data_case(CSV.replace("y\n", "x\n")),
    "negative weight": data_case("a,w,kind\n1,1,x\n2,-1,y\n", weight="w"),
    "class without weight": data_case("a,w,kind\n1,1,x\n2,0,y\n3,1,z\n", weight="w"),
    "broken Parquet": data_case(b"PAR1 and no more", "t.parquet"),
    "group missing": data_case(CSV, group="nest"),
    "group is target": data_case(CSV, group="kind"),
    "no group": data_case("a,nest,kind\n1,n,x\n2,,y\n", group="nest"),
    "category missing": data_case(CSV, categorical=["colour"]),
    "category dropped": data_case(CSV, drop=["a"], categorical=["a"]),
    "category weighs": data_case(CSV, weight="w", categorical=["w"]),
    "text not named": data_case(COLOURS, categorical=["b"]),
    "empty category": data_case(COLOURS, categorical=["colour"]),
    "threshold of text": data_case(CSV, threshold=1),
    "threshold of nothing": data_case(CSV.replace("2,1.0,2,", "2,1.0,,"), target="b", threshold=1, drop=["kind"]),
    "few rows": data_case("a,kind\n" + "".join(f"{i},{kind}\n" for i, kind in enumerate("xyz" * 6)), rows=2),
    "no target": data_case(pd.DataFrame({"a": [1, 2], "kind": ["x", "y"]}), "t.parquet", target=None),
    "no network": no_network,
    "another checksum": another_checksum,
    "1,001 categories": data_case(
        "id,kind\n" + "".join(f"n{i},{'xy'[i % 2]}\n" for i in range(1001)), categorical=["id"]
    ),
    "too many features": data_case(
        "id,kind\n" + "".join(f"{i % 900},{'xy'[i % 2]}\n" for i in range(100_000)), categorical=["id"]
    ),
    "feature twice": data_case(COLOURS.replace("b,", "colour=red,", 1), categorical=["colour"], impute="mean"),
    "empty column": data_case("a,b,kind\n,1,x\n,2,y\n", impute="median"),
    "empty categories": data_case("colour,b,kind\n,1,x\n,2,y\n", categorical=["colour"], impute="most_frequent"),
    "infinity imputed": data_case(CSV.replace("2.5", "inf"), impute="median"),
    "nothing to impute from": nothing_to_impute_from,
    "new rows as numbers": new_rows_as_numbers,
    "class in few groups": group_case([0, 0, 1, 1, 1, 1, 1, 1, 1, 1], [0, 1, *range(8)], 2),
    "large groups": group_case([0, 1] * 8, np.repeat(np.arange(4), 4), 2, 0.6),
    "all groups tested": group_case([0, 1] * 10, np.repeat(np.arange(10), 2), 2, 0.95),
    "class without a sample": lambda _: make(
        {"generator": "clusters", "test_samples": 30, "imbalance": 100}, 0, "c", 0
    ),
    "long motifs": lambda _: make({"generator": "protein_families", "motifs": 2, "motif_length": 60}, 0, "p", 0),
    "no amino acid": lambda _: mismatch.distances(["ACDEF", "ACDXF"]),
    "short string": lambda _: mismatch.distances(["ACDEF", "ACDE"]),
    "as many mismatches": lambda _: mismatch.distances(["AC", "AD"], k=2, m=2),
    "class of one": split_case([10, 10, 1], 2),
    "more folds than samples": split_case([50, 5], 5),
    # model files
    "missing model": model_case(lambda path: path.unlink()),
    "cut model": model_case(lambda path: path.write_bytes(path.read_bytes()[:500])),
    "pickle": model_case(lambda path: path.write_bytes(pickle.dumps(Hostile()))),
    "pickle inside": model_case(hostile_member),
    "newer version": header_case(version=99),
    "other kind": header_case(format="other"),
    # the estimator
    "text column": fit_case(lambda X: frame(X, "word"), categorical_features=None),
    "mixed column": fit_case(lambda X: frame(X, np.where(np.arange(150) == 3, "n/a", X[:, 0].astype(object)))),
    "date column": fit_case(lambda X: frame(X, np.datetime64("2026-01-01"))),
    "names twice": fit_case(lambda X: pd.concat([frame(X, 1.0)] * 2, axis=1)),
    "no such column": fit_case(lambda X: frame(X, "word"), categorical_features=["words"]),
    "infinite": fit_case(lambda X: np.where(X > 7, np.inf, X)),
    "scale 1e30": fit_case(lambda X: X * 1e30, scale=False),
    "scale 1e-30": fit_case(lambda X: X * 1e-30, scale=False),
    "scale 1e300": fit_case(lambda X: X * 1e300),
    "huge weight": fit_case(sample_weight=np.full(150, 1e200)),
    "single class": fit_case(y=np.zeros(150)),
    "tiny class": fit_case(y=np.repeat([0, 1, 2], [100, 48, 2]), references="split"),
    "max_fraction 1": fit_case(max_fraction=1.0),
    "lambda 1e300": fit_case(lambda_v=1e300),
    "negative lambda": fit_case(lambda_w=-1.0),
    "lambda best": fit_case(lambda_v="best"),
    "lambda NaN": fit_case(lambda_v=float("nan")),
    "base without probabilities": fit_case(base=LinearSVC()),
    "base unfitted": fit_case(base=FrozenEstimator(LogisticRegression()), base_probabilities=THIRDS),
    "base of other classes": fit_case(base=TWO_CLASSES, base_probabilities=THIRDS),
    "prefit without probabilities": fit_case(base="prefit"),
    "probabilities without base": fit_case(base_probabilities=THIRDS),
    "probabilities of other shape": fit_case(base="prefit", base_probabilities=THIRDS[:, :2]),
    "probabilities with NaN": fit_case(base="prefit", base_probabilities=with_value(7, np.nan)),
    "probabilities above 1": fit_case(base="prefit", base_probabilities=100 * THIRDS),
    "probabilities with another sum": fit_case(base="prefit", base_probabilities=THIRDS / 2),
    "base by split": fit_case(base=LogisticRegression(), references="split"),
    "weights for a base without": fit_case(base=KNeighborsClassifier(), sample_weight=np.arange(1.0, 151.0)),
    "base in a file": lambda folder: save_model(with_base(LogisticRegression()), folder / "model.npz"),
    "forest in C": lambda folder: to_c(with_base(RandomForestClassifier(5, random_state=0))),
    "minus one prototype": fit_case(max_prototypes=-1),
    "few by split": fit_case(references="split", max_prototypes=5),
    "with_prototypes(3)": lambda folder: (
        ProsetClassifier(max_prototypes=None).fit(*load_iris(return_X_y=True)).with_prototypes(3)
    ),
    "eps 0": cover_case(eps=0.0),
    "151 neighbors": cover_case(n_neighbors=151),
    "candidates": cover_case(candidates=np.zeros((5, 3))),
    "negative distance": cover_case(lambda X: np.where(X > 7.8, -3.0, X), metric="precomputed"),
    "no correlation": cover_case(lambda X: np.where(np.arange(150)[:, None] == 7, 1.0, X), metric="correlation"),
    "huge sample_weight": cover_case(sample_weight=np.full(150, 1e307)),
    "negative sample_weight": cover_case(sample_weight=np.r_[-1.0, np.ones(149)]),
    "top 0": lambda folder: fitted_iris().explain(np.zeros(4), top=0),
    "nothing to shrink to": lambda folder: fitted_iris(n_batches=0).shrink(),
    "reject label": reject_case(ProsetClassifier(), reject_label=1),
    "no score": reject_case(LogisticRegression()),
    "negative class_weight": fit_case(class_weight={0: -1.0}),
    "fewer batches": again_case({"n_batches": 1}),
    "other data": again_case({}, X=lambda X: X + 1),
    "batches of a prediction": lambda folder: ProsetClassifier().fit(*IRIS).predict(IRIS[0], n_batches=3),
    "range from 0": search_case(lambda_v=(0, 0.1)),
    "other estimator": search_case(estimator=SetCoverClassifier()),
    "fold without class": search_case(cv=KFold(3)),
    "one fold": search_case(cv=ShuffleSplit(1, random_state=0)),
    "radius 0": search_case(SetCoverClassifierCV, eps=[0.0, 1.0]),
    "ranks searched": search_case(SetCoverClassifierCV, estimator=SetCoverClassifier(n_neighbors=3)),
    "other features": lambda folder: ProsetClassifier().fit(*load_iris(return_X_y=True)).predict(np.zeros((2, 3))),
    "to_c: PCA": convert_case(make_pipeline(PCA(), ProsetClassifier())),
    "to_c: metric": convert_case(SetCoverClassifier(metric="canberra")),
    "to_c: name": convert_case(SetCoverClassifier(), name="my-model"),
    "to_onnx: other classifier": convert_case(DummyClassifier(), write=to_onnx),
    # answers
    "cost matrix of another shape": fit_case(cost_matrix=[[0, 1], [1, 0]]),
    "other background": answer_case(lambda model: model.attributions(IRIS[0][:1], background=np.zeros((5, 3)))),
    "file without background": answer_case(lambda model: pickle.loads(pickle.dumps(model)).attributions(IRIS[0][:1])),
    "attributions with a base": lambda folder: with_base(LogisticRegression(max_iter=1000)).attributions(IRIS[0][:1]),
    "counterfactual of no class": answer_case(lambda model: model.counterfactuals(IRIS[0][:1], target=7)),
    "probability above 1": answer_case(lambda model: model.counterfactuals(IRIS[0][:1], probability=1.5)),
    "familiarity of 1": answer_case(lambda model: model.counterfactuals(IRIS[0][:1], min_familiarity_quantile=1.0)),
    "fixed feature": answer_case(lambda model: model.counterfactuals(IRIS[0][:1], fixed=["age"])),
    "range turned round": answer_case(lambda model: model.counterfactuals(IRIS[0][:1], ranges={2: (3, 1)})),
    "category that was never there": mixed_case(lambda model, X: model.counterfactuals(X, ranges={"b": ["red"]})),
    "direction of a category": mixed_case(lambda model, X: model.counterfactuals(X, directions={"b": "up"})),
    "sideways": answer_case(lambda model: model.counterfactuals(IRIS[0][:1], directions={0: "left"})),
    "row that is not there": answer_case(lambda model: model.forget([0, 150])),
    "row by name": answer_case(lambda model: model.influence(rows="first")),
    "all rows forgotten": answer_case(lambda model: model.forget(np.arange(150))),
    "class that was not there": answer_case(lambda model: model.influence(IRIS[0][:2], [0, 9])),
    "classes without samples": answer_case(lambda model: model.influence(y=[0])),
    "refits of split": lambda folder: ProsetClassifier.published(random_state=0).fit(*IRIS).influence(),
    "forgetting after an edit": answer_case(lambda model: model.edited(pin={2: 1.0}).forget([0])),
    "data changed": data_changed,
    "no prototype": answer_case(lambda model: model.edited(drop=[0])),
    "negative pin": answer_case(lambda model: model.edited(pin={2: -1.0})),
    "everything dropped": answer_case(lambda model: model.edited(pin=dict.fromkeys(range(4), 0.0))),
    "models of other data": answer_case(lambda model: diff(model, ProsetClassifier().fit(IRIS[0], IRIS[1] > 0))),
    "level of 1": answer_case(lambda model: model.drift(IRIS[0], level=1.0)),
    "page without samples": answer_case(lambda model: model.report("page.html", y=IRIS[1])),
    "confidence of 1": lambda folder: ConformalClassifier(ProsetClassifier(), confidence_level=1.0).fit(*IRIS),
    "group without names": lambda folder: ConformalClassifier(ProsetClassifier(), group_by="kind").fit(*IRIS),
    "fifth column": lambda folder: RejectOptionClassifier(ProsetClassifier(), group_by=4).fit(*IRIS),
    "one group label": lambda folder: ConformalClassifier(ProsetClassifier(), group_by=lambda X: ["a"]).fit(*IRIS),
    "frozen without class": lambda folder: ConformalClassifier(TWO_CLASSES).fit(*IRIS),
    "rates of no group": answer_case(lambda model: group_rates(model, *IRIS, [1, 2])),
    "card without classes": answer_case(lambda model: model_card(model, IRIS[0])),
    "card of a cover": lambda folder: model_card(SetCoverClassifier().fit(*IRIS)),
    "exported attributions of a base": lambda folder: to_c(
        with_base(LogisticRegression(max_iter=1000)), background=IRIS[0][:2]
    ),
    "exported attributions of a cover": convert_case(SetCoverClassifier(), background=IRIS[0][:2]),
    "exported background of 1,001 rows": convert_case(ProsetClassifier(), background=np.resize(IRIS[0], (1001, 4))),
    "to_onnx: explain": convert_case(ProsetClassifier(), write=to_onnx, explain=0),
    "to_sql: table": convert_case(ProsetClassifier(), write=to_sql, table="", key="id"),
    "to_sql: own name": convert_case(ProsetClassifier(), write=to_sql, table="proset_z", key="id"),
    "to_sql: what": convert_case(ProsetClassifier(), write=to_sql, table="t", key="id", what="label"),
    "to_sql: cover": convert_case(SetCoverClassifier(), write=to_sql, table="t", key="id", what="explain"),
    "to_sql: no background": convert_case(ProsetClassifier(), write=to_sql, table="t", key="id", what="attributions"),
    # figures
    "one feature": figure_case(plot.DecisionSurfaceDisplay, width=1),
    "unknown feature": figure_case(plot.DecisionSurfaceDisplay, features=["x0", "x9"]),
    "short point": figure_case(plot.DecisionSurfaceDisplay, point=[1.0, 2.0]),
    "third batch": figure_case(plot.PrototypesDisplay, batch=3),
    "figure of another": figure_case(plot.PrototypesDisplay, model=LogisticRegression(max_iter=1000)),
    "balls of distances": figure_case(
        plot.BallsDisplay, lambda X: cdist(X, X), SetCoverClassifier(metric="precomputed")
    ),
    # the environment
    # article
    "typed number": article_case('On `xor_6f`, #n("reproduction.within") of E3:\na loss of 0.53.'),
    "typed word": article_case("The eleven data sets."),
    "number in the abstract": article_case(abstract="All of 12 experiments."),
    "unknown record": article_case('Of all scores #n("reproduction.witin") agree.'),
    "unknown topic": article_case('#if given("reprodution") []'),
    "typed in the findings": article_case(page="A loss of 0.53"),
    "reason of what holds": lambda folder: check_reasons({"S1"}, {"N64"}),
    "formula without source": article_case(definitions="#let half = $1/2$\n// Source: none.\n#let x = $y_1$\n"),
    # environment
    "old package": installed_case("numpy", "1.20.0"),
    "missing library": python_case(WITHOUT_LIBRARY),
    "missing package": installed_case("proset-study", "9.9", "Requires-Dist: forest-of-trees>=2.1\n"),
    "ASCII locale": python_case(
        "from proset_study.data.table_file import check_file\ntry:\n  check_file('gr\\xfcn.csv')\n"
        "except ValueError as error:\n  raise SystemExit(ascii(str(error)).strip('\"'))",
        LC_ALL="C",
        PYTHONUTF8="0",
    ),
    "missing method": python_case(
        "from importlib.metadata import PackageNotFoundError, version\nfrom proset_study.study import fingerprints\n"
        "def installed(name):\n  if name == 'lightgbm':\n    raise PackageNotFoundError(name)\n  return version(name)\n"
        "fingerprints.version = installed\ntry:\n  fingerprints.code_fingerprint('proset_study.methods.lightgbm')\n"
        "except ValueError as error:\n  raise SystemExit(str(error))"
    ),
    "missing in a job": job_without_pyarrow,
}
ROWS = list(rows())


@pytest.mark.parametrize(("section", "given", "message"), ROWS, ids=[f"{row[0]}: {row[1][:40]}" for row in ROWS])
def test_bad_input_says_what_the_page_says_and_writes_nothing(section, given, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    case = config_case(given) if section == "Config" else CASES[given]
    with pytest.raises((ValueError, OSError, RuntimeError)) as caught:
        case(tmp_path)
    said = str(caught.value).rstrip()
    parts = [re.escape(part) for part in message.split("…")]
    assert re.search(".*".join(parts) + r"\Z", said, re.DOTALL), said
    assert not (tmp_path / "executed").exists()
    assert not list(tmp_path.rglob("data.npz"))


def test_every_case_is_on_the_page_and_there_are_enough():
    named = [given for section, given, _ in ROWS if section != "Config"]
    assert sorted(named) == sorted(CASES)
    assert len(ROWS) >= 40
