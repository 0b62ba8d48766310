"""The functions of each dialect, from functions.toml."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

__all__ = ["AGGREGATES", "WINDOWED", "FunctionSpec", "load_functions"]

AGGREGATES = frozenset({"COUNT", "AGG", "AGG2", "SPREAD", "JOIN_TEXT"})
"""The classes of functions that make one value of many rows."""

WINDOWED = frozenset({"RANKING", "NUMBERING", "TILED", "SHIFTED", "VALUED", "NTH", "OVER_COUNT", "OVER_AGG"})
"""The classes of functions that OVER stands behind."""


@dataclass(frozen=True)
class FunctionSpec:
    """A function's name in upper case and its class, which is its terminal in the grammar.

    ``windowed`` is its class where OVER stands behind it, empty if that is no other or never does.
    """

    name: str
    terminal: str
    windowed: str = ""

    @property
    def terminals(self) -> tuple[str, ...]:
        """Return its classes."""
        return (self.terminal, self.windowed) if self.windowed else (self.terminal,)

    @property
    def takes_parentheses(self) -> bool:
        """Say whether ``(`` follows its name."""
        return self.terminal != "NILADIC"


@lru_cache
def load_functions(dialect: str, *, wide: bool = False) -> Mapping[str, FunctionSpec]:
    """Return the functions of a dialect by name, with those of the wide form if ``wide``."""
    data = tomllib.loads((resources.files(__package__ or __name__) / "functions.toml").read_text("utf-8"))
    more = {**data["wide"].get("core", {}), **data["wide"].get(dialect, {})} if wide else {}
    classes: dict[str, str] = {**data["core"], **data.get(dialect, {}), **more}
    return {name: FunctionSpec(name, *found.split()) for name, found in sorted(classes.items()) if found}
