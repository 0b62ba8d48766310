"""How many words a level still owes beyond those that the grammar alone asks for.

The grammar's shortest completion counts FROM and its tables as nothing, because only the scope knows how many there
must be. What is counted here falls by one with each word that pays, so that the two together are the fewest words
that finish the query.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, field

from ..phrases import Refused
from ..values import Value
from .columns import Columns
from .grouping import Grouping
from .joins import Joins
from .levels import STARRED, START, Level, Source
from .sources import NEVER, SourceCosts
from .widths import Widths

__all__ = ["Costs"]

_ANY = Value("any", 10)


@dataclass
class Costs:
    """The costs under the rules that are on; ``optional_alias`` where a derived table needs no name, ``named_only``
    where all its columns but one do.
    """

    columns: Columns
    sources: SourceCosts
    on: frozenset[str]
    optional_alias: bool
    named_only: bool
    grouping: Grouping = field(init=False)
    joins: Joins = field(init=False)
    widths: Widths = field(init=False)

    def __post_init__(self) -> None:
        self.grouping = Grouping(self.columns, self.on)
        self.joins = Joins(self.columns, self.on)
        most = self.columns.types.widest if "width" in self.on else 0
        # to PostgreSQL the keys of ORDER BY are columns, too
        self.widths = Widths(self.columns.catalogue, most, keyed=self.columns.dialect == "postgres")

    def of(self, level: Level) -> int:
        """Return the words that ``level`` owes, `NEVER` if it cannot be finished."""
        if level.clause == "items" and level.pending == "name":
            return min((self.of(level._replace(pending="", alias=a)) for a in self._labels(level)), default=NEVER)
        if not self.widths.fits(level):
            return NEVER
        match level.clause:
            case "items":
                cost = self._items(level)
            case "from" | "on" | "using":
                cost = self._from(level)
            case _:
                cost = 0
        own = self._own(level) if level.clause == "items" else frozenset[str]()
        return min(cost + self.grouping.owed(level, own) + self._terms(level), NEVER)

    def _items(self, level: Level) -> int:
        cost = self._asked(level) + self._unnamed(level)
        own = self._own(level)
        if own:
            cost += self.sources.providing(own, level)
        elif level.needs or level.star:
            cost += self.sources.least(level, atleast=1)  # FROM stands for the first comma
        elif level.same is not None:
            cost += 2  # the star will need a FROM
        return cost

    def _labels(self, level: Level) -> frozenset[str]:
        """Return the names that an item may be given: those asked for, and the first of the others."""
        if not level.derived:
            return frozenset(sorted(self._aliases(level) | (self.columns.catalogue.labels & {_name(level)}))[:1])
        free = self.free(level)
        return free & level.asked | frozenset(sorted(free - level.asked)[:1])

    def free(self, level: Level) -> frozenset[str]:
        """Return the names that an item of a derived table may be given: no other is called so, or may be."""
        return frozenset(a for a in self._aliases(level) - level.barred if not self.shows(level, a))

    def shows(self, level: Level, name: str) -> bool:
        """Say whether a derived table shows a name already; on MySQL a column without one may be it."""
        shown = {o.name for o in level.outputs}
        return name in shown or ("" in shown and self.named_only and self.columns.told({name}))

    def _aliases(self, level: Level) -> frozenset[str]:
        """Return the names that are no column which GROUP BY must name: as an item's name it would hide that one."""
        labels = self.columns.catalogue.labels
        if not level.aggregated:
            return labels
        taken = self.columns.several(level) if "ambiguous" in self.on else frozenset[str]()
        return labels - level.bare_plain - taken

    def _own(self, level: Level) -> frozenset[str]:
        """Return the columns that a derived table must still show by their own names."""
        return level.asked - self._aliases(level) - {_name(level)}

    def _asked(self, level: Level) -> int:
        """Return the words of the columns that a derived table must still show."""
        if not level.asked:
            return 0
        rest = level.asked - {_name(level)}
        aliases = len(rest & self._aliases(level))
        words = 3 * aliases + 2 * (len(rest) - aliases)
        if level.alias or len(rest) < len(level.asked) or level.term == STARRED:
            return words
        if level.term == START and len(rest) > aliases:
            return words - 2  # the item that the grammar asks for is one of these columns
        return words - 2 * (aliases > 0)

    def _unnamed(self, level: Level) -> int:
        """Return the word of an alias where a column of a derived table may not go without a name."""
        # MySQL's needs one if it is a literal, or if another has none
        if level.compound or not (level.named or (self.named_only and level.derived)):
            return 0
        aliases = self._aliases(level)
        if (level.term == START and level.asked) or level.asked & aliases:
            return 0  # the item will be a column that is asked for
        # a column of a type that is not shown is cast, or compared, and loses its name
        own = level.column is not None and self.columns.shown_by_name(level, level.column)
        named = level.alias or own or level.term == STARRED
        return 0 if named else 1 if self.free(level) else NEVER

    def _from(self, level: Level) -> int:
        match level.pending:
            case "source":
                return self._source(level)
            case "table":
                return min(self._placed(level), 1 + self._aliased(level))
            case "name":
                return self._aliased(level)
            case "open" | "inner" | "derived":
                return self._derived(level)
            case _ if level.clause == "using" or level.join == "full":
                columns = self.joins.joinable(level)
                least = self.sources.least(self.joins.merged(level, columns)) + 2 * (level.clause == "from")
                return least if columns or "common columns" not in self.on else NEVER
            case _:
                return self.sources.least(level)

    def _source(self, level: Level) -> int:
        """Return what is owed before a source."""
        if level.join in {"", "comma", "join"}:
            return self.sources.least(level, atleast=1) - 1
        tables = (level._replace(pending="table", written=Source("", t)) for t in self.columns.catalogue.names)
        return 1 + min((self._from(after) for after in tables), default=NEVER)

    def _placed(self, level: Level, name: str = "") -> int:
        """Return what is owed once the pending source has a name, or a table its own."""
        try:
            after = self.joins.placed(level, name)
        except Refused:
            return NEVER
        if not self.widths.fits(after):
            return NEVER
        owed = self._from(after)
        # beside a star there is one source
        return owed if not (owed and self.named_only and level.derived and level.star) else NEVER

    def _aliased(self, level: Level) -> int:
        """Return the least that is owed once the pending source has an alias."""
        owed = [n.name for n in level.needs if n.name in self.columns.catalogue.aliases]
        return min((self._placed(level, name) for name in (*owed, *self._spare(level))), default=NEVER)

    def _spare(self, level: Level) -> list[str]:
        """Return an alias that no source has or will have, if there is one; no table's name, if that can be."""
        tables = {name.lower() for name in self.columns.catalogue.names.values()}
        return sorted(self.columns.free_aliases(level), key=lambda name: (name.lower() in tables, name))[:1]

    def _derived(self, level: Level) -> int:
        """Return what is owed while a derived table is written: it is for the need that was promised it."""
        promised = level.promised
        if level.pending == "derived" and promised is None:
            return self._placed(level) if self.optional_alias else self._aliased(level)
        extra = int(self.optional_alias and promised is not None)
        name = promised.name if promised else ""
        if level.pending == "derived":
            return self._placed(level, name) + extra
        asked = promised.columns if promised else frozenset[str]()
        if level.pending == "open":
            extra += self._items(self.opened(level))
        stand_in = level._replace(written=Source(name, "", tuple((column, _ANY) for column in sorted(asked))))
        if promised is None and not self.optional_alias:
            return self._aliased(stand_in) + extra
        return self._placed(stand_in, name) + extra

    def opened(self, level: Level) -> Level:
        """Return the level of a derived table that begins."""
        asked = level.promised.columns if level.promised else frozenset[str]()
        named = "ambiguous" in self.on and self.columns.told(asked | level.bares)
        room = self.widths.inner(level)
        return Level("items", derived=True, room=room, asked=asked, barred=level.bares, named=named, term=START)

    def showable(self, outer: Level, inner: Level, column: str, tables: frozenset[str]) -> bool:
        """Say whether a derived table may show a column of ``tables`` too: what FROM owes beside it gets no dearer."""
        if column in outer.bare:
            return False
        asked = [n for n in outer.needs if not n.name and column in n.columns]
        if not asked:
            return True
        if outer.aggregated and ("", column) in outer.correlated:
            return False
        shown = {o.name for o in inner.outputs}
        if not tables or column in shown or not all(tables <= n.tables for n in asked):
            return False
        if not all(self.columns.kept(column, self.columns.values[table, column]) for table in tables):
            return False
        return self._beside(outer, shown | {column}) <= min(self._beside(outer, shown), NEVER - 1)

    def _beside(self, outer: Level, shown: Set[str]) -> int:
        """Return what FROM owes beside a derived table that shows some columns."""
        paid = {n for n in outer.needs if not n.name and n.columns & shown}
        bare = outer.bare | {c for n in paid for c in n.columns}
        source = Source("", "", tuple((column, _ANY) for column in sorted(shown)))
        needs, sources = outer.needs - paid, (*outer.sources, source)
        return self.sources.least(outer._replace(needs=needs, sources=sources, bare=bare, pending=""))

    def _terms(self, level: Level) -> int:
        """Return what a key costs more than a word where no column can be written."""
        able = level.clause != "group" or level.term != START or self.columns.writable(level)
        return 0 if able else 2


def _name(level: Level) -> str:
    """Return the name that the item being written has so far, empty if none."""
    return level.alias or (level.column[1] if level.column else "")
