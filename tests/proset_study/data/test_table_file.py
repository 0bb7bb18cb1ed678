import subprocess
import sys


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
