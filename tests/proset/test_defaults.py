import inspect
import re
from ast import literal_eval

import pytest

import proset
from proset import ProsetClassifier
from proset.defaults import N_CANDIDATES

CLASSES = [value for name in proset.__all__ if inspect.isclass(value := getattr(proset, name))]
PARAMETER = re.compile(r"^(\w+(?:, \w+)*) : .*?(?:default=(.*)|(optional))?$", re.MULTILINE)


@pytest.mark.parametrize("public", CLASSES, ids=lambda public: public.__name__)
def test_docstrings_have_the_defaults_of_signatures(public):
    _, _, section = inspect.getdoc(public).partition("Parameters\n----------\n")
    section, _, _ = section.partition("\n\n")
    stated = {
        name: (default, optional)
        for names, default, optional in PARAMETER.findall(section)
        for name in names.split(", ")
    }
    parameters = inspect.signature(public).parameters
    assert set(stated) == set(parameters)
    for name, (default, optional) in stated.items():
        found = parameters[name].default
        if default:
            assert literal_eval(default) == found, name
        else:
            assert found is (None if optional else inspect.Parameter.empty), name


def test_the_published_classifier_keeps_its_parameters_whatever_the_defaults_are():
    of_study = {"references": "split", "lambda_v": 1e-3, "lambda_w": 1e-8, "alpha_v": 0.95, "alpha_w": 0.95}
    of_study |= {"scale": False, "max_fraction": 0.5, "n_candidates": None, "n_batches": 1}
    assert ProsetClassifier.published().get_params().items() >= of_study.items()
    assert N_CANDIDATES["split"] == 1000
