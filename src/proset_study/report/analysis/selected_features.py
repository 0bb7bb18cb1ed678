"""In how many replicates final models with feature weights use each feature."""

from collections import Counter

from proset_study import methods
from proset_study.methods.weighted import WeightedPrototypeModel, weighted
from proset_study.store.stored import Stored

FEATURE_COLUMNS = ("experiment", "dataset", "variant", "feature", "replicates", "selected", "proportion")


def selected_features(stored: Stored) -> list[dict]:
    """Number of replicates in which the final model of an experiment uses each feature, if features have weights.

    A category that is in few rows may be no feature in some of them.
    """
    used: dict[tuple[str, str, str], Counter[str]] = {}
    replicates: Counter[tuple[str, str, str]] = Counter()
    names: dict[tuple, list[str]] = {}  # without categories all replicates share them
    for final in stored.one_by_one():
        if methods.makes(final.run.method, WeightedPrototypeModel):
            active = set(weighted(final.model.fitted).active_features().tolist())
            place = final.place if final.model.encoder else (final.data_set, final.metric)
            if place not in names:
                names[place] = final.feature_names.tolist()
            key = (final.run.experiment, final.data_set, final.run.variant)
            replicates[key] += 1
            for d, name in enumerate(names[place]):
                used.setdefault(key, Counter())[name] += d in active
    return [
        dict(zip(FEATURE_COLUMNS, (*key, name, replicates[key], number, number / replicates[key]), strict=True))
        for key, counts in used.items()
        for name, number in counts.items()
    ]
