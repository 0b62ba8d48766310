"""Vectors of solved questions, kept in the user's cache: a model that is asked again embeds only what is new."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file

from ..data.domains.shipped import cache_folder
from ..encoders import Encoder
from .bi_encoder import Vectors, embed

__all__ = ["kept_vectors"]

_MOST = 50_000
"""Texts kept of a model, 1.5 KB each; where they would be more, those that are not asked for go."""

_FORMAT = 2

_Known = Mapping[bytes, NDArray[np.float32]]
"""Vectors by the digests of their texts."""


def kept_vectors(encoder: Encoder, texts: Sequence[str]) -> Vectors:
    """Return what `embed` returns; texts that the same model had before, in any process, are not embedded again.

    A cache that cannot be read or written is done without.

    Args:
        encoder: the same is one of the same weights, whatever its name.
        texts: any number of them, some of them alike.
    """
    if not texts:
        return embed(encoder, texts)
    file = cache_folder() / "vectors" / f"bi-encoder-{_digest_of(encoder)}.safetensors"
    digests = [hashlib.sha256(text.encode()).digest() for text in texts]
    known = _read(file)
    missing = {digest: text for digest, text in zip(digests, texts, strict=True) if digest not in known}
    if missing:
        known = {**known, **dict(zip(missing, embed(encoder, list(missing.values())), strict=True))}
        _write(file, known if len(known) <= _MOST else {digest: known[digest] for digest in digests})
    return np.stack([known[digest] for digest in digests])


def _digest_of(encoder: Encoder) -> str:
    """Return what tells an encoder from others: a hash of its weights and sizes, and what it reads before a text."""
    model = encoder.model
    told = [_FORMAT, encoder.prefix, encoder.max_length, model.layers, model.heads, model.epsilon]
    digest = hashlib.sha256(json.dumps(told).encode())
    for name, weights in sorted(model.weights.arrays.items()):
        digest.update(name.encode())
        digest.update(np.ascontiguousarray(weights).data)
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
