"""Response curves: how far methods are above the Bayes error as one property of generated data is varied.

The points of a curve are the data sets of one generator that differ from its defaults in one key at most. Their true
class probabilities are known: scores are expectations over the labels of the test points, which takes their noise
away, and what a method adds to the score of the Bayes rule is never below 0.
"""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from itertools import groupby
from statistics import fmean

import numpy as np
from scipy.special import entr, rel_entr

from proset.losses import SMALLEST, mean
from proset_study.data import generators
from proset_study.data.sources import random_numbers
from proset_study.methods import get
from proset_study.methods.labels import method_name
from proset_study.report.analysis.paired import MIN_REPLICATES, differences, mean_difference
from proset_study.report.analysis.runs import derived_from
from proset_study.report.analysis.statistics import ALPHA
from proset_study.report.wording import listed
from proset_study.store.stored import Final, Stored

SCORES = {"error": "error rate", "log_loss": "log-loss"}
COLUMNS = (
    *("replicate", "dataset", "experiment", "method"),
    *(f"{of}_{score}" for score in SCORES for of in ("bayes", "excess")),
)
_STATES = ("ahead of", "behind", "not significantly different from")


@dataclass(frozen=True)
class Curves:
    """The curves of one score: what the Bayes rule has, and what methods add to it."""

    score: str  # one of `SCORES`
    points: dict[str, dict[float, str]]  # data set by value, in rising order, by varied property
    bayes: dict[str, dict[int, float]]  # by data set and replicate
    excess: dict[tuple[str, str], dict[int, float]]  # by method and data set, and by replicate

    @property
    def methods(self) -> list[str]:
        """Methods in the order of the config."""
        return list(dict.fromkeys(method for method, _ in self.excess))


def points(study_data_sets: dict[str, dict]) -> dict[str, dict[float, str]]:
    """The data sets on each curve by value, in rising order, by the property that is varied, from the config's entries.

    Properties begin with `Generator.curves_of`, so that curves of several generators can be in one study.

    >>> baseline, fewer = {"generator": "clusters"}, {"generator": "clusters", "samples": 100}
    >>> points({"baseline": baseline, "fewer": fewer, "wine": {"sklearn": "wine"}})
    {'samples': {100: 'fewer', 1000: 'baseline'}}
    """
    found = {}
    for name in generators.GENERATORS:
        kind = generators.get(name)
        made = {d: kind.of(entry) for d, entry in study_data_sets.items() if entry.get("generator") == name}
        baseline = kind.defaults()
        for varied in kind.curves:
            on_curve = {
                getattr(generated, varied): d
                for d, generated in made.items()
                if all(getattr(generated, k) == baseline[k] for k in kind.curves if k != varied)
            }
            if len(on_curve) > 1:
                found[f"{kind.curves_of} {varied}".strip()] = dict(sorted(on_curve.items()))
    return found


def response_rows(stored: Stored) -> list[dict]:
    """What the Bayes rule has on the test points of each data set on a curve, and what each method adds to it.

    Keys are `COLUMNS`; of a method's experiments on a data set the first one counts.
    """
    config, rows = stored.study.config, []
    on_curves = {d for curve in _points(stored).values() for d in curve.values()}
    for replicate in stored.replicates:
        for data_set in (d for d in stored.study.data_sets if d in on_curves):
            finals: dict[str, Final] = {}
            for final in stored.finals(replicate, data_set):
                finals.setdefault(final.run.method, final)
            if not finals:
                continue
            truth = true_probabilities(config, data_set, replicate, next(iter(finals.values())).X_test)
            best = truth.max(axis=1)
            for method, final in finals.items():
                p = final.probabilities_of_fits
                chosen = truth[np.arange(len(truth)), p.argmax(axis=-1)]
                divergence = rel_entr(truth, np.clip(p, SMALLEST, 1 - SMALLEST)).sum(axis=-1)
                lost, entropy = best - chosen, entr(truth).sum(axis=1)
                scores = mean(1 - best), mean(lost.ravel()), mean(entropy), mean(divergence.ravel())
                names = (replicate, data_set, final.run.experiment, method)
                rows.append(dict(zip(COLUMNS, (*names, *scores), strict=True)))
    return rows


def true_probabilities(config: dict, data_set: str, replicate: int, X: np.ndarray) -> np.ndarray:
    """True class probabilities at points of a generated data set, shape (N, K)."""
    entry = config["data_sets"][data_set]
    generated = generators.get(entry["generator"]).of(entry)
    return generated.probabilities(X, random_numbers(config["seed"], data_set, replicate))


def response_curves(stored: Stored) -> list[Curves]:
    """The curves of both scores; empty if the config has none."""
    return curves_of(response_rows(stored), _points(stored))


