"""Kinds of columns in templates, told by what their cells and names are."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from ..data.schema.plain_names import words
from .facts.facts import ColumnFacts, TableFacts
from .facts.flag_words import FlagWords, flag_words

Fits: TypeAlias = Callable[[TableFacts, ColumnFacts], object]

_BIRTHS = {"born", "出生"}
_BIRTH_WORDS = {"birth", "birthday", "born", "dob", "birthdate", "geburtsdatum", "geburtstag"}
_MEANINGS = ("price", "salary", "age", "score", "population", "speed", "duration", "distance", "height", "length",
             "weight", "size")  # fmt: skip
_AMOUNTS = {"price", "salary"}
_AMOUNT_WORDS = {"amount", "total", "sum", "betrag", "summe", "revenue", "金额", "总额", "总价"}
_MOSTLY = 0.9
"""The share of rows in which a time comes after another."""


def fits(kind: str, table: TableFacts, column: ColumnFacts) -> bool:
    """Is a column of a kind?"""
    rule = KINDS.get(kind)
    return bool(rule(table, column)) if rule else column.role == kind and column not in table.names


def comes_after(one: ColumnFacts, other: ColumnFacts) -> bool:
    """Does a time come after another one in nearly all rows?"""
    both = [(a, b) for a, b in zip(one.by_row, other.by_row, strict=False) if a is not None and b is not None]
    later = sum(a >= b for a, b in both) >= _MOSTLY * len(both) and any(a > b for a, b in both)
    return later and one is not other and not born(other)


def born(column: ColumnFacts) -> bool:
    """Is a time that of a birth?"""
    said = {*words(column.column.name), *words(column.noun.one)}
    event = column.event is not None and column.event.past in _BIRTHS
    return event or bool(said & _BIRTH_WORDS) or any(sign in column.noun.one for sign in ("出生", "生日"))


def said_flag(column: ColumnFacts) -> FlagWords | None:
    """Return how a flag is said in the language of its name, None of a column that is none."""
    return flag_words(column, "en" if column.noun.one.isascii() else "zh")


def _number(table: TableFacts, column: ColumnFacts) -> bool:
    return column.role == "number" and column not in table.names


def _meant(meaning: str) -> Fits:
    return lambda table, column: _number(table, column) and column.kind == meaning


def _flag(kind: str) -> Fits:
    def rule(_: TableFacts, column: ColumnFacts) -> bool:
        said = said_flag(column)
        return said is not None and said.kind == kind

    return rule


def _event(kind: str) -> Fits:
    return lambda _, column: column.event is not None and column.event.kind == kind and column.days


def _amount(table: TableFacts, column: ColumnFacts) -> bool:
    """Is a column the only sum of money, or the only number, that rows of its table have?"""
    sums = [c for c in table.columns if _number(table, c) and c.sums]
    money = [c for c in sums if c.kind in _AMOUNTS or {*words(c.noun.one), c.noun.one} & _AMOUNT_WORDS]
    return (money or sums) == [column] and bool(money)


KINDS: Mapping[str, Fits] = {
    "name": lambda table, column: column in table.names,
    "sum": lambda table, column: _number(table, column) and column.sums,
    "amount": _amount,
    "status": lambda table, column: column.role == "category" and column.status and column not in table.names,
    "time": lambda _, column: column.role == "date" and column.days and not born(column),
    "moment": lambda _, column: (
        column.role == "date" and column.profile.time is not None and column.profile.time.grain in ("day", "second")
    ),
    "first-time": lambda table, column: column is table.first_time and column.role == "date",
    "birth": lambda _, column: column.days and born(column),
    "nulls": lambda table, column: column.nulls and column.role not in ("key", "empty") and column not in table.names,
    "done": _event("done"),
    "act": _event("act"),
    **{f"flag-{kind}": _flag(kind) for kind in ("adj", "in", "has", "marked")},
    **{meaning: _meant(meaning) for meaning in _MEANINGS},
}
"""A kind without a rule is a role: category, number, text, date, year, key."""
