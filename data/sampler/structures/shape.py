"""What all structures are made with: SELECTs, what they show, and ranks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from ..conditions import Filter
from ..draws import Draft, Draw, NothingToDraw
from ..facts.facts import ColumnFacts, TableFacts
from ..facts.verbalisation import Noun, joined
from ..phrases import Phrase

__all__ = ["Structure", "amounts", "columns", "extreme", "has_names", "names_noun", "ranked", "select", "shown"]

Structure: TypeAlias = Callable[[Draw], Draft]


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


def select(what: str, table: TableFacts, chosen: Filter | None = None) -> str:
    """Return a SELECT from a table, of the rows that a filter lets through."""
    source = chosen.source if chosen and chosen.source else table.sql
    return f"SELECT {what} FROM {source}" + (f" WHERE {chosen.where}" if chosen else "")


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
