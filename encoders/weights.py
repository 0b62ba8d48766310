"""Weights in files of safetensors, each read when it is used."""

import json
import struct
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import safe_open

from .functions import Floats

_SCALE = " scale"
_KINDS = {"F16": "<f2", "F32": "<f4"}


def quantized(arrays: Mapping[str, Floats]) -> dict[str, NDArray[Any]]:
    """Return arrays in the form of a file: matrices in 8 bits with a scale for each row, others in half precision.

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
    """The arrays of a file, floats in single precision; `quantized` arrays are scaled back.

    No array is kept in memory, since those that compute with it have their own copy. The file stays open, so that it
    may be replaced or deleted.

    Args:
        file: of safetensors.
        prefixes: prefixes of all names, which are left out.

    Raises:
        OSError, SafetensorError: it cannot be read.
    """

    def __init__(self, file: Path, prefixes: Sequence[str] = ()) -> None:
        self._file, self._stored = file, safe_open(file, framework="numpy")
        names = [name for name in self._stored.keys() if not name.endswith(_SCALE)]  # noqa: SIM118, it is no dict
        prefix = next((one for one in prefixes if any(name.startswith(one) for name in names)), "")
        self._names = {name.removeprefix(prefix): name for name in names if name.startswith(prefix)}

    def __len__(self) -> int:
        return len(self._names)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __getitem__(self, name: str) -> Floats:
        array: NDArray[Any] = self._stored.get_tensor(own := self._names[name])
        if array.dtype == np.int8:
            return array * self._stored.get_tensor(own + _SCALE)[..., None]
        if array.dtype == np.float16:
            return _single(array)
        return array.astype(np.float32, copy=False) if array.dtype.kind == "f" else array

    def mapped(self, name: str) -> Floats:
        """Return an array mapped from the file: unread rows take no memory."""
        with self._file.open("rb") as stream:
            (length,) = struct.unpack("<Q", stream.read(8))
            entry = json.loads(stream.read(length))[self._names[name]]
            kind, first = _KINDS[entry["dtype"]], 8 + length + entry["data_offsets"][0]
            return np.asarray(np.memmap(stream, kind, "r", first, tuple(entry["shape"])))


def _single(halves: NDArray[np.float16]) -> Floats:
    """Return finite numbers of half precision in single, in a quarter of the time that numpy's conversion takes."""
    bits = halves.view(np.int16).astype(np.int32)
    bits <<= 13
    bits &= -0x70002000  # sign, exponent, and digits; what stood above the exponent is the sign again
    found = bits.view(np.float32)
    found *= np.float32(2.0**112)  # from 15, which stands for 2^0 in half precision, to 127
    return found


def selected(weights: Mapping[str, Floats], place: str = "", *, but: str | None = None) -> dict[str, Floats]:
    """Return the arrays whose names begin with ``place``, and not with ``but``, by the rest of their names."""
    names = [name for name in weights if name.startswith(place) and (but is None or not name.startswith(but))]
    return {name.removeprefix(place): weights[name] for name in names}
