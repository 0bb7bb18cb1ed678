"""The measured figures as one Markdown page."""

import csv
import json
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from statistics import fmean, median, stdev

from benchmarks import base_model, few_prototypes, test_loss, trees

SHOWN_STEPS = (8, 12, 16)  # of the radii of set cover; the figure has all


def write(results: Path, output: Path) -> None:
    """Make results.md from the CSV files that are there."""
    measured = json.loads((results / "measured.json").read_text(encoding="utf-8"))
    lines = ["# Measured", "", "One thread. See README.md for what each column means.", ""]
    for title, name, section in _SECTIONS:
        path = results / f"{name}.csv"
        if path.exists():
            with path.open(encoding="utf-8", newline="") as file:
                lines += [f"## {title}", "", f"{measured[name]}.", "", *section(list(csv.DictReader(file))), ""]
    output.write_text("\n".join(lines), encoding="utf-8")


def _markdown(head: list[str], rows: list[list]) -> list[str]:
    return [
        "|" + "|".join(head) + "|",
        "|---" * len(head) + "|",
        *("|" + "|".join(f"{v:.3g}" if isinstance(v, float) else str(v) for v in row) + "|" for row in rows),
    ]


def _grouped(rows: list[dict]) -> dict[tuple[str, str], Callable[[str], list[float]]]:
    groups: dict[tuple[str, str], list[dict]] = defaultdict(list)
    for row in rows:
        groups[row["data_set"], row["setting"]].append(row)
    return {key: lambda column, g=group: [float(r[column]) for r in g] for key, group in groups.items()}


def _evaluations(rows):
    head = ["data set", "penalties", "at", "level", "features", "ms", "ns per entry", "limit, ns", "share of the limit"]
    columns = ["ms", "ns_per_entry", "limit_ns", "share"]
    named = ("data_set", "setting", "point", "level", "features")
    return _markdown(head, [[*(r[c] for c in named), *(float(r[c]) for c in columns)] for r in rows])


def _fits(rows):
    head = ["data set", "penalties", "seconds", "evaluations"]
    head += ["published path: evaluations"]
    head += ["our objective - published path's: min", "median", "max", "features - published path's: min", "max"]
    head += ["held-out log-loss - published path's: mean", "standard error"]
    body = []
    for key, get in _grouped(rows).items():
        difference = get("difference")
        features = [int(a - b) for a, b in zip(get("features"), get("published_path_features"), strict=True)]
        evaluations = [round(median(get(c))) for c in ("evaluations", "published_path_evaluations")]
        changes = [f"{f(difference):.1e}" for f in (min, median, max)]
        losses = [a - b for a, b in zip(get("log_loss"), get("published_path_log_loss"), strict=True)]
        error = stdev(losses) / len(losses) ** 0.5
        effect = [f"{fmean(losses):.1e}", f"{error:.1e}"]
        body.append([*key, median(get("seconds")), *evaluations, *changes, min(features), max(features), *effect])
    return _markdown(head, body)


def _published(rows):
    head = ["data set", "penalties", "seeds", "CPU s", "with AVX2", "published, CPU s", "times faster", "with AVX2"]
    head += ["log-loss", "published, log-loss", "features", "published, features"]
    body = []
    for key, get in _grouped(rows).items():
        seconds, avx2, published = (median(get(c)) for c in ("seconds", "avx2_seconds", "published_seconds"))
        medians = [median(get(c)) for c in ("log_loss", "published_log_loss", "features", "published_features")]
        ratios = [f"{published / ours:.0f}" for ours in (seconds, avx2)]
        body.append([*key, len(get("seed")), seconds, avx2, published, *ratios, *medians])
    return _markdown(head, body)


def _published_small(rows):
    head = ["data set", "rows", "CPU ms", "with AVX2", "published, CPU ms", "times faster"]
    columns = ("seconds", "avx2_seconds", "published_seconds")
    return _markdown(
        head,
        [
            [r["data_set"], r["rows"], *(1e3 * float(r[c]) for c in columns), f"{float(r['times_faster']):.0f}"]
            for r in rows
        ],
    )


def _threads(rows):
    head = ["rows", "iterations", "threads", "seconds", "CPU s", "times faster than one"]
    columns = ("seconds", "cpu_seconds", "times_faster")
    return _markdown(head, [[r["rows"], r["max_iter"], r["threads"], *(float(r[c]) for c in columns)] for r in rows])


