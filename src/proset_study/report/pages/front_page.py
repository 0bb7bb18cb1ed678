"""The pages over all data sets: the front page with the verdict, all tables, and the searches to touch."""

from dataclasses import replace
from functools import partial
from pathlib import Path

from proset_study.base.environment import DIRTY
from proset_study.base.records import read_json
from proset_study.fits.evaluations import KINDS
from proset_study.methods.labels import method_name
from proset_study.report import evaluations
from proset_study.report.analysis.cautions import constant_models, repeated_rows, zero_probability_samples
from proset_study.report.analysis.edges import edges, explained, in_words
from proset_study.report.analysis.losses import generated
from proset_study.report.analysis.manifest import cost_by_method
from proset_study.report.analysis.over_replicates import subject_over_replicates
from proset_study.report.analysis.prototypes import mean_test_errors
from proset_study.report.analysis.published import TOLERANCE_NOTE, agreement
from proset_study.report.analysis.reproduction import foils, power_in_words
from proset_study.report.analysis.response_curves import response_curves, response_section
from proset_study.report.analysis.runs import main_score
from proset_study.report.analysis.variance import noise
from proset_study.report.analysis.verdict import FEWER, OTHERS, Score, Verdict, verdict
from proset_study.report.claims.statements import statements_beside
from proset_study.report.figures.style import slug
from proset_study.report.pages import many
from proset_study.report.pages.data_set import evaluation_grids
from proset_study.report.pages.evidence import (
    against_grids,
    check_grid,
    claims_section,
    over_data_sets_section,
    published_ledger,
)
from proset_study.report.pages.explore import SHOWN, front_charts
from proset_study.report.pages.rendering import read_figures, write_page
from proset_study.report.pages.searches import search_charts
from proset_study.report.pages.when_it_pays import when_it_pays_section
from proset_study.report.rows import groups, read_cells, read_table
from proset_study.report.tables.grids import Cell, Grid, count, grids, headed, number, texts
from proset_study.report.tables.tables import shown_tables
from proset_study.report.wording import model, named
from proset_study.store.stored import Stored
from proset_study.study import layout
from proset_study.study.failures import LOCAL, retry
from proset_study.study.plan import duration


def write_index(folder: Path, stored: Stored, published: Path, options: list[str] = LOCAL) -> None:
    """Write the front page of reports/<study>, which has its claims, manifest, features and figures already.

    `options` are those of the commands that the page gives.
    """
    study, n_replicates = stored.study, len(stored.replicates)
    found, manifest = verdict(stored, published), read_json(folder / layout.MANIFEST)
    not_converged = [name for names in manifest["not_converged"].values() for name in names]
    drawn = read_figures(folder / layout.FIGURES.format(data_set="overview"), folder / layout.INDEX)
    ours = {final.run.experiment for final in stored.finals()} or {row.experiment for row in stored.rows}
    cells = [cell for cell in agreement(stored, published) if cell.experiment in ours]
    is_published = any(cell.ours is not None for cell in cells)
    claims = claims_section(folder / layout.CLAIMS, n_replicates, statements_beside(published), is_published)
    costs = [cost for by_method in manifest["cost"].values() for cost in by_method.values()]
    tables = {**study.config["experiments"], **study.config.get("comparisons", {})}
    write_page(
        folder / layout.INDEX,
        "index.html.j2",
        verdict=found,
        lead=_lead(study.config.get("lead"), folder, claims),
        is_large=study.is_large,
        against=against_grids(stored),
        headline=many.headline(found) if study.is_large else _headline(found),
        study=study.name,
        track=study.track,
        docs=manifest["rendered"]["docs"],
        replicates=stored.replicates,
        n_replicates=n_replicates,
        missing_models=stored.missing_models,
        n_models=sum(1 for _ in study.final_models(stored.replicates)),
        figures={figure["name"]: figure for figure in drawn["figures"]},
        missing=drawn["missing"],
        charts=front_charts(stored, found, published),
        differences=_differences(stored),
        published=is_published,
        tolerance=TOLERANCE_NOTE,
        power=power_in_words(cells),
        foils=foils(stored, cells),
        check=check_grid(cells, n_replicates),
        n_published=len(cells),
        **claims,
        published_numbers=published_ledger(cells),
        errors=_errors(*([], []) if study.is_large else mean_test_errors(stored)),
        noise=many.noise_of_methods(stored) if study.is_large else _noise(stored),
        responses=_responses(stored),
        over_data_sets=over_data_sets_section(stored),
        when_it_pays=when_it_pays_section(stored),
        features=None if study.is_large else _features(folder / layout.FEATURES, stored),
        evaluation_figures=KINDS,
        evaluations=evaluation_grids(stored, stored.finals(), by_data_set=False),
        data_sets=many.data_sets(stored, found) if study.is_large else _data_sets(stored),
        scores=layout.result(study, layout.PARTITIONS),
        fits=sum(cost["fits"] for cost in costs),
        duration=duration(sum(cost["fit_cpu_s"] + cost["score_cpu_s"] for cost in costs)),
        cost=_cost(manifest),
        n_not_converged=len(not_converged),
        not_converged=many.by_run(not_converged) if study.is_large else not_converged,
        **_cautions(stored),
        edges=_edges(stored),
        not_run=[e for e in study.experiments if e not in ours],
        not_selected=[name for name in tables if name not in study.tables],  # `only` leaves nothing to run of them
        titles={name: entry["title"] for name, entry in tables.items()},
        command=partial(retry, options=options),
        manifest=manifest,
        dirty=(manifest["commit"] or "").endswith(DIRTY),
    )


