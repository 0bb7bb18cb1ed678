"""The pages of the report, each one HTML file without external assets."""

import base64
import csv
import io
from functools import partial
from pathlib import Path

import jinja2
import numpy as np
from PIL import Image

from proset_study import layout, methods
from proset_study.data.metrics import EUCLIDEAN
from proset_study.data.splits import TEST
from proset_study.evaluations import KINDS
from proset_study.records import read_json, write_text
from proset_study.report import evaluations
from proset_study.report.claims.registry import MIN_AGREEING
from proset_study.report.edges import edges, explained, in_words
from proset_study.report.evaluation import class_rows, confusion_of
from proset_study.report.explanations import explained_points
from proset_study.report.figures.style import method_name
from proset_study.report.front import constant_models, headline, zero_probability_samples
from proset_study.report.over_data_sets import LIMITS, OverDataSets, over_data_sets
from proset_study.report.prototypes import test_errors
from proset_study.report.published import TOLERANCE_NOTE, agreement, summary
from proset_study.report.reproduction import reproduction
from proset_study.report.response_curves import response_section
from proset_study.report.tables import format_number, study_tables
from proset_study.report.variance import noise
from proset_study.store.stored import Final, Stored
from proset_study.workflow.failures import LOCAL, retry
from proset_study.workflow.plan import duration


def write_index(
    path: Path,
    stored: Stored,
    published: Path,
    claims: Path,
    manifest: dict,
    figures: Path,
    options: list[str] = LOCAL,
) -> None:
    """Write the front page.

    Parameters
    ----------
    path : Path
    stored : Stored
    published : Path
        CSV file of the published numbers.
    claims : Path
        What `claims.write_claims` wrote.
    manifest : dict
        What `manifest.manifest` gives.
    figures : Path
        Folder with the figures over all data sets.
    options : list of str, optional
        Those of the commands that the page gives.
    """
    names, rows = headline(stored)
    with_prototypes, errors = test_errors(stored)
    pages = {final.data_set for final in stored.finals()}
    cells = agreement(stored, published)
    with claims.open(encoding="utf-8", newline="") as file:
        verdicts = list(csv.DictReader(file))
    config = stored.study.config
    drawn = read_figures(figures)
    shown = "verdict" if len(stored.replicates) >= MIN_AGREEING else "first"
    decided = [c for c in verdicts if c[shown] != "not decidable" and not c["cannot_fail"]]
    *by_experiment, everything = summary(cells)
    costs = [cost for by_method in manifest["cost"].values() for cost in by_method.values()]
    write_text(
        path,
        _render(
            "index.html.j2",
            missing_models=stored.missing_models,
            n_models=sum(1 for _ in stored.study.final_models(stored.replicates)),
            study=stored.study.name,
            replicates=stored.replicates,
            n_replicates=len(stored.replicates),
            agreement=everything,
            reproduction=(found := {row["what"]: row for row in reproduction(stored, published)}),
            foils=[row for what, row in found.items() if what.startswith("test scores of our")],
            summary=[*by_experiment, everything],
            tolerance=TOLERANCE_NOTE,
            cells=[_checked(c) for c in cells],
            claims=verdicts,
            shown=shown,
            claims_needed=MIN_AGREEING,
            claims_held=sum(c[shown] == "holds" for c in decided),
            claims_decided=len(decided),
            claims_undetermined=sum(c[shown] == "undetermined" for c in decided),
            supported=sum(c["published"] == "holds" for c in decided),
            supported_held=sum(c["published"] == c[shown] == "holds" for c in decided),
            claims_open=sum(c[shown] == "not decidable" for c in verdicts),
            claims_vacuous=sum(bool(c["cannot_fail"]) for c in verdicts),
            fits=sum(cost["fits"] for cost in costs),
            duration=duration(sum(cost["fit_cpu_s"] + cost["score_cpu_s"] for cost in costs)),
            not_converged=[name for names in manifest["not_converged"].values() for name in names],
            methods=[method_name(name) for name in names],
            headline=[{**row, "page": _page(row["data_set"]) if row["data_set"] in pages else ""} for row in rows],
            with_prototypes=[method_name(name) for name in with_prototypes],
            errors=[{**row, "page": _page(row["data_set"])} for row in errors],
            noise=noise(stored),
            constant=[_named(f) for f in constant_models(stored)],
            zero_probability=[
                {**_named(f), "n": n, "n_test": len(f.y), "log_loss": f.scores["log_loss"], "others": others}
                for f, n, others in zero_probability_samples(stored)
            ],
            track=stored.study.track,
            edges=_edges(stored),
            not_run=[e for e in stored.study.experiments if e not in {f.run.experiment for f in stored.finals()}],
            not_selected=_not_selected(stored.study),
            command=partial(retry, options=options),
            over_data_sets=_over_data_sets(stored),
            limits=LIMITS,
            responses=response_section(stored),
            name=method_name,
            figures=_by_category(drawn["figures"]),
            missing=drawn["missing"],
            data_sets=[
                {"name": d, "page": _page(d), "description": description(stored.finals(data_set=d)[0])}
                for d in stored.study.data_sets
                if stored.finals(data_set=d)
            ],
            evaluations=_evaluations(stored, stored.finals(), by_data_set=False),
            tables=[_table(table, config) for table in study_tables(stored, published)],
            manifest=manifest,
        ),
    )


