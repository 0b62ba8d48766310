"""Loads names on first use, so that ``import querent`` is fast and ``querent.grammar`` needs no torch."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import lazy_loader


def lazily(file: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return `__getattr__`, `__dir__` and `__all__` of a module, which load the names in its ``.pyi`` file."""
    homes: dict[str, list[str]] = {}
    for one in ast.parse(Path(file).with_suffix(".pyi").read_text("utf-8")).body:
        if isinstance(one, ast.ImportFrom) and one.module:
            homes.setdefault(one.module, []).extend(name.name for name in one.names)
    load, listed, names = lazy_loader.attach("querent", submod_attrs=homes)

    def found(name: str) -> Any:
        try:
            return load(name)
        except ModuleNotFoundError as error:
            refused: Any = load("InputError")
            packages: Any = sys.modules["querent.data.packages"]
            extra = "mcp" if error.name == "mcp" else "train"
            problem = f"{name} needs {error.name}, which is not installed"
            raise refused(problem, hint=packages.install_hint(extra)) from error

    return found, listed, names
