"""A tiny study in a folder of its own, run by the real workflow."""

import csv
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import time
from collections.abc import Callable
from pathlib import Path

import yaml
from tests.shared import ROOT, made_once
from tests.workflow import forked

COSTS = "findings/costs.csv"
NO_PAGES = ("--omit-from", "data_set_page")  # which take half of the time of a run

TINY = yaml.safe_load("""
study: tiny
seed: 1
replicates: [0]
folds: 2
test_fraction: 0.3
trials_per_job: {proset: 2, knn: 1, xgboost: 2}
folds_per_job: {proset: 2, knn: 1, xgboost: 2}
data_sets: {iris_2f: {sklearn: iris, features: [0, 1]}, xor_2f: {generator: xor, features: 2, samples_per_orthant: 30}}
experiments:
  E3:
    {title: search, method: proset, data_sets: [iris_2f, xor_2f], parameters: {alpha_v: 0.95, alpha_w: 0.95},
     stage1: {trials: 3, complexity: 1,
              space: {lambda_v: {log_uniform: [1.0e-6, 0.1]}, lambda_w: {log_uniform: [1.0e-9, 1.0e-4]}}},
     stage2: {complexity: 2}}
  E4: {title: optimal, method: proset, data_sets: [xor_2f], selection_rule: best, stage1: {from: E3},
       stage2: {complexity: 2}}
  E7: {title: vary, method: proset, data_sets: [xor_2f], parameters: {lambda_v: 1.0e-3, lambda_w: 1.0e-8},
       vary: {n_candidates: [10, 20]}, stage2: {complexity: 1}}
  E8: {title: knn, method: knn, data_sets: [iris_2f], stage2: {complexity: 10}}
  E9:
    {title: boosting, method: xgboost, data_sets: [iris_2f],
     stage1: {trials: 2, complexity: 3, parameters: {learning_rate: 0.1},
         space: {max_depth: {integers: [0, 3]}, colsample: {uniform: [0.1, 0.9]}, subsample: {uniform: [0.1, 0.9]}}},
     stage2: {complexity: 5, parameters: {learning_rate: 0.01}}}
  forest: {title: "a further method, without a published table", method: random_forest, data_sets: [iris_2f],
           parameters: {min_samples_leaf: 2, max_features: 0.5}, stage2: {complexity: 3}}
comparisons:
  E3_E8_E9: {title: methods, experiments: [E3, E8, E9]}
  E14: {title: all methods, rows: methods, experiments: [E3, E8, E9, forest]}
evaluations:
  learning_curve: {of: {E8: [iris_2f]}, fractions: [0.5, 1.0], repeats: 2}
  bootstrap: {of: {E8: [iris_2f], E9: [iris_2f]}, samples: 5}
  bias_variance: {of: {E3: [xor_2f]}, draws: 2, test_samples: 200}
""")


class Project:
    """A copy of the workflow and the package in a folder of its own."""

    def __init__(self, folder: Path):
        self.folder = folder

    @property
    def environment(self):
        own = {"PYTHONPATH": str(self.folder / "src"), "XDG_CACHE_HOME": str(self.folder / "cache")}
        return {**os.environ, **own}

    def started(self, *arguments) -> forked.Run:
        return forked.Run(["--cores", "2", *map(str, arguments)], self.folder, self.environment)

    def snakemake(self, *arguments, check=True):
        run = self.started(*arguments).wait()
        if check and run.returncode:
            raise AssertionError(f"{run.stdout}\n{run.stderr}")
        return run

    def planned(self, *arguments):
        """Jobs of a dry run, sorted, as "rule replicate=0, data_set=a"; names that can be asked for are no jobs."""
        said = self.snakemake("--dry-run", *arguments).stdout
        jobs = []
        for rule, block in re.findall(r"^(?:local)?rule (\w+):\n((?: {4}.*\n)*)", said, flags=re.MULTILINE):
            if "    log: " in block:
                wildcards = re.search(r"^ {4}wildcards: (?:study=\w+(?:, )?)?(.*)$", block, re.MULTILINE)
                jobs.append(f"{rule} {wildcards[1]}" if wildcards else rule)
        return sorted(job.strip() for job in jobs)

    def configure(self, change=None):
        config = yaml.safe_load(yaml.safe_dump(TINY))
        if change:
            change(config)
        (self.folder / "config.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")

    def edit(self, path, old, new):
        text = (self.folder / path).read_text(encoding="utf-8")
        assert old in text
        (self.folder / path).write_text(text.replace(old, new, 1), encoding="utf-8")

    def copy(self, folder):
        """The project as it is now, in another folder."""
        shutil.copytree(self.folder, folder, symlinks=True)
        return Project(folder)

    def files(self):
        """Names of all files but those that Snakemake and Python keep for themselves."""
        kept = {".snakemake", "cache", "__pycache__"}
        paths = (path.relative_to(self.folder) for path in self.folder.rglob("*"))
        return {str(path) for path in paths if not kept & set(path.parts)}

    def results(self):
        """Everything computed, without times and memory."""
        found = {}
        for path in sorted((self.folder / "results/tiny").rglob("*")):
            name = str(path.relative_to(self.folder))
            if path.parent.name == "study":  # the config
                continue
            if path.suffix in (".json", ".jsonl"):
                text = path.read_text(encoding="utf-8")
                records = [json.loads(t) for t in (text.splitlines() if path.suffix == ".jsonl" else [text])]
                held_out = ("resources", "fingerprint", "sha256")
                found[name] = [{k: v for k, v in r.items() if k not in held_out} for r in records]
            elif path.suffix in (".csv", ".npz"):
                found[name] = path.read_bytes()
        return found


