"""How many words a level still owes beyond those that the grammar alone asks for.

The grammar's shortest completion counts FROM and its tables as nothing, because only the scope knows how many there
must be. What is counted here falls by one with each word that pays, so that the two together are the fewest words
that finish the query.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..phrases import Refused
from ..values import Value
from .columns import Columns
from .levels import STARRED, START, Level, Source
from .sources import NEVER, SourceCosts

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

    def of(self, level: Level) -> int:
        """Return the words that ``level`` owes, `NEVER` if it cannot be finished."""
        if level.clause == "items" and level.pending == "name":
            return min((self.of(level._replace(pending="", alias=a)) for a in self._labels(level)), default=NEVER)
        match level.clause:
            case "items":
                cost = self._items(level)
            case "from" | "on" | "using":
                cost = self._from(level)
            case _:
                cost = 0
        return min(cost + self._grouping(level) + self._terms(level), NEVER)

    def _items(self, level: Level) -> int:
        cost = self._asked(level) + self._unnamed(level)
        own = self._own(level)
        if own:
            cost += self.sources.providing(own, level)
        elif level.needs or level.star:
            cost += self.sources.least(level, atleast=1)  # FROM stands for the first comma
        return cost

    def _labels(self, level: Level) -> frozenset[str]:
        """Return the names that an item may be given: those asked for, and the first of the others."""
        aliases = self.columns.catalogue.labels
        if not level.derived:
            return frozenset(sorted(aliases)[:1])
        free = aliases - {o.name for o in level.outputs}
        return free & level.asked | frozenset(sorted(free - level.asked)[:1])

    def _own(self, level: Level) -> frozenset[str]:
        """Return the columns that a derived table must still show by their own names."""
        return level.asked - self.columns.catalogue.labels - {_name(level)}

    def _asked(self, level: Level) -> int:
        """Return the words of the columns that a derived table must still show."""
        if not level.asked:
            return 0
        rest = level.asked - {_name(level)}
        aliases = len(rest & self.columns.catalogue.labels)
        words = 3 * aliases + 2 * (len(rest) - aliases)
        if level.alias or len(rest) < len(level.asked) or level.term == STARRED:
            return words
        if level.term == START and len(rest) > aliases:
            return words - 2  # the item that the grammar asks for is one of these columns
        return words - 2 * (aliases > 0)

    def _unnamed(self, level: Level) -> int:
        """Return the word of an alias where two columns of a derived table may not go without a name."""
        if level.compound or not (self.named_only and level.derived) or all(o.name for o in level.outputs):
            return 0
        aliases = self.columns.catalogue.labels
        if (level.term == START and level.asked) or level.asked & aliases:
            return 0  # the item will be a column that is asked for
        named = level.alias or level.column or level.term == STARRED
        free = aliases - {o.name for o in level.outputs}
        return 0 if named else 1 if free else NEVER

    def _from(self, level: Level) -> int:
        full = level.join == "full" and level.clause == "from" and "full join" in self.on
        extra = 2 if full else 0
        match level.pending:
            case "source" if level.join.startswith("natural") or full:
                join = "full" if full else "natural"
                tables = [t for t in self.columns.catalogue.names if self.columns.joins(level, t, join)]
                able = (self._from(level._replace(pending="table", written=Source("", t))) for t in tables)
                return 1 + min(able, default=NEVER)
            case "source":
                return self.sources.least(level, atleast=1) - 1 + extra
            case "table":
                return min(self._named(level, ""), 1 + self._aliased(level)) + extra
            case "name":
                return 1 + self._aliased(level) + extra
            case "open" | "inner" | "derived":
                return self._derived(level) + extra
            case _:
                return self.sources.least(level) + extra

    def _named(self, level: Level, name: str) -> int:
        """Return what is owed once the pending source has ``name``, or a table its own."""
        assert level.written is not None
        own = name or (self.columns.catalogue.names.get(level.written.table, "") if level.written.table else "")
        need = next((n for n in level.needs if n.name == own and own), None)
        if own and "unique" in self.on and own.lower() in {s.name.lower() for s in level.sources}:
            return NEVER
        if own and any(n.name != own and n.name.lower() == own.lower() for n in level.needs):
            return NEVER
        if need is not None and (level.written.table not in need.tables if need.tables else bool(level.written.table)):
            return NEVER
        return self._after(level, level.written._replace(name=own))

    def _after(self, level: Level, source: Source) -> int:
        needs = frozenset(n for n in level.needs if not source.name or n.name != source.name)
        kept = frozenset(n for n in needs if n.name or not self.columns.shows(source, n))
        if "sources" in self.on and any(not self.columns.holds(source, c) for n in needs - kept for c in n.columns):
            return NEVER
        bare = level.bare | {c for n in needs - kept for c in n.columns}
        after = level._replace(needs=kept, sources=(*level.sources, source), bare=bare, pending="")
        if level.join.startswith("natural"):
            common = self.columns.common(after) or frozenset()
            after = after._replace(merged=after.merged | {(column, -1, source.group) for column in common})
        least = self.sources.least(after)
        # beside a star there is one source
        return least if not (least and self.named_only and level.derived and level.star) else NEVER

    def _aliased(self, level: Level) -> int:
        """Return the least that is owed once the pending source has an alias."""
        owed = [n.name for n in level.needs if n.name in self.columns.catalogue.aliases]
        free = self.columns.free_aliases(level)
        names = [*owed, *([min(free)] if free else [])]
        return min((self._named(level, name) for name in names), default=NEVER)

    def _derived(self, level: Level) -> int:
        """Return what is owed while a derived table is written: it is for the need that was promised it."""
        needs = level.needs - ({level.promised} if level.promised else frozenset())
        shown = level.promised.columns if level.promised else frozenset[str]()
        name = level.promised.name if level.promised else ""
        if level.pending == "derived" and level.written is not None:
            if level.promised is None:
                return self._after(level, level.written)
            return self._named(level, name) + self.optional_alias
        stand_in = Source(name, "", tuple((column, _ANY) for column in sorted(shown)))
        rest = self.sources.least(level._replace(needs=needs, sources=(*level.sources, stand_in), pending=""))
        asked = 0
        if shown and level.pending == "open":
            asked = self._items(Level("items", derived=True, asked=shown, term=START))
        return rest + asked + (self.optional_alias and level.promised is not None)

    def showable(self, outer: Level, column: str, tables: frozenset[str]) -> bool:
        """Say whether a derived table may show a column of ``tables`` without confusing a bare one around it."""
        if column in outer.bare:
            return False
        asked = frozenset(n for n in outer.needs if not n.name and column in n.columns)
        if not asked:
            return True
        if not tables or not all(tables <= n.tables for n in asked):
            return False
        sources = (*outer.sources, Source("", "", ((column, _ANY),)))
        after = outer._replace(needs=outer.needs - asked, sources=sources, bare=outer.bare | {column}, pending="")
        return self.sources.least(after) < NEVER

    def _grouping(self, level: Level) -> int:
        if "grouping" not in self.on:
            return 0
        bound = (level.aggregated or level.grouped) and self.columns.types.strict and "comparisons" in self.on
        if bound and not all(self.columns.groupable(level, column) for column in level.plain):
            return NEVER
        if level.clause == "group":
            now = {self.columns.identity(level, level.column)} if level.column else set[object]()
            missing = len(level.plain - level.keys - now)
            more = missing - (level.term == START)
            return max(0, 2 * more)
        if level.aggregated and level.clause in {"items", "from", "on", "using", "closed", "where"}:
            count = len(level.plain) + (len(self._own(level)) if level.clause == "items" else 0)
            return 2 * count + 1 if count else 0
        return 0

    def _terms(self, level: Level) -> int:
        """Return what a key costs more than a word where no column can be written."""
        able = level.clause != "group" or level.term != START or self.columns.writable(level)
        return 0 if able else 2

    def check_grouping(self, level: Level) -> None:
        """Refuse columns beside aggregates that GROUP BY does not name.

        Raises:
            Refused: with the columns.
        """
        missing = level.plain - level.keys
        if "grouping" in self.on and (level.aggregated or level.grouped) and missing:
            names = ", ".join(sorted(name for _, name in missing))
            raise Refused("grouping", f"{names} must be in GROUP BY")


def _name(level: Level) -> str:
    """Return the name that the item being written has so far, empty if none."""
    return level.alias or (level.column[1] if level.column else "")
