"""What expressions, conditions and windows are worth: the reductions that make an `AbstractValue`."""

from collections.abc import Sequence
from typing import Any

from ..types.abstract_values import NULL, AbstractValue, Mark, QueryType
from .rules import Checks, Parts

BOOL = AbstractValue("bool", 1)
_PINNED_BOOL = AbstractValue("bool", 1, Mark.PINNED)
TRUE = AbstractValue("bool", 1, Mark.LITERAL)


class ConditionActions(Checks):
    """A method for each head of a production, called with its body."""

    def _expr(self, parts: Parts) -> AbstractValue:
        """``a AND b > 1``: refused where a is no condition."""
        if len(parts) == 1:
            return parts[0][1]
        values = [v for _, v in parts if isinstance(v, AbstractValue)]
        for value in values:
            self.condition(value)
        # SQLite reads `x AND 0` as 0, MariaDB NOT TRUE
        constant = any(v.marks & Mark.LITERAL for v in values)
        folded = parts[-2][0] in {"AND", "NOT", "&&"} and constant and not self.types.strict
        found = self.matcher.of(TRUE if folded else BOOL, values)
        pinned = parts[1][0] == "AND" and any(v.marks & Mark.PINNED for v in values)
        return found._replace(marks=found.marks | Mark.PINNED) if pinned else found

    _conjunction = _negation = _expr

    def _predicate(self, parts: Parts) -> AbstractValue:
        """``a = 'x'``, ``a BETWEEN 1 AND 'x'``: refused where the types do not compare."""
        if len(parts) == 1:
            return parts[0][1]
        words = [name for name, _ in parts if name not in {"sum", "tested", "predicate", "NOT"}]
        values = [v for _, v in parts if isinstance(v, AbstractValue)]
        match words[0]:
            case "IS" if words[-1] in {"NULL", "TRUE", "FALSE", "UNKNOWN"}:
                if words[-1] != "NULL":
                    self.condition(values[0])
            case "NULL" | "ISNULL" | "NOTNULL":
                pass
            case "comparison" | "<=>" if len(words) == 1:
                self.compare(values)
            case "BETWEEN" | "IS":
                self.compare(values)
                self.uncollated(values[1:2] if words[0] == "BETWEEN" else ())
            case "EXISTS":
                return self.queried(BOOL)
            case "row":
                self._compare_row(parts[0][1], parts[-1][1])
                values = [*parts[0][1], self.queried(BOOL)]
            case _:
                values = self._special(words, parts, values)
        return self.matcher.of(self._pinned(parts), values)

    _tested = _predicate

    def _comparison(self, parts: Parts) -> str | None:
        """``=``, where it may make one row; nothing for ``<``."""
        return "=" if parts[0][0] == "=" and "single row" in self.on else None

    def _pinned(self, parts: Parts) -> AbstractValue:
        """Return a condition, pinned if a unique column equals a constant of its own type: ``id = 7``."""
        if len(parts) != 3 or parts[1][1] != "=" or not isinstance(parts[2][1], AbstractValue):
            return BOOL
        column, constant = parts[0][1], parts[2][1]
        unique = column.marks & Mark.UNIQUE and column.marks & Mark.NAME
        return _PINNED_BOOL if unique and constant.marks & Mark.LITERAL and constant.type == column.type else BOOL

    def _special(self, words: list[str], parts: Parts, values: list[AbstractValue]) -> list[AbstractValue]:
        """Check IN, ANY and patterns, and return the values within: ``a IN (1, 'x')``, ``a LIKE 'x' ESCAPE 'ab'``."""
        given = dict(parts)
        if "subquery" in given:
            self.compare([values[0], self.one_column(given["subquery"])])
            limited = given["subquery"].limited
            self.check("limit in subquery", not limited, "no LIMIT in the subquery of IN, ANY and ALL")
            return [*values, self.queried(BOOL)]
        if words[0] == "IN" and "expr_list" not in given:
            return values
        if words[0] == "IN":
            # ``a IN ((SELECT 1))``: MySQL takes the inner brackets for a subquery of IN
            alone = len(given["expr_list"]) == 1 and given["expr_list"][0].marks & Mark.QUERIED
            self.check("limit in subquery", not alone, "a subquery stands alone in the list of IN")
            for value in given["expr_list"]:
                self.compare([values[0], value])
            if self.types.strict:
                self.matcher.branches([values[0], *given["expr_list"]], ())
            return [*values, *given["expr_list"]]
        if "ESCAPE" in given:
            escape: AbstractValue = values.pop()
            self.check("literals", "character" in escape.kinds, "ESCAPE takes one character")
            safe = not self.types.strict or ("mark" in escape.kinds and "unmarked" in values[-1].kinds)
            self.check("promises", safe, "the pattern may end with the character of ESCAPE")
        self.matcher.operator(" ".join(w for w in words if w not in {"ESCAPE", "STRING"}), values)
        return values

    def _compare_row(self, row: Sequence[AbstractValue], columns: QueryType) -> None:
        """``(a, b) IN (SELECT c FROM t)``: refused, the rows have 2 columns and 1."""
        self.check(
            "column counts", columns.values is not None and len(columns.values) == len(row), "rows of one length"
        )
        for value, column in zip(row, columns.values or (), strict=False):
            self.compare((value, self.null_as_text(column)))
        self.check("limit in subquery", not columns.limited, "no LIMIT in the subquery of IN, ANY and ALL")
        self.check("row operands", not any(v.marks & Mark.QUERIED for v in row), "no subquery in a row before IN")

    def _expr_list(self, parts: Parts) -> tuple[AbstractValue, ...]:
        """``1, a + 1``."""
        return (parts[0][1],) if len(parts) == 1 else (*parts[0][1], parts[2][1])

    def _row(self, parts: Parts) -> tuple[AbstractValue, ...]:
        """``(a, b)``."""
        return (parts[1][1], *parts[3][1])


