"""What a read of a database's catalogue raises costs what it tells of alone, and is said."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

__all__ = ["LeftOut"]

_Read = TypeVar("_Read")
_Key = TypeVar("_Key")
_One = TypeVar("_One")


@dataclass
class LeftOut:
    """Collects what cannot be read in ``told``, as `Schema.left_out`; ``say`` returns what is wrong, in one line."""

    say: Callable[[Exception], str] = str
    told: list[str] = field(default_factory=list[str])

    def tried(self, what: str, instead: _Read, read: Callable[..., _Read], *given: object) -> _Read:
        """Return what a read gives, or ``instead``, where it raises anything: what it is about is told then."""
        try:
            return read(*given)
        except Exception as error:  # drivers and dialects raise what they like at what they do not know
            self.told.append(f"{what}: {self.say(error) or type(error).__name__}")
            return instead

    def tried_at_once(
        self, what: Mapping[_One, str], read: Callable[[list[_One]], Mapping[_Key, _Read]]
    ) -> dict[_Key, _Read]:
        """Return what one read gives of several things; where it raises anything, what a read of each gives.

        Args:
            what: the things, each with what is told of it.
        """
        try:
            return {**read([*what])} if what else {}
        except Exception:  # of which of them, the single reads tell
            return {key: got for one, told in what.items() for key, got in self.tried(told, {}, read, [one]).items()}
