"""What a dialogue is about, and the query that answers its last turn."""

from __future__ import annotations

from dataclasses import dataclass, field

from .layouts import Placed, PlacedThing
from .phrases import Condition
from .queries import Query, Term, column, own

__all__ = ["State"]


@dataclass(frozen=True)
class State:
    """What a dialogue is about just now.

    Attributes:
        figure: COUNT, AVG, SUM or MAX of a column; rows are shown where it is empty.
        of: the column of the figure, none for COUNT.
        columns: shown beside the label, or in its place where `label` is false.
        group: a column, or with `years` a day.
        leader: only the first group is asked for.
    """

    thing: PlacedThing
    conditions: tuple[Condition, ...] = ()
    figure: str = ""
    of: Placed | None = None
    columns: tuple[Placed, ...] = ()
    label: bool = True
    group: Placed | None = None
    years: bool = False
    leader: bool = False
    order: Placed | None = None
    limit: str = ""
    parent: tuple[PlacedThing, str] | None = None
    words: dict[str, str] = field(default_factory=dict[str, str], compare=False)

    @property
    def query(self) -> Query:
        """Return the query that answers the last turn."""
        whole = own(self.thing, self.thing.label)
        shown = [whole] * self.label + [Term(one.full, frozenset({one.table})) for one in self.columns]
        figure = Term("COUNT(*)") if self.of is None else _of(self.figure, column(self.of))
        groups: tuple[Term, ...] = ()
        if self.group is not None:
            day = Term(f"STRFTIME('%Y', {self.group.full})", frozenset({self.group.table}))
            groups = (day if self.years else column(self.group),)
        if self.parent is not None:
            shown = [own(self.parent[0], self.parent[0].label)]
        order = None if self.order is None else _of("", column(self.order), " DESC")
        if self.leader:
            order = _of("", figure, " DESC")
        select = tuple(shown) if not self.figure else groups if self.leader else (*groups, figure)
        where = [one.term for one in self.conditions]
        if self.order is not None and self.order.column.missing:
            where.append(Term(f"{self.order.full} IS NOT NULL", frozenset({self.order.table})))
        return Query(
            base=self.thing.table,
            select=select,
            where=tuple(where),
            group=groups,
            order=order,
            limit="1" if self.leader else self.limit,
            distinct=self.parent is not None,
            ordered=self.order is not None and self.limit != "1",
        )


def _of(name: str, one: Term, behind: str = "") -> Term:
    return Term(f"{name}({one.sql}){behind}" if name else f"{one.sql}{behind}", one.tables)
