"""What a job asks of a cluster: memory and run time, from the size of its data, and more with every attempt.

The numbers are measured, see `benchmarks/results.md` and the records of the study; nothing here enters a result.
"""

from functools import cache
from math import ceil

from proset_study.data.sizes import size_of
from proset_study.study.config.study import Study
from proset_study.study.plan import fits_of, own_name

MEGABYTES = 1000  # measured: 40 to 310 for the job, 130 for each Snakemake around it (one, with Slurm's plugin two)
COPIES = 10  # of all features in float64; measured: 3 for a fit of proset, 5 for one of XGBoost
MATRICES = 2  # of all dissimilarities in float32: the file, mapped, and what a fold takes of it; measured: 1.6
MINUTES = 3  # a job starts Python and its libraries in seconds, from a slow shared disk in up to a minute
PAGE_MINUTES = 10  # measured: 12 s for the page of digits
SECONDS_PER_VALUE = 1e-6  # to read, scale and compress the features
SAFETY = 10  # measured: fits take up to five times the estimate; other machines are slower


class ResourceEstimate:
    """Functions for the `resources` of the rules; Snakemake calls them with what their parameters name."""

    def __init__(self, study: Study):
        self._study = study

    def memory(self, wildcards, attempt: int) -> int:
        """Megabytes of a job on one data set or, without the wildcard `data_set`, on all of them."""
        values, pairs = _numbers(self._study, dict(wildcards.items()).get("data_set"))
        return attempt * ceil(MEGABYTES + COPIES * 8e-6 * values + MATRICES * 4e-6 * pairs)

    def minutes(self, wildcards, attempt: int, rulename: str) -> int:
        """Run time of a job; for those that fit something, by method, size and number of fits."""
        named, rule = dict(wildcards.items()), own_name(rulename)
        seconds = SECONDS_PER_VALUE * _numbers(self._study, named.get("data_set"))[0]
        seconds += sum(fits.seconds for fits in fits_of(rule, named, self._study))
        least = PAGE_MINUTES if rule in ("data_set_page", "report", "partial") else MINUTES
        return attempt * (least + ceil(SAFETY * seconds / 60))


@cache
def _numbers(study: Study, data_set: str | None) -> tuple[int, int]:
    """Features of all samples, and pairs of samples that are compared, of a data set or of all."""
    names = study.data_sets if data_set is None else [data_set]
    sizes = {name: size_of(study.config["data_sets"][name]) for name in names}
    # Of the largest data set that has dissimilarities in memory: one is at a time.
    pairs = (size.rows**2 for name, size in sizes.items() if study.stored_metrics(name))
    return sum(size.values for size in sizes.values()), max(pairs, default=0)
