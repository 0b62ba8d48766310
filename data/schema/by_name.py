"""Tables and columns by their names, whose case matters only where two differ in it alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Generic, Protocol, TypeVar

__all__ = ["ByName"]


class _HasName(Protocol):
    @property
    def name(self) -> str: ...


_Named = TypeVar("_Named", bound=_HasName)


class ByName(Generic[_Named]):
    """Looks names up, however many there are, in the same time."""

    def __init__(self, among: Iterable[_Named]) -> None:
        self._alike: dict[str, list[_Named]] = {}
        for one in among:
            self._alike.setdefault(one.name.lower(), []).append(one)

    def alike(self, name: str) -> Sequence[_Named]:
        """Return all that are called so but for case, in their order."""
        return self._alike.get(name.lower(), ())

    @property
    def names(self) -> list[str]:
        """Return all names."""
        return [one.name for several in self._alike.values() for one in several]

    def get(self, name: str) -> _Named | None:
        """Return what is called so; what differs in case is meant only where nothing is called so to the letter."""
        alike = self.alike(name)
        return next((one for one in alike if one.name == name), alike[0] if alike else None)
