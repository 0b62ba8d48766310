"""One network that turns a question, and whatever it may be compared with, into vectors of length 1.

Its weights are MiniLM's for English and multilingual E5's for Chinese and both, as `querent.encoders` has them.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..data.packages import needs
from ..encoders.load import encoder_folder, prefix_of
from .huggingface import quiet

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

__all__ = ["Vectors", "embed", "load_bi_encoder", "needs_sentence_transformers"]

Vectors = NDArray[np.float32]
"""(texts, width), each of length 1."""

_MAX_TOKENS = 128
"""A question is shorter; a longer one is cut off."""


def needs_sentence_transformers() -> AbstractContextManager[None]:
    """Say how to get the library where it is missing.

    Raises:
        InputError: sentence-transformers is not installed.
    """
    return needs("sentence-transformers", "querent[retrieval]", field="model")


def load_bi_encoder(name: str | Path) -> SentenceTransformer:
    """Load a bi-encoder: the mean of an encoder's states, at length 1.

    Args:
        name: ``minilm`` (English), ``e5`` (Chinese and English), or the folder of one that was trained.

    Raises:
        InputError: sentence-transformers or the weights are not installed, or the folder holds no model.
    """
    with needs_sentence_transformers():
        from sentence_transformers import SentenceTransformer  # takes seconds to import
        from sentence_transformers.sentence_transformer.modules import Normalize, Pooling, Transformer

    folder = Path(name)
    with quiet():
        if (folder / "modules.json").is_file():
            return SentenceTransformer(str(folder), device="cpu").float()
        transformer = Transformer(str(encoder_folder(str(name))), max_seq_length=_MAX_TOKENS)
    modules: list[Any] = [transformer, Pooling(transformer.get_embedding_dimension(), "mean"), Normalize()]
    made = SentenceTransformer(modules=modules, device="cpu")
    if prefix := prefix_of(str(name)):
        made.prompts["query"], made.default_prompt_name = prefix, "query"
    return made.float()  # in half precision a CPU takes ten times as long


def embed(model: SentenceTransformer, texts: Sequence[str]) -> Vectors:
    """Return the vectors of texts, (texts, width)."""
    if not texts:
        return np.zeros((0, model.get_embedding_dimension() or 0), np.float32)
    return np.asarray(model.encode(list(texts), batch_size=64, show_progress_bar=False), np.float32)
