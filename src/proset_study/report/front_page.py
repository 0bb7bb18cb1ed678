"""The front page: the verdict, and everything else that is said of a whole study."""

import csv
import json
import re
from functools import partial
from pathlib import Path

from proset_study import layout
from proset_study.environment import DIRTY
from proset_study.evaluations import KINDS
from proset_study.records import read_json
from proset_study.report.cautions import constant_models, repeated_rows, zero_probability_samples
from proset_study.report.charts import library
from proset_study.report.claims.registry import MIN_AGREEING
from proset_study.report.claims.statements import ledger, statements_beside
from proset_study.report.edges import edges, explained, in_words
from proset_study.report.explore import front_charts
from proset_study.report.figures.style import method_name, slug
from proset_study.report.findings import methods_over_replicates
from proset_study.report.grids import Cell, Column, Grid, count, number, p_value, texts
from proset_study.report.losses import ROPE
from proset_study.report.manifest import cost_by_method
from proset_study.report.over_data_sets import LIMITS, over_data_sets
from proset_study.report.pages import evaluation_grids, named, page_of, read_figures, write_page
from proset_study.report.prototypes import test_errors
from proset_study.report.published import TOLERANCE_NOTE, agreement, summary
from proset_study.report.reproduction import FOIL, reproduction
from proset_study.report.response_curves import response_curves, response_section
from proset_study.report.tables import SECTIONS, format_number, quantity_label
from proset_study.report.variance import noise
from proset_study.report.verdict import Verdict, compared_experiments, verdict
from proset_study.store.stored import Stored
from proset_study.workflow.failures import LOCAL, retry
from proset_study.workflow.plan import duration

MARKS = {
    "holds": ("✓", "good"),
    "fails": ("✗", "bad"),
    "undetermined": ("?", ""),
    "not decidable": ("\N{EN DASH}", "soft"),
}
VACUOUS = ("○", "soft")
GLOSSARY = (
    (
        "g-experiments",
        "E1 to E12",
        "experiments of the published study; E13 on, S, D and X are ours. tables.html says what each is.",
    ),
    ("g-replicate", "replicate", "the whole study once more with its own data or split, folds, draws and parameters."),
    (
        "g-log-loss",
        "log-loss",
        "mean of minus the logarithm of the probability of the true class, in nats; 0.69 is guessing between two.",
    ),
    (
        "g-threshold",
        "threshold (T)",
        "lowest mean log-loss in cross-validation plus its standard deviation over the folds; the published rule takes"
        " the simplest setting below it.",
    ),
    ("g-prototypes", "prototypes", "weighted training samples that a prediction is a sum over."),
    (
        "g-features",
        "active features",
        "features with a positive weight in some batch; of trees, those with positive importance.",
    ),
    (
        "g-familiarity",
        "familiarity",
        "weight of the prototypes near a sample; near 0 the prediction is the class prior.",
    ),
    ("g-cccd", "CCCD", "class cover catch digraphs: balls around prototypes that cover their own class only."),
    (
        "g-tolerance",
        "tolerance",
        "how far a number may be from the published one to agree with it; written above the table that uses it.",
    ),
    ("g-rank", "average rank", "mean over the data sets of a method's place by its score; 1 is best."),
)


