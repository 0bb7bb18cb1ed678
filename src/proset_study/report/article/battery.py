"""The battery: tables that hardly anybody designed for the classifier, in a half for choices and a sealed one."""

from proset_study import methods
from proset_study.methods.labels import method_name
from proset_study.report.article.installed import DEFAULTS, DEVELOPMENT, SEALED, TUNED, Standing, sizes
from proset_study.report.article.methods import (
    pairs_with_rivals,
    place_of,
    ranks_in_words,
    signed_ranks_in_words,
    stored_ranks,
)
from proset_study.report.article.open_track import INSTALLED
from proset_study.report.article.topics import Content, Reported, topic
from proset_study.report.article.wording import count, decimals, difference, ordinal, ratio, significant, whole
from proset_study.store.stored import Missing
from proset_study.study import layout

FILES = (layout.ALL_SCORES, "findings/ranks.csv", "findings/pairs.csv")
COMMAND = "snakemake --cores all --configfile workflow/suites/battery.yaml"


@topic(
    SEALED, *FILES, needs=(TUNED, DEFAULTS), subject=INSTALLED, command=f"{COMMAND} workflow/suites/battery_sealed.yaml"
)
def battery(stored: Reported) -> Content:
    """The sealed half, on which nothing was chosen."""
    return _half(stored)


@topic(DEVELOPMENT, *FILES, needs=(TUNED, DEFAULTS), subject=INSTALLED, command=COMMAND)
def battery_development(stored: Reported) -> Content:
    """The half on which methods, spaces and rules may be chosen."""
    half = _half(stored)
    return Content({name: half.texts[name] for name in ("data_sets", "place", "first_ranks", "default_place")})


def _half(stored: Reported) -> Content:
    found = Standing(stored)
    pairs = pairs_with_rivals(stored, TUNED, INSTALLED)
    if not all(found.place(comparison, group)[0] for comparison in (TUNED, DEFAULTS) for group in ("all", "real")):
        raise Missing("average ranks over all tables and over real ones, which take some of each")
    leader, lead = found.largest_lead() or ("", None)
    prototypes, samples, used, given = sizes(stored, stored.experiments(TUNED, INSTALLED))
    place, n_methods = found.place(TUNED)
    default_place, n_defaults = found.place(DEFAULTS)
    error_place, n_with_errors = place_of(INSTALLED, stored_ranks(stored, DEFAULTS, score="balanced error")[0])
    first = [m for m in found.ranks if not methods.get(m).is_baseline][:2]
    n_real = sum(found.kind(d) == "real" for d in found.data_sets)
    texts = {
        "data_sets": count(len(found.data_sets)),
        "sources": count(len(set(found.sources))),
        "real": count(n_real),
        "generated": count(len(found.data_sets) - n_real),
        "replicates": count(len(stored.replicates)),
        "place": ordinal(place),
        "first_ranks": ranks_in_words(found.ranks, first),
        "methods": count(n_methods),
        "critical": decimals(found.critical_difference, 1),
        "real_place": ordinal(found.place(TUNED, "real")[0]),
        "default_place": ordinal(default_place),
        "default_methods": count(n_defaults),
        "default_real_place": ordinal(found.place(DEFAULTS, "real")[0]),
        "default_error_place": ordinal(error_place),
        "default_error_methods": count(n_with_errors),
        "default_real_best": method_name(next(iter(stored_ranks(stored, DEFAULTS, "real")[0]), "")),
        "over_data_sets": _over_data_sets(pairs),
        "behind": ratio(found.n_behind, len(found.data_sets)),
        "behind_alike": whole(found.behind_among_equals),
        "leader": method_name(leader) if leader else "not known",
        "lead": difference(lead.value, *lead.interval(found.level)) if lead else "not known",
        "prototypes": whole(prototypes),
        "samples": whole(samples),
        "features": f"{whole(used)} of {whole(given)}",
    }
    return Content(texts, {"ranks": rank_table(stored)})


def _over_data_sets(pairs):
    sure = [row for row in pairs if significant(row["holm_p_control"])]
    if not sure:
        return "it differs significantly from no method"
    alike = ratio(len(pairs) - len(sure), len(pairs))
    return f"{signed_ranks_in_words(INSTALLED, sure)}; {alike} differences are not significant"


def rank_table(stored: Reported) -> list[list[str]]:
    """Average ranks, the best first: searched and with defaults, of real and of generated tables apart."""
    groups = (TUNED, "all"), (TUNED, "real"), (TUNED, "generated"), (DEFAULTS, "all"), (DEFAULTS, "real")
    columns = [stored_ranks(stored, comparison, group)[0] for comparison, group in groups]
    table = [["method", "searched", "on real tables", "on generated ones", "with defaults", "on real tables"]]
    for method in columns[0]:
        cells = (decimals(ranks[method], 1) if method in ranks else "" for ranks in columns)
        table.append([method_name(method), *cells])
    return table
