"""A year alone beside a date: SQLite takes `day >= '2018'` for a number beside a text, which is true of every day."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ...grammar import Constraint, Grammar
from .admitted import admitted

__all__ = ["with_whole_dates"]

_YEAR = re.compile(r"\d{4}")
_SLOT = re.compile(r"'\{(text\d+)\}'")
_FIRST, _LAST = "-01-01", "-12-31"
_ENDS = {">=": _FIRST, "<": _FIRST, ">": _LAST, "<=": _LAST, "BETWEEN": _FIRST, "AND": _LAST}
_DATES = ("DATE", "TIMESTAMP", "DATETIME")


def with_whole_dates(sql: str, values: Mapping[str, str], constraint: Constraint) -> str:
    """Return a query with the first or last day of a year where a date is compared with the year alone.

    `d.day >= '{text0}'` is `d.day >= '{text0}-01-01'` then, and `d.day = '{text0}'` is `d.day LIKE '{text0}%'`. A query
    that the constraint does not admit so stays as it was.

    Args:
        sql: with slots.
        values: what fills them.
        constraint: that the query was written under.
    """
    written = _rewritten(sql, values, constraint.grammar)
    return written if written == sql or admitted(written, values, constraint) else sql


def _rewritten(sql: str, values: Mapping[str, str], grammar: Grammar) -> str:
    years = {slot for slot, value in values.items() if _YEAR.fullmatch(value)}
    if grammar.dialect != "sqlite" or years.isdisjoint(_SLOT.findall(sql)):
        return sql
    tokens = grammar.tokenize(sql)
    for i in range(len(tokens) - 1, 1, -1):
        slot = _SLOT.fullmatch(tokens[i].text)
        before = tokens[i - 1]
        owner = tokens[i - 4] if before.text == "AND" and i > 4 and tokens[i - 3].text == "BETWEEN" else tokens[i - 2]
        if slot is None or slot[1] not in years or not _holds_dates(owner.column, owner.tables, grammar):
            continue
        written, end = f"'{{{slot[1]}}}{_ENDS.get(before.text, '')}'", tokens[i].end
        if before.text in _ENDS:
            sql = f"{sql[: tokens[i].start]}{written}{sql[end:]}"
        elif before.text == "=":
            sql = f"{sql[: before.start]}LIKE '{{{slot[1]}}}%'{sql[end:]}"
    return sql


def _holds_dates(column: str | None, tables: tuple[str, ...], grammar: Grammar) -> bool:
    if column is None or not tables:
        return False
    return grammar.schema.table(tables[0]).column(column).type.upper().startswith(_DATES)
