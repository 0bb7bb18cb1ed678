"""Which data sets of a suite are for development, and which are sealed: drawn by a hash, not by anybody's choice.

Methods, spaces and rules may be chosen on the development half. The sealed half is opened at the end, after
which only replicates are added.
"""

from collections.abc import Callable, Iterable
from hashlib import sha256

DEVELOPMENT, SEALED = HALVES = "development", "sealed"


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
    without, data_sets = suite.get("without", {}), half_of(suite, config.get("data_sets", {}))
    only = {name: [d for d in data_sets if d not in without.get(name, [])] for name in suite["experiments"]}
    changed = {name: {**config["experiments"][name], "data_sets": of_it} for name, of_it in only.items()}
    return {**others, "experiments": {**config["experiments"], **changed}, "only": only}


def half_of(suite: dict, data_sets: dict) -> list[str]:
    """The data sets of a suite that are in the half it names, in the order of the suite; all of them if it names none.

    Halves are drawn from `drawn_from`, so that fewer `data_sets` leave each in its half. Data sets of one table are in
    the same half, because they have the same rows. Tables are put in the order of the SHA-256 of their names, and each
    is given to the half that has fewer data sets so far; the first is for development.
    Those in `used`, on which something was chosen before the halves were drawn, come first and are for development.
    Real and generated data sets are divided each by themselves, so that both halves have as many of both.

    >>> data_sets = {"wine": {"sklearn": "wine"}, "xor": {"generator": "xor"}, "checker": {"generator": "checker"}}
    >>> half_of({"data_sets": ["wine", "checker"], "half": "sealed", "drawn_from": list(data_sets)}, data_sets)
    ['checker']
    """
    names = suite["data_sets"]
    if "half" not in suite:
        return list(names)
    drawn_from = suite["drawn_from"]
    used = {_table(name, data_sets[name]) for name in suite.get("used", [])}
    development: set[str] = set()
    for generated in (True, False):
        kind = [name for name in drawn_from if ("generator" in data_sets[name]) == generated]
        development |= _divided(kind, lambda name: _table(name, data_sets[name]), used)
    return [name for name in names if (name in development) == (suite["half"] == DEVELOPMENT)]


def _divided(names: Iterable[str], table: Callable[[str], str], used: set[str]) -> set[str]:
    """The data sets for development."""
    of_table: dict[str, list[str]] = {}
    for name in names:
        of_table.setdefault(table(name), []).append(name)
    development: set[str] = set()
    n_sealed = 0
    for key in sorted(of_table, key=lambda key: (key not in used, sha256(key.encode()).hexdigest())):
        if key in used or len(development) <= n_sealed:
            development.update(of_table[key])
        else:
            n_sealed += len(of_table[key])
    return development


def _table(name: str, settings: dict) -> str:
    """The table or file of a data set; each that is generated is one of its own."""
    return str(settings.get("sklearn") or settings.get("openml") or settings.get("file") or name)
