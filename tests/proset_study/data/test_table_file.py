import gzip
import subprocess
import sys

import pandas as pd
import pytest

from proset_study.data.table_file import read_table


def test_a_compressed_table_is_read_as_the_other_one(tmp_path):
    text = b"x;y\n1,5;a\n2,5;b\n"
    (tmp_path / "own.csv").write_bytes(text)
    (tmp_path / "own.csv.gz").write_bytes(gzip.compress(text))
    plain, packed = (read_table(str(tmp_path / name), ["y"], 0, ";", ",") for name in ("own.csv", "own.csv.gz"))
    pd.testing.assert_frame_equal(plain, packed)


@pytest.mark.parametrize("content", [b"x,y\n1,a\n", gzip.compress(b"x,y\n1,a\n" * 1000)[:-20]], ids=["plain", "cut"])
def test_a_broken_compressed_table_is_named(tmp_path, content):
    (tmp_path / "own.csv.gz").write_bytes(content)
    with pytest.raises(ValueError, match=r"own\.csv\.gz cannot be read as \.csv: "):
        read_table(str(tmp_path / "own.csv.gz"), [])


def test_too_many_numbers_are_refused_before_they_are_read(tmp_path):
    """Numbers of one digit take eight times their file, and more while they are read."""
    path = tmp_path / "own.csv"
    with path.open("wb") as file:
        file.write(",".join(f"c{i}" for i in range(1000)).encode() + b"\n" + (b"1," * 999 + b"1\n") * 63_000)
    code = (
        "import re\nfrom proset_study.data.columns import read_columns\n"
        f"try:\n  read_columns({str(path)!r}, 'c0', [], None, None, [], None)\n"
        "except ValueError as error:\n  print(error)\n"
        "print(re.search(r'VmHWM:\\s+(\\d+) kB', open('/proc/self/status').read())[1])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    message, peak = run.stdout.splitlines()
    assert "has 63,000,000 numbers, at most 62,500,000 are allowed" in message
    assert int(peak) < 400_000


def test_blank_lines_and_fields_over_several_lines_are_no_short_rows(tmp_path):
    path = tmp_path / "own.csv"
    path.write_text('x,y\n\n1,a\n  \n2,"b\nc"\n,\n\n', encoding="utf-8")
    table = read_table(str(path), ["y"])
    assert table["x"].tolist()[:2] == [1.0, 2.0]
    assert table.isna().to_numpy().tolist() == [[False, False], [False, False], [True, True]]


@pytest.mark.parametrize(("content", "row", "fields"), [("x,y\n\n1,a\n2\n", 2, "'2'"), ("x,y\n1\n2,a\n", 1, "'1'")])
def test_a_short_row_is_named_whatever_may_be_missing(tmp_path, content, row, fields):
    (tmp_path / "own.csv").write_text(content, encoding="utf-8")
    with pytest.raises(
        ValueError, match=rf"own.csv: row {row} has 1 of 2 fields \({fields}\), none for column 'y'; write"
    ):
        read_table(str(tmp_path / "own.csv"), ["y"])


def test_what_separates_fields_is_guessed_where_decimal_commas_make_more_of_them(tmp_path):
    (tmp_path / "own.csv").write_text("x;z;y\n1,5;2,5;a\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"row 1 has 3 fields, the header has 1; .* separated by ';': name it in sep"):
        read_table(str(tmp_path / "own.csv"), [])


def test_a_url_is_named_as_one():
    with pytest.raises(ValueError, match=r"file: 'https://a\.org/own\.csv' is a URL; download it"):
        read_table("https://a.org/own.csv", [])
