"""What the words of one vocabulary mean to the rules: their values, and the names in them."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..data.examples import SLOT
from ..data.schema import Schema
from .scope.columns import Columns
from .scope.levels import Need
from .scope.links import links
from .scope.moves import Name
from .scope.sources import Catalogue
from .signatures import Types, load_types
from .values import LITERAL, NAME, NONNEGATIVE, NONZERO, ONE, PLAIN, SIZE, UNIQUE, Value
from .words import last_part

if TYPE_CHECKING:
    from .vocabulary import Vocabulary, Word

__all__ = ["Lexicon"]

_FILLED = re.compile(r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_SIZES = (1, 4, 9, 12, 18)
"""Digits of a question's whole numbers are told apart no finer than this."""

_PROVIDERS = 4
"""Words that a derived table is thought to show one column by, at most."""

_READABLE = 300
"""Digits of the largest number that every engine reads."""

_SIZED = {str(n) for n in range(10, 39)}
"""The constants that are sizes of decimals, beside those of one digit."""


@dataclass(frozen=True)
class Lexicon:
    """The words of a vocabulary as the rules see them.

    Attributes:
        types: of the dialect.
        classes: what sets words apart for the grammar: (terminal number, value).
        of: the class of each word, shape (words,).
        names: what the scope must know of each word, by word.
        unique: the class of each word where its column is unique, shape (words,); as ``of`` for all other words.
    """

    types: Types
    classes: tuple[tuple[int, Any], ...]
    of: NDArray[np.intp]
    names: tuple[Name | None, ...]
    unique: NDArray[np.intp]

    @classmethod
    def of_vocabulary(cls, vocabulary: Vocabulary, *, valued: bool, keyed: bool = False) -> Lexicon:
        """Read a vocabulary; without values if phrases are not judged, ``keyed`` if a key may make a single row."""
        grammar = vocabulary.grammar
        types = load_types(grammar.dialect)
        number = {name: i for i, name in enumerate(grammar.terminals)}
        stored = stored_values(vocabulary, types)
        labels = frozenset(_label(word, types) for word in vocabulary.words if word.terminal == "ALIAS")
        found: dict[tuple[int, Any], int] = {}
        of = np.zeros(len(vocabulary), np.intp)
        for i, word in enumerate(vocabulary.words):
            terminal = number.get(word.terminal, len(number))
            value = _value(word, types, stored, labels) if valued else None
            of[i] = found.setdefault((terminal, value), len(found))
        unique = of.copy()
        keys = set(keys_of(grammar.schema).items()) if keyed else set[tuple[str, str]]()
        classes = tuple(found)
        for i, word in enumerate(vocabulary.words):
            terminal, value = classes[of[i]]
            if any((table.lower(), (word.column or "").lower()) in keys for table in word.tables):
                unique[i] = found.setdefault((terminal, value._replace(marks=value.marks | UNIQUE)), len(found))
        return cls(types, tuple(found), of, tuple(_name(word, types, stored) for word in vocabulary.words), unique)

    def filled(self, vocabulary: Vocabulary, values: Mapping[str, str]) -> Lexicon:
        """Return the lexicon where slots stand for ``values``."""
        found = {c: i for i, c in enumerate(self.classes)}
        of, unique = self.of.copy(), self.unique.copy()
        for i in sorted({i for slot in values for i in vocabulary.slots.get(slot, ())}):
            terminal, before = self.classes[self.of[i]]
            if isinstance(before, Value):
                value = _filled(vocabulary.words[i], self.types, values)
                unknown = len(vocabulary.grammar.terminals)  # a word that may come nowhere
                of[i] = found.setdefault((unknown, None) if value is None else (terminal, value), len(found))
                unique[i] = of[i]
        return Lexicon(self.types, tuple(found), of, self.names, unique)

    @cached_property
    def _shown(self) -> NDArray[np.bool_]:
        """Which words are columns that a derived table may show to the query around it, shape (words,)."""
        values = [self.classes[c][1] for c in self.of]
        strange = [isinstance(v, Value) and v.type == self.types.opaque for v in values]
        return np.array([n is not None and n.column and not s for n, s in zip(self.names, strange, strict=True)])

    def columns(self, vocabulary: Vocabulary, available: NDArray[np.bool_], *, joins: str = "any") -> Columns:
        """Return the columns and names that queries can be written with when ``available`` words are at hand.

        Tables join along foreign keys where ``joins`` is ``keys``.
        """
        schema, write = vocabulary.grammar.schema, vocabulary.grammar.quoting.write
        at_hand = [w for w, able in zip(vocabulary.words, available, strict=True) if able]
        tables = {w.tables[0].lower() for w in at_hand if w.terminal == "TABLE"}
        catalogue = Catalogue(
            {t.name.lower(): frozenset(c.name.lower() for c in t.columns) for t in schema.tables},
            {t.name.lower(): self.types.source(write(t.name)) for t in schema.tables if t.name.lower() in tables},
            frozenset(self.types.source(w.text) for w in at_hand if w.terminal == "ALIAS"),
            frozenset(_label(w, self.types) for w in at_hand if w.terminal == "ALIAS"),
            _providers([n for n, able in zip(self.names, available & self._shown, strict=True) if n and able]),
            links(schema) if joins == "keys" else {},
        )
        values = stored_values(vocabulary, self.types)
        words = zip(vocabulary.words, self.names, self.of.tolist(), available, strict=True)
        bare = {
            n.name: (n.tables, self.classes[c][1]) for w, n, c, able in words if able and n and w.terminal == "COLUMN"
        }
        owned: dict[str, set[tuple[str, frozenset[str]]]] = {}
        for n, able in zip(self.names, available, strict=True):
            if n and n.column and n.owner and able:
                owned.setdefault(n.owner, set()).add((n.name, n.tables))
        by_owner = {owner: frozenset(found) for owner, found in owned.items()}
        return Columns(catalogue, values, bare, by_owner, self.types, vocabulary.grammar.dialect, keys_of(schema))


