"""How words and finished phrases change the scope.

`Moves.word` and `Moves.event` return the next scope or raise `Refused`. What a word means to the scope depends on
where in the grammar it stands; `places.py` names these places. The steps of a select list and of FROM have files of
their own; here are those of whole queries and of the clauses behind FROM.
"""

from __future__ import annotations

from collections.abc import Callable

from ..nodes import Event
from ..values import Columns as Shown
from .from_clause import FromClause
from .levels import ALIASED, OTHER, START, UNLIKE, Level, Need, Scope, Source
from .select_list import SelectList
from .steps import Name

__all__ = ["Moves", "Name"]

ENDS = {"neutral", "keys_comma", "order_comma", "having", "order", "limit", "set", "intersect"}
"""Places of words that end a term."""


APART = {
    *("select", "distinct", "items_comma", "as", "naming", "group", "by", "keys_comma"),
    *("set", "intersect", "operand", "leading"),
}
"""Places of words that are no part of an item or a key."""


class Moves(SelectList, FromClause):
    """The moves under the rules that are on."""

    def __post_init__(self) -> None:
        super().__post_init__()
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

    def word(self, scope: Scope, place: str, name: Name, *, inside: bool, number: int = -1) -> Scope:
        """Return the scope after a word at a place; ``inside`` an aggregate's brackets.

        Without its ``number`` the word is only tried.

        Raises:
            Refused: the word breaks a rule there.
        """
        after = self._after(scope, place, name, inside=inside)
        level = after.level
        if number in self.titles and level.clause == "items":
            after = self.change(after, titles=level.titles | {self.titles[number]})
            level = after.level
        if number < 0 or level.words is None or place in APART or level.clause not in {"items", "group"}:
            return after
        if number in self.changed or level.words == UNLIKE:
            return after if level.words == UNLIKE else self.change(after, words=UNLIKE)
        return self.change(after, words=(*level.words, number))

    def _after(self, scope: Scope, place: str, name: Name, *, inside: bool) -> Scope:
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
            outputs = () if level.clause == "start" else level.outputs
            return self.change(scope, clause="items", term=START, words=self.unwritten, outputs=outputs)
        if level.pending == "open":
            opened = self.costs.opened(level)._replace(words=self.unwritten)
            return self.make(opened, self.change(scope, pending="inner"))
        outer = scope if level.term == OTHER and level.words is None else self.change(scope, term=OTHER, words=None)
        return self.make(Level("items", term=START, words=self.unwritten, enclosed=inside), outer)

    def _at_distinct(self, scope: Scope, name: Name, inside: bool) -> Scope:
        unequal = [c for c in sorted(scope.level.asked) if not self.columns.ordered(c)]
        self.check("comparisons", not unequal, f"{', '.join(unequal)} must be shown and has no order")
        return self.change(scope, distinct=True)

    def _at_set(self, scope: Scope, name: Name, inside: bool) -> Scope:
        return self._operated(scope, united="nested operands" in self.on)

    def _at_intersect(self, scope: Scope, name: Name, inside: bool) -> Scope:
        # MariaDB makes a derived table of both its sides then, that sees nothing around and has each name once
        self.check("nested operands", not scope.level.united, "INTERSECT behind another set operator")
        return self._operated(scope, united=False)

    def _operated(self, scope: Scope, *, united: bool) -> Scope:
        """Return the scope after a set operator."""
        level = scope.level
        clash = level.barred & {o.name for o in level.outputs}
        self.check(
            "derived", not clash, f"{', '.join(sorted(clash))} of a set operator stands bare in the query around"
        )
        own = self._promised(scope) - self.columns.catalogue.labels if self.columns.types.strict else ()
        self.check("derived", not own, f"a set operator could change the type of {', '.join(sorted(own))}")
        outputs = level.outputs if level.compound else tuple(self.columns.orderable(level, o) for o in level.outputs)
        after = Level("set", level.derived, level.enclosed, outputs=outputs, compound=True, same=self._same(level))
        return self.make(after._replace(nested=level.nested, united=united), scope.outer)

    def _same(self, level: Level) -> str | None:
        """Return the table that a star behind a set operator must be of, None if no star stands before it."""
        if not level.star:
            return None
        alone = len(level.sources) == 1 and bool(level.sources[0].table) and not level.derived
        self.check("column counts", alone, "before a set operator a star stands for one table")
        table = level.sources[0].table if alone else ""
        columns = self.columns.catalogue.columns.get(table, ()) if self.columns.types.strict else ()
        equal = all(self.columns.values[table, c].type != "other" for c in columns)
        self.check("comparisons", equal, "the star holds values that are never equal")
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
        self.costs.grouping.check(level)
        return self.change(scope, clause="done", needs=frozenset[Need](), asked=frozenset[str]())

    def _subquery(self, scope: Scope, columns: Shown) -> Scope:
        inner, outer = scope.level, scope.outer
        if outer is None:  # the brackets of a first operand
            return scope
        if outer.level.pending == "inner":
            values = [o.value for o in inner.outputs]
            if inner.compound and columns.values is not None and len(columns.values) == len(values):
                values = list(columns.values)
            constants = self.columns.types.constants  # a derived table calls columns so by other names
            names = ["" if o.name in constants else o.name for o in inner.outputs]
            shown = tuple(zip(names, values, strict=True))
            return self.change(outer, pending="derived", written=Source("", "", shown))
        if outer.level.clause == "items" and self.columns.types.titled and inner.outputs:
            first = inner.outputs[0]
            return self.change(outer, titles=outer.level.titles | ({first.name} if first.name else first.titles))
        return outer

    def _at_naming(self, scope: Scope, name: Name, inside: bool) -> Scope:
        return self._named(scope, name.owner) if scope.level.clause == "from" else self._labelled(scope, name)

    def _at_as(self, scope: Scope, name: Name, inside: bool) -> Scope:
        move = {"items": self._item_as, "from": self._source_as}.get(scope.level.clause)
        return scope if move is None else move(scope)

    # ---- clauses

    def _at_where(self, scope: Scope, name: Name, inside: bool) -> Scope:
        return self.change(scope, clause="where", term=OTHER)

    def _at_group(self, scope: Scope, name: Name, inside: bool) -> Scope:
        self.check("grouping", not scope.level.star, "no GROUP BY beside a star")
        self.nameable(scope.level)
        return self.change(scope, clause="group", term=START, grouped=True)

    def _at_by(self, scope: Scope, name: Name, inside: bool) -> Scope:
        return self.change(scope, words=self.unwritten)

    def _at_keys_comma(self, scope: Scope, name: Name, inside: bool) -> Scope:
        return self.change(scope, term=START, words=self.unwritten)

    def _key(self, scope: Scope) -> Scope:
        level = scope.level
        if level.column is None:
            same = [item for item in level.items if item.words == level.words]
            # MySQL takes the key for one of several
            able = level.words != UNLIKE and (len(same) == 1 or self.columns.dialect != "mysql")
            named = same if able else []
            return self.change(scope, items=tuple(i for i in level.items if i not in named), words=None)
        keys = level.keys | {self.columns.identity(level, level.column)}
        return self.change(scope, keys=keys, term=OTHER, words=None)

    def _at_having(self, scope: Scope, name: Name, inside: bool) -> Scope:
        self.costs.grouping.check(scope.level)
        return self.change(scope, clause="having", term=OTHER)

    def _at_order(self, scope: Scope, name: Name, inside: bool) -> Scope:
        if inside:
            return scope
        self.check("compound order", not scope.level.nested, "no ORDER BY within an operand of a set operator")
        self.check("width", self.costs.widths.sortable(scope.level), "no ORDER BY beside so many columns")
        return self.change(scope, clause="order", term=START)

    def _at_order_comma(self, scope: Scope, name: Name, inside: bool) -> Scope:
        return scope if inside else self.change(scope, term=START)

    def _at_limit(self, scope: Scope, name: Name, inside: bool) -> Scope:
        return self.change(scope, clause="limit", term=OTHER)
