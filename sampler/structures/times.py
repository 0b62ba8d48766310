"""Queries for the last and the first time: when something was, and which row it was."""

from ...data.schema.events import verb_of_table
from ...data.schema.plain_names import words
from ..facts.facts import ColumnFacts, TableFacts
from ..facts.joins import Join
from ..parts.draws import Draft, Draw, NothingToDraw
from ..parts.filters import equal
from ..parts.join_filters import name_of
from ..parts.phrases import Phrase, Slot, Text
from .shape import Structure, columns, ranked, select


def _date(draw: Draw, table: TableFacts) -> ColumnFacts:
    """Return the date of a table's rows: the only one that never lacks, or the one its rows are made on."""
    dates = [c for c in table.having("date") if not c.event or not c.event.open]
    if (
        len(dates) != 1
        or dates[0].nulls
        or (dates[0].event and dates[0].event.past in {"born", "left", "出生", "离开"})
    ):
        raise NothingToDraw
    draw.drawn.append(dates[0])
    return dates[0]


def _moment(draw: Draw, table: TableFacts) -> ColumnFacts:
    """Return a date whose first and last cell are those of time."""
    date = _date(draw, table)
    if date.profile.time is not None and not date.profile.time.sorts:
        raise NothingToDraw
    return date


def _way(draw: Draw) -> tuple[str, str, bool]:
    """Return the function, the word of the rule, and whether the order goes down."""
    return draw.one([("MAX", "last", True), ("MAX", "last", True), ("MIN", "first", False)])


def _of(draw: Draw) -> Join:
    return draw.join(lambda join: join.many and join.parent.names and join.child.having("date"))


def _verb(draw: Draw, join: Join) -> dict[str, Slot]:
    """Return what a person does who makes rows of the child: orders, visits; empty if nobody knows."""
    verb = verb_of_table(words(join.child.table.name), draw.frame.language) if join.parent.noun.person else None
    return (
        {} if verb is None or " " in verb.base or verb.base in {"get", "用"} else {"verb": verb.base, "past": verb.past}
    )


def _time_of(draw: Draw) -> Draft:
    """``SELECT MAX(orders.placed) FROM orders JOIN customer … WHERE customer.name = 'Ann'``."""
    join = _of(draw)
    date = _moment(draw, join.child)
    where, value = name_of(draw, join.parent)
    function, word, _ = _way(draw)
    verb = _verb(draw, join)
    slots: dict[str, Slot] = {"t": join.child.noun, "p": join.noun, "v": Text(value), **verb}
    meaning = "verb" if verb else "person" if join.parent.noun.person else ""
    sql = f"SELECT {function}({date.ref(True)}) FROM {join.source} WHERE {where}"
    return Draft(sql, Phrase(f"{word}-time-of", slots, meaning))


def _time(draw: Draw) -> Draft:
    """``SELECT MAX(placed) FROM orders``, now and then of the rows that a condition chooses."""
    table = draw.table(lambda t: t.having("date") and not t.noun.person)
    date = _moment(draw, table)
    function, word, _ = _way(draw)
    slots: dict[str, Slot] = {"t": table.noun, "c": date.noun}
    if date.event is not None:
        if date.event.kind == "act":
            raise NothingToDraw
        said = Phrase(f"{word}-time-done", {**slots, "event": date.event.past})
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
    sql, ties = ranked(select(columns(table.identity), table), date.order(), down, 1)
    slots: dict[str, Slot] = {"t": table.noun}
    if date.event is None:
        return Draft(sql, Phrase(f"{word}-row", slots), ties)
    return Draft(sql, Phrase(f"{word}-row", {**slots, "event": date.event.past}, date.event.kind), ties)


def _row_of(draw: Draw) -> Draft:
    """``SELECT orders.order_id FROM orders JOIN customer … WHERE … ORDER BY orders.placed DESC LIMIT 1``."""
    join = _of(draw)
    if not join.child.identity:
        raise NothingToDraw
    date = _date(draw, join.child)
    where, value = name_of(draw, join.parent)
    _, word, down = _way(draw)
    query = f"SELECT {columns(join.child.identity, True)} FROM {join.source} WHERE {where}"
    sql, ties = ranked(query, date.order(True), down, 1)
    slots: dict[str, Slot] = {"t": join.child.noun, "p": join.noun, "v": Text(value)}
    return Draft(sql, Phrase(f"{word}-row-of", slots), ties)


TIMES: dict[str, Structure] = {"time-of": _time_of, "time-date": _time, "time-row": _row, "time-row-of": _row_of}
