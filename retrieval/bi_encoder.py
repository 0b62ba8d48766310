"""The bi-encoder: one network that turns two texts into vectors of length 1, which are compared by their cosine.

It is an `encoders.Encoder`: multilingual E5, or one that `retrieval.training` made of it.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..data.errors import InputError
from ..data.hashed_folder import read_json
from ..encoders import Encoder, load_encoder
from ..encoders.text_vectors import TextVectors

Vectors = NDArray[np.float32]
"""(texts, width), each of length 1."""

MAX_TOKENS = 128
"""Longer questions are cut off."""

_MODULES = "modules.json"
"""The file with the modules behind the encoder of a model of sentence-transformers."""


def load_bi_encoder(name: str | Path) -> Encoder:
    """Load the encoder of `embed`.

    Args:
        name: ``e5`` (Chinese and English), or the folder of an encoder, or of one that was trained.

    Raises:
        InputError: there is no such model, it is not installed, or its vectors are not the mean of its states.
    """
    modules = Path(name) / _MODULES
    for module in read_json(modules) if modules.is_file() else ():
        kind = str(module["type"]).rsplit(".", 1)[-1]
        about = read_json(Path(name) / module["path"] / "config.json") if kind == "Pooling" else {}
        mean = about.get("pooling_mode") == "mean" or about.get("pooling_mode_mean_tokens")
        if kind not in ("Transformer", "Pooling", "Normalize") or (kind == "Pooling" and not mean):
            hint = "take e5, or what `querent train-retriever` made"
            raise InputError("its vectors are not the mean of its states", file=modules, field="model", hint=hint)
    return load_encoder(str(name))


def embed(encoder: Encoder, texts: Sequence[str], *, keep: bool = False) -> Vectors:
    """Return the vectors of texts, (texts, width): the means of their states.

    Args:
        keep: whether the vectors are kept in the user's cache.
    """
    if not texts:
        return np.zeros((0, encoder.hidden), np.float32)
    vectors = TextVectors(encoder, longest=MAX_TOKENS)
    if keep:
        vectors.prepare_kept(texts)
    else:
        vectors.prepare(texts)
    return np.stack([vectors[text] for text in texts]).astype(np.float32)
