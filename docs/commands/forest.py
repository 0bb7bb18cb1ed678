"""A random forest in a Python of its own, which needs scikit-learn and pyarrow; it is called with the folder."""

import json
import sys
from pathlib import Path

import pandas as pd
from sklearn.ensemble import RandomForestClassifier

folder = Path(sys.argv[1])
settings = json.loads((folder / "settings.json").read_text())
train, test = pd.read_parquet(folder / "train.parquet"), pd.read_parquet(folder / "test.parquet")
forest = RandomForestClassifier(random_state=settings["seed"], n_jobs=1, **settings["parameters"])
forest.fit(train.drop(columns="y"), train["y"])
names = [f"p{k}" for k in forest.classes_]
pd.DataFrame(forest.predict_proba(test), columns=names).to_parquet(folder / "predictions.parquet")
