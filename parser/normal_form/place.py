"""Where in a query its next word stands, as far as joins care: the sources so far, and whether an ON is due."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

from .keys import Use

__all__ = ["FormPosition"]

Stage = Literal["", "crossed", "cast", "from", "join", "source", "derived", "joined"]
"""What was written last: CROSS or NATURAL, CAST, what any source may follow, a JOIN that takes an ON, a source, a
derived table that has no name yet, one behind such a JOIN, or else."""

_CROSSED = frozenset({"CROSS", "NATURAL"})
_SIDES = frozenset({"LEFT", "RIGHT", "FULL", "OUTER", "INNER"})


@dataclass(frozen=True)
class Level:
    """What stands open since a bracket.

    Attributes:
        sources: of its SELECT, so far.
        cast: it is CAST's.
        derived: it is a derived table's, behind a JOIN that takes an ON if `joined`.
        outputs: names that a derived table has given so far to what it shows; None once it has a FROM, and of others.
    """

    sources: tuple[Use, ...] = ()
    cast: bool = False
    derived: bool = False
    joined: bool = False
    outputs: frozenset[str] | None = None


@dataclass(frozen=True)
class FormPosition:
    """A place behind some words; never changes.

    Attributes:
        levels: the query, and what stands open in it.
        stage: what was written last.
        joining: the last source is behind a JOIN that takes an ON.
        naming: AS was written last.
    """

    levels: tuple[Level, ...] = (Level(),)
    stage: Stage = ""
    joining: bool = False
    naming: bool = False

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

    def after(self, text: str, table: str | None, named: Literal["", "output", "derived"] = "") -> FormPosition:
        """Return the place behind one more word.

        Args:
            table: what a word stands for that is a use of a table.
            named: it is the name of what a derived table shows, or of one.
        """
        if table is not None:
            return FormPosition(self._with(sources=(*self.sources, Use(text, table))), "source", self.stage == "join")
        if named == "output":
            return FormPosition(self._with(outputs=(self.levels[-1].outputs or frozenset()) | {text}))
        if named:
            return FormPosition(self._with(sources=(*self.sources, Use(text, ""))), "source", self.stage == "joined")
        return FormPosition(self._levels(text), self._stage(text), naming=text == "AS")

    def _levels(self, text: str) -> tuple[Level, ...]:
        match text:
            case "(":
                derived = self.stage in {"from", "join"}
                opened = Level(
                    (), self.stage == "cast", derived, self.stage == "join", frozenset() if derived else None
                )
                return (*self.levels, opened)
            case ")":
                return self.levels[:-1] or (Level(),)  # without the constraint a bracket may close that none opened
            case "SELECT":
                return self._with(sources=())
            case "FROM":
                return self._with(outputs=None)
            case _:
                return self.levels

    def _stage(self, text: str) -> Stage:
        if text == "FROM" or (text == "," and self.stage == "source"):
            return "from"
        if text == "JOIN":
            return "from" if self.stage == "crossed" else "join"
        if text in _CROSSED or (text in _SIDES and self.stage == "crossed"):
            return "crossed"
        if text == ")" and self.levels[-1].derived:
            return "joined" if self.levels[-1].joined else "derived"
        return "cast" if text == "CAST" else self.stage if text == "AS" else ""

    def _with(self, **changed: Any) -> tuple[Level, ...]:
        return (*self.levels[:-1], replace(self.levels[-1], **changed))
