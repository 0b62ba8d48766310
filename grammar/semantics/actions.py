"""The semantic actions of the grammar: a production applied to the values of its body.

`SemanticActions.reduce` is called where an LR parser reduces: of ``a > 'x'`` it is given the values of a, > and 'x'. It
returns the value of the head, or raises `RuleViolation`; `SemanticActions.judged` returns the violation, where many
reductions are tried. A word that can only lead to refused reductions is never offered, because the shortest
completions are made of the same reductions.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ..types.violation import RuleViolation
from .checks import Parts
from .clause_actions import ORDERED, TABLE, ClauseActions
from .condition_actions import TRUE, ConditionActions
from .expression_actions import ExpressionActions
from .query_actions import QueryActions
from .rules import TYPED
from .window_actions import WindowActions

__all__ = ["ORDERED", "TABLE", "TRUE", "SemanticActions"]


@dataclass
class SemanticActions(QueryActions, ClauseActions, ConditionActions, ExpressionActions, WindowActions):
    """The reductions of one grammar under the rules that are ``on``.

    Attributes:
        memo: what reductions have given, by production and values.
        typed: whether not everything compares with everything, or counts as a condition.
    """

    memo: dict[tuple[int, tuple[Any, ...]], Any] = field(default_factory=dict[tuple[int, tuple[Any, ...]], Any])

    def __post_init__(self) -> None:
        super().__post_init__()
        self.typed = self.types.strict or not TYPED.isdisjoint(self.on)
        self._bodies = self.tables.bodies
        self._refusals: dict[tuple[str, str], RuleViolation] = {}
        self._heads = [getattr(self, "_" + head.strip("_$"), _nothing) for head in self.tables.heads]

    def judged(self, production: int, values: tuple[Any, ...]) -> Any:
        """Return the value of a production's head, or the `RuleViolation`."""
        key = (production, values)
        found = self.memo.get(key, self)
        if found is self:
            try:
                found = self._heads[production](list(zip(self._bodies[production], values, strict=True)))
            except RuleViolation as refused:  # one of each sort is kept, without the frames that it came through
                found = self._refusals.setdefault((refused.rule, refused.problem), refused.with_traceback(None))
            self.memo[key] = found
        return found

    def reduce(self, production: int, values: tuple[Any, ...]) -> Any:
        """Return the value of a production's head.

        Raises:
            RuleViolation: a rule is broken.
        """
        found = self.judged(production, values)
        if isinstance(found, RuleViolation):
            raise RuleViolation(found.rule, found.problem)
        return found


def _nothing(parts: Parts) -> None:
    return None
