"""What the constraint knows of an expression: its type, its size, what it may not be; and how a rule refuses.

A value is a promise about every result that the expression can have. Where nothing is known the promise
is the weakest one: type ``any``, many digits, any sign.
"""

from dataclasses import dataclass
from typing import NamedTuple

TYPES = (
    *("null", "bool", "int", "dec", "float", "text", "date", "time", "stamp", "span", "blob", "uuid", "closed"),
    *("udec", "enum", "array", "other", "any", "small", "texts", "integers", "list", "object"),
)
"""``stamp`` is a date with a time, ``span`` an interval, ``closed`` what compares with texts alone, ``udec`` a decimal
that is unsigned where that matters, ``enum`` any of a schema's enumerations, each of which is a type of its own
(data/schema/enumerations.py), ``array`` one of any, ``other`` a type without operators, ``any`` one of all. ``small``
is an integer of half the size, ``texts`` and ``integers`` are arrays of those, ``list`` and ``object`` JSON that is
one."""

NEVER = 1 << 30
"""More words than any budget: cannot be finished."""

MAX_WORDS = 1000
"""The words of a query that engines are sure to take: chains of operators, and set operators, have limits there."""

NUMBERS = ("int", "dec", "float")


class Mark:
    """What else is known of a value, as bits.

    Attributes:
        NONNEGATIVE: no result is below 0.
        NONZERO: no result is 0.
        LITERAL: it is a bare constant.
        AGGREGATE: it holds an aggregate of its own query.
        ONE: it is the constant 1.
        NAME: it is nothing but a column's name or an alias.
        PLAIN: it holds a column outside of aggregates.
        QUERIED: it holds a subquery, where that matters.
        UNIQUE: it is a column that no two rows of its SELECT's one table have in common, where a single row may be due.
        PINNED: it is a condition that only one row of this table can meet.
        SIZE: it is a constant from 10 to 38: any type of decimals may have so many digits.
        COLLATED: it holds a COLLATE outside of brackets.
        WINDOW: it holds a window function of its own query.
    """

    NONNEGATIVE, NONZERO, LITERAL, AGGREGATE, ONE, NAME, PLAIN, QUERIED = 1, 2, 4, 8, 16, 32, 64, 128
    UNIQUE, PINNED, SIZE, COLLATED, WINDOW = 256, 512, 1024, 2048, 4096


ONE_VALUE = ("null",)
"""What is demanded of a SELECT that is a value within an expression: a column of any type."""

DERIVED = "derived"
"""What is demanded of a SELECT in FROM: the query around it may sort by its columns, or group by them."""

STARRED = "*"
"""What is demanded of a SELECT behind a set operator after a bare star: another one, of the same table."""


class AbstractValue(NamedTuple):
    """One expression.

    Attributes:
        type: one of `TYPES`.
        magnitude: of numbers: each result lies strictly between -10**digits and 10**digits.
        marks: bits of `Mark`.
        kinds: of string literals: the kinds of literal of its dialect that it is (a date, a regular expression).
        position: of whole numbers: the item of a select list that it may stand for, from 1; 0 for none.
    """

    type: str
    magnitude: int = 0
    marks: int = 0
    kinds: frozenset[str] = frozenset()
    position: int = 0


NULL = AbstractValue("null", 0, Mark.NONNEGATIVE | Mark.NONZERO | Mark.LITERAL)


class QueryType(NamedTuple):
    """What a query returns.

    Attributes:
        values: one for each column; None where a star hides how many there are.
        single: whether it returns one row at most.
        aggregate: whether its select list holds an aggregate.
        plain: whether its select list holds a column outside of aggregates.
        limited: whether it has a LIMIT.
        distinct: whether it is a SELECT DISTINCT.
        compound: whether it is made of several by set operators.
        star: whether its select list is a bare star alone.
        windowed: whether a window function orders it, and no LIMIT follows.
    """

    values: tuple[AbstractValue, ...] | None
    single: bool = False
    aggregate: bool = False
    plain: bool = False
    limited: bool = False
    distinct: bool = False
    compound: bool = False
    star: bool = False
    windowed: bool = False


_POSITION = 40
"""Marks of GROUP BY and ORDER BY above this are the items that numbers stand for."""


def position_mark(position: int) -> int:
    """Return the mark of an item that a number stands for, nothing for none."""
    return 1 << (_POSITION + position) if position else 0


def positions_of(marks: int) -> list[int]:
    """Return the items that numbers stand for, the first as 1."""
    above = marks >> (_POSITION + 1)
    return [n for n in range(1, above.bit_length() + 1) if above >> (n - 1) & 1]


@dataclass
class RuleViolation(Exception):
    """A query breaks ``rule``; ``problem`` says how."""

    rule: str
    problem: str


class Rules:
    """What holds queries to the rules that are ``on``."""

    on: frozenset[str]

    def check(self, rule: str, holds: bool, problem: str) -> None:
        """Refuse if ``rule`` is on and does not hold."""
        if not holds and rule in self.on:
            raise RuleViolation(rule, problem)
