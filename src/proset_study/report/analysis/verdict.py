"""What a study concludes: the same words and numbers on the front page, in the README and in docs/findings.md."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isclose
from pathlib import Path
from statistics import fmean, median, stdev
from typing import Any

import numpy as np

from proset_study import methods
from proset_study.methods.labels import method_name
from proset_study.report.analysis import paired, statistics
from proset_study.report.analysis.against import answer
from proset_study.report.analysis.limits import limits
from proset_study.report.analysis.losses import Losses, generated, losses_by_method, of_first_experiments, overlaps
from proset_study.report.analysis.over_data_sets import MIN_DATA_SETS
from proset_study.report.analysis.reproduction import reproduced, reproduction
from proset_study.report.analysis.runs import derived_from, main_score
from proset_study.report.rows import groups, pick
from proset_study.report.wording import best_ranked, counted, how_many, listed, lowest, sentence_case, span, table_line
from proset_study.store.metrics import LOSSES
from proset_study.store.results import FINAL, read_published
from proset_study.store.stored import Stored

MAX_METHODS = 4  # in figure and table: what a narrow page has room for
LEAVE_ONE_OUT = "proset_leave_one_out"  # before prototypes are removed
OTHERS = "best of the others"  # heading of the last column
FEWER = "†"  # marks a number of fewer replicates than the others have


@dataclass(frozen=True)
class Score:
    """Test score of a method on a data set, the smaller the better."""

    mean: float  # over the replicates
    deviation: float | None  # standard deviation (ddof = 1); None if there is one replicate
    interval: tuple[float, float] | None  # ends of the 95 % interval of the mean, from `MIN_REPLICATES` on
    published: float | None
    best: bool  # whether it is among the best of all compared methods, see `paired.among_the_best`
    replicates: int


@dataclass(frozen=True)
class Verdict:
    """The conclusion of a study."""

    question: str
    track: str  # the protocol of the searches
    score: str  # what is compared: log-loss, or the balanced error if the subject predicts no probabilities
    sentences: list[tuple[str, str]]  # a word or two, and what they stand for
    methods: list[str]  # columns of the table: one form of the subject, then others by average rank
    scores: dict[str, dict[str, Score]]  # by data set and method, without those that have no result
    replicates: int  # the largest number behind a score
    sizes: list[tuple[str, dict[str, str]]]  # what the searches may try: a heading and the text of each method
    means: dict[str, dict[str, float]] = field(default_factory=dict)  # by data set, over replicates that methods share
    is_of_one: bool = False  # whether these are of one replicate
    rest: dict[str, tuple[str, Score]] = field(default_factory=dict)  # by data set, the best one that is no column


def verdict(stored: Stored, published: Path) -> Verdict:
    """Conclude from the records; the methods are those that the config's comparisons put next to each other."""
    experiments, subject, score = stored.study.compared_experiments, stored.study.subject, main_score(stored.study)
    losses = {
        method: by_data_set
        for method, by_data_set in losses_by_method(stored, experiments, score).items()
        if LOSSES[score].fits(methods.get(method))
    }
    overlap = overlaps(stored, experiments)
    printed = printed_losses(stored, published, experiments)
    real = {d for d in stored.study.data_sets if not generated(stored, d)}
    forms = derived_from(subject, losses)
    first = LEAVE_ONE_OUT if LEAVE_ONE_OUT in forms else subject
    columns = [first, *strongest([m for m in losses if m not in forms], losses, losses.get(first, {}))]
    are_apart = all(sum(d in losses.get(m, {}) for m in columns) < 2 for d in stored.study.data_sets)
    scores: dict[str, dict[str, Score]] = {}
    rest: dict[str, tuple[str, Score]] = {}
    shared: dict[str, dict[str, list[float]]] = {}
    for data_set in stored.study.data_sets:
        by_method = {m: of[data_set] for m, of in losses.items() if of.get(data_set)}
        best = paired.among_the_best(by_method, overlap[data_set]) if by_method else set()
        of_all = {
            m: _score(values, overlap[data_set], printed.get((m, data_set)), m in best)
            for m, values in by_method.items()
        }
        shown = {m: of_all[m] for m in columns if m in of_all}
        if len(shown) > 1 or (shown and are_apart):
            scores[data_set], shared[data_set] = shown, on_shared_replicates(by_method)
            if others := [(m, score) for m, score in of_all.items() if m not in (*columns, *forms)]:
                rest[data_set] = min(others, key=lambda other: (-other[1].replicates, other[1].mean))
    names = [method_name(method) for method in columns[1:]]
    question = f"How well does {method_name(first)} predict?"
    if names:
        question = f"Does {method_name(first)} predict as well as {listed(names)}?"
    known = [method for method in losses if any((method, d) in printed for d in losses[method])]
    return Verdict(
        question=stored.study.config.get("question", question),
        track=stored.study.track,
        score=score,
        sentences=[
            *answer(stored),
            *reproduced(reproduction(stored, published)),
            *_ahead(first, list(dict.fromkeys([*known, *columns]))[:MAX_METHODS], losses, overlap, real, score),
            *limits(stored.study, losses.get(subject, {})),
            *_readable(stored, first, experiments),
        ],
        methods=columns,
        scores=scores,
        replicates=max((len(values) for by_data_set in losses.values() for values in by_data_set.values()), default=0),
        sizes=_sizes(stored, columns, experiments),
        means={d: {method: fmean(values) for method, values in of.items()} for d, of in shared.items()},
        is_of_one=any(len(values) == 1 for of in shared.values() for values in of.values()),
        rest=rest,
    )


