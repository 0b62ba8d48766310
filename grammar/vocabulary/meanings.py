"""What the words of a vocabulary mean to the rules: values of columns, aliases and literals, and names."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...data.schema.schema import Schema
from ...data.values.slots import SLOT
from ..reading.grammar import Grammar
from ..scope.names import Catalogue, Name, OpenReference
from ..scope.visible import Resolver
from ..types.abstract_values import AbstractValue, Mark
from ..types.dialect import DialectTypes
from ..types.quirks import QUIRKS
from .vocabulary import Vocabulary, Word, split_name

_FILLED = re.compile(r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_SIZES = (1, 4, 9, 12, 18)
"""Digits of a question's whole numbers are distinguished no finer than this."""

_READABLE = 300
"""Digits of the largest number that every engine reads."""

_SIZED = {str(n) for n in range(10, 39)}
"""The constants that are sizes of decimals, beside those of one digit."""


def word_value(
    word: Word,
    types: DialectTypes,
    stored: Mapping[tuple[str, str], AbstractValue],
    labels: Collection[str],
    *,
    positions: int = 0,
) -> Any:
    """Return the value of a word, given what columns hold and the names that an item could be given.

    Of a function it is the name; keywords and operators have none. Whole numbers are distinguished as positions in a
    select list, up to the last of ``positions``.
    """
    match word.terminal:
        case "QCOLUMN" | "COLUMN":
            column = types.names.key(word.column or "")
            held = [stored[types.names.key(t), column] for t in word.tables]
            if held:
                value = commonest(types, held) if types.apart else _widest(held)
            else:
                value = _derived(column, types, stored, labels) if word.terminal == "QCOLUMN" else types.unknown
            return value._replace(magnitude=types.step(value.magnitude), marks=value.marks | Mark.NAME | Mark.PLAIN)
        case "ALIAS":
            return types.unknown._replace(marks=Mark.NAME)
        case "WHOLE" | "NUMBER":
            number = types.one(_number(word, types.slot))
            return number._replace(position=position(word, positions))
        case "STRING":
            # what may fill a slot, may be of any kind and of none
            return _string(word.text[1:-1].replace("''", "'"), types, kinds=not word.slots)
        case _:
            return types.like.get(word.function, word.function) if word.function else None


def position(word: Word, most: int) -> int:
    """Return the item of a select list that a whole number may stand for, from 1 to ``most``; 0 for none."""
    number = word.text if word.terminal == "WHOLE" else ""
    found = int(number) if number.isdecimal() and len(number) <= len(str(most)) else 0
    return found if found <= most else 0


def _filled_value(word: Word, types: DialectTypes, values: Mapping[str, str]) -> AbstractValue | None:
    """Return the value of a word with slots, None if it is none; numbers are distinguished no finer than necessary."""
    text = SLOT.sub(lambda m: values.get(m[1] + m[2], m[0]), word.text)
    if word.terminal == "STRING":
        return _string(text[1:-1].replace("''", "'"), types, kinds=not SLOT.search(text))
    if _FILLED.fullmatch(text) is None:
        return None
    number = _number(replace(word, text=text.lstrip("-+")), types.slot)
    magnitude = number.magnitude
    whole = text.lstrip("-+").isdecimal()
    # LIMIT takes no number with a sign; what is not distinguished from 0 would count as 0 for NULLIF and sizes
    marks = number.marks & ~(Mark.ONE | Mark.SIZE | Mark.NONNEGATIVE)
    if text[0] not in "-+":
        marks |= Mark.NONNEGATIVE | number.marks & Mark.SIZE
    known = next((most for most in _SIZES if magnitude <= most), magnitude)
    return types.one(AbstractValue("int" if whole else "dec", known, marks)) if magnitude <= _READABLE else None


def commonest(types: DialectTypes, values: list[AbstractValue]) -> AbstractValue:
    """Return what holds of all values of the commonest type."""
    kinds = [types.kind(v) for v in values]
    commonest = max(kinds, key=lambda kind: (kinds.count(kind), kind))
    of_type = [v for v, kind in zip(values, kinds, strict=True) if kind == commonest]
    marks = of_type[0].marks
    for value in of_type:
        marks &= value.marks
    common = frozenset[str].intersection(*(v.kinds for v in of_type))
    return AbstractValue(of_type[0].type, max(v.magnitude for v in of_type), marks, common)


