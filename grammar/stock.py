"""Short phrases with their values: what a query can be finished with, wherever a phrase must stand.

They need no column: constants and NULL, and where a dialect is strict with types NULL cast to each of them. So
whatever a query's tables are, an expression of every type can be written in a few words.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from .phrases import ORDERED, TRUE, Phrases
from .tables import Tables
from .values import NAME, NONZERO, NULL, ONE, Columns, Value

__all__ = ["Stock"]

_EXPRESSIONS = {
    *("expr", "conjunction", "negation", "predicate", "sum", "product", "sign", "joint", "primary", "atom", "item"),
}
_NEEDED = {
    "select": {"SELECT"},
    "operand": {"SELECT"},
    "query": {"SELECT"},
    "subquery": {"SELECT", "(", ")"},
    "order_by": {"ORDER", "BY"},
    "when": {"WHEN", "THEN", "TRUE"},
    "whens": {"WHEN", "THEN", "TRUE"},
    "limit": {"LIMIT"},
    "interval": {"INTERVAL", "DAY"},
    "starred": {"*"},
}
"""The words that the phrases here are made of, beside expressions."""

_Phrase = tuple[int, Any]
"""Words and value."""


class Stock:
    """Short phrases of one grammar made of some words.

    Args:
        phrases: the reductions.
        available: terminals at hand.
        constants: the values of the constants at hand, with their terminals' names.
        functions: those at hand that need no brackets.
    """

    def __init__(
        self,
        phrases: Phrases,
        available: frozenset[int],
        constants: Iterable[tuple[str, Value]],
        functions: Iterable[str] = (),
    ) -> None:
        self._functions = list(functions)
        self._tables: Tables = phrases.tables
        self._phrases = phrases
        self._names = [self._tables.texts.get(t, t) for t in self._tables.terminals]
        self._words = {name for t, name in enumerate(self._names) if t in available}
        self._constants = list(_least(constants))
        self._stock = self._fill()
        for name, needed in _NEEDED.items():
            if not needed <= self._words:
                self._stock[name] = []
        self._bodies = [[self._name(s) for s in rule.body] for rule in self._tables.rules]
        self._heads = [str(self._tables.nonterminals[rule.head]) for rule in self._tables.rules]
        self._writable = _ARGUMENTS | self._words | {str(name) for name in self._tables.nonterminals}
        self._optional = [self._goes_on(rule) for rule in range(len(self._tables.rules))]

    def _name(self, symbol: int) -> str:
        return self._names[symbol] if symbol >= 0 else str(self._tables.nonterminals[~symbol])

    def of(self, symbol: int, *, alone: bool = True) -> list[_Phrase] | None:
        """Return the phrases that a symbol can become, None for symbols without values.

        Where it does not stand ``alone``, the shortest of each type must do.
        """
        found = self._stock.get(self._name(symbol))
        return found if alone or found is None else _core(found)

    def passes_on(self, rule: int) -> bool:
        """Say whether a rule makes of one symbol another with the same value."""
        body = self._bodies[rule]
        return (
            len(body) == 1
            and self._heads[rule] in _EXPRESSIONS
            and body[0] not in {"NULL", "TRUE", "FALSE", "subquery"}
        )

    def mends(self, rule: int) -> bool:
        """Say whether a rule goes on after a symbol that may stand alone."""
        return self._optional[rule]

    def lengthens(self, rule: int, value: Any, under: Sequence[Any]) -> bool:
        """Say whether going on by ``rule`` after its first symbol never mends anything.

        A cast or IS NULL gives another type, LIMIT 1 a single row, one more item a column that is asked for.
        """
        body, head = self._bodies[rule], self._heads[rule]
        match head:
            case "predicate":
                return body[1:] != ["IS", "NULL"]
            case "primary":
                return False
            case "sum":
                return not (body[1] == "-" and isinstance(value, Value) and value.type in {"date", "stamp", "time"})
            case "items":
                demand = next((u for u in reversed(under) if type(u) is tuple), ())
                return value.values is None or len(value.values) >= len(demand)
            case "query":
                return body[1:] != ["limit"] or value.single
            case _:
                return True

    def _goes_on(self, rule: int) -> bool:
        body, head = self._bodies[rule], self._heads[rule]
        whole = len(body) > 1 and self._tables.rules[rule].body[0] < 0
        required = head in {"source", "select", "start"} or body[0] in {"row", "operand"}
        return whole and not required

    def matching(
        self, rule: int, values: Sequence[Any], under: Sequence[Any]
    ) -> list[tuple[int, tuple[Any, ...]]] | None:
        """Return the rest of a set operation or of a row's IN, which must have the columns of what stands before."""
        body, head = self._bodies[rule], self._heads[rule]
        rest = body[len(values) :]
        if not rest:
            return None
        if head == "keys":
            # a column, which is no constant: the scope counts what it takes where there is none
            return [(len(rest), (*(None for _ in rest[1:]), Value("int", 1, NAME)))]
        if head == "call" and isinstance(values[0], str) and len(_ARGUMENTS.intersection(rest)) > 1:
            return list(self._arguments(values, rest))
        return self._columns(body, rest, values, under)

    def _columns(
        self, body: Sequence[str], rest: Sequence[str], values: Sequence[Any], under: Sequence[Any]
    ) -> list[tuple[int, tuple[Any, ...]]] | None:
        """Return the rest of what must have certain columns, None if it need not."""
        if rest == ["query", ")"]:
            around = next((u for u in under if type(u) is tuple or isinstance(u, Columns)), None)
            asked: Sequence[Any] | None = around.values if isinstance(around, Columns) else around
            if not asked or not isinstance(asked[0], Value):
                return None
            return self._alike(asked, 1, 2) if {"SELECT", ")"} <= self._words else []
        if any(name in _NEEDED and not _NEEDED[name] <= self._words for name in rest):
            return []
        if body[0] == "SELECT" and "items" in rest and type(values[0]) is tuple:
            demand = [Value(name) for name in values[0]]
            shortest = rest == ["items"] and (len(body) == 2 or body[1] == "DISTINCT")
            return self._alike(demand, -1, 1) if shortest else []
        if rest[-1] not in {"operand", "subquery"} or body[0] not in {"compound", "operand", "row"}:
            return None
        wanted: Sequence[Value] | None = values[0].values if isinstance(values[0], Columns) else values[0]
        more = len(rest) - 1 + 2 * (rest[-1] == "subquery")
        found = [] if wanted is None else self._alike(wanted, more, 0)
        return [(words, (*(None for _ in rest[1:]), columns[0])) for words, columns in found]

    def _arguments(self, values: Sequence[Any], rest: Sequence[str]) -> Iterable[tuple[int, tuple[Any, ...]]]:
        """Yield the rests of a call, one for each signature of the function: the shortest argument in each place."""
        types = self._phrases.types
        if "order_by" in rest or not self._writable.issuperset(rest):
            return
        given = sum(isinstance(v, Value) for v in values[1:])
        for signature in types.functions.get(values[0], ()):
            tail: list[Any] = []
            words = 0
            for name in rest:
                if name not in _ARGUMENTS:
                    tail.append(None)
                    words += 1
                    continue
                place = given + sum(v is not None for v in tail)
                wanted = signature.arguments[min(place, len(signature.arguments) - 1)] if signature.arguments else None
                able = [p for p in self._stock["STRING" if name == "STRING" else "expr"] if wanted is not None]
                fits = [
                    p
                    for p in able
                    if wanted is not None and types.fits(wanted, p[1], safe="promises" in self._phrases.on)
                ]
                if not fits:
                    break
                # all that must be of one type follow the first
                like = next((v for v in (*values[1:], *tail) if isinstance(v, Value)), None)
                alike = [p for p in fits if like is None or types.join([like, p[1]]) is not None]
                count, value = min(alike or fits, key=lambda p: p[0])
                tail.append((value,) if name == "expr_list" else value)
                words += count
            else:
                yield words, tuple(tail)

    def _alike(self, wanted: Sequence[Value], more: int, after: int) -> list[tuple[int, tuple[Any, ...]]]:
        """Return the shortest SELECT of columns such as those wanted, and ``after`` - 1 symbols without value."""
        chosen = [found for value in wanted if (found := self._like(value)) is not None]
        if len(chosen) < len(wanted):
            return []
        columns = Columns(tuple(Value(v.type, v.digits) for _, v in chosen), single=True)
        words = sum(words for words, _ in chosen) + len(chosen) + more
        return [(words, (columns, *(None for _ in range(after - 1))))]

    def _like(self, value: Value) -> _Phrase | None:
        able = [
            p for p in self._stock["expr"] if self._phrases.types.join([value, Value(p[1].type)]) not in (None, "null")
        ]
        if "comparisons" not in self._phrases.on:
            able = self._stock["expr"]
        return min(able, key=lambda p: p[0], default=None)

    def _fill(self) -> dict[str, list[_Phrase]]:
        values = list(self._values())
        least = min((words for words, _ in values), default=None)
        stock: dict[str, list[_Phrase]] = dict.fromkeys(_EXPRESSIONS, values)
        for name in ("WHOLE", "NUMBER", "STRING"):
            stock[name] = [(1, value) for terminal, value in self._constants if terminal == name]
        stock |= {key: [] for key in ("COLUMN", "QCOLUMN")}
        stock["type"] = [(1, (t, None)) for t in self._phrases.types.casts if t in self._words]
        one = any(value.marks & ONE for _, value in self._constants)
        stock["limit"] = [(2, one)] if stock["WHOLE"] and "LIMIT" in self._words else []
        stock["starred"] = [(1, Columns(None))]
        if least is None:
            return stock | {key: [] for key in ("expr_list", "items", "operand", "select", "query", "subquery")}
        stock["expr_list"] = [(w, (v,)) for w, v in values]
        stock["items"] = [(w, Columns((Value(v.type, v.digits),))) for w, v in values]
        for name, words in (("select", 1), ("operand", 1), ("query", 1), ("subquery", 3)):
            stock[name] = [(w + words, Columns((Value(v.type, v.digits),), single=True)) for w, v in values]
        null = {"IS", "NULL"} <= self._words
        stock["keys"] = [(1, None)]  # a column: the scope counts what it takes where there is none
        stock["order_item"] = [(1, NAME)] * one + [(least + 2, 0)] * null
        stock["order_list"] = stock["order_item"]
        stock["order_by"] = [(w + 2, m | ORDERED) for w, m in stock["order_list"]]
        stock["when"] = [(w + 3, (TRUE, v)) for w, v in values]
        stock["whens"] = [(w + 3, ((TRUE, v),)) for w, v in values]
        units = ["SECOND", "MINUTE", "HOUR", "DAY", "WEEK", "MONTH", "QUARTER", "YEAR", "EPOCH", "DOW", "DOY"]
        stock["unit"] = [(1, unit) for unit in units if unit in self._words]
        stock["interval"] = [(3, value) for _, value in stock["WHOLE"]]
        return stock

    def _values(self) -> Iterable[_Phrase]:
        """Yield expressions of one word, and of three where there is ``::``."""
        yield from ((1, value) for value in dict.fromkeys(value for _, value in self._constants))
        if "NULL" in self._words:
            yield 1, NULL
        if "TRUE" in self._words:
            yield 1, TRUE
        yield from dict.fromkeys((1, self._phrases.reduce_call(name)) for name in self._functions)
        if {"NULL", "::"} <= self._words:
            for name in self._phrases.types.casts:
                if name in self._words:
                    yield 3, self._phrases.reduce_cast(name)


