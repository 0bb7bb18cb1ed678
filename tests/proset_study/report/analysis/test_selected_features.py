from proset_study.report.analysis.selected_features import selected_features


def test_selected_features_are_those_of_the_models(stored):
    rows = [r for r in selected_features(stored) if (r["experiment"], r["dataset"]) == ("E3", "cross")]
    active = stored.final("E3", "cross").model.fitted.model.active_features()
    assert [r["selected"] for r in rows] == [int(d in active) for d in range(3)]
    assert {r["replicates"] for r in rows} == {1}
