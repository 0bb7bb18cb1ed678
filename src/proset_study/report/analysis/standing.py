"""Where one more method stands among those of a finished study, whose results are taken as they are.

The method is searched, fitted and scored on the data sets, splits and folds of the study, drawn again from its seed, so
that it is paired with every other method; nothing of theirs is fitted.
"""

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from statistics import fmean

from proset_study import methods
from proset_study.base.records import read_json, write_text
from proset_study.methods.labels import method_name
from proset_study.report.analysis.paired import LEVEL, VERDICTS, mean_difference
from proset_study.store.metrics import LOSSES, OF_ALL
from proset_study.store.results import FINAL, Row, by_fit_seed, read_rows, write_rows
from proset_study.study import layout
from proset_study.study.config.checks import ConfigError, load
from proset_study.study.config.study import Study

KEPT = ("seed", "replicates", "folds", "test_fraction", "fit_seeds", "track")
COLUMNS = (
    *("dataset", "rival", "rival_method", "method", "replicates"),
    *("score", "loss", "rival_loss", "difference", "low", "high", "verdict"),
    *("error", "rival_error", "prototypes", "rival_prototypes", "active_features", "rival_active_features"),
)
SIZES = ("prototypes", "active_features")
BESIDES = ("balanced_accuracy", *SIZES)
NOT_SEARCHED = (
    "No experiment of the config has the method: its parameters are the defaults, next to those of rivals that were\n"
    "searched; docs/custom-method.md says how to search them."
)


def standing_study(method: str, records: Path, experiments: dict) -> Study:
    """The study of one method on everything that a report has.

    Parameters
    ----------
    method : str
        Name of its module in `proset_study.methods`.
    records : Path
        The report: its manifest has the config, results.csv.xz the scores.
    experiments : dict
        Those of a config, of which the first with the method says how it is searched. Without one its parameters have
        their defaults, and its path ends at the smallest size.

    Raises
    ------
    ConfigError
        If there is no such report or method, or if the method cannot be run as the config says.
    """
    if method not in methods.METHODS:
        raise ConfigError(f"method: {method!r} is not allowed, allowed are {', '.join(methods.METHODS)}")
    if not (records / layout.MANIFEST).is_file() or not (records / layout.ALL_SCORES).is_file():
        raise ConfigError(f"records: {str(records)!r} has no {layout.MANIFEST} and {layout.ALL_SCORES}, a report has")
    study = Study.of(read_json(records / layout.MANIFEST)["config"])
    complexity = max(1, methods.get(method).min_complexity)
    settings = {"title": method_name(method), "method": method, "stage2": {"complexity": complexity}}
    settings = next((entry for entry in experiments.values() if entry["method"] == method), settings)
    settings = {key: value for key, value in settings.items() if key != "vary"}
    data_sets = study.data_sets
    return load(
        {
            **{key: study.config[key] for key in KEPT if key in study.config},
            "study": f"standing_{method}",
            "replicates": study.replicates,
            "data_sets": {name: study.config["data_sets"][name] for name in data_sets},
            "experiments": {method: {**settings, "data_sets": data_sets}},
        }
    )


def check_data(results: Path, name: str, records: Path) -> None:
    """Whether a data set that was drawn again is that of a report, without which scores are not paired.

    Parameters
    ----------
    results : Path
        Folder of the results.
    name : str
        Of the file in it, see `layout.DATA`.
    records : Path
        The report.

    Raises
    ------
    ValueError
        If it is another one.
    """
    from proset_study.report.analysis.manifest import content_hash

    known = read_json(records / layout.MANIFEST)["data_sha256"].get(name)
    if known is not None and (found := content_hash(results / name)) != known:
        raise ValueError(
            f"{name}: the data drawn here have the SHA-256 {found[:12]}, those of {records} {known[:12]}: scores would"
            " not be paired; another version of a library may draw other data, the report's are in its manifest.json"
        )


