"""What the site answers first, in plain words: numbers in sentences come from the records."""

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from proset_study.methods.labels import method_name
from proset_study.report.analysis.reproduction import DIFFERENCE, INSIDE
from proset_study.report.analysis.statistics import ALPHA
from proset_study.report.article.installed import DEFAULTS, TUNED, Standing, sizes, standing
from proset_study.report.article.model import Model
from proset_study.report.article.open_track import INSTALLED
from proset_study.report.article.study import STUDY
from proset_study.report.article.topics import SUBJECT
from proset_study.report.article.wording import count, counted, decimals, ordinal, whole
from proset_study.report.rows import groups, pick, read_table
from proset_study.report.wording import listed, sentence_case
from proset_study.study import layout

WHAT = "proset classifies each row of a table by its likeness to a few weighted examples, and shows which ones decided."
LOSS = "Loss is how surprised a model is by the right class: lower is better."
UNIT = "A difference of one tenth means that the right class gets about ten percent more probability."
UNTUNED = "but unlike the others, its default searches its penalties"


@dataclass(frozen=True)
class Card:
    """A question with its answer in sentences, and where to read more: text and target of each link."""

    question: str
    sentences: list[str]
    links: list[tuple[str, str]]


class Answer:
    """The answer of a project, the folder with `reports` and `data`."""

    def __init__(self, project: Path, model: Model):
        self.project, self.model = project, model

    @cached_property
    def standing(self) -> Standing:
        """Among rivals that were tuned alike."""
        return standing(self.project)

    @property
    def cards(self) -> list[Card]:
        """Who asks what, in the order of the page; without the records of a sentence there is none."""
        statistics = ("How it is tested", "doc:statistics")
        track = ("Every difference", "page:compare")
        return [
            Card("Is it any good for my table?", self.practitioner(), [track, ("When does it win?", "page:beyond")]),
            Card("How sure is that?", self.statistician(), [statistics, ("Budgets", "doc:battery")]),
            Card("Was the original reproduced?", self.author(), [("Every number", "page:reproduction")]),
            Card("What does a model look like?", self.looks(), [("Move it yourself", "page:try")]),
        ]

    def practitioner(self) -> list[str]:
        """When to use it, and when not."""
        found = self.standing
        place, of = found.place(TUNED)
        others = [m for m in found.near if m != INSTALLED]
        words = f"Tuned, it ranks {ordinal(place)} of {count(of)} over {count(len(found.data_sets))} tables"
        if place == 1 and others:
            words += f"; {count(len(others))} are not significantly worse"
        elif place > 1 and INSTALLED in found.near:
            words += ", not significantly behind the first"
        said = [f"{words}."]
        if place := found.place(TUNED, "real")[0]:
            n = sum(found.kind(d) == "real" for d in found.data_sets)
            words = f"On the {count(n)} real ones it ranks {ordinal(place)}"
            if little := len(found.learned_little):
                words += f"; on {count(little)} it beats the class proportions barely or not at all"
            said.append(f"{words}.")
        place, of = found.place(DEFAULTS)
        of_real = found.place(DEFAULTS, "real")[0]
        real = f", {ordinal(of_real)} on the real ones" if of_real else ""
        said.append(f"With defaults it ranks {ordinal(place)} of {count(of)} overall{real}, {UNTUNED}.")
        return [*said, *self._rivals()]

    def _rivals(self) -> list[str]:
        """Who leads on average: with few replicates, intervals on single tables are too wide to name one."""
        said = []
        found = {where: self.standing.largest_lead(kind) for kind, where in (("", ""), ("real", "on real tables "))}
        leads = [f"{where}{decimals(lead[1].value)}" for where, lead in found.items() if lead and lead[1].value > 0]
        if leads:
            sure = any(lead and lead[1].interval(self.standing.level)[0] > 0 for lead in found.values())
            words = "Some rival's mean lead" if sure else "No rival's mean lead"
            said.append(f"{words} is significant; the largest is {', '.join(leads)}.")
        elif found[""]:
            said.append("No rival is ahead on average.")
        best: dict[str, list[str]] = {}  # kinds of tables by rival
        for kind in ("real", "generated"):
            best.setdefault(self.standing.best_rival(kind), []).append(kind)
        named = [f"{method_name(rival)} ({listed(kinds)} tables)" for rival, kinds in best.items() if rival]
        return [*said, *([f"If differences matter, also try {listed(named)}."] if named else [])]

    def statistician(self) -> list[str]:
        """Replicates, intervals, sources."""
        found, replicates = self.standing, len(self.standing.stored.replicates)
        critical = decimals(found.critical_difference, 1)
        sources = counted(len(set(found.sources)), "source")
        times = {1: "once", 2: "twice"}.get(replicates, f"{count(replicates)} times")
        tables = counted(len(found.data_sets), "table")
        come = f"{tables} {'comes' if len(found.data_sets) == 1 else 'come'}"
        return [
            f"Each comparison was run {times} on new splits or new draws; differences are paired.",
            f"The {come} from only {sources}: expect different results on other kinds of tables.",
            f"On {count(found.n_behind)} of {tables} some rival has a lower loss;"
            f" equal methods would give {count(found.behind_among_equals)}.",
            f"Average ranks over all tables do not differ significantly if they are less than {critical} apart.",
        ]

    def author(self) -> list[str]:
        """What was reproduced, and what differs."""
        study = self.project / STUDY
        found = {row["what"]: row for row in read_table(study / "findings/reproduction.csv")}
        sentences = []
        if INSIDE in found:
            inside = found[INSIDE]
            words = f"{whole(inside['found'])} of {whole(inside['of'])} published scores are in the range that we"
            sentences.append(f"{words} expect for one more repetition.")
        if DIFFERENCE in found:
            most = max(abs(found[DIFFERENCE][end]) for end in ("low", "high"))
            percent = whole(100 * (1 - 2 * ALPHA))
            words = "The mean difference between published losses and ours is at most"
            sentences.append(f"{words} {decimals(most)}, with {percent} percent confidence.")
        claims = pick(read_table(study / layout.CLAIMS), published="holds", cannot_fail=None)
        claims = [row for row in claims if row["verdict"] != "not decidable"]
        counts = Counter(row["verdict"] for row in claims)
        words = f"Of {whole(len(claims))} published claims, counted per table, {whole(counts['holds'])} hold"
        words += f", {whole(counts['fails'])} fail and {whole(counts['undetermined'])} could not be decided"
        sentences.append(f"{words}.")
        return [
            *sentences,
            "The classifier you install learns from all rows; the published one sets some aside at random.",
        ]

    def looks(self) -> list[str]:
        """Sizes of models, of the published form and of the one that is installed."""
        found, sentences = self.standing, []
        untuned, tuned = (found.stored.experiments(c, INSTALLED) for c in (DEFAULTS, TUNED))
        forms: dict[str, tuple[list[str], list[str]]] = {
            "Tuned, the published classifier": (found.published, []),
            "Untuned, the one you install": (untuned, tuned),
        }
        for form, (experiments, others) in forms.items():
            if experiments:
                prototypes, samples, used, given = sizes(found.stored, experiments)
                kept = f"{whole(prototypes)} of {whole(samples)} rows"
                read = f"{whole(used)} of {whole(given)} features"
                also = f"; tuned, {whole(sizes(found.stored, others)[0])} rows" if others else ""
                sentences.append(f"{form} typically keeps {kept} as examples and uses {read}{also}.")
        return [*sentences, self.model.sentence]

    def finding(self) -> str:
        """What the headline figure shows."""
        bars = [bar for bar in self.standing.bars() if bar.method != SUBJECT]
        said: dict[str, list[str]] = {}
        for kind, of_kind in groups(bars, "kind").items():
            ends = [bar.interval for bar in of_kind if bar.interval]
            worse, better = sum(low > 0 for low, _ in ends), sum(high < 0 for _, high in ends)
            parts = [f"{_of(worse, len(of_kind))} rivals {'is' if worse == 1 else 'are'} better"] if worse else []
            parts += [f"it is better than {_of(better, len(of_kind))}"] if better else []
            words = listed(parts) if parts else "no method below is clearly better or worse"
            said.setdefault(words, []).append(kind)
        clauses = [f"on {listed(kinds)} tables {words}" for words, kinds in said.items()]
        return f"{sentence_case('; '.join(clauses))}."


def _of(number, all_of_them):
    return f"all {count(number)}" if number == all_of_them > 1 else f"{count(number)} of {count(all_of_them)}"
