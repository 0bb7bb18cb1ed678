"""The style page's rules find their own examples."""

import pytest
from tests.prose import avoided, faults, headless, rules


@pytest.mark.parametrize(("avoid", "before", "after"), rules())
def test_a_rule_finds_the_sentence_before_and_not_the_one_after(avoid, before, after):
    assert avoid
    assert faults(before)
    assert not faults(after)


def test_proselint_has_its_own_rules_for_prose_only():
    assert faults("This is very unique.")
    assert not faults("This is very unique.", prose=False)


def test_docstrings_and_messages_of_python_count():
    source = 'def f():\n    """Draw so many samples."""\n    raise ValueError("mend it")  # so many\n'
    assert [fault.partition(":")[2].split("'")[1] for fault in avoided(source)] == ["so many", "mend"]
    assert [fault.partition(":")[0] for fault in avoided(source)] == ["2", "3"]


def test_a_docstring_begins_with_what_is_returned_or_done():
    source = 'def f():\n    """{} the classes."""\n'
    assert headless(source.format("Of")) == ["1: 'Of' begins the docstring of f: see Style in CONTRIBUTING.md."]
    assert headless(source.format("Proportions of")) == []
