import pytest

from proset.study.results import COLUMNS, write_rows
from proset.study.tables import comparison_table, experiment_table, format_number, make_cells, to_markdown

NAMES = {"replicate": 0, "variant": "", "dataset": "wine"}


@pytest.fixture
def files(tmp_path):
    rows = []
    for experiment, loss in (("E3", 0.1049), ("E8", 0.0951), ("E9", 0.2)):
        names = {**NAMES, "experiment": experiment, "method": "m"}
        rows.append(
            [
                {**names, "section": "data", "quantity": "samples", "value": 1178},
                {**names, "section": "stage1", "quantity": "optimal_lambda_v", "value": 0.000123},
                {**names, "section": "stage1", "quantity": "threshold", "value": 0.9},
                {**names, "section": "cv" if experiment == "E8" else "stage2", "quantity": "threshold", "value": 0.3},
                {**names, "section": "final", "quantity": "active_features", "value": 4},
                {**names, "section": "final", "quantity": "log_loss", "value": loss},
                {**names, "section": "final", "quantity": "roc_auc", "value": 1.0},
            ]
        )
    paths = []
    for i, group in enumerate(rows):
        paths.append(tmp_path / f"{i}.csv")
        write_rows(paths[-1], group)
    published = tmp_path / "published.csv"
    published.write_text(
        "experiment,method,dataset,variant,section,quantity,value,text\n"
        'E3,proset,wine,,data,samples,178,"178"\n'
        "E3,proset,wine,,final,log_loss,0.1,0.10\n"
        "E3,proset,wine,,final,roc_auc,1,1.00\n"
        "E3,proset,wine,,stage1,optimal_lambda_v,6.7e-06,6.7e-6\n",
        encoding="utf-8",
    )
    return paths, published


def test_published_rows_in_published_order_with_values_in_brackets(files):
    paths, published = files
    text = to_markdown(experiment_table("E3", "title", make_cells(paths[:1], published), published))
    assert text.splitlines()[4:] == [
        "| |wine|",
        "|---|---:|",
        "|**Data**||",
        "|Samples|1,178 (178)|",
        "|**Stage 1**||",
        "|Optimal lambda_v|1.2e-4 (6.7e-6)|",
        "|**Final model, scores for test data**||",
        "|Log-loss|0.10 (0.10)|",
        "|ROC-AUC|1.00 (1.00)|",
    ]


def test_comparison_marks_all_that_are_best_to_two_decimals(files):
    paths, published = files
    text = to_markdown(comparison_table("c", "comparison", make_cells(paths, published)))
    losses = [line for line in text.splitlines() if line.startswith("|Log-loss")]
    assert losses == ["|Log-loss|**0.10** (0.10)|", "|Log-loss|**0.10**|", "|Log-loss|0.20|"]
    assert "|Threshold stage 2|0.30|" in text
    assert "|Threshold cross-validation|0.30|" in text
    assert "0.90" not in text  # the threshold of stage 1 is not part of it
    assert "Prototypes" not in text


def test_replicates_are_averaged_with_their_spread(tmp_path, files):
    other = tmp_path / "other.csv"
    names = {**NAMES, "replicate": 1, "experiment": "E3", "method": "m"}
    write_rows(other, [{**names, "section": "final", "quantity": "log_loss", "value": 0.3049}])
    cells = make_cells([files[0][0], other], files[1])
    cell = next(c for c in cells if c["quantity"] == "log_loss")
    assert cell["value"] == pytest.approx(0.2049)
    assert cell["spread"] == pytest.approx(0.2 / 2**0.5)
    assert "0.20 ± 0.14 (0.10)" in to_markdown(experiment_table("E3", "t", cells, files[1]))


@pytest.mark.parametrize(
    ("quantity", "value", "text"),
    [
        ("selected_lambda_w", 4.5e-05, "4.5e-5"),
        ("prototypes", 1484.0, "1,484"),
        ("prototypes", 12.4, "12.40"),
        ("log_loss", 1.0, "1.00"),
        ("optimal_colsample", None, "n/a"),
        ("optimal_subsample", 0.583, "0.58"),
    ],
)
def test_numbers_are_printed_as_published(quantity, value, text):
    assert format_number(quantity, value) == text


def test_rows_have_the_columns_of_the_published_file():
    assert COLUMNS == ("replicate", "experiment", "method", "dataset", "variant", "section", "quantity", "value")