def write_tables(path: Path, stored: Stored, published: Path, options: list[str] = LOCAL) -> None:
    """Write the page of all tables; `published` is the CSV file of the published numbers."""
    comparisons = stored.study.config.get("comparisons", {})
    found = shown_tables(stored, published)
    shown = [
        {"name": table.name, "title": table.title, "grids": grids(table, table.name in comparisons)}
        for table, is_run in found
        if is_run
    ]
    write_page(
        path,
        "tables.html.j2",
        study=stored.study.name,
        n_replicates=len(stored.replicates),
        tables=shown,
        not_run=[table for table, is_run in found if not is_run and table.name in stored.study.tables],
        command=partial(retry, options=options),
    )


def write_explore(path: Path, stored: Stored) -> None:
    """Write the page of searches and of prototypes as images."""
    is_large = stored.study.is_large
    write_page(
        path,
        "explore.html.j2",
        study=stored.study.name,
        data_sets=[d for d in stored.study.data_sets if stored.finals(data_set=d)][: SHOWN if is_large else None],
        n_left_out=max(0, len(stored.study.data_sets) - SHOWN) if is_large else 0,
        charts=search_charts(stored),
    )


def _lead(what, folder, claims):
    """What is said before the verdict and in its way, if the config asks for it."""
    if what == "claims" and claims["in_words"]:
        return [("Claims:", claims["in_words"])]
    if what == "estimates":
        kind, path = "error_estimates", folder / layout.evaluation_file("error_estimates")
        found = evaluations.get(kind).sentences(read_table(path)) if path.is_file() else []
        return [("Estimates:", f"{found[0][0].lower()}{found[0][1:]}")] if found else []
    return []


