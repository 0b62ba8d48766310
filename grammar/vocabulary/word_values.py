"""What the words of a vocabulary are worth: the values of columns, aliases, numbers and texts, and of filled slots."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from ...data.domains.examples import SLOT
from ..types.abstract_values import LITERAL, NAME, NONNEGATIVE, NONZERO, ONE, PLAIN, SIZE, AbstractValue
from ..types.dialect import DialectTypes
from .word import Word

__all__ = ["commonest", "filled_value", "position", "word_value"]

_FILLED = re.compile(r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_SIZES = (1, 4, 9, 12, 18)
"""Digits of a question's whole numbers are told apart no finer than this."""

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

    Of a function it is the name; keywords and operators have none. Whole numbers are told apart as positions in a
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
            return value._replace(magnitude=types.step(value.magnitude), marks=value.marks | NAME | PLAIN)
        case "ALIAS":
            return types.unknown._replace(marks=NAME)
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


def filled_value(word: Word, types: DialectTypes, values: Mapping[str, str]) -> AbstractValue | None:
    """Return the value of a word with slots, None if it is none; numbers are told apart no finer than they must be."""
    text = SLOT.sub(lambda m: values.get(m[1] + m[2], m[0]), word.text)
    if word.terminal == "STRING":
        return _string(text[1:-1].replace("''", "'"), types, kinds=not SLOT.search(text))
    if _FILLED.fullmatch(text) is None:
        return None
    number = _number(replace(word, text=text.lstrip("-+")), types.slot)
    magnitude = number.magnitude
    whole = text.lstrip("-+").isdecimal()
    # LIMIT takes no number with a sign; what is not told from 0 would count as 0 for NULLIF and sizes
    marks = number.marks & ~(ONE | SIZE | NONNEGATIVE) | (0 if text[0] in "-+" else NONNEGATIVE | number.marks & SIZE)
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
    return AbstractValue("text", max(types.column("TEXT").magnitude, 0 if types.strict else len(text)), LITERAL, found)


def _number(word: Word, slot_magnitude: int) -> AbstractValue:
    text = word.text
    if "{" in text:
        return AbstractValue("int", slot_magnitude, NONNEGATIVE | LITERAL)
    mantissa, _, exponent = text.lower().partition("e")
    whole, _, rest = mantissa.partition(".")
    magnitude = max(len(whole.lstrip("0")) + max(int(exponent or 0), 0), len(rest) - min(int(exponent or 0), 0), 1)
    marks = NONNEGATIVE | LITERAL | (NONZERO if any(c in "123456789" for c in mantissa) else 0)
    marks |= (ONE if text == "1" else 0) | (SIZE if text in _SIZED else 0)
    return AbstractValue("int" if word.terminal == "WHOLE" else "dec", magnitude, marks)
