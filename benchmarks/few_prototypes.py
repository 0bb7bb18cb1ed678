"""Test loss and error with few prototypes, on the data sets and splits of the study.

Rivals are fitted at each size with so many prototypes in all, the same number for each class; of those with a path or
one size of their own, the largest model within the size counts. Nothing is chosen on the test parts.
"""

import ctypes
import subprocess
import time
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import yaml
from sklearn.cluster import KMeans

from proset import ProsetClassifier, save_model, to_c, to_javascript, to_onnx
from proset.arithmetic import class_sums
from proset.model import Model
from proset_study.base.seeds import integer_seed, seed_sequence
from proset_study.data.distances import distances
from proset_study.data.sources import make
from proset_study.data.splits import TEST, FoldData, select_fold
from proset_study.data.splitting import split
from proset_study.methods import cccd, condensed_nn, gmlvq, lvq, set_cover
from proset_study.methods.nearest_prototype import nearest
from proset_study.report.analysis.paired import mean_difference

SIZES = (10, 20, 50, 100, 150, 200)
COLUMNS = ("data_set", "replicate", "method", "size", "prototypes", "features", "log_loss", "error")
EXPLAINED_COLUMNS = ("data_set", "replicate", "method", "prototypes", "median", "quantile_90")
COST_COLUMNS = ("data_set", "replicate", "what", "cpu_seconds")
EXPORT_COLUMNS = (
    *("model", "prototypes", "features", "c_bytes", "javascript_bytes", "onnx_bytes", "npz_bytes", "c_us_one_row"),
    *("python_us_one_row",),
)
CALLS = 1000  # of a prediction in C, in one measurement
SHARE = 0.95  # of the contributions of prototypes that an explanation names
Prototypes = tuple[np.ndarray, np.ndarray]  # their features and classes


def run(names: list[str] | None, replicates: range) -> tuple[list[dict], list[dict], list[dict]]:
    """Rows with `COLUMNS`, `EXPLAINED_COLUMNS` and `COST_COLUMNS`."""
    config = yaml.safe_load(Path("config.yaml").read_text(encoding="utf-8"))
    found: tuple[list[dict], list[dict], list[dict]] = ([], [], [])
    for name, settings in config["data_sets"].items():
        if name == "mixture" or (names and name not in names):  # the mixture is no data set of the published study
            continue
        for replicate in replicates:
            part = study_part(settings, config["seed"], name, replicate)
            case = name, replicate
            models = _models(part, case, found[2])
            for method, size, model in _sized(models):
                found[0].append(dict(zip(COLUMNS, (*case, method, size, *_scores(model, part)), strict=True)))
                if not size:
                    values = (*case, method, model.n_prototypes_, *_explained(model._model, part.X_score))
                    found[1].append(dict(zip(EXPLAINED_COLUMNS, values, strict=True)))
            seed = seed_sequence(config["seed"], "few prototypes", name, replicate)
            for method, size, sizes in rivals(part, seed):
                found[0].append(dict(zip(COLUMNS, (*case, method, size, *sizes), strict=True)))
    return found


def study_part(settings: dict, seed: int, name: str, replicate: int) -> FoldData:
    data = make(settings, seed, name, replicate)
    return select_fold(data, split(data.y, 5, 0.3, integer_seed(seed, "split", name, replicate)), TEST, scaled=True)


@cache
def overlap(name: str) -> float:
    """Test rows by training rows where splits share rows, as `mean_difference` takes it; 0 if data are generated."""
    settings = yaml.safe_load(Path("config.yaml").read_text(encoding="utf-8"))["data_sets"].get(name)
    if settings is None:
        return 1 / 3  # a quarter is tested, see `out_of_the_box`
    return 0.0 if "generator" in settings else 3 / 7


def _models(part: FoldData, case: tuple, costs: list[dict]) -> dict[str, ProsetClassifier]:
    every = ProsetClassifier(max_prototypes=None)
    models = {"all prototypes": every, "default": ProsetClassifier()}
    _timed(every, part)  # what is loaded at the first fit is no part of its time
    models["path"] = ProsetClassifier(lambda_v=every.lambda_v_, lambda_w=every.lambda_w_, max_prototypes=1)
    fixed = ProsetClassifier(lambda_v=every.lambda_v_, lambda_w=every.lambda_w_, max_prototypes=None)
    for what, model in {**models, "fixed penalties": fixed}.items():
        costs.append(dict(zip(COST_COLUMNS, (*case, what, round(_timed(model, part), 4)), strict=True)))
    return models


def _timed(model: ProsetClassifier, part: FoldData) -> float:
    started = time.process_time()
    with warnings.catch_warnings(action="ignore"):
        model.fit(part.X, part.y)
    return time.process_time() - started