def strongest(others, losses, wanted):
    """At most three rivals that learn, by average rank; first those with a score on each of the data sets wanted."""
    whole = {method: of for method, of in losses.items() if of.keys() >= wanted.keys()}
    ranked = [m for m in (*average_ranks(whole), *average_ranks(losses)) if m in others]
    return list(dict.fromkeys(m for m in ranked if not methods.get(m).is_baseline))[: MAX_METHODS - 1]


def verdict_markdown(found: Verdict) -> str:
    """The sentences as a list, and the table: means and standard deviations, the published number in brackets.

    Bold is what is not significantly worse than the best of all compared methods; the last column has the best of
    those that have no column of their own, with its name.
    """
    lines = [f"- **{word}** {sentence}" for word, sentence in found.sentences]
    names = [*map(method_name, found.methods), *([OTHERS] if found.rest else [])]
    lines += ["", table_line([f"test {found.score}, {found.track}", *names]), "|---" + "|---:" * len(names) + "|"]
    for data_set, scores in found.scores.items():
        cells = [_text(scores.get(method), found.replicates) for method in found.methods]
        if found.rest:
            method, score = found.rest.get(data_set, ("", None))
            cells.append(f"{_text(score, found.replicates)} {method_name(method)}" if score else "")
        lines.append(table_line([data_set, *cells]))
    last = [""] if found.rest else []
    lines += [
        table_line([heading, *(texts[method] for method in found.methods), *last]) for heading, texts in found.sizes
    ]
    return "\n".join(lines) + "\n"


def average_ranks(losses: Losses) -> dict[str, float]:
    """Average rank of each method by mean loss over the data sets of `mean_losses`, best first; NaN without any.

    >>> average_ranks({"a": {"wine": {0: 0.2, 1: 0.4}, "iris": {0: 0.1}}, "b": {"wine": {0: 0.1}, "iris": {0: 0.5}}})
    {'a': 1.5, 'b': 1.5}
    """
    means = mean_losses(losses)
    if not means:
        return dict.fromkeys(losses, float("nan"))
    ranks = statistics.rank(np.round(list(means.values()), statistics.DECIMALS)).mean(axis=0)
    order = np.argsort(ranks, kind="stable")
    names = list(losses)
    return {names[i]: float(ranks[i]) for i in order}


def mean_losses(losses: Losses) -> dict[str, list[float]]:
    """Mean loss of each method over the replicates that all of them have, by data set that has some.

    >>> mean_losses({"a": {"wine": {0: 0.2, 1: 0.5}, "iris": {0: 0.1}}, "b": {"wine": {0: 0.1}}})
    {'wine': [0.2, 0.1]}
    """
    found = {}
    for data_set in next(iter(losses.values()), {}):
        if shared := paired.shared_replicates({m: by_data_set.get(data_set, {}) for m, by_data_set in losses.items()}):
            found[data_set] = [fmean(by_data_set[data_set][r] for r in shared) for by_data_set in losses.values()]
    return found


