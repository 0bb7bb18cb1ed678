"""The proset classifier with leave-one-out references: every sample is one, and none sees itself."""

from proset import leave_one_out
from proset_study.methods.proset import Proset


class ProsetLeaveOneOut(Proset):
    """Proset on the data of one fold; see `methods.base.Method`. Without `n_candidates` all samples are candidates."""

    label = "proset (leave-one-out)"
    place = 4
    weights = "frequency"
    parameters = {name: allowed for name, allowed in Proset.parameters.items() if name != "max_fraction"}  # noqa: RUF012

    @staticmethod
    def cost(size, stage, fitted, scored):
        candidates = min(stage["parameters"].get("n_candidates", fitted), fitted)
        return stage["complexity"] * (0.008 + 4e-8 * fitted * candidates * (1 + size.features / 100))

    @staticmethod
    def references(n_fit, candidates):
        return n_fit

    def fit_model(self, parameters, **settings):
        n_candidates = int(parameters["n_candidates"]) if "n_candidates" in parameters else None
        data = self.data
        return leave_one_out.fit(data.X, data.y, data.n_classes, n_candidates=n_candidates, **settings)