def _test_loss(rows):
    head = [
        "case",
        "replicates",
        "objective - published path's",
        "test log-loss - published path's",
        "95 % interval: +-",
    ]
    head += ["replicates in which ours is worse"]
    numbers = [{**row, **{column: float(row[column]) for column in test_loss.COLUMNS[3:]}} for row in rows]
    return _markdown(head, [list(case.values()) for case in test_loss.summary(numbers)])


def _same_parameters(rows):
    head = ["experiment", "scores", "published score in the prediction interval", "mean within the tolerance"]
    head += ["not within it: published, ours +- deviation"]
    body = []
    for experiment in dict.fromkeys(row["experiment"] for row in rows):
        mine = [row for row in rows if row["experiment"] == experiment]
        outside = [
            f"{row['data_set']} {row['variant']} {row['score']}: {float(row['published']):.2f}, "
            f"{float(row['mean']):.3f} +- {float(row['deviation']):.3f}".replace("  ", " ")
            for row in mine
            if row["within"] != "True"
        ]
        inside = sum(row["in_interval"] == "True" for row in mine)
        body.append([experiment, len(mine), inside, len(mine) - len(outside), "; ".join(outside)])
    return _markdown(head, body)


def _e1_on_cancer(rows):
    head = ["implementation", "features", "fits", "log-loss: mean", "balanced accuracy: mean", "prototypes: mean"]
    groups = defaultdict(list)
    for row in rows:
        groups[row["implementation"], row["features"]].append(row)
    columns = ("log_loss", "balanced_accuracy", "prototypes")
    return _markdown(
        head, [[*key, len(g), *(fmean(float(r[c]) for r in g) for c in columns)] for key, g in sorted(groups.items())]
    )


def _trees(rows):
    head = ["case", "trees", *(f"{score}: published, ours +- deviation" for score in trees.SCORES)]
    body = []
    for row in rows:
        scores = [
            f"{float(row[f'{s}_published']):.2f}, {float(row[s]):.3f} +- {float(row[f'{s}_deviation']):.3f}"
            for s in trees.SCORES
        ]
        body.append([f"{row['experiment']} {row['data_set']}", row["trees"], *scores])
    return _markdown(head, body)


def _prediction(rows):
    head = ["data set", "penalties", "prototypes", "us per row", "one row alone, us", "KNN, us per row", "times faster"]
    columns = ["us_per_row", "us_one_row", "knn_us_per_row", "times_faster"]
    return _markdown(
        head, [[r["data_set"], r["setting"], r["prototypes"], *(float(r[c]) for c in columns)] for r in rows]
    )


def _startup(rows):
    return _markdown(["process", "CPU s"], [[r["what"], float(r["cpu_seconds"])] for r in rows])


def _growth(rows):
    head = ["axis", "value", "method", "fit, s", "prediction, us per row", "peak, MiB", "data, MiB"]
    columns = ["fit_seconds", "predict_us_per_row", "peak_mib", "data_mib"]
    return _markdown(head, [[r["axis"], r["value"], r["method"], *(float(r[c]) for c in columns)] for r in rows])


def _set_cover(rows):
    head = ["rows", "method", "seconds", "peak, MiB", "data, MiB", "prototypes", "objective"]
    columns = ["seconds", "peak_mib", "data_mib"]
    return _markdown(
        head,
        [
            [r["rows"], r["method"], *(float(r[c]) for c in columns), r["prototypes"], f"{float(r['objective']):.2f}"]
            for r in rows
        ],
    )


def _set_cover_gap(rows):
    head = ["data set", "radius: place in the grid", "samples", "greedy", "rounded", "bound", "greedy above the bound"]
    head += ["prototypes", "rounded: prototypes", "greedy, CPU s", "linear program, CPU s"]
    body = []
    for r in (r for r in rows if int(r["step"]) in SHOWN_STEPS):
        values = [float(r[c]) for c in ("greedy", "rounded", "bound")]
        above = f"{100 * (values[0] / values[2] - 1):.1f} %"
        seconds = [float(r[c]) for c in ("greedy_seconds", "lp_seconds")]
        sizes = [r["prototypes"], r["rounded_prototypes"]]
        body.append([r["data_set"], r["step"], r["samples"], *(f"{v:.2f}" for v in values), above, *sizes, *seconds])
    return _markdown(head, body)


def _dissimilarities(rows):
    columns = ["seconds", "nanoseconds_per_pair", "peak_mib", "data_mib"]
    cases = dict.fromkeys((r["metric"], r["items"]) for r in rows)
    medians = [
        [median(float(r[c]) for r in rows if (r["metric"], r["items"]) == case) for c in columns] for case in cases
    ]
    head = ["metric", "items", "CPU s", "ns per pair", "peak, MiB", "data, MiB"]
    return _markdown(head, [[*case, *numbers] for case, numbers in zip(cases, medians, strict=True)])


