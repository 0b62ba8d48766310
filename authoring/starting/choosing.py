"""An even choice of starter prototypes: over structures and tables, none like another while there are others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ...data.prototypes.reader import Prototype
from ...data.sampler import STRUCTURES
from .slotting import PrototypeDraft

__all__ = ["Starter", "choose"]

_LEAST, _MOST = 30, 48
_ALIKE = 100.0  # above what any other reason costs
_FRAMES = {"filter", "count", "aggregate", "distinct", "all"}  # kinds of structures that are put around a condition


@dataclass(frozen=True)
class Starter:
    """A prototype to choose, and the sample that it was made of."""

    prototype: Prototype
    slotted: PrototypeDraft

    @property
    def family(self) -> str:
        """Return what its structure is a kind of."""
        return _family(self.slotted.structure)


def _family(structure: str) -> str:
    """Return the kind of a structure, the condition's where it has one.

    >>> _family("join2-having"), _family("count-join2-other")
    ('join2', 'if join2')
    """
    kind, _, rest = structure.partition("-")
    return f"if {rest.partition('-')[0]}" if rest and kind in _FRAMES else kind


_SIZES = Counter(map(_family, STRUCTURES))


@dataclass
class _Chosen:
    """What was chosen so far, and how often each structure, family and table is in it."""

    alike: set[frozenset[str]]
    starters: list[Starter] = field(default_factory=list[Starter])
    used: Counter[str] = field(default_factory=Counter[str])
    tables: Counter[str] = field(default_factory=Counter[str])

    def add(self, starter: Starter) -> None:
        self.starters.append(starter)
        self.used.update([f"structure {starter.slotted.structure}", f"family {starter.family}"])
        self.tables.update(starter.slotted.tables)

    def cost(self, starter: Starter) -> float:
        """Return how much of what this one is there is already."""
        used, of = self.used, starter.slotted
        table = sum(self.tables[name] for name in of.tables) / len(of.tables)
        share = table / max(1, self.tables.total()) * len(self.tables)  # 1: as often as the others
        family = used[f"family {starter.family}"] / _SIZES[starter.family]
        alike = _ALIKE if self._like_another(starter) else 0
        return 3 * used[f"structure {of.structure}"] + family + share + alike

    def _like_another(self, starter: Starter) -> bool:
        return any(frozenset({starter.prototype.id, other.prototype.id}) in self.alike for other in self.starters)


def choose(
    candidates: Sequence[Starter], *, alike: set[frozenset[str]], works: Callable[[Prototype], bool]
) -> list[Starter]:
    """Return at most 48 of the candidates, in their order.

    Args:
        candidates: to choose among.
        alike: ids of each two that are nearly the same; both are taken only where there would be few otherwise.
        works: can a prototype be filled? Asked only of those that are to be taken.
    """
    left, chosen = list(candidates), _Chosen(alike)
    while left and len(chosen.starters) < _MOST:
        best = min(left, key=chosen.cost)
        if len(chosen.starters) >= _LEAST and chosen.cost(best) >= _ALIKE:
            break
        left.remove(best)
        if works(best.prototype):
            chosen.add(best)
    return [c for c in candidates if c in chosen.starters]