def _headline(found: Verdict):
    columns = [*headed("data set", text=True), *headed(*map(method_name, found.methods))]
    if found.rest:
        columns += [*headed(OTHERS), *headed("which", text=True)]
    rows = []
    for data_set, scores in found.scores.items():
        row = [Cell(data_set, link="#data-sets")]
        row += [_score_cell(scores.get(method), found.replicates) for method in found.methods]
        if found.rest:
            method, score = found.rest.get(data_set, ("", None))
            row += [_score_cell(score, found.replicates), Cell(method_name(method) if method else "", tone="text")]
        rows.append(row)
    shown = [*(s for of_set in found.scores.values() for s in of_set.values()), *(s for _, s in found.rest.values())]
    caption = f"Test {found.score} of one replicate"
    if found.replicates > 1:
        caption = f"Mean test {found.score} over {found.replicates} replicates"
        bold = "not significantly worse than the best of all"
        caption += f"; bold: {bold}" if any(score.best for score in shown) else "; single data sets are not tested"
    if any(score.replicates < found.replicates for score in shown):
        caption += f"; {FEWER}: fewer replicates"
    return Grid("headline-table", f"{caption}.", columns, rows)


def _score_cell(score: Score | None, replicates: int) -> Cell:
    if score is None:
        return Cell()
    return _mean_cell(score.mean, 3, "best" * score.best, score.replicates < replicates)


def _mean_cell(mean, digits, tone, is_of_fewer):
    """A mean, marked if it is of fewer replicates than others."""
    cell = number(mean, digits, tone=tone)
    return replace(cell, text=f"{cell.text}{FEWER * is_of_fewer}")


def _differences(stored):
    """How the subject's paired differences come out, in words; empty without enough replicates."""
    first, rows = method_name(stored.study.subject), subject_over_replicates(stored)
    if not rows:
        return ""
    below, above = sum(r["high"] < 0 for r in rows), sum(r["low"] > 0 for r in rows)
    return (
        f"Of {len(rows)} paired differences between {first} and another method on a data set, {below} are significantly"
        f" below 0 ({first} is better) and {above} above 0, by unadjusted 95 % intervals."
    )


def _errors(names, rows):
    if not rows:
        return None
    columns = [*headed("method", text=True), *headed(*(row["data_set"] for row in rows))]
    most = max(c["replicates"] for row in rows for c in row["cells"] if c)
    cells = zip(*(row["cells"] for row in rows), strict=True)  # of each method
    lines = [[Cell(method_name(n)), *(_error_cell(c, most) for c in of)] for n, of in zip(names, cells, strict=True)]
    caption = "Test error in %, means over replicates and fit seeds"
    shown = [cell for row in rows for cell in row["cells"] if cell]
    is_marked = any(cell["replicates"] < most for cell in shown)
    if any(cell["best"] for cell in shown):
        caption += "; bold: not significantly worse than the best of the column"
        caption += f" of those with {most} replicates" if is_marked else ""
    if is_marked:
        caption += f"; {FEWER}: fewer replicates, not compared"
    return Grid("errors", caption, columns, lines)


def _error_cell(cell: dict | None, replicates: int) -> Cell:
    if cell is None:
        return Cell()
    fewer = cell["replicates"] < replicates
    return _mean_cell(100 * cell["error"], 1, "best" if cell["best"] else "soft" if fewer else "", fewer)


def _noise(stored):
    columns = headed("data set", "method", text=True) + headed("replicates", "fit seeds", "mean") + many.SPREAD
    rows = [
        [
            *(Cell(row.dataset), Cell(method_name(row.method), wide=True)),
            *(count(row.replicates), count(row.fit_seeds), number(row.mean)),
            *map(number, (row.between_splits, row.between_seeds, row.one_fit, row.standard_error)),
        ]
        for row in noise(stored)
    ]
    return Grid("noise-table", f"Variation of the test {main_score(stored.study)}", columns, rows)


def _responses(stored):
    found = []
    for curves in response_section(response_curves(stored), stored.study.subject):
        columns = [*headed("varied", text=True), *headed("value", "Bayes", *curves["methods"])]
        rows = [texts(*row) for row in curves["rows"]]
        caption = f"Mean {curves['title']} of the Bayes rule, and excess of each method over it"
        grid = Grid(slug("responses", curves["title"]), caption, columns, rows)
        found.append({**curves, "grid": grid, "figure": f"response_{curves['score']}"})
    return found


