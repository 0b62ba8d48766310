"""The networks that ship with Querent, one a language, trained by ``bench/accuracy/base.py``."""

from __future__ import annotations

from pathlib import Path

__all__ = ["base_folder"]


def base_folder(language: str) -> Path:
    """Return the folder of the network for questions in one of `data.languages.LANGUAGES`."""
    return Path(__file__).parent / language