def write_index(folder: Path, stored: Stored, published: Path, options: list[str] = LOCAL) -> None:
    """Write the front page.

    Parameters
    ----------
    folder : Path
        reports/<study>, with its claims, manifest, features and figures.
    stored : Stored
    published : Path
        CSV file of the published numbers.
    options : list of str, optional
        Those of the commands that the page gives.
    """
    study, n_replicates = stored.study, len(stored.replicates)
    found, manifest = verdict(stored, published), read_json(folder / layout.MANIFEST)
    drawn = read_figures(folder / layout.FIGURES.format(data_set="overview"))
    ours = {final.run.experiment for final in stored.finals()}
    cells = [cell for cell in agreement(stored, published) if cell["experiment"] in ours]
    is_published = any(cell["ours"] is not None for cell in cells)
    claims = _claims(folder / layout.CLAIMS, n_replicates, statements_beside(published), is_published)
    costs = [cost for by_method in manifest["cost"].values() for cost in by_method.values()]
    with_prototypes, errors = test_errors(stored)
    write_page(
        folder / layout.INDEX,
        "index.html.j2",
        verdict=found,
        headline=_headline(found, stored),
        study=study.name,
        track=study.track,
        docs=_docs(folder),
        replicates=stored.replicates,
        n_replicates=n_replicates,
        missing_models=stored.missing_models,
        n_models=sum(1 for _ in study.final_models(stored.replicates)),
        figures={figure["name"]: figure for figure in drawn["figures"]},
        missing=drawn["missing"],
        charts=front_charts(stored, found, published),
        library=library,
        differences=_differences(stored),
        published=is_published,
        tolerance=TOLERANCE_NOTE,
        foils=[row for row in reproduction(stored, published) if row["what"].startswith(FOIL.partition("{")[0])],
        check=_check(cells, n_replicates),
        n_published=len(cells),
        **claims,
        published_numbers=_published_ledger(cells),
        errors=_errors(with_prototypes, errors),
        noise=_noise(stored),
        responses=_responses(stored),
        over_data_sets=over_data_sets_section(stored),
        features=_features(folder / layout.FINDINGS / "selected_features.csv", stored),
        evaluation_figures=KINDS,
        evaluations=evaluation_grids(stored, stored.finals(), by_data_set=False),
        data_sets=_data_sets(stored),
        fits=sum(cost["fits"] for cost in costs),
        duration=duration(sum(cost["fit_cpu_s"] + cost["score_cpu_s"] for cost in costs)),
        cost=_cost(manifest),
        not_converged=[name for names in manifest["not_converged"].values() for name in names],
        constant=[named(f) for f in constant_models(stored)],
        zero_probability=[
            {**named(f), "n": n, "n_test": len(f.y), "log_loss": f.scores["log_loss"], "others": others}
            for f, n, others in zero_probability_samples(stored)
        ],
        repeated_rows=repeated_rows(stored),
        edges=_edges(stored),
        not_run=[e for e in study.experiments if e not in ours],
        not_selected=_not_selected(study),
        command=partial(retry, options=options),
        manifest=manifest,
        dirty=(manifest["commit"] or "").endswith(DIRTY),
        glossary=GLOSSARY,
    )


def _headline(found: Verdict, stored):
    columns = [Column("data set", text=True), *(Column(method_name(m)) for m in found.methods)]
    rows = []
    for data_set, scores in found.scores.items():
        row = [Cell(data_set, link="#data-sets")]
        for score in (scores.get(method) for method in found.methods):
            tone = "" if score is None else "best" if score.best else "soft" if score.deviation is None else ""
            row.append(number(None if score is None else score.mean, tone=tone))
        rows.append(row)
    caption = f"Test {found.score} of one replicate"
    if found.replicates > 1:
        caption = f"Mean test {found.score} over {found.replicates} replicates; bold: not to be told from the best"
        if any(s.deviation is None for scores in found.scores.values() for s in scores.values()):
            caption += "; grey: one replicate"
    return Grid("headline-table", f"{caption}.", columns, rows)


def _docs(folder):
    """Where the documentation is, seen from the report; empty outside of the repository."""
    return "../../docs/" if (folder.parent.parent / "docs/statistics.md").exists() else ""


def _differences(stored):
    """How the first method's paired differences come out, in words; empty without replicates."""
    rows = [r for r in methods_over_replicates(stored) if r["score"] == "log-loss"]
    first = rows[0]["first"] if rows else ""
    rows = [r for r in rows if r["first"] == first]
    if not rows:
        return ""
    sure = sum(r["high"] < 0 for r in rows), sum(r["low"] > 0 for r in rows)
    return (
        f"Of {len(rows)} paired differences between {method_name(first)} and another method on a data set, {sure[0]}"
        f" are below 0 with their 95 % intervals ({method_name(first)} is better), {sure[1]} above."
    )


def _check(cells, n_replicates):
    columns = [Column("experiment", text=True), *map(Column, ("within", "of", "proportion"))]
    columns += (
        [*map(Column, ("two runs of ours", "outside, in the prediction interval", "outside of both"))]
        if n_replicates > 1
        else []
    )
    rows = []
    for row in summary(cells):
        share = row["within"] / row["compared"] if row["compared"] else None
        line = [Cell(row["experiment"], link="" if row["experiment"] == "all" else f"tables.html#{row['experiment']}")]
        line += [count(row["within"]), count(row["compared"]), _percent(share)]
        line += [_percent(row["repeated"]), count(row["chance"]), count(row["unexplained"])] if n_replicates > 1 else []
        rows.append(line)
    return Grid("check-table", "Published test scores within the tolerance, by experiment", columns, rows, sort=False)


