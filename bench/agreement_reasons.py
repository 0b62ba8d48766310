"""Why sqlglot accepts what the grammar refuses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from agreement_verdicts import Verdict
from sqlglot import exp


@dataclass(frozen=True)
class Reason:
    """Why sqlglot accepts what the grammar refuses: a name, what sqlglot does, and how it is told."""

    name: str
    why: str
    holds: Callable[[Verdict], bool]


_LIKE = {"LIKE", "ILIKE", "GLOB", "REGEXP", "RLIKE", "SIMILAR", "~", "~*", "!~"}
_COMPARE = {"=", "==", "<>", "!=", "<", "<=", ">", ">=", "<=>", "IS", "NOT", "IN", "BETWEEN", *_LIKE}
_SETS = {"UNION", "EXCEPT", "INTERSECT"}
_JOINS = {"JOIN", "LEFT", "RIGHT", "FULL", "INNER", "CROSS", "NATURAL"}
_BEGINS = {"", ",", ")", "FROM", "WHERE", "HAVING", "LIMIT", "ON", "THEN", "ELSE", *_JOINS, *_SETS}
_PLACES = ("a column", "a table", "an alias")
_SECOND_WORDS = frozenset(("BY", "TO", "NOT", "NULL", "DISTINCT"))


def _begins(verdict: Verdict) -> bool:
    """Say whether the word refused ends a list or begins a clause, as nothing that stands in one does."""
    return verdict.word in _BEGINS or (verdict.word in {"ORDER", "GROUP"} and verdict.near(1) == "BY")


def _is_text(word: str) -> bool:
    return word[:1] == "'"


REASONS = (
    Reason(
        "no query", "reads a condition alone, or another statement (CREATE, EXPLAIN)",
        lambda v: not isinstance(v.tree, exp.Query),
    ),
    Reason(
        "SQL word as a name", "takes reserved words, and functions without their parentheses, for names",
        lambda v: v.own == "unknown name" and v.kind == "keyword or function",
    ),
    Reason(
        "name that is not there", "takes any identifier; the grammar knows the schema's and the query's own aliases",
        lambda v: v.own == "unknown name",
    ),
    Reason(
        "FROM at the beginning", "reads FROM t as a query or a table, as DuckDB does",
        lambda v: v.word == "FROM" and v.near(-1) in {"FROM", "(", "", *_SETS},
    ),
    Reason(
        "strings side by side", "joins them, as the standard does over a line break",
        lambda v: v.kind == "string" and _is_text(v.near(-1)),
    ),
    Reason(
        "value as a name", "takes a string or a number for a table or an alias",
        lambda v: v.kind in {"string", "number"} and (v.expects("a table", "an alias") or v.near(-1) == "*"),
    ),
    Reason(
        "subquery without parentheses", "reads one as a table",
        lambda v: v.word == "SELECT" and v.expects("a table"),
    ),
    Reason(
        "THEN or AND left out", "needs no THEN in CASE and no AND in BETWEEN",
        lambda v: v.expects("THEN") or (v.expects("AND") and not v.expects("OR")),
    ),
    Reason(
        "> > and < <", "reads two signs with a space between them as one shift",
        lambda v: v.word in {"<", ">"} and v.near(-1) == v.word,
    ),
    Reason(
        "sign of its own", "takes a star in parentheses and behind a table, a + before a value, a % as a parameter",
        lambda v: v.word in {"*", "+", "%"} or (v.near(-1) == "*" and v.expected == {")"}),
    ),
    Reason(
        "nothing where a name or value belongs", "leaves lists, clauses, calls and aliases empty",
        lambda v: _begins(v) and v.expects(*_PLACES),
    ),
    Reason(
        "IN, EXISTS, ALL without parentheses", "takes one value or nothing after them",
        lambda v: v.expected == {"("} and v.near(-1) in {"IN", "EXISTS", "ALL", "ANY", "SOME"},
    ),
    Reason(
        "clause without the one it needs", "needs no FROM for a star, WHERE, JOIN, GROUP BY; no GROUP BY for HAVING",
        lambda v: (_begins(v) and v.expects("FROM")) or v.word in {"HAVING", "OFFSET"},
    ),
    Reason(
        "join without a condition", "lets any join go without ON and USING",
        lambda v: _begins(v) and v.expects("ON", "USING") and not v.expects("the end"),
    ),
    Reason(
        "join with a condition too many", "lets CROSS and NATURAL joins have ON and USING",
        lambda v: v.word in {"ON", "USING"},
    ),
    Reason(
        "ORDER BY or LIMIT before a set operator", "lets an operand have them without parentheses",
        lambda v: v.word in _SETS,
    ),
    Reason(
        "any LIMIT", "takes any expression for a number of rows",
        lambda v: v.expected == {"a whole number"},
    ),
    Reason(
        "comparison as a value", "compares what comparisons return, calls functions with conditions, takes any IS",
        lambda v: v.word in _COMPARE or (v.near(-1) == "IS" and v.kind != "keyword or function"),
    ),
    Reason(
        "any word called", "takes what stands before a parenthesis for a function or a value with aliases",
        lambda v: v.word == "(",
    ),
    Reason(
        "parenthesis left open", "ends CAST without one",
        lambda v: v.expected == {")"} or (v.word == "" and v.expects(")")),
    ),
    Reason(
        "query in parentheses", "takes one alone; the grammar has them around operands and subqueries only",
        lambda v: v.word == "" and v.expected <= _SETS,
    ),
    Reason(
        "arguments missing", "counts those of few functions",
        lambda v: v.word == ")" and v.expects(","),
    ),
    Reason(
        "interval without a unit", "takes a number alone for an interval",
        lambda v: v.expects("DAY") and v.near(-2) == "INTERVAL",
    ),
    Reason(
        "row as a value", "takes several values in parentheses everywhere",
        lambda v: v.word == "," or v.expected == {"IN", "NOT"},
    ),
    Reason(
        "name of another kind", "does not tell tables, columns and aliases apart",
        lambda v: v.kind in {"table", "column", "alias"} and v.expects(*_PLACES),
    ),
    Reason(
        "any type", "takes any word for a type, and any type before a value",
        lambda v: v.near(-1) == "AS" or v.expected == {"a string"} or v.kind == "string" or _is_text(v.near(1)),
    ),
    Reason(
        "alias in an expression", "lets an alias stand in parentheses, in arguments and after a star",
        lambda v: v.expects(")", "FROM") and v.expects("AND", "OR", "+", ",") and not v.expects(*_PLACES),
    ),
    Reason(
        "keyword as a name", "takes most keywords for names, and ALL, ANY, EXISTS, INTERVAL before any value",
        lambda v: (v.kind == "keyword or function" and v.expects(*_PLACES)) or v.expected <= _SECOND_WORDS,
    ),
    Reason(
        "NULLS without a direction", "takes it; the grammar does not, because after INTERVAL '..' it is read as a unit",
        lambda v: v.word == "NULLS",
    ),
    Reason(
        "NOT NULL", "takes it for IS NOT NULL",
        lambda v: v.word == "NULL" and v.near(-1) == "NOT",
    ),
    Reason(
        "table in parentheses", "takes any name in parentheses for one",
        lambda v: v.expected == {"(", "SELECT"} and v.near(-1) == "(",
    ),
)  # fmt: skip
"""The first that holds is told."""

OTHER = "other"


def reason(verdict: Verdict) -> str:
    """Return the name of the first reason that holds."""
    return next((reason.name for reason in REASONS if reason.holds(verdict)), OTHER)
