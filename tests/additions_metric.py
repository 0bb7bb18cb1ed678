"""A metric, added to a copy of the project as CONTRIBUTING says."""

from pathlib import Path

ENTRY = '    Score("sharpness", "sharpness", lambda p, y, weight: float(p.max(axis=1).mean()), loss="sharpness"),\n'
FAST_TESTS = (  # that could be in the way of a metric
    "tests/proset_study/store/test_metrics.py",
    "tests/proset_study/report/tables",
    "tests/proset_study/report/analysis/test_published.py",
    "tests/proset_study/study/test_fingerprints.py",
)


def add_metric(checkout: Path) -> None:
    """One more entry in the registry of scores."""
    file = checkout / "src/proset_study/store/metrics.py"
    text = file.read_text(encoding="utf-8")
    assert text.count(")\nSCORES = {") == 1
    file.write_text(text.replace(")\nSCORES = {", f"{ENTRY})\nSCORES = {{"), encoding="utf-8")