def write_data_set(path: Path, stored: Stored, data_set: str, figures: Path, options: list[str] = LOCAL) -> None:
    """Write the page of one data set; `figures` is the folder with its figures, `options` those of its commands."""
    finals = stored.finals(data_set=data_set)
    drawn = read_figures(figures)
    first = finals[0]
    planned = {run.experiment for run in stored.study.runs.values() if data_set in run.data_sets}
    counts = [np.bincount(first.data.y[part], minlength=len(first.data.class_names)) for part in _parts(first)]
    write_text(
        path,
        _render(
            "data_set.html.j2",
            missing_models=[model for model in stored.missing_models if model.data_set == data_set],
            partial=bool(stored.missing_models),
            study=stored.study.name,
            track=stored.study.track,
            name=data_set,
            seed=stored.study.config["seed"],
            replicate=first.replicate,
            description=description(first),
            classes=[
                {"name": name, "train": train, "test": test}
                for name, train, test in zip(first.data.class_names, *counts, strict=True)
            ],
            finals=[_final(stored, f) for f in finals],
            evaluations=_evaluations(stored, finals, by_data_set=True),
            not_run=sorted(planned - {f.run.experiment for f in finals}),
            command=partial(retry, options=options),
            figures=_by_category(drawn["figures"]),
            missing=drawn["missing"],
            explained=explained_points(stored, data_set),
        ),
    )


def description(final: Final) -> str:
    """Size of the data set of a final model, in words."""
    data = final.data
    n_train, n_test = (int(part.sum()) for part in _parts(final))
    columns = f" made of {data.X.shape[1]} columns" if data.categories is not None else ""
    features = f"{data.n_features} features{columns}" if data.n_features else "no features"
    imputed = f", missing values imputed ({data.impute})" if data.impute else ""
    groups = f", {data.group.max() + 1:,} groups kept together" if data.group is not None else ""
    return (
        f"{len(data.y):,} samples ({n_train:,} to train, {n_test:,} to test), {features}, "
        f"{len(data.class_names)} classes{imputed}{groups}"
    )


def read_figures(folder: Path) -> dict[str, list[dict]]:
    """What figures.json lists, each figure with its picture in base64 and the size at which to show it."""
    listed = read_json(folder / "figures.json")
    for figure in listed["figures"]:
        webp = io.BytesIO()  # without loss, and a fifth smaller than PNG
        with Image.open(folder / f"{figure['name']}.png") as png:
            figure["width"], figure["height"] = png.size
            png.convert("RGB").save(webp, "WEBP", lossless=True, quality=100)
        figure["webp"] = base64.b64encode(webp.getvalue()).decode("ascii")
    return listed