def _at_most(rows):
    replicates = len({row["replicate"] for row in rows})
    sizes, kinds = (list(dict.fromkeys(row[key] for row in rows)) for key in ("prototypes", "references"))
    found = defaultdict(list)
    for row in rows:
        for score in ("log_loss", "error"):
            found[row["data_set"], score, row["prototypes"], row["references"]].append(float(row[score]))

    def cell(*key):
        both = [found[(*key, kind)] for kind in kinds]
        return " / ".join(f"{fmean(values):.3f}" if len(values) == replicates else "-" for values in both)

    body = [[*case, *(cell(*case, size) for size in sizes)] for case in dict.fromkeys(key[:2] for key in found)]
    return _markdown(["data set", "score", *sorted(sizes, key=int)], body)


def _out_of_the_box(rows):
    groups: dict[tuple[str, str], list[dict]] = defaultdict(list)
    for row in rows:
        groups[row["table"], row["method"]].append(row)
    head = ["table", "method", "log-loss", "error", "CPU seconds, median", "prototypes, median"]
    body = []
    for (table, method), group in groups.items():
        sizes = [int(r["prototypes"]) for r in group if r["prototypes"]]
        means = [fmean(float(r[c]) for r in group) for c in ("log_loss", "error")]
        seconds = median(float(r["cpu_seconds"]) for r in group)
        body.append([table, method, *(f"{m:.4f}" for m in means), seconds, round(median(sizes)) if sizes else ""])
    return _markdown(head, body)


def _oracle(rows):
    tables = dict.fromkeys(row["table"] for row in rows)
    best = [min((r for r in rows if r["table"] == table), key=lambda r: float(r["log_loss"])) for table in tables]
    return _markdown(["table", "lambda_v", "lambda_w", "log-loss", "prototypes"], [list(r.values()) for r in best])


def _former(rows):
    groups: dict[str, list[float]] = defaultdict(list)
    for row in rows:
        groups[row["data_set"]].append(float(row["log_loss"]) - float(row["former_log_loss"]))
    body = [[name, f"{fmean(found):+.4f}", f"{stdev(found):.4f}"] for name, found in groups.items()]
    return _markdown(["data set", "log-loss - that of the former default", "standard deviation"], body)


def _noise(rows):
    groups: dict[str, list[float]] = defaultdict(list)
    for row in rows:
        groups[row["table"]].append(float(row["log_loss"]) - float(row["prior_log_loss"]))
    body = [[name, f"{fmean(found):+.4f}", f"{max(found):+.4f}"] for name, found in groups.items()]
    return _markdown(["table", "log-loss - that of the class proportions", "largest"], body)


def _of(rows, **key):
    return [row for row in rows if all(row[name] == value for name, value in key.items())]


def _few(rows):
    sizes = list(dict.fromkeys(r["size"] for r in rows if r["size"]))
    head = ["data set", *(f"{size}: log-loss / error" for size in sizes)]
    body = []
    for data_set in dict.fromkeys(r["data_set"] for r in rows):
        cells = [_of(rows, data_set=data_set, method="proset", size=size) for size in sizes]
        means = [[fmean(float(r[c]) for r in cell) for c in ("log_loss", "error")] for cell in cells]
        body.append([data_set, *(f"{loss:.3f} / {error:.3f}" for loss, error in means)])
    return _markdown(head, body)


def _few_default(rows):
    head = ["data set", "prototypes, all", "default", "ratio, median", "log-loss, all", "default", "given up"]
    body = []
    for data_set in dict.fromkeys(r["data_set"] for r in rows):
        every, default = (_of(rows, data_set=data_set, method=name) for name in ("all prototypes", "default"))
        numbers = [[int(r["prototypes"]) for r in group] for group in (every, default)]
        losses = [fmean(float(r["log_loss"]) for r in group) for group in (every, default)]
        ratio = median(b / a for a, b in zip(*numbers, strict=True))
        sizes = [round(median(group)) for group in numbers]
        body.append([data_set, *sizes, f"{ratio:.3f}", *(f"{v:.3f}" for v in losses), f"{losses[1] - losses[0]:+.4f}"])
    medians = [f"{median(float(row[i]) for row in body):{form}}" for i, form in ((3, ".3f"), (6, "+.4f"))]
    return _markdown(head, [*body, ["median", "", "", medians[0], "", "", medians[1]]])


