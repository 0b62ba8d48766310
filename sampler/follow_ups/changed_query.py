"""A query taken apart, so that a follow-up can change one part: its tables, its conditions, what it shows."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Self

from sqlglot import exp

from ...data.parsing import parse
from ..facts.facts import ColumnFacts, TableFacts
from ..parts.draws import NothingToDraw, SamplingFrame

FIGURES: Mapping[str, type[exp.AggFunc]] = {"avg": exp.Avg, "max": exp.Max, "min": exp.Min, "sum": exp.Sum}
"""Of a column of numbers, by the names that phrases have for them."""

_BEYOND = (exp.Subquery, exp.SetOperation, exp.With, exp.Window)


@dataclass(frozen=True)
class ChangedQuery:
    """One SELECT without others in it.

    Attributes:
        tree: of it; never changed, only copied.
        tables: that it reads, by the names that it gives them.
    """

    tree: exp.Select
    tables: Mapping[str, TableFacts]

    @classmethod
    def of(cls, sql: str, frame: SamplingFrame) -> Self:
        """Take a query apart.

        Raises:
            NothingToDraw: it is more than one SELECT of tables that the frame knows, each once.
        """
        tree = parse(sql, "sqlite")
        if not isinstance(tree, exp.Select) or tree.find(*_BEYOND) or len(list(tree.find_all(exp.Select))) > 1:
            raise NothingToDraw
        known = {table.table.name.lower(): table for table in frame.tables}
        read = list(tree.find_all(exp.Table))
        tables = {one.alias_or_name: known[one.name.lower()] for one in read if one.name.lower() in known}
        if len(tables) < len(read) or len({id(one) for one in tables.values()}) < len(read):
            raise NothingToDraw
        return cls(tree, tables)

    @property
    def sql(self) -> str:
        """Return the query."""
        return self.tree.sql("sqlite")

    @property
    def table(self) -> TableFacts:
        """Return the only table.

        Raises:
            NothingToDraw: there are several.
        """
        if len(self.tables) != 1:
            raise NothingToDraw
        return next(iter(self.tables.values()))

    @property
    def rows(self) -> TableFacts:
        """Return the first table, whose rows it is most likely about."""
        return next(iter(self.tables.values()))

    @property
    def conditions(self) -> list[exp.Expr]:
        """Return what stands between the ANDs of its WHERE."""
        where = self.tree.args.get("where")
        return [] if where is None else parts_of(where.this)

    @property
    def counts(self) -> bool:
        """Does it tell one figure of all its rows?"""
        shown = self.tree.expressions
        return len(shown) == 1 and isinstance(shown[0].unalias(), exp.AggFunc) and not self.has("group")

    @property
    def lists(self) -> bool:
        """Does it list rows, one by one?"""
        return not (self.has("group") or any(one.find(exp.AggFunc) for one in self.tree.expressions))

    def has(self, *parts: str) -> bool:
        """Does it have one of these parts? ``group``, ``having``, ``order``, ``limit``, ``distinct``."""
        return any(self.tree.args.get(part) is not None for part in parts)

    def facts_of(self, node: exp.Expr) -> ColumnFacts | None:
        """Return the only column that an expression is about, None if there are none or several."""
        found = {id(one): one for one in map(self._column, node.find_all(exp.Column))}
        return next(iter(found.values())) if len(found) == 1 else None

    def about(self) -> set[str]:
        """Return the names in SQL of columns that conditions are about."""
        return {c.ref(True) for one in self.conditions if (c := self.facts_of(one)) is not None}

    def refer(self, column: ColumnFacts) -> exp.Column:
        """Return a column as this query writes it."""
        name = next(name for name, table in self.tables.items() if table.sql == column.table)
        table = exp.to_identifier(name) if len(self.tables) > 1 else None
        return exp.Column(this=exp.to_identifier(column.column.name, quoted=column.sql.startswith('"')), table=table)

    def read(self, where: str) -> exp.Expr:
        """Return a condition on tables by their own names as this query writes it.

        Raises:
            NothingToDraw: it is none.
        """
        tree = parse(f"SELECT 1 FROM t WHERE {where}", "sqlite")
        if tree is None:
            raise NothingToDraw
        names = {table.table.name.lower(): name for name, table in self.tables.items()}
        for one in tree.find_all(exp.Column):
            if one.table.lower() in names:
                one.set("table", exp.to_identifier(names[one.table.lower()]) if len(self.tables) > 1 else None)
        return tree.args["where"].this

    def with_conditions(self, conditions: list[exp.Expr]) -> Self:
        """Return it with these conditions in place of its own."""
        return self._with(where=exp.Where(this=exp.and_(*conditions)) if conditions else None)

    def showing(self, *shown: exp.Expr, **parts: exp.Expr | None) -> Self:
        """Return it with other expressions behind SELECT, and other parts; None leaves one out."""
        tree = self._with(**parts).tree
        tree.set("expressions", [one.copy() for one in shown])
        return replace(self, tree=tree)

    def _with(self, **parts: exp.Expr | None) -> Self:
        tree = self.tree.copy()
        for part, value in parts.items():
            tree.set(part, value)
        return replace(self, tree=tree)

    def _column(self, node: exp.Column) -> ColumnFacts | None:
        tables = [self.tables[node.table]] if node.table in self.tables else list(self.tables.values())
        found = [column for table in tables if (column := table.column(node.name)) is not None]
        return found[0] if len(found) == 1 else None


def parts_of(condition: exp.Expr) -> list[exp.Expr]:
    """Return what stands between the ANDs of a condition."""
    return [one.unnest() for one in condition.flatten()] if isinstance(condition, exp.And) else [condition]


def order_by(key: exp.Expr, down: bool) -> exp.Order:
    """Return what sorts by a key, missing ones as SQLite has them."""
    return exp.Order(expressions=[exp.Ordered(this=key.copy(), desc=down, nulls_first=not down)])


def limit(rows: int) -> exp.Limit:
    """Return what keeps so many rows."""
    return exp.Limit(expression=exp.Literal.number(rows))


def count_star() -> exp.Count:
    """Return what counts rows."""
    return exp.Count(this=exp.Star())