_HELD = Mark.AGGREGATE | Mark.PLAIN | Mark.QUERIED
"""Marks of a window's terms that its function has, too."""


class WindowActions(Checks):
    """A method for each head of a production, called with its body; all within a window are worth their marks."""

    def _window(self, parts: Parts) -> AbstractValue:
        """``LAG(a) OVER (ORDER BY b)``: as a; ``SUM(RANK() OVER (ORDER BY a)) OVER ()``: refused."""
        for _, value in parts:
            if isinstance(value, AbstractValue):
                self.no_window(value)
        found = self.matcher.call(parts[:-1])
        return found._replace(marks=found.marks & ~Mark.COLLATED | parts[-1][1] | Mark.WINDOW)

    def _over(self, parts: Parts) -> int:
        """``OVER (PARTITION BY a ORDER BY b DESC)``: what is held by any part."""
        found = 0
        for _, value in parts:
            marks: Any = value
            found |= marks if isinstance(marks, int) else 0
        return found

    _sorted_over = _frameless_over = _window_keys = _window_order = _window_terms = _over

    def _window_key(self, parts: Parts) -> int:
        """``a``, ``a DESC``; ``1`` is refused, which some engines would take for the first column."""
        term: AbstractValue = parts[0][1]
        self.no_window(term)
        self.ordered(term)
        self.check("constant terms", not term.marks & Mark.LITERAL, "a window is of no constant")
        return term.marks & _HELD

    _window_term = _window_key

    def _frame(self, parts: Parts) -> None:
        """``ROWS BETWEEN 'x' PRECEDING AND CURRENT ROW``: refused, as LIMIT refuses it."""
        self.rows_count([value for name, value in parts if name == "WHOLE"])


_OF_JSON = {
    "->": ("json", frozenset[str]()),
    "->>": ("json", frozenset[str]()),
    "#>": ("json", frozenset({"path"})),
    "#>>": ("json", frozenset({"path"})),
}
"""The operators on JSON: the kind that they take, and that of the literal behind them, none where a value may stand."""

INTEGER = 10
"""Digits that an integer which takes something out of JSON has not."""


