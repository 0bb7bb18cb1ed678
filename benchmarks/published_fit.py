"""Fits by the published implementation, `proset` 0.6.1, in its environment: published_fit.py FOLDER SETTINGS REPEATS.

In that version alpha is the share of l1, the other way round from ours: 0.05 here is our 0.95.
"""

import json
import sys
import time
from pathlib import Path
from statistics import median

import numpy as np

import proset

folder, settings, repeats = Path(sys.argv[1]), json.loads(sys.argv[2]), int(sys.argv[3])
data = np.load(folder / "in.npz")
defaults = {"n_iter": 1, "alpha_v": 0.05, "alpha_w": 0.05, "num_candidates": 1000, "max_fraction": 0.5}
seconds = []
for _ in range(repeats if repeats == 1 else repeats + 1):
    model = proset.ClassifierModel(**{**defaults, **settings})
    start = time.process_time()
    model.fit(data["X"], data["y"])
    seconds.append(time.process_time() - start)
seconds = median(seconds[-repeats:])
np.save(folder / "out.npy", model.predict_proba(data["X_score"]))
exported = model.export()
features = [c for c in exported.columns if c.endswith("weight") and c != "prototype weight"]
result = {
    "seconds": seconds,
    "features": int((exported[features].fillna(0).to_numpy().max(axis=0) > 0).sum()),
    "prototypes": int(exported["batch"].notna().sum()),  # the class priors have no batch
}
(folder / "out.json").write_text(json.dumps(result), encoding="utf-8")
