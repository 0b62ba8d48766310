"""Weights in files of safetensors, read one at a time when they are asked for."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import safe_open

from .functions import Floats

__all__ = ["StoredWeights", "quantized", "selected", "shapes_of"]

_SCALE = " scale"


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

    None is kept: whoever computes with them has a copy in a form of its own.

    Args:
        file: of safetensors.
        prefixes: what may stand before all names, and is left out.

    Raises:
        OSError, SafetensorError: it cannot be read.
    """

    def __init__(self, file: Path, prefixes: Sequence[str] = ()) -> None:
        self._file = file
        with safe_open(file, framework="numpy") as stored:
            names = [name for name in stored.keys() if not name.endswith(_SCALE)]  # noqa: SIM118, it is no dict
        self._prefix = next((one for one in prefixes if any(name.startswith(one) for name in names)), "")
        self._names = {name.removeprefix(self._prefix): name for name in names if name.startswith(self._prefix)}

    def __len__(self) -> int:
        return len(self._names)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __getitem__(self, name: str) -> Floats:
        if name not in self._names:
            raise KeyError(name)
        return self.part(name)[""]

    def part(self, place: str, but: str | None = None) -> dict[str, Floats]:
        """Return some arrays, see `selected`."""
        found: dict[str, Floats] = {}
        with safe_open(self._file, framework="numpy") as stored:
            for name, own in self._names.items():
                if _is_of(name, place, but):
                    array: NDArray[Any] = stored.get_tensor(own)
                    if array.dtype == np.int8:
                        array = array * stored.get_tensor(own + _SCALE)[..., None]
                    floats = array.dtype.kind == "f"
                    found[name.removeprefix(place)] = array.astype(np.float32, copy=False) if floats else array
        return found

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the shape of each array, which takes reading none."""
        with safe_open(self._file, framework="numpy") as stored:
            return {name: tuple(stored.get_slice(own).get_shape()) for name, own in self._names.items()}

    def mapped(self, name: str) -> Floats:
        """Return an array of floats as it lies in the file: rows that nobody reads take no memory.

        Raises:
            OSError, KeyError: it is not there.
        """
        with self._file.open("rb") as stream:
            (length,) = struct.unpack("<Q", stream.read(8))
            told = json.loads(stream.read(length))[self._names[name]]
        kind = f"<f{int(told['dtype'].removeprefix('F')) // 8}"
        first = 8 + length + told["data_offsets"][0]
        return np.asarray(np.memmap(self._file, kind, "r", first, tuple(told["shape"])))


def selected(weights: Mapping[str, Floats], place: str = "", *, but: str | None = None) -> dict[str, Floats]:
    """Return the arrays whose names begin with ``place``, and not with ``but``, called by what follows ``place``."""
    if isinstance(weights, StoredWeights):
        return weights.part(place, but)
    return {name.removeprefix(place): array for name, array in weights.items() if _is_of(name, place, but)}


def _is_of(name: str, place: str, but: str | None) -> bool:
    return name.startswith(place) and (but is None or not name.startswith(but))


def shapes_of(weights: Mapping[str, Floats]) -> dict[str, tuple[int, ...]]:
    """Return the shape of each array."""
    if isinstance(weights, StoredWeights):
        return weights.shapes()
    return {name: array.shape for name, array in weights.items()}
