"""What the reports give that compare experiments in pairs, `against` in a config, with ten replicates."""

from dataclasses import asdict

from proset_study.report.analysis.against import Difference, tally
from proset_study.report.analysis.losses import generated
from proset_study.report.analysis.verdict import LEAVE_ONE_OUT
from proset_study.report.article.beyond import CORRECTED
from proset_study.report.article.open_track import INSTALLED
from proset_study.report.article.topics import Content, Reported, topic
from proset_study.report.article.wording import count
from proset_study.report.rows import groups
from proset_study.store.results import read_rows
from proset_study.study import layout

REFERENCES, NETWORKS = "reports/references", "reports/neural_network"


@topic(REFERENCES, layout.AGAINST, needs=("E3", LEAVE_ONE_OUT), subject=LEAVE_ONE_OUT)
def references(stored: Reported) -> Content:
    """Other references against the split, on how many data sets."""
    found = _differences(stored)
    texts = {**_replicates(stored), **_counts("", found, "cases", "significantly_higher")}
    for name, of_form in groups(found, "experiment").items():
        real = [d for d in of_form if not generated(stored, d.dataset)]
        texts |= _counts(f"{name}_", of_form, "cases", "significantly_lower")
        texts |= _counts(f"{name}_real_", real, "significantly_lower")
    return Content(texts)


@topic(CORRECTED, layout.AGAINST, needs=("proset_on_logistic", "base_logistic"), subject="proset_on_logistic")
def corrected(stored: Reported) -> Content:
    """Models with prototypes against those without, in how many cases: pairs on real and on generated data sets."""
    found = _differences(stored)
    texts = {**_replicates(stored), **_counts("", found, "cases", "lower", "significantly_higher")}
    for kind, prefix in ((False, "real_"), (True, "generated_")):
        of_kind = [d for d in found if generated(stored, d.dataset) == kind]
        texts |= _counts(prefix, of_kind, "cases", "significantly_lower")
    return Content(texts)


@topic(NETWORKS, layout.AGAINST, needs=("E3", "proset_few", "neural_network"), subject=INSTALLED)
def neural_network(stored: Reported) -> Content:
    """Proset against the neural network, on how many data sets."""
    by_experiment = groups(_differences(stored), "experiment")
    published, few = (by_experiment.get(name, []) for name in ("E3", "proset_few"))
    texts = {
        **_replicates(stored),
        **_counts("published_", published, "cases", "lower", "significantly_lower", "significantly_higher"),
        **_counts("few_", few, "significantly_lower", "significantly_higher"),
    }
    return Content(texts)


def _differences(stored):
    return read_rows(stored.folder / layout.AGAINST, Difference)


def _replicates(stored):
    return {"replicates": count(len(stored.replicates))}


def _counts(prefix, found, *names):
    """How many differences there are, or are lower, higher, or significantly so, by name."""
    numbers = {"cases": len(found), **asdict(tally(found))}
    return {f"{prefix}{name}": count(numbers[name]) for name in names}
