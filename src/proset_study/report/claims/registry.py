"""Claims, and how they are decided."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import ceil
from types import MappingProxyType

from proset_study.report.claims.checks import Check, compare, every, experiments_on
from proset_study.report.claims.evidence import Evidence, Planned
from proset_study.report.claims.quantities import Scope
from proset_study.store.stored import Missing
from proset_study.study.config.study import Study

MIN_AGREEING, AGREEING = 8, 0.8  # replicates, and proportion of them, that have to say the same


@dataclass(frozen=True)
class Verdict:
    """The verdict on a claim for a data set ("" if it is about several together).

    `holds` is None if records are `missing`, or if a test is undetermined.
    """

    data_set: str
    holds: bool | None
    evidence: str
    missing: bool = False

    @property
    def verdict(self) -> str:
        """The verdict in words."""
        return {True: "holds", False: "fails", None: "not decidable" if self.missing else "undetermined"}[self.holds]


# A text is one to `compare`, in which {KNN} is the experiment of this method.
Checks = Check | str | Iterable["Checks"] | Callable[[Scope], "Checks"]


@dataclass
class Claim:
    """What a source says of data sets, and the checks that have to hold on each of them.

    A claim about several data sets together names none. With `over_replicates` one check takes all replicates together;
    `cannot_fail` has the data sets on which the claim is vacuous, and why.
    """

    text: str
    data_sets: tuple[str, ...]
    over_replicates: bool
    cannot_fail: Mapping[str, str]
    checks: Checks = ()

    def holds_if(self, *checks: Checks) -> Checks:
        """Decide the claim by checks, or by functions of the scope that return some; decorates such a function."""
        self.checks = checks
        return checks[0]


CLAIMS: dict[str, Claim] = {}


def claim(
    claim_id: str,
    text: str,
    *data_sets: str,
    over_replicates: bool = False,
    cannot_fail: Mapping[str, str] = MappingProxyType({}),
) -> Claim:
    """Register a claim."""
    CLAIMS[claim_id] = Claim(text, data_sets or ("",), over_replicates, cannot_fail)
    return CLAIMS[claim_id]


def decide(claim_id: str, evidence: Evidence) -> list[Verdict]:
    """Decide a claim on each of its data sets; what is missing on one does not hide the others."""
    claim = CLAIMS[claim_id]
    return [_verdict(claim, evidence, data_set) for data_set in claim.data_sets]


def data_sets_of(claim_id: str, study: Study) -> list[str]:
    """Data sets on which a study has an experiment that the claim asks for, computed or not."""

    def asks(data_set):
        planned = Planned(study)
        _verdict(CLAIMS[claim_id], planned, data_set)
        return planned.wanted

    return [data_set for data_set in CLAIMS[claim_id].data_sets if asks(data_set)]


def agreed(held: Iterable[bool | None]) -> str:
    """The verdict of several replicates; None is one that decides nothing.

    It holds, or fails, if at least `MIN_AGREEING` and a proportion of `AGREEING` of those that decide it say so.

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


def _checked(checks: Checks, scope: Scope) -> Iterator[Check]:
    """All checks in turn, and what is missing where that ends them."""
    try:
        if isinstance(checks, Check):
            yield checks
        elif isinstance(checks, str):
            yield compare(checks.format(**experiments_on(scope.data_set)))(scope)
        elif callable(checks):
            yield from _checked(checks(scope), scope)
        else:
            for part in checks:
                yield from _checked(part, scope)
    except Missing as missing:
        yield Check(None, "", (str(missing),))


def _verdict(claim: Claim, evidence: Evidence, data_set: str) -> Verdict:
    checks = list(_checked(claim.checks, Scope(evidence, data_set)))
    holds = every(check.holds for check in checks)
    lacking = dict.fromkeys(m for check in checks if check.holds is None for m in check.missing)
    if holds is None and lacking:
        known = [check.text for check in checks if check.holds]
        return Verdict(data_set, None, "; ".join([*known, "missing: " + ", ".join(lacking)]), missing=True)
    return Verdict(data_set, holds, "; ".join(check.text for check in checks if check.holds is holds))
