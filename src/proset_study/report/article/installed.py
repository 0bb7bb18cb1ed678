"""The battery, in a half for choices and a sealed one: where the classifier that one installs stands on its tables."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from statistics import fmean, median

import numpy as np

from proset_study import methods
from proset_study.methods.labels import method_name
from proset_study.report.analysis.battery import over_sources
from proset_study.report.analysis.losses import ROPE, Losses, generated, losses_by_method
from proset_study.report.analysis.over_data_sets import origin_of
from proset_study.report.analysis.paired import LEVEL, Mean, differences
from proset_study.report.analysis.runs import derived_from
from proset_study.report.article.methods import place_of, ranks_in_words, signed_ranks_in_words
from proset_study.report.article.open_track import INSTALLED
from proset_study.report.article.topics import SUBJECT, Content, Reported, topic
from proset_study.report.article.wording import count, decimals, difference, ordinal, ratio, significant, whole
from proset_study.report.rows import pick
from proset_study.store.stored import Missing
from proset_study.study import layout

SEALED, DEVELOPMENT = "reports/battery_sealed", "reports/battery"  # halves of the battery
TUNED, DEFAULTS, FORMS = "tuned", "defaults", "forms"  # comparisons in both
HALVES = (SEALED, DEVELOPMENT)  # that of which the site speaks comes first
FILES = (layout.ALL_SCORES, "findings/ranks.csv", "findings/pairs.csv")
COMMAND = "snakemake --cores all --configfile workflow/suites/battery.yaml"
N_RIVALS = 3  # in the figure, besides the published form


@dataclass(frozen=True)
class Bar:
    """Mean log-loss of the installed classifier minus that of a rival, over data sets of one kind.

    The mean is over sources, or over data sets if sources are fewer than three.
    """

    method: str
    kind: str  # "real" or "generated"
    by_data_set: dict[str, float]
    mean: float
    interval: tuple[float, float] | None  # of `Standing.level`, with sources as units; None for fewer than three

    @property
    def name(self) -> str:
        """The rival, as figures and tables write it."""
        return f"published {method_name(SUBJECT)}" if self.method == SUBJECT else method_name(self.method)


class Standing:
    """The installed classifier among the tuned methods of a half that predict probabilities."""

    def __init__(self, stored: Reported):
        self.stored = stored
        # Average ranks, the best one first; methods that are not significantly worse than the best, by the critical
        # difference between average ranks of Nemenyi's test.
        self.ranks, self.near, self.critical_difference = stored.ranks(TUNED)

    @property
    def published(self) -> list[str]:
        """Experiments with the published form."""
        return self.stored.experiments(FORMS, SUBJECT)

    @cached_property
    def _of_all(self):
        experiments = dict.fromkeys([*self.stored.experiments(TUNED), *self.published])
        return losses_by_method(self.stored, list(experiments), "log-loss")

    @cached_property
    def losses(self) -> Losses:
        """Test log-losses by method, and of the published form, without rules that learn nothing."""
        return {
            m: of_method
            for m, of_method in self._of_all.items()
            if methods.get(m).probabilistic and not methods.get(m).is_baseline
        }

    def place(self, comparison: str, group: str = "all") -> tuple[int, int]:
        """Place of the installed classifier by average rank, and of how many that learn; zeros without ranks."""
        return place_of(INSTALLED, self.stored.ranks(comparison, group)[0])

    def largest_lead(self, kind: str = "") -> tuple[str, Mean] | None:
        """The rival whose mean loss over sources is lowest, and ours minus that; None with fewer than three sources.

        Of all data sets, or of a `kind`. That of the best rival of each data set is no method's: a minimum of many
        scores is lower than any of them.
        """
        wanted = {d for d in self.data_sets if kind in ("", self.kind(d))}
        found = {}
        for rival in self.rivals:
            differences = {d: value for d, value in self._ours_minus[rival].items() if d in wanted}
            if len(differences) == len(wanted) and (mean := self._over_sources(differences)):
                found[rival] = mean
        best = max(found, key=lambda rival: found[rival].value, default="")
        return (best, found[best]) if found else None

    @property
    def level(self) -> float:
        """Level of intervals that hold for all rivals together, of whom only some are shown (Bonferroni)."""
        return 1 - (1 - LEVEL) / max(1, len(self.rivals))

    @property
    def n_behind(self) -> int:
        """Number of data sets on which some rival has a lower mean loss."""
        means = [self._ours_minus[rival] for rival in self.rivals]
        return sum(any(of_rival.get(d, 0.0) > 0 for of_rival in means) for d in self.data_sets)

    @property
    def behind_among_equals(self) -> int:
        """Number of data sets on which some rival would have a lower loss if all methods were alike."""
        return round(len(self.data_sets) * len(self.rivals) / (len(self.rivals) + 1))

    @cached_property
    def _ours_minus(self) -> dict[str, dict[str, float]]:
        """Mean differences to each method by data set, over the replicates that both have, of which one is enough."""
        ours, found = self.losses[INSTALLED], {}
        for method, theirs in self.losses.items():
            paired = {d: differences(ours[d], theirs.get(d, {})) for d in self.data_sets}
            found[method] = {d: fmean(values) for d, values in paired.items() if values}
        return found

    def _over_sources(self, by_data_set: dict[str, float]) -> Mean | None:
        """The mean over the sources of some data sets; None if they are fewer than three."""
        origin = dict(zip(self.data_sets, self.sources, strict=True))
        return over_sources(np.array([*by_data_set.values()]), np.array([origin[d] for d in by_data_set]))

    @property
    def data_sets(self) -> list[str]:
        """Data sets that the installed classifier was run on."""
        return [d for d in self.stored.study.data_sets if d in self.losses[INSTALLED]]

    @property
    def sources(self) -> list[str]:
        """The table or generator that each of the data sets comes from."""
        config = self.stored.study.config["data_sets"]
        return [origin_of(config[d]) for d in self.data_sets]

    @property
    def rivals(self) -> list[str]:
        """All compared methods that are no form of proset, the best rank first."""
        own = set(derived_from(SUBJECT, self.losses))
        return [m for m in self.ranks if m in self.losses and m not in own]

    def best_rival(self, kind: str) -> str:
        """Rival with the best average rank on "real" or "generated" data sets; empty without ranks of them."""
        ranks, _, _ = self.stored.ranks(TUNED, kind)
        return next((m for m in ranks if m in self.rivals), "")

    @cached_property
    def learned_little(self) -> list[str]:
        """Real data sets on which the mean loss is not at least `ROPE` below that of the class proportions."""
        prior, ours = self._of_all.get("class_prior", {}), self.losses[INSTALLED]
        paired = {d: differences(prior.get(d, {}), ours[d]) for d in self.data_sets if self.kind(d) == "real"}
        return [d for d, gains in paired.items() if gains and fmean(gains) < ROPE]

    def bars(self) -> list[Bar]:
        """Differences to the published form and to the best rivals, of real and of generated data."""
        shown = [m for m in (SUBJECT,) if m in self.losses and m != INSTALLED] + self.rivals[:N_RIVALS]
        return [bar for kind in ("real", "generated") for m in shown if (bar := self._bar(m, kind))]

    def _bar(self, rival, kind):
        means = {d: value for d, value in self._ours_minus[rival].items() if self.kind(d) == kind}
        if not means:
            return None
        if mean := self._over_sources(means):
            return Bar(rival, kind, means, mean.value, mean.interval(self.level))
        return Bar(rival, kind, means, fmean(means.values()), None)

    def kind(self, data_set: str) -> str:
        """ "real" for a table of the world, else "generated"."""
        return "generated" if generated(self.stored, data_set) else "real"


def sizes(stored: Reported, experiments: Sequence[str]) -> tuple[float, float, float, float]:
    """Medians over models of prototypes, training rows, used and given features."""
    rows = pick(stored.rows_of(list(experiments)), variant="", role="")
    wanted = ("prototypes", "train_samples", "active_features", "features")
    prototypes, samples, used, given = (median(r.number for r in pick(rows, quantity=q)) for q in wanted)
    return prototypes, samples, used, given


def standing(project: Path) -> Standing:
    """Standing in the first of `HALVES` that the project has."""
    for report in HALVES:
        if (project / report / layout.ALL_SCORES).is_file():
            return Standing(Reported(project / report))
    raise ValueError(f"{project}: none of {', '.join(HALVES)} is there")


@topic(
    SEALED, *FILES, needs=(TUNED, DEFAULTS), subject=INSTALLED, command=f"{COMMAND} workflow/suites/battery_sealed.yaml"
)
def battery(stored: Reported) -> Content:
    """The sealed half, on which nothing was chosen."""
    found = Standing(stored)
    pairs = stored.pairs_with_rivals(TUNED, INSTALLED)
    if not all(found.place(comparison, group)[0] for comparison in (TUNED, DEFAULTS) for group in ("all", "real")):
        raise Missing("average ranks over all tables and over real ones, which take some of each")
    leader, lead = found.largest_lead() or ("", None)
    prototypes, samples, used, given = sizes(stored, stored.experiments(TUNED, INSTALLED))
    place, n_methods = found.place(TUNED)
    default_place, n_defaults = found.place(DEFAULTS)
    error_place, n_with_errors = place_of(INSTALLED, stored.ranks(DEFAULTS, score="balanced error")[0])
    first = [m for m in found.ranks if not methods.get(m).is_baseline][:2]
    n_real = sum(found.kind(d) == "real" for d in found.data_sets)
    texts = {
        "data_sets": count(len(found.data_sets)),
        "sources": count(len(set(found.sources))),
        "real": count(n_real),
        "generated": count(len(found.data_sets) - n_real),
        "replicates": count(len(stored.replicates)),
        "place": ordinal(place),
        "first_ranks": ranks_in_words(found.ranks, first),
        "methods": count(n_methods),
        "critical": decimals(found.critical_difference, 1),
        "real_place": ordinal(found.place(TUNED, "real")[0]),
        "default_place": ordinal(default_place),
        "default_methods": count(n_defaults),
        "default_real_place": ordinal(found.place(DEFAULTS, "real")[0]),
        "default_error_place": ordinal(error_place),
        "default_error_methods": count(n_with_errors),
        "default_real_best": method_name(next(iter(stored.ranks(DEFAULTS, "real")[0]), "")),
        "over_data_sets": _over_data_sets(pairs),
        "behind": ratio(found.n_behind, len(found.data_sets)),
        "behind_alike": whole(found.behind_among_equals),
        "leader": method_name(leader) if leader else "not known",
        "lead": difference(lead.value, *lead.interval(found.level)) if lead else "not known",
        "prototypes": whole(prototypes),
        "samples": whole(samples),
        "features": f"{whole(used)} of {whole(given)}",
    }
    return Content(texts, {"ranks": rank_table(stored)})


@topic(DEVELOPMENT, *FILES, needs=(TUNED, DEFAULTS), subject=INSTALLED, command=COMMAND)
def battery_development(stored: Reported) -> Content:
    """The half on which methods, spaces and rules may be chosen."""
    half = battery(stored)
    return Content({name: half.texts[name] for name in ("data_sets", "place", "first_ranks", "default_place")})


def _over_data_sets(pairs):
    sure = [row for row in pairs if significant(row["holm_p_control"])]
    if not sure:
        return "it differs significantly from no method"
    alike = ratio(len(pairs) - len(sure), len(pairs))
    return f"{signed_ranks_in_words(INSTALLED, sure)}; {alike} differences are not significant"


def rank_table(stored: Reported) -> list[list[str]]:
    """Average ranks, the best first: searched and with defaults, of real and of generated tables apart."""
    groups = (TUNED, "all"), (TUNED, "real"), (TUNED, "generated"), (DEFAULTS, "all"), (DEFAULTS, "real")
    columns = [stored.ranks(comparison, group)[0] for comparison, group in groups]
    table = [["method", "searched", "on real tables", "on generated ones", "with defaults", "on real tables"]]
    for method in columns[0]:
        cells = (decimals(ranks[method], 1) if method in ranks else "" for ranks in columns)
        table.append([method_name(method), *cells])
    return table
