"""The network that ships with Querent, for English and Chinese, trained by ``bench/accuracy/base.py``."""

from __future__ import annotations

from pathlib import Path

__all__ = ["SHIPPED", "base_folder"]

SHIPPED = "shipped"
"""What it is called where a parser is asked for."""


def base_folder() -> Path:
    """Return its folder."""
    return Path(__file__).parent / SHIPPED
