"""What a read of a database's catalogue raises costs what it tells of alone, and is said."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ParamSpec, TypeVar

__all__ = ["LeftOut"]

_Given = ParamSpec("_Given")
_Read = TypeVar("_Read")
_Else = TypeVar("_Else")


@dataclass
class LeftOut:
    """Collects what cannot be read.

    Attributes:
        say: returns what is wrong, in one line.
        told: as `Schema.left_out`.
    """

    say: Callable[[Exception], str] = str
    told: list[str] = field(default_factory=list[str])

    def tried(
        self, what: str, instead: _Else, read: Callable[_Given, _Read], *given: _Given.args, **named: _Given.kwargs
    ) -> _Read | _Else:
        """Return what a read gives, or ``instead``, where it raises anything: what it is about is told then."""
        try:
            return read(*given, **named)
        except Exception as error:  # drivers and dialects raise what they like at what they do not know
            self.told.append(f"{what}: {self.say(error) or type(error).__name__}")
            return instead
