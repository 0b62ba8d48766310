"""What a read of a database's catalogue raises costs what it tells of alone, and is said."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

__all__ = ["LeftOut"]

_Read = TypeVar("_Read")


@dataclass
class LeftOut:
    """Collects what cannot be read in ``told``, as `Schema.left_out`; ``say`` returns what is wrong, in one line."""

    say: Callable[[Exception], str] = str
    told: list[str] = field(default_factory=list[str])

    def tried(self, what: str, instead: _Read, read: Callable[..., _Read], *given: Any) -> _Read:
        """Return what a read gives, or ``instead``, where it raises anything: what it is about is told then."""
        try:
            return read(*given)
        except Exception as error:  # drivers and dialects raise what they like at what they do not know
            self.told.append(f"{what}: {self.say(error) or type(error).__name__}")
            return instead
