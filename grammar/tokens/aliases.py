"""The names that a query makes up, for its sources and outputs: which slot each is, and where one may be written."""

from __future__ import annotations

from .boundaries import Boundaries, Boundary
from .reading import MAX_NAME, TextReading
from .spelling.inventory import Inventory
from .spelling.words import Spelling

__all__ = ["Aliases"]


class Aliases:
    """The names for the slots of an inventory.

    Args:
        cased: whether the case of letters tells names apart.
    """

    def __init__(self, inventory: Inventory, spelling: Spelling, boundaries: Boundaries, *, cased: bool) -> None:
        self._inventory = inventory
        self._spelling = spelling
        self._boundaries = boundaries
        self._cased = cased
        self._needless = {self.key(name) for name in inventory.aliases}
        self._begun: dict[str, list[str]] = {}

    def key(self, name: str) -> str:
        """Return what makes two names one."""
        return name if self._cased else name.lower()

    def usable(self, reading: TextReading) -> list[str]:
        """Return the names that may be written where a reading stands: those in use, and such as need no AS."""
        return self._usable(reading, b"")

    def _usable(self, reading: TextReading, begun: bytes) -> list[str]:
        """Return those of the usable names that begin so."""
        here, names, start = self._boundaries.at(reading.state), reading.names, self.key(begun.decode())
        found = [
            name
            for slot, name in enumerate(names)
            if self.key(name).startswith(start) and self._able(reading, here, slot)
        ]
        known = {name.lower() for name in names}
        fresh = [n for n in self._beginning(start) if n.lower() not in known]
        room = len(names) < len(self._spelling.slots)
        return found + fresh if fresh and room and self._able(reading, here, len(names)) else found

    def _beginning(self, start: str) -> list[str]:
        """Return the names that need no AS and begin so."""
        found = self._begun.get(start)
        if found is None:
            found = [name for name in self._inventory.aliases if self.key(name).startswith(start)]
            if found or len(start) <= 1:  # others are begun by names that are made up, of which there is no end
                self._begun[start] = found
        return found

    def _able(self, reading: TextReading, here: Boundary, slot: int) -> bool:
        """Say whether a slot's name may come: alone, before a point, or behind the one of its owner."""
        if reading.owner >= 0:
            return here.takes(self._spelling.shown[reading.owner][slot])
        if here.takes(self._spelling.slots[slot]) or here.takes(self._spelling.bare[slot]):
            return True
        return not reading.free and here.leads(self._spelling.columns[slot])

    def any_name(self, reading: TextReading) -> bool:
        """Say whether any new name may be an alias where a reading stands behind AS."""
        new, slots = len(reading.names), self._spelling.slots
        return reading.free and new < len(slots) and self._boundaries.at(reading.state).takes(slots[new])

    def begins(self, reading: TextReading) -> bool:
        """Say whether what is written may become a name for an alias."""
        if len(reading.text) <= MAX_NAME and self.any_name(reading):
            return True
        return bool(self._usable(reading, reading.text))

    def slot(self, reading: TextReading) -> tuple[int, tuple[str, ...]]:
        """Return the slot of a name and what the slots are called then; -1 if it is none."""
        text, names = reading.text.decode(), reading.names
        known = [self.key(name) for name in names]
        if self.key(text) in known:
            return known.index(self.key(text)), names
        fresh = text.lower() not in self._inventory.taken if reading.free else self.key(text) in self._needless
        alike = text.lower() in {name.lower() for name in names}
        able = fresh and not alike and len(names) < len(self._spelling.slots)
        return (len(names), (*names, text)) if able else (-1, names)
