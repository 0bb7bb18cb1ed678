"""Methods next to each other: test losses, ranks, sizes of models, what the selection rules cost, time."""

from math import isclose
from pathlib import Path
from statistics import fmean, median
from typing import Any

from matplotlib.figure import Figure

from proset.plot.style import class_style, log_axis
from proset_study import methods
from proset_study.methods.labels import method_name
from proset_study.report.analysis.losses import by_method, generated, losses_by_method
from proset_study.report.analysis.paired import LEVEL, shared_replicates
from proset_study.report.article.study import BENCH, RESULTS, STUDY, Headline
from proset_study.report.article.topics import SUBJECT, Content, Reported, figure, topic
from proset_study.report.article.wording import (
    count,
    counted,
    decimals,
    difference,
    interval,
    p_value,
    percent,
    ratio,
    significant,
    whole,
)
from proset_study.report.figures.over_data_sets import methods_figure
from proset_study.report.figures.style import legend, panels
from proset_study.report.rows import groups, pick, read_table
from proset_study.report.wording import listed
from proset_study.store.metrics import OF_ALL
from proset_study.study import layout

COMPARISON, ALL_METHODS, PROTOTYPES, BY_SIZE = "E3_to_E12", "E14", "E13", "E20"  # comparisons of the config
LEARNT_METRIC = "gmlvq"  # a method with prototypes that `BY_SIZE` has and `PROTOTYPES` lacks
PROTOTYPE_METHODS = (SUBJECT, "k_means", "k_medoids", "set_cover", "cccd", "nearest_neighbour")
PROTOTYPES_ON = ("digits", "checker", "xor_6f")  # many classes, a fine pattern, an interaction
PUBLISHED_RULE = "one standard deviation"
FIRST_RANKS = 6  # methods named
TIMED = ("published", "published_small", "fits", "test_loss", "growth", "prediction")  # benchmarks


@topic(
    STUDY,
    *(layout.HEADLINE, layout.METHODS, "findings/pairs.csv", "findings/ranks.csv"),
    needs=(COMPARISON, ALL_METHODS),
)
def comparison(stored: Reported) -> Content:
    """Test losses of the methods, data set by data set and over data sets."""
    first_page = Headline(stored.folder)
    pairs = stored.read("findings/pairs.csv", comparison=COMPARISON, score="log-loss", first=SUBJECT)
    table = [["data sets", f"{method_name(SUBJECT)} against", "better on", "mean difference", "signed ranks"]]
    table[0] += ["most probably better", "most probably worse"]
    for row in pairs:
        if row["hierarchical_first"] is not None:
            names = [f"{row['group']} {row['data_sets']:.0f}", method_name(row["second"]), f"{row['first_wins']:.0f}"]
            tested = difference(row["mean_difference"], row["low"], row["high"]), p_value(row["holm_p_control"])
            probable = (decimals(row[key], 2) for key in ("hierarchical_first", "hierarchical_second"))
            table.append([*names, tested[0], tested[1] or "too few", *probable])
    ranked, near, critical = stored.ranks(ALL_METHODS)
    best, *others = near
    texts = {
        "sentence": first_page.with_words("Test scores:"),
        "readable": first_page.with_words("Model size:"),
        "over_data_sets": signed_ranks_in_words(SUBJECT, pick(pairs, group="all")),
        "level": percent(LEVEL),
        "methods": count(len(ranked)),
        "best": method_name(best),
        "best_rank": decimals(ranked[best], 1),
        "rank": decimals(ranked[SUBJECT], 1),
        "critical": decimals(critical, 1),
        "near": listed([method_name(method) for method in others]),
    }
    return Content(texts, {"scores": first_page.table, "over_data_sets": table})


@figure("comparison.differences")
def differences(stored: Reported) -> Figure:
    """Paired differences of test log-loss from the other methods of the main comparison."""
    config = stored.study.config
    compared = {config["experiments"][e]["method"] for e in config["comparisons"][COMPARISON]["experiments"]}
    found = stored.read(layout.METHODS, score="log-loss", first=SUBJECT)
    return methods_figure([row for row in found if row["second"] in compared]).figure


