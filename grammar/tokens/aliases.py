"""The names that a query makes up, for its sources and outputs: which slot each is, and where one may be written."""

from __future__ import annotations

from .boundaries import Boundaries, Boundary
from .inventory import Inventory
from .reading import MOST_NAME, Reading
from .spelling import Spelling

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

    def key(self, name: str) -> str:
        """Return what makes two names one."""
        return name if self._cased else name.lower()

    def usable(self, reading: Reading) -> list[str]:
        """Return the names that may be written where a reading stands: those in use, and such as need no AS."""
        here, names = self._boundaries.at(reading.state), reading.names
        able = [self._able(reading, here, slot) for slot in range(min(len(names) + 1, len(here.slots)))]
        found = [name for name, use in zip(names, able, strict=False) if use]
        if len(able) > len(names) and able[-1]:
            known = {name.lower() for name in names}
            found += [name for name in self._inventory.aliases if name.lower() not in known]
        return found

    def _able(self, reading: Reading, here: Boundary, slot: int) -> bool:
        """Say whether a slot's name may come: alone, before a point, or behind the one of its owner."""
        if reading.owner >= 0:
            return bool(here.words[self._spelling.shown[reading.owner][slot]])
        alone, owner = here.slots[slot]
        return alone or (owner and not reading.free)

    def any_name(self, reading: Reading) -> bool:
        """Say whether any new name may be an alias where a reading stands behind AS."""
        slots, new = self._boundaries.at(reading.state).slots, len(reading.names)
        return reading.free and new < len(slots) and slots[new][0]

    def begins(self, reading: Reading) -> bool:
        """Say whether what is written may become a name for an alias."""
        if len(reading.text) <= MOST_NAME and self.any_name(reading):
            return True
        text = self.key(reading.text.decode())
        return any(self.key(name).startswith(text) for name in self.usable(reading))

    def slot(self, reading: Reading) -> tuple[int, tuple[str, ...]]:
        """Return the slot of a name and what the slots are called then; -1 if it is none."""
        text, names = reading.text.decode(), reading.names
        known = [self.key(name) for name in names]
        if self.key(text) in known:
            return known.index(self.key(text)), names
        fresh = text.lower() not in self._inventory.taken if reading.free else self.key(text) in self._needless
        alike = text.lower() in {name.lower() for name in names}
        able = fresh and not alike and len(names) < len(self._spelling.slots)
        return (len(names), (*names, text)) if able else (-1, names)