def _render(template, **context):
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("proset_study.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(template).render(**context)


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
    named = [*study.config["experiments"], *study.config.get("comparisons", {})]
    return [name for name in named if name not in study.tables]


def _over_data_sets(stored):
    """By comparison, the one with the most data sets first."""
    groups: dict[str, list[OverDataSets]] = {}
    for compared in over_data_sets(stored):
        groups.setdefault(compared.comparison, []).append(compared)
    return sorted(groups.values(), key=lambda scores: -max(len(c.data_sets) for c in scores))


def _by_category(figures):
    groups: dict[str, list[dict]] = {}
    for figure in figures:
        groups.setdefault(figure["category"], []).append(figure)
    return groups


def _parts(final):
    return final.folds != TEST, final.folds == TEST


def _evaluations(stored, finals, by_data_set):
    """The tables of evaluations of some final models, of the kinds that are shown by data set or of the others."""
    found = []
    for kind in KINDS:
        shown = evaluations.get(kind)
        evaluated = [final for final in stored.evaluated(kind) if final in finals]
        if shown.by_data_set == by_data_set and (rows := shown.rows(evaluated)):
            cells = [[cell(row) for cell in shown.cells.values()] for row in shown.condensed(rows)]
            names = {"kind": kind, "title": shown.title, "text": shown.text, "sentences": shown.sentences(rows)}
            found.append({**names, "headings": list(shown.cells), "rows": cells})
    return found


def _page(data_set):
    return layout.PAGE.format(data_set=data_set)


def _named(final):
    return {"label": final.label, "data_set": final.data_set, "run": final.run.name, "page": _page(final.data_set)}


def _table(table, config):
    sections = [
        (heading, [(label, [_linked(c) for c in cells]) for label, cells in rows]) for heading, rows in table.rows()
    ]
    is_comparison = table.name in config.get("comparisons", {})
    head = {"name": table.name, "title": table.title, "columns": table.columns}
    return {**head, "sections": sections, "is_comparison": is_comparison}


def _linked(cell):
    if cell is None:
        return None
    if not cell["replicates"]:
        return {**cell, "link": "#missing"}
    run = f"{cell['experiment']}-{cell['variant']}" if cell["variant"] else cell["experiment"]
    return {**cell, "link": f"{_page(cell['dataset'])}#{run}"}


def _checked(cell):
    shown = ("published", "ours", "difference")
    texts = {which: "" if cell[which] is None else format_number(cell["quantity"], cell[which]) for which in shown}
    numbers = {which: "" if cell[which] is None else cell[which] for which in shown}
    return {**cell, **numbers, "kind": cell["within"] or "not judged", "texts": texts}


def _final(stored, final):
    fit = final.fit
    batches = fit["summary"].get("batches", [])

    def relative(files):
        return [str(f.relative_to(stored.folder.parent.parent)) for f in files]

    return {
        **final.scores,
        "run": final.run.name,
        "label": final.label,
        "method": method_name(final.run.method) + ("" if final.metric == EUCLIDEAN else f", {final.metric}"),
        "threshold": final.stage2["threshold"],
        "active_features": fit["summary"]["active_features"],
        "prototypes": fit["summary"].get("prototypes"),
        "complexity": fit["complexity"],
        "complexity_name": methods.get(final.run.method).complexity,
        "chosen": _parameters(final.selected_parameters),
        "all_parameters": _parameters(fit["parameters"]) or "no parameters",
        "trials": len(final.stage1["settings"]) if final.stage1 else 0,
        "stage1_files": relative(final.trial_files),
        "stage2_files": relative(final.path_files),
        "final_files": relative(
            layout.file_in(final.folder, file) for file in (layout.FIT, layout.MODEL, layout.PREDICTIONS)
        ),
        "resources": fit["resources"],
        "classes": list(zip(class_rows([final]), confusion_of(final), strict=True)),
        "convergence": "; ".join(
            f"batch {b}: {record['message']} after {record['n_iter']} iterations"
            for b, record in enumerate(batches, start=1)
        ),
    }


def _parameters(values):
    return ", ".join(f"{name} {format_number(name, value)}" for name, value in values.items())
