"""One network that turns a question, and whatever it may be compared with, into vectors of length 1.

It answers as an `encoders.Encoder`, in numpy: multilingual E5, or one that `retrieval.training` made of it.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..data.errors import InputError
from ..data.hashed_folder import read_json
from ..data.packages import needs
from ..encoders import Encoder, load_encoder
from ..encoders.load import encoder_folder, prefix_of
from ..encoders.pieces import SENTENCEPIECE, for_transformers
from ..encoders.text_vectors import TextVectors
from .huggingface import quiet

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

__all__ = ["Vectors", "embed", "load_bi_encoder", "needs_sentence_transformers", "save_trained", "trainable_bi_encoder"]

Vectors = NDArray[np.float32]
"""(texts, width), each of length 1."""

_MAX_TOKENS = 128
"""A question is shorter; a longer one is cut off."""

_MODULES = "modules.json"
"""Says what a model of sentence-transformers makes of states."""


def load_bi_encoder(name: str | Path) -> Encoder:
    """Load what `embed` reads.

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
        keep: will they be wanted again? Then they are kept in the user's cache.
    """
    if not texts:
        return np.zeros((0, encoder.hidden), np.float32)
    vectors = TextVectors(encoder, longest=_MAX_TOKENS)
    if keep:
        vectors.prepare_kept(texts)
    else:
        vectors.prepare(texts)
    return np.stack([vectors[text] for text in texts]).astype(np.float32)


def needs_sentence_transformers() -> AbstractContextManager[None]:
    """Say how to get the library where it is missing.

    Raises:
        InputError: sentence-transformers is not installed.
    """
    return needs("sentence-transformers", "train", field="model")


def trainable_bi_encoder(name: str | Path) -> SentenceTransformer:
    """Load a bi-encoder to train: the mean of an encoder's states, at length 1, as `embed` has it.

    Args:
        name: ``e5`` (Chinese and English), or the folder of an encoder, or of one that was trained.

    Raises:
        InputError: sentence-transformers or the weights are not installed, or the folder holds no model.
    """
    with needs_sentence_transformers():
        from sentence_transformers import SentenceTransformer  # takes seconds to import
        from sentence_transformers.sentence_transformer.modules import Normalize, Pooling, Transformer

    folder = encoder_folder(str(name))
    if (folder / SENTENCEPIECE).is_file():
        for_transformers(folder)
    with quiet():
        transformer = Transformer(str(folder), max_seq_length=_MAX_TOKENS)
    modules: list[Any] = [transformer, Pooling(transformer.get_embedding_dimension(), "mean"), Normalize()]
    made = SentenceTransformer(modules=modules, device="cpu")
    if prefix := prefix_of(str(name)):
        made.prompts["query"], made.default_prompt_name = prefix, "query"
    return made.float()  # in half precision a CPU takes ten times as long


def save_trained(model: SentenceTransformer, folder: Path, base: str | Path) -> None:
    """Write a bi-encoder as a folder that `load_encoder` reads, with what cuts the texts of the one it began as."""
    model.save(str(folder), create_model_card=False)
    pieces = encoder_folder(str(base)) / SENTENCEPIECE
    if pieces.is_file() and pieces.resolve().parent != folder.resolve():
        shutil.copyfile(pieces, folder / SENTENCEPIECE)
