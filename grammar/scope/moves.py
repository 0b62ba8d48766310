"""How words and finished phrases change the scope.

`Moves.word` and `Moves.event` return the next scope or raise `Refused`. What a word means to the scope depends on
where in the grammar it stands; `places.py` names these places.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ..phrases import Refused
from ..stacks import Event
from ..values import AGGREGATE, NONNEGATIVE, NONZERO, Value
from ..values import Columns as Shown
from .columns import Columns
from .costs import Costs
from .levels import ALIASED, OTHER, STARRED, START, Column, Level, Need, Output, Scope, Source
from .sources import NEVER, with_need

__all__ = ["Moves", "Name"]

SHOWN = AGGREGATE | NONNEGATIVE | NONZERO
ENDS = {"neutral", "keys_comma", "order_comma", "having", "order", "limit", "set"}
"""Places of words that end a term."""


@dataclass(frozen=True)
class Name:
    """What the scope must know of a word.

    Attributes:
        owner: what stands before the point, or an alias, as sources are told apart.
        name: of the column, table or alias, in lower case.
        tables: those that the word may mean, or be of.
        column: whether it is a column.
    """

    owner: str = ""
    name: str = ""
    tables: frozenset[str] = frozenset()
    column: bool = False


@dataclass
class Moves:
    """The moves under the rules that are on."""

    columns: Columns
    costs: Costs
    on: frozenset[str]
    optional_alias: bool
    root: Scope = field(init=False)

    def __post_init__(self) -> None:
        self.root = Scope(Level(), None, 0)
        self._events: dict[str, Callable[[Scope], Scope]] = {
            "source": self._source,
            "joined": self._joined,
            "join_on": self._conditioned,
            "from": self._from,
            "select": self._select,
            "keys": self._key,
            "operand": self._operand,
        }
        self._words: dict[str, Callable[[Scope, Name, bool], Scope]] = {
            name.removeprefix("_at_"): getattr(self, name) for name in dir(self) if name.startswith("_at_")
        }

    def make(self, level: Level, outer: Scope | None) -> Scope:
        """Return the scope of a level within others."""
        known = (outer or self.root).inner
        found = known.get(level)
        if found is None:
            cost = self.costs.of(level) + (outer.cost if outer else 0)
            found = known[level] = Scope(level, outer, min(cost, NEVER))
        return found

    def change(self, scope: Scope, **fields: Any) -> Scope:
        """Return the scope with another innermost level."""
        return self.make(scope.level._replace(**fields), scope.outer)

    def check(self, rule: str, holds: bool, problem: str) -> None:
        """Refuse if ``rule`` is on and does not hold."""
        if not holds and rule in self.on:
            raise Refused(rule, problem)

    def word(self, scope: Scope, place: str, name: Name, *, inside: bool) -> Scope:
        """Return the scope after a word at a place; ``inside`` an aggregate's brackets.

        Raises:
            Refused: the word breaks a rule there.
        """
        level = scope.level
        alone = level.term != ALIASED or place in ENDS
        self.check("output names", alone, "an output column stands alone in a term")
        move = self._words.get(place)
        if move is not None:
            return move(scope, name, inside)
        return scope if level.term == OTHER or place == "neutral" else self.change(scope, term=OTHER)

    def event(self, scope: Scope, event: Event) -> Scope:
        """Return the scope after a finished phrase.

        Raises:
            Refused: the phrase breaks a rule.
        """
        if event.head == "item":
            return self._item(scope, event.value)
        if event.head == "subquery":
            return self._subquery(scope, event.value)
        move = self._events.get(event.head)
        return scope if move is None else move(scope)

    # ---- queries

    def _at_select(self, scope: Scope, name: Name, inside: bool) -> Scope:
        level = scope.level
        if level.clause in {"start", "set"}:
            return self.change(
                scope, clause="items", term=START, outputs=() if level.clause == "start" else level.outputs
            )
        if level.pending == "open":
            asked = level.promised.columns if level.promised else frozenset[str]()
            outer = self.change(scope, pending="inner")
            return self.make(Level("items", derived=True, asked=asked, barred=level.bares, term=START), outer)
        outer = scope if level.term == OTHER else self.change(scope, term=OTHER)
        return self.make(Level("items", term=START, enclosed=inside), outer)

    def _at_distinct(self, scope: Scope, name: Name, inside: bool) -> Scope:
        unequal = [c for c in sorted(scope.level.asked) if not self.columns.ordered(c)]
        self.check("comparisons", not unequal, f"{', '.join(unequal)} must be shown and has no order")
        return self.change(scope, distinct=True)

    def _at_set(self, scope: Scope, name: Name, inside: bool) -> Scope:
        level = scope.level
        clash = level.barred & {o.name for o in level.outputs}
        self.check(
            "derived", not clash, f"{', '.join(sorted(clash))} of a set operator stands bare in the query around"
        )
        outputs = level.outputs if level.compound else tuple(self.columns.orderable(level, o) for o in level.outputs)
        after = Level("set", level.derived, level.enclosed, outputs=outputs, compound=True, same=self._same(level))
        return self.make(after._replace(nested=level.nested), scope.outer)

    def _same(self, level: Level) -> str | None:
        """Return the table that a star behind a set operator must be of, None if no star stands before it."""
        if not level.star:
            return None
        alone = len(level.sources) == 1 and bool(level.sources[0].table) and not level.derived
        self.check("column counts", alone, "before a set operator a star stands for one table")
        table = level.sources[0].table if alone else ""
        other = any(
            self.columns.values[table, c].type == "other" for c in self.columns.catalogue.columns.get(table, ())
        )
        self.check("comparisons", not other, "the star holds values that are never equal")
        return table

    def _at_leading(self, scope: Scope, name: Name, inside: bool) -> Scope:
        level = scope.level
        self.check("derived", level.pending != "open", "a derived table begins with SELECT")
        # within brackets behind a set operator this one opens an operand of their own
        within = level.clause == "set" and level.nested
        return self.change(scope, nested=level.nested + 1) if within else scope

    def _at_operand(self, scope: Scope, name: Name, inside: bool) -> Scope:
        return self.change(scope, nested=scope.level.nested + 1)

    def _operand(self, scope: Scope) -> Scope:
        level = scope.level
        return self.change(scope, nested=level.nested - 1) if level.nested else scope

    def _select(self, scope: Scope) -> Scope:
        level = scope.level
        if level.clause == "items":
            self.check("sources", not level.needs and not level.star, "the columns need a FROM")
            self.check("derived", not level.asked, f"the derived table must show {', '.join(sorted(level.asked))}")
        self.costs.check_grouping(level)
        return self.change(scope, clause="done", needs=frozenset[Need](), asked=frozenset[str]())

    def _subquery(self, scope: Scope, columns: Shown) -> Scope:
        inner, outer = scope.level, scope.outer
        if outer is None:  # the brackets of a first operand
            return scope
        if outer.level.pending == "inner":
            values = [o.value for o in inner.outputs]
            if inner.compound and columns.values is not None and len(columns.values) == len(values):
                values = list(columns.values)
            shown = tuple((o.name, v) for o, v in zip(inner.outputs, values, strict=True))
            return self.change(outer, pending="derived", written=Source("", "", shown))
        return outer

    # ---- the select list

    def _at_items_comma(self, scope: Scope, name: Name, inside: bool) -> Scope:
        lonely = scope.level.derived and self.costs.named_only and bool(scope.level.star)
        self.check("derived", not lonely, "a star stands alone in a derived table")
        return self.change(scope, term=START, alias="")

    def _at_star(self, scope: Scope, name: Name, inside: bool) -> Scope:
        level = scope.level
        self.check("grouping", not level.aggregated, "no star beside aggregates")
        self.check("ambiguous", not level.barred, "a star in a derived table beside bare columns")
        alone = not (level.derived and self.costs.named_only) or (
            not level.outputs and not level.needs and not level.star
        )
        self.check(
            "derived",
            alone and not (level.derived and self.costs.named_only and name.owner),
            "a star stands alone here",
        )
        self._once(scope, name)
        for column in sorted(self._promised(scope)):
            self._keyed(scope, column, None)
        if level.distinct and self.columns.types.strict:
            tables = name.tables or self.columns.catalogue.names.keys()
            equal = all(v.type != "other" for (table, _), v in self.columns.values.items() if table in tables)
            self.check("comparisons", equal, "the star holds values that are never equal")
        needs = level.needs
        asked = level.asked
        if name.owner:
            needs = self.need(scope, Need(name.owner, name.tables)).level.needs
        else:
            needs |= {self.columns.bare_need(column) for column in asked}
            asked = frozenset()
        found = self.change(scope, star=level.star | {name.owner or "*"}, needs=needs, asked=asked, term=STARRED)
        return self._payable(found, name.owner or "*")

    def _once(self, scope: Scope, name: Name) -> None:
        """Refuse a star in a derived table that may show a column twice that the query around it takes."""
        promised = self._promised(scope)
        if not promised:
            return
        level = scope.level
        if not name.owner:
            self.check("derived", not level.outputs and not level.star, "a star could show a column twice")
            return
        shown = frozenset[str]().union(*(self.columns.catalogue.columns[t] for t in name.tables)) or promised
        self.check("derived", not shown & promised, "a star could show a column twice")

    @staticmethod
    def _promised(scope: Scope) -> frozenset[str]:
        """Return the columns that the query around takes from the derived table that is being written."""
        outer = scope.outer.level if scope.outer is not None and scope.level.derived else None
        return outer.promised.columns if outer is not None and outer.promised is not None else frozenset()

    def _at_naming(self, scope: Scope, name: Name, inside: bool) -> Scope:
        level = scope.level
        if level.clause == "from":
            return self._named(scope, name.owner)
        if level.derived:
            used = {o.name for o in level.outputs}
            self.check("derived", name.name not in used, f"the derived table shows {name.name} already")
            self._showable(scope, name.name, frozenset())
            if level.column is not None:
                self._keyed(scope, name.name, level.column)
        return self._payable(self.change(scope, alias=name.name, pending=""), name.name)

    def _keyed(self, scope: Scope, shown: str, column: Column | None) -> None:
        """Refuse to show a column of a type without order by a name that the query around must group by.

        Without a column a star shows it, of any table.
        """
        outer = scope.outer.level if scope.outer is not None else None
        if outer is None or outer.promised is None or not (outer.aggregated or outer.grouped):
            return
        if (outer.promised.name, shown) in outer.plain and self.columns.types.strict:
            able = self.columns.ordered(shown) if column is None else self.columns.groupable(scope.level, column)
            self.check("comparisons", able, f"the query around groups by {shown}, which has no order")

    def _showable(self, scope: Scope, column: str, tables: frozenset[str]) -> None:
        """Refuse a derived table's column that the query around it would take for a bare one that is none."""
        if scope.outer is not None:
            able = self.costs.showable(scope.outer.level, scope.level, column, tables)
            self.check("ambiguous", able, f"{column} stands bare in the query around")

    def _at_as(self, scope: Scope, name: Name, inside: bool) -> Scope:
        level = scope.level
        if level.derived and level.clause == "items" and scope.outer is not None:
            free = self.columns.catalogue.labels - {o.name for o in level.outputs}
            able = any(self.costs.showable(scope.outer.level, level, label, frozenset()) for label in free)
            self.check("derived", able, "no name is left")
        if level.clause == "from" and level.pending == "derived":
            free = level.promised is not None or bool(self.columns.free_aliases(level))
            self.check("unique", free, "no alias is left")
        if level.clause == "items" or (level.clause == "from" and level.pending == "table"):
            return self._payable(self.change(scope, pending="name"), "AS")
        return scope

    def _item(self, scope: Scope, value: Value) -> Scope:
        level = scope.level
        equal = not (level.distinct and self.columns.types.strict) or value.type != "other"
        self.check("comparisons", equal, "DISTINCT of values that are never equal")
        if level.compound:  # the first select names the columns
            return self.change(scope, term=OTHER, alias="")
        column = level.column
        name = level.alias or (column[1] if column else "")
        if level.barred and not name:
            self.check("ambiguous", self.columns.dialect != "postgres", "a column without a name beside bare columns")
        if level.derived and not name and self.costs.named_only:
            # MySQL names the columns of a derived table by their text, which may be the same twice
            self.check("derived", all(o.name for o in level.outputs), "two columns without a name")
        if level.derived and name:
            used = {o.name for o in level.outputs}
            once = name not in used or (column is not None and not level.alias and not self.costs.named_only)
            self.check("derived", once, f"the derived table shows {name} already")
        output = Output(name, Value(value.type, value.digits, value.marks & SHOWN), column)
        return self.change(scope, outputs=(*level.outputs, output), asked=level.asked - {name}, term=OTHER, alias="")

    # ---- columns

    def _at_column(self, scope: Scope, name: Name, inside: bool) -> Scope:
        level = scope.level
        start = level.term == START
        if start and level.derived and level.clause == "items":
            self._showable(scope, name.name, name.tables)
            twice = name.name in self._promised(scope) and (
                "*" in level.star or name.name in {o.name for o in level.outputs}
            )
            self.check("derived", not twice, f"the derived table shows {name.name} already")
            once = not self.costs.named_only or all(o.name != name.name for o in level.outputs)
            self.check("derived", once, f"the derived table shows {name.name} already")
        found = self.columns.used(self, scope, name, inside)
        if start and level.derived and level.clause == "items":
            self._keyed(found, name.name, (name.owner, name.name))  # its table is known now
        term = (name.owner, name.name) if start else OTHER
        if found.level.term != term:
            found = self.change(found, term=term)
        return self._payable(found, name.name)

    def _at_output(self, scope: Scope, name: Name, inside: bool) -> Scope:
        self.columns.output(self, scope, name, inside)
        term = ALIASED if scope.level.term == START else OTHER
        return scope if scope.level.term == term else self.change(scope, term=term)

    def _at_aggregate(self, scope: Scope, name: Name, inside: bool) -> Scope:
        level = scope.level
        if "grouping" not in self.on or level.aggregated:
            return scope if level.term == OTHER else self.change(scope, term=OTHER)
        self.check("grouping", not level.star, "no aggregate beside a star")
        if level.clause in {"order", "having"}:
            self.check("grouping", level.grouped or not level.plain, "an aggregate beside columns that are not grouped")
        return self._payable(self.change(scope, aggregated=True, term=OTHER), "the aggregate")

    def _payable(self, scope: Scope, what: str) -> Scope:
        if scope.level.aggregated and scope.cost >= NEVER:
            self._nameable(scope.level)
        most = self.costs.sources.most
        which = f"FROM of {most} sources" if most < NEVER else "FROM"
        self.check("sources", scope.cost < NEVER, f"no {which} could hold what {what} needs")
        return scope

    def _nameable(self, level: Level) -> None:
        """Refuse if GROUP BY must name a column and cannot."""
        hidden = self.columns.hidden_keys(level)
        self.check("grouping", not hidden, f"GROUP BY takes {', '.join(sorted(hidden))} for an output column")

    def need(self, scope: Scope, need: Need) -> Scope:
        """Return the scope whose FROM owes one thing more."""
        level = scope.level
        other = any(n.name != need.name and n.name.lower() == need.name.lower() for n in level.needs)
        self.check("unique", not other, f"{need.name} is written in two ways")
        needs = with_need(level.needs, need)
        if needs is None:
            raise Refused("sources", f"no table called {need.name} has these columns")
        return self.change(scope, needs=needs)

    # ---- FROM

    def _at_from(self, scope: Scope, name: Name, inside: bool) -> Scope:
        level = scope.level
        self.check("derived", not level.asked, f"the derived table must show {', '.join(sorted(level.asked))}")
        return self._payable(self.change(scope, clause="from", pending="source", term=OTHER), "FROM")

    def _at_joins_comma(self, scope: Scope, name: Name, inside: bool) -> Scope:
        self._single(scope.level)
        return self._payable(self.change(scope, pending="source", join="comma"), "a comma")

    def _at_join(self, scope: Scope, name: Name, inside: bool) -> Scope:
        kinds = {"natural", "full", "natural full"}
        return self._joining(scope, scope.level.join if scope.level.join in kinds else "join")

    def _at_natural(self, scope: Scope, name: Name, inside: bool) -> Scope:
        return self._joining(scope, "natural")

    def _at_full(self, scope: Scope, name: Name, inside: bool) -> Scope:
        return self._joining(scope, "natural full" if scope.level.join == "natural" else self._full)

    @property
    def _full(self) -> str:
        return "full" if "full join" in self.on else "join"

    def _joining(self, scope: Scope, join: str) -> Scope:
        self._single(scope.level)
        return self._payable(self.change(scope, pending="source", join=join), "the join")

    def _single(self, level: Level) -> None:
        lonely = level.derived and self.costs.named_only and bool(level.star)
        self.check("derived", not lonely, "a derived table with a star has one source: names must differ")
        self.check("column counts", not level.same, "behind a set operator a star stands for one table")

    def _at_open(self, scope: Scope, name: Name, inside: bool) -> Scope:
        level = scope.level
        self.check("column counts", not level.same, "behind a set operator a star stands for one table")
        self.check("common columns", level.join in {"", "comma", "join"}, "a derived table is joined ON a condition")
        promised = min((n for n in level.needs if n.name and not n.tables), default=None, key=lambda n: n.name)
        free = self.columns.free_aliases(level)
        self.check("unique", promised is not None or self.optional_alias or bool(free), "no alias is left")
        return self._payable(self.change(scope, pending="open", promised=promised), "(")

    def _at_table(self, scope: Scope, name: Name, inside: bool) -> Scope:
        same = scope.level.same
        self.check("column counts", not same or name.name == same, f"the star before the set operator is of {same}")
        if not any(name.name in need.tables for need in scope.level.needs):
            self.costs.joins.link(name.name, scope.level)
        found = self.change(scope, pending="table", written=Source("", name.name))
        if found.cost >= NEVER and found.level.join.startswith("natural"):
            self.costs.joins.placed(found.level)  # to say which column is in the way
        return self._payable(found, name.name)

    def _named(self, scope: Scope, name: str) -> Scope:
        """Give the pending source a name."""
        return self._payable(self.make(self.costs.joins.placed(scope.level, name), scope.outer), name)

    def _source(self, scope: Scope) -> Scope:
        level = scope.level
        if level.pending in {"table", "derived"}:
            return self._named(scope, "")
        return scope

    def _joined(self, scope: Scope) -> Scope:
        return self.change(scope, join="") if scope.level.join else scope

    def _at_on(self, scope: Scope, name: Name, inside: bool) -> Scope:
        self.check("full join", scope.level.join != "full", "FULL JOIN joins by USING")
        return self.change(scope, clause="on", join="")

    def _at_using(self, scope: Scope, name: Name, inside: bool) -> Scope:
        common = self.costs.joins.joinable(scope.level)
        self.check("common columns", bool(common), "the two sides have no column in common")
        return self.change(scope, clause="using", term=START)

    def _at_common_comma(self, scope: Scope, name: Name, inside: bool) -> Scope:
        level = scope.level
        more = self.costs.joins.joinable(level) - level.using
        self.check("common columns", bool(more), "the two sides have no other column in common")
        return scope

    def _at_common(self, scope: Scope, name: Name, inside: bool) -> Scope:
        level = scope.level
        able = name.name in self.costs.joins.joinable(level) and name.name not in level.using
        self.check("common columns", able, f"{name.name} is not once on both sides")
        return self.change(scope, using=level.using | {name.name})

    def _used(self, scope: Scope) -> Scope:
        level = self.costs.joins.merged(scope.level, scope.level.using)
        level = level._replace(clause="from", join="", using=frozenset(), term=OTHER)
        return self._payable(self.make(level, scope.outer), "the join")

    def _conditioned(self, scope: Scope) -> Scope:
        return self._used(scope) if scope.level.clause == "using" else self.change(scope, clause="from", join="")

    def _from(self, scope: Scope) -> Scope:
        level = scope.level
        names = ", ".join(sorted(n.name or next(iter(n.columns)) for n in level.needs))
        self.check("sources", not level.needs, f"{names} is not in FROM")
        outputs = level.outputs if level.compound else (*level.outputs, *self.columns.starred(level))
        if level.derived and level.star and self.costs.named_only:
            names_ = [o.name for o in outputs]
            self.check("derived", len(set(names_)) == len(names_), "the derived table shows a name twice")
        hidden = self.columns.hidden_keys(level)  # they keep standing bare
        plain = frozenset(c if c[1] in hidden else self.columns.identity(level, c) for c in level.plain)
        return self.change(scope, clause="closed", outputs=outputs, plain=plain)

    # ---- clauses

    def _at_where(self, scope: Scope, name: Name, inside: bool) -> Scope:
        return self.change(scope, clause="where", term=OTHER)

    def _at_group(self, scope: Scope, name: Name, inside: bool) -> Scope:
        self.check("grouping", not scope.level.star, "no GROUP BY beside a star")
        self._nameable(scope.level)
        return self.change(scope, clause="group", term=START, grouped=True)

    def _at_keys_comma(self, scope: Scope, name: Name, inside: bool) -> Scope:
        return self.change(scope, term=START)

    def _key(self, scope: Scope) -> Scope:
        level = scope.level
        if level.column is None:
            return scope
        return self.change(scope, keys=level.keys | {self.columns.identity(level, level.column)}, term=OTHER)

    def _at_having(self, scope: Scope, name: Name, inside: bool) -> Scope:
        self.costs.check_grouping(scope.level)
        return self.change(scope, clause="having", term=OTHER)

    def _at_order(self, scope: Scope, name: Name, inside: bool) -> Scope:
        if inside:
            return scope
        self.check("compound order", not scope.level.nested, "no ORDER BY within an operand of a set operator")
        return self.change(scope, clause="order", term=START)

    def _at_order_comma(self, scope: Scope, name: Name, inside: bool) -> Scope:
        return scope if inside else self.change(scope, term=START)

    def _at_limit(self, scope: Scope, name: Name, inside: bool) -> Scope:
        return self.change(scope, clause="limit", term=OTHER)
