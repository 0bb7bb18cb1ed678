"""What Snakemake does not look at when it reads a config file: keys given twice, and code.

Of a key that is there twice, YAML loaders keep the last one silently. And a file with `__use_yte__` is a template whose
expressions Snakemake executes; a config is data.
"""

import json
from pathlib import Path

import yaml

from proset.study.config import ConfigError


def check_config_file(path: str | Path) -> None:
    """Refuse a config file that is not plain data.

    Parameters
    ----------
    path : str or Path

    Raises
    ------
    ConfigError
        Names the file and the line: not there, not UTF-8, not YAML, a key given twice, or code.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise ConfigError(f"{path}, line {line}: byte {error.object[error.start]:#04x} is not UTF-8") from error
    try:
        json.loads(text)
    except ValueError:  # Snakemake tries YAML next
        try:
            root = yaml.compose(text, Loader=yaml.SafeLoader)
        except yaml.YAMLError as error:
            raise ConfigError(f"{path} is not YAML: {error}") from error
        if not isinstance(root, yaml.MappingNode):
            raise ConfigError(f"{path} has no keys; a config is a mapping, see config.yaml") from None
        _check(path, root, [], set())


def _check(path, node, where, seen):
    if id(node) in seen:  # an alias
        return
    seen.add(id(node))
    at = f"{path}, line {node.start_mark.line + 1}"
    if node.tag.startswith("tag:yaml.org,2002:python") or not node.tag.startswith("tag:yaml.org,2002:"):
        raise ConfigError(f"{at}: tag {node.tag!r} is not allowed, a config is plain data")
    if isinstance(node, yaml.SequenceNode):
        for item in node.value:
            _check(path, item, where, seen)
    elif isinstance(node, yaml.MappingNode):
        names: dict[str, int] = {}
        for key, value in node.value:
            line = key.start_mark.line + 1
            name = key.value if isinstance(key, yaml.ScalarNode) else "a list or mapping"
            if name == "__use_yte__":
                raise ConfigError(f"{path}, line {line}: {name} is not allowed, a config is data and executes nothing")
            if name in names:
                full = ".".join([*where, name])
                raise ConfigError(f"{path}: {full} is there twice, in line {names[name]} and line {line}")
            names[name] = line
            _check(path, value, [*where, name], seen)