class ExpressionActions(Checks):
    """A method for each head of a production, called with its body."""

    def _sum(self, parts: Parts) -> AbstractValue:
        """``a + 'x'``: refused where + takes no text; ``- a``, ``a :: DATE`` likewise."""
        if len(parts) == 1:
            return parts[0][1]
        if len(parts) == 2:
            return self._signed(parts[0][0], parts[1][1])
        if parts[1][0] == "::":
            return self.matcher.cast(parts[2][1], parts[0][1])
        if parts[1][0] == "COLLATE":
            # a position is one to SQLite all the same: ORDER BY 2 COLLATE NOCASE
            collated = self.matcher.operator("COLLATE", [parts[0][1]])
            kept = parts[0][1].marks & (Mark.LITERAL | Mark.NONZERO)
            return collated._replace(marks=collated.marks | Mark.COLLATED | kept)
        if parts[1][0] in _OF_JSON:
            return self._taken_out(parts[1][0], parts[0][1], parts[2][1])
        shifted = parts[2][0] == "interval"  # by a number, and yet a time, with which less is reckoned
        shift = [("DATE_SHIFT", "DATE_ADD"), parts[0], parts[2]]
        return self.matcher.call(shift) if shifted else self.matcher.operator(parts[1][0], [parts[0][1], parts[2][1]])

    _added = _product = _flipped = _sign = _joint = _primary = _sum

    def _signed(self, sign: str, value: AbstractValue) -> AbstractValue:
        """``- a``, ``+ a``: refused where the sign takes no text; ``+`` changes no type."""
        found = self.matcher.operator({"-": "neg", "+": "pos"}.get(sign, sign), [value])
        if sign != "+":
            return found._replace(marks=found.marks | value.marks & Mark.LITERAL)
        # + 1 stands for an item of the select list now and then; the scope checks bare numbers alone against the items
        return value._replace(marks=value.marks & ~(Mark.NAME | Mark.UNIQUE | Mark.ONE), position=0)

    def _taken_out(self, sign: str, document: AbstractValue, key: AbstractValue) -> AbstractValue:
        """``j -> 'a'`` of JSON, by a name or a number: JSON; ``j ->> 'a'``: a text."""
        kind, keys = _OF_JSON[sign]
        able = kind in document.kinds or document.type in self.types.sets.get(kind, ())
        self.check("operators", able, f"{sign} takes {kind.upper()}, not {document.type}")
        if keys:
            fits = bool(key.kinds & keys)
        else:  # SQLite takes a text that begins with $ for a path
            fits = key.type == "text" and (self.types.strict or bool(key.kinds & {"path", "label"}))
            fits |= key.type == "int" and key.magnitude < INTEGER
        self.check("operators", fits, f"{sign} does not take this {key.type}")
        if sign.endswith(">>"):
            found = AbstractValue("text") if self.types.strict else self.types.unknown
        else:
            inner = document.type in self.types.sets["closed"]
            found = document._replace(marks=0, type="closed" if inner else document.type)
        return self.matcher.of(found, [document, key])

    def _filter(self, parts: Parts) -> None:
        """``COUNT(*) FILTER (WHERE MAX(a) > 1)``: refused."""
        self.condition(parts[3][1])
        self.no_aggregate(parts[3][1])

    def _collation(self, parts: Parts) -> str:
        return parts[0][0]

    def _atom(self, parts: Parts) -> AbstractValue:
        """``(SELECT a FROM t)``: refused where several rows are an error; ``DATE 'x'``: no date."""
        name, value = parts[0]
        match name:
            case "COLUMN" | "QCOLUMN" | "(" if len(parts) > 3:
                return self.matcher.operator("[]", [v for _, v in parts if isinstance(v, AbstractValue)])
            case "NULL" | "TRUE" | "FALSE":
                return NULL if name == "NULL" else TRUE
            case "(":
                return _enclosed(parts[1][1]._replace(marks=parts[1][1].marks & ~Mark.NAME))
            case "subquery":
                self.check("single row", value.single, "the subquery may return several rows")
                return self.queried(self.one_column(value))
            case "ARRAY":
                return self._array(next((v for name, v in parts if name == "expr_list"), ()))
            case _:
                return self.matcher.typed_literal(name, parts[1][1]) if len(parts) == 2 else value

    def _array(self, values: Sequence[AbstractValue]) -> AbstractValue:
        """``ARRAY[1, 'x']``: refused where its elements have no type in common, or there are none."""
        self.check("comparisons", bool(values), "an array of nothing has no type")
        element = self.matcher.branches(values or (NULL,), values)
        self.check("promises", element.type not in {"array", "texts", "integers"}, "arrays may differ in length")
        literal = element.type == "text" and all(
            v.marks & Mark.LITERAL for v in values
        )  # of a column it may have a size
        whole = element.type == "int" and element.magnitude <= INTEGER - 1
        return element._replace(type="integers" if whole else "texts" if literal else "array", magnitude=0)

    def _case(self, parts: Parts) -> AbstractValue:
        """``CASE WHEN a > 1 THEN 'x' ELSE 2 END``: refused where its results have no type in common."""
        subject = parts[1][1] if parts[1][0] == "expr" else None
        whens: tuple[tuple[AbstractValue, AbstractValue], ...] = next(v for name, v in parts if name == "whens")
        results = [result for _, result in whens] + [parts[-2][1]] * (parts[-3][0] == "ELSE")
        if subject is not None:
            for condition, _ in whens:
                self.compare([self.null_as_text(subject._replace(kinds=frozenset())), condition])
        values = [*(c for c, _ in whens), *results, *([subject] if subject else [])]
        return _enclosed(self.matcher.branches(results, values))

    def _whens(self, parts: Parts) -> tuple[Any, ...]:
        return tuple(dict.fromkeys((*(parts[0][1] if len(parts) > 1 else ()), parts[-1][1])))

    def _when(self, parts: Parts) -> tuple[AbstractValue, AbstractValue]:
        """``CASE a WHEN 'x' THEN``: refused where a compares with no text; ``CASE WHEN a THEN``: no condition."""
        subject, condition = parts[0][1], parts[1][1]
        if subject is None:
            self.condition(condition)
        else:
            self.compare([self.null_as_text(subject._replace(kinds=frozenset())), condition])
        return (condition, parts[3][1])

    def _call(self, parts: Parts) -> AbstractValue:
        """``ABS('x')``: refused where ABS takes no text; so are ``POSITION(a COLLATE "C" IN b)``, a LIMIT below 0."""
        if ("LIMIT", None) in parts[:-1]:
            self.rows_count([v for name, v in parts if name == "WHOLE" and isinstance(v, AbstractValue)])
        if parts[0][0] == "POSITION":
            self.uncollated([v for _, v in parts if isinstance(v, AbstractValue)])
        return _enclosed(self.matcher.call(parts))

    def _unit(self, parts: Parts) -> str:
        """``YEAR``, of ``INTERVAL 1 YEAR`` or EXTRACT."""
        return parts[0][0]

    _unit_pair = _unit

    def _interval(self, parts: Parts) -> AbstractValue:
        """``INTERVAL 1 YEAR``: the number; ``INTERVAL '1:30' HOUR_MINUTE``: as one of so few digits."""
        found: AbstractValue = next(v for _, v in parts if isinstance(v, AbstractValue))
        return AbstractValue("int", 6) if found.type == "text" and found.marks & Mark.LITERAL else found

    def _type(self, parts: Parts) -> tuple[str, Any]:
        """``NUMERIC(10, 2)``, of a cast."""
        if parts[-1][0] == "]":
            return parts[0][0] + "[]", None
        return (parts[0][0], parts[1][1] if len(parts) > 1 else None)

    def _size(self, parts: Parts) -> tuple[AbstractValue, ...]:
        """``(10, 2)``."""
        return tuple(v for name, v in parts if name == "WHOLE")

    _precision = _size


def _enclosed(value: AbstractValue) -> AbstractValue:
    """Return a value whose COLLATE stands between words that hold it together, as brackets do."""
    return value._replace(marks=value.marks & ~Mark.COLLATED)
