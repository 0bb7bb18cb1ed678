import os
import sys
from pathlib import Path

from proset_study.study.failures import MOST, Failed, cause, describe_failures, program


def test_the_summary_names_cause_log_and_command(tmp_path):
    log = tmp_path / "fit.log"
    log.write_text("Traceback ...\nValueError: no\n\n", encoding="utf-8")
    job = Failed(
        "fit", {"study": "s", "run": "E7-candidates=10", "data_set": "a"}, log, "results/s/a b/model.npz", 1500
    )
    command = ["snakemake", "--cores", "2", "--configfile", "workflow/demo.yaml", "E7"]
    text = describe_failures([job] * (MOST + 2), "s", command, ["E7"])
    assert text.startswith(f"Study s: {MOST + 2} job(s) failed;")
    assert text.count("fit: run E7-candidates=10, data_set a\n    cause: ValueError: no\n") == MOST
    assert f"    log:   {log}\n" in text
    assert "    retry: snakemake 'results/s/a b/model.npz' --cores 2 --configfile workflow/demo.yaml\n" in text
    assert "and 2 more, named above" in text
    assert text.endswith("snakemake partial --cores 2 --configfile workflow/demo.yaml")
    assert describe_failures([job], "s", command, ["E7"], has_partial=False).endswith("give the same command again.")


def test_a_run_that_was_stopped_is_no_failure():
    text = describe_failures([], "s", ["snakemake", "--cores", "2", "E7"], ["E7"])
    assert text == "Study s: stopped before the end; what is finished is kept, and the same command goes on from there."


def test_the_program_can_be_called_as_it_is_printed(monkeypatch):
    folder = str(Path(sys.executable).parent)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    assert program() == "snakemake"
    monkeypatch.setenv("PATH", "/usr/bin")
    monkeypatch.chdir(Path(sys.executable).parents[2])
    assert Path(program()).exists()
    assert not Path(program()).is_absolute()


def test_the_cause_of_a_job_without_a_log(tmp_path):
    assert "out of memory, 1500 MB were declared" in cause(tmp_path / "not/there.log", 1500)
    (tmp_path / "empty.log").touch()
    assert "was killed" in cause(tmp_path / "empty.log")
