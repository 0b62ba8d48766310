"""Short phrases with their values: what a query can be finished with, wherever a phrase must stand.

They need no column: constants and NULL, and where a dialect is strict with types NULL cast to each of them. So
whatever a query's tables are, an expression of every type can be written in a few words.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from .calls import is_zero
from .phrases import ORDERED, TABLE, TRUE, Phrases, Refused
from .shortcuts import EXPRESSIONS, Shortcuts, demand_of
from .signatures import Signature
from .values import NAME, NONZERO, NULL, NUMBERS, ONE, ONE_VALUE, SIZE, STARRED, Columns, Value

__all__ = ["Stock"]

_PATTERNS = {"LIKE", "ILIKE", "SIMILAR", "~", "~*", "!~", "REGEXP", "RLIKE", "GLOB"}
"""Operators that look at the text of what follows."""

_STAR = 4
"""Words of the shortest query of a star: ``SELECT * FROM t``."""

_Phrase = tuple[int, Any]
"""Words and value."""

_NONE: Mapping[int, _Phrase] = {}


class Stock(Shortcuts):
    """Short phrases of one grammar made of some words.

    Args:
        phrases: the reductions.
        constants: the values of the constants at hand, with their terminals' names.
        functions: those at hand that need no brackets.
    """

    def __init__(
        self,
        phrases: Phrases,
        constants: Iterable[tuple[str, Value]],
        functions: Iterable[str] = (),
    ) -> None:
        super().__init__(phrases)
        self._functions = list(functions)
        self._names = self._tables.names
        self._constants = list(_least(constants))
        self.key = (tuple(self._constants), tuple(self._functions))
        self._chosen: dict[object, _Phrase | None] = {}
        self._stock = self._fill()
        self._core = {name: _core(phrases) for name, phrases in self._stock.items()}
        self._zeros = [p for p in self._stock["expr"] if is_zero(p[1])]

    def _name(self, symbol: int) -> str:
        return self._names[symbol] if symbol >= 0 else str(self._tables.nonterminals[~symbol])

    def of(self, symbol: int, rule: int) -> list[_Phrase] | None:
        """Return the phrases that a symbol of a rule's body can become, None for symbols without values.

        The shortest of each type do, but for operators that look at a text and for sizes of types.
        """
        name = self._name(symbol)
        if self._heads[rule] == "common":
            return None
        whole = name == "STRING" or self.sizes(rule) or _PATTERNS.intersection(self._bodies[rule])
        return self._stock.get(name) if whole else self._core.get(name)

    def arguments(self, rule: int, values: Sequence[Any]) -> list[tuple[int, tuple[Any, ...]]] | None:
        """Return the rests of a call for each signature of its function, the shortest argument in each place.

        None if what is left holds no argument, or more than that.
        """
        rest = self._bodies[rule][len(values) :]
        if self._heads[rule] != "call" or not _ARGUMENTS.intersection(rest):
            return None
        if {"unit", "type", "interval"}.intersection(rest):
            return None
        parts = list(zip(self._bodies[rule], values, strict=False))
        given = self._phrases.calls.arguments(parts)
        signatures = self._phrases.types.functions.get(values[0], ())
        found = [self._by(s, given, rest) for s in signatures]
        if not given and self._phrases.types.strict:  # what the call is worth, its first argument decides
            same = [s for s in signatures if s.result == "same"]
            found += [self._by(s, given, rest, {0: first}) for s in same for first in self._core["expr"]]
        if values[0] == "NULLIF":  # and whether it is a zero, its second
            found += [self._by(s, given, rest, {1: zero}) for s in signatures for zero in self._zeros]
        return sorted((f for f in found if f is not None), key=lambda tail: tail[0])

    def _by(
        self, signature: Signature, given: Sequence[Value], rest: Sequence[str], fixed: Mapping[int, _Phrase] = _NONE
    ) -> tuple[int, tuple[Any, ...]] | None:
        """Return the shortest rest of a call by one signature, None if there is none.

        Arguments in some places may be ``fixed``.
        """
        count = sum(name in _ARGUMENTS for name in rest)
        # a list is as long as it must be
        more = max(0, sum(not a.optional for a in signature.arguments) - len(given) - count) * ("expr_list" in rest)
        count += more
        chosen = list(given)
        tail: list[Any] = []
        words = 0
        if not self._phrases.types.admits(signature, given, count):
            return None
        for name in rest:
            if name not in _ARGUMENTS:
                tail.append(None)
                words += 1
                continue
            phrase = fixed.get(len(chosen)) or self._argument(
                signature, chosen, "STRING" if name == "STRING" else "expr"
            )
            if phrase is None:
                return None
            chosen.append(phrase[1])
            words += phrase[0]
            if name != "expr_list":
                tail.append(phrase[1])
                continue
            several = [phrase]
            for _ in range(more):
                following = self._argument(signature, chosen, "expr")
                if following is None:
                    return None
                chosen.append(following[1])
                several.append(following)
                words += 1 + following[0]
            tail.append(tuple(value for _, value in several))
        return words, tuple(tail)

    def _argument(self, signature: Signature, before: Sequence[Value], name: str) -> _Phrase | None:
        """Return the shortest phrase for the next place of a signature."""
        types = self._phrases.types
        argument = signature.arguments[min(len(before), len(signature.arguments) - 1)]
        same = types.alike(signature, before) if argument.same else []
        key = (argument, name, frozenset([(v.type, v.kinds) for v in same]))
        if key not in self._chosen:
            fits = (
                p
                for p in self._stock[name]
                if types.fits(argument, p[1])
                and argument.keeps(p[1])
                and (not same or types.join([*same, p[1]]) is not None)
            )
            self._chosen[key] = min(fits, key=lambda p: p[0], default=None)
        return self._chosen[key]

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
        if head == "items" and rest[-1] == "item" and len(values) and (demand := demand_of(under)):
            able = self._like(Value(demand[min(len(values[0].values or ()), len(demand) - 1)]))
            return [] if able is None else [(able[0] + len(rest) - 1, (*(None for _ in rest[1:]), able[1]))]
        if head == "when" and len(rest) == 3:
            return [(w + 2, (NULL, None, v)) for w, v in self._core["expr"]]
        return self._columns(body, rest, values, under)

    def _columns(
        self, body: Sequence[str], rest: Sequence[str], values: Sequence[Any], under: Sequence[Any]
    ) -> list[tuple[int, tuple[Any, ...]]] | None:
        """Return the rest of what must have certain columns, None if it need not."""
        if rest == ["query", ")"]:
            return self._queried(values[0])
        if body[0] == "SELECT" and rest[0] in {"items", "starred"}:
            return self._selected(body, rest, values[0])
        if rest[-1] not in {"operand", "subquery"} or body[0] not in {"compound", "operand", "row"}:
            return None
        wanted: Sequence[Value] | None = values[0].values if isinstance(values[0], Columns) else values[0]
        more = len(rest) - 1 + 2 * (rest[-1] == "subquery")
        if isinstance(values[0], Columns) and values[0].star:
            return [(_STAR + more, (*(None for _ in rest[1:]), Columns(None, star=True)))]
        found = [] if wanted is None else self._alike(wanted, more, 0)
        return [(words, (*(None for _ in rest[1:]), columns[0])) for words, columns in found]

    def _queried(self, asked: Any) -> list[tuple[int, tuple[Any, ...]]] | None:
        """Return the query in brackets that is asked for, with the bracket behind it."""
        if asked == STARRED:
            return [(_STAR + 1, (Columns(None, star=True), None))]
        if isinstance(asked, tuple) and asked != ONE_VALUE:
            return self._alike([Value(str(t)) for t in asked], 1, 2)
        return None

    def _selected(
        self, body: Sequence[str], rest: Sequence[str], demand: Any
    ) -> list[tuple[int, tuple[Any, ...]]] | None:
        """Return the rest of a SELECT before its list; a star only where one is asked for: the scope counts FROM."""
        if demand == STARRED or rest[0] == "starred":
            shortest = demand == STARRED and list(body) == ["SELECT", "starred", "from"]
            return [(1, (Columns(None, star=True), TABLE))] if shortest else []
        if not isinstance(demand, tuple):
            return None
        if list(rest) != ["items"] or (len(body) > 2 and body[1] != "DISTINCT"):
            return []
        if demand == ONE_VALUE and self._phrases.types.strict:
            return [(w, (Columns((Value(v.type, v.digits),), single=True),)) for w, v in self._core["expr"]]
        return self._alike([Value(str(name)) for name in demand], -1, 1)

    def _alike(self, wanted: Sequence[Value], more: int, after: int) -> list[tuple[int, tuple[Any, ...]]]:
        """Return the shortest SELECT of columns such as those wanted, and ``after`` - 1 symbols without value."""
        chosen = [found for value in wanted if (found := self._like(value)) is not None]
        if len(chosen) < len(wanted):
            return []
        columns = Columns(tuple(Value(v.type, v.digits) for _, v in chosen), single=True)
        words = sum(words for words, _ in chosen) + len(chosen) + more
        return [(words, (columns, *(None for _ in range(after - 1))))]

    def _like(self, value: Value) -> _Phrase | None:
        able = (p for p in self._stock["expr"] if self._phrases.compares(value, Value(p[1].type)))
        return min(able, key=lambda p: p[0], default=None)

    def _fill(self) -> dict[str, list[_Phrase]]:
        values = list(self._values())
        stock: dict[str, list[_Phrase]] = dict.fromkeys(EXPRESSIONS, values)
        for name in ("WHOLE", "NUMBER", "STRING"):
            stock[name] = [(1, value) for terminal, value in self._constants if terminal == name]
        stock |= {key: [] for key in ("COLUMN", "QCOLUMN")}
        stock["type"] = [(1, (t, None)) for t in self._phrases.types.casts]
        one = any(value.marks & ONE for _, value in self._constants)
        stock |= {name: [(0, TABLE)] for name in ("source", "joined", "joins", "from")}  # the scope counts them
        stock["limit"] = [(2, one)] if stock["WHOLE"] else []
        stock["starred"] = [(1, Columns(None))]
        stock["expr_list"] = [(w, (v,)) for w, v in values]
        stock["items"] = [(w, Columns((Value(v.type, v.digits),))) for w, v in values]
        for name, words in (("select", 1), ("operand", 1), ("query", 1), ("subquery", 3)):
            stock[name] = [(w + words, Columns((Value(v.type, v.digits),), single=True)) for w, v in values]
        stock["keys"] = [(1, None)]  # a column: the scope counts what it takes where there is none
        stock["order_item"] = [(1, NAME | ONE)] * one + [(3, 0)]
        stock["order_list"] = stock["order_item"]
        stock["order_by"] = [(w + 2, m | ORDERED) for w, m in stock["order_list"]]
        stock["when"] = [(w + 3, (NULL, v)) for w, v in values]
        stock["whens"] = [(w + 3, ((NULL, v),)) for w, v in values]
        stock["unit"] = [(1, "DAY")]
        stock["interval"] = [(3, value) for _, value in stock["WHOLE"]]
        return stock

    def _values(self) -> Iterable[_Phrase]:
        """Yield expressions of one word, numbers first and NULL, and of three where there is ``::``."""
        constants = list(dict.fromkeys(value for _, value in self._constants))
        yield from ((1, value) for value in constants if value.type in NUMBERS)
        yield 1, TRUE
        yield 1, NULL
        yield from ((1, value) for value in constants if value.type not in NUMBERS)
        yield from dict.fromkeys((1, self._phrases.reduce_call(name)) for name in self._functions)
        if self._phrases.types.strict:
            yield from dict.fromkeys(self._literals(constants))
        if "::" in self._names:
            for name in self._phrases.types.casts:
                yield 3, self._phrases.reduce_cast(name)

    def _literals(self, constants: Iterable[Value]) -> Iterable[_Phrase]:
        """Yield DATE, TIME, TIMESTAMP and INTERVAL with the texts at hand that may stand behind them."""
        texts = [value for value in constants if value.type == "text"]
        for rule, body in enumerate(self._bodies):
            for value in texts if self._heads[rule] == "atom" and body[1:] == ["STRING"] else ():
                with suppress(Refused):
                    yield 2, self._phrases.reduce(rule, (None, value))


_ARGUMENTS = {"sum", "expr", "expr_list", "STRING"}


def _core(phrases: list[_Phrase]) -> list[_Phrase]:
    """Return the shortest phrase of each type, of casts those of each size; others as they are."""
    kept: dict[object, _Phrase] = {}
    for phrase in phrases:
        value = phrase[1]
        sort: object = repr(value)
        if isinstance(value, Value):
            sort = (value.type, value.digits if phrase[0] > 1 else 0)
        elif isinstance(value, tuple):
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
    for name, value in sorted(
        set(constants),
        key=lambda c: (c[1].type == "text", c[1].digits, c[1].marks & ONE == 0, c[1].marks & NONZERO == 0, str(c)),
    ):
        sort = (name, value.kinds, value.marks & (NONZERO | SIZE))
        if sort not in seen:
            seen.add(sort)
            yield name, value
