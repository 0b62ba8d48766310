"""A part of a file of questions, so that several machines can share one file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

from ...data.errors import InputError

__all__ = ["Shard"]

Item = TypeVar("Item")
_HINT = "write 3/8 for the third of eight parts"


@dataclass(frozen=True)
class Shard:
    """One of so many parts of a file, each a run of neighbours; one behind the other they are the file again.

    Attributes:
        number: counted from 1.
        count: parts of the whole.

    Raises:
        InputError: there is no such part.
    """

    number: int
    count: int

    def __post_init__(self) -> None:
        if not 1 <= self.number <= self.count:
            raise InputError(f"no part {self.number} of {self.count}", field="shard", hint=_HINT)

    @classmethod
    def read(cls, text: str) -> Shard:
        """Read ``3/8``.

        Raises:
            InputError: it is written otherwise, or there is no such part.
        """
        found = re.fullmatch(r"\s*(\d{1,9})\s*/\s*(\d{1,9})\s*", text, re.ASCII)
        if found is None:
            raise InputError(f"{text!r} is no part of a file", field="shard", hint=_HINT)
        return cls(int(found[1]), int(found[2]))

    def place(self, total: int) -> range:
        """Return which of ``total`` items are in it; the sizes of two parts differ by one at most."""
        return range(total * (self.number - 1) // self.count, total * self.number // self.count)

    def of(self, items: Iterable[Item], total: int) -> Iterator[Item]:
        """Yield those of ``total`` items that are in it."""
        place = self.place(total)
        return islice(items, place.start, place.stop)
