"""Conditions, terms and aggregates of the queries that templates write."""

from __future__ import annotations

import random
import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

__all__ = ["Term", "Terms"]

_T = TypeVar("_T")
_FILE = Path(__file__).with_name("likely_calls.toml")
_CALLS: dict[str, dict[str, list[str]]] = tomllib.loads(_FILE.read_text("utf-8"))
_CONSTANTS = {"int": "2", "part": "0.5", "text": "'x'", "day": "'2024-03-01'"}
_SAME = {"mysql": "{} <=> {}", "postgres": "{} IS NOT DISTINCT FROM {}", "sqlite": "{} == {}"}
_LISTED = {
    "mysql": "GROUP_CONCAT({} ORDER BY {})",
    "postgres": "STRING_AGG({}, ',' ORDER BY {})",
    "sqlite": "GROUP_CONCAT({}, {})",
}


@dataclass(frozen=True)
class Term:
    """An expression and its kind."""

    sql: str
    kind: str


@dataclass
class Terms:
    """Writes expressions of one dialect.

    Attributes:
        rng: the draws.
        dialect: sqlite, mysql or postgres.
    """

    rng: random.Random
    dialect: str

    def subquery(self, depth: int, kinds: Sequence[str] | None, around: Sequence[Term], **how: bool) -> str:
        """Return a query in brackets that may name terms of the query around it."""
        raise NotImplementedError

    def condition(self, depth: int, terms: Sequence[Term]) -> str:
        """Return a condition on terms."""
        if depth > 0 and self.chance(0.4):
            asked = self._asked(depth, terms)
            return self.one(asked, asked, f"NOT {asked}", f"({asked}) OR {self.condition(0, terms)}")
        one = self.one(*terms)
        same = self.one(*(t for t in terms if t.kind == one.kind)).sql
        if self.chance(0.2):
            one = self.term(0, terms, one.kind)
        constant = _CONSTANTS[one.kind]
        ways = [f"{one.sql} {self.one('=', '<', '<>')} {self.one(constant, same)}"] * 3
        ways += [
            f"{one.sql} IS NOT NULL",
            _SAME[self.dialect].format(one.sql, same),
            f"{one.sql} BETWEEN {constant} AND {same}",
            f"{one.sql} IN ({constant}, {same})",
        ]
        if one.kind == "text":
            ways.append(f"{one.sql} LIKE '%x%'")
        found = self.one(*ways)
        if self.chance(0.1):
            return f"NOT ({found})"
        return f"{found} {self.one('AND', 'OR')} {self.condition(0, terms)}" if self.chance(0.2) else found

    def _asked(self, depth: int, terms: Sequence[Term]) -> str:
        """Return a condition with a subquery."""
        one, other = self.one(*terms), self.one(*terms)
        match self.one("exists", "in", "single", "row", "any"):
            case "exists":
                return f"EXISTS {self.subquery(depth, None, terms)}"
            case "single":
                return f"{one.sql} > {self.subquery(depth, [one.kind], terms, single=True)}"
            case "row":
                rows = self.subquery(depth, [one.kind, other.kind], terms, ended=self.chance(0.1))
                return f"({one.sql}, {other.sql}) IN {rows}"
            case "any" if self.dialect != "sqlite":
                several = self.subquery(depth, [one.kind], terms, ended=self.chance(0.1))
                return f"{one.sql} {self.one('=', '>=')} {self.one('ANY', 'ALL')} {several}"
            case _:
                several = self.subquery(depth, [one.kind], terms, ended=self.chance(0.1))
                return f"{one.sql} {self.one('', 'NOT ')}IN {several}"

    def term(self, depth: int, terms: Sequence[Term], kind: str) -> Term:
        """Return an expression of a kind, made of terms."""
        able = [t.sql for t in terms if t.kind == kind]
        if not able:
            return Term("CURRENT_DATE" if kind == "day" else _CONSTANTS[kind], kind)
        sql, other = self.one(*able), self.one(*able)
        if depth > 0 and self.chance(0.2):
            sql = self.subquery(depth, [kind], terms, single=True)
            if self.chance(0.7):
                return Term(sql, kind)
        if self.chance(0.4):
            return Term(self._call(terms, kind, 2, sql), kind)
        ways = [sql] * 5 + [f"COALESCE({sql}, {other})", f"({sql})", f"NULLIF({sql}, {other})"]
        ways.append(f"CASE WHEN {self.condition(0, terms)} THEN {other} ELSE {sql} END")
        if kind == "part":
            ways += [t.sql for t in terms if t.kind == "int"][:1]
        return Term(self.one(*ways), kind)

    def _call(self, terms: Sequence[Term], kind: str, depth: int, first: str = "") -> str:
        """Return a call or a sum, whose arguments are terms, constants and calls; ``first`` is one of its own kind."""
        given = [first] if first else []

        def argument(found: re.Match[str]) -> str:
            if given and found[1] == kind:
                return given.pop()
            able = [t.sql for t in terms if t.kind == found[1]]
            if depth > 0 and self.chance(0.25):
                return f"({self._call(terms, found[1], depth - 1)})"
            if not able or self.chance(0.3):
                return self.one(*_CALLS["risky"][found[1]], _CONSTANTS[found[1]])
            return self.one(*able)

        return re.sub(r"{(\w+)}", argument, self.one(*_CALLS["all"][kind], *_CALLS[self.dialect][kind]))

    def aggregate(self, depth: int, terms: Sequence[Term], kind: str) -> Term:
        """Return an aggregate of a kind."""
        inner = self.term(depth, terms, kind).sql
        ways = [f"MAX({inner})", f"MIN({inner})"]
        if kind == "part":
            ways += [f"AVG({inner})", f"AVG({self.one(*terms).sql})", f"SUM({inner})", f"AVG({inner}) + 1"]
        if kind == "int":
            if self.dialect == "mysql":
                ways.append(f"COUNT(DISTINCT {self.one(*terms).sql}, {self.one(*terms).sql})")
            ways += ["COUNT(*)", f"COUNT(DISTINCT {self.one(*terms).sql})", f"COUNT({inner})", f"SUM({inner})"]
        if kind == "text":
            ways.append(_LISTED[self.dialect].format(inner, self.term(0, terms, kind).sql))
        return Term(self.one(*ways), kind)

    def chance(self, share: float) -> bool:
        """Say yes now and then."""
        return self.rng.random() < share

    def one(self, *several: _T) -> _T:
        """Return one of several."""
        return self.rng.choice(several)
