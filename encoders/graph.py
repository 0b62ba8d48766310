"""Networks as graphs of ONNX, which onnxruntime computes in one thread, without torch.

The file of a graph has the computation and the names of the weights. Their numbers come from elsewhere, so the file is
small, and serves all networks of one shape. `export` writes such files from modules of torch. The graph of one layer of
BERT serves all layers of all encoders of the same sizes; that of multilingual E5's sizes ships with the package, and
``python -m querent.encoders.graph`` writes it anew.
"""

import ctypes
import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, cast

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from ..data.packages import needs
from ..data.shipped import cache_folder

_TRIM = getattr(ctypes.CDLL(None), "malloc_trim", None) if os.name == "posix" else None

Array = NDArray[Any]


class Graph:
    """A graph with its weights.

    Args:
        model: the graph, as `export.exported` returns it.
        weights: each by its name, in single precision or bool; the graph ignores those that it does not use.

    Raises:
        ValueError: a weight is missing or has another shape than in the graph.
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
        try:
            options.add_external_initializers(used, values)
            self._session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        except Exception as error:  # onnxruntime's own have no finer class in common
            raise ValueError(f"they are not those of the graph ({str(error).splitlines()[0]})") from error
        self._inputs = [one.name for one in self._session.get_inputs()]
        self._outputs = [one.name for one in self._session.get_outputs()]

    def __call__(self, **inputs: Array) -> list[Array]:
        """Return the outputs in the graph's order; it ignores inputs that it does not use."""
        return cast(list[Array], self._session.run(self._outputs, {name: inputs[name] for name in self._inputs}))


def trim() -> None:
    """Return the memory of weights that were copied into graphs to the system; glibc would keep it."""
    if _TRIM is not None:
        _TRIM(0)


_SHIPPED = (384, 1536, 12, 1e-12)
_FILE = Path(__file__).parent / "layer.onnx"
_FORMAT = 3  # of the kept files; another number makes old ones void


@cache
def layer_graph(hidden: int, inner: int, heads: int, epsilon: float) -> bytes:
    """Return the graph of a layer: from the states (texts, tokens, hidden) of the layer below it computes new ones.

    Its second input, int32 (texts, tokens), is 1 for tokens and 0 for padding. A graph of sizes that do not ship is
    made by torch once, and kept in the user's cache.

    Args:
        hidden, inner: widths of a state, and between the matrices of a layer.
        heads: of the attention.
        epsilon: of the norms.

    Raises:
        InputError: it is not in the cache, and torch is not installed.
    """
    sizes = (hidden, inner, heads, float(f"{epsilon:.2g}"))  # in single precision 1e-12 is 9.99999996e-13
    if sizes == _SHIPPED:
        return _FILE.read_bytes()
    file = cache_folder() / "encoders" / f"layer-{'-'.join(map(str, sizes))}-{_FORMAT}.onnx"
    if not file.is_file():
        file.parent.mkdir(parents=True, exist_ok=True)
        aside = file.with_suffix(f".{os.getpid()}")
        aside.write_bytes(_made(*sizes))
        aside.replace(file)
    return file.read_bytes()


def _made(hidden: int, inner: int, heads: int, epsilon: float) -> bytes:
    with needs("torch", "train", field="encoder"):
        from .encoder_layer import exported_layer

    return exported_layer(hidden, inner, heads, epsilon)


if __name__ == "__main__":
    _FILE.write_bytes(_made(*_SHIPPED))