@topic(STUDY, "findings/ranks.csv", needs=(ALL_METHODS,))
def ranks(stored: Reported) -> Content:
    """The methods with the best average ranks among all."""
    table = [["score", "methods", "critical difference", "first, with average ranks"]]
    found = stored.read("findings/ranks.csv", comparison=ALL_METHODS, group="all")
    for score, of_score in groups(found, "score").items():
        ranked = sorted(of_score, key=lambda row: row["average_rank"])
        first = ", ".join(f"{method_name(row['method'])} {row['average_rank']:.1f}" for row in ranked[:FIRST_RANKS])
        table.append([score, whole(len(ranked)), decimals(ranked[0]["critical_difference"], 1), first])
    return Content(tables={"first": table})


@topic(STUDY, *(layout.ALL_SCORES, layout.RULES, layout.PROTOTYPES), needs=(COMPARISON, PROTOTYPES, BY_SIZE))
def sparsity(stored: Reported) -> Content:
    """What the selection rule gives up and saves, and error against the number of prototypes."""
    own = stored.experiments(COMPARISON, SUBJECT)
    chosen = groups([row for row in stored.read(layout.RULES) if row["experiment"] in own], "stage", "rule")

    def mean(stage, rule, key):
        return fmean(row[key] for row in chosen[stage, rule])

    def saved(stage):
        return percent(1 - mean(stage, PUBLISHED_RULE, "prototypes") / mean(stage, "best", "prototypes"))

    sizes = by_method(stored, stored.experiments(PROTOTYPES, SUBJECT), "prototypes")[SUBJECT]
    kept = [number for of_data in sizes.values() for number in of_data.values()]
    compared = stored.experiments(PROTOTYPES)
    errors, replicates = _mean_errors(stored, compared)
    with_metric, _ = _mean_errors(stored, [*compared, *stored.experiments(BY_SIZE, LEARNT_METRIC)])
    others = dict.fromkeys(m for of_method in errors.values() for m in of_method if m != SUBJECT)
    least = _least(errors, SUBJECT)
    texts = {
        "excess_one": decimals(mean("stage1", PUBLISHED_RULE, "excess")),
        "excess_two": decimals(mean("stage2", PUBLISHED_RULE, "excess")),
        "excess_one_error": decimals(mean("stage1", "one standard error", "excess")),
        "saved_one": saved("stage1"),
        "saved_two": saved("stage2"),
        "batches_best": decimals(mean("stage2", "best", "size"), 1),
        "batches": decimals(mean("stage2", PUBLISHED_RULE, "size"), 1),
        "prototype_methods": count(len(others) + 1),
        "prototype_names": listed([method_name(m) for m in others]),
        "prototype_data_sets": count(len(errors)),
        "prototype_replicates": counted(replicates, "replicate"),
        "prototypes": whole(median(kept)),
        "least": count(len(least)),
        "least_on": listed(least),
        "least_with_gmlvq": count(len(_least(with_metric, SUBJECT))),
        "least_gmlvq": count(len(_least(with_metric, LEARNT_METRIC))),
    }
    return Content(texts)


@figure("sparsity.prototypes")
def prototypes(stored: Reported) -> Figure:
    """Error in cross-validation against the number of prototypes; a diamond is the size that was chosen."""
    points = stored.read(layout.PROTOTYPES)
    figure, axes = panels(len(PROTOTYPES_ON), len(PROTOTYPES_ON), (2.15, 1.8))
    for panel, data_set in zip(axes, PROTOTYPES_ON, strict=True):
        for k, method in enumerate(PROTOTYPE_METHODS):
            path = [row for row in pick(points, dataset=data_set, method=method) if row["prototypes"]]
            x, y = ([row[key] for row in path] for key in ("prototypes", "error"))
            size, order = (5, 4) if method == SUBJECT else (3, 2)
            looks = {**class_style(k), "markersize": size, "zorder": order}
            panel.plot(x, y, linewidth=0.9, label=method_name(method), **looks)
            for row in pick(path, chosen="True"):
                panel.plot(row["prototypes"], row["error"], "D", color="black", fillstyle="none", markersize=6)
        log_axis(panel, "x")
        panel.set(title=data_set, xlabel="prototypes", ylim=(0.0, None))
    axes[0].set_ylabel("error rate, cross-validation")
    legend(figure, 1.0)
    return figure


@topic(STUDY, layout.FEATURES, needs=(COMPARISON,))
def features(stored: Reported) -> Content:
    """How many features of real data all models of the compared experiments keep."""
    own = stored.experiments(COMPARISON, SUBJECT)
    selected = [row for row in stored.read(layout.FEATURES) if row["experiment"] in own]
    always = []
    for data_set, found in groups(selected, "dataset").items():
        if not generated(stored, data_set):
            kept = sum(row["proportion"] == 1.0 for row in found)
            always.append(f"{kept} of {len(found)} on {data_set}")
    return Content({"always": listed(always)})