def keys_of(schema: Schema) -> dict[str, str]:
    """Return the column that is a table's whole primary key, for each table that has such a one, in lower case."""
    return {t.name.lower(): t.primary_key[0].lower() for t in schema.tables if len(t.primary_key) == 1}


def _providers(names: Sequence[Name]) -> dict[str, tuple[Need, ...]]:
    """Return what the first words for each column ask of FROM."""
    found: dict[str, dict[Need, None]] = {}
    for name in names:
        several = found.setdefault(name.name, {})
        if name.tables and len(several) < _PROVIDERS:
            columns = frozenset[str]() if name.owner else frozenset({name.name})
            several[Need(name.owner, name.tables, columns)] = None
    return {column: tuple(several) for column, several in found.items()}


def stored_values(vocabulary: Vocabulary, types: Types) -> Mapping[tuple[str, str], Value]:
    """Return what each column of the schema holds, by table and column in lower case."""
    pairs = vocabulary.grammar.schema.columns()
    return {(t.name.lower(), c.name.lower()): types.column(c.type) for t, c in pairs}


def _alike(
    types: Types, values: Mapping[tuple[str, str], Value], column: str, tables: frozenset[str]
) -> frozenset[str]:
    """Return the tables whose column of this name is of the type that most of them have."""
    common = _commonest(types, [values[table, column] for table in sorted(tables)])
    return frozenset(t for t in tables if types.kind(values[t, column]) == types.kind(common))


def _commonest(types: Types, values: list[Value]) -> Value:
    """Return what holds of all values of the commonest type."""
    kinds = [types.kind(v) for v in values]
    commonest = max(kinds, key=lambda kind: (kinds.count(kind), kind))
    of_type = [v for v, kind in zip(values, kinds, strict=True) if kind == commonest]
    marks = of_type[0].marks
    for value in of_type:
        marks &= value.marks
    return Value(of_type[0].type, max(v.digits for v in of_type), marks)


def _widest(values: list[Value]) -> Value:
    """Return what holds of all values."""
    if len(set(values)) == 1:
        return values[0]
    type_ = values[0].type if len({v.type for v in values}) == 1 else "any"
    return Value(type_, max(v.digits for v in values))


