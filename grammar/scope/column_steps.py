"""The base of all steps of the scope, and the steps after a column: where it is visible, which source it needs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..stack.time_limit import check_time
from ..types.abstract_values import Mark, Rules, RuleViolation
from .completion_cost import CompletionCost
from .join_tree_cost import NEVER
from .names import OTHER, START, Name, OpenReference, Output, Source, with_need
from .select_scope import Scope, SelectScope
from .visible import Resolver


@dataclass
class Steps(Rules):
    """The steps under the rules that are ``on``.

    Attributes:
        reworked: the numbers of the words that are so to the engine.
        titles: the names that words give to outputs without one, by the words' numbers; empty for a column's within.
        positioned: whether it is the wide form of the grammar, where whole numbers stand for items of the select list.
        root: the scope of the empty query.
    """

    resolver: Resolver
    costs: CompletionCost
    on: frozenset[str]
    reworked: frozenset[int] = frozenset()
    titles: Mapping[int, str] = field(default_factory=dict[int, str])
    positioned: bool = False
    root: Scope = field(init=False)

    def __post_init__(self) -> None:
        self.quirks = self.resolver.quirks
        self._cost_of = self.costs.of  # one for all scopes
        self.root = Scope(SelectScope(), None, self._cost_of)

    def make(self, select: SelectScope, outer: Scope | None) -> Scope:
        """Return the scope of a SELECT within others."""
        known = (outer or self.root).inner
        found = known.get(select)
        if found is None:
            check_time()
            found = known[select] = Scope(select, outer, self._cost_of)
        return found

    def change(self, scope: Scope, **fields: Any) -> Scope:
        """Return the scope with other fields of the innermost SELECT."""
        return self.make(scope.select._replace(**fields), scope.outer)

    @property
    def unwritten(self) -> tuple[int, ...] | None:
        """Return the words of an item that begins, where they are kept."""
        return () if "grouping" in self.on else None

    def completable(self, scope: Scope, what: str) -> Scope:
        """Return a scope after ``what`` was written, or refuse it if no words could complete the query then."""
        if (scope.select.aggregated or scope.select.grouped) and scope.cost >= NEVER:
            self.nameable(scope.select)
        if scope.cost >= NEVER:
            widest = self.resolver.types.widest
            self.check("width", self.costs.widths.fits(scope.select), f"{what} could show more than {widest} columns")
        most = self.costs.sources.most
        which = f"FROM of {most} sources" if most < NEVER else "FROM"
        self.check("sources", scope.cost < NEVER, f"no {which} could hold what {what} needs")
        return scope

    def nameable(self, select: SelectScope) -> None:
        """Refuse if GROUP BY must name a column and cannot: ``SELECT MAX(a) AS b, b FROM t``."""
        hidden = self.resolver.hidden_keys(select)
        self.check("grouping", not hidden, f"GROUP BY takes {', '.join(sorted(hidden))} for an output column")
        inner = self.resolver.unmatched(select)
        self.check("grouping", not inner, f"a subquery names {', '.join(sorted(inner))} of a derived table")
        alike = self.resolver.alike(select)
        self.check("ambiguous", not alike, f"several keys and an output are called {', '.join(sorted(alike))}")

    def need(self, scope: Scope, need: OpenReference) -> Scope:
        """Return the scope with one more open reference; ``SELECT t.a, t.b`` is refused where no table has both."""
        select = scope.select
        in_two_ways = self.resolver.catalogue.in_two_ways(select.needs, need)
        self.check("unique", not in_two_ways, f"{need.name} is written in two ways")
        needs = with_need(select.needs, need)
        if needs is None:
            raise RuleViolation("sources", f"no table called {need.name} has these columns")
        return self.change(scope, needs=needs)


class ColumnSteps(Steps):
    """Columns and names of outputs."""

    # ---- a column is written

    def _column(self, scope: Scope, name: Name, inside: bool, *, sought: bool = False, below: bool = False) -> Scope:
        """Return the scope after a column, which is ``sought`` in the select lists of the queries around.

        Before FROM it refers to a source; after FROM it is one of the sources' here, or else of the query around, where
        ``below`` is true since a subquery names it: ``SELECT 1 FROM t WHERE EXISTS (SELECT 1 FROM s WHERE t.a = s.a)``.

        Raises:
            RuleViolation: it is not visible here, or ambiguous, or not grouped.
        """
        select = scope.select
        if select.clause == "items":
            # the engine takes it for an item that may yet come
            self.check("visible", not sought, f"{name.name} is of the query around, whose select list is not over")
            scope = self.need(scope, self.resolver.need_of(name, select.common))
            return self._ungrouped(scope, name, inside, below=below)
        if select.clause == "order" and select.compound:
            same = self.resolver.called(select, name.name)
            self.check("compound order", not name.owner and bool(same), f"{name.name} is no output column")
            self._found(same)
            return scope
        if self._here(select, name):
            self._shadowed(select, name)
            if below:
                self._mixed(scope, name)
            if select.clause == "on" and not name.owner:
                scope = self.change(scope, bare=select.bare | {name.name})
            return self._ungrouped(scope, name, inside)
        self.check("outer aggregate", not inside, f"{name.name} is of a query around the aggregate's")
        listed = select.clause == "order" and select.distinct and not select.compound
        self.check("distinct order", not listed, f"{name.name} is not in the select list")
        self.check("lateral", not select.derived, "a derived table sees nothing of the queries around it")
        if scope.outer is None:
            self.check("visible", False, f"{name.owner or name.name} is not in FROM")
            return scope
        found = select.clause not in self.quirks.hidden_around
        self.check("visible", found, f"{name.name} is of the query around this one")
        if not name.owner and (select.clause in {"group", "having", "order"} or self.quirks.aliases_everywhere):
            # the engine looks for an output before it looks around; those behind a set operator are not kept
            own = select.compound or any(o.may_be(name.name) for o in select.outputs)
            self.check("output names", not own, f"an output column may be called {name.name}, too")
        around = scope.outer.select
        # it requires a FROM where one row may be due that needs none so far
        lone = scope.outer.outer is not None and around.clause == "items" and not around.derived
        # and, beside aggregates, for a GROUP BY
        grounds = around.plain if "grouping" in self.on else around.aggregated or around.needs
        self.check("single row", not lone or bool(grounds), "a FROM for this column alone")
        return self.make(select, self._column(scope.outer, name, select.enclosed, sought=sought, below=True))

    def _mixed(self, scope: Scope, name: Name) -> None:
        """Refuse a column beside an aggregate, within another aggregate (`Quirks.mixes_within_aggregates`)."""
        select = scope.select
        mixes = select.held and self.quirks.mixes_within_aggregates
        lone = mixes and select.aggregated and select.clause in {"where", "on"}
        self.check("grouping", not lone, f"a subquery names {name.name} beside aggregates, within another aggregate")

    def _here(self, select: SelectScope, name: Name) -> bool:
        """Say whether the SELECT's own sources show a column; ``FROM t, s WHERE a``, which both have, is refused."""
        last = select.sources[-1].group if select.sources else 0
        grouped = select.clause == "on" and "join group" in self.on
        sources = [s for s in select.sources if not grouped or s.group == last]
        if not name.owner:
            own = not self.resolver.hidden(sources, {name.name})
            self.check("ambiguous", own, "a derived table may show it by a name of its own")
            count = self.resolver.times(select._replace(sources=tuple(sources)), name.name)
            self.check("ambiguous", count <= 1, f"{name.name} is in more than one source")
            joined = select.clause == "on" and self.quirks.merged_unknown_in_on and name.name in select.merged
            self.check("ambiguous", not joined, f"ON does not know {name.name} as one column")
            owners = [s for s in sources if name.name in self.resolver.columns_of(s)]
            held = all(self.resolver.holds(s, name.name) if name.tables else not s.table for s in owners)
            self.check("visible", held, f"{name.name} holds something else here")
            return count > 0
        owner = next((s for s in sources if s.name == name.owner), None)
        if owner is None:
            # the engine takes `orders` for the "Sales".orders that stands here, whatever is called so around
            hidden = any(self._own_name(s) == name.owner for s in select.sources)
            self.check("visible", not hidden, f"{name.owner} is a table here, which is written with its schema")
            return False
        self.check("visible", name.name in self.resolver.columns_of(owner), f"{name.owner} has no column {name.name}")
        once = bool(owner.table) or sum(column == name.name for column, _ in owner.columns) == 1
        self.check("ambiguous", once, f"{owner.name} shows {name.name} twice")
        own = not self.resolver.hidden([owner], {name.name})
        self.check("ambiguous", own, "the derived table may show it by a name of its own")
        self.check("visible", bool(owner.table) == bool(name.tables), f"{name.owner} is another source here")
        self.check("visible", not owner.table or owner.table in name.tables, f"{name.owner} is another table here")
        able = bool(owner.table) or self.resolver.value(owner, name.name).type not in self.resolver.types.opaque
        self.check(self.resolver.types.hiding, able, f"{name.name} of a derived table is of a hidden type")
        return True

    def _own_name(self, source: Source) -> str | None:
        """Return what a table is called that stands under its name with its schema: orders."""
        catalogue = self.resolver.catalogue
        named = bool(source.table) and catalogue.names.get(source.table) == source.name
        return catalogue.within.get(source.table) if named else None

    def _shadowed(self, select: SelectScope, name: Name) -> None:
        """Refuse what the dialect would take for an output: ``SELECT a AS b FROM t ORDER BY b``, where t has a b."""
        within = self.quirks.sorts_by_columns_within and select.clause == "order" and select.term == OTHER
        if not name.owner and select.clause in {"group", "having", "order"} and not within:
            free = not self.resolver.taken(select, name.name)
            self.check("output names", free, f"{name.name} is an output column too")

    def _ungrouped(self, scope: Scope, name: Name, inside: bool, *, below: bool = False) -> Scope:
        """Note a column outside of aggregates, or refuse it: ``SELECT MAX(a) FROM t GROUP BY b ORDER BY a``."""
        select = scope.select
        column = self.resolver.identity(select, (name.owner, name.name))
        if select.clause == "order" and select.distinct and not select.compound:
            columns = {self.resolver.identity(select, o.column) for o in select.outputs if o.column}
            self.check("distinct order", column in columns, f"{name.name} is not in the select list")
        if select.clause == "having" and not inside and self.quirks.having_sees_outputs_only:
            # without ONLY_FULL_GROUP_BY, too
            known = select.keys | {self.resolver.identity(select, own) for _, own in self.resolver.named(select) if own}
            found = column in select.keys or column in known - self.resolver.replaced(scope)
            self.check("visible", found, f"{name.name} is neither in GROUP BY nor selected")
            alike = sum(other == name.name for _, other in known)
            self.check("visible", alike <= 1, f"GROUP BY or the select list has several columns {name.name}")
        if inside or "grouping" not in self.on or select.clause not in {"items", "having", "order"}:
            return scope
        if select.clause != "items" and (select.aggregated or select.grouped):
            self.check("grouping", self.resolver.grouped(select, column), f"{name.name} is not in GROUP BY")
        if select.clause == "items":
            after = self.change(scope, plain=select.plain | {column}, within=select.within | {column})
            if not below or not self.quirks.unmatched_below or (name.owner and name.tables):
                return after
            after = self.change(after, correlated=select.correlated | {column})
            if select.aggregated:
                self.nameable(after.select)
            return after
        return self.change(scope, plain=select.plain | {column}, alone=select.alone | {column})

    # ---- an output name is written

    def _output(self, scope: Scope, name: Name, inside: bool) -> None:
        """Refuse an output's name where it means nothing: ``SELECT a AS n FROM t WHERE n > 1``."""
        select = scope.select
        named = self.resolver.called(select, name.name)
        self.check("output names", bool(named), f"no output column is called {name.name}, or several")
        able = {"order", "group", "having"} if self.quirks.aliases_in_having else {"order", "group"}
        place = select.clause in able and not inside and (select.clause == "order" or not select.compound)
        self.check("output names", place, f"the output column {name.name} is not known here")
        if named and self.resolver.types.strict:
            self.check("comparisons", named[0].value.type != "other", f"{name.name} has no order")
            # a key makes text of it, but not for the set operator behind it
            self.check("comparisons", select.clause != "group" or named[0].value.type != "null", f"{name.name} is NULL")
        own = select.clause == "having" and named and named[0].value.type in self.resolver.types.alone
        self.check("comparisons", not own, f"{name.name} does not compare as other values do")
        whole = select.term == START or select.clause == "having"
        self.check("output names", whole, f"the output column {name.name} stands alone here")
        unaliased = any(o.column and o.column[1] == o.name for o in named)
        if unaliased and not select.compound and self.quirks.outputs_need_as:
            once = self.resolver.times(select, name.name) == 1
            self.check("output names", once, f"{name.name} is in more than one source")
        if select.compound:
            self._found(named)
        if select.clause != "order":
            clash = any(name.name in self.resolver.columns_of(s) for s in select.sources)
            self.check("output names", not clash, f"{name.name} is a column too")
        if select.clause != "order" and named:
            held = Mark.AGGREGATE | Mark.WINDOW if select.clause == "group" else Mark.WINDOW
            kind = "a window function" if named[0].value.marks & Mark.WINDOW else "an aggregate"
            self.check("aggregate place", not named[0].value.marks & held, f"{name.name} holds {kind}")

    def _found(self, outputs: Sequence[Output]) -> None:
        """``SELECT t.a FROM t, s UNION SELECT a FROM s ORDER BY a``: refused, if t and s have an a."""
        found = all(o.column != OTHER for o in outputs)
        self.check("compound order", found, "the first SELECT calls another column so, or several")
