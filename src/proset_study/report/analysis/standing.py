"""Where one more method stands among those of a finished study, whose results are taken as they are.

The method is searched, fitted and scored on the data sets, splits and folds of the study, drawn again from its seed, so
that it is paired with every other method; nothing of theirs is fitted. `release.elsewhere` takes the predictions of a
method that exists elsewhere.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from proset_study import methods
from proset_study.base.records import content_hash, write_text
from proset_study.methods.labels import method_name
from proset_study.report.analysis.battery import over_sources
from proset_study.report.analysis.losses import overlap_of
from proset_study.report.analysis.manifest import read_manifest
from proset_study.report.analysis.over_data_sets import origin_of
from proset_study.report.analysis.paired import LEVEL, VERDICTS, mean_over_replicates
from proset_study.report.analysis.statistics import STORED_DECIMALS
from proset_study.report.rows import groups
from proset_study.report.wording import table_line
from proset_study.store.metrics import LOSSES, OF_ALL
from proset_study.store.results import FINAL, Row, by_fit_seed, read_rows, write_rows
from proset_study.study import layout
from proset_study.study.config.checks import ConfigError, load
from proset_study.study.config.study import Study

KEPT = ("seed", "replicates", "folds", "test_fraction", "fit_seeds", "track", "metrics")
SIZES = ("prototypes", "active_features")
BESIDES = ("balanced_accuracy", *SIZES)
NOT_SEARCHED = (
    "No experiment of the config has the method: its parameters are the defaults, next to those of rivals that were\n"
    "searched; docs/custom-method.md says how to search them."
)
GIVEN = "Its predictions were given: they are scored here on test rows drawn again, and nothing of it was fitted."


@dataclass(frozen=True)
class Difference:
    """The method against one experiment of the records, its rival, on a data set: means over replicates of both."""

    dataset: str
    rival: str
    rival_method: str
    method: str
    replicates: int
    score: str  # the log-loss if the method predicts probabilities, else the balanced error
    loss: float
    rival_loss: float
    difference: float
    low: float | None  # ends of the interval, which one replicate does not have
    high: float | None
    verdict: str | None
    error: float
    rival_error: float
    prototypes: float | None
    rival_prototypes: float | None
    active_features: float | None
    rival_active_features: float | None

    @property
    def label(self) -> str:
        """The rival, with its method unless that has the same name."""
        return self.rival if self.rival == self.rival_method else f"{self.rival} ({self.rival_method})"

    def dominates(self, size: str) -> bool | None:
        """Whether the rival is no worse in error and size, and better in one of them; None without such a size."""
        ours, theirs = (self.error, getattr(self, size)), (self.rival_error, getattr(self, f"rival_{size}"))
        if None in ours or None in theirs:
            return None
        return theirs != ours and all(their <= our for their, our in zip(theirs, ours, strict=True))


def standing_study(method: str, records: Path, experiments: dict) -> Study:
    """The study of one method on everything that a report (`records`) has.

    The first of the experiments of a config that has the method says how it is searched. Without one its parameters
    have their defaults, and its path ends at the smallest size. A ConfigError says that there is no such report or
    method, or that the method cannot be run as the config says.
    """
    if method not in methods.METHODS:
        raise ConfigError(f"method: {method!r} is not allowed, allowed are {', '.join(methods.METHODS)}")
    if not (records / layout.MANIFEST).is_file() or not (records / layout.ALL_SCORES).is_file():
        raise ConfigError(f"records: {str(records)!r} has no {layout.MANIFEST} and {layout.ALL_SCORES}, a report has")
    study = Study.of(read_manifest(records)["config"])
    complexity = max(1, methods.get(method).min_complexity)
    settings: dict[str, Any] = {"title": method_name(method), "method": method, "stage2": {"complexity": complexity}}
    settings = next((entry for entry in experiments.values() if entry["method"] == method), settings)
    settings = {key: value for key, value in settings.items() if key != "vary"}
    if "overrides" in settings:  # of data sets of the config, which the report need not have
        settings["overrides"] = {d: change for d, change in settings["overrides"].items() if d in study.data_sets}
    return load(
        {
            **{key: study.config[key] for key in KEPT if key in study.config},
            "study": f"standing_{method}",
            "replicates": study.replicates,
            "data_sets": {name: study.config["data_sets"][name] for name in study.data_sets},
            "experiments": {method: {**settings, "data_sets": study.data_sets}},
        }
    )


def check_data(results: Path, name: str, records: Path) -> None:
    """Refuse (ValueError) a data set in `results` that is not that of the report: scores would not be paired."""
    known = read_manifest(records)["data_sha256"].get(name)
    if known is not None and (drawn := content_hash(results / name)) != known:
        raise ValueError(
            f"{name}: the data drawn here have the SHA-256 {drawn[:12]}, those of {records} {known[:12]}: scores would"
            " not be paired; another version of a library may draw other data, the report's are in its manifest.json"
        )


def differences(study: Study, rows: Iterable[Row], records: Path, probabilistic: bool) -> list[Difference]:
    """The method against every experiment of the records, data set by data set; ValueError if there is none.

    The score is the log-loss if the method predicts probabilities, with the rivals that do, else the balanced error
    with all rivals. Scores are means over the replicates that both have, of the means over fit seeds; intervals are
    `LEVEL` ones (see `report.analysis.paired`), and the verdict says on which side of 0 they lie.
    """
    ours = {dataset: scores for (dataset, _), scores in _scores(rows).items()}
    score = "log-loss" if probabilistic else OF_ALL
    quantity, loss = LOSSES[score].quantity, LOSSES[score].as_loss
    compared = []
    for (dataset, rival), theirs in _scores(read_rows(records / layout.ALL_SCORES, Row)).items():
        mine = ours.get(dataset, {quantity: {}})
        common = sorted(mine[quantity].keys() & theirs[quantity].keys())
        is_known = theirs["method"] in methods.METHODS  # else it is taken to predict probabilities
        if not common or (score != OF_ALL and is_known and not methods.get(theirs["method"]).probabilistic):
            continue
        numbers: dict[str, Any] = {}
        for side, scores in (("", mine), ("rival_", theirs)):
            mean = {key: fmean(scores[key][r] for r in common) for key in {quantity, *BESIDES} if scores[key]}
            numbers |= {f"{side}loss": loss(mean[quantity]), f"{side}error": 1 - mean["balanced_accuracy"]}
            numbers |= {f"{side}{key}": mean.get(key) for key in SIZES}
        values = [loss(mine[quantity][r]) - loss(theirs[quantity][r]) for r in common]
        overlap = overlap_of(study, dataset, mine["test_samples"][common[0]], mine["train_samples"][common[0]])
        paired = mean_over_replicates(values, overlap)
        numbers["low"], numbers["high"] = paired.interval(LEVEL) if paired else (None, None)
        numbers |= {"difference": fmean(values), "verdict": paired.side(LEVEL, VERDICTS) if paired else None}
        compared.append(Difference(dataset, rival, theirs["method"], mine["method"], len(common), score, **numbers))
    if not compared:
        raise ValueError(f"{records}: no experiment has a {score} on a replicate of {', '.join(study.data_sets)}")
    return compared


def _scores(rows: Iterable[Row]) -> dict[tuple[str, str], dict]:
    """The "method" of each data set and experiment, and quantities by replicate; no runs that vary a parameter."""
    wanted = ("log_loss", *BESIDES, "test_samples", "train_samples")
    by_case: dict = defaultdict(lambda: defaultdict(dict))
    rows = [r for r in rows if r.quantity in wanted and r.section in ("data", FINAL) and not r.variant]
    for row, values in by_fit_seed(rows):
        scores = by_case[row.dataset, row.experiment]
        scores["method"] = row.method
        scores[row.quantity][row.replicate] = round(fmean(values), STORED_DECIMALS)
    return by_case


def write_standing(folder: Path, study: Study, rows: list[Row], records: Path) -> None:
    """Write differences.csv and standing.md, which says it in words and tables."""
    (run,) = study.runs.values()
    remark = "" if "stage1" in run.settings else NOT_SEARCHED
    compared = differences(study, rows, records, methods.get(run.method).probabilistic)
    write_differences(folder, compared, records, remark)


def write_differences(folder: Path, compared: list[Difference], records: Path, remark: str) -> None:
    """Write the files of `write_standing`."""
    write_rows(folder / "differences.csv", compared, Difference)
    write_text(folder / "standing.md", in_words(compared, records, remark))


def in_words(compared: list[Difference], records: Path, remark: str = "") -> str:
    """Ranks on each data set, by error and size, then the differences to each rival, as Markdown.

    `remark` is said of the method, such as `NOT_SEARCHED`.
    """
    method, score = compared[0].method, compared[0].score
    lines = [
        f"# {method} among the methods of {records.name}",
        "",
        f"Test {score}, means over the replicates that both have, and differences with {LEVEL:.0%} intervals, which",
        "are not corrected for their number. Rivals are experiments of the records, which were not fitted again; a",
        "method has the rank of its best one. The best rival was chosen by these very scores, which favours it.",
        *([remark] if remark else []),
        "",
        "The last columns count the other methods whose balanced error is no larger with no more prototypes, or",
        "features, and one of both smaller, of those that have such a number.",
        "",
    ]
    sizes = [size.replace("active_", "") for size in SIZES]
    better = [f"better in error and {size}" for size in sizes]
    titles = ["data set", "rank", score, "best rival", f"its {score}", "difference", "replicates", "balanced error"]
    lines += _heading([*titles, *sizes, *better])
    ranks = []
    for dataset, rivals in groups(compared, "dataset").items():
        ahead = {row.rival_method for row in rivals if row.rival_loss < row.loss} - {method}
        ranks.append(1 + len(ahead))
        best = max(rivals, key=lambda row: row.difference)  # on the replicates that both have
        n_methods = len({method, *(row.rival_method for row in rivals)})
        cells = [dataset, f"{ranks[-1]} of {n_methods}", _number(best.loss, 3), best.label, _number(best.rival_loss, 3)]
        cells += [_signed(best.difference, best.low, best.high), best.replicates, _number(best.error, 3)]
        cells += [_number(getattr(best, size)) for size in SIZES]
        lines.append(table_line([*cells, *(_dominating(rivals, size) for size in SIZES)]))
    lines += ["", f"Mean rank {fmean(ranks):.1f} over {len(ranks)} data sets.", ""]
    origins = {d: origin_of(settings) for d, settings in read_manifest(records)["config"]["data_sets"].items()}
    units = "over sources of data sets, which are the units of intervals (over data sets with fewer than three sources)"
    lines += [f"Mean differences {units}:", ""]
    titles = ["rival", "data sets", *VERDICTS, "mean difference", "balanced error, ours : theirs", *sizes]
    lines += _heading(titles)
    for rows in groups(compared, "rival").values():
        counts = [sum(row.verdict == verdict for row in rows) for verdict in VERDICTS]
        pairs = [
            f"{_mean(rows, key, digits)} : {_mean(rows, f'rival_{key}', digits)}"
            for key, digits in (("error", 3), *((key, 1) for key in SIZES))
        ]
        values = np.array([row.difference for row in rows])
        mean = over_sources(values, np.array([origins[row.dataset] for row in rows]))
        difference = _signed(mean.value, *mean.interval(LEVEL)) if mean else _signed(values.mean(), None, None)
        lines.append(table_line([rows[0].label, len(rows), *counts, difference, *pairs]))
    return "\n".join(lines) + "\n"


def _dominating(rivals, size):
    """How many of the other methods with such a size dominate ours by one of their experiments."""
    known = [row for row in rivals if row.rival_method != row.method and row.dominates(size) is not None]
    dominating = {row.rival_method for row in known if row.dominates(size)}
    return f"{len(dominating)} of {len({row.rival_method for row in known})}" if known else ""


def _heading(titles):
    return [table_line(titles), table_line(["---", *(["---:"] * (len(titles) - 1))])]


def _signed(difference, low, high):
    return f"{difference:+.3f}" + ("" if low is None else f" [{low:+.3f}, {high:+.3f}]")


def _number(value, digits=1):
    return "" if value is None else f"{value:.{digits}f}"


def _mean(rows, key, digits):
    values = [value for row in rows if (value := getattr(row, key)) is not None]
    return _number(fmean(values) if values else None, digits)
