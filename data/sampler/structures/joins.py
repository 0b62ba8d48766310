"""Queries about two tables at once: both shown, or the rows of one counted for each row of the other."""

from __future__ import annotations

from ..draws import Draft, Draw, NothingToDraw
from ..facts.joins import Join
from ..join_filters import verb_of
from ..phrases import Count, Phrase, Slot
from .columns import aggregate
from .shape import Structure, columns, extreme, names_noun, ranked

__all__ = ["JOINS"]


def _grouping(draw: Draw) -> Join:
    return draw.join(lambda join: join.many and join.parent.names and join.parent is not join.child)


def _key(join: Join) -> str:
    """Return what tells one parent from another: its name if no other has it."""
    return columns(join.parent.names, True) if join.parent.unique_names else join.target.ref(True)


def _slots(draw: Draw, join: Join) -> dict[str, Slot]:
    return {"t": join.child.noun, "g": join.noun, "n": names_noun(draw, join.parent)}


def _show(draw: Draw) -> Draft:
    join = draw.join(lambda join: join.parent.names and join.child.names)
    what = columns([*join.child.names, *join.parent.names], True)
    slots = {**_slots(draw, join), "c": names_noun(draw, join.child)}
    return Draft(f"SELECT {what} FROM {join.source}", Phrase("join-show", slots))


def _count(draw: Draw) -> Draft:
    join = _grouping(draw)
    sql = f"SELECT {columns(join.parent.names, True)}, COUNT(*) FROM {join.source} GROUP BY {_key(join)}"
    return Draft(sql, Phrase("each-count", _slots(draw, join), verb_of(join)))


def _count_top(draw: Draw) -> Draft:
    join, down = _grouping(draw), draw.chance(0.75)
    query = f"SELECT {columns(join.parent.names, True)} FROM {join.source} GROUP BY {_key(join)}"
    sql, ties = ranked(query, "COUNT(*)", down, 1)
    return Draft(sql, Phrase("each-most" if down else "each-fewest", _slots(draw, join), verb_of(join)), ties)


def _count_top_n(draw: Draw) -> Draft:
    join, count = _grouping(draw), draw.rng.randint(2, 5)
    query = f"SELECT {columns(join.parent.names, True)} FROM {join.source} GROUP BY {_key(join)}"
    sql, ties = ranked(query, "COUNT(*)", True, count)
    return Draft(sql, Phrase("each-most-n", {**_slots(draw, join), "m": Count(count)}, verb_of(join)), ties)


def _having(draw: Draw) -> Draft:
    join = _grouping(draw)
    sign, rule = draw.one([(">", "over"), (">=", "at-least"), ("<", "under")])
    count = draw.rng.randint(1 if sign == ">" else 2, 4)
    number = Phrase(f"count-{rule}", {"n": Count(count), "t": join.child.noun})
    sql = f"SELECT {columns(join.parent.names, True)} FROM {join.source} GROUP BY {_key(join)}"
    said = Phrase("each-having", {**_slots(draw, join), "number": number}, verb_of(join))
    return Draft(f"{sql} HAVING COUNT(*) {sign} {count}", said)


def _value(draw: Draw) -> Draft:
    join, function = _grouping(draw), aggregate(draw)
    column = draw.number(join.child, sums=function == "sum")
    key = f"{function.upper()}({column.ref(True)})"
    sql = f"SELECT {columns(join.parent.names, True)}, {key} FROM {join.source} GROUP BY {_key(join)}"
    said = Phrase("each-value", {**_slots(draw, join), "value": Phrase(f"value-{function}", {"c": column.noun})})
    return Draft(sql, said)


def _value_top(draw: Draw) -> Draft:
    join, function, down = _grouping(draw), draw.one(["avg", "sum"]), draw.chance(0.65)
    column = draw.number(join.child, sums=function == "sum")
    query = f"SELECT {columns(join.parent.names, True)} FROM {join.source} GROUP BY {_key(join)}"
    sql, ties = ranked(query, f"{function.upper()}({column.ref(True)})", down, 1)
    slots = {**_slots(draw, join), "value": Phrase(f"value-{function}", {"c": column.noun})}
    return Draft(sql, Phrase("each-highest" if down else "each-lowest", slots), ties)


def _by_category(draw: Draw) -> Draft:
    """``SELECT artist.country, COUNT(*) FROM album JOIN artist … GROUP BY artist.country``."""
    join = draw.join(lambda join: join.many)
    group = draw.category(join.parent)
    sql = f"SELECT {group.ref(True)}, COUNT(*) FROM {join.source} GROUP BY {group.ref(True)}"
    return Draft(sql, Phrase("join-group", {"t": join.child.noun, "g": join.noun, "c": group.noun}))


def _of_top(draw: Draw) -> Draft:
    """``SELECT artist.name FROM album JOIN artist … ORDER BY album.price DESC LIMIT 1``."""
    join = draw.join(lambda join: join.parent.names)
    column, down = draw.ordered(join.child), draw.chance(0.6)
    query = f"SELECT {columns(join.parent.names, True)} FROM {join.source}"
    sql, ties = ranked(query, column.ref(True), down, 1)
    top = extreme(join.child, column, down)
    return Draft(sql, Phrase("of-top", {**_slots(draw, join), "top": top}), ties)


def _bridge_count(draw: Draw) -> Draft:
    """``SELECT playlist.name, COUNT(*) FROM playlist JOIN playlist_track … GROUP BY playlist.id``."""
    bridge = draw.one([b for b in draw.frame.bridges if b.left.parent.names])
    join = bridge.left
    slots: dict[str, Slot] = {"t": bridge.right.parent.noun, "g": join.noun, "n": names_noun(draw, join.parent)}
    sql = f"SELECT {columns(join.parent.names, True)}, COUNT(*) FROM {join.source} GROUP BY {_key(join)}"
    return Draft(sql, Phrase("each-count", slots))


def _bridge_top(draw: Draw) -> Draft:
    bridge, down = draw.one([b for b in draw.frame.bridges if b.left.parent.names]), draw.chance(0.75)
    join = bridge.left
    slots: dict[str, Slot] = {"t": bridge.right.parent.noun, "g": join.noun, "n": names_noun(draw, join.parent)}
    query = f"SELECT {columns(join.parent.names, True)} FROM {join.source} GROUP BY {_key(join)}"
    sql, ties = ranked(query, "COUNT(*)", down, 1)
    return Draft(sql, Phrase("each-most" if down else "each-fewest", slots), ties)


def _bridge_show(draw: Draw) -> Draft:
    bridge = draw.one([b for b in draw.frame.bridges if b.left.parent.names and b.right.parent.names])
    left, right = bridge.left.parent, bridge.right.parent
    what = columns([*left.names, *right.names], True)
    slots: dict[str, Slot] = {
        "t": left.noun, "c": names_noun(draw, left), "g": right.noun, "n": names_noun(draw, right),
    }  # fmt: skip
    if left is right:
        raise NothingToDraw
    return Draft(f"SELECT {what} FROM {bridge.source}", Phrase("join-show", slots))


JOINS: dict[str, Structure] = {
    "join2-show": _show,
    "join2-group-count": _count,
    "join2-group-top": _count_top,
    "join2-group-top-n": _count_top_n,
    "join2-having": _having,
    "join2-group-value": _value,
    "join2-group-value-top": _value_top,
    "join2-group-category": _by_category,
    "join2-top": _of_top,
    "join3-show": _bridge_show,
    "bridge-group-count": _bridge_count,
    "bridge-group-top": _bridge_top,
}
