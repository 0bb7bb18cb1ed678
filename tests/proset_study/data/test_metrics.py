from proset_study.data.metrics import base_metric, compares_features, is_ranked, stored_metric


def test_names():
    assert [base_metric(name) for name in ("rank", "rank_precomputed", "cosine")] == [
        "euclidean",
        "precomputed",
        "cosine",
    ]
    assert [stored_metric(name) for name in ("rank", "rank_tangent", "cosine", "mine")] == [
        None,
        "tangent",
        None,
        "mine",
    ]
    assert [compares_features(name) for name in ("cosine", "rank_cosine", "mine")] == [True, False, False]


def test_ranks_have_names_of_their_own():
    assert [is_ranked(name) for name in ("rank", "rank_mine", "ranked", "euclidean")] == [True, True, False, False]
