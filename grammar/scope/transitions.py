"""How words and reductions change the scope, by where in the grammar they stand.

`Transitions.word` and `Transitions.reduction` return the next scope or raise `RuleViolation`. What a word means to
the scope depends on where in the grammar it stands; places.toml names these places, and ``_at_PLACE`` is the step of a
word there. Here are the steps of whole queries.
"""

import tomllib
from collections.abc import Callable, Mapping
from functools import lru_cache
from importlib import resources

from ..lr.tables import END, Automaton, Tables
from ..stack.graph_stack import Reduction
from ..types.abstract_values import QueryType
from .clauses import Clauses, FirstOfEach
from .from_clause import CommonTables
from .names import ALIASED, OTHER, START, UNLIKE, Name, OpenReference, Source
from .select_list import SelectList
from .select_scope import Scope, SelectScope

_PLACES: Mapping[str, Mapping[str, str]] = tomllib.loads(
    (resources.files(__package__ or __name__) / "places.toml").read_text("utf-8")
)
"""By the rule that a word stands in, the place of each word."""

# words after which the term that began is still at its beginning
_NEUTRAL = {")", "BY", "OUTER", "ALL", "ASC", "DESC", "NULLS", "FIRST", "LAST"}


@lru_cache
def places(tables: Tables, *, but: tuple[str, ...] = ()) -> list[dict[int, str]]:
    """Return for each state the place of each terminal ``but`` some there; ``other`` if the scope knows none."""
    if but:
        return [{t: at for t, at in here.items() if tables.names[t] not in but} for here in places(tables)]
    automaton = tables.automaton
    found: list[dict[int, str]] = []
    for state, shifts in enumerate(automaton.shifts):
        kernel = tables.kernels[state]
        if any(tables.heads[r] == "join_on" and tables.bodies[r][:dot] == ["ON", "expr"] for r, dot in kernel):
            # an ON may end here: whatever goes on with it stands beside all of it, as OR does
            found.append(dict.fromkeys(shifts.keys() - {END}, "beside on"))
        else:
            found.append({t: _place(automaton, state, tables.names[t], after) for t, after in shifts.items() if t})
    return found


def _place(automaton: Automaton, state: int, word: str, after: int) -> str:
    heads = automaton.heads[after]
    known = next((place for head in sorted(heads) if (place := _PLACES.get(head, {}).get(word))), None)
    if known is not None:
        return known
    if word != "(":
        return "neutral" if word in _NEUTRAL else "other"
    if automaton.next[state] & {"joins", "joined", "source"}:
        return "open"
    for head, place in (("cte", "defining"), ("compound", "operand"), ("subquery", "leading")):
        if head in automaton.heads[state]:
            return place
    return "neutral" if "atom" in heads else "other"  # to all engines a column in brackets is that column


ENDS = {"neutral", "keys_comma", "order_comma", "having", "order", "nulls", "limit", "set", "intersect"}
"""Places of words that end a term."""


_APART = {
    *("select", "distinct", "items_comma", "as", "naming", "group", "by", "keys_comma"),
    *("set", "intersect", "operand", "leading"),
}
"""Places of words that are no part of an item or a key."""