def _percent(share):
    return Cell() if share is None else Cell(f"{100 * share:.0f} %", share)


def _published_ledger(cells):
    kinds = {"yes": "within", "no": "outside", "missing": "missing", "": "not judged"}
    rows = []
    for c in cells:
        shown = ("published", "ours", "difference")
        numbers = ["" if c[which] is None else format_number(c["quantity"], c[which]) for which in shown]
        names = f"{c['experiment']} {c['variant']}".strip(), c["dataset"]
        where = *names, SECTIONS[c["section"]].partition(",")[0], quantity_label(c["quantity"])
        rows.append([*where, *numbers, kinds[c["within"]]])
    headings = ["experiment", "data set", "section", "quantity", "published", "ours", "difference", "tolerance"]
    return _ledger(
        headings, rows, {"experiment": "Experiment", "data set": "Data set", "tolerance": "Tolerance"}, "outside"
    )


def _claims(path, n_replicates, statements, is_published):
    """The claims as a grid by claim and data set, as a ledger with their evidence, and how many hold."""
    with path.open(encoding="utf-8", newline="") as file:
        claims = list(csv.DictReader(file))
    shown = "verdict" if n_replicates >= MIN_AGREEING else "first"
    supported = [
        c
        for c in claims
        if c["published"] == "holds" and c[shown] in ("holds", "fails", "undetermined") and not c["cannot_fail"]
    ]
    data_sets = sorted(dict.fromkeys(c["dataset"] for c in claims), key=lambda d: d == "")
    rows = []
    for (claim_id, text), group in _grouped(claims, "id", "claim").items():
        verdicts = {c["dataset"]: VACUOUS if c["cannot_fail"] else MARKS[c[shown]] for c in group}
        marks = [Cell(verdicts[d][0], tone=verdicts[d][1]) if d in verdicts else Cell() for d in data_sets]
        rows.append([Cell(claim_id), Cell(text, wide=True), *marks])
    columns = [Column("id", text=True), Column("claim", text=True), *(Column(d or "together") for d in data_sets)]
    headings = ["id", "statement", "data set", "verdict", "evidence", "replicates", "published", "source", "place"]
    lines = [
        [
            *(c["id"], c["claim"], c["dataset"] or ("together" if c["first"] else "")),
            "cannot fail" if c["cannot_fail"] else c[shown] or c["verdict"],
            c["cannot_fail"] or c["evidence"],
            f"{c['replicates_holding']} of {c['replicates_decided']}" if c["replicates_decided"] else "",
            *(c["published"], c["source"], c["place"]),
        ]
        for c in ledger(claims, statements, is_published)
    ]
    return {
        "claims": Grid(
            "claims-table",
            f"Claims by data set: verdicts of {'the replicates' if shown == 'verdict' else 'the first replicate'}",
            columns,
            rows,
        ),
        "statements": _ledger(headings, lines, {"source": "Source", "data set": "Data set", "verdict": "Verdict"}, ""),
        "shown": shown,
        "claims_needed": MIN_AGREEING,
        "supported": len(supported),
        "supported_by": {verdict: sum(c[shown] == verdict for c in supported) for verdict in MARKS},
    }


def _ledger(headings: list[str], rows: list[list[str]], filters: dict[str, str], first: str):
    """What `page.js` makes a table of that can be searched; `filters` are columns with a choice of their values."""
    places = {name: headings.index(name) for name in filters}
    choices = [
        (name, title, [value for value in dict.fromkeys(row[places[name]] for row in rows) if value])
        for name, title in filters.items()
    ]
    packed = json.dumps(
        {"headings": headings, "rows": rows, "filters": places}, separators=(",", ":"), ensure_ascii=False
    )
    return {"filters": choices, "first": first, "json": packed.replace("</", "<\\/")}


def _grouped(rows, *keys):
    groups: dict[tuple, list[dict]] = {}
    for row in rows:
        groups.setdefault(tuple(row[key] for key in keys), []).append(row)
    return groups


