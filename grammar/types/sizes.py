"""Sizes that a type is written with, ``DECIMAL(10, 2)``: which a type may have, and what fits into them."""

from __future__ import annotations

from collections.abc import Sequence

from .abstract_values import LITERAL, NONNEGATIVE, NONZERO, NUMBERS, ONE, SIZE, AbstractValue

__all__ = ["MAX_DIGITS", "holds", "is_zero", "sane"]

MAX_DIGITS = 38
"""Of decimals, in any type."""


def is_zero(value: AbstractValue) -> bool:
    """Say whether a value is the constant 0."""
    return bool(value.marks & LITERAL) and value.type in NUMBERS and value.magnitude == 1 and not value.marks & NONZERO


def _at_most_one(scale: AbstractValue) -> bool:
    return is_zero(scale) or bool(scale.marks & ONE)


def holds(sizes: Sequence[AbstractValue], value: AbstractValue) -> bool:
    """Say whether any value as this fits into any `sane` sizes as these.

    Where sizes are known, a value that is not whole may be rounded up. Else scale 0 takes a whole number of one digit
    (9.7 becomes 10); 10 digits and more, 1 of them behind the point at most, take any number below 10^8.
    """
    if _known(sizes):
        room = sizes[0].position - sum(scale.position for scale in sizes[1:])
        return value.type == "null" or value.magnitude + (value.type != "int") <= room
    if sizes[0].marks & SIZE and all(map(_at_most_one, sizes[1:])):
        return value.magnitude <= 8
    return value.magnitude <= 1 and value.type in {"int", "null"} and all(map(is_zero, sizes[1:]))


def _known(sizes: Sequence[AbstractValue]) -> bool:
    """Say whether sizes are told apart, as positions are."""
    return bool(sizes[0].position) and all(is_zero(scale) or scale.position for scale in sizes[1:])


def sane(name: str, sizes: Sequence[AbstractValue]) -> bool:
    """Say whether a type may have sizes: texts 1 to 9999, decimals 1 to 38, then no more.

    Where decimals' sizes are not known, 1 to 9, then 0 or 1, or 10 to 38, then 0 to 9.
    """
    first, *rest = sizes
    if not all(v.type == "int" and v.marks & NONNEGATIVE for v in sizes) or not first.marks & NONZERO:
        return False
    if name not in {"NUMERIC", "DECIMAL"}:
        return first.magnitude <= 4
    if _known(sizes):
        return first.position <= MAX_DIGITS and all(scale.position <= first.position for scale in rest)
    if first.marks & SIZE:
        return all(v.magnitude == 1 for v in rest)
    return first.magnitude == 1 and all(map(_at_most_one, rest))
