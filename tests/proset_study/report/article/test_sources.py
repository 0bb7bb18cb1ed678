"""The check of the article's sources, both ways: what it refuses is in tests/proset/bad_input.yaml, too."""

import json

import pytest

from proset_study.report.article.sources import PAGE, check

KNOWN = {"texts": {"a.loss"}, "tables": {"a.table"}, "figures": {"a.figure"}, "topics": {"a", "later"}}


@pytest.fixture
def checked(tmp_path):
    """Check a text; the faults."""

    def faults(text="", template="", definitions="", abstract="", page=""):
        sources = {"article.typ": text, "template.typ": template, "definitions.typ": definitions, PAGE: page}
        sources["metadata.yaml"] = json.dumps({"title": "A title", "abstract": abstract})
        for name, content in sources.items():
            (tmp_path / name).write_text(content, encoding="utf-8")
        try:
            check(tmp_path, ["E3", "xor_6f"], KNOWN, {"later"})
        except ValueError as error:
            return str(error).splitlines()
        return []

    return faults


@pytest.mark.parametrize(
    "text",
    [
        'A loss of #n("a.loss") on `xor_6f` in E3 and @tab-data.',
        '#tab("a.table")[A caption.] <tab-data>\n#fig("a.figure", width: 80%)[Another one.]',
        "// 12 of these\nOne of two, the first. /* 13\n14 */",
        '#if given("later") [#n("later.unknown_as_yet")] else [#missing("later")]',
        "The norm #ltwo and $lambda_v$ of https://example.org",
    ],
)
def test_what_is_named_is_allowed(checked, text):
    assert checked(text) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("A loss of 0.53.", "'0.53'"),
        ("6,400 samples", "'6,400'"),
        ("E3 and E99", "'99'"),
        ("xor_6f_more", "'6'"),
        ("$1/2$", "'1'"),
        ('#"0.5"', "'0.5'"),
        ('#n("a.loss") or 3', "'3'"),
        ("10⁻⁶", "'10'"),
        ("x²", "'²'"),
        ("Eleven data sets", "'Eleven'"),
        ("half a million", "'million'"),
        ('#fig("a.figure", height: 80%)', "'80'"),
        ("raw text of `// 0.53`", "'0.53'"),
    ],
)
def test_what_is_typed_is_refused(checked, text, found):
    first, *_ = checked(f"\n\n{text}\n")
    assert f"article.typ:3: {found} is typed by hand" in first


@pytest.mark.parametrize("page", ["The loss `0.53`", "A loss of 0.53"])
def test_a_number_is_no_code_of_the_findings(checked, page):
    (fault,) = checked(page=page)
    assert "'0.53' is typed by hand" in fault
    assert checked(page="`reports/study` and `l1` by `make verify REFITS=3`") == []


def test_a_semicolon_that_typst_would_swallow_is_refused(checked):
    (fault,) = checked('#n("a.loss"); and #n("a.loss")\\; that')
    assert "article.typ:1: '#n(\"a.loss\");' loses its semicolon" in fault


def test_each_kind_of_name_is_looked_up_in_its_own(checked):
    faults = checked('#n("a.table")\n#tab("a.figure")[]\n#fig("a.loss")[]\n#given("b")\n#n("b.loss")')
    assert [fault.rpartition("article.typ:")[2].partition(" is not")[0] for fault in faults] == [
        "1: 'a.table'",
        "2: 'a.figure'",
        "3: 'a.loss'",
        "4: 'b'",
        "5: 'b.loss'",
    ]


def test_code_of_the_template_has_sizes_and_its_text_has_none(checked):
    assert checked("", template="#set page(margin: 2cm)\n#let f(x) = [*Type* #x]") == []
    (fault,) = checked("", template="#set page(margin: 2cm)\n#let f(x) = [*Type 5* #x]")
    assert "template.typ:2: '5' is typed by hand" in fault


def test_definitions_are_formulas_with_their_source(checked):
    assert checked("#half", definitions="// The report.\n\n// Source: the report.\n#let half = $1/2$\n") == []
    (fault,) = checked("#half", definitions="// Source: none.\n#let half = [one in 2]\n")
    assert "definitions.typ:2:" in fault


@pytest.mark.parametrize(
    ("page", "found"),
    [
        ('A loss of {{ n("a.loss") }} in E3, `make 3`, [here](https://example.org/4), {{ reason("S14") }}', []),
        ("A loss of 0.53", ["'0.53' is typed by hand"]),
        ("{# 12 #}{% if 12 %}", ["'12' is typed by hand"]),
        ('{{ tab("a.loss") }}', ["'a.loss' is not in the records, which have a.table"]),
    ],
)
def test_the_page_of_findings_is_checked_alike(checked, page, found):
    assert [fault.partition(f"{PAGE}:1: ")[2].partition(";")[0] for fault in checked(page=page)] == found