def differences(study: Study, rows: Iterable[Row], records: Path) -> list[dict]:
    """The method against every experiment of the records, data set by data set; rows with `COLUMNS`.

    "score" is the log-loss if the method predicts probabilities, with the rivals that do, else the balanced error with
    all rivals. Scores are means over the replicates that both have, of the means over fit seeds; "difference" is the
    test score of the method minus the rival's, with the ends of a `LEVEL` interval (see `report.paired`). "verdict" is
    "ahead" or "behind" if the interval lies on one side of 0, else "not decided". With one replicate there is no
    interval.

    Raises
    ------
    ValueError
        If the records have no replicate of any data set to compare with.
    """
    ours = {dataset: scores for (dataset, _), scores in _scores(rows).items()}
    theirs, found = _scores(read_rows(records / layout.ALL_SCORES, Row)), []
    (run,) = study.runs.values()
    score = "log-loss" if methods.get(run.method).probabilistic else OF_ALL
    quantity, loss = LOSSES[score].quantity, LOSSES[score].as_loss
    for (dataset, rival), other in theirs.items():
        mine = ours.get(dataset, {quantity: {}})
        shared = sorted(mine[quantity].keys() & other[quantity].keys())
        if not shared or (score != OF_ALL and not _is_probabilistic(other["method"])):
            continue
        values = [loss(mine[quantity][r]) - loss(other[quantity][r]) for r in shared]
        row = {"dataset": dataset, "rival": rival, "rival_method": other["method"], "method": mine["method"]}
        row |= {"replicates": len(shared), "score": score, "difference": fmean(values)}
        for whose, scores in (("", mine), ("rival_", other)):
            mean = {key: fmean(scores[key][r] for r in shared) for key in {quantity, *BESIDES} if scores[key]}
            row |= {f"{whose}loss": loss(mean[quantity]), f"{whose}error": 1 - mean["balanced_accuracy"]}
            row |= {f"{whose}{key}": mean.get(key) for key in SIZES}
        if len(shared) > 1:
            generated = "generator" in study.config["data_sets"][dataset]
            overlap = 0.0 if generated else mine["test_samples"][shared[0]] / mine["train_samples"][shared[0]]
            paired = mean_difference(values, overlap)
            row["low"], row["high"] = paired.interval(LEVEL)
            row["verdict"] = paired.side(LEVEL, VERDICTS)
        found.append({column: row.get(column) for column in COLUMNS})
    if not found:
        raise ValueError(f"{records}: no experiment has a {score} on a replicate of {', '.join(study.data_sets)}")
    return found


def _is_probabilistic(method: str) -> bool:
    """Of a method that is not in this checkout nothing else is known."""
    return method not in methods.METHODS or methods.get(method).probabilistic


def _scores(rows: Iterable[Row]) -> dict[tuple[str, str], dict]:
    """By data set and experiment: the "method", and quantities by replicate; without runs that vary a parameter."""
    wanted = ("log_loss", *BESIDES, "test_samples", "train_samples")
    found: dict = defaultdict(lambda: defaultdict(dict))
    rows = [r for r in rows if r.quantity in wanted and r.section in ("data", FINAL) and not r.variant]
    for row, values in by_fit_seed(rows):
        scores = found[row.dataset, row.experiment]
        scores["method"] = row.method
        scores[row.quantity][row.replicate] = fmean(values)
    return found


def write_standing(folder: Path, study: Study, rows: list[Row], records: Path) -> None:
    """Write differences.csv and standing.md, which says it in words and tables."""
    found = differences(study, rows, records)
    (run,) = study.runs.values()
    write_rows(folder / "differences.csv", found, COLUMNS)
    write_text(folder / "standing.md", in_words(found, records, searched="stage1" in run.settings))


