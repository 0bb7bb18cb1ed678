"""Stored results that have nothing but rows."""

from types import SimpleNamespace

from proset_study.store.results import Row


def stored_rows(rows: list[Row], replicates: list[int]) -> SimpleNamespace:
    """What is read of `Stored` where published numbers are set beside ours."""
    return SimpleNamespace(
        study=SimpleNamespace(experiments=list(dict.fromkeys(row.experiment for row in rows))),
        rows_of=lambda experiments: [row for row in rows if row.experiment in experiments],
        replicates=replicates,
    )
