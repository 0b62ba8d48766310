"""The names of sources: a table's own, numbered from its second use on."""

from __future__ import annotations

from collections.abc import Collection

from sqlglot import exp

from ...data.schema import Schema
from ...grammar.names import Quoting
from .binding import Binder
from .sources import Scope, Source, own_keys

__all__ = ["Namer", "second_use"]


def second_use(table: str, number: int) -> str:
    """Return what the ``number``-th use of a table is called, counted from 1."""
    return table if number == 1 else f"{table}_{number}"


class Namer:
    """Gives sources their names, and writes them in place of their keys."""

    def __init__(self, schema: Schema, quoting: Quoting, *, aliased: bool) -> None:
        self._quoting = quoting
        self._aliased = aliased  # the dialect takes no derived table without a name
        tables = {table.name.lower() for table in schema.tables}
        self._known = tables | {column.name.lower() for _, column in schema.columns()}

    def write(self, tree: exp.Expr, binder: Binder) -> None:
        """Name all sources of a query, and put the names into its tree."""
        derived = 0
        used = set(own_keys(tree))
        for scope in binder.scopes:
            taken = self._reached(scope, binder)
            for source in scope.sources:
                if source.table is not None:
                    self._name(source, taken)
                elif source.key in used or self._aliased:
                    derived += 1
                    while f"t{derived}" in self._known:
                        derived += 1
                    source.name = f"t{derived}"
                self._put(source)
        for column in tree.find_all(exp.Column):
            if column.table in binder.sources:
                column.set("table", self._identifier(binder.sources[column.table].name))
            if isinstance(column.this, exp.Identifier):
                column.set("this", self._identifier(column.name))

    def _reached(self, scope: Scope, binder: Binder) -> set[str]:
        """Return the names of sources around a SELECT that it or a SELECT in it refers to."""
        inside = {id(node) for node in scope.select.find_all(exp.Select)}
        own = {source.key for other in binder.scopes if id(other.select) in inside for source in other.sources}
        return {binder.sources[key].name.lower() for key in own_keys(scope.select) if key not in own}

    def _name(self, source: Source, taken: set[str]) -> None:
        assert source.table is not None
        table, number = source.table.name, 1
        while self._refused(second_use(table, number), number, taken):
            number += 1
        source.name = second_use(table, number)
        taken.add(source.name.lower())

    def _refused(self, name: str, number: int, taken: Collection[str]) -> bool:
        return name.lower() in taken or (number > 1 and name.lower() in self._known)

    def _put(self, source: Source) -> None:
        node = source.node
        alias = bool(source.name)
        if source.table is not None:
            node.set("this", self._identifier(source.table.name))
            alias = source.name != source.table.name
        node.set("alias", exp.TableAlias(this=self._identifier(source.name)) if alias else None)

    def _identifier(self, name: str) -> exp.Identifier:
        return exp.to_identifier(name, quoted=self._quoting.write(name) != name)