def curves_of(rows: list[dict], on_curves: dict[str, dict[float, str]]) -> list[Curves]:
    """The curves of both scores from `response_rows` and `points`; log-loss only of methods with probabilities."""
    found = []
    for score in SCORES if rows else ():
        bayes: dict[str, dict[int, float]] = defaultdict(dict)
        excess: dict[tuple[str, str], dict[int, float]] = defaultdict(dict)
        for row in rows:
            if score == "error" or get(row["method"]).probabilistic:
                bayes[row["dataset"]][row["replicate"]] = row[f"bayes_{score}"]
                excess[row["method"], row["dataset"]][row["replicate"]] = row[f"excess_{score}"]
        found.append(Curves(score, on_curves, dict(bayes), dict(excess)))
    return found


def compared(curves: Curves, first: str) -> dict[str, dict[str, dict[float, str]]]:
    """Whether a method is ahead of the others on each curve: a state by value, by the other method, by varied property.

    Paired differences over the replicates, which are independent problems, decide at each value, by intervals that hold
    for all methods and values of a curve together (Bonferroni). Left out are values with fewer than `MIN_REPLICATES`,
    and methods that are at one of several values only.
    """
    found = {}
    for varied, on_curve in curves.points.items():
        paired = {}
        for other in (method for method in curves.methods if method != first):
            both = {v: [curves.excess.get((method, d), {}) for method in (first, other)] for v, d in on_curve.items()}
            by_value = {
                v: values for v, of_both in both.items() if len(values := differences(*of_both)) >= MIN_REPLICATES
            }
            if len(by_value) >= min(2, len(on_curve)):
                paired[other] = by_value
        level = 1 - ALPHA / max(1, sum(map(len, paired.values())))
        found[varied] = {
            other: {value: mean_difference(several).side(level, _STATES) for value, several in by_value.items()}
            for other, by_value in paired.items()
        }
    return found


def crossings(states: dict[str, dict[float, str]], on_curve: Collection[float]) -> str:
    """The states of one curve, as `compared` gives them, in words; `on_curve` are all its values, in order.

    >>> ahead, behind = "ahead of", "behind"
    >>> crossings({"knn": {0: behind, 4: ahead, 12: ahead}, "svm": {0: ahead, 4: ahead, 12: ahead}}, [0, 4, 12])
    'ahead of KNN from 4 on, SVM everywhere; behind KNN at 0'
    >>> crossings({"knn": {0: ahead, 4: ahead}}, [0, 4, 12])  # 12 was not compared
    'ahead of KNN up to 4'
    """
    clauses: dict[str, dict[str, list[str]]] = {state: defaultdict(list) for state in _STATES}
    first, *_, last = on_curve
    for other, by_value in states.items():
        for state, group in groupby(on_curve, key=by_value.get):
            if state is not None:
                values = list(group)
                clauses[state][_where(values, values[0] == first, values[-1] == last)].append(method_name(other))
    return "; ".join(
        f"{state} {', '.join(f'{listed(names)} {where}' for where, names in by_place.items())}"
        for state, by_place in clauses.items()
        if by_place
    )


def response_section(found: list[Curves], subject: str) -> list[dict]:
    """What is said of the curves: "score", "title", "methods", "words" and "rows" of texts for each score.

    The words are about the subject and methods derived from it, with which the others are compared.
    """
    return [
        {
            "score": curves.score,
            "title": SCORES[curves.score],
            "methods": [method_name(method) for method in curves.methods],
            "words": [
                {"method": method_name(first), "lines": _lines(curves, first)}
                for first in derived_from(subject, curves.methods)
            ],
            "rows": _table(curves),
        }
        for curves in found
    ]


def title(varied: str) -> str:
    """A varied property as it is written: "label noise"; of mixed tables "levels (mixed tables)"."""
    curves_of, _, varied = varied.rpartition(" ")
    if curves_of:
        return f"{title(varied)} ({curves_of})"
    return "order of interaction" if varied == "order" else f"{varied.replace('_', ' ')}{_UNITS.get(varied, '')}"


_UNITS = {"irrelevant": " features", "angle": " (degrees)", "imbalance": " (1 to ...)"}


def _lines(curves, first):
    lines = []
    for varied, states in compared(curves, first).items():
        if states:
            low, *_, high = on_curve = curves.points[varied]
            lines.append(
                {"title": title(varied), "range": f"{low:g} to {high:g}", "words": crossings(states, on_curve)}
            )
    return lines


def _table(curves):
    def shown(by_replicate):
        return f"{fmean(by_replicate.values()):.3f}" if by_replicate else ""

    rows = []
    for varied, on_curve in curves.points.items():
        for value, data_set in on_curve.items():
            excess = (shown(curves.excess.get((method, data_set))) for method in curves.methods)
            rows.append([title(varied), f"{value:g}", shown(curves.bayes.get(data_set)), *excess])
    return rows


def _points(stored):
    return points({d: stored.study.config["data_sets"][d] for d in stored.study.data_sets})


def _where(values, is_first, is_last):
    if is_first and is_last:
        return "everywhere"
    if is_last:
        return f"from {values[0]:g} on" if len(values) > 1 else f"at {values[0]:g}"
    if len(values) == 1:
        return f"at {values[0]:g}"
    return f"up to {values[-1]:g}" if is_first else f"from {values[0]:g} to {values[-1]:g}"
