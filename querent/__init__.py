"""Querent: questions about one database into SQL that always parses and always runs."""

from __future__ import annotations

from pathlib import Path

_checkout = Path(__file__).resolve().parent.parent
if (_checkout / "grammar" / "__init__.py").is_file() and (_checkout / "pyproject.toml").is_file():
    # Running from a clone that is not installed: the rooms lie beside this folder.
    __path__.append(str(_checkout))

__version__ = "0.1.0"
