"""The index of the search."""

from proset_study.report.site.search import index, sections

HTML = """<html><nav>Menu</nav><main><h1>Losses</h1><p>What a <b>loss</b> is &amp; why.</p><script>no()</script>
<section id="of-wine">
<h2>Wine<a href="#of-wine">#</a></h2><p>Red.</p></section><h2 id="iris">Iris</h2>long</main></html>"""


def test_a_page_has_an_entry_for_each_heading():
    assert sections("a.html", HTML) == [
        ("a.html", "Losses", "What a loss is & why."),
        ("a.html#of-wine", "Wine \N{EN DASH} Losses", "Red."),
        ("a.html#iris", "Iris \N{EN DASH} Losses", "long"),
    ]


def test_long_texts_are_whole_and_pages_without_a_main_part_left_out(tmp_path):
    (tmp_path / "long.html").write_text(HTML.replace("long", "word " * 1000), encoding="utf-8")
    (tmp_path / "frame.html").write_text("<body><h1>Frame</h1></body>", encoding="utf-8")
    found = index(tmp_path, sorted(tmp_path.glob("*.html")))
    assert [address for address, *_ in found] == ["long.html", "long.html#of-wine", "long.html#iris"]
    assert len(found[-1][2].split()) == 1000
