"""Queries that count rows of one table for every row of another, those without any among them: LEFT JOIN.

«List every trainer with the number of classes» asks for them, «how many classes does each trainer have» does not: that
is `joins`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ..facts.facts import ColumnFacts
from ..facts.joins import Join
from ..parts.draws import Draft, Draw
from ..parts.filters import any_plain
from ..parts.join_filters import verb_of
from ..parts.phrases import Phrase, Slot
from .shape import Structure, columns, names_noun

_WHERE_NONE = 0.85  # of the draws in which some row has none, if there are such


@dataclass(frozen=True)
class _Counted:
    """Rows that are counted for each row of the parent that they refer to.

    Attributes:
        key: what tells those of one parent from one another.
        verb: what the parent does to have one.
    """

    join: Join
    slots: dict[str, Slot]
    key: ColumnFacts | None
    verb: str = ""

    @property
    def has_none(self) -> bool:
        """Do some rows of the parent have none?"""
        return bool({*self.join.target.cells} - {*self.join.key.cells})


def _counted(draw: Draw) -> list[_Counted]:
    """Return what can be counted: rows that refer to others, and what a bridge table links to them."""
    plain = [
        _Counted(join, _slots(draw, join), _key(join), verb_of(join))
        for join in draw.frame.joins
        if join.many and join.plain and join.parent.names and join.parent is not join.child
    ]
    over = [
        _Counted(bridge.left, {**_slots(draw, bridge.left), "t": bridge.right.parent.noun}, bridge.right.key)
        for bridge in draw.frame.bridges
        if bridge.left.parent.names
    ]
    return plain + over


def _slots(draw: Draw, join: Join) -> dict[str, Slot]:
    return {"t": join.child.noun, "g": join.parent.noun, "n": names_noun(draw, join.parent)}


def _one(draw: Draw) -> _Counted:
    found = _counted(draw)
    some = [counted for counted in found if counted.has_none]
    return draw.one(some if some and draw.chance(_WHERE_NONE) else found)


def _query(counted: Sequence[Join], counts: Sequence[str], where: str = "") -> str:
    """Return the query of counts for each row of a parent; what tells one from another is its name, if unique."""
    parent = counted[0].parent
    names = columns(parent.names, True)
    key = names if parent.unique_names else counted[0].target.ref(True)
    source = parent.sql + "".join(f" LEFT JOIN {join.child.sql} ON {_on(join)}" for join in counted)
    return f"SELECT {names}, {', '.join(counts)} FROM {source}{where} GROUP BY {key}"


def _on(join: Join) -> str:
    return f"{join.target.ref(True)} = {join.key.ref(True)}"


def _count(draw: Draw) -> Draft:
    """``SELECT trainer.name, COUNT(class.trainer_id) FROM trainer LEFT JOIN class … GROUP BY trainer.id``."""
    one = _one(draw)
    sql = _query([one.join], [f"COUNT({one.join.key.ref(True)})"])
    return Draft(sql, Phrase("none-count", one.slots, one.verb))


def _count_if(draw: Draw) -> Draft:
    """The same for those that a condition chooses: for every customer from Oslo."""
    one = _one(draw)
    condition = any_plain(draw, one.join.parent, True)
    sql = _query([one.join], [f"COUNT({one.join.key.ref(True)})"], f" WHERE {condition.where}")
    return Draft(sql, Phrase("none-count-if", {**one.slots, "cond": condition.said}))


def _count_order(draw: Draw) -> Draft:
    """The same, the most or the fewest first."""
    one, down = _one(draw), draw.chance(0.7)
    count = f"COUNT({one.join.key.ref(True)})"
    order = Phrase("none-down" if down else "none-up", {})
    sql = f"{_query([one.join], [count])} ORDER BY {count}{' DESC' if down else ''}"
    return Draft(sql, Phrase("none-count-order", {**one.slots, "order": order}))


def _two_counts(draw: Draw) -> Draft:
    """``SELECT customer.name, COUNT(DISTINCT orders.id), COUNT(DISTINCT ticket.id) FROM customer LEFT JOIN orders …``.

    The two joins repeat each other's rows, so that keys are counted.
    """
    keyed = [(counted, counted.key) for counted in _counted(draw) if counted.key is not None]
    found = [(one, other) for one in keyed for other in keyed if _beside(one[0], other[0])]
    (one, key), (other, other_key) = draw.one(found)
    counts = [f"COUNT(DISTINCT {each.ref(True)})" for each in (key, other_key)]
    slots: dict[str, Slot] = {**one.slots, "u": other.slots["t"]}
    return Draft(_query([one.join, other.join], counts), Phrase("none-two-counts", slots))


def _key(join: Join) -> ColumnFacts | None:
    """Return the key of the child, if it has one of a single column."""
    keys = join.child.table.primary_key
    column = join.child.column(keys[0]) if len(keys) == 1 else None
    unique = column is not None and len({*column.cells}) == len(column.cells)
    return column if unique and column is not join.key else None


def _beside(one: _Counted, other: _Counted) -> bool:
    """Are rows of two tables, of different names, counted for each row of one parent?"""
    same = one.join.parent is other.join.parent and one.join.target is other.join.target
    return same and one.join.child is not other.join.child and one.slots["t"] != other.slots["t"]


WITH_NONE: dict[str, Structure] = {
    "none-count": _count,
    "none-count-if": _count_if,
    "none-count-order": _count_order,
    "none-two-counts": _two_counts,
}
