"""What the form of a config may be: its JSON schema, and what is wrong with a config in words."""

import math
from collections.abc import Iterable, Iterator
from copy import deepcopy
from dataclasses import fields
from difflib import get_close_matches
from functools import cache
from pathlib import Path

import jsonschema
import yaml
from referencing.exceptions import Unresolvable

from proset_study.base.records import is_number
from proset_study.data import generators
from proset_study.data.generators.base import Generator
from proset_study.fits import evaluations
from proset_study.study.config.messages import refused

SCHEMA = Path(__file__).with_name("schema.yaml")
# Keys of former versions and what they are called now.
RENAMED = {"steps": "complexity", "rule": "selection_rule", "further_replicates": "additional_replicates"}


def schema(of_generators: Iterable[str] = generators.GENERATORS) -> dict:
    """The JSON schema of a config: that of the file, with what generators and evaluations say of their settings."""
    of_config = deepcopy(_read(SCHEMA))
    of_config["properties"]["evaluations"] = evaluations.schema()
    of_config["properties"]["data_sets"]["additionalProperties"]["then"] = generators.schema(of_generators)
    return of_config


def optional_keys() -> set[str]:
    """Keys at the top level that a config need not have."""
    of_config = schema(())
    return set(of_config["properties"]) - set(of_config["required"])


def _broken(name):
    """Why a generator, maybe one of somebody else, cannot be used; None if it can."""
    module = f"{generators.__name__}.{name}"
    try:
        found = generators.get(name)
    except Exception as error:  # whatever the module of somebody else may raise
        return f"data_sets: generator {module} cannot be used: {type(error).__name__}: {error}"
    lacking = [] if hasattr(found, "description") else ["description"]
    lacking += [f"settings of {field.name}" for field in fields(found) if field.name not in found.schemas()]
    lacking += [part for part in ("size", "draw") if getattr(found, part) is getattr(Generator, part)]
    return f"data_sets: generator {module} has no {', '.join(lacking)}" if lacking else None


@cache
def _read(path):
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def schema_errors(config: dict) -> Iterator[str]:
    """Each break of the schema: the key, what was given and what is allowed."""
    text = str(config.get("data_sets"))  # in any form
    named = [name for name in generators.GENERATORS if name in text]
    if broken := [error for name in named if (error := _broken(name))]:
        yield from broken
        return
    try:
        errors = list(_Validator(schema(named)).iter_errors(config))
    except Unresolvable as error:  # whose own text is the whole schema
        raise ValueError(f"{SCHEMA.name}: there is no {error.ref} for a $ref to name") from None
    for broken_rule in sorted(errors, key=lambda e: list(map(str, e.absolute_path))):
        yield _explain(broken_rule) + _near(broken_rule, config)


def _is_integer(checker, value):
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(checker, value):
    return _is_integer(checker, value) or (isinstance(value, float) and math.isfinite(value))


# JSON schema takes 1.0 for an integer and NaN for a number; the commands of the workflow do not.
_Validator = jsonschema.validators.extend(
    jsonschema.Draft202012Validator,
    type_checker=jsonschema.Draft202012Validator.TYPE_CHECKER.redefine_many(
        {"integer": _is_integer, "number": _is_number}
    ),
)


def _near(error, config) -> str:
    """Which experiment may be meant by one that lacks keys: a file merged over another one names those of that."""
    if error.validator != "required" or len(error.absolute_path) != 2 or error.absolute_path[0] != "experiments":
        return ""
    known = [name for name, entry in config["experiments"].items() if isinstance(entry, dict) and "method" in entry]
    near = get_close_matches(str(error.absolute_path[1]), known, 1)
    return f"; did you mean {near[0]}?" if near else ""


def _explain(error) -> str:
    where = ".".join(map(str, error.absolute_path)) or "top level"
    if error.validator == "additionalProperties":
        known = sorted(error.schema.get("properties", {}))
        unknown = sorted(set(error.instance) - set(known), key=str)
        former = "".join(f"; {old} is now {RENAMED[old]}" for old in unknown if RENAMED.get(old) in known)
        return f"{where}: unknown key {', '.join(map(repr, unknown))}, allowed are {', '.join(known)}{former}"
    if error.validator == "required":
        missing = [k for k in error.validator_value if k not in error.instance]
        return f"{where}: missing key {', '.join(missing)} (given: {', '.join(map(str, error.instance)) or 'nothing'})"
    rules = {
        "type": lambda v: _type_rule([v] if isinstance(v, str) else v, error.instance),
        "enum": lambda v: f"allowed are {', '.join(x if x.isidentifier() else repr(x) for x in v)}",
        "pattern": lambda v: f"must be {error.schema['description'][0].lower()}{error.schema['description'][1:-1]}",
        "minimum": lambda v: f"must be at least {v}",
        "maximum": lambda v: f"must be at most {v}",
        "exclusiveMinimum": lambda v: f"must be greater than {v}",
        "exclusiveMaximum": lambda v: f"must be less than {v}",
        "minLength": lambda v: f"needs at least {v} character(s)",
        "maxLength": lambda v: f"may have at most {v} characters",
        "minItems": lambda v: f"needs at least {v} item(s)",
        "maxItems": lambda v: f"may have at most {v} item(s)",
        "minProperties": lambda v: f"needs at least {v} key(s)",
        "maxProperties": lambda v: f"may have at most {v} key(s)",
        "uniqueItems": lambda v: "must not repeat an item",
        "dependentRequired": lambda v: "; ".join(f"with {key} it needs {', '.join(more)}" for key, more in v.items()),
        "oneOf": lambda v: f"needs one of {', '.join(key for option in v for key in option['required'])}",
    }
    rule = rules[error.validator](error.validator_value) if error.validator in rules else error.message
    return refused(where, error.instance, rule)


_TYPES = {
    "object": "keys with values",
    "array": "a list",
    "string": "text",
    "integer": "a whole number",
    "number": "a finite number",
}


def _type_rule(wanted, value):
    is_text = "number" in wanted and isinstance(value, str) and is_number(value)  # YAML takes 1e-3 for text
    hint = f" (this is text; write {float(value)!r})" if is_text else ""
    return f"must be {' or '.join(_TYPES[one] for one in wanted)}{hint}"