@topic("", *(f"{RESULTS}/{name}.csv" for name in TIMED), command=BENCH)
def cost(project: Path) -> Content:
    """Time of fits against the published implementation, and whether a lower objective helps."""
    timed, fits, losses = (read_table(project / RESULTS / f"{name}.csv") for name in ("published", "fits", "test_loss"))
    cases = groups(timed, "data_set", "setting")
    factors, fewer = [], 0
    for found in cases.values():
        theirs, ours = (median(row[key] for row in found) for key in ("published_seconds", "seconds"))
        fewer += sum(row["prototypes"] for row in found) < sum(row["published_prototypes"] for row in found)
        factors.append(theirs / ours)
    small = sorted(read_table(project / RESULTS / "published_small.csv"), key=lambda row: row["rows"])
    factors += [row["times_faster"] for row in small]
    above = [
        fmean(row["log_loss"] - row["published_path_log_loss"] for row in case)
        for case in groups(losses, "data_set", "setting").values()
    ]
    texts = {
        "slowest": whole(min(factors)),
        "fastest": whole(max(factors)),
        "lower": ratio(sum(row["difference"] <= 0 for row in fits), len(fits)),
        "fewer": ratio(fewer, len(cases)),
        "differences": interval(min(above), max(above)),
        "speed": _speed(project, small, factors),
    }
    return Content(texts)


def _speed(project, small, factors):
    """How long fits and predictions take, from small data to large."""
    grown = read_table(project / RESULTS / "growth.csv", axis="n", method=SUBJECT)
    fits = {row["value"]: row["fit_seconds"] for row in grown}
    takes = [f"{1000 * row['seconds']:.1f} ms on {row['rows']:.0f} ({row['data_set']})" for row in small]
    takes += [f"{fits[n]:.2g} s on {n:,.0f}" for n in sorted(fits) if n in (min(fits), max(fits))]
    per_row = [row["us_per_row"] for row in read_table(project / RESULTS / "prediction.csv")]
    return (
        f"A fit of one batch takes {listed(takes)} training samples (the last of generated data), and is"
        f" {min(factors):.0f} to {max(factors):.0f} times as fast as that of `proset` 0.6.1; a prediction takes"
        f" {min(per_row):.2f} to {max(per_row):.2f} \N{MICRO SIGN}s a sample."
    )


def ranks_in_words(ranks: dict[str, float], shown: list[str]) -> str:
    """Average ranks of some methods."""
    return listed([f"{method_name(m)} {decimals(ranks[m], 1)}" for m in shown])


def place_of(method: str, ranks: dict[str, float]) -> tuple[int, int]:
    """Place of a method by average rank, and of how many that learn; equal ranks share a place, zeros without one."""
    learning = {name: rank for name, rank in ranks.items() if not methods.get(name).is_baseline}
    if method not in learning:
        return 0, 0
    own = learning[method]
    return 1 + sum(rank < own and not isclose(rank, own) for rank in learning.values()), len(learning)


def signed_ranks_in_words(method: str, pairs: list[dict[str, Any]]) -> str:
    """What signed ranks say of the first method of some pairs, with Holm's correction."""
    alike = "does not differ significantly from"
    states: dict[str, list[str]] = {"is ahead of": [], "is behind": [], alike: []}
    for row in pairs:
        side = "is ahead of" if row["median_difference"] < 0 else "is behind"
        is_sure = significant(row["holm_p_control"]) and row["median_difference"]
        states[side if is_sure else alike].append(method_name(row["second"]))
    clauses = [f"{state} {listed(names)}" for state, names in states.items() if names]
    return f"{method_name(method)} {listed(clauses)}"


def _mean_errors(stored, experiments):
    """Balanced error by data set and method over the replicates that all methods have; their least number."""
    losses = losses_by_method(stored, experiments, OF_ALL)
    found, numbers = {}, []
    for data_set in losses[SUBJECT]:
        of_methods = {method: of_data[data_set] for method, of_data in losses.items() if data_set in of_data}
        shared = shared_replicates(of_methods)
        found[data_set] = {method: fmean(values[r] for r in shared) for method, values in of_methods.items()}
        numbers.append(len(shared))
    return found, min(numbers)


def _least(errors, method):
    """The data sets on which a method has the smallest error."""
    return [d for d, of_method in errors.items() if of_method.get(method) == min(of_method.values())]
