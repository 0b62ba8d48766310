"""How many words a SELECT still needs beyond those that the grammar alone counts, GROUP BY's among them.

The grammar's shortest completion counts FROM and its tables as nothing, because only the scope knows how many there
must be: ``SELECT t.a, s.b`` needs ``FROM t , s``, 4 words. The count falls by one with each of these words that is
written, so that the two costs together are the fewest words that finish the query.
"""

from collections.abc import Set
from dataclasses import dataclass, field
from itertools import islice

from ..types.abstract_values import AbstractValue, RuleViolation
from .join_tree_cost import NEVER, JoinTreeCost, Widths
from .joins import Joins
from .names import STARRED, START, Source
from .select_scope import SelectScope
from .visible import Resolver

_ANY = AbstractValue("any", 10)


@dataclass
class CompletionCost:
    """Counts the words that a SELECT still needs under the rules that are on.

    Attributes:
        named_only: whether all columns of a derived table but one must have names.
    """

    resolver: Resolver
    sources: JoinTreeCost
    on: frozenset[str]
    named_only: bool = field(init=False)
    joins: Joins = field(init=False)
    widths: Widths = field(init=False)

    def __post_init__(self) -> None:
        quirks = self.resolver.quirks
        self.named_only = quirks.derived_names_differ and "derived" in self.on
        self.optional_alias = quirks.optional_alias
        self.joins = Joins(self.resolver, self.on, self.sources.keys)
        most = self.resolver.types.widest if "width" in self.on else 0
        self.widths = Widths(self.resolver.catalogue, most)

    def of(self, select: SelectScope) -> int:
        """Return the words that ``select`` still needs, `NEVER` if it cannot be finished."""
        if select.clause == "items" and select.pending == "name":
            return min((self.of(select._replace(pending="", alias=a)) for a in self._labels(select)), default=NEVER)
        if not self.widths.fits(select):
            return NEVER
        match select.clause:
            case "items":
                cost = self._items(select)
            case "with" if select.pending in {"name", "defined", "open"}:
                cost = self._items(self.opened(select))
            case "from" | "on" | "using":
                cost = self._from(select)
            case _:
                cost = 0
        own = self._own(select) if select.clause == "items" else frozenset[str]()
        # where no column can be written, a key costs more than a word
        able = select.clause != "group" or select.term != START or self.resolver.writable(select)
        return min(cost + self._keys(select, own) + (0 if able else 2), NEVER)

    def _items(self, select: SelectScope) -> int:
        cost = self._required(select) + self._unnamed(select)
        own = self._own(select)
        if own:
            cost += self.sources.providing(own, select)
        elif select.needs or select.star:
            cost += self.sources.least(select, atleast=1)  # FROM stands for the first comma
        elif select.same is not None:
            cost += 2  # the star will need a FROM
        return cost

    def _labels(self, select: SelectScope) -> frozenset[str]:
        """Return the names that an item may be given: those that are required, and the first of the others."""
        if not select.derived:
            return frozenset(sorted(self._aliases(select) | (self.resolver.catalogue.labels & {_name(select)}))[:1])
        free = self.free(select)
        return free & select.required | frozenset(sorted(free - select.required)[:1])

    def free(self, select: SelectScope) -> frozenset[str]:
        """Return the names that an item of a derived table may be given: no other is called so, or may be."""
        return frozenset(a for a in self._aliases(select) - select.barred if not self.shows(select, a))

    def shows(self, select: SelectScope, name: str) -> bool:
        """Say whether a derived table shows a name already; a column without AS may be it: ``(SELECT 1 + a``."""
        names = {o.name for o in select.outputs}
        return name in names or ("" in names and self.named_only and self.resolver.may_title({name}))

    def _aliases(self, select: SelectScope) -> frozenset[str]:
        """Return the names that are no column which GROUP BY must name: as an item's name it would hide that one."""
        labels = self.resolver.catalogue.labels
        if not select.aggregated:
            return labels
        taken = self.resolver.several(select) if "ambiguous" in self.on else frozenset[str]()
        return labels - select.bare_plain - taken

    def _own(self, select: SelectScope) -> frozenset[str]:
        """Return the columns that a derived table must still show by their own names."""
        return select.required - self._aliases(select) - {_name(select)}

    def _required(self, select: SelectScope) -> int:
        """Return the words of the columns that a derived table must still show."""
        if not select.required:
            return 0
        rest = select.required - {_name(select)}
        aliases = len(rest & self._aliases(select))
        words = 3 * aliases + 2 * (len(rest) - aliases)
        if select.alias or len(rest) < len(select.required) or select.term == STARRED:
            return words
        if select.term == START and len(rest) > aliases:
            return words - 2  # the item that the grammar requires is one of these columns
        return words - 2 * (aliases > 0)

    def _unnamed(self, select: SelectScope) -> int:
        """Return the word of an alias where a column of a derived table may not go without a name."""
        # where names differ: if it is a literal, or if another has none
        if select.compound or not (select.named or (self.named_only and select.derived)):
            return 0
        aliases = self._aliases(select)
        if (select.term == START and select.required) or select.required & aliases:
            return 0  # the item will be a required column
        # a column of a hidden type is cast, or compared, and loses its name
        own = select.column is not None and self.resolver.can_show_by_name(select, select.column)
        named = select.alias or own or select.term == STARRED
        return 0 if named else 1 if self.free(select) else NEVER

    def _from(self, select: SelectScope) -> int:
        match select.pending:
            case "source":
                return self._source(select)
            case "table":
                return min(self._placed(select), 1 + self._aliased(select))
            case "name":
                return self._aliased(select)
            case "open" | "inner" | "derived":
                return self._derived(select)
            case _ if select.clause == "using" or select.join == "full" or not self.joins.able(select):
                columns = self.joins.joinable(select)
                open_ = (2 + 2 * self.sources.bare_joins) * (select.clause == "from")
                least = self.sources.least(self.joins.merged(select, columns)) + open_
                return least if columns or "common columns" not in self.on else NEVER
            case _:
                return self.sources.least(select) + self.sources.condition(select)

    def _source(self, select: SelectScope) -> int:
        """Return the words needed before a source is written."""
        if select.join != "full":
            least = self.sources.least(select, atleast=1)
            return least + self.sources.condition(select) - 1 if least < NEVER else NEVER
        tables = (select._replace(pending="table", written=Source("", t)) for t in self.resolver.catalogue.names)
        return 1 + min((self._from(after) for after in tables), default=NEVER)

    def _placed(self, select: SelectScope, name: str = "") -> int:
        """Return the words needed once the pending source has a name, or a table its own."""
        try:
            after = self.joins.placed(select, name)
        except RuleViolation:
            return NEVER
        if not self.widths.fits(after):
            return NEVER
        still = self._from(after)
        # beside a star there is one source
        return still if not (still and self.named_only and select.derived and select.star) else NEVER

    def _aliased(self, select: SelectScope) -> int:
        """Return the fewest words needed once the pending source has an alias."""
        catalogue = self.resolver.catalogue
        able = catalogue.aliases - catalogue.derived if select.pending == "table" else catalogue.aliases
        still = [n.name for n in select.needs if n.name in able]
        return min((self._placed(select, name) for name in (*still, *self._spare(select))), default=NEVER)

    def _spare(self, select: SelectScope) -> list[str]:
        """Return an alias that no source has or will have, if there is one; no table's name, if that can be.

        Where keys join, it is one that the table can be joined under.
        """
        free = self.resolver.free_aliases(select)
        if self.sources.keys is None or select.written is None or not select.sources:
            return [*islice(free, 1)]
        written, sources = select.written, select.sources
        able = (n for n in free if self.joins.able(select._replace(sources=(*sources, written._replace(name=n)))))
        return [*islice(able, 1)]

    def _derived(self, select: SelectScope) -> int:
        """Return what is needed while a derived table is written that resolves the reference it was begun for."""
        promised = select.promised
        if select.pending == "derived" and promised is None:
            return self._placed(select) if self.optional_alias else self._aliased(select)
        extra = int(self.optional_alias and promised is not None)
        name = promised.name if promised else ""
        if select.pending == "derived":
            return self._placed(select, name) + extra
        required = promised.columns if promised else frozenset[str]()
        if select.pending == "open":
            extra += self._items(self.opened(select))
        stand_in = select._replace(written=Source(name, "", tuple((column, _ANY) for column in sorted(required))))
        if promised is None and not self.optional_alias:
            return self._aliased(stand_in) + extra
        return self._placed(stand_in, name) + extra

    def opened(self, select: SelectScope) -> SelectScope:
        """Return the SELECT of a derived table that begins."""
        required = select.promised.columns if select.promised else frozenset[str]()
        named = "ambiguous" in self.on and self.resolver.may_title(required | select.bares)
        opened = SelectScope("items", derived=True, held=select.held, room=self.widths.inner(select), term=START)
        opened = opened._replace(required=required, barred=select.bares, named=named, made_of=select.made_of)
        return opened._replace(common=select.common)

    def showable(self, outer: SelectScope, inner: SelectScope, column: str, tables: frozenset[str]) -> bool:
        """Say whether a derived table may show a column of ``tables``, too: FROM then needs no more words beside it."""
        if column in outer.bare:
            return False
        matching = [n for n in outer.needs if not n.name and column in n.columns]
        if not matching:
            return True
        if outer.aggregated and ("", column) in outer.correlated:
            return False
        names = {o.name for o in inner.outputs}
        if not tables or column in names or not all(tables <= n.tables for n in matching):
            return False
        if not all(self.resolver.kept(column, self.resolver.values[table, column]) for table in tables):
            return False
        return self._beside(outer, names | {column}) <= min(self._beside(outer, names), NEVER - 1)

    def _beside(self, outer: SelectScope, names: Set[str]) -> int:
        """Return the words that FROM needs beside a derived table which shows some columns."""
        resolved = {n for n in outer.needs if not n.name and n.columns & names}
        bare = outer.bare | {c for n in resolved for c in n.columns}
        source = Source("", "", tuple((column, _ANY) for column in sorted(names)))
        needs, sources = outer.needs - resolved, (*outer.sources, source)
        return self.sources.least(outer._replace(needs=needs, sources=sources, bare=bare, pending=""))

    # ---- the keys of GROUP BY

    def _keys(self, select: SelectScope, own: Set[str]) -> int:
        """Return the words of the keys that GROUP BY still needs, `NEVER` if not all columns can be keys.

        After ``SELECT a, MAX(b) FROM t`` these are 3, ``GROUP BY a``; after ``GROUP BY c`` 2, ``, a``.
        ``own`` are the columns that a derived table must still show by their own names.
        """
        grouped = select.aggregated or select.grouped
        if grouped and "ambiguous" in self.on and self.resolver.alike(select):
            return NEVER
        if "grouping" not in self.on:
            return 0
        if (select.aggregated and self.resolver.hidden_keys(select)) or (grouped and not self._groupable(select, own)):
            return NEVER
        if select.clause == "group":
            now = {self.resolver.identity(select, select.column)} if select.column else set[object]()
            missing = len(self.resolver.ungrouped(select) - now)
            more = missing - (select.term == START)
            return max(0, 2 * more)
        if select.aggregated and select.clause in {"items", "from", "on", "using", "closed", "where"}:
            count = len(select.plain) + len(own)
            return 2 * count + 1 if count else 0
        return 0

    def _groupable(self, select: SelectScope, own: Set[str]) -> bool:
        if self.resolver.unmatched(select):
            return False
        if not self.resolver.types.strict or "comparisons" not in self.on:
            return True
        return all(self.resolver.groupable(select, c) for c in select.plain) and all(map(self.resolver.ordered, own))

    def check_grouped(self, select: SelectScope) -> None:
        """Refuse columns that GROUP BY does not name: ``SELECT a, MAX(b) FROM t GROUP BY b``.

        Raises:
            RuleViolation: with the columns.
        """
        missing = self.resolver.ungrouped(select)
        if "grouping" in self.on and (select.aggregated or select.grouped) and missing:
            names = ", ".join(sorted(name for _, name in missing))
            raise RuleViolation("grouping", f"{names} must be in GROUP BY")


def _name(select: SelectScope) -> str:
    """Return the name that the item being written has so far, empty if none."""
    return select.alias or (select.column[1] if select.column else "")
