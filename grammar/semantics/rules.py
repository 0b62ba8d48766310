"""The rules of the constraint by name and level, and the checks of values that several of them share.

A rule is checked where it belongs: those on expressions and conditions in expression_actions.py, those on clauses and
queries in actions.py, those on names in grammar/scope/; repeats.py only steers a search. rules.toml lists them all, so
that each can be switched off alone (`active`).
"""

import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from typing import Any

from ...data.errors import ConstraintError, did_you_mean
from ..lr.tables import Tables
from ..types.abstract_values import AbstractValue, Mark, QueryType, Rules
from ..types.apply import SignatureMatcher
from ..types.dialect import WHOLE, DialectTypes

LEVELS = ("scope", "types", "runs")
"""What is promised, each with all before it: it parses, ends in time, and names resolve; types fit; it executes."""


@dataclass(frozen=True)
class Rule:
    """One rule.

    Attributes:
        level: where it begins to hold.
        says: what must hold.
        example: a query that it refuses.
        instead: the nearest query that it admits, where that explains more.
        dialects: those that it holds in, empty if in all.
        elsewhere: examples for dialects that run the first one, types being others there.
        guards: it holds only where some tables may not be read whole.
        steers: a search keeps to it as long as it has another way; no mask does, since what breaks it runs.
    """

    level: str
    says: str
    example: str
    instead: str = ""
    dialects: tuple[str, ...] = ()
    elsewhere: Mapping[str, str] = field(default_factory=dict[str, str])
    guards: bool = False
    steers: bool = False


TYPED = frozenset({"conditions", "comparisons"})
"""Rules that MySQL needs only where a column is of a type that few others compare with."""


def _read() -> dict[str, Rule]:
    text = (resources.files(__package__ or __name__) / "rules.toml").read_text("utf-8")
    found: dict[str, Rule] = {}
    for name, fields in tomllib.loads(text).items():
        fields["dialects"] = tuple(fields.get("dialects", ()))
        found[name] = Rule(**fields)
    return found


RULES: Mapping[str, Rule] = _read()
"""Those of rules.toml, in its order."""


def active(
    level: str, dialect: str, without: Collection[str] = (), *, guarded: bool = False, partial: bool = False
) -> frozenset[str]:
    """Return the names of the rules that hold.

    Args:
        guarded: whether an `Access` limits what may be read.
        partial: whether the server lets some columns of a table be read alone.

    Raises:
        ConstraintError: no such level, or no such rule to leave out; or names would not be held to what may be read.
    """
    if level not in LEVELS:
        raise ConstraintError(f"no level {level!r}", hint=did_you_mean(level, LEVELS) or f"use {', '.join(LEVELS)}")
    for name in without:
        if name not in RULES:
            raise ConstraintError(f"no rule {name!r}", hint=did_you_mean(name, RULES) or "see querent.grammar.RULES")
    reached = LEVELS[: LEVELS.index(level) + 1]
    names = (name for name in without if RULES[name].level == "scope" and not RULES[name].steers)
    if guarded and (left := next(names, None)):
        raise ConstraintError(f"access without the rule {left!r}", hint="leave no rule on names out")
    return frozenset(
        name
        for name, rule in RULES.items()
        if rule.level in reached
        and name not in without
        and (not rule.dialects or dialect in rule.dialects)
        and (guarded or partial or not rule.guards)
    )


Parts = Sequence[tuple[str, Any]]
"""The symbols of a production's body, keywords by their text, each with its value."""


