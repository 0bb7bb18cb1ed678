import numpy as np
import pytest

from proset_study.data.generators.agrawal import Agrawal

# Salary, commission, age, education, make of the car, town, value of the house, years in it, loan; categories by codes.
CUSTOMER = np.array([[80.0, 0.0, 30, 1, 5, 25, 900.0, 25, 250.0]])


def changed(**values):
    names = ["salary", "commission", "age", "elevel", "car", "zipcode", "hvalue", "hyears", "loan"]
    X = CUSTOMER.copy()
    for name, value in values.items():
        X[0, names.index(name)] = value
    return X


@pytest.mark.parametrize(
    ("function", "values", "is_a"),
    [
        (1, {}, True),
        (1, {"age": 40}, False),
        (1, {"age": 60}, True),
        (2, {}, True),
        (2, {"salary": 101}, False),
        (2, {"age": 50, "salary": 74}, False),
        (2, {"age": 70, "salary": 26}, True),
        (3, {}, True),
        (3, {"elevel": 2}, False),
        (3, {"age": 50, "elevel": 0}, False),
        (3, {"age": 70, "elevel": 4}, True),
        (4, {"salary": 70}, True),
        (4, {"salary": 80}, False),
        (4, {"salary": 80, "elevel": 3}, True),
        (4, {"age": 50, "salary": 120, "elevel": 4}, True),
        (5, {}, True),
        (5, {"loan": 350}, False),
        (5, {"loan": 350, "salary": 120}, True),
        (5, {"age": 70, "salary": 80, "loan": 200}, True),
        (6, {"salary": 60, "commission": 30}, True),
        (6, {"salary": 60, "commission": 50}, False),
        (7, {"loan": 160}, True),  # 53.6 - 32 - 20 = 1.6
        (7, {"loan": 170}, False),
        (8, {"salary": 38, "elevel": 1}, True),  # 25.46 - 5 - 20 = 0.46
        (8, {"salary": 37, "elevel": 1}, False),
        (9, {"elevel": 2, "loan": 165}, True),  # 53.6 - 10 - 33 - 10 = 0.6
        (9, {"elevel": 2, "loan": 170}, False),
        (10, {"salary": 20, "elevel": 4, "hvalue": 200}, True),  # 13.4 - 20 + 20 - 10 = 3.4
        (10, {"salary": 20, "elevel": 4, "hvalue": 200, "hyears": 15}, False),
    ],
)
def test_rules_by_hand(function, values, is_a):
    assert Agrawal(function=function).probabilities(changed(**values)).tolist() == [[float(is_a), float(not is_a)]]


def test_attributes_are_drawn_as_the_source_says():
    data = Agrawal(samples=20_000).draw(np.random.default_rng(0))
    salary, commission, age, elevel, car, zipcode, value, years, loan = data.X.T
    assert (commission[salary >= 75] == 0).all()
    assert 10 <= commission[salary < 75].min() <= commission.max() <= 75
    ends = [(c.min(), c.max()) for c in (age, elevel, car, zipcode, years)]
    assert ends == [(20, 80), (0, 4), (5, 24), (25, 33), (1, 30)]
    assert (salary.min() >= 20, salary.max() <= 150, loan.min() >= 0, loan.max() <= 500) == (True,) * 4
    by_town = 100 * (9 - (zipcode - 25))
    assert (0.5 * by_town <= value).all()
    assert (value <= 1.5 * by_town).all()
    assert data.categories[[0, 4, 5, 24, 25, 33]].tolist() == ["0", "4", "1", "20", "1", "9"]
    assert data.feature_names[data.category_column[[0, 5, 25]]].tolist() == ["elevel", "car", "zipcode"]
