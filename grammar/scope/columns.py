"""Which columns and output names a query may use where it stands."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..signatures import Types
from ..values import AGGREGATE, NAME, NONNEGATIVE, NONZERO, PLAIN, Value
from .levels import OTHER, START, Column, Level, Need, Output, Scope, Source
from .sources import Catalogue

if TYPE_CHECKING:
    from .steps import Name, Steps

__all__ = ["Columns", "times"]


PROMISES = NONNEGATIVE | NONZERO


@dataclass(frozen=True)
class Columns:
    """The columns of the tables that can be written, and what shows them.

    Attributes:
        catalogue: tables, names and aliases.
        values: what columns hold, by table and column, in lower case.
        bare: columns that can be written without owner, with the tables that they may be of and what they hold.
        owned: the columns that can be written with each owner's name, each with the tables that it may be of.
        types: of the dialect.
        dialect: sqlite, mysql or postgres.
        keys: the column that is the whole primary key, by table.
    """

    catalogue: Catalogue
    values: Mapping[tuple[str, str], Value]
    bare: Mapping[str, tuple[frozenset[str], Value]]
    owned: Mapping[str, frozenset[tuple[str, frozenset[str]]]]
    types: Types
    dialect: str
    keys: Mapping[str, str]

    def table_name(self, table: str) -> str:
        """Return the name that a table has without an alias, empty if it is not at hand."""
        return self.catalogue.names.get(table, "")

    def shown(self, source: Source) -> frozenset[str]:
        """Return the columns of a source."""
        return self.catalogue.columns[source.table] if source.table else frozenset(name for name, _ in source.columns)

    def shows(self, source: Source, need: Need) -> bool:
        """Say whether a source shows the bare column of a need."""
        return need.columns <= self.shown(source)

    def hidden(self, sources: Iterable[Source]) -> bool:
        """Say whether a source shows a column by a name that is not written: PostgreSQL calls it by what it is of."""
        return self.dialect == "postgres" and any(not name for s in sources for name, _ in s.columns)

    def writable(self, level: Level) -> bool:
        """Say whether some column of the level's sources can be written as a key."""
        if any(
            self._writable(s, column, tables) and self.groupable(level, (s.name, column))
            for s in level.sources
            for column, tables in self.owned.get(s.name, ())
        ):
            return True
        return not self.hidden(level.sources) and any(
            times(level, self.shown, column) == 1
            and self.holds(s, column)
            and self.groupable(level, (s.name, column))
            and not self._named(level, column)
            for s in level.sources
            for column in self.shown(s) & self.bare.keys()
        )

    def _writable(self, source: Source, column: str, tables: frozenset[str]) -> bool:
        if source.table:
            return source.table in tables
        return not tables and column in self.shown(source) and not self.hidden([source])

    def bare_need(self, column: str) -> Need:
        """Return what a bare column asks of FROM."""
        return Need("", self.bare[column][0] if column in self.bare else frozenset(), frozenset({column}))

    def holds(self, source: Source, column: str) -> bool:
        """Say whether what a source shows as ``column`` is what the bare word promises."""
        tables, promised = self.bare.get(column, (frozenset[str](), self.types.unknown))
        if source.table:
            return source.table in tables
        shown = next(value for name, value in source.columns if name == column)
        alike = self.types.kind(shown) == self.types.kind(promised) or (
            promised.type == self.types.unknown.type and not self.types.strict
        )
        return alike and shown.digits <= promised.digits and not promised.marks & PROMISES & ~shown.marks

    def key(self, level: Level) -> Column | None:
        """Return the column that WHERE may pin to one row: the key of the level's one source, a table."""
        if level.clause != "where" or len(level.sources) != 1 or level.sources[0].table not in self.keys:
            return None
        return level.sources[0].name, self.keys[level.sources[0].table]

    def free_aliases(self, level: Level) -> frozenset[str]:
        """Return the aliases that no source has or will have."""
        taken = {s.name.lower() for s in level.sources} | {n.name.lower() for n in level.needs}
        return frozenset(alias for alias in self.catalogue.aliases if alias.lower() not in taken)

    # ---- a column is written

    def used(self, moves: Steps, scope: Scope, name: Name, inside: bool, *, sought: bool = False) -> Scope:
        """Return the scope after a column, which is ``sought`` in the select lists of the queries around.

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
            return self._ungrouped(moves, scope, name, inside)
        if level.clause == "order" and level.compound:
            same = [o for o in level.outputs if o.name == name.name]
            moves.check("compound order", not name.owner and len(same) == 1, f"{name.name} is no output column")
            self._found(moves, same)
            return scope
        if self._here(moves, level, name):
            self._shadowed(moves, level, name)
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
        around = scope.outer.level
        # it asks for a FROM where one row may be due that needs none so far
        lone = scope.outer.outer is not None and around.clause == "items" and not around.derived
        # and, beside aggregates, for a GROUP BY
        asked = around.plain if "grouping" in moves.on else around.aggregated or around.needs
        moves.check("single row", not lone or bool(asked), "a FROM for this column alone")
        return moves.make(level, self.used(moves, scope.outer, name, level.enclosed, sought=sought))

    def _here(self, moves: Steps, level: Level, name: Name) -> bool:
        """Say whether the level's own sources show a column."""
        last = level.sources[-1].group if level.sources else 0
        grouped = level.clause == "on" and "join group" in moves.on
        sources = [s for s in level.sources if not grouped or s.group == last]
        if not name.owner:
            moves.check("ambiguous", not self.hidden(sources), "a derived table may show it by a name of its own")
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
        moves.check("ambiguous", not self.hidden([owner]), "the derived table may show it by a name of its own")
        moves.check("visible", bool(owner.table) == bool(name.tables), f"{name.owner} is another source here")
        moves.check("visible", not owner.table or owner.table in name.tables, f"{name.owner} is another table here")
        able = bool(owner.table) or self.value(owner, name.name).type != self.types.opaque
        moves.check(self.types.hiding, able, f"{name.name} of a derived table is of a type that is not shown")
        return True

    def _shadowed(self, moves: Steps, level: Level, name: Name) -> None:
        """Refuse a bare column that the dialect would take for an output of the same name."""
        if not name.owner and level.clause in {"group", "having", "order"}:
            moves.check("output names", not self._named(level, name.name), f"{name.name} is an output column too")

    @staticmethod
    def _named(level: Level, column: str) -> bool:
        """Say whether an output that is something else has a bare column's name, or several outputs have it."""
        named = [] if level.compound else [o for o in level.outputs if o.name == column]
        return len(named) > 1 or any(o.column is None or o.column[1] != column for o in named)

    def _ungrouped(self, moves: Steps, scope: Scope, name: Name, inside: bool) -> Scope:
        """Note a column outside of aggregates where grouping binds, or refuse it."""
        level = scope.level
        column = self.identity(level, (name.owner, name.name))
        if level.clause == "order" and level.distinct and not level.compound:
            shown = {self.identity(level, o.column) for o in level.outputs if o.column}
            moves.check("distinct order", column in shown, f"{name.name} is not in the select list")
        if level.clause == "having" and not inside and self.dialect == "mysql":
            # without ONLY_FULL_GROUP_BY, too; behind a set operator the outputs are another SELECT's
            named = () if level.compound else level.outputs
            shown = {self.identity(level, o.column) for o in named if o.column}
            moves.check("visible", column in level.keys | shown, f"{name.name} is neither in GROUP BY nor selected")
        if inside or "grouping" not in moves.on or level.clause not in {"items", "having", "order"}:
            return scope
        if level.clause != "items" and (level.aggregated or level.grouped):
            moves.check("grouping", self.grouped(level, column), f"{name.name} is not in GROUP BY")
        if level.clause == "items":
            return moves.change(scope, plain=level.plain | {column}, within=level.within | {column})
        return moves.change(scope, plain=level.plain | {column}, alone=level.alone | {column})

    def grouped(self, level: Level, column: Column) -> bool:
        """Say whether a column has one value in each group: GROUP BY names it, or for PostgreSQL its table's key."""
        if column in level.keys:
            return True
        table = next((s.table for s in level.sources if s.name == column[0]), "") if self.dialect == "postgres" else ""
        return table in self.keys and (column[0], self.keys[table]) in level.keys

    def ungrouped(self, level: Level) -> frozenset[Column]:
        """Return the columns that GROUP BY has not named so far, nor items that they are in."""
        owed = level.alone.union(*(item.columns for item in level.items))
        return frozenset(column for column in owed if not self.grouped(level, column))

    def hidden_keys(self, level: Level) -> frozenset[str]:
        """Return the bare columns that GROUP BY would need and cannot name: an output of another kind is called so."""
        bare = {name for owner, name in level.plain if not owner}
        named = [(o.name, o.column) for o in level.outputs] + [(level.alias, level.column)] * bool(level.alias)
        return frozenset(n for n, column in named if n in bare and (column is None or column[1] != n))

    def groupable(self, level: Level, column: Column) -> bool:
        """Say whether GROUP BY can name a column: not one of a type without order, where the dialect has such."""
        owner, name = column
        if not self.types.strict:
            return True
        source = next((s for s in level.sources if name in self.shown(s) and owner in ("", s.name)), None)
        if source is not None:
            return self.value(source, name).type != "other"
        tables = next((n.tables for n in level.needs if n.name == owner and owner), self.bare_need(name).tables)
        return all(self.values[table, name].type != "other" for table in tables if (table, name) in self.values)

    def ordered(self, column: str) -> bool:
        """Say whether no table's column of this name is of a type without order, where the dialect has such."""
        types = {value.type for (_, name), value in self.values.items() if name == column}
        return not self.types.strict or "other" not in types

    def identity(self, level: Level, column: Column) -> Column:
        """Return a column with its owner, where that is known."""
        if column[0] or (level.clause in {"items", "from"} and not level.sources):
            return column
        if column[1] in level.merged:
            return column
        owner = next((s.name for s in level.sources if column[1] in self.shown(s)), "")
        return (owner, column[1])

    # ---- an output name is written

    def output(self, moves: Steps, scope: Scope, name: Name, inside: bool) -> None:
        """Refuse an output's name where it means nothing."""
        level = scope.level
        named = [o for o in level.outputs if o.name == name.name]
        moves.check("output names", len(named) == 1, f"no output column is called {name.name}, or several")
        able = {"order", "group"} if self.dialect == "postgres" else {"order", "group", "having"}
        place = level.clause in able and not inside and (level.clause == "order" or not level.compound)
        moves.check("output names", place, f"the output column {name.name} is not known here")
        if named and self.types.strict:
            moves.check("comparisons", named[0].value.type != "other", f"{name.name} has no order")
            # a key makes text of it, but not for the set operator behind it
            moves.check("comparisons", level.clause != "group" or named[0].value.type != "null", f"{name.name} is NULL")
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

    # ---- sources

    def starred(self, level: Level) -> Iterable[Output]:
        """Yield the outputs that the stars of a select list stand for."""
        seen: set[str] = set()
        for source in level.sources:
            if "*" in level.star or source.name in level.star:
                for column in sorted(self.shown(source)):
                    if column in seen and column in level.merged:
                        continue
                    seen.add(column)
                    yield Output(column, self.value(source, column), (source.name, column))

    def value(self, source: Source, column: str) -> Value:
        """Return what a source's column holds."""
        if source.table:
            return self.values[source.table, column]
        return next(value for name, value in source.columns if name == column)

    def held(self, source: Source, column: str) -> Value:
        """Return what a column of a derived table is worth where it is named; NULL has become a text."""
        value = self.value(source, column)
        kind = "text" if value.type == "null" else value.type
        return Value(kind, self.types.step(value.digits), value.marks & PROMISES | NAME | PLAIN)


def times(level: Level, shown: Callable[[Source], frozenset[str]], column: str) -> int:
    """Return how many sources show a bare column; what USING or NATURAL made one counts once."""
    count = sum(
        1 if s.table else sum(name == column for name, _ in s.columns) for s in level.sources if column in shown(s)
    )
    return min(count, 1) if column in level.merged else count