def _sized(models: dict[str, ProsetClassifier]) -> Iterator[tuple[str, int | str, ProsetClassifier]]:
    """The default and the model with all prototypes, and those of the path at `SIZES`."""
    for name in ("all prototypes", "default"):
        yield name, "", models[name]
    path = models["path"]
    for size in SIZES:
        with_prototypes = path.with_prototypes(max(size, path.prototype_path_["n_prototypes"][0]))
        yield "proset", size, with_prototypes


def _scores(model: ProsetClassifier, part: FoldData) -> tuple:
    p = model.predict_proba(part.X_score)
    own = np.clip(p[np.arange(len(p)), part.y_score], 1e-15, 1.0)
    error = float((p.argmax(axis=1) != part.y_score).mean())
    return model.n_prototypes_, len(model.active_features_), round(float(-np.log(own).mean()), 5), round(error, 5)


def _explained(model: Model, X: np.ndarray) -> tuple[float, float]:
    """Median and 90 % quantile over samples of how many prototypes have `SHARE` of what all prototypes contribute."""
    added = np.hstack([np.zeros((len(X), 1)), *(_contributions(X, batch) for batch in model.batches)])
    added = -np.sort(-added, axis=1)
    total = added.sum(axis=1, keepdims=True)
    needed = 1 + (np.cumsum(added, axis=1) < SHARE * total).sum(axis=1)
    needed[total[:, 0] == 0] = 0
    return float(np.median(needed)), float(np.quantile(needed, 0.9))


def _contributions(X, batch):
    offsets = np.arange(len(batch.labels) + 1)
    v, w = batch.feature_weights, batch.prototype_weights
    return class_sums(X, batch.prototypes, np.zeros(len(v)), offsets, v, w)


def rivals(part: FoldData, seed: np.random.SeedSequence) -> Iterator[tuple[str, int, tuple]]:
    """Method, size, and number of prototypes and features, an empty log-loss, and error."""
    for size in SIZES:
        placed = _placed(part, size, seed)
        for name, prototypes in placed.items():
            yield name, size, _nearest_error(part, *prototypes)
        points, labels = placed["k-means"]
        points, omega = gmlvq.gmlvq(points, labels, part.X, part.y, np.full(len(part.y), 1.0 / len(part.y)))
        yield "GMLVQ", size, _nearest_error(part, points, labels, omega)
    paths = {
        "set cover": set_cover.SetCover(part).fit({}, 18, seed),
        "condensed NN": condensed_nn.CondensedNN(part).fit({}, 1, seed),
        "CCCD": cccd.CCCD(part).fit({}, 1, seed),
    }
    for name, fitted in paths.items():
        numbers = fitted.staged_summary()["prototypes"]
        wrong = [p.argmax(axis=1) != part.y_score for p in fitted.staged_predict_proba(part.X_score)]
        for size in SIZES:
            if within := [i for i, n in enumerate(numbers) if n <= size]:
                largest = max(within, key=lambda i: numbers[i])
                yield name, size, (numbers[largest], part.X.shape[1], "", round(float(wrong[largest].mean()), 5))


