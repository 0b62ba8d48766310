"""Which part an example belongs to: train, dev or test.

The **question split** parts questions, so a query pattern may be on both sides; the **query split**
parts query patterns, so that every test query is new (Finegan-Dollak et al. 2018, «Improving
Text-to-SQL Evaluation Methodology»).
"""

from __future__ import annotations

import hashlib
from typing import Literal

__all__ = ["PARTS", "SPLITS", "Part", "fold_part", "hashed_part"]

Part = Literal["train", "dev", "test"]

PARTS: tuple[Part, ...] = ("train", "dev", "test")
SPLITS = ("question", "query")


def hashed_part(key: str) -> Part:
    """Return the part of ``key``: 80 % train, 10 % dev, 10 % test, the same on every machine."""
    share = int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "big") / 2**64
    return "train" if share < 0.8 else "dev" if share < 0.9 else "test"


def fold_part(fold: str) -> Part:
    """Return the part of a cross-validation fold: 0 is test, 1 is dev, the others are train."""
    return "test" if fold == "0" else "dev" if fold == "1" else "train"