def _few_pairs(rows):
    head = ["data set", "prototypes", "proset's error", "best rival", "its error", "proset's is"]
    found = few_prototypes.pairs([{**row, "size": row["size"] and int(row["size"])} for row in rows])
    body = [
        [r["data_set"], r["size"], f"{r['error']:.4f}", r["rival"], f"{r['rival_error']:.4f}", r["verdict"]]
        for r in found
    ]
    share = fmean(r["verdict"] != "higher" for r in found)
    return _markdown(head, [*body, ["all", "", "", "", "", f"not higher in {100 * share:.0f} %"]])


def _few_explained(rows):
    head = ["data set", "all prototypes: median, 90 % quantile", "default: median, 90 % quantile"]
    body = []
    for data_set in dict.fromkeys(r["data_set"] for r in rows):
        groups = [_of(rows, data_set=data_set, method=name) for name in ("all prototypes", "default")]
        pairs = [[median(float(r[c]) for r in group) for c in ("median", "quantile_90")] for group in groups]
        body.append([data_set, *(f"{low:.0f}, {high:.0f}" for low, high in pairs)])
    return _markdown(head, body)


def _few_cost(rows):
    head = ["data set", "all prototypes, CPU s", "default, CPU s", "path / that fit", "path / fit at its penalties"]
    body = []
    for data_set in dict.fromkeys(r["data_set"] for r in rows):
        names = ("all prototypes", "default", "path", "fixed penalties")
        every, default, path, fixed = (
            median(float(r["cpu_seconds"]) for r in _of(rows, data_set=data_set, what=name)) for name in names
        )
        ratios = [f"{(path - fixed) / whole:.2f}" for whole in (every, fixed)]
        body.append([data_set, f"{every:.3f}", f"{default:.3f}", *ratios])
    return _markdown(head, body)


def _base_model(rows):
    found = base_model.summary(rows)
    body = [
        [f"{v:.4f}" if isinstance(v, float) and k not in ("prototypes", "cost") else v for k, v in r.items()]
        for r in found
    ]
    return _markdown(list(found[0]), body)


def _mixed(rows):
    """Mean log-loss by family and what is missing, with that of proset less that of one-hot columns."""
    methods = list(dict.fromkeys(row["method"] for row in rows))
    body = []
    for missing in dict.fromkeys(row["missing"] for row in rows):
        families = list(dict.fromkeys(row["family"] for row in rows))
        for family in [*families, "mean"]:
            means = []
            for method in methods:
                of = (
                    _of(rows, missing=missing, method=method)
                    if family == "mean"
                    else _of(rows, missing=missing, method=method, family=family)
                )
                means.append(fmean(float(row["log_loss"]) for row in of) if of else None)
            body.append([missing, family, *("" if value is None else f"{value:.4f}" for value in means)])
    return _markdown(["missing", "family", *methods], body)


def _mixed_cost(rows):
    body = []
    for informative in dict.fromkeys(row["informative"] for row in rows):
        for what in dict.fromkeys(row["what"] for row in rows):
            of = {
                name: _of(rows, informative=informative, what=what, of=name)
                for name in dict.fromkeys(r["of"] for r in rows)
            }
            body.append([informative, what, *(median(float(row["seconds"]) for row in found) for found in of.values())])
    return _markdown(["informative of each", "table", *dict.fromkeys(row["of"] for row in rows)], body)


def _missing(rows):
    variants = list(dict.fromkeys(row["variant"] for row in rows))
    cases = dict.fromkeys((row["family"], row["missing"]) for row in rows)
    body = []
    for variant in variants:
        means = [fmean(float(r["log_loss"]) for r in _of(rows, family=f, missing=m, variant=variant)) for f, m in cases]
        body.append([variant, f"{fmean(means):.4f}", *(f"{value:.3f}" for value in means)])
    return _markdown(["distance to a missing number", "mean", *(f"{f}, {m}" for f, m in cases)], body)


LENGTHS = [f"{end}{name}" for end in ("", "long_") for name in ("cross_validated", "test", "fit_cpu_s")]


