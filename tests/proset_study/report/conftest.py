import pytest

NAMES = {"replicate": 0, "variant": "", "dataset": "wine"}


@pytest.fixture
def numbers(tmp_path):
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
    published = tmp_path / "published.csv"
    published.write_text(
        "experiment,method,dataset,variant,section,quantity,value,text\n"
        'E3,proset,wine,,data,samples,178,"178"\n'
        "E3,proset,wine,,final,log_loss,0.1,0.10\n"
        "E3,proset,wine,,final,roc_auc,1,1.00\n"
        "E3,proset,wine,,stage1,optimal_lambda_v,6.7e-06,6.7e-6\n",
        encoding="utf-8",
    )
    return rows, published
