"""The evidence on the front page: published numbers, claims, methods over data sets; in words, as grids, to search."""

import json
import re
from collections import Counter
from pathlib import Path
from statistics import fmean

from proset_study.methods.labels import method_name
from proset_study.report.analysis.against import differences_of_pairs, score_of, tally
from proset_study.report.analysis.losses import ROPE
from proset_study.report.analysis.over_data_sets import MIN_DATA_SETS, over_data_sets
from proset_study.report.analysis.published import Agreement, summary
from proset_study.report.analysis.statistics import ALPHA, POWER, rank
from proset_study.report.claims.registry import AGREEING, MIN_AGREEING
from proset_study.report.claims.statements import ledger
from proset_study.report.figures.style import slug
from proset_study.report.rows import groups, pick, read_cells
from proset_study.report.tables.grids import Cell, Grid, count, headed, number, p_value, texts
from proset_study.report.wording import SECTIONS, counted, format_number, in_script, listed, quantity_label
from proset_study.store.stored import Stored

MAX_SAID = 3  # pairs of methods of which the text speaks one by one
MARKS = {
    "holds": ("✓", "good"),
    "fails": ("✗", "bad"),
    "undetermined": ("?", ""),
    "not decidable": ("\N{EN DASH}", "soft"),
}
VACUOUS = ("○", "soft")


def check_grid(cells: list[Agreement], n_replicates: int) -> Grid:
    """How many published scores are within the tolerance, by experiment; cells as `published.agreement` gives them."""
    titles = ["within", "compared", "proportion"]
    several = ["two runs of ours", "outside, in the prediction interval", "outside both"]
    columns = [*headed("experiment", text=True), *headed(*titles, *(several if n_replicates > 1 else []))]
    lines = []
    for row in summary(cells):
        share = row.within / row.compared if row.compared else None
        line = [Cell(row.experiment, link="" if row.experiment == "all" else f"tables.html#{row.experiment}")]
        line += [count(row.within), count(row.compared), _percent(share)]
        line += [_percent(row.repeated), count(row.chance), count(row.unexplained)] if n_replicates > 1 else []
        lines.append(line)
    return Grid("check-table", "Published test scores within the tolerance, by experiment", columns, lines, sort=False)


def _percent(share):
    return Cell() if share is None else Cell(f"{100 * share:.0f} %", share)


def published_ledger(cells: list[Agreement]) -> dict:
    """Every published number next to ours."""
    kinds = {"yes": "within", "no": "outside", "missing": "missing", "": "not judged"}
    lines = []
    for c in cells:
        shown = (c.published, c.ours, c.difference)
        numbers = ["" if number is None else format_number(c.quantity, number) for number in shown]
        section = SECTIONS[c.section].partition(",")[0]
        names = f"{c.experiment} {c.variant}".strip(), c.dataset, section, quantity_label(c.quantity, c.role)
        lines.append([*names, *numbers, kinds[c.within]])
    headings = ["experiment", "data set", "section", "quantity", "published", "ours", "difference", "tolerance"]
    return ledger_of(headings, lines, ("experiment", "data set", "tolerance"), "outside")


def claims_section(path: Path, n_replicates: int, statements: list[dict], is_published: bool) -> dict:
    """The claims as a grid by claim and data set, as a ledger with their evidence, and how many hold."""
    claims = read_cells(path)
    shown = "verdict" if n_replicates >= MIN_AGREEING else "first"
    supported = [c[shown] for c in pick(claims, published="holds", cannot_fail="") if c[shown] != "not decidable"]
    data_sets = sorted(groups(claims, "dataset"), key=lambda d: d == "")
    by_claim = []
    for (claim_id, text), group in groups(claims, "id", "claim").items():
        verdicts = {c["dataset"]: VACUOUS if c["cannot_fail"] else MARKS[c[shown]] for c in group}
        marks = [Cell(verdicts[d][0], tone=verdicts[d][1]) if d in verdicts else Cell() for d in data_sets]
        by_claim.append([Cell(claim_id), Cell(text, wide=True), *marks])
    columns = [*headed("id", "claim", text=True), *headed(*(d or "all together" for d in data_sets))]
    headings = ["id", "statement", "data set", "verdict", "evidence", "replicates", "published", "source", "place"]
    lines = [
        [
            *(c["id"], c["claim"], c["dataset"] or ("all together" if c["first"] else "")),
            "cannot fail" if c["cannot_fail"] else c[shown] or c["verdict"],
            c["cannot_fail"] or c["evidence"],
            f"{c['replicates_holding']} of {c['replicates_decided']}" if c["replicates_decided"] else "",
            *(c["published"], c["source"], c["place"]),
        ]
        for c in ledger(claims, statements, is_published)
    ]
    whose = "over the replicates" if shown == "verdict" else "of the first replicate"
    return {
        "claims": Grid("claims-table", f"Claims by data set: verdicts {whose}", columns, by_claim),
        "statements": ledger_of(headings, lines, ("source", "data set", "verdict"), ""),
        "shown": shown,
        "claims_needed": MIN_AGREEING,
        "claims_share": f"{100 * AGREEING:g} %",
        "in_words": _verdicts_in_words([c[shown] for c in claims if not c["cannot_fail"]]),
        "supported": len(supported),
        "supported_by": {verdict: supported.count(verdict) for verdict in MARKS},
    }


