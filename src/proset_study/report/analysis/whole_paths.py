"""Models at every size on the path of their method, where the final model ends at the size that was chosen."""

from proset_study.fits.search import Case
from proset_study.methods import get
from proset_study.methods.base import Fitted
from proset_study.methods.nearest_prototype import NearestPrototype
from proset_study.methods.set_cover import SetCover
from proset_study.store.stored import Final

LARGEST = 2000  # training samples; above, fits take too long for a report


def whole_path(final: Final, seed: int) -> Fitted:
    """The final model, or with few samples and prototypes that are cheap to find, the same along its whole path.

    A longer path begins with a shorter one, so that the sizes up to the chosen one are those of the final model. `seed`
    is that of the study.
    """
    method, longest = get(final.run.method), final.stage2["settings"][-1]
    is_whole = longest == final.fit["complexity"]
    if is_whole or final.fit["n_fit"] > LARGEST or not issubclass(method, (NearestPrototype, SetCover)):
        return final.model.fitted
    case = Case(seed, final.replicate, final.data_set, final.run.name, final.run.method)
    return method(final.part).fit(final.fit["parameters"], longest, case.fit_seed("final"))
