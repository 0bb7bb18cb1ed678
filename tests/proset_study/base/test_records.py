import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import pytest

from proset_study.base.records import (
    Resources,
    fingerprint,
    read_all,
    read_json,
    read_table,
    write_json,
    write_json_lines,
    write_text,
)
from proset_study.store import results
from proset_study.store.results import as_cell, read_csv, read_rows, write_rows


def test_nan_is_refused_and_the_old_record_stays(tmp_path):
    path = tmp_path / "r.json"
    write_json(path, {"a": 1})
    with pytest.raises(ValueError, match="not JSON compliant"):
        write_json(path, {"a": float("nan")})
    assert read_json(path) == {"a": 1}


@pytest.mark.parametrize("value", ["", "[" * 20_000 + "]" * 20_000], ids=["none", "deep"])
def test_a_record_that_is_no_json_or_nested_too_deeply_is_refused(tmp_path, value):
    (tmp_path / "r.json").write_text(f'{{"a": {value}}}\n', encoding="utf-8")
    with pytest.raises(ValueError, match=r"r\.json is damaged \(.*\); remove it and run snakemake again"):
        read_json(tmp_path / "r.json")


def test_whole_lines_that_are_missing_are_noticed(tmp_path):
    paths = [tmp_path / "0", tmp_path / "1"]
    records = [[{"fold": fold, "trial": trial} for trial in range(3)] for fold in range(2)]
    for path, of_fold in zip(paths, records, strict=True):
        write_json_lines(path, of_fold)
    assert read_all(paths, fold=2, trial=3) == records[0] + records[1]
    write_json_lines(paths[0], records[0][:2])
    with pytest.raises(ValueError, match=r"0 is damaged \(the record of fold 0, trial 2 is missing\)"):
        read_all(paths, fold=2, trial=3)
    write_text(tmp_path / "table", "row,fold\n0,1\n1,0\n")
    assert read_table(tmp_path / "table", 2).tolist() == [[0, 1], [1, 0]]
    with pytest.raises(ValueError, match=r"table is damaged \(2 rows instead of 3\)"):
        read_table(tmp_path / "table", 3)


def test_fingerprint_reads_files_and_orders_keys(tmp_path, monkeypatch):
    (tmp_path / "x").write_bytes(b"1")
    (tmp_path / "y").write_bytes(b"1")
    assert fingerprint(tmp_path / "x", {"a": 1, "b": 2}) == fingerprint(tmp_path / "y", json.loads('{"b": 2, "a": 1}'))
    (tmp_path / "z").write_bytes(b"2")
    assert fingerprint(tmp_path / "x") != fingerprint(tmp_path / "z")
    assert fingerprint("a", "b") != fingerprint("b", "a")
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "data"
    path.write_bytes(b"1")
    first = fingerprint(path, 0), fingerprint(path, 1)
    path.unlink()
    assert (fingerprint(path, 0), fingerprint(Path("data"), 1)) == first
    with pytest.raises(FileNotFoundError):
        fingerprint(tmp_path / "other")


def test_resources_measure_phases():
    resources = Resources()
    with resources.measure("fit"):
        sum(range(200_000))
    record = resources.record()
    assert 0 < record["matrix_product_ms"] < 1000  # the speed of the machine at the time
    assert 0 < record["fit_cpu_s"] <= record["fit_wall_s"] + 0.1
    assert 10 < record["peak_memory_mib"] < 100_000  # in MiB, whatever the unit of the system is


def test_programs_that_a_phase_waits_for_are_measured():
    resources, code = Resources(), "import time; x = b'1' * 500_000_000; print(time.process_time())"
    with resources.measure("fit"):
        theirs = float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)
    record = resources.record()
    assert record["fit_cpu_s"] > 0.9 * theirs  # counted in ticks of the system
    assert record["peak_memory_mib"] > 450


def test_a_system_without_the_measurement_of_memory_is_told_what_is_supported(child_environment):
    code = "import sys; sys.modules['resource'] = None; import proset_study.base.records"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=child_environment)
    assert run.returncode == 1
    assert run.stderr.splitlines()[-1].startswith("ImportError: the study runs on Linux and macOS, not on ")


def test_a_result_is_bound_to_its_place(tmp_path):
    path = tmp_path / "study/replicate_0/wine/E3/fit.json"
    write_json(path, {"a": 1.5, "b": [1, 2]})
    assert read_json(path) == {"a": 1.5, "b": [1, 2]}
    assert json.loads(path.read_text(encoding="utf-8")).keys() == {"a", "b", "sha256"}
    assert not list(tmp_path.rglob("*.tmp"))
    assert read_json(f"{tmp_path}//study/./replicate_0/wine/E3/fit.json") == {"a": 1.5, "b": [1, 2]}
    other = path.with_name("other.json")
    path.rename(other)
    with pytest.raises(ValueError, match=r"other.json is damaged \(its checksum is wrong, or it is the result of some"):
        read_json(other)
    write_text(tmp_path / "report.csv", "a\n1\n")
    assert (tmp_path / "report.csv").read_text(encoding="utf-8") == "a\n1\n"


@pytest.mark.parametrize("text", ["=1+1", "-a", "+b", "@c", "\td"])
def test_text_that_begins_like_a_formula_is_escaped(tmp_path, text):
    write_rows(tmp_path / "t.csv", [{"class": text, "value": -1.5}], ("class", "value"))
    assert (tmp_path / "t.csv").read_text(encoding="utf-8") == f"class,value\n'{text},-1.5\n"
    assert as_cell("-1") == "-1"


@dataclass
class Named:
    name: str
    value: float | None


def test_a_compressed_file_has_the_same_rows_for_us_and_for_pandas(tmp_path):
    rows = [Named("a", 0.1), Named("b, c", None), Named("é", -1e-9)]
    for name in ("t.csv", "t.csv.xz"):
        write_rows(tmp_path / name, rows, Named)
        assert read_rows(tmp_path / name, Named) == rows
    assert pd.read_csv(tmp_path / "t.csv.xz").equals(pd.read_csv(tmp_path / "t.csv"))


@pytest.mark.parametrize("damage", [lambda c: c[:-9], lambda c: c + c, lambda c: b"class\na\n", lambda c: b""])
def test_a_damaged_compressed_file_is_refused_by_name(tmp_path, damage):
    path = tmp_path / "t.csv.xz"
    write_rows(path, [{"class": "a"}], ("class",))
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(ValueError, match=r"t\.csv\.xz is damaged \(.*\); remove it and run snakemake again"):
        read_csv(path)


def test_a_compressed_file_that_is_too_large_is_refused(tmp_path, monkeypatch):
    write_rows(tmp_path / "t.csv.xz", [{"class": "a" * 20_000_000}], ("class",))
    monkeypatch.setattr(results, "MAX_TEXT", 20_000_000)
    with pytest.raises(ValueError, match=r"t\.csv\.xz is damaged \(.* more than 20,000,000 bytes"):
        read_csv(tmp_path / "t.csv.xz")