def _verdicts_in_words(verdicts):
    decidable = [verdict for verdict in verdicts if verdict != "not decidable"]
    holds, fails, open_ = (verdicts.count(verdict) for verdict in ("holds", "fails", "undetermined"))
    of = f"of {counted(len(decidable), 'verdict')} on claims, mostly for single data sets"
    return f"{of}, {holds} are “holds”, {fails} “fails” and {open_} undetermined." if decidable else ""


def ledger_of(headings: list[str], lines: list[list[str]], filters: tuple[str, ...], first: str) -> dict:
    """What `page.js` makes a table of that can be searched; `filters` are columns with a choice of their values."""
    places = {name: headings.index(name) for name in filters}
    choices = [
        (name, name.capitalize(), [value for value in dict.fromkeys(line[place] for line in lines) if value])
        for name, place in places.items()
    ]
    found = {"headings": headings, "rows": lines, "filters": places}
    packed = json.dumps(found, separators=(",", ":"), ensure_ascii=False)
    return {"filters": choices, "first": first, "json": in_script(packed)}


def against_grids(stored: Stored) -> list[Grid]:
    """A row for each pair, with both titles, and the differences on each data set; empty if the config has no pairs."""
    found = differences_of_pairs(stored)
    if not found:
        return []
    data_sets, score = list(groups(found, "dataset")), score_of(found)
    titles = {name: table["title"] for name, table in stored.study.tables.items()}
    rows, on_each = [], []
    for of_pair in groups(found, "name").values():
        first, second = of_pair[0].name, of_pair[0].against
        named = f"{first}: {titles[of_pair[0].experiment]}", f"{second}: {titles[second]}"
        ours, theirs = fmean(d.loss for d in of_pair), fmean(d.loss_against for d in of_pair)
        n = tally(of_pair)
        counts = ((n.lower, n.significantly_lower), (n.higher, n.significantly_higher))
        losses = number(ours), number(theirs), number(ours - theirs, 3, "+")
        on = (Cell(f"{some} of {len(of_pair)} ({significant})", some) for some, significant in counts)
        rows.append([*(Cell(text, wide=True) for text in named), *losses, *on])
        own = {d.dataset: d for d in of_pair}
        on_each.append([Cell(first), *(_difference(own.get(data_set)) for data_set in data_sets)])
    columns = headed("experiment", "compared with", text=True)
    columns += headed(score, "of the other", "difference", "lower on", "higher on")
    caption = f"Mean test {score} over the data sets of both, and on how many it is lower or higher (significantly)"
    each = f"Differences of the mean test {score}; bold: the 95 % interval is on one side of 0"
    return [
        Grid("against-table", caption, columns, rows, sort=False),
        Grid("against-each", each, [*headed("experiment", text=True), *headed(*data_sets)], on_each, sort=False),
    ]


def _difference(found):
    return Cell() if found is None else number(found.difference, 3, "+", "best" if found.is_significant else "")


def over_data_sets_section(stored: Stored) -> list[dict]:
    """What the page says of each comparison of methods, the one with the most pairs last.

    Of several comparisons of the same methods it is the one with the most data sets; with too few nothing is compared.
    """
    found = [c for c in over_data_sets(stored) if c.ranks or c.pairs]
    wider = {frozenset(c.methods): c.comparison for c in sorted(found, key=lambda c: len(c.data_sets))}
    sections = []
    for name in dict.fromkeys(c.comparison for c in found):
        scores = [c for c in found if (c.comparison, c.group) == (name, "all")]
        if name in wider.values():
            main = scores[0]
            shown = [c for c in scores if c.pairs and c.score in ("log-loss", "balanced error")]
            parts = [c for c in found if (c.comparison, c.score) == (name, main.score) and c.group != "all"]
            section = {
                "name": name,
                "title": main.title,
                "figure": slug("ranks", name),
                "n_pairs": len(main.pairs),
                "pairs": counted(len(main.pairs), "pair"),
                "words": f"{_ranked_words(main, _varied(stored, name))}{_words_of_parts(parts)}",
                "power": _power_words(main),
                "grids": [_pairs(c) for c in shown],
            }
            sections.append(section)
    return sorted(sections, key=lambda c: c["n_pairs"])


def _varied(stored, comparison):
    """Methods that experiments of a comparison run with several values of a parameter or several metrics."""
    experiments = stored.study.config["comparisons"][comparison]["experiments"]
    return {run.method for run in stored.study.runs.values() if run.variant and run.experiment in experiments}


