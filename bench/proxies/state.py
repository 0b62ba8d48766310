"""What a dialogue is about, and the query that answers its last turn."""

from __future__ import annotations

from dataclasses import dataclass, field

from .layouts import Placed, PlacedThing
from .phrases import Condition
from .queries import Query

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
        thing = self.thing if self.parent is None else self.parent[0]
        shown = [thing.own(thing.label)] * (self.label or self.parent is not None)
        shown += [one.full for one in self.columns]
        figure = "COUNT(*)" if self.of is None else f"{self.figure}({self.of.sql})"
        groups: tuple[str, ...] = ()
        if self.group is not None:
            groups = (f"STRFTIME('%Y', {self.group.full})" if self.years else self.group.sql,)
        where = [one.sql for one in self.conditions]
        if self.order is not None and self.order.column.missing:
            where.append(f"{self.order.full} IS NOT NULL")
        best = figure if self.leader else self.order.sql if self.order is not None else ""
        return Query(
            base=self.thing.table,
            select=tuple(shown) if not self.figure else groups if self.leader else (*groups, figure),
            where=tuple(where),
            group=groups,
            order=best and f"{best} DESC",
            limit="1" if self.leader else self.limit,
            distinct=self.parent is not None,
            ordered=self.order is not None and self.limit != "1",
        )
