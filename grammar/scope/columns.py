"""Which columns and output names a query may use where it stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..values import AGGREGATE
from .levels import OTHER, START, Level, Need, Output, Scope, Source
from .shown import Shown, times

if TYPE_CHECKING:
    from .steps import Name, Steps

__all__ = ["Columns"]


@dataclass(frozen=True)
class Columns(Shown):
    """The columns that can be written, and the steps after them and after output names."""

    def writable(self, level: Level) -> bool:
        """Say whether some column of the level's sources can be written as a key."""
        if any(
            self._writable(s, column, tables) and self.groupable(level, (s.name, column))
            for s in level.sources
            for column, tables in self.owned.get(s.name, ())
        ):
            return True
        return any(
            times(level, self.shown, column) == 1
            and not self.hidden(level.sources, {column})
            and self.holds(s, column)
            and self.groupable(level, (s.name, column))
            and not self._taken(level, column)
            for s in level.sources
            for column in self.shown(s) & self.bare.keys()
        )

    def _writable(self, source: Source, column: str, tables: frozenset[str]) -> bool:
        if source.table:
            return source.table in tables
        return not tables and column in self.shown(source) and not self.hidden([source], {column})

    # ---- a column is written

    def used(
        self, moves: Steps, scope: Scope, name: Name, inside: bool, *, sought: bool = False, below: bool = False
    ) -> Scope:
        """Return the scope after a column, which is ``sought`` in the select lists of the queries around.

        ``below`` says that a subquery names it.

        Raises:
            Refused: it is not visible here, or ambiguous, or not grouped.
        """
        level = scope.level
        if level.clause == "items":
            # MariaDB takes it for an item that may yet come
            moves.check("visible", not sought, f"{name.name} is of the query around, whose select list is not over")
            need = (
                Need(name.owner, name.tables) if name.tables else Need(name.owner, frozenset(), frozenset({name.name}))
            )
            scope = moves.need(scope, need if name.owner else self.bare_need(name.name))
            return self._ungrouped(moves, scope, name, inside, below=below)
        if level.clause == "order" and level.compound:
            same = self._called(level, name.name)
            moves.check("compound order", not name.owner and bool(same), f"{name.name} is no output column")
            self._found(moves, same)
            return scope
        if self._here(moves, level, name):
            self._shadowed(moves, level, name)
            if below:
                self._mixed(moves, scope, name)
            if level.clause == "on" and not name.owner:
                scope = moves.change(scope, bare=level.bare | {name.name})
            return self._ungrouped(moves, scope, name, inside)
        moves.check("outer aggregate", not inside, f"{name.name} is of a query around the aggregate's")
        listed = level.clause == "order" and level.distinct and not level.compound
        moves.check("distinct order", not listed, f"{name.name} is not in the select list")
        moves.check("lateral", not level.derived, "a derived table sees nothing of the queries around it")
        # SQLite looks for a name of ON among the sources that are yet to come, too
        # and MariaDB's ORDER BY and ON do not find what groups the query around
        apart = {"sqlite": {"order", "group", "on"}, "mysql": {"order", "on"}}
        if scope.outer is None:
            moves.check("visible", False, f"{name.owner or name.name} is not in FROM")
            return scope
        ordered = level.clause in apart.get(self.dialect, set[str]())
        moves.check("visible", not ordered, f"{name.name} is of the query around this one")
        if not name.owner and (level.clause in {"group", "having", "order"} or self.dialect == "sqlite"):
            # the engine looks for an output before it looks around; those behind a set operator are not kept
            own = level.compound or any(o.may_be(name.name) for o in level.outputs)
            moves.check("output names", not own, f"an output column may be called {name.name}, too")
        around = scope.outer.level
        # it asks for a FROM where one row may be due that needs none so far
        lone = scope.outer.outer is not None and around.clause == "items" and not around.derived
        # and, beside aggregates, for a GROUP BY
        asked = around.plain if "grouping" in moves.on else around.aggregated or around.needs
        moves.check("single row", not lone or bool(asked), "a FROM for this column alone")
        return moves.make(level, self.used(moves, scope.outer, name, level.enclosed, sought=sought, below=True))

    @staticmethod
    def _mixed(moves: Steps, scope: Scope, name: Name) -> None:
        """Refuse what MariaDB takes for a column beside aggregates where a query stands within an aggregate."""
        level = scope.level
        lone = level.aggregated and level.clause in {"where", "on"} and moves.enclosed(scope)
        moves.check("grouping", not lone, f"a subquery names {name.name} beside aggregates, within another aggregate")

    def _here(self, moves: Steps, level: Level, name: Name) -> bool:
        """Say whether the level's own sources show a column."""
        last = level.sources[-1].group if level.sources else 0
        grouped = level.clause == "on" and "join group" in moves.on
        sources = [s for s in level.sources if not grouped or s.group == last]
        if not name.owner:
            own = not self.hidden(sources, {name.name})
            moves.check("ambiguous", own, "a derived table may show it by a name of its own")
            count = times(level._replace(sources=tuple(sources)), self.shown, name.name)
            moves.check("ambiguous", count <= 1, f"{name.name} is in more than one source")
            joined = level.clause == "on" and self.dialect == "mysql" and name.name in level.merged
            moves.check("ambiguous", not joined, f"ON does not know {name.name} as one column")
            held = all(self.holds(s, name.name) for s in sources if name.name in self.shown(s))
            moves.check("visible", held, f"{name.name} holds something else here")
            return count > 0
        owner = next((s for s in sources if s.name == name.owner), None)
        if owner is None:
            return False
        moves.check("visible", name.name in self.shown(owner), f"{name.owner} has no column {name.name}")
        once = bool(owner.table) or sum(column == name.name for column, _ in owner.columns) == 1
        moves.check("ambiguous", once, f"{owner.name} shows {name.name} twice")
        own = not self.hidden([owner], {name.name})
        moves.check("ambiguous", own, "the derived table may show it by a name of its own")
        moves.check("visible", bool(owner.table) == bool(name.tables), f"{name.owner} is another source here")
        moves.check("visible", not owner.table or owner.table in name.tables, f"{name.owner} is another table here")
        able = bool(owner.table) or self.value(owner, name.name).type not in self.types.opaque
        moves.check(self.types.hiding, able, f"{name.name} of a derived table is of a type that is not shown")
        return True

    def _shadowed(self, moves: Steps, level: Level, name: Name) -> None:
        """Refuse a bare column that the dialect would take for an output of the same name."""
        if not name.owner and level.clause in {"group", "having", "order"}:
            moves.check("output names", not self._taken(level, name.name), f"{name.name} is an output column too")

    def _taken(self, level: Level, column: str) -> bool:
        """Say whether an output that is something else has a bare column's name, or several outputs have it."""
        if level.compound and not self.apart(level):  # the engine takes the column
            return False
        # GROUP BY takes the column before an output without a name
        untitled = level.clause == "order" and any(column in o.titles for o in level.outputs)
        named = [found for name, found in self.named(level) if name == column]
        return untitled or len(named) > 1 or any(found is None or found[1] != column for found in named)

    def _ungrouped(self, moves: Steps, scope: Scope, name: Name, inside: bool, *, below: bool = False) -> Scope:
        """Note a column outside of aggregates where grouping binds, or refuse it."""
        level = scope.level
        column = self.identity(level, (name.owner, name.name))
        if level.clause == "order" and level.distinct and not level.compound:
            shown = {self.identity(level, o.column) for o in level.outputs if o.column}
            moves.check("distinct order", column in shown, f"{name.name} is not in the select list")
        if level.clause == "having" and not inside and self.dialect == "mysql":
            # without ONLY_FULL_GROUP_BY, too
            known = level.keys | {self.identity(level, shown) for _, shown in self.named(level) if shown}
            found = column in level.keys or column in known - self.replaced(scope)
            moves.check("visible", found, f"{name.name} is neither in GROUP BY nor selected")
            alike = sum(other == name.name for _, other in known)
            moves.check("visible", alike <= 1, f"GROUP BY or the select list has several columns {name.name}")
        if inside or "grouping" not in moves.on or level.clause not in {"items", "having", "order"}:
            return scope
        if level.clause != "items" and (level.aggregated or level.grouped):
            moves.check("grouping", self.grouped(level, column), f"{name.name} is not in GROUP BY")
        if level.clause == "items":
            after = moves.change(scope, plain=level.plain | {column}, within=level.within | {column})
            if not below or self.dialect != "mysql" or (name.owner and name.tables):
                return after
            after = moves.change(after, correlated=level.correlated | {column})
            if level.aggregated:
                moves.nameable(after.level)
            return after
        return moves.change(scope, plain=level.plain | {column}, alone=level.alone | {column})

    @staticmethod
    def _called(level: Level, name: str) -> list[Output]:
        """Return the output that is called by a name, if no other may be."""
        found = [o for o in level.outputs if o.may_be(name)]
        return found if len(found) == 1 and not found[0].titles else []

    # ---- an output name is written

    def output(self, moves: Steps, scope: Scope, name: Name, inside: bool) -> None:
        """Refuse an output's name where it means nothing."""
        level = scope.level
        named = self._called(level, name.name)
        moves.check("output names", bool(named), f"no output column is called {name.name}, or several")
        able = {"order", "group"} if self.dialect == "postgres" else {"order", "group", "having"}
        place = level.clause in able and not inside and (level.clause == "order" or not level.compound)
        moves.check("output names", place, f"the output column {name.name} is not known here")
        if named and self.types.strict:
            moves.check("comparisons", named[0].value.type != "other", f"{name.name} has no order")
            # a key makes text of it, but not for the set operator behind it
            moves.check("comparisons", level.clause != "group" or named[0].value.type != "null", f"{name.name} is NULL")
        own = level.clause == "having" and named and named[0].value.type in self.types.alone
        moves.check("comparisons", not own, f"{name.name} does not compare as other values do")
        whole = level.term == START or level.clause == "having"
        moves.check("output names", whole, f"the output column {name.name} stands alone here")
        if self.dialect == "sqlite" and not level.compound and any(o.column and o.column[1] == o.name for o in named):
            # no alias, but a column of the sources
            once = times(level, self.shown, name.name) == 1
            moves.check("output names", once, f"{name.name} is in more than one source")
        if level.compound:
            self._found(moves, named)
        if level.clause != "order":
            clash = any(name.name in self.shown(s) for s in level.sources)
            moves.check("output names", not clash, f"{name.name} is a column too")
        if level.clause == "group" and named:
            moves.check("aggregate place", not named[0].value.marks & AGGREGATE, f"{name.name} holds an aggregate")

    def orderable(self, level: Level, output: Output) -> Output:
        """Return an output of a first SELECT as a set operator knows it: of column `OTHER` if ORDER BY cannot find it.

        SQLite looks for a name without AS among the columns of the first SELECT, where it must mean the same one.
        """
        if self.dialect != "sqlite" or output.column is None or output.column[1] != output.name:
            return output
        owners = {s.name for s in level.sources if output.name in self.shown(s)}
        alike = output.column[0] == "" if output.name in level.merged else output.column[0] in ("", *owners)
        return output if alike and times(level, self.shown, output.name) == 1 else output._replace(column=OTHER)

    def _found(self, moves: Steps, outputs: Sequence[Output]) -> None:
        found = all(o.column != OTHER for o in outputs)
        moves.check("compound order", found, "the first SELECT calls another column so, or several")