def _widest(values: list[AbstractValue]) -> AbstractValue:
    """Return what holds of all values."""
    if len(set(values)) == 1:
        return values[0]
    type_ = values[0].type if len({v.type for v in values}) == 1 else "any"
    return AbstractValue(type_, max(v.magnitude for v in values))


def _derived(
    column: str, types: DialectTypes, stored: Mapping[tuple[str, str], AbstractValue], labels: Collection[str]
) -> AbstractValue:
    """Return what a derived table's column holds, before it is written: what all columns of its name do.

    Where types are strict, and unless an item could be given the name.
    """
    values = [value for (_, name), value in stored.items() if name == column]
    alike = len({types.kind(value) for value in values}) == 1 and values[0].type != "other"
    if not (types.strict and alike) or column in labels:
        return types.unknown
    return AbstractValue(values[0].type, max(v.magnitude for v in values))


def _string(text: str, types: DialectTypes, *, kinds: bool) -> AbstractValue:
    found = types.literal_kinds(text) if kinds else frozenset[str]()
    found |= {"character"} if len(text) == 1 else frozenset()
    return AbstractValue(
        "text", max(types.column("TEXT").magnitude, 0 if types.strict else len(text)), Mark.LITERAL, found
    )


def _number(word: Word, slot_magnitude: int) -> AbstractValue:
    text = word.text
    if "{" in text:
        return AbstractValue("int", slot_magnitude, Mark.NONNEGATIVE | Mark.LITERAL)
    mantissa, _, exponent = text.lower().partition("e")
    whole, _, rest = mantissa.partition(".")
    magnitude = max(len(whole.lstrip("0")) + max(int(exponent or 0), 0), len(rest) - min(int(exponent or 0), 0), 1)
    marks = Mark.NONNEGATIVE | Mark.LITERAL | (Mark.NONZERO if any(c in "123456789" for c in mantissa) else 0)
    marks |= (Mark.ONE if text == "1" else 0) | (Mark.SIZE if text in _SIZED else 0)
    return AbstractValue("int" if word.terminal == "WHOLE" else "dec", magnitude, marks)


_PROVIDERS = 4
"""Words that a derived table is thought to show one column by, at most."""


