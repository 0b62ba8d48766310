"""Which names can be written where a query stands, and which of their words cost the same there."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ..types.abstract_values import AbstractValue
from .names import START, Column, Name
from .select_scope import Scope, SelectScope
from .visible import Resolver

Words = NDArray[np.intp]

_K = TypeVar("_K")
_V = TypeVar("_V")


class Candidates:
    """The names of one terminal's words.

    Args:
        resolver: of the words at hand.
        names: of each word of the terminal.
        on: the rules that hold.
        keyed: whether sources join along keys, so that of each it counts which of its columns can be written.
    """

    def __init__(
        self, resolver: Resolver, names: Mapping[int, Name], on: frozenset[str], *, keyed: bool = False
    ) -> None:
        self._resolver = resolver
        self._on = on
        self._keyed = keyed
        listed = _listed((name, word) for word, name in names.items())
        self._own = {name: np.array(words, np.intp) for name, words in listed.items()}
        self._by_owner = _listed((name.owner, name) for name in self._own)
        self._by_name = _listed((name.name, name) for name in self._own)
        self._columns_of_sources = any(name.column and not name.owner and not name.tables for name in self._own)
        self._free = self._free_owners()
        kinds = dict[object, int]()  # numbers are sooner compared
        self._kinds = {name: kinds.setdefault(self._kind(name), len(kinds)) for name in self._own}

    def _free_owners(self) -> dict[str, object]:
        """Return the aliases that are no table's name, each with what distinguishes those not in use."""
        catalogue = self._resolver.catalogue
        tables = {catalogue.key(name) for name in (*catalogue.names.values(), *catalogue.within.values())}
        owned = self._resolver.owned if self._keyed else dict[str, Hashable]()
        return {
            owner: (owned.get(owner), owner in catalogue.derived)
            for owner in {name.owner for name in self._own} & catalogue.aliases
            if catalogue.key(owner) not in tables
        }

    def _kind(self, name: Name) -> object:
        """Return all that the scope must know of a column's name as long as the select list does not mention it."""
        owner = self._free.get(name.owner, name.owner)
        if not name.tables:
            return (owner, name.name, name.column)
        having = frozenset(t for t, columns in self._resolver.catalogue.columns.items() if name.name in columns)
        ordered = all(v.type != "other" for t in name.tables if (v := self._resolver.values.get((t, name.name))))
        return (owner, name.tables, ordered, None if name.owner else having)

    def called(self, column: Column) -> Words:
        """Return the words of a column, with its owner and bare."""
        owner, name = column
        found = [self._own[n] for n in self._by_name.get(name, ()) if n.owner in ("", owner)]
        return np.concatenate(found) if found else np.zeros(0, np.intp)

    def derived(self, scope: Scope) -> Iterator[tuple[Words, AbstractValue]]:
        """Yield the words of columns of derived tables that are written already, with what they hold."""
        around: Scope | None = scope
        seen: set[str] = set()
        while around is not None and around.select.clause != "items":  # there FROM is still to come
            for source in around.select.sources:
                for name in () if source.table or source.name in seen else self._by_owner.get(source.name, ()):
                    if not name.tables and name.name in self._resolver.columns_of(source):
                        yield self._own[name], self._resolver.held(self._resolver.value(source, name.name))
            seen.update(source.name for source in around.select.sources)
            around = around.outer
        for table in around.select.common if around else ():
            for name in () if table.name in seen else self._by_owner.get(table.name, ()):
                if not name.tables and (value := table.value(name.name)):
                    yield self._own[name], self._resolver.held(value)

    def bare(self, scope: Scope) -> Iterator[tuple[Words, AbstractValue]]:
        """Yield the words of bare columns of derived tables and of queries of WITH, with what they hold."""
        for name in self._by_owner.get("", ()) if self._columns_of_sources else ():
            if not name.tables and (value := self._bare_value(scope, name)):
                yield self._own[name], value

    def _bare_value(self, scope: Scope, name: Name) -> AbstractValue | None:
        around: Scope | None = scope
        while around is not None and around.select.clause != "items":
            for source in around.select.sources:
                if name.name in self._resolver.columns_of(source):
                    return self._resolver.held(self._resolver.value(source, name.name))
            around = around.outer
        return self._resolver.common_column(name.name, around.select.common)[1] if around else None

    def groups(self, scope: Scope, place: str) -> Iterator[tuple[Name, Words]]:
        """Yield a name and the words that cost what it costs at a place; words that are left out cannot come."""
        select = scope.select
        match place:
            case "column" | "star" if select.clause == "items":
                yield from self._written(select)
            case "column" | "per_key" if {"visible", "ambiguous"} <= self._on and not (
                select.clause == "order" and select.compound
            ):
                yield from self._visible(scope)
            case "output" if "output names" in self._on:
                yield from self._each(n for o in select.outputs for n in self._by_name.get(o.name, ()))
            case "common_table" if "visible" in self._on:
                yield from self._each(n for t in select.common for n in self._by_owner.get(t.name, ()))
            case "number" if select.term != START or select.clause not in {"group", "order"}:
                yield from self._alike(lambda name: None)
            case "naming" if select.clause == "items" and not select.derived:
                # any name of an item, but for those that would hide a key from GROUP BY
                keys = select.bare_plain if select.aggregated else frozenset[str]()
                yield from self._alike(lambda name: name.name if name.name in keys else None)
            case "naming" if select.clause == "from":
                yield from self._named(select)
            case _:
                yield from self._own.items()

    def _each(self, names: Iterable[Name]) -> Iterator[tuple[Name, Words]]:
        for name in dict.fromkeys(names):
            yield name, self._own[name]

    def _alike(self, key: Callable[[Name], object]) -> Iterator[tuple[Name, Words]]:
        """Yield the names that have one key together."""
        for alike in _listed((key(name), name) for name in self._own).values():
            yield alike[0], np.concatenate([self._own[name] for name in alike])

    def _written(self, select: SelectScope) -> Iterator[tuple[Name, Words]]:
        """Yield the columns of a select list: those of a kind together, and each that is known to it already.

        Aliases that nothing names yet are as good as one another.
        """
        named = {need.name for need in select.needs}.union(t.name for t in select.common)
        named = named.union(owner for owner, _ in select.plain) - {""}
        known = {name for _, name in select.plain} | select.bare
        known = known.union(*(need.columns for need in select.needs))
        known.update(column for table in select.common for column, _ in table.columns)
        if select.aggregated:
            known |= {name for name, _ in self._resolver.named(select)}

        def key(name: Name) -> object:
            owner = name.owner if name.owner in named else self._free.get(name.owner, name.owner)
            if select.derived or name.name in known:
                return name.name, owner, name.tables
            return (owner, self._kinds[name]) if name.owner in named else self._kinds[name]

        yield from self._alike(key)

    def _visible(self, scope: Scope) -> Iterator[tuple[Name, Words]]:
        """Yield the columns that some query around here shows."""
        around: Scope | None = scope
        owners: set[str] = set()
        columns: set[str] = set()
        while around is not None:
            for source in around.select.sources:
                owners.add(source.name)
                columns |= self._resolver.columns_of(source)
            if around.select.clause == "items":  # may still get any source
                owners |= self._by_owner.keys() - {""}
                columns |= self._by_name.keys()
            around = around.outer
        yield from self._each(n for owner in owners for n in self._by_owner.get(owner, ()) if owner)
        yield from self._each(n for n in self._by_owner.get("", ()) if n.name in columns)

    def _named(self, select: SelectScope) -> Iterator[tuple[Name, Words]]:
        """Yield the names for a source: those that are taken or referred to, and any other."""
        key, free = self._resolver.catalogue.key, self._free
        known = {key(one.name) for one in (*select.sources, *select.needs, *select.common)}
        yield from self._alike(lambda n: free[n.owner] if n.owner in free and key(n.owner) not in known else n)


def _listed(pairs: Iterable[tuple[_K, _V]]) -> dict[_K, list[_V]]:
    found: dict[_K, list[_V]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return found
