"""Methods next to each other: test losses, sizes of models, what the selection rule costs, time."""

from pathlib import Path
from statistics import fmean, median

from proset.plot.style import class_style, log_axis
from proset_study.methods.labels import method_name
from proset_study.report.analysis.findings import RULES
from proset_study.report.analysis.losses import losses_by_method
from proset_study.report.analysis.paired import LEVEL
from proset_study.report.article.records import Reported, rows
from proset_study.report.article.study import BENCH, RESULTS, STUDY, WHOLE, headline
from proset_study.report.article.topics import Content, topic
from proset_study.report.article.wording import (
    count,
    decimals,
    difference,
    interval,
    percent,
    ratio,
    significant,
)
from proset_study.report.figures.over_replicates import methods_figure, rules_figure
from proset_study.report.figures.style import (
    context,
    legend,
    panels,
)
from proset_study.report.wording import (
    listed,
    p_value,
)
from proset_study.store.metrics import OF_ALL
from proset_study.study import layout

FIRST = "proset"
COMPARISON, ALL_METHODS, PROTOTYPES = "E3_to_E12", "E14", "E13"  # comparisons of the config
PROTOTYPE_METHODS = (FIRST, "k_means", "k_medoids", "set_cover", "cccd", "nearest_neighbour")
PROTOTYPES_ON = ("digits", "checker", "xor_6f")  # many classes, a fine pattern, an interaction


@topic(
    *(f"{STUDY}/{name}" for name in (layout.MANIFEST, layout.HEADLINE, "findings/methods.csv")),
    *(f"{STUDY}/findings/{name}.csv" for name in ("pairs", "ranks")),
    command=WHOLE,
)
def comparison(project: Path) -> Content:
    """Test losses of the methods, data set by data set and over data sets."""
    stored = Reported(project / STUDY)
    found = headline(project / STUDY)
    differences = [
        row for row in stored.read("findings/methods.csv") if (row["score"], row["first"]) == ("log-loss", FIRST)
    ]
    pairs = [
        row
        for row in stored.read("findings/pairs.csv")
        if (row["comparison"], row["score"], row["first"]) == (COMPARISON, "log-loss", FIRST)
    ]
    ranks, near, critical = stored_ranks(stored, ALL_METHODS)
    best, *others = near
    heading = ["data sets", "proset against", "better on", "mean difference", "signed ranks"]
    heading += ["most probably better", "most probably worse"]
    table = [
        [
            f"{row['group']} {row['data_sets']:.0f}",
            method_name(row["second"]),
            f"{row['first_wins']:.0f}",
            difference(row["mean_difference"], row["low"], row["high"]),
            p_value(row["holm_p_control"]) or "too few",
            decimals(row["hierarchical_first"], 2),
            decimals(row["hierarchical_second"], 2),
        ]
        for row in pairs
        if row["hierarchical_first"] is not None
    ]
    texts = {
        "sentence": found.with_words("Ahead?"),
        "readable": found.with_words("To read:"),
        "over_data_sets": _over_data_sets([row for row in pairs if row["group"] == "all"]),
        "level": percent(LEVEL),
        "methods": count(len(ranks)),
        "best": method_name(best),
        "best_rank": decimals(ranks[best], 1),
        "rank": decimals(ranks[FIRST], 1),
        "critical": decimals(critical, 1),
        "near": listed([method_name(method) for method in others]),
    }
    tables = {"scores": found.table, "over_data_sets": [heading, *table]}
    with context():
        figure = methods_figure(differences).figure
    return Content(texts, tables, {"differences": figure})


