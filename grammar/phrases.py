"""What a finished phrase is worth: one rule of the grammar applied to the values of its parts.

`Phrases.reduce` is called where an LR parser reduces. It returns the value of the whole, or raises `Refused` with
the rule that is broken. A word that can only lead to refused phrases is never offered, because the shortest
completions (completion.py) are made of the same reductions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from .calls import Calls, Refused
from .signatures import WHOLE, Types
from .tables import Tables
from .values import (
    AGGREGATE,
    LITERAL,
    NAME,
    NONNEGATIVE,
    NULL,
    ONE,
    PINNED,
    PLAIN,
    QUERIED,
    STARRED,
    UNIQUE,
    Columns,
    Value,
)

__all__ = ["Phrases", "Refused"]

Parts = Sequence[tuple[str, Any]]
"""The symbols of a rule's body, keywords by their text, each with its value."""


TABLE = "TABLE"
"""What a FROM of one table and nothing more is worth."""

BOOL = Value("bool", 1)
PINNED_BOOL = Value("bool", 1, PINNED)
TRUE = Value("bool", 1, LITERAL)


@dataclass
class Phrases:
    """The reductions of one grammar under the rules that are ``on``."""

    tables: Tables
    types: Types
    on: frozenset[str]
    known: dict[tuple[int, tuple[Any, ...]], Any] = field(default_factory=dict[tuple[int, tuple[Any, ...]], Any])

    def __post_init__(self) -> None:
        tables = self.tables
        self.calls = Calls(self.types, self.on)
        self._bodies = tables.bodies
        self._heads = [getattr(self, "_" + head.strip("_$"), _nothing) for head in tables.heads]

    def reduce(self, rule: int, values: tuple[Any, ...]) -> Any:
        """Return the value of a rule's head.

        Raises:
            Refused: the phrase breaks a rule.
        """
        key = (rule, values)
        found = self.known.get(key, self)
        if found is self:
            try:
                found = self._heads[rule](list(zip(self._bodies[rule], values, strict=True)))
            except Refused as refused:
                found = refused
            self.known[key] = found
        if isinstance(found, Refused):
            raise found
        return found

    def reduce_cast(self, word: str) -> Value:
        """Return what NULL is after a cast to the type called ``word``."""
        return self.calls.cast((word, None), NULL)

    def reduce_call(self, name: str) -> Value:
        """Return the value of a function without brackets."""
        return self.calls.call([("NILADIC", name)])

    def check(self, rule: str, holds: bool, problem: str) -> None:
        """Refuse if ``rule`` is on and does not hold."""
        if not holds and rule in self.on:
            raise Refused(rule, problem)

    # ---- queries

    def _start(self, parts: Parts) -> None:
        return None

    def _query(self, parts: Parts) -> Columns:
        given = dict(parts)
        columns: Columns = given.get("select") or given["compound"]
        if given.get("order_by", 0) & ONE:
            self._ordered(columns.values[0] if columns.values else Value("other"))
        if "compound" in given and given.get("order_by"):
            self.check("compound order", given["order_by"] & NAME != 0, "only output columns order a compound query")
        if columns.distinct and given.get("order_by"):
            self.check("distinct order", given["order_by"] & NAME != 0, "DISTINCT is ordered by its output columns")
        if "compound" not in given and not columns.aggregate:
            self.check("aggregate place", not given.get("order_by", 0) & AGGREGATE, "ORDER BY an aggregate of no group")
        return columns._replace(
            distinct=False,
            aggregate=False,
            plain=False,
            compound="compound" in given,
            single=columns.single or bool(given.get("limit")),
            limited=columns.limited or "limit" in given,
        )

    def _compound(self, parts: Parts) -> Columns:
        left, right = parts[0][1], parts[2][1]
        alike = (left.values is None) == (right.values is None) and left.star == right.star
        self.check("column counts", alike and (left.star or left.values is not None), "a star beside a set operator")
        self.check("nested operands", not left.compound and not right.compound, "an operand is a compound query itself")
        if left.values is None or right.values is None:
            return Columns(None, limited=left.limited or right.limited, star=left.star)
        self.check("column counts", len(left.values) == len(right.values), "set operators need as many columns")
        joined = [self._join_types(pair) for pair in zip(left.values, right.values, strict=False)]
        self._readable(joined)
        return Columns(tuple(joined), limited=left.limited or right.limited)

    def _join_types(self, pair: tuple[Value, Value]) -> Value:
        if "comparisons" in self.on:
            if self.types.join(pair) in (None, "null"):
                raise Refused("comparisons", "the columns of set operators have one type")
            return self.calls.branches(pair, ())
        return Value(self.types.join(pair) or "any", max(v.digits for v in pair))

    def _operand(self, parts: Parts) -> Columns:
        columns: Columns = parts[0][1]
        # behind brackets a set operator must follow, and not every star can stand beside one where types are strict
        bare = parts[0][0] == "select" or not self.types.strict
        return columns if bare else columns._replace(star=False)

    def _subquery(self, parts: Parts) -> Columns:
        return parts[1][1]

    def _select(self, parts: Parts) -> Columns:
        given = dict(parts)
        items: Columns = given.get("items") or given["starred"]
        demand: tuple[str, ...] | str | None = parts[0][1]
        if demand == STARRED:
            self.check("column counts", items.star, "a bare star is wanted here, as before the set operator")
        if isinstance(demand, tuple):
            fits = items.values is not None and len(items.values) == len(demand)
            self.check("column counts", fits, f"{len(demand)} columns are wanted here")
            for wanted, value in zip(demand, items.values or (), strict=False):
                self._compare([Value(wanted), self._shown(value)])
        if demand != ("null",):  # that is a value within an expression
            self._readable(items.values or ())
        # a column needs a FROM, and beside an aggregate GROUP BY, though neither may be written yet
        alone = not items.plain or (items.aggregate and "grouping" not in self.on)
        single = "group_by" not in given and alone and (items.aggregate or "from" not in given)
        single |= bool(given.get("where")) and given["from"] == TABLE
        if "DISTINCT" in given and items.values is not None:
            for value in items.values:
                self._ordered(value)
            items = items._replace(values=tuple(map(self._shown, items.values)))
        aggregate = items.aggregate or "group_by" in given
        items = items._replace(star=items.star and given.get("from") == TABLE)
        return items._replace(single=single, aggregate=aggregate, distinct="DISTINCT" in given)

    def _readable(self, columns: Sequence[Value]) -> None:
        """Refuse to return dates that were shifted: Python reads none after the year 9999, and such are stored."""
        shifted = self.types.strict and any(v.digits and v.type in {"date", "stamp"} for v in columns)
        self.check("promises", not shifted, "a shifted date may lie after the year 9999")

    def _items(self, parts: Parts) -> Columns:
        item: Value = parts[-1][1]
        before: Columns = parts[0][1] if len(parts) > 1 else Columns(())
        values = (*(before.values or ()), Value(item.type, item.digits))
        aggregate = before.aggregate or bool(item.marks & AGGREGATE)
        plain = before.plain or (bool(item.marks & PLAIN) and "single row" in self.on)
        return Columns(values, aggregate=aggregate, plain=plain)

    def _starred(self, parts: Parts) -> Columns:
        # a star hides the items beside it from where they are checked; DISTINCT could stand before them
        aggregate = False
        for _, value in parts:
            columns: Sequence[Value] = (value,) if isinstance(value, Value) else ()
            aggregate |= isinstance(value, Value) and bool(value.marks & AGGREGATE)
            if isinstance(value, Columns):
                columns = value.values or ()
                aggregate |= value.aggregate
            self._readable(columns)
            for column in columns:
                self._ordered(column)
        return Columns(None, aggregate=aggregate, star=len(parts) == 1 and parts[0][1] == "*")

    def _star(self, parts: Parts) -> str:
        return parts[0][0]

    def _item(self, parts: Parts) -> Value:
        return parts[0][1]

    def _limit(self, parts: Parts) -> bool:
        values = [v for name, v in parts if name == "WHOLE"]
        self.check("promises", all(v.digits <= WHOLE for v in values), "LIMIT is too large")
        whole = all(v.type == "int" and v.marks & NONNEGATIVE for v in values)
        self.check("promises", whole, "LIMIT takes a whole number")
        return bool(values[-1 if parts[-2][0] == "," else 0].marks & ONE)

    # ---- FROM: whether it is one table

    def _source(self, parts: Parts) -> str | None:
        return parts[0][0] if parts[0][0] == TABLE else None

    def _joined(self, parts: Parts) -> str | None:
        return parts[0][1] if len(parts) == 1 else None

    _joins = _joined

    def _from(self, parts: Parts) -> str | None:
        return parts[1][1]

    # ---- clauses

    def _where(self, parts: Parts) -> bool:
        self._condition(parts[1][1])
        self._no_aggregate(parts[1][1])
        return bool(parts[1][1].marks & PINNED)

    def _join_on(self, parts: Parts) -> None:
        if parts[0][0] == "ON":
            self._where(parts)

    def _having(self, parts: Parts) -> None:
        self._condition(parts[1][1])

    def _keys(self, parts: Parts) -> None:
        key = parts[-1][1]
        self._no_aggregate(key)
        self._ordered(key)
        self.check("constant terms", not key.marks & LITERAL, "GROUP BY a constant")

    def _order_item(self, parts: Parts) -> int:
        term: Value = parts[0][1]
        self._ordered(term)
        constant = term.marks & LITERAL and not term.marks & ONE
        self.check("constant terms", not constant, "ORDER BY a constant")
        return term.marks & (AGGREGATE | NAME | ONE) | (NAME if term.marks & ONE else 0)

    def _order_list(self, parts: Parts) -> int:
        marks = [m for name, m in parts if name != ","]
        return (marks[0] | marks[-1]) & (AGGREGATE | ONE) | (marks[0] & marks[-1] & NAME)

    def _order_by(self, parts: Parts) -> int:
        return parts[2][1] | ORDERED

    def _ordered(self, value: Value) -> None:
        unordered = self.types.strict and value.type == "other"
        self.check("comparisons", not unordered, "values of this type have no order")

    def _condition(self, value: Value) -> None:
        self.check(
            "conditions", value.type in self.types.sets["condition"], f"a condition is boolean, not {value.type}"
        )

    def _no_aggregate(self, value: Value) -> None:
        self.check("aggregate place", not value.marks & AGGREGATE, "no aggregate may stand here")

    # ---- conditions

    def _expr(self, parts: Parts) -> Value:
        if len(parts) == 1:
            return parts[0][1]
        values = [v for _, v in parts if isinstance(v, Value)]
        for value in values:
            self._condition(value)
        # SQLite reads `x AND 0` as 0, MariaDB NOT TRUE
        folded = parts[-2][0] in {"AND", "NOT"} and any(v.marks & LITERAL for v in values) and not self.types.strict
        found = self.calls.of(TRUE if folded else BOOL, values)
        pinned = parts[1][0] == "AND" and any(v.marks & PINNED for v in values)
        return found._replace(marks=found.marks | PINNED) if pinned else found

    _conjunction = _negation = _expr

    def _predicate(self, parts: Parts) -> Value:
        if len(parts) == 1:
            return parts[0][1]
        words = [name for name, _ in parts if name not in {"sum", "NOT"}]
        values = [v for _, v in parts if isinstance(v, Value)]
        match words[0]:
            case "IS" if words[-1] == "NULL":
                pass
            case "comparison" | "<=>" if len(words) == 1:
                self._compare(values)
            case "BETWEEN" | "IS":
                self._compare(values)
            case "EXISTS":
                return self._queried(BOOL)
            case "row":
                self._compare_row(parts[0][1], parts[-1][1])
                values = [*parts[0][1], self._queried(BOOL)]
            case _:
                values = self._special(words, parts, values)
        return self.calls.of(self._pinned(parts), values)

    def _comparison(self, parts: Parts) -> str | None:
        return "=" if parts[0][0] == "=" and "single row" in self.on else None

    def _pinned(self, parts: Parts) -> Value:
        """Return a condition, pinned if a unique column equals a constant of its own type."""
        if len(parts) != 3 or parts[1][1] != "=" or not isinstance(parts[2][1], Value):
            return BOOL
        column, constant = parts[0][1], parts[2][1]
        unique = column.marks & UNIQUE and column.marks & NAME
        return PINNED_BOOL if unique and constant.marks & LITERAL and constant.type == column.type else BOOL

    def _special(self, words: list[str], parts: Parts, values: list[Value]) -> list[Value]:
        """Check IN, comparison with ANY, and operators with patterns; return the values within."""
        given = dict(parts)
        if "subquery" in given:
            self._compare([values[0], self._one_column(given["subquery"])])
            limited = given["subquery"].limited
            self.check("limit in subquery", not limited, "no LIMIT in the subquery of IN, ANY and ALL")
            return [*values, self._queried(BOOL)]
        if words[0] == "IN":
            # MySQL takes brackets within IN's own for a subquery of IN
            alone = len(given["expr_list"]) == 1 and given["expr_list"][0].marks & QUERIED
            self.check("limit in subquery", not alone, "a subquery stands alone in the list of IN")
            for value in given["expr_list"]:
                self._compare([values[0], value])
            if self.types.strict:
                self.calls.branches([values[0], *given["expr_list"]], ())
            return [*values, *given["expr_list"]]
        if "ESCAPE" in given:
            escape: Value = values.pop()
            self.check("literals", "character" in escape.kinds, "ESCAPE takes one character")
            safe = not self.types.strict or ("mark" in escape.kinds and "unmarked" in values[-1].kinds)
            self.check("promises", safe, "the pattern may end with the character of ESCAPE")
        self.calls.operator(" ".join(w for w in words if w not in {"ESCAPE", "STRING"}), values)
        return values

    def _compare(self, values: Sequence[Value]) -> None:
        if "comparisons" in self.on and self.types.join(values) is None:
            raise Refused("comparisons", f"{' and '.join(v.type for v in values)} do not compare")

    def compares(self, wanted: Value, column: Value) -> bool:
        """Say whether a query's column compares with a value."""
        return "comparisons" not in self.on or self.types.join([wanted, self._shown(column)]) is not None

    def _compare_row(self, row: Sequence[Value], columns: Columns) -> None:
        self.check(
            "column counts", columns.values is not None and len(columns.values) == len(row), "rows of one length"
        )
        for value, column in zip(row, columns.values or (), strict=False):
            self._compare((value, self._shown(column)))
        self.check("limit in subquery", not columns.limited, "no LIMIT in the subquery of IN, ANY and ALL")
        self.check("row operands", not any(v.marks & QUERIED for v in row), "no subquery in a row before IN")

    def _queried(self, value: Value) -> Value:
        """Return a value that holds a subquery, where that matters."""
        return value._replace(marks=value.marks | QUERIED) if "row operands" in self.on else value

    def _one_column(self, columns: Columns) -> Value:
        one = columns.values is not None and len(columns.values) == 1
        self.check("column counts", one, "the subquery returns one column")
        return self._shown(columns.values[0] if columns.values else Value("any"))

    def _shown(self, column: Value) -> Value:
        """Return what a subquery's column is outside: NULL is a text where types are strict."""
        return column._replace(type="text") if column.type == "null" and self.types.strict else column

    def _expr_list(self, parts: Parts) -> tuple[Value, ...]:
        return (parts[0][1],) if len(parts) == 1 else (*parts[0][1], parts[2][1])

    def _row(self, parts: Parts) -> tuple[Value, ...]:
        return (parts[1][1], *parts[3][1])

    # ---- expressions

    def _sum(self, parts: Parts) -> Value:
        if len(parts) == 1:
            return parts[0][1]
        if len(parts) == 2:
            found = self.calls.operator("neg", [parts[1][1]])
            return found._replace(marks=found.marks | parts[1][1].marks & LITERAL)
        if parts[1][0] == "::":
            return self.calls.cast(parts[2][1], parts[0][1])
        return self.calls.operator(parts[1][0], [parts[0][1], parts[2][1]])

    _product = _sign = _joint = _primary = _sum

    def _atom(self, parts: Parts) -> Value:
        name, value = parts[0]
        match name:
            case "NULL":
                return NULL
            case "TRUE" | "FALSE":
                return TRUE
            case "(":
                return parts[1][1]._replace(marks=parts[1][1].marks & ~NAME)
            case "subquery":
                self.check("single row", value.single, "the subquery may return several rows")
                return self._queried(self._one_column(value))
            case _ if len(parts) == 2:
                return self.calls.typed_literal(name, parts[1][1])
            case _:
                return value

    def _case(self, parts: Parts) -> Value:
        subject = parts[1][1] if parts[1][0] == "expr" else None
        whens: tuple[tuple[Value, Value], ...] = next(v for name, v in parts if name == "whens")
        results = [result for _, result in whens] + [parts[-2][1]] * (parts[-3][0] == "ELSE")
        if subject is not None:
            for condition, _ in whens:
                self._compare([self._shown(subject._replace(kinds=frozenset())), condition])
        values = [*(c for c, _ in whens), *results, *([subject] if subject else [])]
        return self.calls.branches(results, values)

    def _whens(self, parts: Parts) -> tuple[Any, ...]:
        return tuple(dict.fromkeys((*(parts[0][1] if len(parts) > 1 else ()), parts[-1][1])))

    def _when(self, parts: Parts) -> tuple[Value, Value]:
        subject, condition = parts[0][1], parts[1][1]
        if subject is None:
            self._condition(condition)
        else:
            self._compare([self._shown(subject._replace(kinds=frozenset())), condition])
        return (condition, parts[3][1])

    def _call(self, parts: Parts) -> Value:
        return self.calls.call(parts)

    def _unit(self, parts: Parts) -> str:
        return parts[0][0]

    def _interval(self, parts: Parts) -> Value:
        return self.calls.interval(parts)

    def _type(self, parts: Parts) -> tuple[str, Any]:
        return (parts[0][0], parts[1][1] if len(parts) > 1 else None)

    def _size(self, parts: Parts) -> tuple[Value, ...]:
        return tuple(v for name, v in parts if name == "WHOLE")

    _precision = _size


ORDERED = 1 << 20
"""Mark of an ORDER BY that is there."""


def _nothing(parts: Parts) -> None:
    return None
