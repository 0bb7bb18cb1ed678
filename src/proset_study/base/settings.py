"""JSON schemas of settings in the config."""

from dataclasses import MISSING, field
from typing import Any


def integer(description: str, minimum: int, maximum: int | None = None) -> dict[str, Any]:
    """JSON schema of a setting that is a whole number."""
    limits = {"minimum": minimum} if maximum is None else {"minimum": minimum, "maximum": maximum}
    return {"description": description, "type": "integer", **limits}


def number(description: str, **limits: float) -> dict[str, Any]:
    """JSON schema of a setting that is a number, with limits such as `minimum` and `exclusiveMaximum`."""
    return {"description": description, "type": "number", **limits}


def setting(schema: dict[str, Any], default: Any = MISSING) -> Any:
    """A field of a dataclass that is a setting, with its JSON schema; without a default every entry has it."""
    return field(default=default, metadata=schema)
