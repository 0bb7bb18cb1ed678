from proset_study.fits.selection import select_complexity, select_parameters


def test_both_stages_select_by_the_criterion():
    trials = [
        {"method": "knn", "trial": t, "fold": f, "parameters": {}, "summary": {}, "log_loss": 1.0 - t, "error": 0.1 * t}
        for t in range(2)
        for f in range(2)
    ]
    selected = {c: select_parameters(trials, {}, "best", c)["optimal"] for c in ("log_loss", "error")}
    assert selected == {"log_loss": 1, "error": 0}
    paths = [{"method": "knn", "fold": f, "summary": {}, "log_loss": [2.0, 1.0], "error": [0.1, 0.2]} for f in range(2)]
    assert select_complexity(paths, "best")["complexity"] == 2
    selection = select_complexity(paths, "best", "error")
    assert (selection["criterion"], selection["complexity"]) == ("error", 1)


def test_the_size_of_an_ensemble_is_its_largest_whatever_its_parts_score():
    paths = [{"method": "bagging", "fold": f, "summary": {}, "log_loss": [0.5, 0.1, 0.6]} for f in range(2)]
    selection = select_complexity(paths, "largest")
    assert (selection["rule"], selection["complexity"], selection["settings"][selection["optimal"]]) == (
        "largest",
        3,
        2,
    )
