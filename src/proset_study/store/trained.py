"""A final model of the study for new rows, in the columns and labels of a custom table."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from proset.tables import terms
from proset_study.data.categories import read_rows
from proset_study.data.dataset import DataSet
from proset_study.data.metrics import compares_features
from proset_study.data.splits import read_split
from proset_study.fits.final import FinalModel, read_model
from proset_study.fits.resampling import training_rows
from proset_study.methods.weighted import weighted
from proset_study.study import layout

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Trained:
    """What `load_trained` gives; tables need the columns of the features, others are left out.

    Tables for a model of dissimilarities have those from each of `training_rows`, in this order.
    """

    columns: np.ndarray  # of the table, shape (D,)
    labels: np.ndarray  # of the classes, shape (K,)
    training_rows: np.ndarray  # that the model was fitted to: of the file or of what `rows` took, from 0, shape (n,)
    model: FinalModel

    def predict_proba(self, table: "pd.DataFrame") -> "pd.DataFrame":
        """Class probabilities: a row for each row of the table, a column for each label."""
        import pandas as pd

        return pd.DataFrame(self.model.predict_proba(self._rows(table)), index=table.index, columns=self.labels)

    def predict(self, table: "pd.DataFrame") -> "pd.Series":
        """The label of the largest probability, for each row of the table."""
        return self.predict_proba(table).idxmax(axis=1).rename("class")

    def familiarity(self, table: "pd.DataFrame") -> "pd.Series":
        """Weight of the prototypes near each row of the table; near 0 the prediction is the class prior."""
        import pandas as pd

        familiarity = weighted(self.model.fitted).familiarity(self.model.scaled(self._rows(table)))
        return pd.Series(familiarity, index=table.index, name="familiarity")

    def explain(self, table: "pd.DataFrame | pd.Series", top: int | None = None) -> "pd.DataFrame":
        """The prior and the prototypes behind the predictions for rows of a table, as `ProsetClassifier.explain`.

        "row" is the row, as in `training_rows`, that is the prototype; the quantile of the familiarity is not known. Of
        each row the `top` prototypes are listed, the others summed up by class. ValueError if the model has no weighted
        prototypes.
        """
        import pandas as pd

        table = table.to_frame().T if isinstance(table, pd.Series) else table
        model, encoder = self.model, self.model.encoder
        frame = terms(
            weighted(model.fitted).as_proset(),
            model.scaled(self._rows(table)),
            table.index,
            classes=self.labels,
            names=self.columns if encoder is None else encoder.feature_names,
            units=model.in_units,
            top=top,
        )
        frame["row"] = np.append(self.training_rows, -1)[frame["row"]]
        return frame

    def _rows(self, table):
        if not compares_features(self.model.metric):
            number = len(self.training_rows)
            if table.shape[1] != number:
                raise ValueError(
                    f"table: {table.shape[1]} columns are not allowed, must be the dissimilarities by"
                    f" {self.model.metric} from the {number} training rows, in their order"
                )
            return table.to_numpy(dtype=np.float64)
        if self.model.encoder is not None:
            return read_rows(self.model.encoder, table)
        if lacking := [name for name in self.columns if name not in table.columns]:
            raise ValueError(f"table: column {', '.join(map(repr, map(str, lacking)))} is missing")
        found = table[list(self.columns)].to_numpy(dtype=np.float64)
        if (missing := np.argwhere(np.isnan(found))).size:
            row, column = missing[0]
            name = str(self.columns[column])
            raise ValueError(f"table: column {name!r}, row {row + 1} has no value, but all training rows have one")
        return found


def load_trained(folder: str | Path) -> Trained:
    """Read a final model, in results/<study>/replicate_<number>/<data set>/<experiment>, for rows of its table.

    An OSError names a file that is not there (the model, or the data set and its split in the folder above), a
    ValueError one that is damaged.
    """
    folder = Path(folder)
    data = DataSet.load(layout.file_in(folder.parent, layout.DATA))
    folds = read_split(layout.file_in(folder.parent, layout.SPLIT), len(data.y))
    model = read_model(layout.file_in(folder, layout.MODEL))
    return Trained(data.feature_names, data.class_names, training_rows(data, folds), model)
