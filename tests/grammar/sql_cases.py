"""The queries of ``sql/*.sql``: which ones the constraint admits, and at which word it stops the others.

A query a line; ``»`` stands before the word that is refused, at the end if the query may not end. Lines before them say
for what the queries are, down to the next blank line; those at the top of a file, for all of it:

    -- on: mysql postgres        dialects; all of them if it is left out
    -- because: several rows     in the reason that is told
    -- should: several rows      in the reason that ought to be told, and is not
    -- with: SELECT 1, 'x'       whose words are at hand, too; ``with mysql:`` for one dialect
    -- without: grouping         rules that are switched off
    -- level: scope runs         each of them; runs if it is left out
    -- joins: keys               what a FROM may join
    -- access: state city(name)  what may be read
    -- about: runs               what a test of its own asks for
    -- wide: yes                 in the wide form of the grammar
    -- together: yes             words of all admitted queries of the file are at hand
    -- kept: yes                 what every allowed word promises is checked, too

``-- tables: t(a INTEGER, *b TEXT, +c INTEGER) s(x INTEGER > t.b) view v(n INTEGER)`` holds until others are told: b is
the key, c unique, x refers to b, and v reckons n; without it the tables are those of `rule_cases.LAND`. Other comments
are for people, as what the engine says.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
from rule_cases import LAND, MARK, judge, reason

from querent.data.schema.schema import Column, ForeignKey, Schema, Table
from querent.grammar import EOS, Access, Constraint
from querent.grammar.lr.tables import DIALECTS

HOME = Path(__file__).with_name("sql")
_TOLD = re.compile(
    r"-- (on|because|should|with(?: \w+)?|without|level|joins|access|about|wide|tables|together|kept): (.+)"
)
_TABLE = re.compile(r"(view )?(\w+)\(((?:[^()]|\([^()]*\))*)\)")
_COLUMN = re.compile(r"([*+]?)(\w+) (.+?)(?: > (\w+)\.(\w+))?")


@dataclass(frozen=True)
class Case:
    """A query, marked where it is stopped, and what it is judged with."""

    place: str
    sql: str
    dialect: str
    told: Mapping[str, str]
    words: tuple[str, ...]
    schema: Schema
    level: str

    def __str__(self) -> str:
        return f"{self.place} {self.dialect} {self.level}"

    def judge(self, level: str = "") -> Constraint:
        """Return the constraint at a level, that of the file if none is said."""
        words, without = (self.sql, *self.words), tuple(filter(None, self.told.get("without", "").split(", ")))
        if self.told.get("together"):  # the words of what is stopped must be those of what is admitted
            words = self.words
        more = {"wide": "wide" in self.told, "joins": self.told.get("joins", "any"), "access": _access(self.told)}
        return judge(words, self.dialect, level or self.level, without, self.schema, **more)


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
                for level in told.get("level", "runs").split():
                    found.append(Case(f"{name}.sql:{number}", line, dialect, dict(told), words, schema, level))
    if whole and "together" in whole:
        able = {d: tuple(one.sql for one in found if one.dialect == d and MARK not in one.sql) for d in DIALECTS}
        found = [replace(one, words=(*able[one.dialect], *one.words)) for one in found]
    return tuple(found)


def _schema(text: str) -> Schema:
    return Schema(tuple(_table(name, columns, bool(view)) for view, name, columns in _TABLE.findall(text)))


def _table(name: str, text: str, view: bool) -> Table:
    told = [found.groups() for column in text.split(", ") if (found := _COLUMN.fullmatch(column))]
    columns = tuple(Column(column, kind, computed=view) for _, column, kind, *_ in told)
    keys = tuple(ForeignKey((column,), table, (to,)) for _, column, _, table, to in told if table)
    primary, unique = (tuple(column for marked, column, *_ in told if marked == mark) for mark in "*+")
    return Table(name, columns, primary, keys, unique=unique, behind=int(view))


def _access(told: Mapping[str, str]) -> Access | None:
    if "access" not in told:
        return None
    part = {table: tuple(columns.split(", ")) for _, table, columns in _TABLE.findall(told["access"])}
    return Access(tuple(_TABLE.sub("", told["access"]).split()), part)


def hold(case: Case) -> None:
    """Assert that a query is admitted, or stopped where it is marked and for the reason that is told."""
    found = reason(case.judge(), case.sql)
    assert (found is not None) == (MARK in case.sql)
    if found is not None:
        assert case.told.get("because", "") in found
    if case.told.get("kept"):
        check_promises(case.judge(), case.sql)


def check_promises(constraint: Constraint, sql: str) -> None:
    """Assert at each word of a query up to its mark that words which may come need no more than they promise."""
    state = constraint.start()
    for word in constraint.vocabulary.encode(sql.replace(MARK, "")):
        for able in np.flatnonzero(state.allowed()).tolist():
            assert able == EOS or state.advance(able).least < state.need(able)
        if not state.admits(word):
            return
        state = state.advance(word)