def _search_length(rows):
    body = []
    for half, method in dict.fromkeys((row["half"], row["method"]) for row in rows):
        of_it = _of(rows, half=half, method=method)
        means = {name: fmean(float(row[name]) for row in of_it) for name in LENGTHS}
        gains = (means[name] - means[f"long_{name}"] for name in ("cross_validated", "test"))
        body.append([half, method, str(len(of_it)), of_it[0]["trials"], *(f"{gain:.4f}" for gain in gains)])
        body[-1] += [f"{means[name]:.1f}" for name in ("fit_cpu_s", "long_fit_cpu_s")]
    gained = ["gain in cross-validation", "gain on the test part"]
    return _markdown(["half", "method", "data sets", "trials", *gained, "CPU s", "CPU s, four times as long"], body)


def _labels(rows):
    names, rankings = (list(dict.fromkeys(row[key] for row in rows)) for key in ("data_set", "ranking"))
    body = []
    for ranking in rankings:
        means = [
            fmean(float(row["average_precision"]) for row in _of(rows, ranking=ranking, data_set=name))
            for name in names
        ]
        body.append([ranking, *(f"{mean:.3f}" for mean in means), f"{fmean(means):.3f}"])
    return _markdown(["ranking", *names, "mean"], body)


def _as_they_are(rows):
    return _markdown(list(rows[0]), [list(row.values()) for row in rows])


_SECTIONS = [
    ("Noisy tables out of the box, ten splits", "out_of_the_box", _out_of_the_box),
    ("The same, best penalties of a grid chosen on the test part", "out_of_the_box_oracle", _oracle),
    ("Defaults on the study's data against the former ones, ten replicates", "out_of_the_box_study", _former),
    ("Defaults on permuted classes", "out_of_the_box_noise", _noise),
    ("Cost of a fit without arguments", "out_of_the_box_cost", _as_they_are),
    ("Few prototypes on the study's data, test parts, ten replicates", "few_prototypes", _few),
    ("The default against the model with all prototypes", "few_prototypes", _few_default),
    ("Few prototypes against the best rival of each size", "few_prototypes", _few_pairs),
    ("Prototypes that have 95 % of the contributions to a prediction", "few_prototypes_explained", _few_explained),
    ("Cost of the path of sizes", "few_prototypes_cost", _few_cost),
    ("Models of digits as files, and one prediction", "few_prototypes_export", _as_they_are),
    ("Prototypes on top of other models, noisy tables, ten splits", "base_model", _base_model),
    ("Prototypes on top of other models, the study's data, five replicates", "base_model_study", _base_model),
    ("Generated tables with categories and missing values, ten splits", "mixed_tables", _mixed),
    ("A slow rival on the same tables, one split", "mixed_tables_slow", _mixed),
    ("CPU seconds, medians: 10 numbers and 10 categories of 12 levels, 2,000 rows", "mixed_tables_cost", _mixed_cost),
    ("Distances to a missing number, development data, two replicates", "missing_distances", _missing),
    ("Searches four times as long, tables of the battery, one replicate", "search_length", _search_length),
    ("Attributions: milliseconds a sample, and shap's KernelExplainer beside them", "attributions", _as_they_are),
    ("Counterfactuals of test samples", "counterfactuals", _as_they_are),
    ("CPU seconds of a fit, and of all refits without one row", "rows_on_trial", _as_they_are),
    ("Planted label errors, a tenth of the rows: average precision, means of ten draws", "label_errors", _labels),
    ("One evaluation of objective and gradient", "evaluations", _evaluations),
    ("One fit, same candidates: ours and the published solver", "fits", _fits),
    ("Test log-loss of both solvers", "test_loss", _test_loss),
    ("Published parameters on the published random split", "same_parameters", _same_parameters),
    ("E1 on cancer with the published parameters", "e1_on_cancer", _e1_on_cancer),
    ("XGBoost with the published parameters on the published random split", "trees", _trees),
    ("One fit: ours and proset 0.6.1, medians over seeds", "published", _published),
    ("Small data, default penalties, warm fits: ours and proset 0.6.1", "published_small", _published_small),
    ("Threads", "threads", _threads),
    ("One prediction, KNN with 10 neighbours beside it", "prediction", _prediction),
    ("Start of a process", "startup", _startup),
    ("The report of many data sets, made-up records of 15 methods", "many_data_sets", _as_they_are),
    ("Growth", "growth", _growth),
    ("Set cover: greedy on packed balls, and on the matrix of distances", "set_cover", _set_cover),
    ("Set cover: greedy, rounding and bound on the training parts of the study", "set_cover_gap", _set_cover_gap),
    (
        "Dissimilarities of images of 16 x 16 and of sequences of 400 letters, medians",
        "dissimilarities",
        _dissimilarities,
    ),
    ("Least loss in cross-validation with at most so many prototypes, split / leave-one-out", "at_most", _at_most),
]
