"""Prototype selection by set cover, by linear programming and randomised rounding; the path is that of `set_cover`.

Section 3.1 of the source of `set_cover`.
"""

from proset_study.methods.base import Cost
from proset_study.methods.set_cover import SetCover


class SetCoverLP(SetCover):
    label = "set cover (LP)"
    place = 21
    cost = Cost(0.3, 4.7e-5, rows=1.5)
    parameters = {name: SetCover.parameters[name] for name in ("cost", "balanced")}  # noqa: RUF012
    draws = True
    unique = False  # a linear program has many solutions if costs are equal
    imports = (*SetCover.imports, "proset.cover_lp")

    @staticmethod
    def cover(bits, y, weight, cost, n_candidates, rng, parameters):
        from proset.cover_lp import round_relaxed

        return round_relaxed(bits, y, weight, cost, n_candidates, rng)
