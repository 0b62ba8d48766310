"""A gold query with what it means said in one way, whatever way it was said in."""

from __future__ import annotations

from sqlglot import exp

from ...errors import QueryError
from ...profiles.column_profile import ColumnProfile
from ...profiles.database_profile import DatabaseProfile
from ..parsing import read_tree
from ..sources import Stored
from .meant import Meant, MeantPart, Profiled, written
from .meant_conditions import literal_text, meant_condition, merged
from .meant_values import meant_value

__all__ = ["meaning_of", "profiled_by", "said_one_way"]

_SIGNS = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.In, exp.Between)
_NUMBERS = ("day of month", "hour", "weekday")
"""The parts that are always written as numbers."""


def profiled_by(profile: DatabaseProfile, stored: Stored) -> Profiled:
    """Return what tells the profile of a column that a query names."""

    def told(column: exp.Column) -> ColumnProfile | None:
        places = stored.of(column)
        return profile.column(places[0][1], places[0][2]) if places else None

    return told


def meaning_of(node: exp.Expr, profiled: Profiled) -> Meant | None:
    """Return what a condition or a value of a query means, None where no profile tells."""
    return meant_condition(node, profiled) or meant_value(node, profiled)


def said_one_way(tree: exp.Expr, profiled: Profiled, dialect: str) -> tuple[exp.Expr, list[Meant]]:
    """Return a copy of a query in which what it means is written by `meaning_sql`, and what was found.

    Conditions on one column that hold together are one: since a day, and before another.
    """
    saying = _Saying(profiled, dialect)
    return saying.again(tree.copy()), saying.found


class _Saying:
    """Writes the meanings of one query."""

    def __init__(self, profiled: Profiled, dialect: str) -> None:
        self.profiled = profiled
        self.dialect = dialect
        self.found: list[Meant] = []

    def again(self, node: exp.Expr) -> exp.Expr:
        """Return an expression with its meanings written, itself where it has none."""
        if isinstance(node, exp.And):
            return self._together(node)
        meant = meaning_of(node, self.profiled)
        if meant is not None and (new := self._written(meant)) is not None:
            return new
        if isinstance(node, _SIGNS):
            self._align(node)
        for child in list(node.iter_expressions()):
            new = self.again(child)
            if new is not child:
                child.replace(new)
        return node

    def _together(self, node: exp.And) -> exp.Expr:
        parts = list(node.flatten())
        told = [meant_condition(part, self.profiled) for part in parts]
        new = [self._written(meant) for meant in merged(told)]
        if None in new:
            told, new = [None] * len(parts), []
        kept = [self.again(part) for part, meant in zip(parts, told, strict=True) if meant is None]
        return exp.and_(*(one for one in (*kept, *new) if one is not None), copy=False)

    def _written(self, meant: Meant) -> exp.Expr | None:
        try:
            text = written(meant, self.profiled, self.dialect)
        except QueryError:
            return None
        self.found.append(meant)
        return read_tree(f"SELECT ({text})", self.dialect).expressions[0]

    def _align(self, node: exp.Expr) -> None:
        """Make numbers of the constants beside a part that is now written as one, and texts beside one that is not."""
        operands = [node.this, *(node.expressions or [node.args.get("expression")])]
        operands += [node.args.get("low"), node.args.get("high")]
        values = [one and meant_value(one, self.profiled) for one in operands]
        part = next((value for value in values if isinstance(value, MeantPart)), None)
        for one in operands if part is not None else ():
            text = literal_text(one) if one is not None else None
            if one is None or part is None or text is None or not text.isdecimal():
                continue
            if part.part in _NUMBERS or part.number:
                one.replace(exp.Literal.number(int(text)))
            else:
                one.replace(exp.Literal.string(f"{int(text):02}"))