def _errors(names, rows):
    if not rows:
        return None
    columns = [Column("data set", text=True), *(Column(method_name(name)) for name in names)]
    lines = [
        [
            Cell(row["data_set"], link="#data-sets"),
            *(Cell() if c is None else number(100 * c["error"], 1, tone="best" * c["best"]) for c in row["cells"]),
        ]
        for row in rows
    ]
    caption = "Test error in %, means over replicates and fit seeds; bold: not to be told from the best"
    return Grid("errors", caption, columns, lines)


def _noise(stored):
    columns = [Column("data set", text=True), Column("method", text=True)]
    columns += [*map(Column, ("replicates", "fit seeds", "mean"))]
    columns += [Column(title, "standard deviation") for title in ("between splits", "between seeds", "one fit")]
    rows = [
        [
            *(Cell(row["dataset"]), Cell(method_name(row["method"]), wide=True)),
            *(count(row["replicates"]), count(row["fit_seeds"]), number(row["mean"])),
            *(number(row[key]) for key in ("between_splits", "between_seeds", "one_fit", "standard_error")),
        ]
        for row in noise(stored)
    ]
    return Grid("noise-table", "Noise of the test log-loss", [*columns, Column("standard error of the mean")], rows)


def _responses(stored):
    found = []
    for curves in response_section(response_curves(stored)):
        columns = [Column("varied", text=True), Column("value"), Column("Bayes"), *map(Column, curves["methods"])]
        rows = [texts(row["title"], row["value"], row["bayes"], *row["cells"]) for row in curves["rows"]]
        grid = Grid(
            slug("responses", curves["title"]),
            f"Mean excess {curves['title']}, and that of the Bayes rule",
            columns,
            rows,
        )
        found.append({**curves, "grid": grid, "figure": f"response_{curves['score']}"})
    return found


def over_data_sets_section(stored: Stored) -> list[dict]:
    """What the page says of each comparison of methods, the one with the most pairs last.

    Of several comparisons of the same methods it is the one with the most data sets.

    Returns
    -------
    list of dict
        "name", "title", "figure" (its name), "words", "power" (what tests can find), "n_pairs", "grids" (of pairs).
    """
    found = over_data_sets(stored)
    wider = {frozenset(c.methods): c.comparison for c in sorted(found, key=lambda c: len(c.data_sets))}
    sections = []
    for (name,), group in _grouped([{"comparison": c.comparison, "c": c} for c in found], "comparison").items():
        scores = [row["c"] for row in group if row["c"].group == "all"]
        if name in wider.values():
            main = scores[0]
            shown = [c for c in scores if c.pairs and c.score in ("log-loss", "balanced error")]
            section = {"name": name, "title": main.title, "figure": slug("ranks", name), "n_pairs": len(main.pairs)}
            section |= {"words": _ranked_words(main), "power": _power_words(main), "grids": [_pairs(c) for c in shown]}
            sections.append(section)
    return sorted(sections, key=lambda c: c["n_pairs"])


def _ranked_words(c):
    t, first = c.test, method_name(c.methods[0])
    words = f"{len(c.methods)} methods by {c.score} on {len(c.data_sets)} data sets of {t['sources']} sources."
    if t["too_few"] == "yes":
        words += (
            f" Ranks are not tested: {t['data_sets']} common data sets are too few, {LIMITS['data_sets']} are the least"
            f" with which a p can be below {LIMITS['alpha']}."
        )
    if c.ranks:
        ranked = ", ".join(f"{method_name(row['method'])} {row['average_rank']:.1f}" for row in c.ranks[:3])
        words += f" Best average ranks: {ranked}."
    if t["f_p"] is not None:
        words += f" All equal? Friedman's test with Iman and Davenport's correction: p = {t['f_p']:.2g}."
    for pair in c.pairs:
        if pair["first"] == c.methods[0] and pair["hierarchical_first"] is not None:
            words += (
                f" On a further data set {first} is better than {method_name(pair['second'])} by more than {ROPE:g}"
                f" with probability {pair['hierarchical_first']:.2f}, worse with {pair['hierarchical_second']:.2f}."
            )
    if t["excluded"]:
        names = re.sub(r" [(]not [^)]*[)]", "", t["excluded"])
        words += f" Left out, because a method has no result there: {names}."
    return f"{words} Without any result: {t['not_run']}." if t["not_run"] else words


