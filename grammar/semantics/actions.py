"""What a finished phrase is worth: one rule of the grammar applied to the values of its parts.

`SemanticActions.reduce` is called where an LR parser reduces. It returns the value of the whole, or raises
`RuleViolation` with the rule that is broken; `SemanticActions.judged` returns the violation, too, where many phrases
are tried. A word that can only lead to refused phrases is never offered, because the shortest completions
(completion/) are made of the same reductions.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ..types.abstract_values import NULL, AbstractValue
from ..types.apply import RuleViolation
from .checks import Parts
from .expression_actions import TRUE, ExpressionActions
from .query_actions import ORDERED, TABLE, QueryActions
from .rules import TYPED

__all__ = ["ORDERED", "TABLE", "TRUE", "RuleViolation", "SemanticActions"]


@dataclass
class SemanticActions(QueryActions, ExpressionActions):
    """The reductions of one grammar under the rules that are ``on``.

    ``typed`` if not everything compares with everything, or counts as a condition.
    """

    known: dict[tuple[int, tuple[Any, ...]], Any] = field(default_factory=dict[tuple[int, tuple[Any, ...]], Any])

    def __post_init__(self) -> None:
        super().__post_init__()
        self.typed = self.types.strict or not TYPED.isdisjoint(self.on)
        self._bodies = self.tables.bodies
        self._refusals: dict[tuple[str, str], RuleViolation] = {}
        self._heads = [getattr(self, "_" + head.strip("_$"), _nothing) for head in self.tables.heads]

    def judged(self, rule: int, values: tuple[Any, ...]) -> Any:
        """Return the value of a rule's head, or the `RuleViolation` of a phrase that breaks a rule."""
        key = (rule, values)
        found = self.known.get(key, self)
        if found is self:
            try:
                found = self._heads[rule](list(zip(self._bodies[rule], values, strict=True)))
            except RuleViolation as refused:  # one of each sort is kept, without the frames that it came through
                found = self._refusals.setdefault((refused.rule, refused.problem), refused.with_traceback(None))
            self.known[key] = found
        return found

    def reduce(self, rule: int, values: tuple[Any, ...]) -> Any:
        """Return the value of a rule's head.

        Raises:
            RuleViolation: the phrase breaks a rule.
        """
        found = self.judged(rule, values)
        if isinstance(found, RuleViolation):
            raise RuleViolation(found.rule, found.problem)
        return found

    def reduce_cast(self, word: str) -> AbstractValue:
        """Return what NULL is after a cast to the type called ``word``."""
        return self.calls.cast((word, None), NULL)

    def reduce_call(self, name: str) -> AbstractValue:
        """Return the value of a function without brackets."""
        return self.calls.call([("NILADIC", name)])


def _nothing(parts: Parts) -> None:
    return None
