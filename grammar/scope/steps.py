"""What every step of the scope does: it makes the next scope, or refuses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..time_limit import check_time
from ..types.violation import Rules, RuleViolation
from .names import RequiredSource, with_need
from .obligations import Obligations
from .resolver import Resolver
from .select_scope import Scope, SelectScope
from .sources.from_cost import NEVER

__all__ = ["Steps"]


@dataclass
class Steps(Rules):
    """The steps under the rules that are ``on``.

    Attributes:
        reworked: the numbers of the words that are so to the engine.
        titles: the names that words give to outputs without one, by the words' numbers; empty for a column's within.
        positioned: whether it is the wide form of the grammar, where whole numbers stand for items of the select list.
        root: the scope of the empty query.
    """

    resolver: Resolver
    obligations: Obligations
    on: frozenset[str]
    reworked: frozenset[int] = frozenset()
    titles: Mapping[int, str] = field(default_factory=dict[int, str])
    positioned: bool = False
    root: Scope = field(init=False)

    def __post_init__(self) -> None:
        self.quirks = self.resolver.quirks
        self._owed = self.obligations.of  # one for all scopes
        self.root = Scope(SelectScope(), None, self._owed)

    def make(self, select: SelectScope, outer: Scope | None) -> Scope:
        """Return the scope of a SELECT within others."""
        known = (outer or self.root).inner
        found = known.get(select)
        if found is None:
            check_time()
            found = known[select] = Scope(select, outer, self._owed)
        return found

    def change(self, scope: Scope, **fields: Any) -> Scope:
        """Return the scope with other fields of the innermost SELECT."""
        return self.make(scope.select._replace(**fields), scope.outer)

    @property
    def unwritten(self) -> tuple[int, ...] | None:
        """Return the words of an item that begins, where they are kept."""
        return () if "grouping" in self.on else None

    def payable(self, scope: Scope, what: str) -> Scope:
        """Return a scope after ``what`` was written, or refuse it if nothing could pay what is owed then."""
        if (scope.select.aggregated or scope.select.grouped) and scope.cost >= NEVER:
            self.nameable(scope.select)
        if scope.cost >= NEVER:
            widest = self.resolver.types.widest
            self.check(
                "width", self.obligations.widths.fits(scope.select), f"{what} could show more than {widest} columns"
            )
        most = self.obligations.sources.most
        which = f"FROM of {most} sources" if most < NEVER else "FROM"
        self.check("sources", scope.cost < NEVER, f"no {which} could hold what {what} needs")
        return scope

    def nameable(self, select: SelectScope) -> None:
        """Refuse if GROUP BY must name a column and cannot: ``SELECT MAX(a) AS b, b FROM t``."""
        hidden = self.resolver.hidden_keys(select)
        self.check("grouping", not hidden, f"GROUP BY takes {', '.join(sorted(hidden))} for an output column")
        inner = self.resolver.unmatched(select)
        self.check("grouping", not inner, f"a subquery names {', '.join(sorted(inner))} of a derived table")
        alike = self.resolver.alike(select)
        self.check("ambiguous", not alike, f"several keys and an output are called {', '.join(sorted(alike))}")

    def need(self, scope: Scope, need: RequiredSource) -> Scope:
        """Return the scope whose FROM owes one thing more: ``SELECT t.a, t.b``, where no table has both, is refused."""
        select = scope.select
        in_two_ways = self.resolver.catalogue.in_two_ways(select.needs, need)
        self.check("unique", not in_two_ways, f"{need.name} is written in two ways")
        needs = with_need(select.needs, need)
        if needs is None:
            raise RuleViolation("sources", f"no table called {need.name} has these columns")
        return self.change(scope, needs=needs)
