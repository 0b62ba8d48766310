"""The networks that ship with Querent, for English and Chinese, trained by ``bench/accuracy/base.py``.

Beside the reader and its decoder the span finder (``bench/accuracy/span_finder.py``).
"""

from __future__ import annotations

from pathlib import Path

__all__ = ["SHIPPED", "base_folder", "spans_file"]

SHIPPED = "shipped"
"""What it is called where a parser is asked for."""


def base_folder() -> Path:
    """Return its folder."""
    return Path(__file__).parent / SHIPPED


def spans_file() -> Path:
    """Return the weights of the span finder."""
    return Path(__file__).parent / "spans.safetensors"
