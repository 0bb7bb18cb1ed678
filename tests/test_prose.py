"""The style page's rules find their own examples."""

import pytest
from tests.prose import faults, rules


@pytest.mark.parametrize(("avoid", "before", "after"), rules())
def test_a_rule_finds_the_sentence_before_and_not_the_one_after(avoid, before, after):
    assert avoid
    assert faults(before)
    assert not faults(after)


def test_there_are_ten_rules():
    assert len(rules()) == 10


def test_proselint_has_its_own_rules_for_prose_only():
    assert faults("This is very unique.")
    assert not faults("This is very unique.", prose=False)
