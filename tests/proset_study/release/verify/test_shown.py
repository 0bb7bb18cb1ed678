import lzma
import shutil

import openpyxl
import pytest
from tests.proset_study.release.verify.conftest import change_manifest, one_digit_changed

from proset_study.release.release import checksums
from proset_study.report.analysis.manifest import made_with
from proset_study.report.claims import CLAIMS, measures
from proset_study.report.claims.checks import compare
from proset_study.report.claims.quantities import measure
from proset_study.report.claims.registry import Claim
from proset_study.report.renew import renew
from proset_study.report.write import write_report
from proset_study.store.packed import write_files
from proset_study.store.results import text_of
from proset_study.study import layout

NUMBER = r"(?<=>)\d+\.\d*?(\d)(?=<)"  # of a page
TAMPERED = {  # a file of each kind, and the pattern of the numbers of which a digit is changed
    **dict.fromkeys([layout.ALL_SCORES, layout.CLAIMS, layout.COMPARISON], ""),
    **dict.fromkeys(["tables/E8.csv", "tables/E8.md", "tables/E8.tex", "tables/E3_E8_E9.tex"], ""),
    **dict.fromkeys([layout.FEATURES, layout.RULES, layout.VARIANCE, layout.COSTS, "findings/over_data_sets.csv"], ""),
    **dict.fromkeys(
        map(layout.evaluation_file, (*layout.OF_CLASSES, "bootstrap", "learning_curve", "bias_variance")), ""
    ),
    layout.HEADLINE: r"\d+\.?\d*?(\d)(?= )",
    **dict.fromkeys([layout.INDEX, layout.TABLE_PAGE, layout.PAGE.format(data_set="flowers")], NUMBER),
    layout.EXPLORE: r"\d+\.\d*?(\d)(?=[,\]])",
    layout.NUMBERS: r"\d*?(\d)(?=\")",
    layout.VEGA: r"[A-Za-z](\d)(?=[A-Za-z])",
    "figures/overview/headline.svg": r"\d+\.\d*?(\d)(?= )",
    "figures/flowers/figures.json": r"\d*?(\d)(?= )",
    "figures/odd/odd_reliability.svg": r"\d+\.\d*?(\d)(?= )",
}
DATA = "replicate_0/cross/data.npz"
OTHERS = (  # lines about what has no digits of its own to change
    f"{layout.WORKBOOK}, sheet E8, cell ",
    *(f"{layout.MANIFEST}: {key} of replicate 0 is " for key in ("cost", "not_converged")),
    f"{DATA}: the data made again from the seed differ",
    f"{layout.MANIFEST} and {layout.INDEX}: versions differ, the manifest has ",
)


@pytest.fixture(scope="module")
def claimed():
    """A claim about data sets of the small study, which needs a model."""
    distance = measure("distance from the prior", "E3", measures.distance_from_prior)
    CLAIMS["T1"] = Claim(
        "The models say more than the prior", ("flowers", "cross"), False, {}, compare(distance, ">", 0)
    )
    yield
    del CLAIMS["T1"]


@pytest.fixture(scope="module")
def rendered(claimed, report, whole, published, tmp_path_factory):
    """The small report with its pages and figures, which this code has rendered."""
    folder = shutil.copytree(report, tmp_path_factory.mktemp("rendered") / "small")
    change_manifest(folder, lambda known: known["rendered"].update(made_with()))
    write_report(whole, folder, published, ["models", "overview", "article", "data_sets"])
    return folder


@pytest.fixture(scope="module")
def found(rendered, check, tmp_path_factory):
    """What is found of a report with a digit changed in a file of each kind; all are checked at once, to save time."""
    folder = shutil.copytree(rendered, tmp_path_factory.mktemp("tampered") / "small")
    for name, pattern in TAMPERED.items():
        path = folder / name
        text = text_of(name, path.read_bytes())
        text = one_digit_changed(text, pattern) if pattern else one_digit_changed(text)
        path.write_bytes(lzma.compress(text.encode()) if path.suffix == ".xz" else text.encode())
    shutil.rmtree(folder / "figures/cross")  # so that they are not rendered again: no digit of them is changed
    (folder / layout.PAGE.format(data_set="cross")).unlink()
    book = openpyxl.load_workbook(folder / layout.WORKBOOK)
    next(cell for row in book["E8"].iter_rows() for cell in row if isinstance(cell.value, float)).value += 1e-10
    book.save(folder / layout.WORKBOOK)

    def change(known):
        known["versions"]["numpy"] = "1.0"
        known["cost"]["0"]["knn"]["fit_cpu_s"] += 0.001
        known["not_converged"]["0"] = ["invented"]
        known["data_sha256"][DATA] = "0" * 64

    change_manifest(folder, change)
    return check(folder)


def test_of_an_honest_release_nothing_is_left_unchecked(rendered, check):
    assert check(rendered) == []
    said = check.said[-1]
    assert said == "not checked: nothing (commit, machine and seconds are what the report says of itself)"
    assert "pages and figures, over all data sets and of 3, are rendered again and compared to the byte" in check.said


@pytest.mark.parametrize("name", TAMPERED)
def test_a_changed_digit_is_found_in_each_kind_of_file(found, name):
    assert any(line.startswith((f"{name},", f"{name}:", f"{name} ")) for line in found), found


@pytest.mark.parametrize("words", OTHERS)
def test_a_changed_cell_and_changed_facts_of_the_manifest_are_named(found, words):
    assert any(line.startswith(words) for line in found), found


@pytest.fixture
def without_searches(rendered, tmp_path):
    """What a committed report has of it."""
    folder = shutil.copytree(rendered, tmp_path / "small")
    for name in ("replicate_0_searches", "replicate_0"):
        (folder / layout.RECORDS.format(archive=name)).unlink()
    return folder


def test_without_all_records_pages_are_not_rendered_and_claims_are_decided_as_far_as_that_goes(without_searches, check):
    assert check(without_searches) == []
    why = "not rendered again: not all records are here, or of another arithmetic"
    assert any(line.endswith(why) for line in check.said)
    path = without_searches / layout.CLAIMS
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(",1,1\n", ",0,1\n", 1), encoding="utf-8")
    assert "claims.csv, line 2, replicates_holding: '0', decided again '1'" in check(without_searches)


def test_pages_for_committing_are_right_with_the_archive_and_without_but_a_release_has_its_links(
    rendered, check, published, tmp_path
):
    folder = shutil.copytree(rendered, tmp_path / "small")
    files = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    archive = tmp_path / "release/small-report.tar.xz"  # not next to the report, where it would be found
    archive.parent.mkdir()
    packed = {**files, layout.CHECKSUMS: checksums(files.items())}
    write_files(archive, ((f"small/{name}", content) for name, content in packed.items()))
    assert layout.INDEX in renew(folder, published)
    assert check(folder, n_pages=0) == []
    assert check(folder, archive=archive, n_pages=0) == []
    page = folder / layout.INDEX
    page.write_text(page.read_text(encoding="utf-8").replace("<span title=", "<span class="), encoding="utf-8")
    assert any(line.startswith(f"{layout.INDEX}") for line in check(folder, n_pages=0))
    (refused,) = check(folder, archive=archive)
    assert "index.html is another file in small-report.tar.xz than in the report" in refused