@topic(
    *(f"{STUDY}/{name}" for name in (layout.MANIFEST, layout.ALL_SCORES, layout.RULES, "findings/prototypes.csv")),
    command=WHOLE,
)
def sparsity(project: Path) -> Content:
    """What the selection rule gives up and saves, and error against the number of prototypes."""
    stored = Reported(project / STUDY)
    own = stored.experiments(COMPARISON, FIRST)
    chosen = [row for row in stored.read(layout.RULES) if row["experiment"] in own]
    excess = {(s, r): fmean(_of(chosen, s, r, "excess")) for s in ("stage1", "stage2") for r in RULES}
    kept = {(s, r): fmean(_of(chosen, s, r, "prototypes")) for s, r in excess}
    batches = {r: fmean(_of(chosen, "stage2", r, "size")) for r in RULES}
    points = stored.read("findings/prototypes.csv")
    sizes = [row for row in points if row["chosen"] == "True" and row["test_error"] is not None]
    final = {(row["dataset"], row["method"]): row for row in sizes}
    errors, replicates = _mean_errors(stored)
    others = dict.fromkeys(m for of_method in errors.values() for m in of_method if m != FIRST)
    least = [d for d, of_method in errors.items() if of_method[FIRST] == min(of_method.values())]
    published = "one standard deviation"
    texts = {
        "excess_one": decimals(excess["stage1", published]),
        "excess_two": decimals(excess["stage2", published]),
        "excess_one_error": decimals(excess["stage1", "one standard error"]),
        "saved_one": percent(1 - kept["stage1", published] / kept["stage1", "best"]),
        "saved_two": percent(1 - kept["stage2", published] / kept["stage2", "best"]),
        "batches_best": decimals(batches["best"], 1),
        "batches": decimals(batches[published], 1),
        "prototype_methods": count(len(others) + 1),
        "prototype_names": listed([method_name(m) for m in others]),
        "prototype_data_sets": count(len(errors)),
        "prototype_replicates": f"{count(replicates)} replicate{'s' if replicates > 1 else ''}",
        "prototypes": _median([row["final_prototypes"] for (_, m), row in final.items() if m == FIRST]),
        "other_prototypes": _median([row["final_prototypes"] for (_, m), row in final.items() if m != FIRST]),
        "least": count(len(least)),
        "least_on": listed(least),
    }
    with context():
        rules = rules_figure([row for row in chosen if row["stage"] == "stage1"]).figure
    return Content(texts, figures={"rules": rules, "prototypes": _prototypes(points)})


@topic(
    *(
        f"{RESULTS}/{name}.csv"
        for name in ("published", "published_small", "fits", "test_loss", "growth", "prediction")
    ),
    command=BENCH,
)
def cost(project: Path) -> Content:
    """Time of fits against the published implementation, and whether a lower objective helps."""
    timed = rows(project / RESULTS / "published.csv")
    fits, losses = rows(project / RESULTS / "fits.csv"), rows(project / RESULTS / "test_loss.csv")
    cases = list(dict.fromkeys((row["data_set"], row["setting"]) for row in timed))
    table = [["data set", "penalties", "seeds", "published", "ours", "ratio", "log-loss: published", "ours"]]
    factors, fewer = [], 0
    for data_set, setting in cases:
        found = [row for row in timed if (row["data_set"], row["setting"]) == (data_set, setting)]
        theirs, ours = (median(row[key] for row in found) for key in ("published_seconds", "seconds"))
        fewer += sum(row["prototypes"] for row in found) < sum(row["published_prototypes"] for row in found)
        factors.append(theirs / ours)
        penalties = {"selected": "selected in the search", "default": "defaults"}[setting]
        losses_of_both = (decimals(fmean(row[f"{whose}log_loss"] for row in found)) for whose in ("published_", ""))
        times = f"{theirs:.3g} s", f"{ours:.2g} s", f"{factors[-1]:,.0f}"
        table.append([data_set, penalties, str(len(found)), *times, *losses_of_both])
    differences = {
        case: fmean(
            row["log_loss"] - row["published_path_log_loss"]
            for row in losses
            if (row["data_set"], row["setting"]) == case
        )
        for case in dict.fromkeys((row["data_set"], row["setting"]) for row in losses)
    }
    texts = {
        "slowest": f"{min(factors):,.0f}",
        "fastest": f"{max(factors):,.0f}",
        "lower": ratio(sum(row["difference"] <= 0 for row in fits), len(fits)),
        "fewer": ratio(fewer, len(cases)),
        "differences": interval(min(differences.values()), max(differences.values())),
        "speed": _speed(project, factors),
    }
    return Content(texts, {"times": table})


