"""Does a lower objective help? Test log-loss of our solver and of the published path, from the same candidates.

One batch is fitted on the training part of ten replicates of the data and split, at the penalties of `cases`.
"""

from statistics import fmean

from benchmarks.cases import DATA, SEED, all_cases, first_batch
from benchmarks.fits import held_out_log_loss, in_float64, published_path

from proset.solver import MAX_ITER, TOL
from proset_study.base.seeds import integer_seed
from proset_study.data.sources import make
from proset_study.data.splits import TEST, select_fold
from proset_study.data.splitting import split
from proset_study.report.analysis.paired import mean_difference

COLUMNS = (
    *("data_set", "setting", "replicate", "objective", "published_path_objective"),
    *("log_loss", "published_path_log_loss", "overlap"),
)


def run(data_sets: list[str] | None = None, replicates: range = range(10)) -> list[dict]:
    """Rows with `COLUMNS`; "overlap" is n_test / n_train where replicates share the same data, 0 where they do not."""
    rows = []
    for case in all_cases(data_sets):
        for replicate in replicates:
            data = make(DATA[case.data_set], SEED, case.data_set, replicate)
            folds = split(data.y, 5, 0.3, integer_seed(SEED, "split", case.data_set, replicate))
            fold = select_fold(data, folds, TEST, scaled=True)
            objective = first_batch(fold, case.penalty, replicate)
            solutions = (objective.minimum(MAX_ITER, TOL).x, published_path(objective).x)
            overlap = 0.0 if "generator" in DATA[case.data_set] else len(fold.y_score) / len(fold.y)
            values = [in_float64(objective, x) for x in solutions]
            losses = [held_out_log_loss(objective, x, fold) for x in solutions]
            rows.append(
                dict(zip(COLUMNS, (case.data_set, case.setting, replicate, *values, *losses, overlap), strict=True))
            )
    return rows


def summary(rows: list[dict]) -> list[dict]:
    """By case: means of ours minus published path over the replicates, with a 95 % interval for the test log-loss.

    The standard error is that of Nadeau and Bengio's corrected resampled t-test.
    """
    found = []
    for data_set, setting in dict.fromkeys((row["data_set"], row["setting"]) for row in rows):
        mine = [row for row in rows if (row["data_set"], row["setting"]) == (data_set, setting)]
        losses = [row["log_loss"] - row["published_path_log_loss"] for row in mine]
        mean = mean_difference(losses, mine[0]["overlap"])
        found.append(
            {
                "case": f"{data_set}, {setting}",
                "replicates": len(mine),
                "objective": fmean(row["objective"] - row["published_path_objective"] for row in mine),
                "log_loss": mean.value,
                "half": mean.interval(0.95)[1] - mean.value,
                "worse": sum(loss > 0 for loss in losses),
            }
        )
    return found


def plot(rows: list[dict], stem: str) -> None:
    """Differences of objective and of test log-loss by case, as PNG and SVG."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    cases = summary(rows)
    y = range(len(cases))
    figure, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained", sharey=True)
    axes[0].plot([case["objective"] for case in cases], y, "o", color="#0072b2")
    losses, halves = [case["log_loss"] for case in cases], [case["half"] for case in cases]
    axes[1].errorbar(losses, y, xerr=halves, fmt="o", color="#0072b2")
    axes[0].set(xlabel="objective, ours minus published path")
    axes[0].set_xscale("symlog", linthresh=1e-4)
    axes[1].set_xlabel("test log-loss, ours minus published path")
    axes[0].set_yticks(y, [case["case"] for case in cases])
    axes[0].invert_yaxis()
    for ax in axes:
        ax.axvline(0.0, color="black", linewidth=0.8)
        ax.grid(alpha=0.3)
    for suffix in ("png", "svg"):
        figure.savefig(f"{stem}.{suffix}", dpi=120)
