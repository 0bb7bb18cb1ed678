"""Reports of skore take the classifiers as they are."""

import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import log_loss
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from proset import ConformalClassifier, ProsetClassifier, SetCoverClassifier

PROSET = ProsetClassifier(lambda_v=0.01, lambda_w=1e-4)


@pytest.mark.parametrize(
    "estimator",
    [PROSET, make_pipeline(StandardScaler(), PROSET), SetCoverClassifier(), ConformalClassifier(PROSET, cv=2)],
    ids=lambda estimator: type(estimator).__name__,
)
def test_a_report_of_one_split(estimator):
    import skore  # takes two seconds

    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    X = X.iloc[:, [1, 4, 20, 24]]
    split = {"X_train": X[::2], "y_train": y[::2], "X_test": X[1::2], "y_test": y[1::2]}
    report = skore.EstimatorReport(estimator, **split, pos_label=1)
    summary = report.metrics.summarize().frame()
    assert summary.loc["accuracy"].item() == report.estimator_.score(X[1::2], y[1::2])
    if hasattr(estimator, "predict_proba"):
        expected = log_loss(y[1::2], report.estimator_.predict_proba(X[1::2]))
        assert summary.loc["log_loss"].item() == pytest.approx(expected)
    assert len(report.inspection.permutation_importance().frame()) == X.shape[1]
    checks = report.checks.summarize().frame()
    assert set(checks["section"]) <= {"issue", "tip", "passed", "not_applicable"}
    issues = set(checks["code"][checks["section"] == "issue"])
    slow, too_sure = {"SKD010"}, {"SKD001"} if isinstance(estimator, SetCoverClassifier) else set()
    assert issues <= slow | too_sure


def test_a_report_of_a_cross_validation_of_a_table_with_text_and_gaps(mixed):
    import skore

    X, y, _ = mixed
    report = skore.CrossValidationReport(PROSET, X, y, splitter=3, pos_label="yes")
    mean = report.metrics.summarize().frame().iloc[:, 0]
    assert mean["accuracy"] > 0.85
    assert set(report.inspection.permutation_importance().frame()["feature"]) == set(X)
    checks = report.checks.summarize().frame()
    assert set(checks["code"][checks["section"] == "issue"]) <= {"SKD010"}
