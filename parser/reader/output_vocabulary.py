"""The output vocabulary of the decoder: fixed keywords, operators, functions and constants, and pointers at nodes.

One softmax goes over all of them: first the fixed words, then a place for each item or value and each `Role`: «the
table», «its second use», «the column», «'…%' with this value».
"""

import re
from enum import IntEnum
from functools import lru_cache
from itertools import cycle, islice

import numpy as np
from numpy.typing import NDArray

from ...data.schema.schema import Column, Schema, Table
from ...grammar import Grammar, Vocabulary, Word
from ..normal_form.words import CONSTANTS, derived_words
from .items import SchemaItems

BEGIN, UNKNOWN, END = 0, 1, 2
"""The first fixed words: the beginning, a value that the question does not name (in training only), the end."""

_SPARE = 12
"""The number of spare fixed words for a schema's own functions, in order; further functions are never written."""

_FIXED = {"keyword", "operator", "function", "constant"}
_SLOT = re.compile(r"('?)(%?)\{(text|number)(\d+)\}(%?)'?")


class Role(IntEnum):
    """The role in which a query uses a node."""

    TABLE = 0
    STAR = 1
    TABLE_AGAIN = 2
    COLUMN = 3
    COLUMN_AGAIN = 4
    TEXT = 5
    CONTAINS = 6
    STARTS = 7
    ENDS = 8
    NUMBER = 9
    TABLE_THIRD = 10
    COLUMN_THIRD = 11


ROLES = len(Role)

USES = 3
"""The number of uses of a table in one query that have roles of their own."""

_TABLE_USES = (Role.TABLE, Role.TABLE_AGAIN, Role.TABLE_THIRD)
_COLUMN_USES = (Role.COLUMN, Role.COLUMN_AGAIN, Role.COLUMN_THIRD)

ROLES_OF = {
    "table": (*_TABLE_USES, Role.STAR),
    "column": _COLUMN_USES,
    "value": (Role.TEXT, Role.CONTAINS, Role.STARTS, Role.ENDS, Role.NUMBER),
}
"""The roles of each kind of node."""


_ANY = Schema((Table("t", (Column("c"),)),))


@lru_cache
def _grammars() -> tuple[Grammar, ...]:
    return tuple(Grammar.for_schema(_ANY, dialect=dialect) for dialect in ("sqlite", "mysql", "postgres"))


@lru_cache
def fixed_words() -> tuple[tuple[str, str], ...]:
    """Return the (text, terminal) of the fixed words of all dialects, in an order that never changes."""
    words = [word for grammar in _grammars() for word in Vocabulary.build(grammar, ()).words if word.kind in _FIXED]
    pairs = {(word.text, word.terminal) for word in words} | {(str(number), "WHOLE") for number in CONSTANTS}
    pairs.add(("NATURAL", "NATURAL"))  # no grammar has it now, but shipped networks have a row for it
    derived = ((f"<derived {text}>", terminal) for text, terminal, _ in derived_words(Schema(())))
    spare = ((f"<function {number}>", "") for number in range(_SPARE))
    return (("<begin>", ""), ("<unknown>", ""), ("<eos>", "$END"), *sorted(pairs), *derived, *spare)


@lru_cache
def function_words() -> NDArray[np.bool_]:
    """Return a mask of the fixed words that are functions, (fixed words,)."""
    names, spare = {name for grammar in _grammars() for name in grammar.functions}, len(fixed_words()) - _SPARE
    return np.array([text in names or place >= spare for place, (text, _) in enumerate(fixed_words())])


def function_names(grammar: Grammar) -> tuple[str | None, ...]:
    """Return the function of a grammar that each fixed word writes, None if it writes none, (fixed words,)."""
    calls = grammar.functions
    # the terminal is compared since MySQL's LEFT is a keyword, too
    names = [text if text in calls and calls[text].terminal == terminal else None for text, terminal in fixed_words()]
    for place, function in zip(range(len(names) - _SPARE, len(names)), grammar.schema.functions, strict=False):
        names[place] = function.name if function.name in calls else None
    return tuple(names)


