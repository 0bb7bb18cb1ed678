"""LightGBM in a Python of its own; tables are Arrow files."""

import json
import sys
from pathlib import Path

import lightgbm
import numpy as np
import pyarrow as pa
from pyarrow import feather

folder = Path(sys.argv[1])
settings = json.loads((folder / "settings.json").read_text())
train, test = (feather.read_table(str(folder / f"{name}.arrow")) for name in ("train", "test"))
X, X_test = (np.column_stack([table[name] for name in test.column_names]) for table in (train, test))
model = lightgbm.LGBMClassifier(
    random_state=settings["seed"], n_jobs=1, deterministic=True, verbose=-1, **settings["parameters"]
)
p = np.asarray(model.fit(X, train["y"].to_numpy()).predict_proba(X_test))
feather.write_feather(pa.table({f"p{k}": p[:, k] for k in range(p.shape[1])}), str(folder / "predictions.arrow"))
