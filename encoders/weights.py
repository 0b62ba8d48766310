"""The weights of a network by name, and what its layers do with them."""

from __future__ import annotations

import json
import struct
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import safe_open

from .functions import Floats, layer_norm

__all__ = ["Weights", "laid_out", "quantized", "read_weights"]

_SCALE = " scale"
_WORDS = "word_embeddings"
_GAP = 16  # numbers of single precision: a line of the cache
_BLOCK = 32  # rows turned at a time
_SMALL = 10**6  # multiplications of a product that OpenBLAS does without packing
_FEW = 10  # rows for which packing takes longer than multiplying


@dataclass(frozen=True)
class Weights:
    """Arrays called as in a PyTorch state dict: ``Weights(arrays).at("layers.0").linear("out", x)``.

    Attributes:
        arrays: of all parts of the network.
        place: what stands before the names of this part, empty or with a dot at its end.
    """

    arrays: Mapping[str, Floats]
    place: str = ""

    def __getitem__(self, name: str) -> Floats:
        return self.arrays[self.place + name]

    def at(self, part: str) -> Weights:
        """Return the weights of a part of this part."""
        return Weights(self.arrays, f"{self.place}{part}.")

    def linear(self, layer: str, x: Floats) -> Floats:
        """Return ``x W^T + b``; without b where the layer has none. It is quickest where W is `laid_out`."""
        weight = self[f"{layer}.weight"]
        product = _product(x.reshape(-1, x.shape[-1]), weight.T)
        bias = self.arrays.get(f"{self.place}{layer}.bias")
        if bias is not None:
            product += bias
        return product.reshape(*x.shape[:-1], len(weight))

    def norm(self, layer: str, x: Floats, epsilon: float = 1e-5) -> Floats:
        """Return `layer_norm` with the layer's scale and shift."""
        return layer_norm(x, self[f"{layer}.weight"], self[f"{layer}.bias"], epsilon)


def _product(x: Floats, matrix: Floats) -> Floats:
    """Return ``x @ matrix``; few rows in parts, which OpenBLAS multiplies as they lie, and else packs first."""
    parts = -(-len(x) * matrix.size // _SMALL)
    if parts <= 1 or len(x) > _FEW:
        return x @ matrix
    product = np.empty((len(x), matrix.shape[1]), np.result_type(x, matrix))
    width = -(-matrix.shape[1] // parts)
    for start in range(0, matrix.shape[1], width):
        np.matmul(x, matrix[:, start : start + width], out=product[:, start : start + width])
    return product


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


def read_weights(file: Path) -> dict[str, Floats]:
    """Read a file of safetensors, one array at a time, `laid_out`.

    Floats are read in single precision, but for an encoder's large table of words, which stays in the file; what was
    `quantized` is scaled back.

    Raises:
        OSError, SafetensorError: it cannot be read.
    """

    def arrays() -> Iterator[tuple[str, NDArray[Any]]]:
        for name in names:
            if _WORDS in name:
                yield name, _mapped(file, name)
                continue
            array: NDArray[Any] = stored.get_tensor(name)
            if array.dtype == np.int8:
                yield name, array * stored.get_tensor(name + _SCALE)[..., None]
            elif array.dtype.kind != "f":
                yield name, array
            else:
                yield name, array.astype(np.float32, copy=False)

    with safe_open(file, framework="numpy") as stored:
        names = [name for name in stored.keys() if not name.endswith(_SCALE)]  # noqa: SIM118, it is no dict
        return laid_out(arrays(), names)


def _mapped(file: Path, name: str) -> Floats:
    """Return an array of floats as it lies in a file of safetensors: rows that nobody reads take no memory."""
    with file.open("rb") as stream:
        (length,) = struct.unpack("<Q", stream.read(8))
        told = json.loads(stream.read(length))[name]
    kind = f"<f{int(told['dtype'].removeprefix('F')) // 8}"
    return np.asarray(np.memmap(file, kind, "r", 8 + length + told["data_offsets"][0], tuple(told["shape"])))


def laid_out(arrays: Iterable[tuple[str, Floats]], names: Container[str]) -> dict[str, Floats]:
    """Return arrays by name, the matrices of layers column by column, as `Weights.linear` reads them.

    Tables, of which rows are read, have no bias beside them, and stay row by row.

    Args:
        names: of all arrays.
    """
    return {
        name: _by_columns(array) if array.ndim == 2 and f"{name.removesuffix('weight')}bias" in names else array
        for name, array in arrays
    }


def _by_columns(matrix: Floats) -> Floats:
    """Return a matrix that lies column by column, a gap behind each.

    Without one, columns whose length is a power of two push each other out of the processor's cache.
    """
    rows, columns = matrix.shape
    found = np.empty((columns, rows + _GAP), matrix.dtype)[:, :rows].T
    for start in range(0, rows, _BLOCK):  # all at once, both sides would not stay in the cache
        found[start : start + _BLOCK] = matrix[start : start + _BLOCK]
    return found