def remapped(places: NDArray[np.int64], kept: NDArray[np.int64], *, total: int, items: int) -> NDArray[np.int64]:
    """Return output indices for an input that reads only some items, with room for ``items`` items.

    Args:
        places: the output indices if all items are read, -1 for words without one.
        kept: the numbers of the items that are read, ascending.
        total: the number of items of the schema.

    Returns:
        The new output indices of the same words; -1 for words of items that are not read.
    """
    if len(kept) == total == items:
        return places
    fixed = len(fixed_words())
    pointer = places - fixed
    node, role = pointer // ROLES, pointer % ROLES
    position = np.searchsorted(kept, np.clip(node, 0, max(total - 1, 0)))
    there = np.isin(node, kept) | (node >= total)
    moved = fixed + np.where(node < total, position, items + node - total) * ROLES + role
    return np.where(pointer < 0, places, np.where(there, moved, -1))


class OutputVocabulary:
    """The output indices of the words of a vocabulary.

    Args:
        vocabulary: the vocabulary of normal forms on the items' schema.
        items: all items of the schema.
    """

    def __init__(self, vocabulary: Vocabulary, items: SchemaItems) -> None:
        self.vocabulary = vocabulary
        self.items = items
        self._fixed = {word: i for i, word in enumerate(fixed_words())}
        derived = zip(derived_words(vocabulary.grammar.schema), derived_words(Schema(())), strict=True)
        self._derived = {own[:2]: self._fixed[f"<derived {text}>", terminal] for own, (text, terminal, _) in derived}
        self._functions = {name: i for i, name in enumerate(function_names(vocabulary.grammar)) if name is not None}
        self._written = vocabulary.grammar.quoting.write
        self._first = {table.name: self._written(table) for table in vocabulary.grammar.schema.tables}
        self._later: dict[str, list[str]] = {}  # the names of a table's second and further uses
        for word in vocabulary.words:
            if word.kind == "alias" and word.table is not None:
                self._later.setdefault(word.table, []).append(word.text)
        self.places: NDArray[np.int64] = np.array([self._place(word) for word in vocabulary.words], np.int64)
        """The output index of each word if all items are read, (vocabulary,); -1 for words that no network writes."""

    def _place(self, word: Word) -> int:
        match word.kind:
            case "slot":
                slot = _SLOT.fullmatch(word.text)
                return -1 if slot is None else self.pointer(len(self.items) + int(slot[4]), _slot_role(slot))
            case "function":
                return self._functions.get(word.text, -1)
            case kind if kind in _FIXED or kind == "special":
                return self._fixed.get((word.text, word.terminal), -1)
            case _ if word.table is None:
                return self._derived.get((word.text, word.terminal), -1)
            case _ if word.column is None:
                return self._used(word.table, None, _TABLE_USES, self._use(word.text, word.table))
            case _:
                star = word.terminal == "QSTAR"
                owner = word.text.removesuffix("*" if star else self._written(word.column))[:-1]
                column, roles = (None, (Role.STAR,)) if star else (word.column, _COLUMN_USES)
                return self._used(word.table, column, roles, self._use(owner, word.table))

    def _use(self, name: str, table: str) -> int:
        """Return the number of the use of a table that a name stands for, from 0."""
        return 0 if name == self._first[table] else self._later[table].index(name) + 1

    def _used(self, table: str, column: str | None, roles: tuple[Role, ...], use: int) -> int:
        """Return the output index of a use of a table or column; rows referred to in the same table have own items."""
        own = self.items.find(table, column)
        nodes = [own, *islice(cycle(self.items.referred(table, column) or (own,)), use)]
        node, earlier = nodes[use], nodes[:use].count(nodes[use])
        return self.pointer(node, roles[earlier]) if earlier < len(roles) else -1

    def pointer(self, node: int, role: Role) -> int:
        """Return the output index of an item or value in a role; values are numbered after the items."""
        return len(self._fixed) + node * ROLES + role


def _slot_role(match: re.Match[str]) -> Role:
    if match[3] == "number":
        return Role.NUMBER
    before, after = bool(match[2]), bool(match[5])
    return Role.CONTAINS if before and after else Role.STARTS if after else Role.ENDS if before else Role.TEXT
