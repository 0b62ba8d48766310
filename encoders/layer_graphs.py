"""The graph of one layer of BERT, which serves all layers of all encoders of the same sizes.

That of multilingual E5's sizes ships with the package; ``python -m querent.encoders.layer_graphs`` writes it anew.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

from ..data.packages import needs
from ..data.shipped import cache_folder

__all__ = ["layer_graph"]

_SHIPPED = (384, 1536, 12, 1e-12)
_FILE = Path(__file__).parent / "layer.onnx"
_FORMAT = 3  # of the kept files; another number makes old ones void


@cache
def layer_graph(hidden: int, inner: int, heads: int, epsilon: float) -> bytes:
    """Return the graph that makes the states (texts, tokens, hidden) of a layer of those of the layer below.

    Its second input, int32 (texts, tokens), is 1 for tokens that there are. A graph of sizes that do not ship is made
    by torch once, and kept in the user's cache.

    Args:
        hidden, inner: widths of a state, and between the matrices of a layer.
        heads: of the attention.
        epsilon: of the norms.

    Raises:
        InputError: it is not kept, and torch is not installed.
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
