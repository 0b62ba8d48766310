"""What a source changes in the SELECT whose FROM it stands in, and what USING changes.

The steps of FROM and their costs share these functions, so that what was counted can be written.
"""

from dataclasses import dataclass

from ..types.abstract_values import Rules, RuleViolation
from .key_joins import KeyJoins
from .names import Source
from .select_scope import Equation, KeyCondition, SelectScope
from .visible import Resolver


@dataclass(frozen=True)
class Joins(Rules):
    """Joins under the rules that are on, along ``keys`` if they are given."""

    resolver: Resolver
    on: frozenset[str]
    keys: KeyJoins | None = None

    def placed(self, select: SelectScope, name: str = "") -> SelectScope:
        """Return the SELECT once its pending source stands in FROM under a name, or a table under its own.

        ``SELECT t.a FROM t``: t resolves the reference; ``FROM t, t`` is refused.

        Raises:
            RuleViolation: that name is taken, a reference needs another source under it, or the join cannot be made.
        """
        assert select.written is not None, "no source is pending"
        catalogue, table = self.resolver.catalogue, select.written.table
        name = name or select.written.name or catalogue.names.get(table, "")
        taken = {s.name for s in select.sources} | {n.name for n in select.needs if n.name != name}
        self.check("unique", not name or not catalogue.clashes(name, taken), f"FROM has a source {name} already")
        self.whole(select, select.written.table)
        apart = select.join == "comma" and not self.resolver.quirks.comma_is_join
        source = select.written._replace(name=name, group=select.sources[-1].group + apart if select.sources else 0)
        self.fits(select, source)
        needs = frozenset(n for n in select.needs if not name or n.name != name)
        kept = frozenset(n for n in needs if n.name or not n.columns <= self.resolver.columns_of(source))
        self.link(source.table, select)
        bare = select.bare | {c for n in needs - kept for c in n.columns}
        after = select._replace(
            needs=kept, sources=(*select.sources, source), bare=bare, pending="", written=None, promised=None
        )
        if not self.able(after) and not self.joinable(after):
            raise RuleViolation("joins", f"the key of {table} cannot be written with {name}")
        return after

    def whole(self, select: SelectScope, table: str) -> None:
        """Refuse a table that may not be read whole where its columns are not named: ``SELECT * FROM``.

        And a view that holds aggregates within one.
        """
        view = select.held and table in self.resolver.catalogue.aggregated
        self.check("aggregated views", not view, f"{table} holds aggregates, and another one stands around it")
        partial = self.resolver.catalogue.partial
        self.check("access", "*" not in select.star or table not in partial, f"a star shows {table}, read in part")

    def link(self, table: str, select: SelectScope) -> None:
        """Refuse a source that no foreign key links to what is in FROM, where one must."""
        if self.keys is not None and select.sources and not self.keys.linked(table, select.sources):
            raise RuleViolation("joins", f"no foreign key links {table or 'a derived table'} to what is in FROM")

    def able(self, select: SelectScope) -> bool:
        """Say whether ON can say what it must of a source that has just been joined, where keys join."""
        return self.keys is None or select.join != "join" or bool(self._equations(select))

    def _equations(self, select: SelectScope) -> frozenset[Equation]:
        *others, last = select.sources
        return self.keys.equations(last, others) if self.keys else frozenset()

    def condition(self, select: SelectScope) -> KeyCondition | None:
        """Return what ON must say of the last source, where keys join: ``FROM city AS c JOIN state AS s ON``.

        Raises:
            RuleViolation: no key can be written with the names that the sources have.
        """
        if self.keys is None:
            return None
        equations = self._equations(select)
        if not equations:
            raise RuleViolation("joins", f"the key of {select.sources[-1].name} cannot be written with it")
        return KeyCondition(equations=equations)

    def fits(self, select: SelectScope, source: Source) -> None:
        """Refuse a source that does not resolve the references to its name: ``SELECT x.a FROM s AS x``, without s.a."""
        need = next((n for n in select.needs if n.name == source.name), None)
        bare = [
            (column, n) for n in select.needs if not n.name for column in n.columns & self.resolver.columns_of(source)
        ]
        for column, one in sorted(bare, key=lambda pair: pair[0]):
            able = self.resolver.resolves(source, one, column)
            self.check("sources", able, f"{column} of {source.name} is another column")
        if need is None or not source.name:
            return
        table = (source.table or source.common) in need.tables if need.tables else not source.table
        self.check("sources", table, f"{source.name} must be another source")
        if not need.tables:
            names = [name for name, _ in source.columns]
            complete = all(names.count(column) == 1 for column in need.columns)
            self.check("derived", complete, f"{source.name} must show {', '.join(sorted(need.columns))}")

    def merged(self, select: SelectScope, columns: frozenset[str]) -> SelectScope:
        """Return the SELECT where columns of a join are one, which no later source may show: ``JOIN s USING (a)``."""
        return select._replace(merged=select.merged | columns, bare=select.bare | columns) if columns else select

    def joinable(self, select: SelectScope) -> frozenset[str]:
        """Return the columns that may stand in USING behind ``FROM t JOIN s``."""
        *left, right = [s for s in select.sources if s.group == select.sources[-1].group]
        bare = self.resolver.columns_of(right) & self.resolver.bare.keys()
        seen = (c for c in bare if not self.resolver.hidden((*left, right), {c}))
        read = (c for c in seen if all(self.resolver.readable(s, c) for s in (*left, right)))
        able = frozenset(c for c in read if self._mergeable(select, left, right, c))
        return able if self.keys is None else able & self.keys.shared(right, left)

    def _mergeable(self, select: SelectScope, left: list[Source], right: Source, column: str) -> bool:
        """Say whether a column of two tables can become one: it was not written bare so far, and is of one type.

        ``SELECT a FROM t JOIN s USING (a)`` is refused: SQLite and MariaDB would read the a before FROM anew.
        """
        both = [s for s in (*left, right) if column in self.resolver.columns_of(s)]
        once = len(both) == 2 and all(s.table for s in both) and self.resolver.times(select, column) == 2
        values = [self.resolver.value(s, column) for s in both]
        return once and column not in select.bare and self.resolver.types.join(values) not in (None, "other")
