"""What every generated data set must keep; one that is new needs no file of its own for it."""

import hashlib
from dataclasses import fields

import jsonschema
import numpy as np
import pytest
import yaml
from tests.proset_study.config_files import all_data_sets

from proset_study.data import generators
from proset_study.data.generators.base import ABOUT, Generator
from proset_study.data.sizes import Size, fraction_tested, size_of
from proset_study.data.sources import make, source_of
from proset_study.study.config.schema import schema
from proset_study.study.fingerprints import closure, key, modules_of

ENTRIES = {name: entry for (_, name), entry in all_data_sets().items() if "generator" in entry}
FIRST = {entry["generator"]: entry for entry in reversed(ENTRIES.values())}
POPULATIONS = [name for name in generators.GENERATORS if generators.get(name).is_population]
# Of what is made of some settings, so that no change of code changes data.
DIGESTS = yaml.safe_load("""
checker: [{squares: 3, samples_per_square: 8, angle: 45.0}, 'd20b46b013e4d78c']
xor: [{features: 2, samples_per_orthant: 7, irrelevant: 3}, '3f4361de7718fefb']
turned_xor: [{features: 3, samples_per_orthant: 7, angle: 30.0}, 'fa4be29029385d59']
mixture: [{samples_per_class: 24, components: 2, means_seed: 4}, 'f16d9fc1988c6afb']
clusters: [{samples: 300, test_samples: 90, classes: 3, clusters_per_class: 2, order: 4, irrelevant: 3,
  correlation: 0.4, angle: 30.0, label_noise: 0.1, imbalance: 3.0}, '572451d10dfe5eb6']
digits_16: [{images: 200, copies: 2, angle: 30.0, shift: 2.0, thickness: 1.0}, '17fd5b97db1a6a06']
protein_families: [{members: 9, others: 30, families: 4, motifs: 2, motif_length: 5, mutation: 0.5},
  'bffc48a054f8d382']
mixed: [{samples: 100, test_samples: 50, informative: 2, numbers: 4, categories: 3, levels: 5, label_noise: 0.1,
  missing_at_random: 0.2, missing_by_value: 0.1, impute: median}, 'b9cfedc02c68a319']
norms: [{samples: 30, test_samples: 9, problem: threenorm, features: 5, label_noise: 0.1}, 'ddf1adda1bcd6f01']
waveform: [{samples: 30, test_samples: 9, irrelevant: 2}, 'a2602d99c5604cb9']
led: [{samples: 90, test_samples: 90, flip: 0.2, irrelevant: 3}, '60c0c56a38319fb9']
friedman: [{samples: 30, test_samples: 9, problem: 3, noise: 0.4, irrelevant: 2}, '8560ab37f7b8713a']
sphere: [{samples: 30, test_samples: 20, classes: 3, features: 4, marginal: uniform}, '7867c0739c3b7ff2']
madelon: [{samples: 30, test_samples: 9, informative: 3, redundant: 2, irrelevant: 1, separation: 2.0,
  problem_seed: 5}, '3b28286989abd133']
agrawal: [{samples: 30, test_samples: 9, function: 5, label_noise: 0.1}, '0e0d92754bd57624']
sea: [{samples: 30, test_samples: 9, theta: 9.5}, 'ee3a79ac99154a5f']
gaussians: [{samples: 30, test_samples: 20, classes: 3, features: 4, covariances: own, separation: 2.0,
  problem_seed: 1}, '0f343e00768b1540']
curves: [{samples: 30, test_samples: 9, curve: spirals, noise: 0.3}, '776f22041d1d59f0']
""")


@pytest.mark.parametrize("name", generators.GENERATORS)
def test_a_generator_has_all_that_is_asked_of_it(name):
    kind = generators.get(name)
    assert issubclass(kind, Generator)
    assert kind.__module__ == f"proset_study.data.{source_of({'generator': name})}"
    assert {field.name for field in fields(kind)} <= set(kind.schemas())
    assert set(kind.required) == {"metric"} & set(kind.settings) | {f.name for f in fields(kind)} - set(kind.defaults())
    assert set(kind.curves) <= set(kind.defaults())
    assert all(hasattr(kind, member) for member in ABOUT)
    assert generators.of(FIRST[name]) is not None


