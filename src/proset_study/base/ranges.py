"""What values a parameter may have."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Range:
    """Allowed values of a parameter, both ends included."""

    low: float
    high: float
    integer: bool = False

    def check(self, key: str, value: float) -> None:
        """Raise a ValueError that names `key` unless `value` is allowed."""
        if not self.low <= value <= self.high or (self.integer and value != int(value)):
            kind = "a whole number" if self.integer else "a number"
            raise ValueError(f"{key}: {value!r} is not allowed, must be {kind} from {self.low} to {self.high}")
