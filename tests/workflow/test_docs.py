"""What docs give to be copied works as it stands."""

import re
import shutil
from importlib.resources import files

import pytest
from tests.shared import code_blocks
from tests.workflow.project import ROOT, command, new_project, pasted

OVERLAYS = [
    pytest.param(block, id=f"{page.name}-{number}")
    for page in sorted((ROOT / "docs").glob("*.md"))
    for number, block in enumerate(code_blocks(page, "yaml"))
]


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    """The study as it is, with the files, the method and the generator that the pages speak of."""
    project = new_project(tmp_path_factory.mktemp("docs") / "project")
    shutil.copy2(ROOT / "config.yaml", project.folder)
    private = project.folder / "data/private"
    private.mkdir(exist_ok=True)
    shutil.copy2(files("palmerpenguins") / "data/penguins-raw.csv", private / "penguins.csv")
    (private / "proteins.csv").write_text("sequence,class\nA,x\n", encoding="utf-8")
    exec(code_blocks("docs/dissimilarities.md", "python")[0].replace("data/private", str(private)))
    template, methods = ROOT / "src/proset_study/template/methods", project.folder / "src/proset_study/methods"
    shutil.copy2(template / "my_method.py", methods / "naive_bayes.py")
    generators = project.folder / "src/proset_study/data/generators"
    shutil.copy2(ROOT / "docs/generator_template.py", generators / "two_spirals.py")
    return project


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_every_overlay_in_docs_is_a_study(published, overlay):
    """Checked with the code of the project that has the new method, as the command `config` does it."""
    (published.folder / "overlay.yaml").write_text(overlay, encoding="utf-8")
    checked = command(published, "config", "--files", "config.yaml", "overlay.yaml")
    assert re.search(r", [1-9][\d,]* final models$", checked.stdout), checked.stderr


def test_the_dry_run_of_the_page_about_the_study_prints_the_plan(published):
    page = (ROOT / "docs/study.md").read_text(encoding="utf-8")
    (line,) = (line for line in page.splitlines() if "--dry-run" in line)
    run = pasted(published, line)
    assert run.returncode == 0
    assert re.search(r"^stage1 +\d+$", run.stdout + run.stderr, re.MULTILINE)
