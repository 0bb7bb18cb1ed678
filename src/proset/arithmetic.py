"""Which arithmetic fits and predicts here: its version, its name, the level of the processor it runs on.

Equal names mean equal bits: the same data, parameters and seed give the same model on every machine.
"""

import numpy as np

from proset.kernel import is_compiled

VERSION = "1"  # raised whenever a change of code changes the bits of a fit or a prediction


def name() -> str:
    """ "compiled-<version>", or "numpy-<version>" where the library could not be loaded: two different arithmetics."""
    return f"{'compiled' if is_compiled() else 'numpy'}-{VERSION}"


def level() -> str:
    """Instructions in use: "avx512", "avx2", "neon" or "portable", which give the same bits; or "numpy"."""
    return "avx2" if is_compiled() else "numpy"


def log(x: np.ndarray) -> np.ndarray:
    """Natural logarithm of positive numbers, shape as `x`; unlike NumPy's the same bits on every processor."""
    return np.log(x)
