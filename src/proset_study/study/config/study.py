"""The study as the config describes it: experiments, their variants, and what each final model is made from."""

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from proset_study.data.metrics import EUCLIDEAN, PRECOMPUTED, RANK, stored_metric
from proset_study.data.openml import table_of
from proset_study.study.config.runs import Run, runs_of

MANY = 150  # data sets that a report still shows one by one


@dataclass(frozen=True, eq=False)  # hashable, for caches
class Study:
    """A checked config."""

    config: dict
    runs: dict[str, Run]

    @classmethod
    def of(cls, config: dict) -> "Study":
        """The study that a config describes, if the config is right; `load` checks it first."""
        return cls(config, {run.name: run for run in runs_of(config)})

    @classmethod
    def read(cls, path: Path) -> "Study":
        """The study of a file that holds the JSON of its checked config."""
        try:
            config = json.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:
            from proset_study.base.records import damaged  # with NumPy, which commands import later

            raise damaged(path, error) from error
        return cls.of(config)

    @property
    def name(self) -> str:
        """Folder name of the study."""
        return self.config["study"]

    @property
    def track(self) -> str:
        """Whether searches are as published, or wide for every method: "published protocol" or "open track"."""
        return self.config.get("track", "published protocol")

    @property
    def replicates(self) -> list[int]:
        """Numbers of all replicates; the first one is the study itself."""
        return [*self.config["replicates"], *self.config.get("additional_replicates", {}).get("numbers", [])]

    @property
    def compared_experiments(self) -> list[str]:
        """Experiments that are run and are in a comparison with a row per method; without any, all.

        If these have none of the subject that the config names, its experiments come first.
        """
        run, comparisons = self.experiments, self.config.get("comparisons", {}).values()
        of_methods = [e for c in comparisons if c.get("rows") == "methods" for e in c["experiments"]]
        named = dict.fromkeys(e for e in of_methods if e in run) or run
        own = [e for e in run if run[e][0].method == self.config.get("subject")]
        return list(named) if named.keys() & own else [*own, *named]

    @property
    def subject(self) -> str:
        """The method that the report is about: of the config, or the first one compared that predicts probabilities."""
        if "subject" in self.config:
            return str(self.config["subject"])
        from proset_study import methods  # here, as in `final_fits`

        experiments = self.config["experiments"]
        compared = [experiments[e]["method"] for e in self.compared_experiments or experiments]
        with suppress(ValueError):  # a method of somebody else, in a report
            compared = sorted(compared, key=lambda name: not methods.get(name).probabilistic)
        return next(iter(compared), "")

    def data_sets_of(self, run: Run, replicate: int) -> list[str]:
        """Data sets of a run in a replicate: all of them, or what `additional_replicates` names."""
        if replicate in self.config["replicates"]:
            return run.data_sets
        wanted = self.config["additional_replicates"]["only"].get(run.experiment, [])
        return [d for d in run.data_sets if d in wanted]

    @cached_property
    def experiments(self) -> dict[str, list[Run]]:
        """Runs by experiment, in the order of the config."""
        grouped: dict[str, list[Run]] = {}
        for run in self.runs.values():
            if run.data_sets:
                grouped.setdefault(run.experiment, []).append(run)
        return grouped

    @cached_property
    def data_sets(self) -> list[str]:
        """Data sets that an experiment uses, in the order of the config."""
        used = {d for run in self.runs.values() for d in run.data_sets}
        return [d for d in self.config["data_sets"] if d in used]

    @property
    def is_large(self) -> bool:
        """Whether a report sums up over the data sets, because they are more than `MANY`; scores are Parquet then."""
        return len(self.data_sets) > MANY

    def stage1_run(self, run: Run) -> Run | None:
        """The run whose records of stage 1 this run uses: its own, another's, or none."""
        stage1 = run.settings.get("stage1")
        return None if stage1 is None else self.runs[stage1["from"]] if "from" in stage1 else run

    def n_trials(self, run: str, data_set: str) -> int:
        """Number of trials behind the selection of a run's stage 1."""
        source = self.stage1_run(self.runs[run])
        return source.stage("stage1", data_set)["trials"] if source else 0

    def final_fits(self, run: str) -> int:
        """How often the final model of a run is fitted: once for every fit seed, if its method draws."""
        from proset_study import methods  # here, because it imports NumPy, which most commands that plan do without

        settings = self.runs[run].settings
        if not methods.get(settings["method"]).draws:
            return 1
        return settings.get("fit_seeds", self.config.get("fit_seeds", 1))

    @cached_property
    def comparisons(self) -> list[str]:
        """Comparison tables of which at least one experiment is run."""
        wanted = self.config.get("comparisons", {})
        return [name for name in wanted if set(wanted[name]["experiments"]) & set(self.experiments)]

    @cached_property
    def tables(self) -> dict[str, dict]:
        """Tables by name, experiments first: "title", "kind" (what its rows are) and the "experiments" it shows."""
        tables = {
            name: {"title": self.config["experiments"][name]["title"], "kind": "quantities", "experiments": [name]}
            for name in self.experiments
        }
        for name in self.comparisons:
            entry = self.config["comparisons"][name]
            experiments = [e for e in entry["experiments"] if e in self.experiments]
            rows = entry.get("rows", "experiments")
            tables[name] = {"title": entry["title"], "kind": rows, "experiments": experiments}
        return tables

    # What enters a result: the settings behind it, and nothing else of the config.

    def data_settings(self, data_set: str) -> dict:
        """What a data set is made from, of OpenML its table; "gaps" is there if values may be missing from it."""
        settings = {k: v for k, v in self.config["data_sets"][data_set].items() if k not in ("image", "sha256")}
        is_table = ("file" in settings or "openml" in settings) and not {"impute", "items", "metric"} & settings.keys()
        if settings.get("metric", PRECOMPUTED) != PRECOMPUTED:
            del settings["metric"]
        if is_table and not self.needing_numbers(data_set):
            settings["gaps"] = True
        return {"file": table_of(settings.pop("openml")), **settings} if "openml" in settings else settings

    def needing_numbers(self, data_set: str) -> list[str]:
        """Runs on a data set whose methods take no categories and no missing values as they are."""
        from proset_study import methods  # here, as in `final_fits`

        names = []
        for run in self.runs_on(data_set):
            with suppress(ValueError):  # a method of somebody else, in a report
                if methods.get(run.method).takes_mixed:
                    continue
            names.append(run.name)
        return names

    def runs_on(self, data_set: str) -> list[Run]:
        """The runs on a data set, in the order of the config."""
        return self._runs_by_data_set.get(data_set, [])

    @cached_property
    def _runs_by_data_set(self):
        runs: dict[str, list[Run]] = {}
        for run in self.runs.values():
            for data_set in run.data_sets:
                runs.setdefault(data_set, []).append(run)
        return runs

    def metric(self, run: str, data_set: str) -> str:
        """The metric of the experiment, or else of the data set, by which a run compares samples."""
        default = self.config["data_sets"][data_set].get("metric", EUCLIDEAN)
        metric: str = self.runs[run].settings.get("metric", default)
        return f"{RANK}_{default}" if metric == RANK and default != EUCLIDEAN else metric

    def metric_settings(self, metric: str, data_set: str) -> dict:
        """What the stored dissimilarities of a data set depend on, next to the data; see `data.matrix.write_matrix`."""
        settings = self.config["data_sets"][data_set]
        image = {"image": settings["image"]} if "image" in settings else {}
        return {**self.config.get("metrics", {}).get(metric, {"of": metric}), **image}

    def stored_metrics(self, data_set: str) -> list[str]:
        """Metrics of a data set whose dissimilarities are stored, of all runs."""
        metrics = (stored_metric(self.metric(run.name, data_set)) for run in self.runs_on(data_set))
        return list(dict.fromkeys(filter(None, metrics)))

    def _metric(self, run, data_set):
        """The metric as a setting, unless it is that of most."""
        metric = self.metric(run, data_set)
        return {} if metric == EUCLIDEAN else {"metric": metric}

    def stage1_settings(self, run: str, data_set: str) -> dict:
        """What the records of stage 1 depend on; the number of trials does not count."""
        stage1 = self.runs[run].stage("stage1", data_set)
        names = ("space", "design", "parameters", "complexity", "resampling")
        kept = {name: stage1[name] for name in names if name in stage1}
        return {**kept, **self._metric(run, data_set)}

    def fixed_parameters(self, run: str, data_set: str) -> dict:
        """Parameters that all trials of stage 1 have, which may be those of another run."""
        source = self.stage1_run(self.runs[run])
        return source.stage("stage1", data_set)["parameters"] if source else {}

    def stage2_settings(self, run: str, data_set: str) -> dict:
        """What the records of stage 2 depend on, next to the selection of stage 1."""
        stage2 = self.runs[run].stage("stage2", data_set)
        kept = {key: value for key, value in stage2.items() if key != "selection_rule"}
        return {**kept, **self._metric(run, data_set)}

    def evaluation_settings(self, kind: str) -> dict:
        """What the records of one kind of evaluation depend on, next to the final model."""
        return {key: value for key, value in self.config["evaluations"][kind].items() if key != "of"}

    def cases(self, replicates: Iterable, experiment: str | None = None, data_set: str | None = None) -> list[dict]:
        """What names each final model of an experiment or a data set in the table of all numbers."""
        return [
            {
                "replicate": int(replicate),
                "experiment": run.experiment,
                "method": run.method,
                "dataset": d,
                "variant": run.variant,
                "run": run.name,
                "stage1_run": stage1.name if (stage1 := self.stage1_run(run)) else None,
            }
            for replicate, run, d in self.final_models(replicates, experiment, data_set)
        ]

    def of_data_set(self, data_set: str) -> "Study":
        """The part of the study that the page of one data set shows."""
        kept = ("study", "track", "seed", "fit_seeds", "folds", "trials_per_job", "folds_per_job", "metrics")
        config = {key: self.config[key] for key in kept if key in self.config}
        config["subject"] = self.subject
        config["replicates"] = self.config["replicates"][:1]
        config["data_sets"] = {data_set: self.config["data_sets"][data_set]}
        experiments = self.config["experiments"].items()
        wanted = {e: {**entry, "data_sets": [data_set]} for e, entry in experiments if data_set in entry["data_sets"]}
        if "only" in self.config:
            config["only"] = {e: [data_set] for e, allowed in self.config["only"].items() if data_set in allowed}
        config["experiments"] = wanted
        config["comparisons"] = {
            name: {**entry, "experiments": [e for e in entry["experiments"] if e in wanted]}
            for name, entry in self.config.get("comparisons", {}).items()
        }
        config["evaluations"] = {
            kind: {**entry, "of": {e: [data_set] for e, allowed in entry["of"].items() if data_set in allowed}}
            for kind, entry in self.config.get("evaluations", {}).items()
            if any(data_set in allowed for allowed in entry["of"].values())
        }
        return Study.of(config)

    def final_models(
        self, replicates: Iterable, experiment: str | None = None, data_set: str | None = None
    ) -> Iterator[tuple[int, Run, str]]:
        """Replicate, run and data set of each; optionally of one experiment or data set."""
        for replicate in replicates:
            for run in self.runs.values():
                if experiment not in (None, run.experiment):
                    continue
                data_sets = self.data_sets_of(run, int(replicate))
                for d in data_sets if data_set is None else [data_set] if data_set in data_sets else []:
                    yield replicate, run, d

    def evaluated(self, kind: str, replicates: Iterable, data_set: str | None = None) -> Iterator[tuple[int, Run, str]]:
        """The final models, as in `final_models`, that the config wants evaluated."""
        for replicate, run, d in self.final_models(replicates, data_set=data_set):
            if d in self.to_evaluate(kind, int(replicate)).get(run.experiment, []):
                yield replicate, run, d

    def to_evaluate(self, kind: str, replicate: int) -> dict[str, list[str]]:
        """Data sets by experiment that the config wants evaluated in a replicate."""
        if replicate in self.config["replicates"]:
            return self.config.get("evaluations", {}).get(kind, {"of": {}})["of"]
        return self.config.get("additional_replicates", {}).get("evaluations", {}).get(kind, {})