def on_shared_replicates(by_method: Mapping[str, Mapping[int, float]]) -> dict[str, list[float]]:
    """Losses on a data set that can be compared: of the replicates that methods share.

    Methods with few replicates take part only if no two have `MIN_REPLICATES`.

    >>> on_shared_replicates({"a": {0: 0.2, 1: 0.4, 2: 0.3}, "b": {0: 0.1}, "c": {0: 0.2, 1: 0.2, 2: 0.2}})
    {'a': [0.2, 0.4, 0.3], 'c': [0.2, 0.2, 0.2]}
    >>> on_shared_replicates({"a": {0: 0.2, 1: 0.4, 2: 0.3}, "b": {0: 0.1}})
    {'a': [0.2], 'b': [0.1]}
    """
    many = {method: values for method, values in by_method.items() if len(values) >= paired.MIN_REPLICATES}
    compared = many if len(many) > 1 else by_method
    shared = paired.shared_replicates(compared)
    return {method: [values[replicate] for replicate in shared] for method, values in compared.items() if shared}


def printed_losses(stored: Stored, published: Path, experiments: list[str]) -> dict[tuple[str, str], float]:
    """Published test log-losses by method and data set, of the experiments that `losses_by_method` takes."""
    ours = {row.key for row in of_first_experiments(stored.rows_of(experiments, FINAL, "log_loss"))}
    return {(row.method, row.dataset): row.number for row in read_published(published) if row.key in ours}


def _score(values, overlap, published, best):
    numbers = list(values.values())
    deviation = stdev(numbers) if len(numbers) > 1 else None
    return Score(fmean(numbers), deviation, paired.shown_interval(numbers, overlap), published, best, len(numbers))


def _ahead(subject, shown, losses, overlap, real, score):
    """Where the subject is ahead of those `shown`, methods with published numbers first; which of all ranks best."""
    if not losses:
        return [("Unfinished:", "no model of the comparison has a score.")]
    if subject not in losses:
        return [("Unfinished:", f"no model of {method_name(subject)} has a score.")]
    ours = losses[subject]
    clauses: list[str] = []
    compared: set[str] = set()  # data sets
    rivals = [m for m in shown if m in losses and m != subject]
    n = max((len(values.keys() & losses[m].get(d, {}).keys()) for m in rivals for d, values in ours.items()), default=0)
    for other in rivals:
        if means_of_both := paired.on_each_data_set(ours, losses[other], overlap):
            compared |= means_of_both.keys()
            sides = {d: mean.side(paired.LEVEL, paired.VERDICTS) for d, mean in means_of_both.items()}
            n_ahead, behind = list(sides.values()).count("ahead"), [d for d, side in sides.items() if side == "behind"]
            of = f"of {len(sides)}{'' if clauses else ' data sets'}"
            clauses.append(f"ahead of {method_name(other)} on {n_ahead} {of}, behind on {how_many(behind)}")
    words = f"{method_name(subject)} is {'; '.join(clauses)} (unadjusted {100 * paired.LEVEL:g} % intervals)."
    means = mean_losses(losses)
    if not clauses:
        shared = "with one replicate" if n else "without a replicate of a data set that both methods have,"
        few = f"{shared} no difference can be tested"
        if n >= paired.MIN_REPLICATES:
            few = "all replicates have the same test part, so no difference can be tested"
        elif n > 1:
            few = f"{n} replicates are too few to test a difference on a single data set"
        words = f"{sentence_case(few)}." if rivals else ""
        if means:
            compared = set(means)
            words = f"{_lowest(means, losses, subject, score)}{f'; {few}' if rivals else ''}."
    ranks = average_ranks(losses)
    if len(ranks) > 2 and means:
        rank = min(ranks.values())
        own = "" if isclose(ranks[subject], rank) else f"{method_name(subject)} {ranks[subject]:.1f}, "
        tested = "too few data sets to test"
        if len(means) >= MIN_DATA_SETS:
            tested = f"critical difference {statistics.critical_difference(len(means), len(ranks)):.1f}"
        priors = [f"the {method_name(method)}" for method in ranks if methods.get(method).is_baseline]
        of = listed([f"{len(ranks) - len(priors)} methods", *priors])
        over = "" if len(means) == len(compared) else f" over {counted(len(means), 'data set')}"
        words += (
            f" Of {of}, {best_ranked(ranks, 'has', 'have')} the best average rank{over}, {rank:.1f} ({own}{tested})"
        )
        there = [d for d in means if d in real]
        words += f"{_best_on(there, subject, losses) if 1 < len(there) < len(means) else ''}."
    return [("Test scores:", words)] if words else []