def _name(word: Word, types: Types, stored: Mapping[tuple[str, str], Value]) -> Name | None:
    tables = frozenset(t.lower() for t in word.tables)
    column = (word.column or "").lower()
    if types.apart and tables and word.terminal in {"QCOLUMN", "COLUMN"}:
        tables = _alike(types, stored, column, tables)
    match word.terminal:
        case "QCOLUMN" | "QSTAR":
            owner = word.text[: -len(last_part(word.text)) - 1]
            return Name(types.source(owner), column, tables, word.terminal == "QCOLUMN")
        case "COLUMN":
            return Name("", column, tables, column=True)
        case "TABLE":
            return Name("", next(iter(tables)), tables)
        case "ALIAS":
            return Name(types.source(word.text), _label(word, types), tables)
        case _:
            return None


def _label(word: Word, types: Types) -> str:
    """Return an alias as output columns are called."""
    return types.cut(_unquoted(word.text)).lower()


def _unquoted(name: str) -> str:
    """Return a name as columns are called, without the marks around it."""
    mark = name[:1]
    return name[1:-1].replace(mark * 2, mark) if mark in {'"', "`"} else name


def _derived(column: str, types: Types, stored: Mapping[tuple[str, str], Value], labels: Collection[str]) -> Value:
    """Return what a derived table's column holds, before it is written: what all columns of its name do.

    Where types are strict, and unless an item could be given the name.
    """
    values = [value for (_, name), value in stored.items() if name == column]
    alike = len({types.kind(value) for value in values}) == 1 and values[0].type != "other"
    if not (types.strict and alike) or column in labels:
        return types.unknown
    return Value(values[0].type, max(v.digits for v in values))


def _value(word: Word, types: Types, stored: Mapping[tuple[str, str], Value], labels: Collection[str]) -> Any:
    match word.terminal:
        case "QCOLUMN" | "COLUMN":
            column = (word.column or "").lower()
            held = [stored[t.lower(), column] for t in word.tables]
            if held:
                value = _commonest(types, held) if types.apart else _widest(held)
            else:
                value = _derived(column, types, stored, labels) if word.terminal == "QCOLUMN" else types.unknown
            return value._replace(digits=types.step(value.digits), marks=value.marks | NAME | PLAIN)
        case "ALIAS":
            return types.unknown._replace(marks=NAME)
        case "WHOLE" | "NUMBER":
            return types.one(_number(word, types.slot))
        case "STRING":
            # what may fill a slot, may be of any kind and of none
            return _string(word.text[1:-1].replace("''", "'"), types, kinds=not word.slots)
        case _:
            return types.like.get(word.function, word.function) if word.function else None


def _string(text: str, types: Types, *, kinds: bool) -> Value:
    found = types.literal_kinds(text) if kinds else frozenset[str]()
    found |= {"character"} if len(text) == 1 else frozenset()
    return Value("text", max(types.text.digits, 0 if types.strict else len(text)), LITERAL, found)


def _filled(word: Word, types: Types, values: Mapping[str, str]) -> Value | None:
    """Return the value of a word with slots, None if it is none; numbers are told apart no finer than they must be."""
    text = SLOT.sub(lambda m: values.get(m[1] + m[2], m[0]), word.text)
    if word.terminal == "STRING":
        return _string(text[1:-1].replace("''", "'"), types, kinds=not SLOT.search(text))
    if _FILLED.fullmatch(text) is None:
        return None
    number = _number(replace(word, text=text.lstrip("-+")), types.slot)
    digits = number.digits
    whole = text.lstrip("-+").isdecimal()
    # LIMIT takes no number with a sign; what is not told from 0 would count as 0 for NULLIF and sizes
    marks = number.marks & ~(ONE | SIZE | NONNEGATIVE) | (0 if text[0] in "-+" else NONNEGATIVE)
    known = next((most for most in _SIZES if digits <= most), digits)
    return types.one(Value("int" if whole else "dec", known, marks)) if digits <= _READABLE else None


def _number(word: Word, slot_digits: int) -> Value:
    text = word.text
    if "{" in text:
        return Value("int", slot_digits, NONNEGATIVE | LITERAL)
    mantissa, _, exponent = text.lower().partition("e")
    whole, _, rest = mantissa.partition(".")
    digits = max(len(whole.lstrip("0")) + max(int(exponent or 0), 0), len(rest) - min(int(exponent or 0), 0), 1)
    marks = NONNEGATIVE | LITERAL | (NONZERO if any(c in "123456789" for c in mantissa) else 0)
    marks |= (ONE if text == "1" else 0) | (SIZE if text in _SIZED else 0)
    return Value("int" if word.terminal == "WHOLE" else "dec", digits, marks)