@dataclass(frozen=True)
class WordMeanings:
    """The words of a vocabulary as the rules see them.

    Attributes:
        types: of the dialect.
        classes: what sets words apart for the grammar: (terminal number, value).
        of: the class of each word, shape (words,).
        names: what the scope must know of each word, by word.
        unique: the class of each word where its column is unique, shape (words,); as ``of`` for all other words.
        shadowed: which words the engine would take for something else, or not at all, shape (words,).
    """

    types: DialectTypes
    classes: tuple[tuple[int, Any], ...]
    of: NDArray[np.intp]
    names: tuple[Name | None, ...]
    unique: NDArray[np.intp]
    shadowed: NDArray[np.bool_]

    @classmethod
    def of_vocabulary(cls, vocabulary: Vocabulary, *, keyed: bool = False) -> WordMeanings:
        """Read a vocabulary, ``keyed`` if a key may make a single row."""
        grammar = vocabulary.grammar
        types = grammar.types
        number = {name: i for i, name in enumerate(grammar.terminals)}
        stored = _stored_values(vocabulary, types)
        labels = frozenset(types.names.named(word.text) for word in vocabulary.words if word.terminal == "ALIAS")
        found: dict[tuple[int, Any], int] = {}
        of = np.zeros(len(vocabulary), np.intp)
        for i, word in enumerate(vocabulary.words):
            terminal = number.get(word.terminal, len(number))
            value = word_value(word, types, stored, labels, positions=grammar.positions)
            of[i] = found.setdefault((terminal, value), len(found))
        unique = of.copy()
        key = types.names.key
        uniques = _uniques_of(grammar.schema, key) if keyed else dict[str, frozenset[str]]()
        classes = tuple(found)
        for i, word in enumerate(vocabulary.words):
            terminal, value = classes[of[i]]
            if any(
                types.names.key(word.column or "") in uniques.get(types.names.key(table), ()) for table in word.tables
            ):
                unique[i] = found.setdefault((terminal, value._replace(marks=value.marks | Mark.UNIQUE)), len(found))
        names = tuple(_name(word, types, stored, grammar.positions) for word in vocabulary.words)
        called = types.constants & {key(c.name) for _, c in grammar.schema.columns()}
        views = any(table.behind for table in grammar.schema.tables)
        refused = types.beside_views if views else frozenset[str]()
        shadowed = np.array([_shadowed(word, types, called, refused) for word in vocabulary.words])
        return cls(types, tuple(found), of, names, unique, shadowed)

    def filled(self, vocabulary: Vocabulary, values: Mapping[str, str]) -> WordMeanings:
        """Return the lexicon where slots stand for ``values``."""
        found = {c: i for i, c in enumerate(self.classes)}
        of, unique = self.of.copy(), self.unique.copy()
        for i in sorted({i for slot in values for i in vocabulary.slots.get(slot, ())}):
            terminal, before = self.classes[self.of[i]]
            if isinstance(before, AbstractValue):
                value = _filled_value(vocabulary.words[i], self.types, values)
                unknown = len(vocabulary.grammar.terminals)  # a word that may come nowhere
                of[i] = found.setdefault((unknown, None) if value is None else (terminal, value), len(found))
                unique[i] = of[i]
        return replace(self, classes=tuple(found), of=of, unique=unique)

    @cached_property
    def _showable(self) -> NDArray[np.bool_]:
        """Which words are columns that a derived table may show to the query around it, shape (words,)."""
        values = [self.classes[c][1] for c in self.of]
        strange = [isinstance(v, AbstractValue) and v.type in self.types.opaque for v in values]
        return np.array([n is not None and n.column and not s for n, s in zip(self.names, strange, strict=True)])

    def resolver(self, vocabulary: Vocabulary, available: NDArray[np.bool_]) -> Resolver:
        """Return the columns and names that queries can be written with when ``available`` words are at hand."""
        schema, write, key = vocabulary.grammar.schema, vocabulary.grammar.quoting.write, self.types.names.key
        at_hand = [w for w, able in zip(vocabulary.words, available, strict=True) if able]
        tables = {w.tables[0] for w in at_hand if w.terminal == "TABLE"}
        catalogue = Catalogue(
            {key(t.name): frozenset(key(c.name) for c in t.columns) for t in schema.tables},
            {key(t.name): self.types.names.source(write(t)) for t in schema.tables if t.name in tables},
            frozenset(self.types.names.source(w.text) for w in at_hand if w.terminal == "ALIAS"),
            frozenset(self.types.names.named(w.text) for w in at_hand if w.terminal == "ALIAS"),
            _providers([n for n, able in zip(self.names, available & self._showable, strict=True) if n and able]),
            _partial(vocabulary.grammar, key),
            frozenset(key(t.name) for t in schema.tables if t.aggregated),
            {key(t.name): self.types.names.source(write(t.own_name)) for t in schema.tables if t.qualified},
            key,
            frozenset(self.types.names.source(w.text) for w in at_hand if w.kind == "label"),
        )
        values = _stored_values(vocabulary, self.types)
        words = zip(vocabulary.words, self.names, self.of.tolist(), available, strict=True)
        bare = {
            n.name: (n.tables, self.classes[c][1])
            for w, n, c, able in words
            if able and n and n.tables and w.terminal == "COLUMN"
        }
        owned: dict[str, set[tuple[str, frozenset[str]]]] = {}
        for n, able in zip(self.names, available, strict=True):
            if n and n.column and n.owner and able:
                owned.setdefault(n.owner, set()).add((n.name, n.tables))
        by_owner = {owner: frozenset(found) for owner, found in owned.items()}
        quirks, uniques = QUIRKS[vocabulary.grammar.dialect], _uniques_of(schema, key)
        # engines know of keys from constraints, which views do not have
        keyed = [t for t in schema.tables if len(t.primary_key) == 1 and not t.behind]
        keys = {key(t.name): key(t.primary_key[0]) for t in keyed}
        if not vocabulary.grammar.wide:
            quirks = replace(quirks, columns_before_outputs=False)
        return Resolver(catalogue, values, bare, by_owner, self.types, quirks, keys, uniques)


