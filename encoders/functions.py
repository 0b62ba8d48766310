"""Functions of numpy for what stands around networks: shares, their logarithms, probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Floats", "gelu", "log_sigmoid", "log_softmax", "sigmoid", "softmax"]

Floats = NDArray[Any]
"""Arrays of single precision, unless it is said otherwise."""

# erf(x) = 1 - (a1 t + … + a5 t^5) exp(-x^2) with t = 1 / (1 + p x), x >= 0; wrong by 1.5e-7 at most
# (Abramowitz and Stegun 1964, formula 7.1.26)
_P = np.float32(0.3275911)
_A = tuple(np.float32(a) for a in (0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429))
_HALF, _HALF_ROOT = np.float32(0.5), np.float32(0.5**0.5)
_BLOCK = 16384


def gelu(x: Floats) -> Floats:
    """Return ``x`` times the normal distribution's share below it (Hendrycks and Gimpel 2016)."""
    found = np.empty(x.size, x.dtype)
    flat = x.reshape(-1)
    for start in range(0, x.size, _BLOCK):  # as much at a time as the processor's cache holds, each step in place
        part = flat[start : start + _BLOCK]
        distance = np.abs(part)
        z = distance * _HALF_ROOT
        t = 1 / (1 + _P * z)
        tail = _A[4] * t
        for a in _A[3::-1]:
            tail += a
            tail *= t
        z *= -z
        tail *= np.exp(z, out=z)
        tail *= distance
        tail *= _HALF  # |x| times the share further out than it
        np.subtract(np.maximum(part, 0), tail, out=found[start : start + _BLOCK])
    return found.reshape(x.shape)


def softmax(x: NDArray[Any]) -> NDArray[Any]:
    """Return shares along the last axis that sum to 1; -inf has none."""
    shares = np.exp(x - x.max(-1, keepdims=True))
    return shares / shares.sum(-1, keepdims=True)


def log_softmax(x: NDArray[Any]) -> NDArray[Any]:
    """Return the logarithms of `softmax`."""
    below = x - x.max(-1, keepdims=True)
    return below - np.log(np.exp(below).sum(-1, keepdims=True))


def sigmoid(x: NDArray[Any]) -> NDArray[Any]:
    """Return the probabilities of logits."""
    return np.exp(log_sigmoid(x))


def log_sigmoid(x: NDArray[Any]) -> NDArray[Any]:
    """Return the logarithms of the probabilities of logits, finite for all finite ones."""
    return np.minimum(x, 0) - np.log1p(np.exp(-np.abs(x)))
