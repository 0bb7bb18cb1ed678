"""What the topics of one report give: its numbers.json, which article and findings read."""

from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

# They register topics.
from proset_study.report.article import battery, beyond, differences, methods, open_track, pairs, study  # noqa: F401
from proset_study.report.article.topics import TOPICS, Reported
from proset_study.store.stored import Missing


def numbers_record(folder: Path, published: Path) -> dict[str, Any]:
    """What numbers.json of a report has, by topic: those of which it has all files, and its config all entries."""
    found, opened = {}, cache(lambda: Reported(folder, published))
    for name, entry in TOPICS.items():
        with suppress(Missing):
            if entry.report:
                found[name] = entry.content(folder, opened).to_json()
    return found
