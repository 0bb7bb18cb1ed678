import re

from scipy.stats import hypergeom
from tests.shared import ROOT

from proset_study.base.records import read_json
from proset_study.study.config.study import Study

PAGE = (ROOT / "docs/verification.md").read_text(encoding="utf-8")


def test_the_page_has_the_probability_that_a_forged_model_is_drawn():
    heading, *rows = [
        [cell.strip() for cell in line.strip("| ").split("|")]
        for line in PAGE.split("## How many fits to repeat")[1].splitlines()
        if line.startswith("|") and not line.startswith("|---")
    ]
    drawn = [int(cell.split()[0]) for cell in heading[2:]]
    assert len(rows) == 4
    for models, forged, *printed in rows:
        total = int(models.split()[0])
        numbers = [1 - hypergeom.pmf(0, total, int(forged), min(n, total)) for n in drawn]
        assert printed == [f"{100 * p:.1f} %" for p in numbers]


def test_the_page_has_the_numbers_of_models_of_the_study():
    study = Study.of(read_json(ROOT / "reports/study/manifest.json")["config"])
    committed, archived = (sum(1 for _ in study.final_models(r)) for r in (study.replicates[:1], study.replicates))
    assert set(re.findall(r"(\d+) \(`reports/study`\)", PAGE)) == {str(committed)}
    assert set(re.findall(r"(\d+) \(its archive\)", PAGE)) == {str(archived)}