def _placed(part: FoldData, size: int, seed: np.random.SeedSequence) -> dict[str, Prototypes]:
    from kmedoids import fasterpam

    start, medoids, centres, labels = int(seed.generate_state(1)[0]), [], [], []
    for k in range(part.n_classes):
        own = part.X[part.y == k]
        number = min(max(1, size // part.n_classes), len(np.unique(own, axis=0)))
        between = distances(own, own, part.metric)
        found = fasterpam(between, number, init="random", random_state=start, n_cpu=1)
        medoids.append(own[np.sort(found.medoids)])
        centres.append(KMeans(number, n_init=3, random_state=start).fit(own).cluster_centers_)
        labels += [k] * number
    of_class, means = np.array(labels), np.vstack(centres)
    draws = np.random.default_rng(seed).integers(len(part.y), size=lvq.DRAWS * len(labels))
    moved = lvq.olvq1(means, of_class, part.X[draws], part.y[draws])
    return {"k-medoids": (np.vstack(medoids), of_class), "k-means": (means, of_class), "LVQ": (moved, of_class)}


def _nearest_error(part: FoldData, points: np.ndarray, labels: np.ndarray, omega: np.ndarray | None = None) -> tuple:
    X, prototypes = (part.X_score, points) if omega is None else (part.X_score @ omega.T, points @ omega.T)
    chosen, _ = nearest(X, prototypes, np.ones(len(labels)))
    return len(labels), points.shape[1], "", round(float((labels[chosen] != part.y_score).mean()), 5)


def exports(repeats: int = 15) -> list[dict]:
    """Rows with `EXPORT_COLUMNS`: three models of digits, one row at a time; C by the compiler of the machine, -O2."""
    from benchmarks.evaluations import timed

    settings = yaml.safe_load(Path("config.yaml").read_text(encoding="utf-8"))
    part = study_part(settings["data_sets"]["digits"], settings["seed"], "digits", 0)
    every, default = (m.fit(part.X, part.y) for m in (ProsetClassifier(max_prototypes=None), ProsetClassifier()))
    rows = []
    for name, model in {"all": every, "default": default, "50": default.with_prototypes(50)}.items():
        texts = to_c(model), to_javascript(model), to_onnx(model).SerializeToString()
        with TemporaryDirectory() as folder:
            save_model(model, path := Path(folder, "model.npz"))
            sizes = (*map(len, texts), path.stat().st_size)
            in_c = _in_c(texts[0], Path(folder), part.X_score[0])
        row = part.X_score[:1]
        seconds = timed(in_c, repeats), timed(lambda m=model, x=row: m.predict_proba(x), 20 * repeats)
        us = [round(1e6 * each, 3) for each in (seconds[0] / CALLS, seconds[1])]
        values = (name, model.n_prototypes_, len(model.active_features_), *sizes, *us)
        rows.append(dict(zip(EXPORT_COLUMNS, values, strict=True)))
    return rows


def _in_c(source: str, folder: Path, x: np.ndarray) -> Callable[[], None]:
    """A function that predicts one row `CALLS` times."""
    loop = "void model_repeat(const double *x, double *p) { for (int i = 0; i < %d; i++) model_predict_proba(x, p); }"
    (folder / "model.c").write_text(source + loop % CALLS, encoding="utf-8")
    library = folder / "model.so"
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", library, folder / "model.c", "-lm"], check=True)
    repeat = ctypes.CDLL(str(library)).model_repeat
    x, p = np.ascontiguousarray(x, dtype=float), np.empty(10)
    return lambda: repeat(x.ctypes.data_as(ctypes.c_void_p), p.ctypes.data_as(ctypes.c_void_p))


def pairs(rows: list[dict]) -> list[dict]:
    """For each data set and size, whether proset's error is below that of the best rival, or not told from it.

    The best rival is the one with the lowest mean test error, of those that have a model of the size in all replicates.
    It is told from proset if a 95 % interval of the paired differences, corrected for shared rows, is on one side of 0.
    """
    errors: dict[tuple, dict[str, dict[str, float]]] = {}
    for row in rows:
        if row["size"] != "":
            of_method = errors.setdefault((row["data_set"], int(row["size"])), {}).setdefault(row["method"], {})
            of_method[row["replicate"]] = float(row["error"])
    found = []
    for (data_set, size), of_methods in errors.items():
        ours = of_methods.pop("proset")
        there = {name: e for name, e in of_methods.items() if e.keys() == ours.keys()}
        best = min(there, key=lambda name: np.mean(list(there[name].values())))
        differences = [ours[r] - there[best][r] for r in ours]
        verdict = "not told"
        if len(differences) > 1:
            verdict = mean_difference(differences, overlap(data_set)).side(0.95, ("lower", "higher", "not told"))
        means = (float(np.mean(list(errors.values()))) for errors in (ours, there[best]))
        found.append(dict(zip(("data_set", "size", "rival", "verdict"), (data_set, size, best, verdict), strict=True)))
        found[-1] |= dict(zip(("error", "rival_error"), means, strict=True))
    return found


def plot(rows: list[dict], stem: str) -> None:
    """Mean test error by number of prototypes, a panel for each data set, as PNG and SVG."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    from proset.plot import style

    names, replicates = (list(dict.fromkeys(row[key] for row in rows)) for key in ("data_set", "replicate"))
    methods = [m for m in dict.fromkeys(row["method"] for row in rows) if m not in ("all prototypes", "default")]
    figure, axes = plt.subplots(-(-len(names) // 4), min(4, len(names)), figsize=(11, 8), squeeze=False)
    figure.set_layout_engine("constrained")
    for panel in axes.flat[len(names) :]:
        panel.set_axis_off()
    for panel, name in zip(axes.flat, names, strict=False):
        for k, method in enumerate(methods):
            points = []
            for size in SIZES:
                found = [r for r in rows if (r["data_set"], r["method"], r["size"]) == (name, method, size)]
                if len(found) == len(replicates):
                    points.append(_mean(found))
            look = style.class_style(k) | {"markersize": 4, "linewidth": 2.2 if method == "proset" else 1}
            panel.plot(*zip(*points, strict=True), label=method, **look) if points else None
        chosen = _mean([r for r in rows if (r["data_set"], r["method"]) == (name, "default")])
        panel.scatter(*chosen, label="proset, the chosen size", **style.choice_style())
        panel.set_title(name, size=10)
        style.log_axis(panel, "x", dense=True)
        panel.set_ylim(bottom=0)
        panel.grid(alpha=0.3)
    figure.supxlabel("prototypes")
    figure.supylabel("test error, mean of the replicates")
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside upper center", ncols=5, frameon=False)
    for suffix in ("png", "svg"):
        figure.savefig(f"{stem}.{suffix}", dpi=120)


def _mean(rows):
    return tuple(float(np.mean([float(row[key]) for row in rows])) for key in ("prototypes", "error"))
