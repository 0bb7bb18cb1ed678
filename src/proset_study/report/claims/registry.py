"""Claims, and what becomes of them."""

from collections.abc import Callable
from dataclasses import dataclass

from proset_study.report.claims.checks import Check, Checks, Quantities, every
from proset_study.report.claims.evidence import Evidence
from proset_study.store.stored import Missing


@dataclass(frozen=True)
class Verdict:
    """What became of a claim on a data set ("" if it is about several together); `holds` is None if undecided."""

    data_set: str
    holds: bool | None
    evidence: str

    @property
    def verdict(self) -> str:
        """In words."""
        return {True: "holds", False: "fails", None: "not decidable"}[self.holds]


@dataclass(frozen=True)
class Claim:
    """A claim; `checks` gives what has to hold on one of its data sets."""

    text: str
    data_sets: tuple[str, ...]
    checks: Callable[[Quantities], Checks]
    over_replicates: bool


CLAIMS: dict[str, Claim] = {}


def claim(claim_id: str, *data_sets: str, over_replicates: bool = False) -> Callable[[Callable], Callable]:
    """Register a function as what decides a claim; the first line of its docstring is the claim.

    Parameters
    ----------
    claim_id : str
    *data_sets : str
        The function is called for each of them; none for a claim about several together.
    over_replicates : bool
        Whether it takes all replicates together to decide.
    """

    def register(checks):
        text = checks.__doc__.splitlines()[0].rstrip(".")
        CLAIMS[claim_id] = Claim(text, data_sets or ("",), checks, over_replicates)
        return checks

    return register


def decide(claim_id: str, evidence: Evidence) -> list[Verdict]:
    """Decide a claim on each of its data sets; what is missing on one does not hide the others."""
    claim = CLAIMS[claim_id]
    return [_verdict(claim.checks, evidence, data_set) for data_set in claim.data_sets]


def _verdict(function, evidence, data_set):
    checks = []
    try:
        for check in function(Quantities(evidence, data_set)):
            checks.append(check)
    except Missing as missing:
        checks.append(Check(None, "", (str(missing),)))
    holds = every(check.holds for check in checks)
    if holds is None:
        lacking = dict.fromkeys(m for check in checks if check.holds is None for m in check.missing)
        known = [check.text for check in checks if check.holds]
        return Verdict(data_set, None, "; ".join([*known, "missing: " + ", ".join(lacking)]))
    return Verdict(data_set, holds, "; ".join(check.text for check in checks if check.holds is holds))
