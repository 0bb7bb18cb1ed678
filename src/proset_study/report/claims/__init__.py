"""Claims of the sources, each decided by checks of its own: from our records, and from the published tables."""

from pathlib import Path

# They register their claims, in the order of reports.
# isort: off
from proset_study.report.claims import fitting, methods, prototype_selection, learning, ensembles  # noqa: F401

# isort: on
from proset_study.report.claims.evidence import PublishedEvidence, StoredEvidence
from proset_study.report.claims.registry import CLAIMS, agreed, data_sets_of, decide
from proset_study.report.claims.statements import COLUMNS
from proset_study.store.results import read_published, write_rows
from proset_study.store.stored import Stored

__all__ = ["CLAIMS", "COLUMNS", "agreed", "data_sets_of", "decide", "write_claims"]


def write_claims(path: str | Path, stored: Stored, published: str | Path) -> None:
    """Decide the claims about what the study has, and write `COLUMNS` as CSV; `published` is published.csv.

    The verdict is that of all replicates (`registry.agreed`); "first" and "evidence" are those of the first one. The
    last two columns count the replicates where the claim holds and where it is decided; they are empty for a claim that
    takes all replicates together.
    """
    printed = PublishedEvidence(read_published(published))
    replicates = [StoredEvidence(stored, replicate) for replicate in stored.replicates]
    rows = []
    for claim_id, claim in CLAIMS.items():
        if not (own := data_sets_of(claim_id, stored.study)):
            continue
        ours = [decide(claim_id, evidence) for evidence in replicates[: 1 if claim.over_replicates else None]]
        for theirs, first, *others in zip(decide(claim_id, printed), *ours, strict=True):
            if first.data_set not in own:
                continue
            held = [verdict.holds for verdict in (first, *others)]
            rows.append(
                {
                    "id": claim_id,
                    "claim": claim.text,
                    "dataset": first.data_set,
                    "verdict": first.verdict if claim.over_replicates else agreed(held),
                    "cannot_fail": claim.cannot_fail.get(first.data_set, ""),
                    "first": first.verdict,
                    "evidence": first.evidence,
                    "published": theirs.verdict,
                    "published_evidence": theirs.evidence,
                    "replicates_holding": None if claim.over_replicates else held.count(True),
                    "replicates_decided": None if claim.over_replicates else len(held) - held.count(None),
                }
            )
    write_rows(path, rows, COLUMNS)
