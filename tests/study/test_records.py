import json

import pytest

from proset.study.records import Resources, fingerprint, read_json, read_json_lines, write_json, write_json_lines


def test_round_trip(tmp_path):
    records = [{"a": 1.5, "b": [1, 2]}, {"name": "ü"}]
    write_json_lines(tmp_path / "deep" / "r.jsonl", records)
    assert read_json_lines(tmp_path / "deep" / "r.jsonl") == records
    write_json(tmp_path / "r.json", records[0])
    assert read_json(tmp_path / "r.json") == records[0]
    assert not list(tmp_path.rglob("*.tmp"))


def test_nan_is_refused_and_the_old_record_stays(tmp_path):
    path = tmp_path / "r.json"
    write_json(path, {"a": 1})
    with pytest.raises(ValueError, match="not JSON compliant"):
        write_json(path, {"a": float("nan")})
    assert read_json(path) == {"a": 1}


@pytest.mark.parametrize("read", [read_json, read_json_lines])
def test_a_damaged_record_is_named(tmp_path, read):
    path = tmp_path / "r.json"
    path.write_text('{"a": ', encoding="utf-8")
    with pytest.raises(ValueError, match=r"r\.json is damaged .*; remove it and run snakemake again"):
        read(path)


def test_fingerprint_reads_files_and_orders_keys(tmp_path):
    (tmp_path / "x").write_bytes(b"1")
    (tmp_path / "y").write_bytes(b"1")
    assert fingerprint(tmp_path / "x", {"a": 1, "b": 2}) == fingerprint(tmp_path / "y", json.loads('{"b": 2, "a": 1}'))
    (tmp_path / "y").write_bytes(b"2")
    assert fingerprint(tmp_path / "x") != fingerprint(tmp_path / "y")
    assert fingerprint("a", "b") != fingerprint("b", "a")


def test_resources_measure_phases():
    resources = Resources()
    with resources.measure("fit"):
        sum(range(200_000))
    record = resources.record()
    assert 0 < record["fit_cpu_s"] <= record["fit_wall_s"] + 0.1
    assert record["peak_memory_mib"] > 10
