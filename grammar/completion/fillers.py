"""Short phrases with their values: what a query can be finished with, wherever a phrase must stand.

They need no column: constants and NULL, and where a dialect is strict with types NULL cast to each of them. So
whatever a query's tables are, an expression of every type can be written in a few words.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from ..semantics.actions import ORDERED, TABLE, SemanticActions
from ..semantics.expression_actions import TRUE
from ..types.abstract_values import NULL, NUMBERS, ONE_VALUE, STARRED, AbstractValue, Mark, QueryType, RuleViolation
from ..types.apply import is_zero
from ..types.signatures import Signature
from .pruning import EXPRESSIONS, Pruning, demand_of

Phrase = tuple[int, Any]
"""Words and value."""

_WINDOWS = {
    **dict.fromkeys(("window_key", "window_keys", "window_term", "window_terms"), 3),
    **{"window_order": 5, "over": 3, "frameless_over": 3, "sorted_over": 8, "rows": 1, "frame": 3},
}
"""The fewest words of what stands in a window: a constant is no term, ``1 IS NULL`` is one."""


def _short_phrases(
    actions: SemanticActions, constants: Sequence[tuple[str, AbstractValue]], functions: Sequence[str]
) -> dict[str, list[Phrase]]:
    """Return the phrases of each symbol: of ``when`` among others ``WHEN NULL THEN 1``.

    Args:
        actions: the reductions.
        constants: values with their terminals' names.
        functions: those that need no brackets.
    """
    values = list(_values(actions, dict.fromkeys(value for _, value in constants), functions))
    phrases: dict[str, list[Phrase]] = dict.fromkeys(EXPRESSIONS, values)
    for name in ("WHOLE", "NUMBER", "STRING"):
        phrases[name] = [(1, value) for terminal, value in constants if terminal == name]
    phrases |= {key: [] for key in ("COLUMN", "QCOLUMN")}
    phrases["type"] = [(1 + 2 * t.endswith("[]"), (t, None)) for t in actions.types.casts]
    one = any(value.marks & Mark.ONE for _, value in constants)
    phrases |= {name: [(0, TABLE)] for name in ("source", "joined", "joins", "from")}  # the scope counts them
    phrases["limit"] = [(2, one)] if phrases["WHOLE"] else []
    phrases["starred"] = [(1, QueryType(None))]
    phrases["expr_list"] = [(w, (v,)) for w, v in values]
    phrases["items"] = [(w, QueryType((AbstractValue(v.type, v.magnitude),))) for w, v in values]
    for name, words in (("select", 1), ("operand", 1), ("query", 1), ("subquery", 3)):
        phrases[name] = [(w + words, columns._replace(single=True)) for w, columns in phrases["items"]]
    phrases["keys"] = [(1, None)]  # a column: the scope counts what it takes where there is none
    phrases["order_item"] = [(1, Mark.NAME | Mark.ONE)] * one + [(3, 0)]
    phrases["order_list"] = phrases["order_item"]
    phrases["order_by"] = [(w + 2, m | ORDERED) for w, m in phrases["order_list"]]
    phrases |= {name: [(words, 0)] for name, words in _WINDOWS.items()}
    phrases["when"] = [(w + 3, (NULL, v)) for w, v in values]
    phrases["whens"] = [(w + 3, ((NULL, v),)) for w, v in values]
    phrases["unit"] = phrases["unit_pair"] = [(1, "DAY")]
    phrases["interval"] = [(3, value) for _, value in phrases["WHOLE"]]
    return phrases


def _values(
    actions: SemanticActions, constants: Collection[AbstractValue], functions: Sequence[str]
) -> Iterable[Phrase]:
    """Yield expressions of one word, numbers first and NULL, and of three where there is ``::``."""
    yield from ((1, value) for value in constants if value.type in NUMBERS)
    yield 1, TRUE
    yield 1, NULL
    yield from ((1, value) for value in constants if value.type not in NUMBERS)
    yield from dict.fromkeys((1, actions.matcher.call([("NILADIC", name)])) for name in functions)
    if "ARRAY" in actions.tables.names:
        yield 4, AbstractValue("array")
    if actions.types.strict:
        yield from dict.fromkeys(_typed_literals(actions, [value for value in constants if value.type == "text"]))
    if "::" in actions.tables.names:
        for name in actions.types.casts:
            yield 3 + 2 * name.endswith("[]"), actions.matcher.cast((name, None), NULL)


def _typed_literals(actions: SemanticActions, texts: Sequence[AbstractValue]) -> Iterable[Phrase]:
    """Yield DATE, TIME, TIMESTAMP and INTERVAL with the texts at hand that may stand behind them."""
    heads, bodies = actions.tables.heads, actions.tables.bodies
    for production, body in enumerate(bodies):
        for value in texts if heads[production] == "atom" and body[1:] == ["STRING"] else ():
            with suppress(RuleViolation):
                yield 2, actions.reduce(production, (None, value))


def _shortest_by_type(phrases: list[Phrase]) -> list[Phrase]:
    """Return the shortest phrase of each type, of casts those of each size; others as they are.

    Of ``1``, ``0`` and ``NULL :: INTEGER`` that is ``1``.
    """
    kept: dict[object, Phrase] = {}
    for phrase in phrases:
        value = phrase[1]
        sort: object = repr(value)
        if isinstance(value, AbstractValue):
            sort = (value.type, value.magnitude if phrase[0] > 1 else 0, "name" in value.kinds)
        elif isinstance(value, tuple):
            sort = str([v.type if isinstance(v, AbstractValue) else v for v in _flat(value)])
        if sort not in kept or (phrase[0], bool(_kinds(value))) < (kept[sort][0], bool(_kinds(kept[sort][1]))):
            kept[sort] = phrase
    return list(kept.values())


def _flat(value: Any) -> Iterable[Any]:
    """Yield the values within tuples."""
    if isinstance(value, tuple) and not isinstance(value, AbstractValue):
        for part in value:
            yield from _flat(part)
    else:
        yield value


def _kinds(value: Any) -> frozenset[str]:
    return value.kinds if isinstance(value, AbstractValue) else frozenset()


def _smallest_constants(constants: Iterable[tuple[str, AbstractValue]]) -> Iterable[tuple[str, AbstractValue]]:
    """Yield the smallest constants of each sort, of ``7`` and ``250`` the 7: more would not finish a query sooner."""
    seen: set[object] = set()
    for name, value in sorted(set(constants), key=_rank):
        sort = (name, value.kinds, value.marks & (Mark.NONZERO | Mark.SIZE))
        if sort not in seen:
            seen.add(sort)
            yield name, value


def _rank(constant: tuple[str, AbstractValue]) -> tuple[Any, ...]:
    name, value = constant
    one, zero = value.marks & Mark.ONE == 0, value.marks & Mark.NONZERO == 0
    # kinds in order, so that each process chooses the same
    return value.type == "text", value.magnitude, one, zero, name, value.type, sorted(value.kinds), value.marks


_PATTERNS = frozenset(
    ["->", "->>", "#>", "#>>", "@>", "?", "LIKE", "ILIKE", "SIMILAR", "~", "~*", "!~", "REGEXP", "RLIKE", "GLOB"]
)
"""Operators that look at the text of what follows."""

_STAR = 4
"""Words of the shortest query of a star: ``SELECT * FROM t``."""

_ARGUMENTS = {"sum", "expr", "expr_list", "STRING"}

Suffix = tuple[int, tuple[Any, ...]]
"""The rest of a production: words, and the value of each symbol."""

_NONE: Mapping[int, Phrase] = {}


class Fillers(Pruning):
    """Short phrases of one grammar made of some words.

    Args:
        actions: the reductions.
        constants: the values of the constants at hand, with their terminals' names.
        functions: those at hand that need no brackets.
    """

    def __init__(
        self, actions: SemanticActions, constants: Iterable[tuple[str, AbstractValue]], functions: Iterable[str] = ()
    ) -> None:
        super().__init__(actions)
        self._names = self._tables.names
        several, niladic = tuple(_smallest_constants(constants)), tuple(functions)
        self.key = (several, niladic)
        self._chosen: dict[object, Phrase | None] = {}
        self._phrases = _short_phrases(actions, several, niladic)
        self._by_type = {name: _shortest_by_type(some) for name, some in self._phrases.items()}
        self._zeros = [p for p in self._phrases["expr"] if is_zero(p[1])]

    def _name(self, symbol: int) -> str:
        return self._names[symbol] if symbol >= 0 else str(self._tables.nonterminals[~symbol])

    def of(self, symbol: int, production: int) -> list[Phrase] | None:
        """Return the phrases that a symbol of a production's body can become, None for symbols without values.

        A sum can become ``1`` and ``NULL`` among others. The shortest of each type do, but for operators that look at a
        text and for sizes of types.
        """
        name = self._name(symbol)
        if self.heads[production] == "common" or (self.heads[production], name) == ("limit_per", "QCOLUMN"):
            return None
        whole = name == "STRING" or self.holds_sizes(production) or _PATTERNS.intersection(self._bodies[production])
        return self._phrases.get(name) if whole else self._by_type.get(name)

    def arguments(self, production: int, values: Sequence[Any]) -> list[Suffix] | None:
        """Return the rests of a call for each signature of its function, the shortest argument in each place.

        ``NULLIF (`` is ended by ``1 , 0 )``, among others. None if what is left holds no argument, or more than that.
        """
        rest = self._bodies[production][len(values) :]
        if self.heads[production] != "call" or not _ARGUMENTS.intersection(rest):
            return None
        if {"unit", "unit_pair", "type", "interval"}.intersection(rest):
            return None
        parts = list(zip(self._bodies[production], values, strict=False))
        given = self.actions.matcher.arguments(parts)
        signatures = self.actions.types.functions.get(values[0], ())
        found = [self._by_signature(s, given, rest) for s in signatures]
        if not given and self.actions.typed:  # what the call is worth, its first argument decides
            same = [s for s in signatures if s.result == "same"]
            found += [self._by_signature(s, given, rest, {0: first}) for s in same for first in self._by_type["expr"]]
        if values[0] == "NULLIF":  # and whether it is a zero, its second
            found += [self._by_signature(s, given, rest, {1: zero}) for s in signatures for zero in self._zeros]
        return sorted((f for f in found if f is not None), key=lambda suffix: suffix[0])

    def _by_signature(
        self,
        signature: Signature,
        given: Sequence[AbstractValue],
        rest: Sequence[str],
        fixed: Mapping[int, Phrase] = _NONE,
    ) -> Suffix | None:
        """Return the shortest rest of a call by one signature, None if there is none.

        Arguments in some places may be ``fixed``.
        """
        count = sum(name in _ARGUMENTS for name in rest)
        # a list is as long as it must be
        more = max(0, sum(not a.optional for a in signature.arguments) - len(given) - count) * ("expr_list" in rest)
        count += more
        chosen = list(given)
        suffix: list[Any] = []
        words = 0
        if not signature.admits(given, count):
            return None
        for name in rest:
            if name not in _ARGUMENTS:
                suffix.append(None)
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
                suffix.append(phrase[1])
                continue
            several = [phrase]
            for _ in range(more):
                following = self._argument(signature, chosen, "expr")
                if following is None:
                    return None
                chosen.append(following[1])
                several.append(following)
                words += 1 + following[0]
            suffix.append(tuple(value for _, value in several))
        return words, tuple(suffix)

    def _argument(self, signature: Signature, before: Sequence[AbstractValue], name: str) -> Phrase | None:
        """Return the shortest phrase for the next place of a signature."""
        types = self.actions.types
        argument = signature.at(len(before))
        same = signature.alike(before) if argument.same else []
        key = (argument, name, frozenset([(v.type, v.kinds) for v in same]))
        if key not in self._chosen:
            fits = (
                p
                for p in self._phrases[name]
                if argument.fits(p[1]) and argument.keeps(p[1]) and (not same or types.join([*same, p[1]]) is not None)
            )
            self._chosen[key] = min(fits, key=lambda p: p[0], default=None)
        return self._chosen[key]

    def demanded(self, production: int, values: Sequence[Any], under: Sequence[Any]) -> list[Suffix] | None:
        """Return the rest of a phrase whose columns must match what stands before it, None where they need not.

        ``SELECT 1, 'x' UNION`` is ended by ``SELECT 1 , 'x'``, and ``(1, 2) IN`` by ``( SELECT 1 , 1 )``.
        """
        body, head = self._bodies[production], self.heads[production]
        rest = body[len(values) :]
        if not rest:
            return None
        if head == "keys":
            # a column, which is no constant: the scope counts what it takes where there is none
            return [(len(rest), (*(None for _ in rest[1:]), AbstractValue("int", 1, Mark.NAME)))]
        if head == "items" and rest[-1] == "item" and len(values) and (demand := demand_of(under)):
            able = self._like(AbstractValue(demand[min(len(values[0].values or ()), len(demand) - 1)]))
            return [] if able is None else [(able[0] + len(rest) - 1, (*(None for _ in rest[1:]), able[1]))]
        if head == "when" and len(rest) == 3:
            return [(w + 2, (NULL, None, v)) for w, v in self._by_type["expr"]]
        return self._columns(body, rest, values, under)

    def _columns(
        self, body: Sequence[str], rest: Sequence[str], values: Sequence[Any], under: Sequence[Any]
    ) -> list[Suffix] | None:
        """Return the rest of a phrase that must have certain columns, None where it need not."""
        if rest == ["query", ")"]:
            return self._queried(values[0])
        if body[0] == "SELECT" and rest[0] in {"items", "starred"}:
            return self._selected(body, rest, values[0])
        if rest[-1] not in {"operand", "subquery"} or body[0] not in {"compound", "operand", "row"}:
            return None
        wanted: Sequence[AbstractValue] | None = values[0].values if isinstance(values[0], QueryType) else values[0]
        more = len(rest) - 1 + 2 * (rest[-1] == "subquery")
        if isinstance(values[0], QueryType) and values[0].star:
            return [(_STAR + more, (*(None for _ in rest[1:]), QueryType(None, star=True)))]
        found = [] if wanted is None else self._alike(wanted, more, 0)
        return [(words, (*(None for _ in rest[1:]), columns[0])) for words, columns in found]

    def _queried(self, demand: Any) -> list[Suffix] | None:
        """Return the shortest query that has the columns in demand, with the bracket behind it."""
        if demand == STARRED:
            return [(_STAR + 1, (QueryType(None, star=True), None))]
        if isinstance(demand, tuple) and demand != ONE_VALUE:
            return self._alike([AbstractValue(str(t)) for t in demand], 1, 2)
        return None

    def _selected(self, body: Sequence[str], rest: Sequence[str], demand: Any) -> list[Suffix] | None:
        """Return the rest of a SELECT before its list, a star only where one is in demand; the scope counts FROM."""
        if demand == STARRED or rest[0] == "starred":
            shortest = demand == STARRED and list(body) == ["SELECT", "starred", "from"]
            return [(1, (QueryType(None, star=True), TABLE))] if shortest else []
        if not isinstance(demand, tuple):
            return None
        if list(rest) != ["items"] or (len(body) > 2 and body[1] not in {"DISTINCT", "ALL"}):
            return []
        if demand == ONE_VALUE and self.actions.typed:
            return [
                (w, (QueryType((AbstractValue(v.type, v.magnitude),), single=True),)) for w, v in self._by_type["expr"]
            ]
        return self._alike([AbstractValue(str(name)) for name in demand], -1, 1)

    def _alike(self, wanted: Sequence[AbstractValue], more: int, after: int) -> list[Suffix]:
        """Return the shortest SELECT of columns such as those wanted, and ``after`` - 1 symbols without value."""
        chosen = [found for value in wanted if (found := self._like(value)) is not None]
        if len(chosen) < len(wanted):
            return []
        columns = QueryType(tuple(AbstractValue(v.type, v.magnitude) for _, v in chosen), single=True)
        words = sum(words for words, _ in chosen) + len(chosen) + more
        return [(words, (columns, *(None for _ in range(after - 1))))]

    def _like(self, value: AbstractValue) -> Phrase | None:
        able = (p for p in self._phrases["expr"] if self.actions.compares(value, AbstractValue(p[1].type)))
        return min(able, key=lambda p: p[0], default=None)