def new_project(folder):
    for part in ("workflow", "src", "data"):
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("*.egg-info"))
    for part in ("Snakefile", "environment.yml", "environment.post-deploy.sh"):
        shutil.copy2(ROOT / part, folder / part)
    (folder / "profiles").symlink_to("workflow/profiles")
    project = Project(folder)
    project.configure()
    return project


def once(tmp_path_factory, name: str, make: Callable[[Project], None]) -> Project:
    """A project that tests share."""
    return Project(made_once(tmp_path_factory, name, lambda folder: make(new_project(folder))))


def command(project, *arguments):
    """A command of the study in its folder."""
    return forked.Run([*map(str, arguments)], project.folder, project.environment, "proset_study").wait()


def pasted(project, line):
    """A line that is pasted into a terminal in the folder of a project."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**project.environment, "PATH": path}
    return subprocess.run(["bash", "-c", line], cwd=project.folder, env=environment, capture_output=True, text=True)


def verify(project, study="tiny", files=()):
    """Check a report but for its pages: to render them again takes longer than all else."""
    given = ("--report", f"reports/{study}", "--refits", "2", "--seed", "1", "--pages", "0")
    return command(project, "verify", *given, "--published", "data/published/published.csv", "--files", *files)


def without_times(value):
    """A record without what a fit costs and the keys that count file bytes."""
    if isinstance(value, dict):
        held_out = ("resources", "fingerprint", "sha256", "matrix_products")  # these are seconds in another unit
        return {k: without_times(v) for k, v in value.items() if k not in held_out and not k.endswith("_s")}
    return [without_times(v) for v in value] if isinstance(value, list) else value


def report(project):
    """Everything in the report that is the same whenever it is made: tables, records, manifest; names of the rest."""
    folder, found = project.folder / "reports/tiny", {}
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        name = str(path.relative_to(folder))
        found[name] = path.read_bytes() if path.name.endswith((".csv", ".csv.xz", ".md", ".tex")) else None
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    del manifest["records_sha256"]  # they hold times
    manifest["config"].pop("jobs", None)  # how many there are changes nothing
    found["manifest.json"] = without_times(manifest)
    found[COSTS] = without_times(list(csv.DictReader(found[COSTS].decode().splitlines())))
    for path in sorted((folder / "records").iterdir()):
        with tarfile.open(path) as archive:
            texts = {entry.name: archive.extractfile(entry).read().decode() for entry in archive}
        for name, text in texts.items():
            if not name.endswith(".csv"):
                documents = text.splitlines() if name.endswith(".jsonl") else [text]
                text = [without_times(json.loads(document)) for document in documents]
            found[f"{path.name}/{name}"] = text
    return found


def start(project: Project, *arguments: str) -> subprocess.Popen:
    """Snakemake at work, as from a terminal: in a process that has imported nothing before."""
    return subprocess.Popen(
        [sys.executable, "-m", "snakemake", "--cores", "2", *arguments],
        cwd=project.folder,
        env=project.environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        # as in a terminal: what a script puts into the background is told to ignore Ctrl-C
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def wait_for(condition: Callable, seconds: float = 600):
    """What `condition` gives as soon as that is true."""
    end = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.01)
    return found
