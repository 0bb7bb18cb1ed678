"""The entries of a leaderboard: what a report claims and what stores predict, scored and fitted again here.

Whatever contradicts the report is refused, so that a page has no number that was found to be wrong.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from math import isclose
from pathlib import Path
from statistics import fmean

import numpy as np

from proset_study import methods
from proset_study.data.metrics import stored_metric
from proset_study.data.table_file import listed
from proset_study.release.elsewhere import Predicted, Protocol, are_probabilities, read_predictions, scored
from proset_study.release.verify.foreign import ForeignReport
from proset_study.release.verify.models import is_exact, refitted
from proset_study.release.verify.records import Unpacked
from proset_study.release.verify.refits import TOLERANCE
from proset_study.report.analysis.leaderboard import Entry, ranked
from proset_study.report.pages.leaderboard import write_leaderboard_page
from proset_study.report.rows import groups
from proset_study.store.results import FINAL, Row, read_rows, write_rows
from proset_study.store.stored import Final
from proset_study.study import layout
from proset_study.study.fingerprints import uses_kernel

AGREEMENT = 1e-9  # relative, of a score that is claimed and the same one computed again
SHOWN = ("log_loss", "balanced_accuracy")
Fit = tuple[str, int, int]  # data set, replicate, fit seed
Scores = dict[Fit, dict[str, float]]


def write_leaderboard(
    report: Path,
    stores: Sequence[Path],
    output: Path,
    data_sets: Sequence[str],
    n_refits: int,
    seed: int,
    scratch: Path,
) -> None:
    """Write the page, and its numbers as CSV next to it.

    `data_sets` are all of the report if none is named. Of each entry `n_refits` final models, drawn by `seed`, are
    fitted again, where the report has their records. A ValueError names what contradicts something else.
    """
    protocol = Protocol(report, scratch)
    known, replicates = protocol.study.data_sets, protocol.study.config["replicates"]  # others are not of all methods
    if unknown := [name for name in data_sets if name not in known]:
        raise ValueError(f"data_sets: {unknown[0]!r} is not allowed, allowed are {listed(known)}")
    wanted = list(dict.fromkeys(data_sets)) or known
    rows = (r for r in read_rows(report / layout.ALL_SCORES, Row) if r.dataset in wanted)
    claimed, sources = _scores(rows), dict[tuple[str, str], Path]()
    predicted: defaultdict[tuple[str, str], list[Predicted]] = defaultdict(list)
    for store in stores:
        there = [name for name in wanted if layout.file_in(store, layout.STORE_FILE.format(data_set=name)).is_file()]
        found = read_predictions(store, protocol, there or wanted)
        for name in {(one.experiment, one.method) for one in found}:
            if (first := sources.setdefault(name, store)) != store:
                raise ValueError(f"{store}: {_words(name)} is in {first}, too; merge them, or leave one out")
        for one in found:
            predicted[one.experiment, one.method].append(one)
    entries = []
    for name in dict.fromkeys([*claimed, *predicted]):
        computed = _scores(row for one in predicted[name] for row in scored(one, protocol))[name]
        _check(name, claimed[name], computed, protocol)
        shown = {fit: s for fit, s in {**claimed[name], **computed}.items() if fit[1] in replicates}
        if shown:
            n_computed, source = len(shown.keys() & computed.keys()), sources.get(name, report)
            entries.append(_entry(name, shown, n_computed, set(replicates), predicted[name], source))
    if n_refits:
        stored = Unpacked(ForeignReport(report), protocol.study, scratch)
        rng = np.random.default_rng(seed)
        entries = [_refitted(entry, predicted[entry.name, entry.method], stored, n_refits, rng) for entry in entries]
    if not (lines := _lines(entries, wanted)):
        raise ValueError(f"{report}: no experiment has scores on {', '.join(wanted)} in these replicates")
    write_leaderboard_page(output, protocol.study.name, entries, wanted)
    write_rows(output.with_suffix(".csv"), lines, tuple(lines[0]))


def _scores(rows: Iterable[Row]) -> defaultdict[tuple[str, str], Scores]:
    """The scores of every fit by experiment and method, without what is varied."""
    found: defaultdict = defaultdict(lambda: defaultdict(dict))
    for row in rows:
        if row.section == FINAL and not row.variant and row.quantity in SHOWN:
            found[row.experiment, row.method][row.dataset, row.replicate, row.fit_seed][row.quantity] = row.number
    return found


def _check(name, claimed: Scores, computed: Scores, protocol: Protocol) -> None:
    """Refuse predictions that give other scores than the report claims."""
    for fit in claimed.keys() & computed.keys():
        for quantity, value in claimed[fit].items():
            if not isclose(value, again := computed[fit][quantity], rel_tol=AGREEMENT, abs_tol=AGREEMENT):
                what = f"{_words(name)} on {fit[0]}, replicate {fit[1]}, fit seed {fit[2]}"
                of_report = f"{protocol.report} claims {value:.12g}"
                raise ValueError(f"{what}: its predictions have a {quantity} of {again:.12g}, {of_report}")


def _entry(
    name, shown: Scores, n_computed: int, replicates: set[int], predicted: list[Predicted], source: Path
) -> Entry:
    """Log-losses are of data sets with all replicates only: means over some would be of other splits."""
    experiment, method = name
    is_known = method in methods.METHODS
    has_losses = methods.get(method).probabilistic if is_known else not predicted or are_probabilities(predicted)
    by_data_set = groups(shown, lambda fit: fit[0])
    means = {data_set: _means(shown, fits) for data_set, fits in by_data_set.items()}
    whole = [data_set for data_set, fits in by_data_set.items() if {fit[1] for fit in fits} == replicates]
    return Entry(
        experiment or method,
        method,
        str(source),
        {data_set: means[data_set]["log_loss"] for data_set in whole} if has_losses else {},
        {data_set: 1 - mean["balanced_accuracy"] for data_set, mean in means.items()},
        scored=len(shown),
        recomputed=n_computed,
    )


def _means(scores: Scores, fits: list[Fit]) -> dict[str, float]:
    """Means over the replicates of a data set, of the means over the fit seeds."""
    by_replicate = groups(fits, lambda fit: fit[1]).values()
    return {q: fmean(fmean(scores[fit][q] for fit in of_one) for of_one in by_replicate) for q in SHOWN}


def _refitted(entry: Entry, predicted: list[Predicted], stored: Unpacked, number: int, rng) -> Entry:
    """The entry with how many of its final models, drawn at random, predict the same when fitted again.

    ValueError if one of them predicts something else than is stored.
    """
    stored_fits = {(one.replicate, one.data_set): one for one in predicted if one.fit_seed == 0}
    finals = [f for f in stored.all_finals() if (f.run.experiment, f.run.method) == (entry.name, entry.method)]
    finals = [f for f in finals if (f.replicate, f.data_set) in stored_fits and not f.run.variant and _is_repeatable(f)]
    taken = rng.choice(len(finals), min(number, len(finals)), replace=False) if finals else []
    for final in (finals[i] for i in taken):
        _, again = refitted(final, stored.folder / "refitted.npz")
        difference = np.abs(again - stored_fits[final.replicate, final.data_set].probabilities).max()
        if difference > TOLERANCE:
            what = f"{entry.name} on {final.data_set}, replicate {final.replicate}"
            raise ValueError(f"{entry.source}: {what}, fitted again, predicts differently, by up to {difference:.1e}")
    return replace(entry, refitted=len(taken))


def _is_repeatable(final: Final) -> bool:
    """Whether the same fit must be had here: by the arithmetic of its record, or because there is one best model."""
    if stored_metric(final.metric) is not None:  # a matrix, which is in no record
        return False
    method = final.run.method
    return is_exact(final) or (methods.get(method).unique and not uses_kernel(method))


def _words(name: tuple[str, str]) -> str:
    experiment, method = name
    return f"{experiment} ({method})" if experiment else method


def _lines(entries: list[Entry], data_sets: list[str]) -> list[dict]:
    """Rows of the CSV, best first: an entry, its mean rank if it has one, and its log-loss on each data set."""
    others = [(None, entry) for entry in entries if not entry.is_ranked(data_sets)]
    lines = []
    for rank, entry in [*ranked(entries, data_sets), *others]:
        numbers = {key: value for key, value in asdict(entry).items() if key not in ("losses", "errors")}
        losses = {f"log_loss_{name}": entry.losses.get(name) for name in data_sets}
        lines.append({**numbers, "status": entry.status, "mean_rank": rank, **losses})
    return lines
