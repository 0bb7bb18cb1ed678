"""The key `suite` of a config: some experiments on some data sets, and nothing else."""

from collections.abc import Iterator


def suite_errors(config: dict) -> Iterator[str]:
    """What is wrong with the names in `suite`."""
    suite = config.get("suite", {})
    if suite and "only" in config:
        yield "only: not allowed together with suite, which says what is run"
    without = suite.get("without", {})
    named = {
        "experiments": [("experiments", suite.get("experiments", [])), ("without", without)],
        "data_sets": [
            ("data_sets", suite.get("data_sets", [])),
            *((f"without.{name}", data_sets) for name, data_sets in without.items()),
        ],
    }
    for kind, places in named.items():
        for where, names in places:
            for name in names:
                if name not in config[kind]:
                    known = ", ".join(config[kind])
                    yield f"suite.{where}: unknown {kind[:-1].replace('_', ' ')} {name!r}, allowed are {known}"


def written_out(config: dict) -> dict:
    """A config in which `suite` has become the keys that it stands for: `data_sets` of experiments, and `only`.

    >>> experiments = {"E3": {"data_sets": ["wine"]}, "E8": {"data_sets": ["wine"]}}
    >>> suite = {"data_sets": ["iris", "digits"], "experiments": ["E8"], "without": {"E8": ["digits"]}}
    >>> written_out({"experiments": experiments, "suite": suite})
    {'experiments': {'E3': {'data_sets': ['wine']}, 'E8': {'data_sets': ['iris']}}, 'only': {'E8': ['iris']}}
    """
    if "suite" not in config:
        return config
    suite, others = config["suite"], {key: value for key, value in config.items() if key != "suite"}
    without = suite.get("without", {})
    only = {name: [d for d in suite["data_sets"] if d not in without.get(name, [])] for name in suite["experiments"]}
    changed = {name: {**config["experiments"][name], "data_sets": data_sets} for name, data_sets in only.items()}
    return {**others, "experiments": {**config["experiments"], **changed}, "only": only}