def _ranked_words(c, varied):
    t = c.test
    words = f"The comparison has {len(c.methods)} methods by {c.score} on {len(c.data_sets)} data sets of"
    words += f" {counted(t.sources, 'source')}{'; each data set has one replicate' if t.replicates == '1' else ''}."
    if t.too_few == "yes":
        words += (
            f" Ranks are not tested: with fewer than {MIN_DATA_SETS} common data sets no p-value of signed ranks can be"
            f" below {ALPHA}."
        )
    if c.ranks:
        ranked = ", ".join(f"{method_name(row.method)} {row.average_rank:.1f}" for row in c.ranks[:3])
        words += f" The best average ranks are {ranked}."
    if t.f_p is not None:
        words += f" The test of equal methods has p = {t.f_p:.2g} (Friedman, with Iman and Davenport's correction)."
    words += _words_of_the_model(c)
    if t.excluded:
        names = re.sub(r" [(]not [^)]*[)]", "", t.excluded)
        words += f" Data sets without a result of some method are left out: {names}."
    not_run = t.not_run.split(", ") if t.not_run else []
    for reason, left_out in (
        ("were run in several forms", [m for m in not_run if m in varied]),
        ("have no result", [m for m in not_run if m not in varied]),
    ):
        words += f" Left out, because they {reason}: {', '.join(map(method_name, left_out))}." if left_out else ""
    return words


def _words_of_the_model(c):
    """What the hierarchical model expects of a further data set, of few pairs one by one; the table has all."""
    first = method_name(c.methods[0])
    pairs = [pair for pair in c.pairs if pair.first == c.methods[0] and pair.hierarchical_first is not None]
    if len(pairs) > MAX_SAID:
        likeliest: Counter[int] = Counter(max(range(3), key=_hierarchical(pair).__getitem__) for pair in pairs)
        alike = f", and within {ROPE:g} of the other {likeliest[1]}" if likeliest[1] else ""
        return (
            f" By the hierarchical model, on a further data set {first} is most likely better than {likeliest[0]} of"
            f" {len(pairs)} methods, worse than {likeliest[2]}{alike}."
        )
    if not pairs:
        return ""
    results = [
        f"{pair.hierarchical_first:.2f} against {method_name(pair.second)} (worse: {pair.hierarchical_second:.2f})"
        for pair in pairs
    ]
    words = f" By the hierarchical model, the probability that {first} is most likely better on a further data set, by"
    return f"{words} more than {ROPE:g}, is {listed(results)}."


def _hierarchical(pair):
    return pair.hierarchical_first, pair.hierarchical_equivalent, pair.hierarchical_second


def _words_of_parts(parts):
    """The best average ranks on real and on generated data sets, which are not tested."""
    words = ""
    for c in parts:
        averages = rank(c.losses).mean(axis=0)
        best = ", ".join(f"{method_name(c.methods[i])} {averages[i]:.1f}" for i in averages.argsort(kind="stable")[:3])
        words += f" On the {len(c.data_sets)} {c.group} data sets, the best average ranks are {best}."
    return words


def _power_words(c):
    """What the tests of so few data sets can find at all."""
    t = c.test
    if t.too_few == "yes":
        return ""
    words = f"The smallest possible p-value of a pair is {t.smallest_p:.2g}"
    if t.pairs > 1:
        words += f", and {t.smallest_holm_p:.2g} with Holm's correction for all {t.pairs} pairs"
    words += "."
    if t.detectable_shift_holm is None:
        return f"{words} No pair can differ significantly, whatever the scores."
    return (
        f"{words} The power to detect a mean difference of {t.detectable_shift_holm:.1f} standard deviations is then"
        f" {POWER:.0%}."
    )


def _pairs(c):
    is_modelled = any(pair.hierarchical_first is not None for pair in c.pairs)
    columns = [
        *headed("first", "second", text=True),
        *headed("first", "ties", "second", spanner="data sets won"),
        *headed("mean", "90 % from", "to", spanner="difference"),
        *headed("signed rank", "Holm", spanner="p"),
        *headed("first better", f"within {ROPE:g}", "second better", spanner="Bayesian probability"),
        *(headed("first", "within", "second", spanner="most likely on a further data set") if is_modelled else []),
    ]
    lines = [
        [
            *texts(method_name(pair.first), method_name(pair.second)),
            *map(count, (pair.first_wins, pair.ties, pair.second_wins)),
            *(number(value, 3, "+") for value in (pair.mean_difference, pair.low, pair.high)),
            *(p_value(pair.wilcoxon_p), p_value(pair.holm_p)),
            *(number(value, 2) for value in (pair.first_better, pair.equivalent, pair.second_better)),
            *(number(value, 2) for value in (_hierarchical(pair) if is_modelled else ())),
        ]
        for pair in c.pairs
        if pair.first == c.methods[0] or len(c.methods) <= 4
    ]
    caption = f"{c.title}: {c.score}, {len(c.data_sets)} data sets"
    return Grid(slug("pairs", c.comparison, c.score), caption, columns, lines)
