"""Queries about two tables at once: both shown, or the rows of one counted for each row of the other."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from ..facts.joins import Join
from ..parts.draws import Draft, Draw, NothingToDraw
from ..parts.join_filters import verb_of
from ..parts.phrases import Count, Phrase, Slot
from .selections import aggregate
from .shape import Structure, columns, extreme, names_noun, ranked


@dataclass(frozen=True)
class _Groups:
    """The rows of one table for each row of another: ``join`` goes from the one to the other."""

    join: Join
    slots: dict[str, Slot]
    verb: str = ""

    def query(self, more: str = "") -> str:
        """Return a query of a row each; what tells one from another is its name, if no other has it."""
        parent, names = self.join.parent, columns(self.join.parent.names, True)
        key = names if parent.unique_names else self.join.target.ref(True)
        return f"SELECT {names}{more} FROM {self.join.source} GROUP BY {key}"


def _slots(draw: Draw, join: Join) -> dict[str, Slot]:
    return {"t": join.child.noun, "g": join.noun, "n": names_noun(draw, join.parent)}


def _joined(draw: Draw) -> _Groups:
    join = draw.join(lambda join: join.many and join.parent.names and join.parent is not join.child)
    return _Groups(join, _slots(draw, join), verb_of(join))


def _bridged(draw: Draw) -> _Groups:
    """Over a bridge table: the playlists by their tracks."""
    bridge = draw.one([b for b in draw.frame.bridges if b.left.parent.names])
    return _Groups(bridge.left, {**_slots(draw, bridge.left), "t": bridge.right.parent.noun})


def _show(draw: Draw) -> Draft:
    join = draw.join(lambda join: join.parent.names and join.child.names)
    what = columns([*join.child.names, *join.parent.names], True)
    slots = {**_slots(draw, join), "c": names_noun(draw, join.child)}
    return Draft(f"SELECT {what} FROM {join.source}", Phrase("join-show", slots))


def _count(draw: Draw, *, groups_of: Callable[[Draw], _Groups] = _joined) -> Draft:
    groups = groups_of(draw)
    return Draft(groups.query(", COUNT(*)"), Phrase("each-count", groups.slots, groups.verb))


def _count_top(draw: Draw, *, groups_of: Callable[[Draw], _Groups] = _joined) -> Draft:
    groups, down = groups_of(draw), draw.chance(0.75)
    sql, ties = ranked(groups.query(), "COUNT(*)", down, 1)
    return Draft(sql, Phrase("each-most" if down else "each-fewest", groups.slots, groups.verb), ties)


def _count_top_n(draw: Draw) -> Draft:
    groups, count = _joined(draw), draw.rng.randint(2, 5)
    sql, ties = ranked(groups.query(), "COUNT(*)", True, count)
    return Draft(sql, Phrase("each-most-n", {**groups.slots, "m": Count(count)}, groups.verb), ties)


def _having(draw: Draw) -> Draft:
    groups = _joined(draw)
    sign, rule = draw.one([(">", "over"), (">=", "at-least"), ("<", "under")])
    count = draw.rng.randint(1 if sign == ">" else 2, 4)
    number = Phrase(f"count-{rule}", {"n": Count(count), "t": groups.join.child.noun})
    said = Phrase("each-having", {**groups.slots, "number": number}, groups.verb)
    return Draft(f"{groups.query()} HAVING COUNT(*) {sign} {count}", said)


def _valued(draw: Draw, groups: _Groups, function: str) -> tuple[str, dict[str, Slot]]:
    column = draw.number(groups.join.child, sums=function == "sum")
    slots: dict[str, Slot] = {**groups.slots, "value": Phrase(f"value-{function}", {"c": column.noun})}
    return f"{function.upper()}({column.number(True, sums=function == 'sum')})", slots


def _value(draw: Draw) -> Draft:
    groups = _joined(draw)
    key, slots = _valued(draw, groups, aggregate(draw))
    return Draft(groups.query(f", {key}"), Phrase("each-value", slots))


def _value_top(draw: Draw) -> Draft:
    groups, down = _joined(draw), draw.chance(0.65)
    key, slots = _valued(draw, groups, draw.one(["avg", "sum"]))
    sql, ties = ranked(groups.query(), key, down, 1)
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
    sql, ties = ranked(query, column.order(True), down, 1)
    top = extreme(join.child, column, down)
    return Draft(sql, Phrase("of-top", {**_slots(draw, join), "top": top}), ties)


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
    "bridge-group-count": partial(_count, groups_of=_bridged),
    "bridge-group-top": partial(_count_top, groups_of=_bridged),
}
