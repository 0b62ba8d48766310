"""Functions of numpy around networks: GELU, probabilities, their logarithms, and the threads that they take."""

import math
from collections.abc import Generator
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

Floats = NDArray[Any]
"""Arrays, of single precision by default."""

_ERF = np.frompyfunc(math.erf, 1, 1)


def gelu(x: Floats) -> Floats:
    """Return ``x`` times the normal distribution's share below it (Hendrycks and Gimpel 2016)."""
    return x * (0.5 + 0.5 * np.asarray(_ERF(x * 0.5**0.5), x.dtype))


def sigmoid(x: NDArray[Any]) -> NDArray[Any]:
    """Return the probabilities of logits."""
    return np.exp(log_sigmoid(x))


def log_sigmoid(x: NDArray[Any]) -> NDArray[Any]:
    """Return the logarithms of the probabilities of logits, finite for all finite ones."""
    return np.minimum(x, 0) - np.log1p(np.exp(-np.abs(x)))


@contextmanager
def one_thread() -> Generator[None]:
    """Compute in one thread: more gain nothing for matrices this small, and on busy cores they wait for each other."""
    with _threads().limit(limits=1, user_api="blas"):
        yield


@cache
def _threads() -> ThreadpoolController:
    return ThreadpoolController()
