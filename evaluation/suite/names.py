"""Which table's column a name in a query stands for."""

from __future__ import annotations

from sqlglot import exp

from ...data.sql.sources import source_of
from .shape import Kind, Place, Shape

__all__ = ["NameResolver"]

_NUMBERS = (exp.Count, exp.Sum, exp.Avg, exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Round, exp.Abs, exp.Neg, exp.Mod)


class NameResolver:
    """Looks names up in the scopes around them, innermost first."""

    def __init__(self, shape: Shape) -> None:
        self.shape = shape

    def source(self, column: exp.Column) -> exp.Expr | None:
        """Return the FROM item that a column comes from, None if it is no item's."""
        return source_of(column, lambda item: self._has(item, column.name.lower()))

    def base(self, column: exp.Column) -> Place | None:
        """Return the stored column that a name stands for, through derived tables and aliases; None if computed."""
        item = self.source(column)
        if isinstance(item, exp.Table):
            place = (item.name.lower(), column.name.lower())
            return place if self.shape.field(place) else None
        made = self.made(column) if item is None else self._output(item, column.name.lower())
        return self.base(made) if isinstance(made, exp.Column) and made is not column else None

    def made(self, column: exp.Column) -> exp.Expr | None:
        """Return what an alias of the same SELECT names (in ORDER BY or HAVING)."""
        select = column.find_ancestor(exp.Select)
        if select is None or column.table:
            return None
        return next(
            (e.this for e in select.expressions if isinstance(e, exp.Alias) and e.alias.lower() == column.name.lower()),
            None,
        )

    def kind(self, node: exp.Expr) -> Kind | None:
        """Return the kind of a column or expression, None if unknown."""
        if isinstance(node, exp.Column):
            field = self.shape.field(self.base(node))
            if field is not None:
                return field.kind
            item = self.source(node)
            made = self._output(item, node.name.lower()) if isinstance(item, exp.Subquery) else self.made(node)
            return None if made is None or made is node else self.kind(made)
        if isinstance(node, exp.Literal):
            return "text" if node.is_string else "real"
        if isinstance(node, _NUMBERS):
            return "real"
        if isinstance(node, exp.Min | exp.Max | exp.Paren | exp.Distinct | exp.Coalesce):
            return self.kind(node.this) if isinstance(node.this, exp.Expr) else None
        return None

    def places(self, node: exp.Expr) -> list[Place]:
        """Return the stored columns that an expression is made of, those of its subqueries left out."""
        found: list[Place] = []
        for part in node.walk(prune=lambda n: isinstance(n, exp.Query)):
            place = self.base(part) if isinstance(part, exp.Column) else None
            if place is not None:
                found.append(place)
        return found

    def outputs(self, query: exp.Expr) -> list[Place]:
        """Return the stored columns behind the first output column of a subquery."""
        inner = query.unnest()
        if not isinstance(inner, exp.Query) or not inner.selects:
            return []
        first = inner.selects[0].unalias()
        if isinstance(first, exp.Count):
            return []
        return self.places(first)

    def _has(self, item: exp.Expr, name: str) -> bool:
        if isinstance(item, exp.Table):
            return self.shape.field((item.name.lower(), name)) is not None
        return self._output(item, name) is not None

    def _output(self, item: exp.Expr, name: str) -> exp.Expr | None:
        shown = item.selects if isinstance(item, exp.Subquery) else []
        return next((made.unalias() for made in shown if made.alias_or_name.lower() == name), None)
