"""What all structures are made with: SELECTs, what they show, and ranks."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from ..facts.facts import ColumnFacts, TableFacts
from ..facts.verbalisation import Noun, joined
from ..parts.conditions import ALL_ROWS, Filter, FilterOf, done_by_us
from ..parts.draws import Draft, Draw, NothingToDraw
from ..parts.phrases import Phrase, Slot

Structure: TypeAlias = Callable[[Draw], Draft]


@dataclass(frozen=True)
class Selection:
    """What a query asks of a table's rows.

    Attributes:
        written: what stands between SELECT and FROM, given the rows.
        said: without the table and the condition; where there is one, the rule has ``-if`` behind its name.
        tail: what stands behind WHERE.
        rank: key, whether its largest value comes first, and how many rows; None for all.
    """

    written: Callable[[Filter], str]
    said: Phrase
    tail: str = ""
    rank: tuple[str, bool, int] | None = None


SelectionOf: TypeAlias = Callable[[Draw, TableFacts], Selection]


def asking(project: SelectionOf, rows_of: FilterOf | None = None) -> Structure:
    """Return the structure that asks this of all rows of a table, or of those that a condition chooses."""

    def structure(draw: Draw) -> Draft:
        table = draw.table()
        asked = project(draw, table)
        rows = ALL_ROWS if rows_of is None else rows_of(draw, table, False)
        sql, ties = f"{select(asked.written(rows), table, rows)}{asked.tail}", ""
        if asked.rank is not None:
            sql, ties = ranked(sql, *asked.rank)
        slots: dict[str, Slot] = {**asked.said.slots, "t": rows.noun or table.noun}
        if not rows.said.rule:
            return Draft(sql, Phrase(asked.said.rule, slots, asked.said.meaning), ties)
        meaning = asked.said.meaning or ("ours" if done_by_us(rows.said) else "")
        return Draft(sql, Phrase(f"{asked.said.rule}-if", {**slots, "cond": rows.said}, meaning), ties)

    return structure


def kept_to(structure: Structure, **kept: bool) -> Structure:
    """Return a structure whose draws keep to some columns: ``written``, ``told``, as `Draw` has them."""
    return lambda draw: structure(replace(draw, **kept))


def has_names(table: TableFacts) -> bool:
    """Do columns say which row is meant?"""
    return bool(table.names)


def amounts(chosen: Sequence[ColumnFacts]) -> str:
    """Return the meaning ``number`` where one asks how much, not what."""
    return "number" if all(c.role == "number" for c in chosen) else ""


def names_noun(draw: Draw, table: TableFacts) -> Noun:
    """Return what the columns are called that name a table's rows."""
    return joined([n.noun for n in table.names], draw.frame.language)


def columns(chosen: Sequence[ColumnFacts], qualified: bool = False) -> str:
    """Return columns as SELECT lists them."""
    return ", ".join(c.ref(qualified) for c in chosen)


def select(what: str, table: TableFacts, rows: Filter = ALL_ROWS) -> str:
    """Return a SELECT from a table, of the rows that a filter lets through."""
    return f"SELECT {what} FROM {rows.source or table.sql}" + (f" WHERE {rows.where}" if rows.where else "")


def shown(draw: Draw, table: TableFacts) -> tuple[list[ColumnFacts], Phrase]:
    """Return what a list of rows shows: their names, or a column or two of them."""
    if table.names and draw.chance(0.6):
        return list(table.names), Phrase("out-names", {"t": table.noun, "c": names_noun(draw, table)})
    chosen = draw.shown(table, 2 if draw.chance(0.3) else 1)
    draw.drawn.extend(chosen)
    noun = joined([c.noun for c in chosen], draw.frame.language)
    return chosen, Phrase("out-columns", {"t": table.noun, "c": noun})


def ranked(query: str, key: str, down: bool, count: int) -> tuple[str, str]:
    """Return a query's first ``count`` rows by a key, and a query that tells whether the last of them is tied."""
    order = f" ORDER BY {key}{' DESC' if down else ''}"
    source = query[query.index(" FROM ") :]
    if query.startswith("SELECT DISTINCT "):
        raise NothingToDraw
    return f"{query}{order} LIMIT {count}", f"SELECT {key}{source}{order} LIMIT {count + 1}"


def extreme(table: TableFacts, column: ColumnFacts, down: bool) -> Phrase:
    """Return in words the row with the largest or smallest value of a column."""
    rule = ("max" if down else "min") if column.role == "number" else ("latest" if down else "earliest")
    event = column.event
    if event is None:
        return Phrase(rule, {"t": table.noun, "c": column.noun}, column.meaning)
    meaning = "born" if event.past in {"born", "出生"} else event.kind
    return Phrase(rule, {"t": table.noun, "c": column.noun, "event": event.past}, meaning)