def _lowest(means, losses, subject, score):
    """Which methods have the lowest mean over data sets, and that of the subject."""
    by_method = zip(losses, zip(*means.values(), strict=True), strict=True)
    over_all = {method_name(method): fmean(values) for method, values in by_method}
    name, data_sets = method_name(subject), counted(len(means), "data set")
    if len(over_all) == 1:
        return f"the mean test {score} of {name} over {data_sets} is {over_all[name]:.3f}"
    best = lowest(over_all)
    own = "" if name in best else f" ({name} {over_all[name]:.3f})"
    has = "has" if len(best) == 1 else "have"
    return f"{listed(best)} {has} the lowest mean test {score} over {data_sets}, {over_all[best[0]]:.3f}{own}"


def _best_on(real, subject, losses):
    """The best average rank on real data sets, and that of the subject."""
    ranks = average_ranks({method: {d: of[d] for d in real} for method, of in losses.items()})
    rank = min(ranks.values())
    own = "" if isclose(ranks[subject], rank) else f" ({method_name(subject)} {ranks[subject]:.1f})"
    return f"; on {len(real)} real ones {best_ranked(ranks, 'is', 'are')} first, {rank:.1f}{own}"


def _readable(stored, subject, experiments):
    """Prototypes, or what else the subject counts, and features of the models whose losses are compared."""
    own = [e for e in experiments if stored.study.config["experiments"][e]["method"] == subject]
    rows = pick(of_first_experiments(stored.rows_of(own)), role="")
    found: dict[str, Any] = {q: [row.value for row in group] for q, group in groups(rows, "quantity").items()}
    if size := next((q for q in methods.get(subject).quantities if q != "active_features" and q in found), ""):
        used = f" and uses {_span(found['active_features'], 'features')}" if max(found["features"]) else ""
        words = f"the median {method_name(subject)} model has {_span(found[size], size.replace('_', ' '))}"
        return [("Model size:", f"{words} from {median(found['train_samples']):,.0f} training samples{used}.")]
    return []


def _sizes(stored, shown, experiments):
    study, taken = stored.study, set[tuple[str, str]]()
    budgets: dict[str, list[tuple[int, int]]] = {method: [] for method in shown}
    runs = (run for e in experiments for run in study.experiments.get(e, []) if not run.variant and run.method in shown)
    for run in runs:
        method = methods.get(run.method)
        for data_set in (d for d in run.data_sets if (run.method, d) not in taken):  # as in `of_first_experiments`
            taken.add((run.method, data_set))
            length = run.stage("stage2", data_set)["complexity"] - method.min_complexity + 1
            budgets[run.method].append((study.n_trials(run.name, data_set) if study.stage1_run(run) else 1, length))
    numbers = {method: list(zip(*found, strict=True)) for method, found in budgets.items()}
    return [
        (heading, {m: span(both[i], ",") if both else "" for m, both in numbers.items()})
        for i, heading in enumerate(("settings tried", "sizes on the path"))
    ]


def _span(values, what):
    low, middle, high = min(values), median(values), max(values)
    return f"{middle:,.0f} {what}" + ("" if low == high else f" (range {low:,.0f} to {high:,.0f})")


def _text(score, replicates):
    if score is None:
        return ""
    text = f"**{score.mean:.3f}**" if score.best else f"{score.mean:.3f}"
    text += FEWER if score.replicates < replicates else ""
    text += f" ± {score.deviation:.3f}" if score.deviation is not None else ""
    return text if score.published is None else f"{text} ({score.published:.2f})"
