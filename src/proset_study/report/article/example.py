"""One prediction of the small model, explained as a table."""

from pathlib import Path

import numpy as np

from proset_study.report.article.topics import Content, topic
from proset_study.report.article.wording import count, decimals, percent, whole

SHOWN_SHARE = 0.01  # of a prototype


@topic("", command="make article")
def example(project: Path) -> Content:
    """One prediction explained: the least certain one of those that prototypes decide, rather than the prior."""
    from proset_study.report.article.model import Model  # a report imports topics, but no classifier

    model = Model()
    X, y = model.table
    probabilities = model.classifier.predict_proba(X)
    certainty = np.where(model.classifier.familiarity(X) > 1, probabilities.max(axis=1), 1)
    row = int(certainty.argmin())
    terms = model.classifier.explain(X.iloc[[row]]).to_dict("records")
    used = model.features
    table = [["", "species", *used, "weight", "similarity", "share"]]
    table.append(["this penguin", y.iloc[row], *(f"{X[name].iloc[row]}" for name in used), "", "", ""])
    shown = [term for term in terms if term["term"] == "prototype" and term["share"] >= SHOWN_SHARE]
    for term in sorted(shown, key=lambda term: -term["share"]):
        values = (f"{X[name].iloc[term['row']]}" for name in used)
        numbers = whole(term["weight"]), decimals(term["similarity"], 2), percent(term["share"])
        table.append([f"row {whole(term['row'])}", term["class"], *values, *numbers])
    prior = sum(term["share"] for term in terms if term["term"] == "prior")
    table.append(["prior", "all", *("" for _ in used), "", "", percent(prior)])
    classes = list(model.classifier.classes_)
    texts = {
        "predicted": classes[int(probabilities[row].argmax())],
        "probability": percent(probabilities[row].max()),
        "penguins": whole(len(y)),
        "kept": count(len(model.prototypes)),
    }
    return Content(texts, {"explained": table})
