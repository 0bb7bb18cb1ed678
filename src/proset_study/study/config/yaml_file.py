"""What Snakemake does not look at when it reads a config file: keys given twice, code, numbers that are read as others.

Of a key that is a duplicate, loaders of YAML and JSON keep the last one silently. A file with `__use_yte__` is a
template whose expressions Snakemake executes; a config is data. And YAML 1.1 reads 017 as 15 and 1:30 as 90.
"""

import json
import re
from collections.abc import Sequence
from pathlib import Path

import yaml

from proset_study.study.config.checks import ConfigError, load

MOST_NODES = 1_000_000  # keys and values, those of aliases counted as often as they are named
OTHER_NUMBER = re.compile(r"[-+]?0[0-7_]+|[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?")  # octal, sexagesimal


def check_config(files: Sequence[Path] = ()) -> None:
    """Check config files, each merged over those before it; says what is wrong with file and line."""
    from snakemake.utils import update_config

    merged: dict = {}
    for file in files:
        update_config(merged, check_config_file(file))
    study = load(merged)
    n_models = sum(1 for _ in study.final_models(study.replicates))
    experiments, data_sets = ", ".join(study.experiments), ", ".join(study.data_sets)
    print(f"study {study.name}: {experiments} on {data_sets}, {n_models:,} final models")


def check_config_file(path: str | Path) -> dict:
    """Read a config file; the ConfigError of one that is not plain data names file, line and, of YAML, column."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise ConfigError(f"{path}, line {line}: byte {error.object[error.start]:#04x} is not UTF-8") from error
    try:
        try:
            found = json.loads(text, object_pairs_hook=lambda pairs: _json_object(path, pairs))
        except json.JSONDecodeError:  # Snakemake tries YAML next
            found = _yaml_object(path, text)
    except RecursionError as error:
        raise ConfigError(f"{path} is nested too deeply; a config has few levels, see config.yaml") from error
    if not isinstance(found, dict):
        raise _no_keys(path)
    return found


def _no_keys(path):
    return ConfigError(f"{path} has no keys; a config is a mapping, see config.yaml")


def _json_object(path, pairs):
    keys = [key for key, _ in pairs]
    if repeated := [key for key in keys if keys.count(key) > 1]:
        raise ConfigError(f"{path}: key {repeated[0]!r} is a duplicate in {{{', '.join(map(repr, keys))}}}")
    return dict(pairs)


def _yaml_object(path, text):
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        at = f"{path}, line {mark.line + 1}, column {mark.column + 1}" if mark else str(path)
        context = f" ({error.context})" if error.context else ""
        raise ConfigError(f"{at}: not YAML, {error.problem}{context}") from error
    except yaml.YAMLError as error:  # a character that YAML does not have
        raise ConfigError(f"{path} is not YAML: {error}") from error
    if not isinstance(root, yaml.MappingNode):
        raise _no_keys(path)
    _check(path, root, [], {})
    return yaml.constructor.SafeConstructor().construct_document(root)


def _check(path, node, where, sizes):
    """Check a node and those below it; their number with aliases written out."""
    if id(node) in sizes:  # an alias
        return sizes[id(node)]
    sizes[id(node)] = 1  # of an alias of what it is part of
    at = f"{path}, line {node.start_mark.line + 1}"
    if node.tag.startswith("tag:yaml.org,2002:python") or not node.tag.startswith("tag:yaml.org,2002:"):
        raise ConfigError(f"{at}: tag {node.tag!r} is not allowed, a config is plain data")
    size = 1
    if isinstance(node, yaml.SequenceNode):
        for item in node.value:
            size += _check(path, item, where, sizes)
    elif isinstance(node, yaml.MappingNode):
        names: dict[str, int] = {}
        for key, value in node.value:
            line = key.start_mark.line + 1
            name = key.value if isinstance(key, yaml.ScalarNode) else "a list or mapping"
            if isinstance(key, yaml.ScalarNode) and not key.tag.endswith((":str", ":merge")):
                read = yaml.safe_load(key.value)
                raise ConfigError(f"{path}, line {line}: key {name} is read as {read!r} by YAML; quote it")
            if name == "__use_yte__":
                raise ConfigError(f"{path}, line {line}: {name} is not allowed, a config is data and executes nothing")
            if name in names:
                full = ".".join([*where, name])
                raise ConfigError(f"{path}: {full} is a duplicate, in line {names[name]} and line {line}")
            names[name] = line
            size += 1 + _check(path, value, [*where, name], sizes)
    elif node.tag.endswith((":int", ":float")) and OTHER_NUMBER.fullmatch(node.value):
        read = yaml.safe_load(node.value)
        raise ConfigError(
            f"{at}: {node.value} is not allowed, YAML reads it as {read}; write that, or quote it as text"
        )
    if size > MOST_NODES:
        raise ConfigError(f"{at}: more than {MOST_NODES:,} keys and values with all aliases written out")
    sizes[id(node)] = size
    return size
