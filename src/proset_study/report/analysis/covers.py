"""The set covers of a final model."""

from proset.cover import Cover
from proset_study.methods.set_cover import FittedSetCover
from proset_study.store.stored import Final


def fitted_of(final: Final) -> FittedSetCover:
    """One cover for each radius, and the candidates; TypeError if the model is of another method."""
    fitted = final.model.fitted
    if not isinstance(fitted, FittedSetCover):
        raise TypeError(f"a {type(fitted).__name__} has no set covers")
    return fitted


def cover_of(final: Final) -> Cover:
    """Cover of the chosen radius."""
    return fitted_of(final).covers[-1]