_ARGUMENTS = {"sum", "expr", "expr_list", "STRING"}


def _core(phrases: list[_Phrase]) -> list[_Phrase]:
    """Return the shortest phrase of each type; others as they are."""
    kept: dict[object, _Phrase] = {}
    for phrase in phrases:
        value = phrase[1]
        sort = value.type if isinstance(value, Value) else repr(value)
        if isinstance(value, tuple) and not isinstance(value, Value):
            sort = str([v.type if isinstance(v, Value) else v for v in _flat(value)])
        if sort not in kept or (phrase[0], bool(_kinds(value))) < (kept[sort][0], bool(_kinds(kept[sort][1]))):
            kept[sort] = phrase
    return list(kept.values())


def _flat(value: Any) -> Iterable[Any]:
    """Yield the values within tuples."""
    if isinstance(value, tuple) and not isinstance(value, Value):
        for part in value:
            yield from _flat(part)
    else:
        yield value


def _kinds(value: Any) -> frozenset[str]:
    return value.kinds if isinstance(value, Value) else frozenset()


def _least(constants: Iterable[tuple[str, Value]]) -> Iterable[tuple[str, Value]]:
    """Yield the smallest constants of each sort: more would not finish a query sooner."""
    seen: set[object] = set()
    for name, value in sorted(set(constants), key=lambda c: (c[1].digits, c[1].marks & ONE == 0, str(c))):
        sort = (name, value.kinds, value.marks & NONZERO)
        if sort not in seen:
            seen.add(sort)
            yield name, value