def _speed(project, factors):
    """How long fits and predictions take, from small data to large; `factors` are those of `published.csv`."""
    small, grown, predicted = (
        rows(project / RESULTS / f"{n}.csv") for n in ("published_small", "growth", "prediction")
    )
    fits = {row["value"]: row["fit_seconds"] for row in grown if (row["axis"], row["method"]) == ("n", "proset")}
    small = sorted(small, key=lambda row: row["rows"])
    takes = [f"{1000 * row['seconds']:.1f} ms on {row['rows']:.0f} ({row['data_set']})" for row in small]
    takes += [f"{fits[n]:.2g} s on {n:,.0f}" for n in sorted(fits) if n in (min(fits), max(fits))]
    factors = [*factors, *(row["times_faster"] for row in small)]
    per_row = [row["us_per_row"] for row in predicted]
    return (
        f"A fit of one batch takes {listed(takes)} training samples (the last of generated data), and is"
        f" {min(factors):.0f} to {max(factors):.0f} times as fast as that of `proset` 0.6.1; a prediction takes"
        f" {min(per_row):.2f} to {max(per_row):.2f} \N{MICRO SIGN}s a sample."
    )


def stored_ranks(stored: Reported, comparison: str) -> tuple[dict[str, float], list[str], float]:
    """Average ranks by log-loss over all data sets, as a report has them.

    Returns
    -------
    ranks : dict
        By method, the best one first.
    near : list of str
        The best one, and those that Nemenyi's critical difference does not tell from it.
    critical : float
        That difference.
    """
    found = [
        row
        for row in stored.read("findings/ranks.csv")
        if (row["comparison"], row["score"], row["group"]) == (comparison, "log-loss", "all")
    ]
    ranks = {row["method"]: row["average_rank"] for row in sorted(found, key=lambda row: row["average_rank"])}
    best, critical = min(ranks.values()), found[0]["critical_difference"]
    return ranks, [method for method, rank in ranks.items() if rank - best <= critical], critical


def _median(numbers):
    return f"{median(numbers):,.0f}"


def _of(found, stage, rule, key):
    return [row[key] for row in found if (row["stage"], row["rule"]) == (stage, rule)]


def _over_data_sets(pairs):
    """What signed ranks say of the first method, with Holm's correction."""
    states: dict[str, list[str]] = {"is ahead of": [], "is behind": [], "cannot be told from": []}
    for row in pairs:
        side = "is ahead of" if row["median_difference"] < 0 else "is behind"
        states[side if significant(row["holm_p_control"]) else "cannot be told from"].append(method_name(row["second"]))
    clauses = [f"{state} {listed(names)}" for state, names in states.items() if names]
    return f"{method_name(FIRST)} {listed(clauses)}"


def _mean_errors(stored):
    """Balanced error by data set and method of E13 over the replicates that all methods have; their least number."""
    losses = losses_by_method(stored, stored.experiments(PROTOTYPES), OF_ALL)
    found, numbers = {}, []
    for data_set in losses[FIRST]:
        there = {method: of_data[data_set] for method, of_data in losses.items() if data_set in of_data}
        shared = set.intersection(*map(set, there.values()))
        found[data_set] = {method: fmean(values[r] for r in shared) for method, values in there.items()}
        numbers.append(len(shared))
    return found, min(numbers)


def _prototypes(points):
    """Error in cross-validation against the number of prototypes; a diamond is the size that was chosen."""
    with context():
        figure, axes = panels(len(PROTOTYPES_ON), len(PROTOTYPES_ON), (2.15, 2.3))
        for panel, data_set in zip(axes, PROTOTYPES_ON, strict=True):
            for k, method in enumerate(PROTOTYPE_METHODS):
                path = [r for r in points if (r["dataset"], r["method"]) == (data_set, method) and r["prototypes"]]
                x, y = ([row[key] for row in path] for key in ("prototypes", "error"))
                size, order = (5, 4) if method == FIRST else (3, 2)
                looks = {**class_style(k), "markersize": size, "zorder": order}
                panel.plot(x, y, linewidth=0.9, label=method_name(method), **looks)
                for row in (row for row in path if row["chosen"] == "True"):
                    panel.plot(row["prototypes"], row["error"], "D", color="black", fillstyle="none", markersize=6)
            log_axis(panel, "x")
            panel.set(title=data_set, xlabel="prototypes", ylim=(0.0, None))
        axes[0].set_ylabel("error rate, cross-validation")
        legend(figure, 1.0)
    return figure
