"""Ten rules by which a bank might divide its customers, by numbers and categories.

R. Agrawal, T. Imielinski and A. Swami, Database mining: a performance perspective, IEEE Transactions on Knowledge and
Data Engineering 5 (1993), 914-925.
"""

from dataclasses import dataclass, replace

import numpy as np

from proset_study.base.settings import integer, setting
from proset_study.data.generators.posterior import Posterior

_NAMES = ("salary", "commission", "age", "elevel", "car", "zipcode", "hvalue", "hyears", "loan")
_LEVELS = {3: range(5), 4: range(1, 21), 5: range(1, 10)}  # of the categories, by column
_CATEGORIES = [(column, f"{level}") for column, levels in _LEVELS.items() for level in levels]
# For customers below 40, from 40 to 59, and from 60 on: the lowest salaries and loans of a range, in thousands.
_SALARY, _SALARY_IF_EDUCATED, _SALARY_IF_NOT = np.array([(50, 75, 25), (25, 50, 50), (50, 75, 25)])
_LOAN_IF_PAID, _LOAN_IF_NOT = np.array([(100, 200, 300), (200, 300, 100)])
_LOWEST_LEVEL, _HIGHEST_LEVEL = np.array([(0, 1, 2), (1, 3, 4)])


@dataclass(frozen=True)
class Agrawal(Posterior):
    """Class A where the rule holds. Amounts are in thousands; education, make of the car and town are categories.

    Those who earn 75 or more have no commission, and houses cost more in some towns than in others. The source moves
    numbers after the class is known ("perturbation"). Then no probabilities would be known; labels are noisy instead,
    if at all.
    """

    description = "Customers of a bank in two groups, by numbers and categories, by Agrawal, Imielinski and Swami."

    function: int = setting(integer("Which of their ten rules.", 1, 10), 1)

    @property
    def shape(self):
        return len(_NAMES) - len(_LEVELS) + len(_CATEGORIES), 2

    def points(self, n, rng):
        salary, loan = rng.uniform(20.0, 150.0, n), rng.uniform(0.0, 500.0, n)
        commission = np.where(salary < 75.0, rng.uniform(10.0, 75.0, n), 0.0)
        elevel, car, zipcode = (rng.integers(len(levels), size=n) for levels in _LEVELS.values())
        value = 100.0 * (9 - zipcode) * rng.uniform(0.5, 1.5, n)
        age, years = rng.integers(20, 81, n), rng.integers(1, 31, n)
        codes = elevel, len(_LEVELS[3]) + car, len(_LEVELS[3]) + len(_LEVELS[4]) + zipcode
        return np.column_stack([salary, commission, age, *codes, value, years, loan])

    def posterior(self, X):
        is_a = self._is_a(*X.T)
        return np.column_stack([is_a, ~is_a]).astype(float)

    def data_set(self, X, y):
        columns, levels = zip(*_CATEGORIES, strict=True)
        return replace(
            super().data_set(X, y),
            feature_names=np.array(_NAMES),
            class_names=np.array(["A", "B"]),
            categories=np.array(levels),
            category_column=np.array(columns),
        )

    def _is_a(self, salary, commission, age, elevel, car, zipcode, value, years, loan):
        old, income = np.digitize(age, (40, 60)), salary + commission
        equity = 0.1 * value * np.maximum(years - 20, 0)
        educated = _is_within(elevel, _LOWEST_LEVEL[old], _HIGHEST_LEVEL[old])
        paid = _is_within(salary, _SALARY[old], _SALARY[old] + 50)
        match self.function:
            case 1:
                return old != 1
            case 2:
                return paid
            case 3:
                return educated
            case 4:
                lowest = np.where(educated, _SALARY_IF_EDUCATED[old], _SALARY_IF_NOT[old])
                return _is_within(salary, lowest, lowest + 50)
            case 5:
                lowest = np.where(paid, _LOAN_IF_PAID[old], _LOAN_IF_NOT[old])
                return _is_within(loan, lowest, lowest + 200)
            case 6:
                return _is_within(income, _SALARY[old], _SALARY[old] + 50)
            case 7:
                return 0.67 * income - 0.2 * loan - 20 > 0
            case 8:
                return 0.67 * income - 5 * elevel - 20 > 0
            case 9:
                return 0.67 * income - 5 * elevel - 0.2 * loan - 10 > 0
            case _:
                return 0.67 * income - 5 * elevel + 0.2 * equity - 10 > 0


def _is_within(value, low, high):
    return (low <= value) & (value <= high)
