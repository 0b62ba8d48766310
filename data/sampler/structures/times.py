"""Queries for the last and the first time: when something was, and which row it was."""

from __future__ import annotations

from ..draws import Draft, Draw, NothingToDraw
from ..facts.events import verb_of_table
from ..facts.facts import ColumnFacts, TableFacts
from ..facts.links import Link
from ..facts.spoken import words
from ..filters import equal
from ..linked import name_of
from ..phrases import Phrase, Slot, Text
from .shape import Structure, columns, ranked, select

__all__ = ["TIMES"]


def _date(draw: Draw, table: TableFacts) -> ColumnFacts:
    """Return the date of a table's rows: the only one that never lacks, or the one its rows are made on."""
    dates = [c for c in table.having("date") if not c.deed or not c.deed.open]
    if len(dates) != 1 or dates[0].nulls or (dates[0].deed and dates[0].deed.past in {"born", "left", "出生", "离开"}):
        raise NothingToDraw
    draw.drawn.append(dates[0])
    return dates[0]


def _way(draw: Draw) -> tuple[str, str, bool]:
    """Return the function, the word of the rule, and whether the order goes down."""
    return draw.one([("MAX", "last", True), ("MAX", "last", True), ("MIN", "first", False)])


def _of(draw: Draw) -> Link:
    return draw.link(lambda link: link.many and link.parent.names and link.child.having("date"))


def _verb(draw: Draw, link: Link) -> dict[str, Slot]:
    """Return what a person does who makes rows of the child: orders, visits; empty if nobody knows."""
    verb = verb_of_table(words(link.child.table.name), draw.catalogue.language) if link.parent.noun.person else None
    return (
        {} if verb is None or " " in verb.base or verb.base in {"get", "用"} else {"verb": verb.base, "past": verb.past}
    )


def _time_of(draw: Draw) -> Draft:
    """``SELECT MAX(orders.placed) FROM orders JOIN customer … WHERE customer.name = 'Ann'``."""
    link = _of(draw)
    date = _date(draw, link.child)
    where, value = name_of(draw, link.parent)
    function, word, _ = _way(draw)
    verb = _verb(draw, link)
    slots: dict[str, Slot] = {"t": link.child.noun, "p": link.noun, "v": Text(value), **verb}
    meaning = "verb" if verb else "person" if link.parent.noun.person else ""
    sql = f"SELECT {function}({date.ref(True)}) FROM {link.source} WHERE {where}"
    return Draft(sql, Phrase(f"{word}-time-of", slots, meaning))


def _time(draw: Draw) -> Draft:
    """``SELECT MAX(placed) FROM orders``, now and then of the rows that a condition chooses."""
    table = draw.table(lambda t: t.having("date") and not t.noun.person)
    date = _date(draw, table)
    function, word, _ = _way(draw)
    slots: dict[str, Slot] = {"t": table.noun, "c": date.noun}
    if date.deed is not None:
        if date.deed.kind == "act":
            raise NothingToDraw
        said = Phrase(f"{word}-time-done", {**slots, "deed": date.deed.past})
        return Draft(select(f"{function}({date.sql})", table), said)
    if draw.chance(0.5):
        return Draft(select(f"{function}({date.sql})", table), Phrase(f"{word}-time", slots))
    condition = equal(draw, table, False)
    said = Phrase(f"{word}-time-if", {**slots, "cond": condition.said})
    return Draft(select(f"{function}({date.sql})", table, condition), said)


def _row(draw: Draw) -> Draft:
    """``SELECT order_id FROM orders ORDER BY placed DESC LIMIT 1``."""
    table = draw.table(lambda t: t.identity)
    date = _date(draw, table)
    _, word, down = _way(draw)
    sql, ties = ranked(select(columns(table.identity), table), date.sql, down, 1)
    slots: dict[str, Slot] = {"t": table.noun}
    if date.deed is None:
        return Draft(sql, Phrase(f"{word}-row", slots), ties)
    return Draft(sql, Phrase(f"{word}-row", {**slots, "deed": date.deed.past}, date.deed.kind), ties)


def _row_of(draw: Draw) -> Draft:
    """``SELECT orders.order_id FROM orders JOIN customer … WHERE … ORDER BY orders.placed DESC LIMIT 1``."""
    link = _of(draw)
    if not link.child.identity:
        raise NothingToDraw
    date = _date(draw, link.child)
    where, value = name_of(draw, link.parent)
    _, word, down = _way(draw)
    query = f"SELECT {columns(link.child.identity, True)} FROM {link.source} WHERE {where}"
    sql, ties = ranked(query, date.ref(True), down, 1)
    slots: dict[str, Slot] = {"t": link.child.noun, "p": link.noun, "v": Text(value)}
    return Draft(sql, Phrase(f"{word}-row-of", slots), ties)


TIMES: dict[str, Structure] = {
    "time-of": _time_of,
    "time-date": _time,
    "time-row": _row,
    "time-row-of": _row_of,
}
