"""The claims of the published study, each decided by a function of its own: from our records, and from its tables."""

from pathlib import Path

from proset_study.report.claims import fitting, methods, principles  # noqa: F401 - they register the claims
from proset_study.report.claims.evidence import PublishedEvidence, StoredEvidence
from proset_study.report.claims.registry import CLAIMS, agreed, decide
from proset_study.store.results import read_rows, write_rows
from proset_study.store.stored import Stored

__all__ = ["CLAIMS", "COLUMNS", "agreed", "decide", "write_claims"]

COLUMNS = (
    *("id", "claim", "dataset", "verdict", "cannot_fail", "first", "evidence", "published", "published_evidence"),
    *("replicates_holding", "replicates_decided"),
)


def write_claims(path: str | Path, stored: Stored, published: str | Path) -> None:
    """Decide all claims and write `COLUMNS` as CSV.

    The verdict is that of all replicates (`registry.agreed`): "holds", "fails", "undetermined" or "not decidable".
    "first" and "evidence" are those of the first replicate; "cannot_fail" says why a claim is vacuous. The last two
    columns count the replicates where it holds and where it is decided; they are empty for a claim that takes all
    replicates together.

    Parameters
    ----------
    path : str or Path
    stored : Stored
    published : str or Path
        published.csv.
    """
    printed = PublishedEvidence(read_rows(published))
    replicates = [StoredEvidence(stored, replicate) for replicate in stored.replicates]
    rows = []
    for claim_id, claim in CLAIMS.items():
        ours = [decide(claim_id, evidence) for evidence in replicates[: 1 if claim.over_replicates else None]]
        for theirs, first, *others in zip(decide(claim_id, printed), *ours, strict=True):
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