@pytest.fixture(scope="module")
def validator():
    """Of configs that have data sets only."""
    wanted = {**schema(), "properties": {"data_sets": schema()["properties"]["data_sets"]}, "required": []}
    jsonschema.Draft202012Validator.check_schema(wanted)
    return jsonschema.Draft202012Validator(wanted)


@pytest.mark.parametrize("name", generators.GENERATORS)
def test_settings_are_checked(name, validator):
    defaults = {key: value for key, value in generators.get(name).defaults().items() if value is not None}
    validator.validate({"data_sets": {"d": {**defaults, **FIRST[name]}}})
    errors = validator.iter_errors({"data_sets": {"d": {**FIRST[name], "unheard_of": 1}}})
    assert "'unheard_of' was unexpected" in jsonschema.exceptions.best_match(errors).message


@pytest.mark.parametrize("name", ENTRIES)
def test_what_is_made_is_of_the_size_that_is_said(name):
    data = make(ENTRIES[name], 0, name, 0)
    assert size_of(ENTRIES[name]) == Size(len(data.X), data.n_features, len(data.class_names))
    assert fraction_tested(ENTRIES[name], 0.3) == (0.3 if data.test is None else data.test.mean())
    generated = generators.of(ENTRIES[name])
    assert generated.strings == (data.items is not None)
    assert generated.lacks_values or not np.isnan(data.X).any()
    assert list(generated.errors()) == []


@pytest.mark.parametrize("name", generators.GENERATORS)
def test_replicates_are_drawn_anew_and_the_same_again(name):
    one, other, again = (make(FIRST[name], 0, name, replicate) for replicate in (0, 1, 0))
    assert np.array_equal(one.X, again.X, equal_nan=True)
    assert (one.items is None) or (one.items == again.items).all()
    assert (one.y == again.y).all()
    assert not (np.array_equal(one.X, other.X) and np.array_equal(one.items, other.items))


@pytest.mark.parametrize("name", POPULATIONS)
def test_a_population_can_be_sampled_and_its_probabilities_are_known(name, assert_calibrated):
    generated = generators.of(FIRST[name])
    one, *others = (generated.sample(4000, np.random.default_rng(seed)) for seed in (0, 1, 2))
    counts = {tuple(np.bincount(sample.y)) for sample in (one, *others)}
    assert {sum(count) for count in counts} == {4000}
    assert len(counts) > 1  # classes by chance, not in equal numbers
    assert abs(np.corrcoef(one.y[:-1], one.y[1:])[0, 1]) < 0.08  # not class by class
    truth = generated.probabilities(one.X)
    assert_calibrated(one, truth)
    if (error := generated.bayes_error()) is not None:
        assert 1 - truth.max(axis=1).mean() == pytest.approx(error, abs=0.03)
    data = generated.draw(np.random.default_rng(0))
    assert generated.by_class == (np.diff(data.y) >= 0).all()


@pytest.mark.parametrize("name", DIGESTS)
def test_data_are_what_they_have_always_been(name):
    settings, expected = DIGESTS[name]
    data, digest = make({"generator": name, **settings}, 3, name, 1), hashlib.sha256()
    for field in ("X", "y", "feature_names", "class_names", "test", "group", "categories", "category_column", "items"):
        if (values := getattr(data, field)) is not None:
            if values.dtype.kind == "f":
                values = values.round(9) + 0.0  # the last digits are those of a machine
            digest.update(f"{field}{values.shape}{values.tolist()}".encode())
    assert digest.hexdigest()[:16] == expected


def test_a_new_generator_makes_no_other_data_set_stale():
    """The list of modules is found, and no data set depends on another one's module."""
    for name in generators.GENERATORS:
        modules, _ = closure(*modules_of("data", source=source_of({"generator": name})))
        ours = {module.rpartition(".")[2] for module in modules if module.startswith("proset_study.data.generators.")}
        bases = {
            kind.__module__.rpartition(".")[2] for kind in generators.get(name).__mro__ if issubclass(kind, Generator)
        }
        assert ours == bases >= {"base", name}
    assert len({key("data", source=source_of({"generator": name})) for name in generators.GENERATORS}) == len(FIRST)
