"""The page of findings of the committed records."""

import re

import pytest
from tests.proset_study.report.article.conftest import ROOT, copied, numbered

from proset_study.report.article.page import findings
from proset_study.report.article.sources import PAGE
from proset_study.report.article.topics import TOPICS
from proset_study.store.stored import Missing


def test_the_page_is_what_the_records_say():
    page = findings(ROOT)
    assert page == (ROOT / "docs/findings.md").read_text(encoding="utf-8"), "make findings"
    assert "No records are in the repository yet" not in page


def test_the_readme_says_of_the_open_track_what_the_page_says():
    page, readme = ((ROOT / file).read_text(encoding="utf-8") for file in ("docs/findings.md", "README.md"))
    said = r"Open track\.\*\* .*? Of (\w+) methods and the class prior,\s.*? the first\s+(\w+) do not"
    methods, alike = re.search(said, page, re.DOTALL).groups()
    words = f"of {methods} and the class prior, the first {alike} do not differ significantly"
    assert words in " ".join(readme.split())


def test_records_that_are_not_there_are_named(tmp_path):
    files = (*TOPICS["claims"].records, "article/metadata.yaml", f"article/{PAGE}")
    project = numbered(copied(ROOT, tmp_path, *files))
    (project / "article" / PAGE).write_text('{{ n("error_estimates.families") }}', encoding="utf-8")
    with pytest.raises(Missing, match=r"error_estimates.families, which `snakemake .*error_estimates.yaml` computes"):
        findings(project)
