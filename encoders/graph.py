"""Networks as graphs of ONNX, which onnxruntime computes in one thread: answering needs no torch.

A file of a graph says what is computed and names its weights. Their numbers come from elsewhere, so the file is small,
and serves all networks of one shape. `export` writes such files from modules of torch.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Mapping
from typing import Any, cast

import numpy as np
import onnxruntime
from numpy.typing import NDArray

__all__ = ["WEIGHTS", "Graph", "offsets"]

WEIGHTS = "weights"
"""The file in which a graph looks for its weights; it only ever lies in memory."""

_TRIM = getattr(ctypes.CDLL(None), "malloc_trim", None) if os.name == "posix" else None
"""Gives the system back the memory of what was copied, a third of a network's, which glibc would keep."""

Array = NDArray[Any]
_LINE = 64


def offsets(arrays: Mapping[str, Array]) -> dict[str, int]:
    """Return the byte at which each array begins in `WEIGHTS`, and under an empty name their end.

    They stand in the order of their names, each at a multiple of the length of a line of the cache.
    """
    names = sorted(arrays)
    ends = np.cumsum([0, *(-(-arrays[name].nbytes // _LINE) * _LINE for name in names)]).tolist()
    return dict(zip([*names, ""], ends, strict=True))


class Graph:
    """A graph with its weights.

    Args:
        model: the graph, as `export.exported` returns it.
        weights: each by its name, in single precision or bool; they are copied.
    """

    def __init__(self, model: bytes, weights: Mapping[str, Array]) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1  # more gain nothing for matrices this small
        options.enable_mem_pattern = False  # hardly two questions have one shape
        options.enable_cpu_mem_arena = False  # each graph would keep memory of its own
        options.log_severity_level = 3
        stored = _joined(weights)
        options.add_external_initializers_from_files_in_memory([WEIGHTS], [stored], [len(stored)])
        self._session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        self._inputs = [one.name for one in self._session.get_inputs()]
        del stored
        if _TRIM is not None:
            _TRIM(0)

    def __call__(self, **inputs: Array) -> list[Array]:
        """Return the outputs in the graph's order; inputs that it does not use are left out of it."""
        return cast(list[Array], self._session.run(None, {name: inputs[name] for name in self._inputs}))


def _joined(weights: Mapping[str, Array]) -> bytes:
    """Return all arrays as `offsets` says, each with zeros behind it."""
    named = [np.ascontiguousarray(weights[name]) for name in sorted(weights)]
    return b"".join(part for one in named for part in (one.data, bytes(-one.nbytes % _LINE)))
