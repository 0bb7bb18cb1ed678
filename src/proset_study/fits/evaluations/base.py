"""What the study asks of a kind of evaluation."""

from typing import TYPE_CHECKING, ClassVar, Protocol

if TYPE_CHECKING:
    import numpy as np

    from proset_study.data.dataset import DataSet
    from proset_study.fits.search import Case

ABOUT = ("description", "settings", "generated", "n_fits")  # for the config and the schedule; in no record


class Evaluation(Protocol):
    """A kind of evaluation of chosen models; nothing has to be instantiated."""

    description: ClassVar[str]  # of its entry in the config
    settings: ClassVar[dict[str, dict]]  # JSON schemas of the keys of that entry, besides `of`; all are required
    generated: ClassVar[bool]  # whether it draws data anew, so that only generated data sets will do

    @staticmethod
    def n_fits(settings: dict) -> int:
        """How many fits one evaluation takes, at most."""

    @staticmethod
    def evaluate(
        data: "DataSet", folds: "np.ndarray", final: dict, settings: dict, case: "Case", source: dict
    ) -> dict[str, object]:
        """Evaluate one final model; the record, as JSON values.

        Parameters
        ----------
        data : DataSet
        folds : ndarray of int, shape (N,)
        final : dict
            Record of the final model, with "parameters", "complexity" and "n_fit".
        settings : dict
            The entry of the config without `of`.
        case : Case
            Names the final model and keys random numbers.
        source : dict
            The config's entry of the data set.
        """
