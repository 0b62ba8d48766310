"""The networks that ship with Querent, one a language, trained by ``bench/base.py``."""

from __future__ import annotations

from pathlib import Path

__all__ = ["LANGUAGES", "base_folder"]

LANGUAGES = ("en",)


def base_folder(language: str) -> Path:
    """Return the folder of the network for questions in one of `LANGUAGES`."""
    return Path(__file__).parent / language
