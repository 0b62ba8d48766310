"""What the sources of a query show, which of the columns a group has one value of, and what can be written."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_

from ..types.abstract_values import AbstractValue, Mark
from ..types.dialect import DialectTypes
from ..types.quirks import Quirks
from .names import OTHER, Catalogue, Column, CommonTable, Name, OpenReference, Output, Source, is_text
from .select_scope import Scope, SelectScope

_PROMISES = Mark.NONNEGATIVE | Mark.NONZERO


@dataclass(frozen=True)
class Resolver:
    """The columns that sources show, as each clause takes them, and the names of outputs.

    Attributes:
        catalogue: tables, names and aliases.
        values: what columns hold, by table and column, in lower case.
        bare: columns that can be written without owner, with the tables that they may be of and what they hold.
        owned: the columns that can be written with each owner's name, each with the tables that it may be of.
        types: of the dialect.
        quirks: of the engine.
        keys: the column that is the whole primary key, by table.
        uniques: the columns that are unique by themselves, by table.
    """

    catalogue: Catalogue
    values: Mapping[tuple[str, str], AbstractValue]
    bare: Mapping[str, tuple[frozenset[str], AbstractValue]]
    owned: Mapping[str, frozenset[tuple[str, frozenset[str]]]]
    types: DialectTypes
    quirks: Quirks
    keys: Mapping[str, str]
    uniques: Mapping[str, frozenset[str]]

    def columns_of(self, source: Source) -> frozenset[str]:
        """Return the columns of a source."""
        return self.catalogue.columns[source.table] if source.table else frozenset(name for name, _ in source.columns)

    def readable(self, source: Source, column: str) -> bool:
        """Say whether a column may be read of a source, if that has it."""
        partial = self.catalogue.partial
        return source.table not in partial or column in partial[source.table] or column not in self.columns_of(source)

    def hidden(self, sources: Iterable[Source], names: Iterable[str]) -> bool:
        """Say whether a source may show one of these names without an alias: ``(SELECT MAX(a) FROM t) AS d``: max."""
        return any(not name for s in sources for name, _ in s.columns) and self.may_title(names)

    def may_title(self, names: Iterable[str]) -> bool:
        """Say whether an output without a name may be called one of these.

        Engines call it by its function (``MAX(a)``: max) or by its text (``1 + a``).
        """
        return any(self.types.titled or is_text(name) for name in names)

    def value(self, source: Source, column: str) -> AbstractValue:
        """Return what a source's column holds."""
        if source.table:
            return self.values[source.table, column]
        return next(value for name, value in source.columns if name == column)

    def held(self, value: AbstractValue) -> AbstractValue:
        """Return what a column of a derived table is worth where it is named; NULL, and what it is written as, has
        become a text.
        """
        text = value.type in {"null", "text"}
        kinds = frozenset[str]() if text else value.kinds
        marks = value.marks & _PROMISES | Mark.NAME | Mark.PLAIN
        return AbstractValue("text" if text else value.type, self.types.step(value.magnitude), marks, kinds)

    def starred(self, select: SelectScope) -> Iterable[Output]:
        """Yield the outputs that the stars of a select list stand for."""
        for star in select.star:
            merged = select.merged if star == "*" else frozenset[str]()
            once = set[str]()
            for source in select.sources:
                for column in sorted(source.shows(self.catalogue.columns)) if star in ("*", source.name) else ():
                    if column not in merged:
                        yield Output(column, self.value(source, column), (source.name, column))
                    elif column not in once:
                        once.add(column)
                        yield Output(column, self.merged_value(select, column), ("", column))

    def merged_value(self, select: SelectScope, column: str) -> AbstractValue:
        """Return what a column holds that USING made of two: which one it is depends on the join."""
        values = [self.value(s, column) for s in select.sources if column in self.columns_of(s)]
        marks = reduce(and_, (v.marks for v in values))
        return AbstractValue(
            self.types.join(values) or self.types.unknown.type, max(v.magnitude for v in values), marks
        )

    def need_of(self, name: Name, common: Sequence[CommonTable]) -> OpenReference:
        """Return the reference to a source that a column or a star makes."""
        if not name.owner and name.tables:
            return self.bare_need(name.name, common)
        if not name.owner:
            return OpenReference("", self.common_column(name.name, common)[0], frozenset({name.name}))
        columns = frozenset({name.name}) if name.column and not name.tables else frozenset[str]()
        found = (t.key for t in common if t.name == name.owner and (not name.column or t.value(name.name)))
        return OpenReference(name.owner, name.tables or frozenset(found), columns)

    def bare_need(self, column: str, common: Sequence[CommonTable]) -> OpenReference:
        """Return the reference that a bare column of the schema makes."""
        tables = self.bare[column][0] if column in self.bare else frozenset[str]()
        found = (t.key for t in common if (value := t.value(column)) and self.kept(column, value))
        return OpenReference("", tables.union(found), frozenset({column}))

    def common_column(self, column: str, common: Sequence[CommonTable]) -> tuple[frozenset[str], AbstractValue | None]:
        """Return which queries of WITH show a column as the last one does that has it, and what it is to them all."""
        found = [(t.key, self.held(value)) for t in common if (value := t.value(column))]
        alike = [(key, value) for key, value in found if self.types.kind(value) == self.types.kind(found[-1][1])]
        if not alike:
            return frozenset(), None
        marks = reduce(and_, (value.marks for _, value in alike))
        kinds = frozenset[str].intersection(*(value.kinds for _, value in alike))
        held = AbstractValue(alike[-1][1].type, max(value.magnitude for _, value in alike), marks, kinds)
        return frozenset(key for key, _ in alike), held

    def resolves(self, source: Source, need: OpenReference, column: str) -> bool:
        """Say whether what a source shows as ``column`` is what a bare column before FROM refers to."""
        if source.common or (need.tables and need.tables.isdisjoint(self.catalogue.columns)):
            return source.common in need.tables
        return self.holds(source, column)

    def holds(self, source: Source, column: str) -> bool:
        """Say whether what a source shows as ``column`` is what the bare word promises."""
        if source.table:
            return column in self.bare and source.table in self.bare[column][0]
        return self.kept(column, next(value for name, value in source.columns if name == column))

    def kept(self, column: str, found: AbstractValue) -> bool:
        """Say whether a value keeps what a bare word promises of the column."""
        promised = self.bare[column][1] if column in self.bare else self.types.unknown
        alike = self.types.kind(found) == self.types.kind(promised) or (
            promised.type == self.types.unknown.type and not self.types.strict
        )
        return alike and found.magnitude <= promised.magnitude and not promised.marks & _PROMISES & ~found.marks

    def pinning(self, select: SelectScope) -> list[Column]:
        """Return the columns by which WHERE may pin one row: the unique ones of one table, ``FROM t WHERE id = 7``."""
        if select.clause != "where" or len(select.sources) != 1:
            return []
        source = select.sources[0]
        return [(source.name, column) for column in sorted(self.uniques.get(source.table, ()))]

    def free_aliases(self, select: SelectScope) -> Iterator[str]:
        """Yield the aliases that the next source may have, and no other has or will have; see `Catalogue.free`."""
        taken = {s.name for s in select.sources} | {n.name for n in select.needs}
        return self.catalogue.free(taken, derived=select.pending != "table")

    def identity(self, select: SelectScope, column: Column) -> Column:
        """Return a column with its owner, where that is known."""
        if column[0] or (select.clause in {"items", "from"} and not select.sources):
            return column
        if column[1] in select.merged:
            return column
        owner = next((s.name for s in select.sources if column[1] in self.columns_of(s)), "")
        return (owner, column[1])

    def unmatched(self, select: SelectScope) -> frozenset[str]:
        """Return the columns of derived tables that subqueries among the items name (`Quirks.unmatched_below`)."""
        derived = [self.columns_of(s) for s in select.sources if not s.table]
        return frozenset(name for owner, name in select.correlated if owner or any(name in found for found in derived))

    def groupable(self, select: SelectScope, column: Column) -> bool:
        """Say whether GROUP BY can name a column: not one of a type without order, where the dialect has such."""
        return not self.types.strict or self.can_show_by_name(select, column)

    def can_show_by_name(self, select: SelectScope, column: Column) -> bool:
        """Say whether a derived table may show a column by its name: not one of a type that it hides."""
        owner, name = column
        source = next((s for s in select.sources if name in self.columns_of(s) and owner in ("", s.name)), None)
        if source is not None:
            return self.value(source, name).type not in self.types.opaque
        own = self.bare_need(name, select.common).tables
        tables = next((n.tables for n in select.needs if n.name == owner and owner), own)
        values = [self.values[table, name] for table in tables if (table, name) in self.values]
        return all(value.type not in self.types.opaque for value in values)

    def ordered(self, column: str) -> bool:
        """Say whether no table's column of this name is of a type without order, where the dialect has such."""
        return not self.types.strict or self.can_show_by_star(column)

    def can_show_by_star(self, column: str) -> bool:
        """Say whether a derived table may show a column by a star: none of the name is of a type that it hides."""
        return all(value.type not in self.types.opaque for (_, name), value in self.values.items() if name == column)

    # ---- groups

    def grouped(self, select: SelectScope, column: Column) -> bool:
        """Say whether a column has one value in each group: GROUP BY names it, or its table's key, if that does."""
        if column in select.keys:
            return True
        if not self.quirks.key_groups_table:
            return False
        table = next((s.table for s in select.sources if s.name == column[0]), "")
        return table in self.keys and (column[0], self.keys[table]) in select.keys

    def one_a_group(self, select: SelectScope, column: Column) -> bool:
        """Say whether a column has one value in each group, also to engines that let any column stand beside groups.

        GROUP BY names it, or its table's key.
        """
        table = next((s.table for s in select.sources if s.name == column[0]), "")
        key = (column[0], self.keys[table]) if table in self.keys else column
        return column in select.keys or key in select.keys

    def ungrouped(self, select: SelectScope) -> frozenset[Column]:
        """Return what GROUP BY has not named so far, nor as an item: ``SELECT a, b + c FROM t GROUP BY b + c``: a."""
        now = select.position  # ``GROUP BY 2|``
        missing = select.alone.union(*(item.columns for item in select.items if not now or item.place != now))
        placed = select.listed[now - 1].column if 0 < now <= len(select.listed) else None
        named = self.identity(select, placed) if placed else None
        return frozenset(column for column in missing if not self.grouped(select, column) and column != named)

    def apart(self, select: SelectScope) -> bool:
        """Say whether names may stand for a SELECT's own outputs, where `outputs` are those of the first one."""
        return select.compound and self.quirks.operands_have_outputs

    def named(self, select: SelectScope) -> Sequence[tuple[str, Column | None]]:
        """Return the names and columns of the outputs for which GROUP BY and HAVING may take a column."""
        return select.own if self.apart(select) else [(o.name, o.column) for o in select.outputs]

    def replaced(self, scope: Scope) -> set[Column | None]:
        """Return the columns of a star that HAVING does not find: ``EXISTS (SELECT * FROM t GROUP BY a HAVING b)``."""
        within = scope.outer is not None and not scope.select.derived  # it may be another subquery
        return {o.column for o in self.starred(scope.select)} if within else set()

    def hidden_keys(self, select: SelectScope) -> frozenset[str]:
        """Return the columns that GROUP BY cannot name, an output being called so: ``SELECT a, MAX(b) AS a``."""
        if self.quirks.columns_before_outputs:
            return frozenset()
        bare = select.bare_plain
        named = [*self.named(select), *[(select.alias, select.column)] * bool(select.alias)]
        return frozenset(n for n, column in named if n in bare and (column is None or column[1] != n))

    def alike(self, select: SelectScope) -> frozenset[str]:
        """Return the names that several keys of a derived table have, and an output of it that is no column.

        An engine that takes a condition of the query around into the table looks for the output among the keys.
        """
        several = self.several(select)
        if not several or select.compound:  # to be on the safe side behind set operators
            return several
        made = {o.name for o in select.outputs if o.column is None} | (
            {select.alias} if select.column is None else set()
        )
        return several & made

    def several(self, select: SelectScope) -> frozenset[str]:
        """Return the names that several keys of a derived table have or will have (`Quirks.equal_keys_clash`)."""
        if not (select.derived and self.quirks.equal_keys_clash):
            return frozenset()
        now = {self.identity(select, select.column)} if select.clause == "group" and select.column else set[Column]()
        names = [name for _, name in select.plain | select.keys | now]
        return frozenset(name for name in names if names.count(name) > 1)

    # ---- what can be written

    def writable(self, select: SelectScope) -> bool:
        """Say whether some column of the sources can be written as a key."""
        if any(
            self._writable(s, column, tables) and self.groupable(select, (s.name, column))
            for s in select.sources
            for column, tables in self.owned.get(s.name, ())
        ):
            return True
        return any(
            self.times(select, column) == 1
            and not self.hidden(select.sources, {column})
            and self.holds(s, column)
            and self.groupable(select, (s.name, column))
            and not self.taken(select, column)
            for s in select.sources
            for column in self.columns_of(s) & self.bare.keys()
        )

    def _writable(self, source: Source, column: str, tables: frozenset[str]) -> bool:
        if source.table:
            return source.table in tables
        return not tables and column in self.columns_of(source) and not self.hidden([source], {column})

    def taken(self, select: SelectScope, column: str) -> bool:
        """Say whether another output has a bare column's name, or several have: ``SELECT a AS b, c AS b``: b."""
        if select.compound and not self.apart(select):  # the engine takes the column
            return False
        if self.quirks.columns_before_outputs and select.clause in {"group", "having"}:
            return False
        # GROUP BY takes the column before an output without a name
        untitled = select.clause == "order" and any(column in o.titles for o in select.outputs)
        named = [found for name, found in self.named(select) if name == column]
        return untitled or len(named) > 1 or any(found is None or found[1] != column for found in named)

    def times(self, select: SelectScope, column: str) -> int:
        """Return how many sources show a bare column; ``t JOIN s USING (a)`` show one a."""
        having = [s for s in select.sources if column in self.columns_of(s)]
        count = sum(1 if s.table else sum(name == column for name, _ in s.columns) for s in having)
        return min(count, 1) if column in select.merged else count

    @staticmethod
    def called(select: SelectScope, name: str) -> list[Output]:
        """Return the output that is called by a name, if no other may be."""
        found = [o for o in select.outputs if o.may_be(name)]
        return found if len(found) == 1 and not found[0].titles else []

    def orderable(self, select: SelectScope, output: Output) -> Output:
        """Return an output of a first SELECT as a set operator knows it: of column `OTHER` if ORDER BY cannot find it.

        Where outputs need AS, the name of another one is sought among the first SELECT's columns, and must be it.
        """
        if not self.quirks.outputs_need_as or output.column is None or output.column[1] != output.name:
            return output
        owners = {s.name for s in select.sources if output.name in self.columns_of(s)}
        alike = output.column[0] == "" if output.name in select.merged else output.column[0] in ("", *owners)
        return output if alike and self.times(select, output.name) == 1 else output._replace(column=OTHER)
