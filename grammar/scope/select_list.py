"""The steps of a select list: its items, their names, stars, and the columns and aggregates within."""

from __future__ import annotations

from ..values import AGGREGATE, LITERAL, NONNEGATIVE, NONZERO, Value
from .levels import ALIASED, OTHER, STARRED, START, Column, Item, Need, Output, Scope
from .steps import Name, Steps

__all__ = ["SelectList"]

SHOWN = AGGREGATE | NONNEGATIVE | NONZERO
"""Marks of an item that its output keeps."""


class SelectList(Steps):
    """Words and phrases of select lists; columns may stand in the other clauses, too."""

    def _at_items_comma(self, scope: Scope, name: Name, inside: bool) -> Scope:
        lonely = scope.level.derived and self.costs.named_only and bool(scope.level.star)
        self.check("derived", not lonely, "a star stands alone in a derived table")
        return self.payable(self.change(scope, term=START, alias="", words=self.unwritten), "a comma")

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
        found = self.change(scope, star=(*level.star, name.owner or "*"), needs=needs, asked=asked, term=STARRED)
        return self.payable(found, name.owner or "*")

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

    def _labelled(self, scope: Scope, name: Name) -> Scope:
        """Give the item being written a name."""
        level = scope.level
        if level.derived:
            self.check(
                "derived", not self.costs.shows(level, name.name), f"the derived table shows {name.name} already"
            )
            self._showable(scope, name.name, frozenset())
        return self.payable(self.change(scope, alias=name.name, pending=""), name.name)

    def _keyed(self, scope: Scope, shown: str, column: Column | None) -> None:
        """Refuse to show a column of a type that is not shown by a name that the query around takes.

        It cannot know the type, and may sort by the column or group by it. Without a column a star shows it, of any
        table.
        """
        if shown in self._promised(scope):
            columns = self.columns
            able = columns.shown_by_star(shown) if column is None else columns.shown_by_name(scope.level, column)
            lacks = "has no order here" if columns.types.strict else "is of a type that is not shown"
            self.check(columns.types.hiding, able, f"the query around takes {shown}, which {lacks}")

    def _showable(self, scope: Scope, column: str, tables: frozenset[str]) -> None:
        """Refuse a derived table's column that the query around it would take for a bare one that is none."""
        if scope.outer is not None:
            able = self.costs.showable(scope.outer.level, scope.level, column, tables)
            self.check("ambiguous", able, f"{column} stands bare in the query around")

    def _item_as(self, scope: Scope) -> Scope:
        level = scope.level
        if level.derived and scope.outer is not None:
            outer = scope.outer.level
            able = any(self.costs.showable(outer, level, label, frozenset()) for label in self.costs.free(level))
            self.check("derived", able, "no name is left")
        return self.payable(self.change(scope, pending="name"), "AS")

    def _item(self, scope: Scope, value: Value) -> Scope:
        titles = self._titles(scope)
        scope = self._noted(scope)
        level = scope.level
        equal = not (level.distinct and self.columns.types.strict) or value.type != "other"
        self.check("comparisons", equal, "DISTINCT of values that are never equal")
        column = level.column
        name = level.alias or (column[1] if column else "")
        if level.compound:  # the first select names the columns
            own = (*level.own, (name, column)) if name and self.columns.apart(level) else level.own
            return self.change(scope, own=own, term=OTHER, alias="", titles=frozenset[str]())
        self.check("ambiguous", bool(name) or not level.named, "a column without a name could be taken for another one")
        if level.derived and not name and self.costs.named_only:
            # MySQL names the columns of a derived table by their text, or by what a literal says
            self.check("derived", all(o.name for o in level.outputs), "two columns without a name")
            free = not (value.type == "text" and value.marks & LITERAL)
            self.check("derived", free, "a text without a name is called by what it says")
            told = self.columns.told(o.name for o in level.outputs)
            self.check("derived", not told, "a column without a name could be called as another one")
        if level.derived and name:
            plain = column is not None and not level.alias and not self.costs.named_only
            once = plain or not self.costs.shows(level, name)
            self.check("derived", once, f"the derived table shows {name} already")
        shown = Value(value.type, value.digits, value.marks & SHOWN)
        output = Output(name, shown, column, frozenset() if name else titles)
        outputs, asked = (*level.outputs, output), level.asked - {name}
        return self.change(scope, outputs=outputs, asked=asked, term=OTHER, alias="", titles=frozenset[str]())

    @staticmethod
    def _titles(scope: Scope) -> frozenset[str]:
        """Return the names that the engine may give to the item being written."""
        level = scope.level
        within = {name for _, name in level.within} if "" in level.titles else ()
        return level.titles.union(within) - {""}

    def _noted(self, scope: Scope) -> Scope:
        """Note the columns of a finished item: GROUP BY names them, or the item."""
        level = scope.level
        if not level.within:
            return scope if level.words is None else self.change(scope, words=None)
        whole = level.words is not None and (level.column is None or bool(level.alias))
        items = (*level.items, Item(level.within, level.words or (), level.alias)) if whole else level.items
        alone = level.alone if whole else level.alone | level.within
        return self.change(scope, items=items, alone=alone, within=frozenset[Column](), words=None)

    # ---- columns

    def _at_column(self, scope: Scope, name: Name, inside: bool) -> Scope:
        level = scope.level
        start = level.term == START
        if start and level.derived and level.clause == "items":
            self._showable(scope, name.name, name.tables)
            taken = name.name in self._promised(scope)
            shown = (taken or self.costs.named_only) and self.costs.shows(level, name.name)
            twice = shown or (taken and "*" in level.star)
            self.check("derived", not twice, f"the derived table shows {name.name} already")
        sought = self.columns.dialect == "mysql" and level.clause == "having"
        found = self.columns.used(self, scope, name, inside, sought=sought)
        if start and level.derived and level.clause == "items":
            self._keyed(found, name.name, (name.owner, name.name))  # its table is known now
        term = (name.owner, name.name) if start else OTHER
        if found.level.term != term:
            found = self.change(found, term=term)
        return self.payable(found, name.name)

    def _at_output(self, scope: Scope, name: Name, inside: bool) -> Scope:
        self.columns.output(self, scope, name, inside)
        level = scope.level
        term = ALIASED if level.term == START else OTHER
        if level.clause == "group":
            return self.change(scope, term=term, items=tuple(i for i in level.items if i.alias != name.name))
        return scope if level.term == term else self.change(scope, term=term)

    def _at_aggregate(self, scope: Scope, name: Name, inside: bool) -> Scope:
        level = scope.level
        if "grouping" not in self.on or level.aggregated:
            return scope if level.term == OTHER else self.change(scope, term=OTHER)
        self.check("grouping", not level.star, "no aggregate beside a star")
        if level.clause in {"order", "having"}:
            self.check("grouping", level.grouped or not level.plain, "an aggregate beside columns that are not grouped")
            lone = not level.grouped and self.enclosed(scope)
            self.check("grouping", not lone, "an aggregate in ORDER BY alone, within another aggregate")
        return self.payable(self.change(scope, aggregated=True, term=OTHER), "the aggregate")
