"""Vectors of solved questions, kept in the user's cache: a model that is asked again embeds only what is new."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file

from ..data.domains.shipped import cache_folder
from .bi_encoder import Vectors, embed

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

__all__ = ["kept_vectors"]

_MOST = 50_000
"""Texts kept of a model, 1.5 KB each; where they would be more, those that are not asked for go."""

_FORMAT = 1

_UNREAD = ".pooler."
"""A layer of BERT that no mean of states reads; where its file has none, it is drawn anew by each loading."""

_Known = Mapping[bytes, NDArray[np.float32]]
"""Vectors by the digests of their texts."""


def kept_vectors(model: SentenceTransformer, texts: Sequence[str]) -> Vectors:
    """Return what `embed` returns; texts that the same model had before, in any process, are not embedded again.

    A cache that cannot be read or written is done without.

    Args:
        model: of `load_bi_encoder`; the same is one of the same weights, whatever its name.
        texts: any number of them, some of them alike.
    """
    if not texts:
        return embed(model, texts)
    file = cache_folder() / "vectors" / f"bi-encoder-{_digest_of(model)}.safetensors"
    digests = [hashlib.sha256(text.encode()).digest() for text in texts]
    known = _read(file)
    missing = {digest: text for digest, text in zip(digests, texts, strict=True) if digest not in known}
    if missing:
        known = {**known, **dict(zip(missing, embed(model, list(missing.values())), strict=True))}
        _write(file, known if len(known) <= _MOST else {digest: known[digest] for digest in digests})
    return np.stack([known[digest] for digest in digests])


def _digest_of(model: SentenceTransformer) -> str:
    """Return what tells a model from others: a hash of its weights, its layers, and what it reads before a text."""
    told = [_FORMAT, repr(model), model.prompts, model.default_prompt_name, model.max_seq_length]
    digest = hashlib.sha256(json.dumps(told).encode())
    for name, weights in sorted(model.state_dict().items()):
        if _UNREAD not in name:
            digest.update(name.encode())
            digest.update(np.ascontiguousarray(weights.cpu().numpy()).data)
    return digest.hexdigest()[:32]


def _read(file: Path) -> _Known:
    with suppress(OSError, SafetensorError, KeyError):
        found = load_file(file)
        return {digest.tobytes(): vector for digest, vector in zip(found["digests"], found["vectors"], strict=False)}
    return {}


def _write(file: Path, known: _Known) -> None:
    """Write beside the old file and rename: of two programs that write at once, the later one's vectors stay."""
    digests = np.stack([np.frombuffer(digest, np.uint8) for digest in known])
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        aside = file.with_suffix(f".{os.getpid()}")
        save_file({"digests": digests, "vectors": np.stack(list(known.values()))}, aside)
        aside.replace(file)
