"""Numbers and names as pages, tables, figures and the article write them."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from math import floor, isclose, log10

from proset_study.methods.labels import method_name, name_of
from proset_study.report.analysis.statistics import DECIMALS
from proset_study.store.metrics import SCORES
from proset_study.store.stored import Final

MINUS = "\N{MINUS SIGN}"
SECTIONS = {
    "data": "Data",
    "stage1": "Stage 1",
    "stage2": "Stage 2",
    "cv": "Cross-validation",
    "final": "Final model, scores for test data",
}
_LABELS = {"train_samples": "Train samples", "test_samples": "Test samples"}

Scores = Mapping[str, float]


def model(final: Final) -> str:
    """Method of a final model, and its experiment unless that is named after the method."""
    return named(final.run.method, final.label)


def named(method: str, experiment: str) -> str:
    """A method, and its experiment unless that is named after the method.

    >>> named("knn", "E8"), named("decision_tree", "decision_tree")
    ('KNN (E8)', 'decision tree')
    """
    return method_name(method) if experiment == method else f"{method_name(method)} ({experiment})"


def leader(scores: Scores, form: str = "{:.3f}", pick: Callable[[Iterable[float]], float] = min) -> str:
    """The best score, and whose it is, or how many have it as it is written.

    >>> leader({"KNN": 0.104, "SVM": 0.1041, "proset": 0.2})
    '0.104 for 2 models'
    >>> leader({"KNN": 98.6, "SVM": 98.7, "proset": 99.6}, "{:.0f} %", max)
    '100 % for proset'
    """
    best = form.format(pick(scores.values()))
    first, *others = (name for name, score in scores.items() if form.format(score) == best)
    return f"{best} for {f'{1 + len(others)} models' if others else first}"


def ranges(scores: Scores, form: str = "{:.3f}") -> str:
    """What a score is, or from where to where it goes, with those who have the ends.

    >>> ranges({"KNN": 2, "SVM": 3, "proset": 5}, "{}")
    'ranges from 2 for KNN to 5 for proset'
    >>> ranges({"KNN": 2}, "{}")
    'is 2 for KNN'
    """
    low, high = (leader(scores, form, pick) for pick in (min, max))
    return f"is {low}" if low == high else f"ranges from {low} to {high}"


def span(values: Collection[float], form: str = "") -> str:
    """The range from the smallest value to the largest, said once if they look the same.

    >>> span([3, 1, 6]), span({1200}, ","), span([0.2, 0.4], ".0f")
    ('1 to 6', '1,200', '0')
    """
    return " to ".join(dict.fromkeys(format(end(values), form) for end in (min, max)))


def lowest(scores: Scores) -> list[str]:
    """The methods with the lowest score, of which there are several if they differ by rounding only.

    >>> lowest({"KNN": 0.1 + 0.2, "SVM": 0.3, "trees": 0.4})
    ['KNN', 'SVM']
    """
    rounded = {method: round(score, DECIMALS) for method, score in scores.items()}
    least = min(rounded.values(), default=0.0)
    return [method for method, score in rounded.items() if score == least]


def wins(scores: Mapping[str, Scores], what: str, named: str = "", units: str = "data sets") -> str:
    """Sentence on lowest scores: on how many data sets each method has it; of more than three two, and one by name.

    The rest is a number, unless it is one method.

    >>> wins({"iris": {"KNN": 0.1, "SVM": 0.2}, "wine": {"KNN": 0.3, "SVM": 0.2}, "cancer": {"SVM": 0.1}}, "loss")
    'The lowest loss is that of SVM on 2 of 3 data sets and KNN on 1'
    >>> wins({"iris": {"KNN": 0.1, "SVM": 0.1}, "wine": {"KNN": 0.2, "SVM": 0.3}}, "loss", named="trees")
    'The lowest loss is that of KNN on 2 of 2 data sets, SVM on 1 and trees on none (with ties)'
    >>> wins({str(i): {name: float(i != j) for j, name in enumerate("abcd")} for i in range(4)}, "loss", named="c")
    'The lowest loss is that of a on 1 of 4 data sets, b on 1, c on 1 and d on 1'
    """
    found = Counter(name for by_method in scores.values() for name in lowest(by_method))
    ties = " (with ties)" if found.total() > len(scores) else ""
    counts = found.most_common()
    if named and named not in found:
        counts.append((named, 0))
    if len(counts) > 3:
        shown = [*counts[:2], *(count for count in counts[2:] if count[0] == named)]
        rest = [count for count in counts if count not in shown]
        counts = [*shown, *(rest if len(rest) == 1 else [(f"{len(rest)} others", sum(n for _, n in rest))])]
    (first, most), *others = counts
    words = [f"The lowest {what} is that of {first} on {most} of {len(scores):,} {units}"]
    return listed([*words, *(f"{name} on {number or 'none'}" for name, number in others)]) + ties


def listed(names: list[str]) -> str:
    """Names in a sentence, with commas and "and".

    >>> listed(["KNN", "SVM", "XGBoost"]), listed([])
    ('KNN, SVM and XGBoost', 'none')
    """
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1]))) if names else "none"


def table_line(cells: Iterable[object]) -> str:
    """A row of a Markdown table."""
    return f"| {' | '.join(map(str, cells))} |"


def fixed(value: float, digits: int = 3, sign: str = "") -> str:
    """A number with `digits` decimals, thousands separated and a typographic minus."""
    return f"{value:{sign},.{digits}f}".replace("-", MINUS)


def p_value(p: float | None) -> str:
    """A p-value with two digits, or that it is below 0.001; empty for None.

    >>> p_value(0.0708), p_value(2e-11), p_value(None)
    ('0.071', '< 0.001', '')
    """
    return "" if p is None else "< 0.001" if p < 0.001 else f"{p:.2g}"


def significant_decimals(error: float) -> int:
    """Number of decimals that show one significant digit of a standard error; at most four.

    >>> significant_decimals(0.0112), significant_decimals(65.6)
    (2, 0)
    """
    return min(4, max(0, -floor(log10(error))))


def sentence_case(words: str) -> str:
    """Words with a capital at the start; those that follow keep theirs.

    >>> sentence_case("loss of SVM"), sentence_case("")
    ('Loss of SVM', '')
    """
    return words[:1].upper() + words[1:]


def quantity_label(quantity: str, role: str = "") -> str:
    """A quantity as tables write it, after the role of the setting that it belongs to."""
    score = SCORES.get(quantity)
    label = (score.label or score.name) if score else _LABELS.get(quantity) or name_of(quantity).table
    label = label or quantity.replace("_", " ")
    return f"{role.capitalize()} {label}" if role else sentence_case(label)


def format_number(quantity: str, value: float | None) -> str:
    """A number as the published tables print it; "n/a" for None."""
    if value is None:
        return "n/a"
    if number := name_of(quantity).number:
        return format(value, number).replace("e-0", "e-")
    if quantity in SCORES or quantity == "threshold":
        return f"{value:.{SCORES[quantity].digits if quantity in SCORES else 2}f}"
    if value != round(value):
        return f"{value:.2f}" if abs(value) >= 0.005 else f"{value:.1e}".replace("e-0", "e-")
    return f"{round(value):,}"


def in_script(text: str) -> str:
    """JSON for a script element of a page, which none of its texts can end or turn into something else.

    >>> print(in_script('"</script>", "<!--<script>"'))
    "<\\/script>", "\\u003c!--<script>"
    """
    return text.replace("</", "<\\/").replace("<!--", "\\u003c!--")


def how_many(names: list[str]) -> str:
    """How many there are, and which if they are few.

    >>> how_many([]), how_many(["iris", "wine"]), how_many(["a", "b", "c", "d", "e"])
    ('none', '2 (iris, wine)', '5')
    """
    if not names:
        return "none"
    return f"{len(names)} ({', '.join(names)})" if len(names) <= 4 else str(len(names))


def counted(number: float, noun: str) -> str:
    """How many there are of something.

    >>> counted(1, "replicate"), counted(1200, "data set")
    ('1 replicate', '1,200 data sets')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def best_ranked(ranks: Mapping[str, float], one: str, several: str) -> str:
    """The methods with the best of some average ranks, and a verb for one or for several of them.

    >>> best_ranked({"svm": 2.0, "knn": 2.0, "xgboost": 2.5}, "is", "are")
    'SVM and KNN are'
    """
    best = min(ranks.values())
    names = [method_name(method) for method, rank in ranks.items() if isclose(rank, best)]
    return f"{listed(names)} {one if len(names) == 1 else several}"