def in_words(found: list[dict], records: Path, searched: bool) -> str:
    """Ranks on each data set, its place by error and size, then the differences to each rival, as Markdown.

    Parameters
    ----------
    found : list of dict
        Of `differences`.
    records : Path
        The report.
    searched : bool
        Whether parameters of the method were searched.
    """
    method, score = found[0]["method"], found[0]["score"]
    lines = [f"# {method} among the methods of {records}", ""]
    lines += [
        f"Test {score}, means over the replicates that both have, and differences with {LEVEL:.0%} intervals, which",
        "are not corrected for their number. Rivals are experiments of the records, which were not fitted again; a",
        "method has the rank of its best one. The best rival was chosen by these very scores, which favours it.",
        *([] if searched else [NOT_SEARCHED]),
        "",
        "The last columns count the other methods whose balanced error is no larger with no more prototypes, or",
        "features, and one of both smaller, of those that have such a number.",
        "",
    ]
    titles = ["data set", "rank", score, "best rival", f"its {score}", "difference", "replicates"]
    lines += _heading(
        [*titles, "balanced error", *map(_title, SIZES), *(f"better in error and {_title(k)}" for k in SIZES)]
    )
    ranks = []
    for dataset in dict.fromkeys(row["dataset"] for row in found):
        rivals = [row for row in found if row["dataset"] == dataset]
        better = {row["rival_method"] for row in rivals if row["rival_loss"] < row["loss"]} - {method}
        ranks.append(1 + len(better))
        best = min(rivals, key=lambda row: row["rival_loss"])
        n_methods = len({method, *(row["rival_method"] for row in rivals)})
        cells = [dataset, f"{ranks[-1]} of {n_methods}", _number(best["loss"], 3), _label(best)]
        cells += [_number(best["rival_loss"], 3), _difference(best), best["replicates"], _number(best["error"], 3)]
        lines.append(_line([*cells, *(_number(best[key]) for key in SIZES), *(_dominating(rivals, k) for k in SIZES)]))
    lines += ["", f"Mean rank {fmean(ranks):.1f} over {len(ranks)} data sets.", ""]
    lines += [f"Over data sets, with the {LEVEL:.0%} interval of the mean difference, data sets as units:", ""]
    titles = ["rival", "data sets", *VERDICTS, "mean difference", "balanced error, ours : theirs", *map(_title, SIZES)]
    lines += _heading(titles)
    for rival in dict.fromkeys(row["rival"] for row in found):
        rows = [row for row in found if row["rival"] == rival]
        counts = [sum(row["verdict"] == verdict for row in rows) for verdict in VERDICTS]
        pairs = [
            f"{_mean(rows, key, digits)} : {_mean(rows, f'rival_{key}', digits)}"
            for key, digits in (("error", 3), *((key, 1) for key in SIZES))
        ]
        lines.append(_line([_label(rows[0]), len(rows), *counts, _over_data_sets(rows), *pairs]))
    return "\n".join(lines) + "\n"


def _title(key):
    return key.replace("active_", "")


def _dominating(rivals, key):
    """How many other methods are at least as good in error and size, and better in one of them."""
    found: dict[str, bool] = {}
    for row in rivals:
        if row["rival_method"] == row["method"] or row[key] is None or row[f"rival_{key}"] is None:
            continue
        ours, theirs = (row["error"], row[key]), (row["rival_error"], row[f"rival_{key}"])
        dominates = theirs != ours and all(their <= our for their, our in zip(theirs, ours, strict=True))
        found[row["rival_method"]] = found.get(row["rival_method"], False) or dominates
    return f"{sum(found.values())} of {len(found)}" if found else ""


def _over_data_sets(rows):
    values = [row["difference"] for row in rows]
    low, high = mean_difference(values).interval(LEVEL) if len(values) > 1 else (None, None)
    return _difference({"difference": fmean(values), "low": low, "high": high})


def _heading(titles):
    return [_line(titles), _line(["---", *(["---:"] * (len(titles) - 1))])]


def _line(cells):
    return f"| {' | '.join(map(str, cells))} |"


def _label(row):
    return row["rival"] if row["rival"] == row["rival_method"] else f"{row['rival']} ({row['rival_method']})"


def _difference(row):
    interval = "" if row["low"] is None else f" [{row['low']:+.3f}, {row['high']:+.3f}]"
    return f"{row['difference']:+.3f}{interval}"


def _number(value, digits=1):
    return "" if value is None else f"{value:.{digits}f}"


def _mean(rows, key, digits):
    values = [row[key] for row in rows if row[key] is not None]
    return _number(fmean(values) if values else None, digits)
