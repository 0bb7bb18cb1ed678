"""Methods over data sets in words and grids, for the front page."""

import re

from proset_study.methods.labels import method_name
from proset_study.report.analysis.losses import ROPE
from proset_study.report.analysis.over_data_sets import LIMITS, over_data_sets
from proset_study.report.figures.style import slug
from proset_study.report.tables.grids import Column, Grid, count, number, p_value, texts
from proset_study.store.stored import Stored


def over_data_sets_section(stored: Stored) -> list[dict]:
    """What the page says of each comparison of methods, the one with the most pairs last.

    Of several comparisons of the same methods it is the one with the most data sets.
    """
    found = over_data_sets(stored)
    wider = {frozenset(c.methods): c.comparison for c in sorted(found, key=lambda c: len(c.data_sets))}
    sections = []
    for name in dict.fromkeys(c.comparison for c in found):
        scores = [c for c in found if (c.comparison, c.group) == (name, "all")]
        if name in wider.values():
            main = scores[0]
            shown = [c for c in scores if c.pairs and c.score in ("log-loss", "balanced error")]
            section = {"name": name, "title": main.title, "figure": slug("ranks", name), "n_pairs": len(main.pairs)}
            section |= {"words": _ranked_words(main), "power": _power_words(main), "grids": [_pairs(c) for c in shown]}
            sections.append(section)
    return sorted(sections, key=lambda c: c["n_pairs"])


def _ranked_words(c):
    t, first = c.test, method_name(c.methods[0])
    words = f"{len(c.methods)} methods by {c.score} on {len(c.data_sets)} data sets of {t.sources} sources."
    if t.too_few == "yes":
        words += (
            f" Ranks are not tested: {t.data_sets} common data sets are too few, {LIMITS['data_sets']} are the least"
            f" with which a p can be below {LIMITS['alpha']}."
        )
    if c.ranks:
        ranked = ", ".join(f"{method_name(row.method)} {row.average_rank:.1f}" for row in c.ranks[:3])
        words += f" Best average ranks: {ranked}."
    if t.f_p is not None:
        words += f" All equal? Friedman's test with Iman and Davenport's correction: p = {t.f_p:.2g}."
    for pair in c.pairs:
        if pair.first == c.methods[0] and pair.hierarchical_first is not None:
            words += (
                f" On a further data set {first} is better than {method_name(pair.second)} by more than {ROPE:g}"
                f" with probability {pair.hierarchical_first:.2f}, worse with {pair.hierarchical_second:.2f}."
            )
    if t.excluded:
        names = re.sub(r" [(]not [^)]*[)]", "", t.excluded)
        words += f" Left out, because a method has no result there: {names}."
    return f"{words} Without any result: {t.not_run}." if t.not_run else words


def _power_words(c):
    """What the tests of so few data sets can find at all."""
    t = c.test
    if t.too_few == "yes":
        return ""
    words = f"The smallest possible p of a pair is {t.smallest_p:.2g}, with Holm's correction for all {t.pairs} pairs"
    words += f" {t.smallest_holm_p:.2g}"
    if t.detectable_shift_holm is None:
        return f"{words}: no pair can be found different, whatever the scores."
    return (
        f"{words}: a mean difference of {t.detectable_shift_holm:.1f} standard deviations would be found with a"
        f" probability of {LIMITS['power']:.0%}."
    )


def _pairs(c):
    columns = [
        *(Column("first", text=True), Column("second", text=True)),
        *(Column(title, "data sets won") for title in ("first", "ties", "second")),
        *(Column("mean", "difference"), Column("90 % from", "difference"), Column("to", "difference")),
        *(Column("signed rank", "p"), Column("Holm", "p")),
        *(Column(title, "Bayesian probability") for title in ("first better", f"within {ROPE:g}", "second better")),
    ]
    rows = [
        [
            *texts(method_name(pair.first), method_name(pair.second)),
            *map(count, (pair.first_wins, pair.ties, pair.second_wins)),
            *(number(value, 3, "+") for value in (pair.mean_difference, pair.low, pair.high)),
            *(p_value(pair.wilcoxon_p), p_value(pair.holm_p)),
            *(number(value, 2) for value in (pair.first_better, pair.equivalent, pair.second_better)),
        ]
        for pair in c.pairs
        if pair.first == c.methods[0] or len(c.methods) <= 4
    ]
    return Grid(
        slug("pairs", c.comparison, c.score), f"{c.title}: {c.score}, {len(c.data_sets)} data sets", columns, rows
    )