@dataclass
class Checks(Rules):
    """The checks under the rules that are ``on``; ``orderly`` if no column is of a type without order.

    In the ``wide`` form of the grammar whole numbers stand for items of the select list where one may.
    """

    tables: Tables
    types: DialectTypes
    on: frozenset[str]
    orderly: bool = False
    wide: bool = False

    def __post_init__(self) -> None:
        self.matcher = SignatureMatcher(self.types, self.on)

    def join_types(self, pair: tuple[AbstractValue, AbstractValue]) -> AbstractValue:
        """Return what a column of a set operator is, given those of both sides; ``SELECT 1 UNION SELECT 'x'``."""
        joined = self.types.join(pair)
        able = self.types.compare(pair) and not (self.types.strict and joined == "null")
        self.check("comparisons", able, "the columns of set operators have one type")
        if "comparisons" in self.on:
            if self.types.strict:
                return self.matcher.branches(pair, ())
            if joined not in self.types.alone and len({v.type for v in pair} - {"null"}) > 1:
                joined = None  # MariaDB compares the column of each side
        return AbstractValue(joined or "any", max(v.magnitude for v in pair))

    def ordered(self, value: AbstractValue) -> None:
        """Refuse to order values that have none: ``ORDER BY j``, of JSON on PostgreSQL."""
        able = not self.types.strict or value.type != "other"
        self.check("comparisons", able, "values of this type have no order")

    def showable(self, value: AbstractValue) -> bool:
        """Say whether a derived table may show a value: to the query around it, its type may not be known."""
        return self.types.hiding not in self.on or value.type not in self.types.opaque

    def condition(self, value: AbstractValue) -> None:
        """Refuse what is no condition: ``WHERE a``, a number on PostgreSQL."""
        self.check(
            "conditions", value.type in self.types.sets["condition"], f"a condition is boolean, not {value.type}"
        )

    def no_aggregate(self, value: AbstractValue) -> None:
        """Refuse what holds an aggregate or a window function: ``WHERE MAX(a) > 1``."""
        self.check("aggregate place", not value.marks & Mark.AGGREGATE, "no aggregate may stand here")
        self.no_window(value)

    def no_window(self, value: AbstractValue) -> None:
        """Refuse what holds a window function: ``HAVING COUNT(*) OVER () > 1``."""
        windowed = value.marks & Mark.WINDOW
        self.check("aggregate place", not windowed, "window functions stand in SELECT and ORDER BY alone")

    def compare(self, values: Sequence[AbstractValue]) -> None:
        """Refuse to compare values of types that have nothing in common: ``a > 'x'``, a number on PostgreSQL."""
        self.check("comparisons", self.types.compare(values), f"{' and '.join(v.type for v in values)} do not compare")

    def compares(self, wanted: AbstractValue, column: AbstractValue) -> bool:
        """Say whether a query's column compares with a value."""
        return "comparisons" not in self.on or self.types.compare([wanted, self.null_as_text(column)])

    def uncollated(self, values: Sequence[AbstractValue]) -> None:
        """Refuse ``a BETWEEN b COLLATE "C" AND c``."""
        self.check("operators", not any(v.marks & Mark.COLLATED for v in values), "COLLATE stands in brackets here")

    def queried(self, value: AbstractValue) -> AbstractValue:
        """Return a value that holds a subquery, where that matters."""
        return value._replace(marks=value.marks | Mark.QUERIED) if "row operands" in self.on else value

    def rows_count(self, values: Sequence[AbstractValue]) -> None:
        """Refuse ``LIMIT 'x'``, and a number of rows that no engine counts to."""
        self.check("promises", all(v.magnitude <= WHOLE for v in values), "the number of rows is too large")
        whole = all(v.type == "int" and v.marks & Mark.NONNEGATIVE for v in values)
        self.check("promises", whole, "a number of rows is whole")

    def one_column(self, columns: QueryType) -> AbstractValue:
        """Return what a subquery's one column is outside; refuse several: ``a IN (SELECT b, c FROM t)``."""
        one = columns.values is not None and len(columns.values) == 1
        self.check("column counts", one, "the subquery returns one column")
        return self.null_as_text(columns.values[0] if columns.values else AbstractValue("any"))

    def null_as_text(self, column: AbstractValue) -> AbstractValue:
        """Return what a subquery's column is outside: NULL is a text where types are strict."""
        return column._replace(type="text") if column.type == "null" and self.types.strict else column

    def resolved(self, columns: QueryType) -> QueryType:
        """Return a query's columns where DISTINCT or ORDER BY has made its NULL the text that it would be outside."""
        return (
            columns
            if columns.values is None
            else columns._replace(values=tuple(map(self.null_as_text, columns.values)))
        )
