"""What a finished phrase is worth: one rule of the grammar applied to the values of its parts.

`Phrases.reduce` is called where an LR parser reduces. It returns the value of the whole, or raises `Refused` with
the rule that is broken; `Phrases.judged` returns the `Refused`, too, where many phrases are tried. A word that can only
lead to refused phrases is never offered, because the shortest completions (completion.py) are made of the same
reductions.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .calls import Refused
from .expressions import TRUE, Expressions
from .phrase_checks import Parts
from .query_phrases import ORDERED, TABLE, QueryPhrases
from .rules import TYPED
from .values import NULL, Value

__all__ = ["ORDERED", "TABLE", "TRUE", "Phrases", "Refused"]


@dataclass
class Phrases(QueryPhrases, Expressions):
    """The reductions of one grammar under the rules that are ``on``.

    ``typed`` if not everything compares with everything, or counts as a condition.
    """

    known: dict[tuple[int, tuple[Any, ...]], Any] = field(default_factory=dict[tuple[int, tuple[Any, ...]], Any])

    def __post_init__(self) -> None:
        super().__post_init__()
        self.typed = self.types.strict or not TYPED.isdisjoint(self.on)
        self._bodies = self.tables.bodies
        self._refusals: dict[tuple[str, str], Refused] = {}
        self._heads = [getattr(self, "_" + head.strip("_$"), _nothing) for head in self.tables.heads]

    def judged(self, rule: int, values: tuple[Any, ...]) -> Any:
        """Return the value of a rule's head, or the `Refused` of a phrase that breaks a rule."""
        key = (rule, values)
        found = self.known.get(key, self)
        if found is self:
            try:
                found = self._heads[rule](list(zip(self._bodies[rule], values, strict=True)))
            except Refused as refused:  # one of each sort is kept, without the frames that it came through
                found = self._refusals.setdefault((refused.rule, refused.problem), refused.with_traceback(None))
            self.known[key] = found
        return found

    def reduce(self, rule: int, values: tuple[Any, ...]) -> Any:
        """Return the value of a rule's head.

        Raises:
            Refused: the phrase breaks a rule.
        """
        found = self.judged(rule, values)
        if isinstance(found, Refused):
            raise Refused(found.rule, found.problem)
        return found

    def reduce_cast(self, word: str) -> Value:
        """Return what NULL is after a cast to the type called ``word``."""
        return self.calls.cast((word, None), NULL)

    def reduce_call(self, name: str) -> Value:
        """Return the value of a function without brackets."""
        return self.calls.call([("NILADIC", name)])


def _nothing(parts: Parts) -> None:
    return None
