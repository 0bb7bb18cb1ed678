"""How long Snakemake plans a study of many small tables, and with how much memory: `python -m benchmarks.planning`.

The tables are made up, in a temporary folder, and nothing is fitted: `snakemake --dry-run` plans as a run does before
its first job.
"""

import argparse
import os
import resource
import subprocess
import sys
import time
from itertools import cycle
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import yaml

ROOT = Path(__file__).parents[1]
METHODS = {
    "knn": {"stage2": {"complexity": 10}},
    "decision_tree": {"parameters": {"min_samples_leaf": 5}, "stage2": {"complexity": 10}},
    "class_prior": {"stage2": {"complexity": 1}},
}
ROWS, FEATURES = 60, 4


def make_study(folder: Path, data_sets: int, experiments: int, replicates: int) -> None:
    """Tables, a config with experiments on all of them, and links to the workflow."""
    rng = np.random.default_rng(1)
    (folder / "tables").mkdir()
    names = [f"table_{i}" for i in range(data_sets)]
    for name in names:
        table = np.c_[rng.normal(size=(ROWS, FEATURES)), rng.integers(2, size=ROWS)]
        header = ",".join([*(f"x{i}" for i in range(FEATURES)), "y"])
        np.savetxt(folder / f"tables/{name}.csv", table, "%.4g", ",", header=header, comments="")
    config = {
        "study": "many",
        "seed": 1,
        "replicates": list(range(replicates)),
        "folds": 5,
        "test_fraction": 0.3,
        "data_sets": {name: {"file": f"tables/{name}.csv", "target": "y"} for name in names},
        "experiments": {
            f"M{i}": {"title": f"Method {i}", "method": method, "data_sets": names, **METHODS[method]}
            for i, method in zip(range(experiments), cycle(METHODS), strict=False)
        },
    }
    (folder / "config.yaml").write_text(yaml.safe_dump(config, sort_keys=False), encoding="utf-8")
    for part in ("Snakefile", "workflow", "profiles", "environment.yml", "environment.post-deploy.sh", "data"):
        (folder / part).symlink_to(ROOT / part)


def plan(folder: Path, *arguments: str) -> str:
    """The number of jobs, seconds of the clock and of the processor, and the peak of memory."""
    command = [sys.executable, "-m", "snakemake", "--dry-run", "--quiet", "rules", "reason", "host", "--cores", "2"]
    start = time.perf_counter()
    run = subprocess.run(
        [*command, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    seconds, used = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu, memory = used.ru_utime + used.ru_stime, used.ru_maxrss / 2**20
    if run.returncode:
        sys.exit(run.stdout + run.stderr)
    jobs = [line for line in (run.stdout + run.stderr).splitlines() if line.startswith("total ")]
    n_jobs = jobs[0].split()[1] if jobs else "no"
    return f"{n_jobs} jobs, {seconds:.0f} s, {cpu:.0f} s of CPU, {memory:.2f} GiB"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.planning", description=__doc__)
    parser.add_argument("--data-sets", type=int, default=1000)
    parser.add_argument("--experiments", type=int, default=15)
    parser.add_argument("--replicates", type=int, default=10)
    parser.add_argument("targets", nargs="*", help="of Snakemake")
    given = parser.parse_args()
    with TemporaryDirectory() as name:
        make_study(Path(name), given.data_sets, given.experiments, given.replicates)
        print(plan(Path(name), *given.targets))