def _power_words(c):
    """What the tests of so few data sets can find at all."""
    t = c.test
    if t["too_few"] == "yes":
        return ""
    words = (
        f"The smallest possible p of a pair is {t['smallest_p']:.2g}, with Holm's correction for all {t['pairs']} pairs"
    )
    words += f" {t['smallest_holm_p']:.2g}"
    if t["detectable_shift_holm"] is None:
        return f"{words}: no pair can be found different, whatever the scores."
    return (
        f"{words}: a mean difference of {t['detectable_shift_holm']:.1f} standard deviations would be found with a"
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
            *texts(method_name(r["first"]), method_name(r["second"])),
            *(count(r[key]) for key in ("first_wins", "ties", "second_wins")),
            *(number(r[key], 3, "+") for key in ("mean_difference", "low", "high")),
            *(p_value(r["wilcoxon_p"]), p_value(r["holm_p"])),
            *(number(r[key], 2) for key in ("first_better", "equivalent", "second_better")),
        ]
        for r in c.pairs
        if r["first"] == c.methods[0] or len(c.methods) <= 4
    ]
    return Grid(
        slug("pairs", c.comparison, c.score), f"{c.title}: {c.score}, {len(c.data_sets)} data sets", columns, rows
    )


def _features(path, stored):
    """Which features are selected, where there are several replicates; of the experiments that are compared."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = [r for r in csv.DictReader(file) if not r["variant"] and int(r["replicates"]) > 1]
    groups = _grouped(rows, "dataset", "experiment")
    lines = []
    for (data_set, experiment), features in groups.items():
        if experiment not in compared_experiments(stored):
            continue
        n = int(features[0]["replicates"])
        by_count = sorted(features, key=lambda r: -int(r["selected"]))
        sometimes = [r for r in by_count if 0 < int(r["selected"]) < n]
        words = ", ".join(f"{r['feature']} {r['selected']}" for r in sometimes[:6])
        always, never = (sum(int(r["selected"]) == m for r in features) for m in (n, 0))
        numbers = (count(number) for number in (n, len(features), always, never))
        lines.append([Cell(data_set), Cell(experiment, wide=True), *numbers, Cell(words, wide=True)])
    if not lines:
        return None
    columns = [Column("data set", text=True), Column("experiment", text=True)]
    columns += map(Column, ("replicates", "features", "always", "never"))
    columns.append(Column("sometimes, in how many replicates", text=True))
    return Grid("features", "Features with a positive weight in the final models", columns, lines)


def _data_sets(stored):
    columns = [Column("data set", text=True)]
    columns += map(Column, ("training samples", "test samples", "features", "classes"))
    columns.append(Column("searches", text=True))
    rows = []
    for data_set in stored.study.data_sets:
        if finals := stored.finals(data_set=data_set):
            data, n_test = finals[0].data, len(finals[0].y)
            sizes = (len(data.y) - n_test, n_test, data.n_features, len(data.class_names))
            searches = Cell("searches", link=f"explore.html#{data_set}", wide=True)
            rows.append([Cell(data_set, link=page_of(data_set)), *map(count, sizes), searches])
    return Grid("data-sets-table", "Data sets, each with a page", columns, rows)


def _cost(manifest):
    columns = [
        Column("method", text=True),
        Column("fits"),
        Column("fits", "CPU s"),
        Column("scoring", "CPU s"),
        Column("CPU ms a fit"),
    ]
    rows = [
        [
            Cell(method_name(m)),
            count(t["fits"]),
            number(t["fit_cpu_s"], 1),
            number(t["score_cpu_s"], 1),
            number(1000 * t["fit_cpu_s"] / t["fits"], 1),
        ]
        for m, t in cost_by_method(manifest).items()
    ]
    return Grid("cost", "What the fits cost, over all replicates", columns, rows)


def _edges(stored):
    """Lines by whether they are explained."""
    found = explained(stored.study, edges(stored))
    return {
        what: lines
        for what, wanted in (("not explained", False), ("explained", True))
        if (lines := [in_words(edge) for edge in found if bool(edge["explanation"]) == wanted])
    }


def _not_selected(study):
    """Tables for which `only` leaves nothing to run."""
    listed = [*study.config["experiments"], *study.config.get("comparisons", {})]
    return [name for name in listed if name not in study.tables]