Key = Callable[[str], str]
"""What makes two names one: `NameKeys.key`."""


def _uniques_of(schema: Schema, key: Key) -> dict[str, frozenset[str]]:
    """Return the columns of each table that no two of its rows have in common."""
    keys = {key(t.name): t.primary_key if len(t.primary_key) == 1 else () for t in schema.tables}
    return {key(t.name): frozenset(map(key, (*t.unique, *keys[key(t.name)]))) for t in schema.tables}


def _partial(grammar: Grammar, key: Key) -> dict[str, frozenset[str]]:
    """Return the columns that may be read of the tables that may not be read whole."""
    partial = {t.name: [c.name for c in t.columns] for t in grammar.schema.tables if t.partial}
    narrowed = grammar.access.partial(grammar.schema) if grammar.access else {}
    return {key(table): frozenset(map(key, columns)) for table, columns in {**partial, **narrowed}.items()}


def _providers(names: Sequence[Name]) -> dict[str, tuple[OpenReference, ...]]:
    """Return the references that the first words for each column make."""
    found: dict[str, dict[OpenReference, None]] = {}
    for name in names:
        several = found.setdefault(name.name, {})
        if name.tables and len(several) < _PROVIDERS:
            columns = frozenset[str]() if name.owner else frozenset({name.name})
            several[OpenReference(name.owner, name.tables, columns)] = None
    return {column: tuple(several) for column, several in found.items()}


def _stored_values(vocabulary: Vocabulary, types: DialectTypes) -> Mapping[tuple[str, str], AbstractValue]:
    """Return what each column of the schema holds, by the keys of table and column.

    One that is called as a constant is of a type that derived tables do not show.
    """
    pairs = vocabulary.grammar.schema.columns()
    values = {
        (types.names.key(t.name), types.names.key(c.name)): types.column(c.type, computed=c.computed) for t, c in pairs
    }
    hidden = {k: v._replace(type=types.masked) for k, v in values.items() if k[1] in types.constants}
    return {**values, **hidden}


def _shadowed(word: Word, types: DialectTypes, called: Collection[str], refused: Collection[str]) -> bool:
    """Say whether a word is a constant that columns are ``called``, an alias that is written as one, or ``refused``."""
    if word.kind == "keyword":
        return word.text.lower() in called or word.text in refused
    return word.terminal == "ALIAS" and types.names.named(word.text) in types.constants


def _alike(
    types: DialectTypes, values: Mapping[tuple[str, str], AbstractValue], column: str, tables: frozenset[str]
) -> frozenset[str]:
    """Return the tables whose column of this name is of the type that most of them have."""
    common = commonest(types, [values[table, column] for table in sorted(tables)])
    return frozenset(t for t in tables if types.kind(values[t, column]) == types.kind(common))


def _name(
    word: Word, types: DialectTypes, stored: Mapping[tuple[str, str], AbstractValue], positions: int
) -> Name | None:
    tables = frozenset(map(types.names.key, word.tables))
    column = types.names.key(word.column or "")
    if types.apart and tables and word.terminal in {"QCOLUMN", "COLUMN"}:
        tables = _alike(types, stored, column, tables)
    match word.terminal:
        case "QCOLUMN" | "QSTAR":
            owner, _ = split_name(word.text)
            return Name(types.names.source(owner), column, tables, word.terminal == "QCOLUMN")
        case "COLUMN":
            return Name("", column, tables, column=True)
        case "TABLE":
            return Name("", next(iter(tables)), tables)
        case "ALIAS":
            return Name(types.names.source(word.text), types.names.named(word.text), tables)
        case "WHOLE" if position(word, positions):
            return Name("", word.text)
        case _:
            return None
