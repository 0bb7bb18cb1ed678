"""What else is asked of chosen models, with fits of its own.

Each module of this folder, or of one in `base.additions`, is found, not listed.
"""

from importlib import import_module
from pkgutil import iter_modules

from proset_study.base.additions import folders
from proset_study.base.modules import class_in
from proset_study.fits.evaluations.base import Evaluation

__path__ += folders("evaluations")

_OTHERS = ("base", "decomposition", "refit", "report")  # modules that are no evaluations
KINDS = tuple(sorted({module.name for module in iter_modules(__path__)} - {*_OTHERS}))


def get(kind: str) -> type[Evaluation]:
    """The class of a kind of evaluation; ValueError if there is no such kind."""
    if kind not in KINDS:
        raise ValueError(f"kind: {kind!r} is unknown, allowed are {', '.join(KINDS)}")
    return class_in(import_module(f"{__name__}.{kind}"), Evaluation)


def schema() -> dict:
    """JSON schema of the key `evaluations` of a config; it refers to `#/$defs/only`."""
    of = {"description": "Data sets by experiment.", "$ref": "#/$defs/only"}
    kinds = {
        kind: {
            "description": get(kind).description,
            "type": "object",
            "additionalProperties": False,
            "required": ["of", *get(kind).settings],
            "properties": {"of": of, **get(kind).settings},
        }
        for kind in KINDS
    }
    return {
        "description": "What else is done with chosen models, in `replicates`; see docs/evaluation.md.",
        "type": "object",
        "additionalProperties": False,
        "properties": kinds,
    }