def _features(path, stored):
    """Which features are selected, where there are several replicates; of the experiments that are compared."""
    rows = [r for r in read_cells(path) if not r["variant"] and int(r["replicates"]) > 1]
    rows = [r for r in rows if r["experiment"] in stored.study.compared_experiments]
    lines = []
    for (data_set, experiment), features in groups(rows, "dataset", "experiment").items():
        n = int(features[0]["replicates"])
        by_count = sorted(features, key=lambda r: -int(r["selected"]))
        sometimes = [r for r in by_count if 0 < int(r["selected"]) < n]
        words = ", ".join(f"{r['feature']} ({r['selected']})" for r in sometimes[:6])
        always, never = (sum(int(r["selected"]) == m for r in features) for m in (n, 0))
        numbers = (count(number) for number in (n, len(features), always, never))
        method = stored.study.config["experiments"][experiment]["method"]
        shown = Cell(named(method, experiment), wide=True)
        lines.append([Cell(data_set), shown, *numbers, Cell(words, wide=True)])
    if not lines:
        return None
    columns = headed("data set", "method (experiment)", text=True)
    columns += headed("replicates", "features", "always", "never")
    columns += headed("sometimes (in how many replicates)", text=True)
    return Grid("features", "Features with a positive weight in the final models", columns, lines)


def _data_sets(stored):
    numbers = headed("training samples", "test samples", "features", "classes")
    columns = [*headed("data set", text=True), *numbers, *headed("origin", text=True)]
    rows = []
    for data_set in stored.study.data_sets:
        if finals := stored.finals(data_set=data_set):
            data, n_test = finals[0].data, len(finals[0].y)
            sizes = (len(data.y) - n_test, n_test, data.n_features, len(data.class_names))
            origin = Cell("generated" if generated(stored, data_set) else "real")
            rows.append([Cell(data_set, link=layout.PAGE.format(data_set=data_set)), *map(count, sizes), origin])
    return Grid("data-sets-table", "Data sets, each with a page", columns, rows)


def _cautions(stored):
    """Models and data sets to be careful with; of many the first ones, and how many more there are."""
    by_loss = sorted(zero_probability_samples(stored), key=lambda found: found[2] - found[0].scores["log_loss"])
    constant, more_constant = many.first(constant_models(stored), 10)
    unlikely, more_unlikely = many.first(by_loss, 10)
    repeated, more_repeated = many.first(list(repeated_rows(stored).items()), 10)
    return {
        "constant": [_named(final) for final in constant],
        "zero_probability": [
            {**_named(f), "n": n, "n_test": len(f.y), "log_loss": f.scores["log_loss"], "others": others}
            for f, n, others in unlikely
        ],
        "repeated_rows": dict(repeated),
        "more": {"constant": more_constant, "zero_probability": more_unlikely, "repeated_rows": more_repeated},
    }


def _named(final):
    return {"model": model(final), "data_set": final.data_set}


def _cost(manifest):
    columns = headed("method", text=True) + headed("fits") + headed("fits", "scoring", spanner="CPU s")
    rows = []
    for method, total in cost_by_method(manifest).items():
        seconds = (total["fit_cpu_s"], total["score_cpu_s"], 1000 * total["fit_cpu_s"] / total["fits"])
        rows.append([Cell(method_name(method)), count(total["fits"]), *(number(s, 1) for s in seconds)])
    columns += headed("CPU ms per fit")
    return Grid("cost", "Number and CPU time of the fits, over all replicates", columns, rows)


def _edges(stored):
    """Lines by whether they are explained; of a large study one for each end of each search."""
    if stored.study.is_large:
        lines = many.edges_in_words(edges(stored))
        return {"ends of searches": lines} if lines else {}
    by_state = groups(explained(stored.study, edges(stored)), lambda edge: bool(edge.explanation))
    words = {"edges without an explanation": by_state.get(False), "edges with an explanation": by_state.get(True)}
    return {what: list(map(in_words, found)) for what, found in words.items() if found}
