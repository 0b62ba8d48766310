"""What ON must say first where keys join: ``ON c.state_id = s.id``, then nothing or AND."""

from __future__ import annotations

from typing import NamedTuple

from ..names import OTHER, Column

__all__ = ["Equation", "KeyCondition"]

Equation = tuple[frozenset[Column], ...]
"""The pairs of columns that a key makes equal, one for each of its columns; ``(a, b)`` may be written as ``(b, a)``."""


class KeyCondition(NamedTuple):
    """An ON as far as it is written: in the examples as far as ``|``.

    Attributes:
        place: ``ON |`` left, ``ON c.state_id |`` equals, ``ON c.state_id = |`` right, ``ON c.state_id = s.id |`` and,
            ``ON c.state_id = s.id AND |`` more, or left once more where the key has another column.
        equations: what is still to be written of each key that may be meant; empty once a key is written.
        left: ``ON c.state_id = |``: c.state_id.
    """

    place: str = "left"
    equations: frozenset[Equation] = frozenset()
    left: Column = OTHER

    @property
    def written(self) -> bool:
        """Say whether the ON may end, as far as keys go."""
        return self.place in {"and", "more"} and not self.equations

    def after(self, place: str, column: Column) -> KeyCondition | None:
        """Return what is so behind a word at a `positions` place, a ``column`` perhaps; None if it may not come."""
        match self.place, place:
            case "left", "column":
                able = frozenset(e for e in self.equations if column in e[0])
                return KeyCondition("equals", able, column) if able else None
            case "equals", "equals":
                return self._replace(place="right")
            case "right", "column":
                able = frozenset(e[1:] for e in self.equations if frozenset({self.left, column}) == e[0])
                return KeyCondition("and", frozenset() if () in able else able) if able else None
            case "and", "and":
                return KeyCondition("left" if self.equations else "more", self.equations)
            case "more", _:
                return None if place == "beside on" else self
            case _:
                return None

    def words(self, pair: int) -> int:
        """Return the words that are owed beyond a condition of one word, ``pair`` for each pair of columns."""
        pairs = min(map(len, self.equations), default=0)
        match self.place:
            case "left":
                return pair * pairs - 2
            case "equals":
                return pair * (pairs - 1) + 2
            case "right":
                return pair * (pairs - 1)
            case _:
                return pair * pairs
