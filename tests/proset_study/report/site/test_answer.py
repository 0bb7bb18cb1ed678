"""The answer: short sentences in plain words, numbers from the records, the page in a clone as it is committed."""

import re
from statistics import fmean

import pytest
from tests.shared import ROOT, dead_links

from proset_study.base.records import read_json
from proset_study.report.analysis.paired import mean_difference
from proset_study.report.article.installed import HALVES, TUNED
from proset_study.report.article.model import Model
from proset_study.report.article.open_track import INSTALLED
from proset_study.report.rows import groups, pick, read_cells
from proset_study.report.site.answer import LOSS, UNIT, WHAT, Answer
from proset_study.report.site.build import clone_page

LONGEST = 25  # words of a sentence
PLAIN = 60  # Flesch: 60 to 70 is plain English; textstat, which computes it, downloads a dictionary when it runs
SYMBOLS = r"[=+<>≤≥±σΔ%&/|^_]|\bnats\b|\bp-value|\bRMSE\b|log-loss"


@pytest.fixture(scope="module")
def answer():
    return Answer(ROOT, Model())


def flesch(sentences):
    """Flesch reading ease: 206.8 - 1.015 words a sentence - 84.6 syllables a word, syllables by groups of vowels."""
    words = re.findall(r"[A-Za-z]+|\d[\d,.]*", " ".join(sentences))
    syllables = sum(max(1, len(re.findall(r"[aeiouy]+", re.sub(r"e\b|es\b|ed\b", "", word.lower())))) for word in words)
    return 206.835 - 1.015 * len(words) / len(sentences) - 84.6 * syllables / len(words)


def test_the_measure_of_readability_knows_easy_from_hard():
    assert flesch(["The cat sat on the mat."]) > 100
    assert (
        flesch(["Heteroscedastic multivariate distributions necessitate nonparametric regularisation methodologies."])
        < 0
    )


def prose(page):
    """Sentences of a page in Markdown, without code, headings, tables, pictures and targets of links."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"^( {4}|#|\||!\[).*$", "", text, flags=re.MULTILINE)
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text)
    paragraphs = re.split(r"\n\s*\n|^- ", re.sub(r"[`*]", "", text), flags=re.MULTILINE)
    sentences = [s for paragraph in paragraphs for s in re.split(r"(?<=[.?!:])\s+", paragraph)]
    return [sentence for sentence in sentences if re.search(r"[a-z]", sentence)]


@pytest.mark.parametrize("page", ["README.md", "docs/start.md"])
def test_the_first_pages_are_plain_english(page):
    sentences = prose(ROOT / page)
    assert len(sentences) > 10
    assert flesch(sentences) > PLAIN


@pytest.mark.slow
def test_sentences_are_short_and_plain(answer):
    sentences = [WHAT, *(s for card in answer.cards for s in card.sentences), answer.finding(), LOSS, UNIT]
    assert len(sentences) > 12
    for sentence in sentences:
        assert len(sentence.split()) < LONGEST, sentence
        assert not re.search(SYMBOLS, sentence), sentence
    assert flesch(sentences) > PLAIN


@pytest.mark.slow
def test_the_page_in_a_clone_is_what_the_records_say(answer):
    page = ROOT / "reports/index.html"
    assert clone_page(ROOT, answer) == page.read_text(encoding="utf-8"), "make site"


def test_the_page_in_a_clone_has_no_dead_link_and_loads_nothing():
    page = ROOT / "reports/index.html"
    assert dead_links(page) == []
    text = page.read_text(encoding="utf-8")
    assert '<a href="battery_sealed/index.html">Every difference</a>' in text
    assert "study/index.html" in text
    assert not re.search(r"(src|href)=\"(https?:)?//", text)
    assert len(text.encode()) < 100_000


@pytest.mark.slow
def test_ranks_and_counts_are_those_of_the_findings(answer):
    found = answer.standing
    report = next(report for report in HALVES if (ROOT / report).is_dir())
    ranks = pick(read_cells(ROOT / report / "findings/ranks.csv"), comparison=TUNED, score="log-loss", group="all")
    assert {row["method"]: float(row["average_rank"]) for row in ranks} == found.ranks
    bars = found.bars()
    assert {bar.kind for bar in bars} == {"real", "generated"}
    assert sum(len(bar.by_data_set) for bar in bars if bar.method == bars[0].method) == len(found.data_sets)
    config = read_json(ROOT / report / "manifest.json")["config"]["data_sets"]
    assert all(("generator" in config[d]) == (bar.kind == "generated") for bar in bars for d in bar.by_data_set)


@pytest.mark.slow
def test_intervals_take_sources_as_units_and_little_gains_are_counted(answer):
    found = answer.standing
    origin = dict(zip(found.data_sets, found.sources, strict=True))
    for bar in found.bars():
        by_source = groups(bar.by_data_set.items(), lambda item: origin[item[0]])
        means = [fmean(value for _, value in of_source) for of_source in by_source.values()]
        assert bar.mean == pytest.approx(fmean(means))
        assert bar.interval == pytest.approx(mean_difference(means).interval(1 - 0.05 / len(found.rivals)))
    rows = found.stored.read("results.csv.xz", section="final", quantity="log_loss")
    losses = {
        d: [fmean(r["value"] for r in pick(rows, dataset=d, experiment=e)) for e in ("prior", "tuned_few")]
        for d in found.data_sets
    }
    little = [d for d, (prior, ours) in losses.items() if prior - ours < 0.01 and found.kind(d) == "real"]
    assert found.learned_little == little != []
    for kind in ("real", "generated"):
        ranks = pick(
            read_cells(found.stored.folder / "findings/ranks.csv"), comparison="tuned", score="log-loss", group=kind
        )
        assert found.best_rival(kind) == ranks[0]["method"] != INSTALLED


def test_without_records_there_is_no_sentence(tmp_path):
    with pytest.raises(ValueError, match="none of reports/battery_sealed, reports/battery is there"):
        Answer(tmp_path, Model()).standing  # noqa: B018
