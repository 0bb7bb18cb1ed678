from tests.proset_study.report.conftest import PUBLISHED

from proset_study.report.analysis.selection_rules import rules
from proset_study.report.row_files import AGAINST_PUBLISHED, ROW_FILES, write_row_files
from proset_study.store.results import read_csv
from proset_study.study import layout


def test_a_study_has_the_files_of_what_is_in_it(stored, tmp_path):
    write_row_files(tmp_path, stored, PUBLISHED)
    written = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    of_batteries = ("table_properties", "dependence", "between_properties", "ratings", "pareto", "tuning")
    absent = {f"findings/{name}.csv" for name in (*of_batteries, "response_curves", "against")}
    assert written == {*ROW_FILES, *AGAINST_PUBLISHED} - absent
    assert len(read_csv(tmp_path / "findings/rules.csv.xz").splitlines()) == 1 + len(rules(stored))


def test_every_file_belongs_to_a_report(stored):
    assert [name for name in (*ROW_FILES, *AGAINST_PUBLISHED) if not layout.belongs(stored.study, name)] == []
