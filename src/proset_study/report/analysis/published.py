"""Every published number next to ours, with a verdict where a tolerance makes sense."""

from itertools import permutations
from pathlib import Path
from statistics import fmean, stdev

from proset_study.store.results import read_rows, write_rows
from proset_study.store.stored import Stored

KEY = ("experiment", "method", "dataset", "variant", "section", "quantity")
COLUMNS = (
    *(*KEY, "published", "ours", "difference", "within", "allowed_low", "allowed_high"),
    *("replicates", "mean", "standard_deviation", "chance", "repeated"),
)
MIN_REPLICATES = 5
LOSSES = ("log_loss", "optimal_log_loss", "selected_log_loss", "threshold")
TOLERANCE_NOTE = (
    "Numbers are compared as printed, with two decimals. Log-losses and thresholds agree within the larger of 0.03"
    " and the published standard deviation over the folds, there called standard error (threshold minus optimal"
    " log-loss of the same stage; for test scores, of the last stage); ROC-AUC within 0.02; balanced accuracy within"
    " 0.04; active features within the larger of 2 and a fifth of the published number; prototypes within a factor of"
    " 2; sizes of the data exactly, candidates within 2 %. Chosen parameters are shown and not judged: they follow the"
    " random draws of a search."
)


def agreement(stored: Stored, published: Path) -> list[dict]:
    """All published cells with ours.

    Parameters
    ----------
    stored : Stored
    published : Path
        CSV file of the published numbers.

    Returns
    -------
    list of dict
        With `COLUMNS` as keys, in the published order. "ours" is the first replicate; "within" is "yes", "no",
        "" where no tolerance is stated, or "missing" where we have no number. From two replicates on: "mean",
        "standard_deviation", "chance" ("yes" if the published number is one that another replicate of ours could have:
        inside the 95 % prediction interval), and "repeated", the proportion of pairs of replicates that agree with each
        other within the tolerance of the published number. "chance" needs `MIN_REPLICATES`.
    """
    known = read_rows(published)
    theirs = {tuple(row[k] for k in KEY): row["value"] for row in known}
    ours: dict[tuple, dict[int, float]] = {}
    for row in stored.rows:
        if row["value"] is not None:
            ours.setdefault(tuple(row[k] for k in KEY), {})[int(row["replicate"])] = row["value"]
    return [_cell(key, value, ours.get(key, {}), theirs, stored.replicates[0]) for key, value in theirs.items()]


def write_agreement(path: Path, stored: Stored, published: Path) -> None:
    """Write `agreement` as CSV."""
    write_rows(path, agreement(stored, published), COLUMNS)


def summary(cells: list[dict]) -> list[dict]:
    """Proportion of test scores (log-loss, ROC-AUC, balanced accuracy) within tolerance, by experiment and in all.

    Returns
    -------
    list of dict
        "experiment" ("all" in the last one), "within", "compared", "missing"; "repeated" is the proportion of scores
        within the tolerance that our replicates reach among each other, None without replicates: an exact reproduction
        of the published study can be expected to reach as much. "chance" counts the scores outside the tolerance that
        are inside the prediction interval, "unexplained" those that are not.
    """
    scores = [c for c in cells if is_test_score(c)]
    groups = {e: [c for c in scores if c["experiment"] == e] for e in dict.fromkeys(c["experiment"] for c in scores)}
    return [
        {
            "experiment": name,
            "within": sum(c["within"] == "yes" for c in group),
            "compared": sum(c["within"] in ("yes", "no") for c in group),
            "missing": sum(c["within"] == "missing" for c in group),
            "repeated": fmean(repeated)
            if (repeated := [c["repeated"] for c in group if c["repeated"] is not None])
            else None,
            "chance": sum((c["within"], c["chance"]) == ("no", "yes") for c in group),
            "unexplained": sum((c["within"], c["chance"]) == ("no", "no") for c in group),
        }
        for name, group in {**groups, "all": scores}.items()
    ]


def _cell(key, published, ours, theirs, first):
    cell = {**dict.fromkeys(COLUMNS), **dict(zip(KEY, key, strict=True)), "published": published, "within": ""}
    cell |= _over_replicates(list(ours.values()))
    if published is None:  # printed as n/a
        return cell
    if first not in ours:
        return cell | {"within": "missing"}
    cell |= {"ours": ours[first], "difference": ours[first] - published}
    allowed = allowed_range(key, published, theirs)
    if allowed is not None:
        low, high = allowed
        cell |= {"allowed_low": low, "allowed_high": high, "within": "yes" if within(ours[first], allowed) else "no"}
    return cell | _against_replicates(published, list(ours.values()), allowed)


def _over_replicates(values):
    found: dict[str, float] = {"replicates": len(values)}
    if len(values) > 1:
        found |= {"mean": fmean(values), "standard_deviation": stdev(values)}
    return found


def _against_replicates(published, values, allowed):
    if len(values) < 2:
        return {}
    found: dict[str, str | float] = {}
    if len(values) >= MIN_REPLICATES:  # with fewer the interval holds nearly everything
        found["chance"] = "yes" if could_be_another(published, values) else "no"
    if allowed is not None:
        low, high = allowed[0] - published, allowed[1] - published
        pairs = [low - 1e-9 <= round(a, 2) - round(b, 2) <= high + 1e-9 for a, b in permutations(values, 2)]
        found["repeated"] = fmean(pairs)
    return found


def allowed_range(
    key: tuple[str, ...], published: float, theirs: dict[tuple[str, ...], float | None]
) -> tuple[float, float] | None:
    """Smallest and largest number that agree with a published one, None if no tolerance is stated.

    Parameters
    ----------
    key : tuple of str
        Of the cell, in the order of `KEY`.
    published : float
    theirs : dict
        All published numbers by key.
    """
    *case, section, quantity = key
    if quantity in LOSSES:
        tolerance = max(0.03, _fold_deviation(case, section, theirs))
    elif section == "data":
        tolerance = 0.02 * published if quantity == "candidates" else 0.0
    elif quantity == "prototypes":
        return published / 2, 2 * published
    else:
        tolerances = {"roc_auc": 0.02, "balanced_accuracy": 0.04, "active_features": max(2.0, published / 5)}
        if quantity not in tolerances:
            return None
        tolerance = tolerances[quantity]
    return published - tolerance, published + tolerance


def prediction_half_width(deviation: float, n: int) -> float:
    """Half of the 95 % interval around the mean of n values, of that standard deviation, for one value more."""
    from scipy.stats import t

    return float(t.ppf(0.975, n - 1)) * deviation * float((1 + 1 / n) ** 0.5)


def could_be_another(published: float, values: list[float]) -> bool:
    """Whether a number that is printed with two decimals is in the 95 % prediction interval of our values."""
    return abs(published - fmean(values)) <= prediction_half_width(stdev(values), len(values)) + 0.005


def within(value: float, allowed: tuple[float, float]) -> bool:
    """Whether a number of ours, printed with two decimals, is in an `allowed_range`."""
    low, high = allowed
    return low - 1e-9 <= round(value, 2) <= high + 1e-9


def is_test_score(cell: dict) -> bool:
    """Whether a cell is log-loss, ROC-AUC or balanced accuracy of a final model."""
    return cell["section"] == "final" and cell["quantity"] not in ("active_features", "prototypes")


def _fold_deviation(case, section, theirs):
    for stage in ("stage2", "cv") if section == "final" else (section,):
        threshold, optimal = (theirs.get((*case, stage, q)) for q in ("threshold", "optimal_log_loss"))
        if threshold is not None and optimal is not None:
            return threshold - optimal
    return 0.0
