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

__all__ = ["Graph", "trim"]

_TRIM = getattr(ctypes.CDLL(None), "malloc_trim", None) if os.name == "posix" else None

Array = NDArray[Any]


class Graph:
    """A graph with its weights.

    Args:
        model: the graph, as `export.exported` returns it.
        weights: each by its name, in single precision or bool; those that it does not use are left out of it.
    """

    def __init__(self, model: bytes, weights: Mapping[str, Array]) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1  # more gain nothing for matrices this small
        options.enable_mem_pattern = False  # hardly two questions have one shape
        options.enable_cpu_mem_arena = False  # each graph would keep memory of its own
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL  # `export` did it once
        options.log_severity_level = 3
        used = [name for name in weights if bytes([10, len(name)]) + name.encode() in model]  # an input in protobuf
        values = [onnxruntime.OrtValue.ortvalue_from_numpy(np.ascontiguousarray(weights[name])) for name in used]
        options.add_external_initializers(used, values)
        self._session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        self._inputs = [one.name for one in self._session.get_inputs()]
        self._outputs = [one.name for one in self._session.get_outputs()]

    def __call__(self, **inputs: Array) -> list[Array]:
        """Return the outputs in the graph's order; inputs that it does not use are left out of it."""
        return cast(list[Array], self._session.run(self._outputs, {name: inputs[name] for name in self._inputs}))


def trim() -> None:
    """Give the system back the memory in which weights lay before graphs had them, which glibc would keep."""
    if _TRIM is not None:
        _TRIM(0)
