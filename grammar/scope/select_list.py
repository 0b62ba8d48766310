"""The steps of a select list: its items, their names, stars, and the columns and aggregates within."""

from ..types.abstract_values import AbstractValue, Mark
from ..types.signatures import JSON_KINDS
from .column_steps import ColumnSteps
from .names import ALIASED, OTHER, STARRED, START, UNLIKE, Column, Listed, Name, Output, SelectItem
from .select_scope import Scope

KEPT_MARKS = Mark.AGGREGATE | Mark.NONNEGATIVE | Mark.NONZERO | Mark.WINDOW
"""Marks of an item that its output keeps."""


class SelectList(ColumnSteps):
    """Words and reductions of select lists; columns may stand in the other clauses, too."""

    def _at_items_comma(self, scope: Scope, name: Name, inside: bool) -> Scope:
        """``FROM (SELECT *,``: refused where names must differ."""
        lonely = scope.select.derived and self.costs.named_only and bool(scope.select.star)
        self.check("derived", not lonely, "a star stands alone in a derived table")
        return self.completable(self.change(scope, term=START, alias="", words=self.unwritten), "a comma")

    def _at_star(self, scope: Scope, name: Name, inside: bool) -> Scope:
        """``SELECT MAX(a), *``: refused beside aggregates; ``*`` and ``t.*`` require a FROM, ``t.*`` a source t."""
        select = scope.select
        self.check("grouping", not select.aggregated, "no star beside aggregates")
        self.check("ambiguous", not select.barred, "a star in a derived table beside bare columns")
        alone = not (select.derived and self.costs.named_only) or (
            not select.outputs and not select.needs and not select.star
        )
        self.check(
            "derived",
            alone and not (select.derived and self.costs.named_only and name.owner),
            "a star stands alone here",
        )
        catalogue = self.resolver.catalogue
        whole = bool(select.common) or not catalogue.names.keys() <= catalogue.partial.keys()
        self.check("access", whole, "no table may be read whole")
        self._once(scope, name)
        for column in sorted(self._promised(scope)):
            self._keyed(scope, column, None)
        if select.distinct and self.resolver.types.strict:
            tables = name.tables or self.resolver.catalogue.names.keys()
            equal = all(v.type != "other" for (table, _), v in self.resolver.values.items() if table in tables)
            self.check("comparisons", equal, "the star holds values that are never equal")
        needs = select.needs
        required = select.required
        if name.owner:
            needs = self.need(scope, self.resolver.need_of(name, select.common)).select.needs
        else:
            needs |= {self.resolver.bare_need(column, select.common) for column in required}
            required = frozenset()
        found = self.change(scope, star=(*select.star, name.owner or "*"), needs=needs, required=required, term=STARRED)
        return self.completable(found, name.owner or "*")

    def _once(self, scope: Scope, name: Name) -> None:
        """Refuse a star that may show a column twice which is taken: ``SELECT d.a FROM (SELECT a, *``."""
        promised = self._promised(scope)
        if not promised:
            return
        select = scope.select
        if not name.owner:
            self.check("derived", not select.outputs and not select.star, "a star could show a column twice")
            return
        columns = frozenset[str]().union(*(self.resolver.catalogue.columns[t] for t in name.tables)) or promised
        self.check("derived", not columns & promised, "a star could show a column twice")

    @staticmethod
    def _promised(scope: Scope) -> frozenset[str]:
        """Return the columns that are taken from the derived table being written: ``SELECT d.a FROM (SELECT``: a."""
        outer = scope.outer.select if scope.outer is not None and scope.select.derived else None
        return outer.promised.columns if outer is not None and outer.promised is not None else frozenset()

    def _labelled(self, scope: Scope, name: Name) -> Scope:
        """Give the item being written a name: ``SELECT a AS n``."""
        select = scope.select
        if select.derived:
            taken = self.costs.shows(select, name.name) and not (self.positioned and select.compound)
            self.check("derived", not taken, f"the derived table shows {name.name} already")
            self._showable(scope, name.name, frozenset())
        return self.completable(self.change(scope, alias=name.name, pending=""), name.name)

    def _keyed(self, scope: Scope, output: str, column: Column | None) -> None:
        """Refuse to show a column of a hidden type by a name that is taken: ``SELECT d.j FROM (SELECT t.j``, of JSON.

        The query around cannot know the type, and may sort by it or group by it. Without a column a star shows it.
        """
        if output in self._promised(scope):
            columns = self.resolver
            able = (
                columns.can_show_by_star(output) if column is None else columns.can_show_by_name(scope.select, column)
            )
            lacks = "has no order here" if columns.types.strict else "is of a hidden type"
            self.check(columns.types.hiding, able, f"the query around takes {output}, which {lacks}")

    def _showable(self, scope: Scope, column: str, tables: frozenset[str]) -> None:
        """Refuse what the query around would take for its bare column: ``SELECT a FROM t, (SELECT 1 AS a``."""
        if scope.outer is not None:
            able = self.costs.showable(scope.outer.select, scope.select, column, tables)
            self.check("ambiguous", able, f"{column} stands bare in the query around")

    def _item_as(self, scope: Scope) -> Scope:
        """``SELECT a AS``: a derived table must have a name left."""
        select = scope.select
        if select.derived and scope.outer is not None:
            outer = scope.outer.select
            able = any(self.costs.showable(outer, select, label, frozenset()) for label in self.costs.free(select))
            self.check("derived", able, "no name is left")
        return self.completable(self.change(scope, pending="name"), "AS")

    def _item(self, scope: Scope, value: AbstractValue) -> Scope:
        """``SELECT a + b AS n`` is over: an output n; ``FROM (SELECT a, a`` is refused where names must differ."""
        titles = self._titles(scope)
        scope = self._noted(scope)
        select = scope.select
        equal = not (select.distinct and self.resolver.types.strict) or value.type != "other"
        self.check("comparisons", equal, "DISTINCT of values that are never equal")
        column = select.column
        if self.positioned:
            listed = Listed(column, bool(value.marks & (Mark.AGGREGATE | Mark.WINDOW)))
            scope = self.change(scope, listed=(*select.listed, listed))
            select = scope.select
        name = select.alias or (column[1] if column else "")
        if select.compound:  # the first select names the columns
            own = (*select.own, (name, column)) if name and self.resolver.apart(select) else select.own
            return self.change(scope, own=own, term=OTHER, alias="", titles=frozenset[str]())
        self.check(
            "ambiguous", bool(name) or not select.named, "a column without a name could be taken for another one"
        )
        if select.derived and not name and self.costs.named_only:
            # the engine names the columns of a derived table by their text, or by that of a literal
            self.check("derived", all(o.name for o in select.outputs), "two columns without a name")
            free = not (value.type == "text" and value.marks & Mark.LITERAL)
            self.check("derived", free, "a text without a name is called by its characters")
            titled = self.resolver.may_title(o.name for o in select.outputs)
            self.check("derived", not titled, "a column without a name could be called as another one")
        if select.derived and name:
            plain = column is not None and not select.alias and not self.costs.named_only
            once = plain or not self.costs.shows(select, name)
            self.check("derived", once, f"the derived table shows {name} already")
        kept = AbstractValue(value.type, value.magnitude, value.marks & KEPT_MARKS, value.kinds & JSON_KINDS)
        output = Output(name, kept, column, frozenset() if name else titles)
        outputs, required = (*select.outputs, output), select.required - {name}
        return self.change(scope, outputs=outputs, required=required, term=OTHER, alias="", titles=frozenset[str]())

    @staticmethod
    def _titles(scope: Scope) -> frozenset[str]:
        """Return the names that the engine may give to the item being written: ``MAX(a)``: max."""
        select = scope.select
        within = {name for _, name in select.within} if "" in select.titles else ()
        return select.titles.union(within) - {""}

    def _noted(self, scope: Scope) -> Scope:
        """Note the columns of a finished item: ``GROUP BY a, b`` names those of ``a + b``, ``GROUP BY a + b`` it."""
        select = scope.select
        if not select.within:
            return scope if select.words is None else self.change(scope, words=None)
        whole = select.words is not None and (select.column is None or bool(select.alias))
        items = (*select.items, SelectItem(select.within, select.words or (), select.alias)) if whole else select.items
        if self.positioned and select.column is None:  # a number names it, whatever its words are in GROUP BY
            words, alias = (select.words, select.alias) if select.words is not None else (UNLIKE, "")
            whole, items = True, (*select.items, SelectItem(select.within, words, alias, len(select.listed) + 1))
        alone = select.alone if whole else select.alone | select.within
        return self.change(scope, items=items, alone=alone, within=frozenset[Column](), words=None)

    # ---- columns

    def _at_column(self, scope: Scope, name: Name, inside: bool) -> Scope:
        """``SELECT a``, or a column in any other clause; ``FROM (SELECT a, a`` is refused if a is taken from it."""
        select = scope.select
        start = select.term == START
        if start and select.derived and select.clause == "items":
            self._showable(scope, name.name, name.tables)
            taken = name.name in self._promised(scope)
            again = (taken or self.costs.named_only) and self.costs.shows(select, name.name)
            twice = again or (taken and "*" in select.star)
            # in the wide form the end of the item decides its name; the first operand names the columns
            self.check("derived", self.positioned or not twice, f"the derived table shows {name.name} already")
        sought = self.quirks.having_seeks_coming_items and select.clause == "having"
        found = self._column(scope, name, inside, sought=sought)
        if start and select.derived and select.clause == "items":
            self._keyed(found, name.name, (name.owner, name.name))  # its table is known now
        term = (name.owner, name.name) if start else OTHER
        if found.select.term != term:
            found = self.change(found, term=term)
        return self.completable(found, name.name)

    def _at_output(self, scope: Scope, name: Name, inside: bool) -> Scope:
        """``ORDER BY n``: the name of an output."""
        self._output(scope, name, inside)
        if scope.select.clause == "order":
            scope = self.change(scope, unnumbered=True)
        select = scope.select
        term = ALIASED if select.term == START else OTHER
        if select.clause == "group":
            return self.change(scope, term=term, items=tuple(i for i in select.items if i.alias != name.name))
        return scope if select.term == term else self.change(scope, term=term)

    def _at_aggregate(self, scope: Scope, name: Name, inside: bool) -> Scope:
        """``SELECT a FROM t ORDER BY MAX(``: refused, a is not grouped."""
        select = scope.select
        if "grouping" not in self.on or select.aggregated:
            return scope if select.term == OTHER else self.change(scope, term=OTHER)
        self.check("grouping", not select.star, "no aggregate beside a star")
        if select.clause in {"order", "having"}:
            self.check(
                "grouping", select.grouped or not select.plain, "an aggregate beside columns that are not grouped"
            )
            lone = not select.grouped and select.held and self.quirks.mixes_within_aggregates
            self.check("grouping", not lone, "an aggregate in ORDER BY alone, within another aggregate")
        return self.completable(self.change(scope, aggregated=True, term=OTHER), "the aggregate")
