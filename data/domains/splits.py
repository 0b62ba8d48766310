"""Which part an example belongs to: train, dev or test.

The **question split** parts questions, so a query pattern may be on both sides; the **query split**
parts query patterns, so that every test query is new (Finegan-Dollak et al. 2018, «Improving
Text-to-SQL Evaluation Methodology»).
"""

from __future__ import annotations

import hashlib
from typing import Literal

from ..errors import DomainError, did_you_mean

__all__ = ["PARTS", "SPLITS", "Part", "Split", "as_part", "as_split", "fold_part", "hashed_part"]

Part = Literal["train", "dev", "test"]
Split = Literal["question", "query"]

PARTS: tuple[Part, ...] = ("train", "dev", "test")
SPLITS: tuple[Split, ...] = ("question", "query")


def hashed_part(key: str) -> Part:
    """Return the part of ``key``: 80 % train, 10 % dev, 10 % test, the same on every machine."""
    share = int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "big") / 2**64
    return "train" if share < 0.8 else "dev" if share < 0.9 else "test"


def fold_part(fold: str) -> Part:
    """Return the part of a cross-validation fold: 0 is test, 1 is dev, the others are train."""
    return "test" if fold == "0" else "dev" if fold == "1" else "train"


def as_part(name: str, *, field: str = "part") -> Part:
    """Return ``name`` if it names a part.

    Raises:
        DomainError: it does not.
    """
    for part in PARTS:
        if part == name:
            return part
    hint = did_you_mean(name, PARTS) or f"use one of {', '.join(PARTS)}"
    raise DomainError(f"no part {name!r}", field=field, hint=hint)


def as_split(name: str) -> Split:
    """Return ``name`` if it names a split.

    Raises:
        DomainError: it does not.
    """
    for split in SPLITS:
        if split == name:
            return split
    hint = did_you_mean(name, SPLITS) or f"use one of {', '.join(SPLITS)}"
    raise DomainError(f"no split {name!r}", field="split", hint=hint)
