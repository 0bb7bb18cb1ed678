"""What the study asks of a kind of evaluation."""

from typing import TYPE_CHECKING, Any, ClassVar

from proset_study.base.records import Resources

if TYPE_CHECKING:
    import numpy as np

    from proset_study.data.dataset import DataSet
    from proset_study.fits.search import Case

ABOUT = ("description", "settings", "generated", "n_fits")  # for the config and the schedule; in no record


class Evaluation:
    """A kind of evaluation of chosen models; nothing has to be instantiated."""

    description: ClassVar[str]  # of its entry in the config
    settings: ClassVar[dict[str, dict]]  # JSON schemas of the keys of that entry, besides `of`; all are required
    generated: ClassVar[bool] = False  # whether it draws data anew, so that only generated data sets will do

    @staticmethod
    def n_fits(settings: dict) -> int:
        """How many fits one evaluation takes, at most."""
        raise NotImplementedError

    @staticmethod
    def compute(
        data: "DataSet", folds: "np.ndarray", final: dict, settings: dict, case: "Case", source: dict
    ) -> dict[str, Any]:
        """What the record has besides names, final model and resources, as JSON values.

        `final` is the record of the final model, `settings` the entry of the config without `of`, `source` that of the
        data set; `case` keys random numbers. "resources" are added to those of the whole evaluation.
        """
        raise NotImplementedError

    @classmethod
    def evaluate(
        cls, data: "DataSet", folds: "np.ndarray", final: dict, settings: dict, case: "Case", source: dict
    ) -> dict[str, Any]:
        """The record of one final model; parameters as in `compute`."""
        resources = Resources()
        with resources.measure("evaluation"):
            values = cls.compute(data, folds, final, settings, case, source)
        more = values.pop("resources", {})
        model = {"parameters": final["parameters"], "complexity": final["complexity"]}
        return {**case.names(), **model, **values, "resources": {**resources.record(), **more}}