class Transitions(SelectList, CommonTables, FirstOfEach, Clauses):
    """The steps under the rules that are on."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._reductions: dict[str, Callable[[Scope], Scope]] = {
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
            RuleViolation: the word breaks a rule there.
        """
        after = self._after(scope, place, name, inside=inside)
        select = after.select
        if number in self.titles and select.clause == "items":
            after = self.change(after, titles=select.titles | {self.titles[number]})
            select = after.select
        if number < 0 or select.words is None or place in _APART or select.clause not in {"items", "group"}:
            return after
        if number in self.reworked or select.words == UNLIKE:
            return after if select.words == UNLIKE else self.change(after, words=UNLIKE)
        return self.change(after, words=(*select.words, number))

    def _after(self, scope: Scope, place: str, name: Name, *, inside: bool) -> Scope:
        if scope.select.position and place not in {"neutral", *ENDS}:
            scope = self.change(scope, position=0)
        if scope.select.condition is not None:
            scope = self._equated(scope, place, name)
        select = scope.select
        alone = select.term != ALIASED or place in ENDS
        self.check("output names", alone, "an output column stands alone in a term")
        step = self._words.get(place)
        if step is not None:
            return step(scope, name, inside)
        return scope if select.term == OTHER or place == "neutral" else self.change(scope, term=OTHER)

    def reduction(self, scope: Scope, reduction: Reduction) -> Scope:
        """Return the scope after a reduction.

        Raises:
            RuleViolation: it breaks a rule.
        """
        if reduction.head == "item":
            return self._item(scope, reduction.value)
        if reduction.head == "subquery":
            return self._subquery(scope, reduction.value)
        step = self._reductions.get(reduction.head)
        return scope if step is None else step(scope)

    # ---- queries

    def _at_select(self, scope: Scope, name: Name, inside: bool) -> Scope:
        """``SELECT`` at the start, behind UNION, in FROM's brackets, or in a subquery's, which is a scope within."""
        select = scope.select
        if select.clause in {"start", "set"} or (select.clause == "with" and not select.pending):
            outputs = select.outputs if select.clause == "set" else ()
            return self.change(scope, clause="items", term=START, words=self.unwritten, outputs=outputs)
        if select.pending == "open":
            opened = self.costs.opened(select)._replace(words=self.unwritten)
            return self.make(opened, self.change(scope, pending="inner"))
        outer = scope if select.term == OTHER and select.words is None else self.change(scope, term=OTHER, words=None)
        held = inside or select.held
        within = SelectScope("items", term=START, words=self.unwritten, enclosed=inside, held=held)
        return self.make(within._replace(common=select.common), outer)

    def _at_distinct(self, scope: Scope, name: Name, inside: bool) -> Scope:
        """``SELECT j.a FROM (SELECT DISTINCT``: refused if a has no order."""
        unequal = [c for c in sorted(scope.select.required) if not self.resolver.ordered(c)]
        self.check("comparisons", not unequal, f"{', '.join(unequal)} must be an output and has no order")
        return self.change(scope, distinct=True)

    def _at_set(self, scope: Scope, name: Name, inside: bool) -> Scope:
        return self._operated(scope, united="nested operands" in self.on)

    def _at_all(self, scope: Scope, name: Name, inside: bool) -> Scope:
        return self._made_of(scope, "united") if scope.select.derived else scope

    def _at_intersect(self, scope: Scope, name: Name, inside: bool) -> Scope:
        """``SELECT a FROM t UNION SELECT a FROM s INTERSECT``: refused, where it binds closer."""
        # it makes a derived table of both its sides then, that sees nothing around and has each name once
        self.check("nested operands", not scope.select.united, "INTERSECT behind another set operator")
        return self._operated(scope, united=False)

    def _operated(self, scope: Scope, *, united: bool) -> Scope:
        """Return the scope after a set operator."""
        select = scope.select
        clash = select.barred & {o.name for o in select.outputs}
        self.check(
            "derived", not clash, f"{', '.join(sorted(clash))} of a set operator stands bare in the query around"
        )
        own = self._promised(scope) - self.resolver.catalogue.labels if self.resolver.types.strict else ()
        self.check("derived", not own, f"a set operator could change the type of {', '.join(sorted(own))}")
        outputs = (
            select.outputs if select.compound else tuple(self.resolver.orderable(select, o) for o in select.outputs)
        )
        after = SelectScope(
            "set", select.derived, select.enclosed, select.held, outputs=outputs, compound=True, same=self._same(select)
        )
        made_of = select.made_of if select.derived else ""
        after = after._replace(nested=select.nested, united=united, made_of=made_of, common=select.common)
        return self.make(after, scope.outer)

    def _same(self, select: SelectScope) -> str | None:
        """Return the table that a star must be of behind ``SELECT * FROM t UNION``: t; None if there is no star."""
        if not select.star:
            return None
        alone = len(select.sources) == 1 and bool(select.sources[0].table) and not select.derived
        self.check("column counts", alone, "before a set operator a star stands for one table")
        table = select.sources[0].table if alone else ""
        columns = self.resolver.catalogue.columns.get(table, ()) if self.resolver.types.strict else ()
        equal = all(self.resolver.values[table, c].type != "other" for c in columns)
        self.check("comparisons", equal, "the star holds values that are never equal")
        return table

    def _at_leading(self, scope: Scope, name: Name, inside: bool) -> Scope:
        """``(`` before a query: ``FROM ((`` is refused, ``UNION ((`` opens an operand within."""
        select = scope.select
        self.check("derived", select.pending != "open", "a derived table begins with SELECT")
        # within brackets behind a set operator this one opens an operand of their own
        within = select.clause == "set" and select.nested
        return self.change(scope, nested=select.nested + 1) if within else scope

    def _at_operand(self, scope: Scope, name: Name, inside: bool) -> Scope:
        return self.change(scope, nested=scope.select.nested + 1)

    def _operand(self, scope: Scope) -> Scope:
        """``SELECT a FROM t UNION (SELECT b FROM s)``: the bracket is closed."""
        select = scope.select
        return self.change(scope, nested=select.nested - 1) if select.nested else scope

    def _select(self, scope: Scope) -> Scope:
        """A SELECT is over: ``SELECT a`` lacks its FROM, ``SELECT a FROM t GROUP BY b`` the key a."""
        select = scope.select
        if select.clause == "items":
            self._sourced(select)
        self.costs.check_grouped(select)
        return self.change(scope, clause="done", needs=frozenset[OpenReference](), required=frozenset[str]())

    def _subquery(self, scope: Scope, columns: QueryType) -> Scope:
        """``(SELECT 1 AS n)`` is over: in FROM a derived table that shows n, else a value of the query around."""
        inner, outer = scope.select, scope.outer
        if outer is None:  # the brackets of a first operand
            return scope
        if outer.select.pending == "inner":
            values = [o.value for o in inner.outputs]
            if inner.compound and columns.values is not None and len(columns.values) == len(values):
                values = list(columns.values)
            constants = self.resolver.types.constants  # a derived table calls columns so by other names
            names = ["" if o.name in constants else o.name for o in inner.outputs]
            listed = tuple(zip(names, values, strict=True))
            if outer.select.clause == "with":
                return self._common_table(outer, inner, listed)
            return self.change(outer, pending="derived", written=Source("", "", listed), made_of=inner.made_of)
        if outer.select.clause == "order":
            return self.change(outer, unnumbered=True)
        if outer.select.clause == "items" and self.resolver.types.titled and inner.outputs:
            first = inner.outputs[0]
            return self.change(outer, titles=outer.select.titles | ({first.name} if first.name else first.titles))
        return outer

    def _at_naming(self, scope: Scope, name: Name, inside: bool) -> Scope:
        """``FROM t AS x``, or ``SELECT a AS n``."""
        return self._named(scope, name.owner) if scope.select.clause == "from" else self._labelled(scope, name)

    def _at_as(self, scope: Scope, name: Name, inside: bool) -> Scope:
        step = {"items": self._item_as, "from": self._source_as}.get(scope.select.clause)
        return scope if step is None else step(scope)
