"""Columns full of hostile values, and constants, for each type that an argument may have on PostgreSQL."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

from stored_values import Spec

from querent.grammar.types.abstract_values import LITERAL, NONNEGATIVE, NONZERO, NULL, AbstractValue
from querent.grammar.types.dialect import DialectTypes
from querent.grammar.types.signatures import JSON_KINDS, Argument

UNITS = ("SECOND", "MINUTE", "HOUR", "DAY", "WEEK", "MONTH", "QUARTER", "YEAR", "EPOCH", "DOW", "DOY")

_TOLD = tomllib.loads(Path(__file__).with_name("postgres.toml").read_text("utf-8"))
LITERALS: dict[str, list[str]] = _TOLD["literals"]
OTHERS: dict[str, list[list[str]]] = _TOLD["columns"]


def _stored(value: AbstractValue, column: str, texts: Sequence[str]) -> Spec:
    """Return a column of a type with some values, which PostgreSQL reads as text."""
    return Spec(value, column, tuple("'" + text.replace("'", "''") + "'" for text in texts))


def _constant(value: AbstractValue, written: str) -> Spec:
    return Spec(value, "", (written,))


def items_of(argument: Argument, types: DialectTypes) -> list[Spec]:
    """Return what may stand in an argument: columns with values at the ends of its range, and constants."""
    if argument.kind in JSON_KINDS:
        return [_stored(types.column(column), column, values) for column, *values in OTHERS[argument.kind]]
    if argument.kind is not None:
        kinds, kind = frozenset({argument.kind}), types.kinds[argument.kind]
        texts = [text for text in LITERALS[argument.kind] if kind.fits(text.replace("''", "'"))]
        return [_constant(AbstractValue("text", 0, LITERAL, kinds), f"'{text}'") for text in texts]
    return [item for type_ in sorted(argument.types - {"any", "udec"}) for item in _of_type(type_, argument)]


def _of_type(type_: str, argument: Argument) -> Iterator[Spec]:  # noqa: PLR0912 - a branch a type
    magnitude, marks = argument.magnitude, argument.marks
    match type_:
        case "null":
            yield _constant(NULL, "NULL")
        case "int":
            most = min(18, 18 if magnitude is None else magnitude)
            for count in sorted({d for d in (1, 2, 5, 9, 10, 11, 15, most) if d <= most}):
                yield from _integers(count, marks)
            if magnitude is None:
                yield _constant(AbstractValue("int", 19, LITERAL | NONNEGATIVE | NONZERO), "999999999999")
        case "small":
            if magnitude is None or magnitude >= 5:
                ends = ["32767", "1", "7", *(() if marks & NONNEGATIVE else ("-32768", "-1"))]
                yield _stored(
                    AbstractValue("small", 5, marks), "smallint", (*ends, *(() if marks & NONZERO else ("0",)))
                )
        case "dec":
            for count in [magnitude] if magnitude is not None else [1, 20, 40, 120, 250]:
                texts = [f"{'9' * count}", f"{'9' * count}.{'9' * count}", f"0.{'0' * (count - 1)}1", "1.5", "1", "2"]
                yield _numbers("dec", count, "numeric", texts, marks)
        case "float":
            # so many digits have REALs alone
            for count in ([magnitude] if magnitude != 140 else []) if magnitude is not None else [1, 30, 100, 200, 250]:
                texts = [
                    f"9.9e{count - 1}",
                    f"1e{-count}",
                    f"1.0000000000000002e{-count}",
                    "1.5",
                    "1",
                    "3.141592653589793",
                ]
                yield _numbers("float", count, "float8", texts, marks)
            if magnitude is None or magnitude >= 140:
                yield _numbers("float", 140, "real", ["9.9e29", "1e-30", "1.0000001e-30", "1.5", "1"], marks)
        case "text":
            texts = ["", " ", "abc", "it's", "%", "a_b", "\\", "a\\", "日本", "1", "2024-13-45", "x" * 300]
            yield _stored(AbstractValue("text"), "text", texts)
            yield _stored(AbstractValue("text"), "char(5)", ("", "ab", "it's"))
            yield _constant(AbstractValue("text", 0, LITERAL), "'it''s'")
            if magnitude is None:
                yield _stored(AbstractValue("text", 3), "text", ("", "x" * 3000))
        case "date" | "stamp":
            for depth in (0, 3, 9) if magnitude is None else (magnitude,):
                ends = [f"{4000 + 100 * depth}-01-01 BC", f"{20999 + 100 * depth}-12-31", "2024-02-29"]
                ends = ["infinity", "-infinity", "294276-12-31", "4713-01-01 BC"] if depth > 3 else ends
                yield _stored(AbstractValue(type_, depth), "date" if type_ == "date" else "timestamp", ends)
                if type_ == "stamp":
                    yield _stored(AbstractValue(type_, depth), "timestamptz", ends)
        case "span":
            yield _stored(
                AbstractValue("span", 0),
                "interval",
                ("99 years", "-99 years", "36000 days", "-1 day 3 hours", "0", "800000 h"),
            )
            if magnitude is None:
                yield _stored(AbstractValue("span", 9), "interval", ("9999 years", "-9999 years", "3650000 days", "0"))
        case _:
            for column, *values in OTHERS[type_]:
                yield _stored(AbstractValue(type_), column, values)


def _integers(count: int, marks: int) -> Iterator[Spec]:
    if count == 10:
        yield _numbers("int", 10, "integer", ["2147483647", "32767", "1", "7"], marks)
    else:
        yield _numbers("int", count, "integer" if count < 10 else "bigint", ["9" * count, "1", "7"], marks)
    if count < 10:
        yield _constant(AbstractValue("int", count, LITERAL | NONNEGATIVE | NONZERO), "9" * count)


def _numbers(type_: str, magnitude: int, column: str, texts: Sequence[str], marks: int) -> Spec:
    signed = [*texts] if marks & NONNEGATIVE else [*texts, *(f"-{text}" for text in texts)]
    return _stored(AbstractValue(type_, magnitude, marks), column, (*signed, *(() if marks & NONZERO else ("0",))))
