"""The names of sources: a table's own, numbered from its second use on.

Where a table has several keys into itself, the number says by which of them a use is referred to: see `later_uses`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice

from sqlglot import exp

from ...data.schema.later_uses import later_uses, names_in, referred_uses
from ...data.schema.schema import Schema, Table
from ...grammar.reading.quoting import Quoting
from .binding import Binder
from .derived_names import derived_name
from .self_links import referred_by, self_links
from .sources import QueryScope, QuerySource, own_keys

__all__ = ["Namer"]


class Namer:
    """Gives sources their names, and writes them in place of their keys."""

    def __init__(self, schema: Schema, quoting: Quoting, *, aliased: bool) -> None:
        self._quoting = quoting
        self._aliased = aliased  # the dialect takes no derived table without a name
        self._known = names_in(schema)
        self._keys = {table.name: len(referred_uses(table, self._known)) for table in schema.tables}

    def write(self, tree: exp.Expr, binder: Binder) -> None:
        """Name all sources of a query, and put the names into its tree."""
        derived = 0
        used = set(own_keys(tree))
        referred = referred_by(self_links(tree.find_all(exp.EQ), binder.sources))
        for scope in binder.scopes:
            self._name(scope, self._reached(scope, binder), referred)
            for source in scope.sources:
                if source.table is not None:
                    continue
                if source.key not in used:
                    _unname(source.node)
                if source.key in used or self._aliased:
                    derived += 1
                    source.name = derived_name(derived, self._known)
        for node in tree.find_all(exp.Table, exp.Subquery):
            if node.alias in binder.sources:
                self._put(node, binder.sources[node.alias])
        for column in tree.find_all(exp.Column):
            if column.table in binder.sources:
                self._own(column, binder.sources[column.table])
            if isinstance(column.this, exp.Identifier):
                column.set("this", self._identifier(column.name))

    def _reached(self, scope: QueryScope, binder: Binder) -> set[str]:
        """Return the names of sources around a SELECT that it or a SELECT in it refers to."""
        inside = {id(node) for node in scope.select.find_all(exp.Select)}
        own = {source.key for other in binder.scopes if id(other.select) in inside for source in other.sources}
        reached = (binder.sources[key].name for key in own_keys(scope.select) if key not in own)
        return set(map(self._quoting.key, reached))

    def _name(self, scope: QueryScope, taken: set[str], referred: Mapping[str, int]) -> None:
        """Name the tables of one FROM: each's first use, then what one of several keys refers to, then the rest."""
        for choice in range(3):
            for source in scope.sources:
                if source.table is None or source.name:
                    continue
                names = self._names(source.table, referred.get(source.key))[choice]
                source.name = next((name for name in names if self._quoting.key(name) not in taken), "")
                taken.add(self._quoting.key(source.name))

    def _names(self, table: Table, number: int | None) -> tuple[Iterable[str], Iterable[str], Iterable[str]]:
        """Return the names that a use may have: the table's own, those of its key, those of all later uses."""
        keys, later = self._keys[table.name], later_uses(table.name, self._known)
        several = number is not None and number < keys > 1
        return (table.name,), islice(later, number, None, keys) if several else (), later

    def _put(self, node: exp.Expr, source: QuerySource) -> None:
        alias = bool(source.name)
        if source.table is not None:
            node.set("this", self._identifier(source.table.own_name))
            node.set("db", self._identifier(source.table.namespace) if source.table.qualified else None)
            alias = source.name != source.table.name
        node.set("alias", exp.TableAlias(this=self._identifier(source.name)) if alias else None)

    def _own(self, column: exp.Column, source: QuerySource) -> None:
        """Write a source before its column, with the namespace if it is a table by its own name."""
        table = source.table if source.table is not None and source.name == source.table.name else None
        column.set("table", self._identifier(source.name if table is None else table.own_name))
        column.set("db", self._identifier(table.namespace) if table is not None and table.qualified else None)

    def _identifier(self, name: str) -> exp.Identifier:
        return exp.to_identifier(name, quoted=self._quoting.write(name) != name)


def _unname(derived: exp.Expr) -> None:
    """Take away the names of a derived table's outputs, which nothing asks for."""
    select = derived.this
    while not isinstance(select, exp.Select):
        select = select.this
    for output in [one for one in select.expressions if isinstance(one, exp.Alias)]:
        output.replace(output.this)
