"""The steps of FROM: its sources, their names, and how they are joined."""

from __future__ import annotations

from collections.abc import Iterable

from .levels import OTHER, START, Column, Level, Scope, Source
from .sources import NEVER
from .steps import Name, Steps

__all__ = ["FromClause"]


class FromClause(Steps):
    """Words and phrases of FROM."""

    def _at_from(self, scope: Scope, name: Name, inside: bool) -> Scope:
        level = scope.level
        self.check("derived", not level.asked, f"the derived table must show {', '.join(sorted(level.asked))}")
        return self.payable(self.change(scope, clause="from", pending="source", term=OTHER), "FROM")

    def _at_joins_comma(self, scope: Scope, name: Name, inside: bool) -> Scope:
        self._single(scope.level)
        return self.payable(self.change(scope, pending="source", join="comma"), "a comma")

    def _at_join(self, scope: Scope, name: Name, inside: bool) -> Scope:
        kinds = {"natural", "full", "natural full"}
        return self._joining(scope, scope.level.join if scope.level.join in kinds else "join")

    def _at_natural(self, scope: Scope, name: Name, inside: bool) -> Scope:
        return self._joining(scope, "natural")

    def _at_full(self, scope: Scope, name: Name, inside: bool) -> Scope:
        return self._joining(scope, "natural full" if scope.level.join == "natural" else self._full)

    @property
    def _full(self) -> str:
        return "full" if "full join" in self.on else "join"

    def _joining(self, scope: Scope, join: str) -> Scope:
        self._single(scope.level)
        return self.payable(self.change(scope, pending="source", join=join), "the join")

    def _single(self, level: Level) -> None:
        lonely = level.derived and self.costs.named_only and bool(level.star)
        self.check("derived", not lonely, "a derived table with a star has one source: names must differ")
        self.check("column counts", not level.same, "behind a set operator a star stands for one table")

    def _at_open(self, scope: Scope, name: Name, inside: bool) -> Scope:
        level = scope.level
        self.check("column counts", not level.same, "behind a set operator a star stands for one table")
        self.check("common columns", level.join in {"", "comma", "join"}, "a derived table is joined ON a condition")
        promised = min((n for n in level.needs if n.name and not n.tables), default=None, key=lambda n: n.name)
        free = self.columns.free_aliases(level)
        self.check("unique", promised is not None or self.optional_alias or bool(free), "no alias is left")
        return self.payable(self.change(scope, pending="open", promised=promised), "(")

    def _at_table(self, scope: Scope, name: Name, inside: bool) -> Scope:
        same = scope.level.same
        self.check("column counts", not same or name.name == same, f"the star before the set operator is of {same}")
        if not any(name.name in need.tables for need in scope.level.needs):
            self.costs.joins.link(name.name, scope.level)
        found = self.change(scope, pending="table", written=Source("", name.name))
        if found.cost >= NEVER and found.level.join.startswith("natural"):
            self.costs.joins.placed(found.level)  # to say which column is in the way
        return self.payable(found, name.name)

    def _named(self, scope: Scope, name: str) -> Scope:
        """Give the pending source a name."""
        return self.payable(self.make(self.costs.joins.placed(scope.level, name), scope.outer), name)

    def _source_as(self, scope: Scope) -> Scope:
        level = scope.level
        if level.pending == "derived":
            free = level.promised is not None or bool(self.columns.free_aliases(level))
            self.check("unique", free, "no alias is left")
        return self.payable(self.change(scope, pending="name"), "AS") if level.pending == "table" else scope

    def _source(self, scope: Scope) -> Scope:
        level = scope.level
        if level.pending in {"table", "derived"}:
            return self._named(scope, "")
        return scope

    def _joined(self, scope: Scope) -> Scope:
        return self.change(scope, join="") if scope.level.join else scope

    def _at_on(self, scope: Scope, name: Name, inside: bool) -> Scope:
        self.check("full join", scope.level.join != "full", "FULL JOIN joins by USING")
        return self.change(scope, clause="on", join="")

    def _at_using(self, scope: Scope, name: Name, inside: bool) -> Scope:
        common = self.costs.joins.joinable(scope.level)
        self.check("common columns", bool(common), "the two sides have no column in common")
        return self.change(scope, clause="using", term=START)

    def _at_common_comma(self, scope: Scope, name: Name, inside: bool) -> Scope:
        level = scope.level
        more = self.costs.joins.joinable(level) - level.using
        self.check("common columns", bool(more), "the two sides have no other column in common")
        return scope

    def _at_common(self, scope: Scope, name: Name, inside: bool) -> Scope:
        level = scope.level
        able = name.name in self.costs.joins.joinable(level) and name.name not in level.using
        self.check("common columns", able, f"{name.name} is not once on both sides")
        return self.change(scope, using=level.using | {name.name})

    def _used(self, scope: Scope) -> Scope:
        level = self.costs.joins.merged(scope.level, scope.level.using)
        level = level._replace(clause="from", join="", using=frozenset(), term=OTHER)
        return self.payable(self.make(level, scope.outer), "the join")

    def _conditioned(self, scope: Scope) -> Scope:
        return self._used(scope) if scope.level.clause == "using" else self.change(scope, clause="from", join="")

    def _from(self, scope: Scope) -> Scope:
        level = scope.level
        names = ", ".join(sorted(n.name or next(iter(n.columns)) for n in level.needs))
        self.check("sources", not level.needs, f"{names} is not in FROM")
        starred = tuple(self.columns.starred(level))
        outputs = level.outputs if level.compound else (*level.outputs, *starred)
        own = (*level.own, *((o.name, o.column) for o in starred)) if self.columns.apart(level) else ()
        if level.derived and level.star and self.costs.named_only:
            names_ = [o.name for o in outputs]
            self.check("derived", len(set(names_)) == len(names_), "the derived table shows a name twice")
        hidden = self.columns.hidden_keys(level)  # they keep standing bare

        def known(columns: Iterable[Column]) -> frozenset[Column]:
            return frozenset(c if c[1] in hidden else self.columns.identity(level, c) for c in columns)

        items = tuple(item._replace(columns=known(item.columns)) for item in level.items)
        plain, alone = known(level.plain), known(level.alone)
        return self.change(scope, clause="closed", outputs=outputs, own=own, plain=plain, items=items, alone=alone)
