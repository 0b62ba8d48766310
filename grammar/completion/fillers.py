"""Short phrases with their values: what a query can be finished with, wherever a phrase must stand.

They need no column: constants and NULL, and where a dialect is strict with types NULL cast to each of them. So
whatever a query's tables are, an expression of every type can be written in a few words.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..semantics.actions import TABLE, SemanticActions
from ..types.abstract_values import NAME, NULL, ONE_VALUE, STARRED, AbstractValue, QueryType
from ..types.signatures import Signature
from ..types.sizes import is_zero
from .pruning import ROWS, Pruning, demand_of
from .short_phrases import Phrase, ShortPhrases, shortest_by_type, smallest_constants

__all__ = ["Fillers", "Suffix"]

_PATTERNS = {
    "->",
    "->>",
    "#>",
    "#>>",
    "@>",
    "?",
    "LIKE",
    "ILIKE",
    "SIMILAR",
    "~",
    "~*",
    "!~",
    "REGEXP",
    "RLIKE",
    "GLOB",
}
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
        self,
        actions: SemanticActions,
        constants: Iterable[tuple[str, AbstractValue]],
        functions: Iterable[str] = (),
    ) -> None:
        super().__init__(actions)
        self._names = self._tables.names
        several, niladic = tuple(smallest_constants(constants)), tuple(functions)
        self.key = (several, niladic)
        self._chosen: dict[object, Phrase | None] = {}
        self._phrases = ShortPhrases(actions, several, niladic).of
        self._by_type = {name: shortest_by_type(some) for name, some in self._phrases.items()}
        self._zeros = [p for p in self._phrases["expr"] if is_zero(p[1])]

    def _name(self, symbol: int) -> str:
        return self._names[symbol] if symbol >= 0 else str(self._tables.nonterminals[~symbol])

    def of(self, symbol: int, production: int) -> list[Phrase] | None:
        """Return the phrases that a symbol of a production's body can become, None for symbols without values.

        A sum can become ``1`` and ``NULL`` among others. The shortest of each type do, but for operators that look at a
        text and for sizes of types.
        """
        name = self._name(symbol)
        if self._heads[production] == "common" or (self._heads[production], name) == ("limit_per", "QCOLUMN"):
            return None
        if name in ROWS:
            return []  # what it must be hangs on the row before, see `demanded`
        if name == "expr" and self._heads[production] in ROWS:
            return [(1, NULL)]  # it compares with whatever stands in the row before
        whole = name == "STRING" or self.holds_sizes(production) or _PATTERNS.intersection(self._bodies[production])
        return self._phrases.get(name) if whole else self._by_type.get(name)

    def arguments(self, production: int, values: Sequence[Any]) -> list[Suffix] | None:
        """Return the rests of a call for each signature of its function, the shortest argument in each place.

        ``NULLIF (`` is ended by ``1 , 0 )``, among others. None if what is left holds no argument, or more than that.
        """
        rest = self._bodies[production][len(values) :]
        if self._heads[production] != "call" or not _ARGUMENTS.intersection(rest):
            return None
        if {"unit", "type", "interval"}.intersection(rest):
            return None
        parts = list(zip(self._bodies[production], values, strict=False))
        given = self._actions.matcher.arguments(parts)
        signatures = self._actions.types.functions.get(values[0], ())
        found = [self._by_signature(s, given, rest) for s in signatures]
        if not given and self._actions.typed:  # what the call is worth, its first argument decides
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
        types = self._actions.types
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
        """Return the rest of what must have the columns of what stands before, None if nothing is asked for.

        ``SELECT 1, 'x' UNION`` is ended by ``SELECT 1 , 'x'``, and ``(1, 2) IN`` by ``( SELECT 1 , 1 )``.
        """
        body, head = self._bodies[production], self._heads[production]
        rest = body[len(values) :]
        if not rest:
            return None
        if head == "keys":
            # a column, which is no constant: the scope counts what it takes where there is none
            return [(len(rest), (*(None for _ in rest[1:]), AbstractValue("int", 1, NAME)))]
        if head == "items" and rest[-1] == "item" and len(values) and (demand := demand_of(under)):
            able = self._like(AbstractValue(demand[min(len(values[0].values or ()), len(demand) - 1)]))
            return [] if able is None else [(able[0] + len(rest) - 1, (*(None for _ in rest[1:]), able[1]))]
        if head == "when" and len(rest) == 3:
            return [(w + 2, (NULL, None, v)) for w, v in self._by_type["expr"]]
        return self._columns(body, rest, values, under)

    def _columns(
        self, body: Sequence[str], rest: Sequence[str], values: Sequence[Any], under: Sequence[Any]
    ) -> list[Suffix] | None:
        """Return the rest of what must have certain columns, None if it need not."""
        row = next((name for name in rest if name in ROWS), "")
        if row:
            return self._rows(row, rest, values)
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

    def _rows(self, row: str, rest: Sequence[str], values: Sequence[Any]) -> list[Suffix] | None:
        """Return the row that is as the one before, which stands alone or in a list: ``(a, 'x') =``: ``(1, 'x')``."""
        before = values[0] if values and isinstance(values[0], tuple) else ()
        wanted = before if before and isinstance(before[0], AbstractValue) else before[0] if before else None
        if wanted is None or len(wanted) != ROWS[row]:
            return None if wanted is None else []
        chosen = [found for value in wanted if (found := self._like(value)) is not None]
        if len(chosen) < len(wanted):
            return []
        found = tuple(value for _, value in chosen)
        words = sum(words for words, _ in chosen) + len(chosen) + 1 + len(rest) - 1
        suffix = (None if name != row else (found,) if row.endswith("s") else found for name in rest)
        return [(words, tuple(suffix))]

    def _queried(self, asked: Any) -> list[Suffix] | None:
        """Return the query in brackets that is asked for, with the bracket behind it."""
        if asked == STARRED:
            return [(_STAR + 1, (QueryType(None, star=True), None))]
        if isinstance(asked, tuple) and asked != ONE_VALUE:
            return self._alike([AbstractValue(str(t)) for t in asked], 1, 2)
        return None

    def _selected(self, body: Sequence[str], rest: Sequence[str], demand: Any) -> list[Suffix] | None:
        """Return the rest of a SELECT before its list; a star only where one is asked for: the scope counts FROM."""
        if demand == STARRED or rest[0] == "starred":
            shortest = demand == STARRED and list(body) == ["SELECT", "starred", "from"]
            return [(1, (QueryType(None, star=True), TABLE))] if shortest else []
        if not isinstance(demand, tuple):
            return None
        if list(rest) != ["items"] or (len(body) > 2 and body[1] not in {"DISTINCT", "ALL"}):
            return []
        if demand == ONE_VALUE and self._actions.typed:
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
        able = (p for p in self._phrases["expr"] if self._actions.compares(value, AbstractValue(p[1].type)))
        return min(able, key=lambda p: p[0], default=None)
