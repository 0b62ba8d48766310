"""The queries of ``sql/*.sql``: which ones the constraint admits, and at which word it stops the others.

A query a line; ``»`` stands before the word that is refused, at the end if the query may not end. Lines before them say
for what the queries are, down to the next blank line; those at the top of a file, for all of it:

    -- on: mysql postgres        dialects; all of them if it is left out
    -- because: several rows     in the reason that is told
    -- should: several rows      in the reason that ought to be told, and is not
    -- with: SELECT 1, 'x'       whose words are at hand, too; ``with mysql:`` for one dialect
    -- without: grouping         rules that are switched off
    -- level: scope
    -- about: runs               what a test of its own asks for
    -- wide: yes                 in the wide form of the grammar
    -- together: yes             words of all admitted queries of the file are at hand

``-- tables: t(a INTEGER, *b TEXT) s(x INTEGER)``, b the key, holds until others are told; without it the tables are
those of `rule_cases.LAND`. Other comments are for people, as what the engine says.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from rule_cases import LAND, MARK, judge, reason, typed

from querent.data.schema.schema import Schema
from querent.grammar import Constraint
from querent.grammar.lr.tables import DIALECTS

__all__ = ["Case", "cases", "hold"]

HOME = Path(__file__).with_name("sql")
_TOLD = re.compile(r"-- (on|because|should|with(?: \w+)?|without|level|about|wide|tables|together): (.+)")
_TABLE = re.compile(r"(\w+)\(((?:[^()]|\([^()]*\))*)\)")


@dataclass(frozen=True)
class Case:
    """A query, marked where it is stopped, and what it is judged with."""

    place: str
    sql: str
    dialect: str
    told: Mapping[str, str]
    words: tuple[str, ...]
    schema: Schema

    def __str__(self) -> str:
        return f"{self.place} {self.dialect}"

    def judge(self, level: str = "") -> Constraint:
        """Return the constraint at a level, that of the file if none is said."""
        words, without = (self.sql, *self.words), tuple(filter(None, self.told.get("without", "").split(", ")))
        if self.told.get("together"):  # the words of what is stopped must be those of what is admitted
            words = self.words
        level = level or self.told.get("level", "runs")
        return judge(words, self.dialect, level, without, self.schema, wide="wide" in self.told)


@cache
def cases(name: str) -> tuple[Case, ...]:
    """Return the queries of a file, one for each of their dialects."""
    found: list[Case] = []
    whole: dict[str, str] | None = None
    schema, told = LAND, dict[str, str]()
    for number, line in enumerate((HOME / f"{name}.sql").read_text("utf-8").splitlines(), 1):
        option = _TOLD.fullmatch(line)
        if not line:
            whole = told if whole is None else whole
            told = dict(whole)
        elif option and option[1] == "tables":
            schema = _schema(option[2])
        elif option:
            told[option[1]] = option[2]
        elif not line.startswith("--"):
            for dialect in told.get("on", " ".join(DIALECTS)).split():
                words = tuple(told[key] for key in ("with", f"with {dialect}") if key in told)
                found.append(Case(f"{name}.sql:{number}", line, dialect, dict(told), words, schema))
    if whole and "together" in whole:
        able = {d: tuple(one.sql for one in found if one.dialect == d and MARK not in one.sql) for d in DIALECTS}
        found = [replace(one, words=(*able[one.dialect], *one.words)) for one in found]
    return tuple(found)


def _schema(text: str) -> Schema:
    told = dict(_TABLE.findall(text))
    keys = {table: tuple(re.findall(r"\*(\w+)", columns)) for table, columns in told.items()}
    plain = typed(**{table: columns.replace("*", "") for table, columns in told.items()})
    return Schema(tuple(replace(table, primary_key=keys[table.name]) for table in plain.tables))


def hold(case: Case) -> None:
    """Assert that a query is admitted, or stopped where it is marked and for the reason that is told."""
    found = reason(case.judge(), case.sql)
    assert (found is not None) == (MARK in case.sql)
    if found is not None:
        assert case.told.get("because", "") in found
