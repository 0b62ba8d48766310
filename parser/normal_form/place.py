"""Where in a query its next word stands, as far as joins care: the sources so far, and whether an ON is due."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from .keys import Use

__all__ = ["FormPosition"]

Stage = Literal["", "crossed", "cast", "join", "source"]
"""What was written last: CROSS or NATURAL, CAST, a JOIN that takes an ON, a table or its later use, or else."""

_CROSSED = frozenset({"CROSS", "NATURAL"})
_SIDES = frozenset({"LEFT", "RIGHT", "FULL", "OUTER", "INNER"})


@dataclass(frozen=True)
class Level:
    """What stands open since a bracket: its sources so far, and whether it is CAST's."""

    sources: tuple[Use, ...] = ()
    cast: bool = False


@dataclass(frozen=True)
class FormPosition:
    """A place behind some words; never changes.

    Attributes:
        levels: the query, and what stands open in it.
        stage: what was written last.
        joining: the last source is behind a JOIN that takes an ON.
    """

    levels: tuple[Level, ...] = (Level(),)
    stage: Stage = ""
    joining: bool = False

    @property
    def open(self) -> bool:
        """Say whether ON may come next, or is implied."""
        return self.joining and self.stage == "source"

    @property
    def sources(self) -> tuple[Use, ...]:
        """Return the sources of the innermost SELECT, in order."""
        return self.levels[-1].sources

    @property
    def settled(self) -> FormPosition:
        """Return the place behind an ON that is implied."""
        return FormPosition(self.levels)

    def after(self, text: str, table: str | None) -> FormPosition:
        """Return the place behind one more word; ``table`` is what a word stands for that is a use of a table."""
        if table is not None:
            return FormPosition(self._with(*self.sources, Use(text, table)), "source", self.stage == "join")
        return FormPosition(self._levels(text), self._stage(text))

    def _levels(self, text: str) -> tuple[Level, ...]:
        match text:
            case "(":
                return (*self.levels, Level(cast=self.stage == "cast"))
            case ")":
                return self.levels[:-1] or (Level(),)  # without the constraint a bracket may close that none opened
            case "SELECT":
                return self._with()
            case _:
                return self.levels

    def _stage(self, text: str) -> Stage:
        if text == "JOIN":
            return "" if self.stage == "crossed" else "join"
        if text in _CROSSED or (text in _SIDES and self.stage == "crossed"):
            return "crossed"
        return "cast" if text == "CAST" else ""

    def _with(self, *sources: Use) -> tuple[Level, ...]:
        return (*self.levels[:-1], replace(self.levels[-1], sources=sources))
