"""Claims, and what becomes of them."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from math import ceil

from proset_study.report.claims.checks import Check, Checks, Quantities, every
from proset_study.report.claims.evidence import Evidence, Planned
from proset_study.store.stored import Missing
from proset_study.study.config.study import Study

MIN_AGREEING, AGREEING = 8, 0.8  # replicates, and proportion of them, that have to say the same


@dataclass(frozen=True)
class Verdict:
    """What became of a claim on a data set ("" if it is about several together).

    `holds` is None if something is missing, or if nothing is but a test does not tell; `missing` says which of them.
    """

    data_set: str
    holds: bool | None
    evidence: str
    missing: bool = False

    @property
    def verdict(self) -> str:
        """In words."""
        return {True: "holds", False: "fails", None: "not decidable" if self.missing else "undetermined"}[self.holds]


@dataclass(frozen=True)
class Claim:
    """A claim; `checks` gives what has to hold on one of its data sets, `cannot_fail` why that says nothing there."""

    text: str
    data_sets: tuple[str, ...]
    checks: Callable[[Quantities], Checks]
    over_replicates: bool
    cannot_fail: Mapping[str, str] = field(default_factory=dict)


CLAIMS: dict[str, Claim] = {}


def claim(
    claim_id: str, *data_sets: str, over_replicates: bool = False, cannot_fail: Mapping[str, str] | None = None
) -> Callable[[Callable], Callable]:
    """Register a function as what decides a claim; the first line of its docstring is the claim.

    Parameters
    ----------
    claim_id : str
    *data_sets : str
        The function is called for each of them; none for a claim about several together.
    over_replicates : bool
        Whether it takes all replicates together to decide.
    cannot_fail : mapping of str, optional
        Data sets on which the claim is vacuous, and why.
    """

    def register(checks):
        text = checks.__doc__.splitlines()[0].rstrip(".")
        CLAIMS[claim_id] = Claim(text, data_sets or ("",), checks, over_replicates, cannot_fail or {})
        return checks

    return register


def decide(claim_id: str, evidence: Evidence) -> list[Verdict]:
    """Decide a claim on each of its data sets; what is missing on one does not hide the others."""
    claim = CLAIMS[claim_id]
    return [_verdict(claim.checks, evidence, data_set) for data_set in claim.data_sets]


def data_sets_of(claim_id: str, study: Study) -> list[str]:
    """Data sets on which a study has an experiment that the claim asks for, computed or not."""

    def asks(data_set):
        planned = Planned(study)
        _verdict(CLAIMS[claim_id].checks, planned, data_set)
        return planned.wanted

    return [data_set for data_set in CLAIMS[claim_id].data_sets if asks(data_set)]


def agreed(held: Iterable[bool | None]) -> str:
    """The verdict of several replicates; None is one that decides nothing.

    It holds, or fails, if at least `MIN_AGREEING` and a proportion of `AGREEING` of those that decide it say so.

    Examples
    --------
    >>> agreed([True] * 8 + [False] * 2), agreed([True] * 7 + [False] * 3), agreed([True]), agreed([None])
    ('holds', 'undetermined', 'undetermined', 'not decidable')
    """
    decided = [h for h in held if h is not None]
    needed = max(MIN_AGREEING, ceil(AGREEING * len(decided)))
    if not decided:
        return "not decidable"
    if decided.count(True) >= needed:
        return "holds"
    return "fails" if decided.count(False) >= needed else "undetermined"


def _verdict(function, evidence, data_set):
    checks = []
    try:
        for check in function(Quantities(evidence, data_set)):
            checks.append(check)
    except Missing as missing:
        checks.append(Check(None, "", (str(missing),)))
    holds = every(check.holds for check in checks)
    lacking = dict.fromkeys(m for check in checks if check.holds is None for m in check.missing)
    if holds is None and lacking:
        known = [check.text for check in checks if check.holds]
        return Verdict(data_set, None, "; ".join([*known, "missing: " + ", ".join(lacking)]), missing=True)
    return Verdict(data_set, holds, "; ".join(check.text for check in checks if check.holds is holds))
