"""Weights in files of safetensors, read one at a time when they are asked for."""

from __future__ import annotations

import json
import math
import struct
import weakref
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import safe_open

from .functions import Floats

__all__ = ["StoredWeights", "quantized", "selected", "shapes_of"]

_SCALE = " scale"
_KINDS = {"F16": "<f2", "F32": "<f4", "F64": "<f8", "I8": "i1", "I64": "<i8", "BOOL": "?"}


def quantized(arrays: Mapping[str, Floats]) -> dict[str, NDArray[Any]]:
    """Return arrays as they are stored: matrices in 8 bits with a scale for each row, all else in half precision.

    Rows are scaled so that their largest number is 127 (Jacob et al. 2018, section 2.1, symmetric).
    """
    found: dict[str, NDArray[Any]] = {}
    for name, array in arrays.items():
        if array.dtype.kind != "f":
            found[name] = np.ascontiguousarray(array)
        elif array.ndim < 2:
            found[name] = np.ascontiguousarray(array, np.float16)
        else:
            scale = np.abs(array).max(-1, keepdims=True).astype(np.float32) / 127
            whole = np.rint(array / np.where(scale == 0, 1, scale))
            found[name] = np.ascontiguousarray(whole, np.int8)  # a file has no strides
            found[name + _SCALE] = scale[..., 0]
    return found


class StoredWeights(Mapping[str, Floats]):
    """The arrays of a file, floats in single precision; what was `quantized` is scaled back.

    None is kept: whoever computes with them has a copy in a form of its own. The file stays open, so that another one
    in its place, or none, changes nothing.

    Args:
        file: of safetensors.
        prefixes: what may stand before all names, and is left out.

    Raises:
        OSError, SafetensorError: it cannot be read.
    """

    def __init__(self, file: Path, prefixes: Sequence[str] = ()) -> None:
        with safe_open(file, framework="numpy") as stored:  # which looks whether the file holds what it claims
            names = [name for name in stored.keys() if not name.endswith(_SCALE)]  # noqa: SIM118, it is no dict
        self._stream, self._lock = file.open("rb"), Lock()
        weakref.finalize(self, self._stream.close)
        (length,) = struct.unpack("<Q", self._stream.read(8))
        self._header: dict[str, Any] = json.loads(self._stream.read(length))
        self._first = 8 + length
        self._prefix = next((one for one in prefixes if any(name.startswith(one) for name in names)), "")
        self._names = {name.removeprefix(self._prefix): name for name in names if name.startswith(self._prefix)}

    def __len__(self) -> int:
        return len(self._names)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __getitem__(self, name: str) -> Floats:
        own = self._names[name]
        array = self._read(own)
        if array.dtype == np.int8:
            return array * self._read(own + _SCALE)[..., None]
        if array.dtype == np.float16:
            return _single(array)
        return array.astype(np.float32, copy=False) if array.dtype.kind == "f" else array

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the shape of each array, which takes reading none."""
        return {name: tuple(self._header[own]["shape"]) for name, own in self._names.items()}

    def mapped(self, name: str) -> Floats:
        """Return an array as it lies in the file: rows that nobody reads take no memory."""
        kind, shape, first = self._place(self._names[name])
        return np.asarray(np.memmap(self._stream, kind, "r", first, shape))

    def _read(self, own: str) -> NDArray[Any]:
        kind, shape, first = self._place(own)
        with self._lock:
            self._stream.seek(first)
            return np.fromfile(self._stream, kind, math.prod(shape)).reshape(shape)

    def _place(self, own: str) -> tuple[str, tuple[int, ...], int]:
        told = self._header[own]
        return _KINDS[told["dtype"]], tuple(told["shape"]), self._first + told["data_offsets"][0]


def _single(halves: NDArray[np.float16]) -> Floats:
    """Return finite numbers of half precision in single, in a quarter of the time that numpy's conversion takes."""
    bits = halves.view(np.int16).astype(np.int32)
    bits <<= 13
    bits &= -0x70002000  # sign, exponent, and digits; what stood above the exponent is the sign again
    found = bits.view(np.float32)
    found *= np.float32(2.0**112)  # from 15, which stands for 2^0 in half precision, to 127
    return found


def selected(weights: Mapping[str, Floats], place: str = "", *, but: str | None = None) -> dict[str, Floats]:
    """Return the arrays whose names begin with ``place``, and not with ``but``, called by what follows ``place``."""
    names = [name for name in weights if name.startswith(place) and (but is None or not name.startswith(but))]
    return {name.removeprefix(place): weights[name] for name in names}


def shapes_of(weights: Mapping[str, Floats]) -> dict[str, tuple[int, ...]]:
    """Return the shape of each array."""
    if isinstance(weights, StoredWeights):
        return weights.shapes()
    return {name: array.shape for name, array in weights.items()}
