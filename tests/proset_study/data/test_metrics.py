from proset_study.data.metrics import base_metric, compares_features, is_ranked, stored_metric


def test_names_say_what_is_compared_whether_it_is_stored_and_ranked():
    names = ["rank", "rank_precomputed", "cosine", "rank_mine", "mine", "ranked"]
    assert list(map(base_metric, names)) == ["euclidean", "precomputed", "cosine", "mine", "mine", "ranked"]
    assert list(map(stored_metric, names)) == [None, "precomputed", None, "mine", "mine", "ranked"]
    assert list(map(compares_features, names)) == [False, False, True, False, False, False]
    assert list(map(is_ranked, names)) == [True, True, False, True, False, False]
