"""The rules of the constraint by name: at which level each begins to hold, and what it says.

A rule lives where it is checked: those on expressions in expressions.py, those on clauses in query_phrases.py, those
on names in scope/. Here is their list, so that each can be switched off alone (`active`, the sensitivity check) and be
explained.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from ...data.errors import ConstraintError, did_you_mean

__all__ = ["LEVELS", "RULES", "TYPED", "Rule", "active"]

LEVELS = ("grammar", "scope", "types", "runs")
"""What is promised, each with all before it: it parses and ends in time; names resolve; types fit; it executes."""


@dataclass(frozen=True)
class Rule:
    """One rule; ``dialects`` is empty if it holds in all."""

    level: str
    says: str
    dialects: tuple[str, ...] = ()


_STRICT = ("mysql", "postgres")

TYPED = frozenset({"conditions", "comparisons"})
"""Rules that MySQL needs only where a column is of a type that few others compare with."""

RULES: Mapping[str, Rule] = {
    # names
    "sources": Rule("scope", "every name's table stands in FROM before FROM closes"),
    "visible": Rule("scope", "after FROM only columns of its sources, and of the queries around it"),
    "ambiguous": Rule("scope", "a bare column belongs to one source"),
    "unique": Rule("scope", "two sources of one FROM have two names"),
    "join group": Rule("scope", "ON sees the sources of its own join, not those before a comma", _STRICT),
    "common columns": Rule("scope", "USING and NATURAL join on columns that both sides have once"),
    "derived": Rule("scope", "a derived table shows the columns that the query takes from it, each name once"),
    "lateral": Rule("scope", "a derived table sees nothing of the queries around it"),
    "output names": Rule("scope", "an alias is used where the dialect knows output names"),
    "compound order": Rule("scope", "after a set operator ORDER BY names output columns"),
    # shapes
    "row operands": Rule("types", "no subquery within a row before IN", ("mysql",)),
    "nested operands": Rule(
        "types", "an operand of a set operator is no compound query, by brackets or rank", ("mysql",)
    ),
    "column counts": Rule("types", "branches of set operators, subqueries and rows have as many columns as needed"),
    "width": Rule("types", "a select list shows no more columns than the engine takes", ("sqlite", "postgres")),
    "aggregate place": Rule("types", "no aggregate in WHERE, ON, GROUP BY or another aggregate"),
    "outer aggregate": Rule("types", "an aggregate holds no column of a query around it"),
    "constant terms": Rule("types", "ORDER BY and GROUP BY hold no bare constant but ORDER BY 1"),
    "grouping": Rule("types", "beside aggregates only columns of GROUP BY", _STRICT),
    "distinct order": Rule("types", "SELECT DISTINCT is ordered by its output columns", ("postgres",)),
    "limit in subquery": Rule("types", "no LIMIT in the subquery of IN, ANY and ALL", ("mysql",)),
    "full join": Rule("types", "FULL JOIN joins by USING or NATURAL", ("postgres",)),
    # types
    "conditions": Rule("types", "conditions are boolean, or of a type that counts as such", _STRICT),
    "comparisons": Rule("types", "what is compared has one type, or types that compare", _STRICT),
    "operators": Rule("types", "operators take the types of their signatures"),
    "functions": Rule("types", "functions take the types of their signatures"),
    "casts": Rule("types", "casts take the types of their signatures", _STRICT),
    "literals": Rule("types", "typed literals and escape characters are well formed"),
    # run time
    "promises": Rule("runs", "arguments keep the digits, signs and zeros of their signatures"),
    "overflow": Rule("runs", "no result has more digits than its type holds", _STRICT),
    "single row": Rule("runs", "a subquery used as a value returns one row at most", _STRICT),
}


def active(level: str, dialect: str, without: Collection[str] = ()) -> frozenset[str]:
    """Return the names of the rules that hold.

    Raises:
        ConstraintError: no such level, or no such rule to leave out.
    """
    if level not in LEVELS:
        raise ConstraintError(f"no level {level!r}", hint=did_you_mean(level, LEVELS) or f"use {', '.join(LEVELS)}")
    for name in without:
        if name not in RULES:
            raise ConstraintError(f"no rule {name!r}", hint=did_you_mean(name, RULES) or "see querent.grammar.RULES")
    reached = LEVELS[: LEVELS.index(level) + 1]
    return frozenset(
        name
        for name, rule in RULES.items()
        if rule.level in reached and name not in without and (not rule.dialects or dialect in rule.dialects)
    )
