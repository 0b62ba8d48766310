"""What operators, functions and casts take and give, and the types of columns: the tables of types/*.toml.

A signature is a line such as ``"text int<6 int<6+ -> text"``. What stands before the arrow is one argument each:

    SET          one of the dialect's [sets], or a type of `abstract_values.TYPES`
    @KIND        a string literal of a kind of [literals], written out in the query
    SET<6        at most 6 digits before the point: between -10**6 and 10**6, both left out
    SET~         no bare text, whose type the engine could not tell
    SET+         never below 0
    SET!0        never 0
    SET#         a column, or an alias
    SET?         may be left out, and so may those behind it
    SET...       once more as often as one likes (the last argument only)
    same         one of the set `same`, else of any type, that the other ``same`` arguments can be joined with

``as NAME`` instead are the lines of the operator NAME, which stands before.

The result is a type or ``same``, then ``:8`` for its digits (as many as the largest argument without it), ``+`` and
``!0``; ``or error`` behind it says that some values of these types raise one. Digits, signs and zeros are promises
about running (level ``runs``); the sets are types (level ``types``).
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .abstract_values import TYPES, AbstractValue, Mark

JSON_KINDS = frozenset({"json", "jsonb"})
"""The kinds of columns that things are taken out of by name, where the dialect's literals have them."""

_ARGUMENT = re.compile(r"(@?\w+)(?:<(\d+))?(!0)?(\+)?(#)?(~)?(\?)?(\.\.\.)?")
_RESULT = re.compile(r"(\w+)(?::(\d+))?(!0)?(\+)?")

_MAX_ARGUMENTS = 100
"""The arguments that PostgreSQL takes; SQLite takes 127."""


@dataclass(frozen=True)
class Argument:
    """What one place takes; ``magnitude`` None is any number, ``named_type`` no bare text."""

    types: frozenset[str]
    kind: str | None = None
    magnitude: int | None = None
    marks: int = 0
    same: bool = False
    named_type: bool = False
    optional: bool = False
    many: bool = False

    def fits(self, value: AbstractValue) -> bool:
        """Say whether a value has the type for this place."""
        if self.kind is not None:
            if self.kind in JSON_KINDS:
                return self.kind in value.kinds or value.type == "null"
            return self.kind in value.kinds and bool(value.marks & Mark.LITERAL)
        bare = self.named_type and value.type == "text" and bool(value.marks & Mark.LITERAL)
        return value.type in self.types and not bare

    def keeps(self, value: AbstractValue) -> bool:
        """Say whether a value keeps the promises that are required; NULL keeps all."""
        if self.kind is not None or value.type == "null":
            return True
        return (self.magnitude is None or value.magnitude <= self.magnitude) and not self.marks & ~value.marks


@dataclass(frozen=True)
class Signature:
    """One way to use an operator, function or cast; ``text`` is the line it was read from."""

    text: str
    arguments: tuple[Argument, ...]
    result: str
    magnitude: int | None
    marks: int
    fails: bool = False

    def counts(self, count: int) -> bool:
        """Say whether it takes so many arguments."""
        least = sum(not a.optional for a in self.arguments)
        many = bool(self.arguments) and self.arguments[-1].many
        return least <= count <= (_MAX_ARGUMENTS if many else len(self.arguments))

    def at(self, place: int) -> Argument:
        """Return what a place takes, from 0; the last argument's may come more than once."""
        return self.arguments[min(place, len(self.arguments) - 1)]

    def alike(self, values: Sequence[AbstractValue]) -> list[AbstractValue]:
        """Return those of the first values that must be of one type."""
        return [v for i, v in enumerate(values) if self.at(i).same]

    def admits(self, values: Sequence[AbstractValue], more: int) -> bool:
        """Say whether the first values may be these, and ``more`` follow."""
        given = [(self.at(i), v) for i, v in enumerate(values)]
        return self.counts(len(values) + more) and not self.fails and all(a.fits(v) and a.keeps(v) for a, v in given)

    def keeps(self, values: Sequence[AbstractValue]) -> bool:
        """Say whether values of the right types keep the promises that are required."""
        return not self.fails and all(self.at(i).keeps(v) for i, v in enumerate(values))


@dataclass(frozen=True)
class Kind:
    """A kind of string literal: those whose text ``pattern`` fits may also stand as a value of ``type``.

    With ``json`` it is objects and arrays of JSON that begin so.
    """

    name: str
    pattern: re.Pattern[str]
    type: str
    json: bool = False

    def fits(self, text: str) -> bool:
        """Say whether a text is one."""
        if not self.json:
            return self.pattern.fullmatch(text) is not None
        if not self.pattern.match(text) or text.lstrip()[:1] not in {"{", "["} or "\\" in text:
            return False
        try:
            json.loads(text, parse_constant=_no_number)
        except (ValueError, RecursionError):
            return False
        return True


def read_signature(line: str, sets: Mapping[str, frozenset[str]], kinds: Mapping[str, Kind]) -> Signature:
    """Read a line of a type table.

    Raises:
        ValueError: it is none.
    """
    before, _, after = line.partition("->")
    after, fails, _ = after.partition(" or error")
    result = _RESULT.fullmatch(after.strip())
    if result is None:
        raise ValueError(f"cannot read the result of {line!r}")
    type_, magnitude, nonzero, nonnegative = result.groups()
    if type_ != "same" and type_ not in TYPES:
        raise ValueError(f"no type {type_!r} in {line!r}")
    arguments = tuple(_argument(word, line, sets, kinds) for word in before.split())
    digits = int(magnitude) if magnitude else None
    return Signature(line, arguments, type_, digits, _marks(nonzero, nonnegative), bool(fails))


def read_kind(name: str, spec: str) -> Kind:
    """Read a line of [literals]: a type and a pattern, ``(?j)`` before what JSON begins with."""
    type_, _, pattern = spec.partition(" ")
    return Kind(name, re.compile(pattern.removeprefix("(?j)"), re.DOTALL), type_, pattern.startswith("(?j)"))


def read_value(spec: str) -> AbstractValue:
    """Read what a column holds, as results are written.

    Raises:
        ValueError: it names no type.
    """
    found = _RESULT.fullmatch(spec)
    if found is None or found[1] not in TYPES:
        raise ValueError(f"cannot read the column type {spec!r}")
    return AbstractValue(found[1], int(found[2] or 0), _marks(found[3], found[4]))


def _argument(word: str, line: str, sets: Mapping[str, frozenset[str]], kinds: Mapping[str, Kind]) -> Argument:
    found = _ARGUMENT.fullmatch(word)
    if found is None:
        raise ValueError(f"cannot read {word!r} of {line!r}")
    name, magnitude, nonzero, nonnegative, named, named_type, optional, many = found.groups()
    kind = name[1:] if name[0] == "@" else None
    if kind is not None and kind not in kinds:
        raise ValueError(f"no kind {name!r} of {line!r}")
    types = sets["everything"] if kind is not None else sets[name]
    most = int(magnitude) if magnitude else None
    marks = _marks(nonzero, nonnegative) | (Mark.NAME if named else 0)
    same = name == "same"
    return Argument(types, kind, most, marks, same, named_type is not None, optional is not None, many is not None)


def _no_number(name: str) -> float:
    """Refuse NaN and Infinity, which JSON has not.

    Raises:
        ValueError: always.
    """
    raise ValueError(name)


def _marks(nonzero: str | None, nonnegative: str | None) -> int:
    return (Mark.NONZERO if nonzero else 0) | (Mark.NONNEGATIVE if nonnegative else 0)


_NOISE = re.compile(r"""'.*'|(?<=INT)\(\d+\)|"[^"]*\"""")
"""Parts of a column's type that do not matter: labels, the display width of integers, names that people made."""

_SIZE = re.compile(r"(?:DEC|NUMERIC|FIXED)\w*\s*\((\d+)(?:\s*,\s*(\d+))?\)")


class ColumnTypes:
    """Reads types of columns by the lines of [columns], the first that fits; ``strict`` as in `DialectTypes`.

    Where sizes are ``tight``, the digits before the point and those behind it are not added.
    """

    def __init__(self, lines: Mapping[str, str], *, strict: bool, tight: bool = False) -> None:
        self._strict, self._tight = strict, tight
        self._lines = [(_pattern(part, whole=strict), read_value(str(spec))) for part, spec in lines.items()]

    def read(self, sql_type: str) -> AbstractValue:
        """Return what is known of the values of a column."""
        name = _NOISE.sub("", sql_type.upper())
        value = next((value for part, value in self._lines if part.search(name)), AbstractValue("other"))
        size = _SIZE.search(name)
        if size is None or value.type not in {"dec", "udec"}:
            return value
        precision, scale = int(size[1]), int(size[2] or 0)
        before = max(precision - scale, 1) if self._tight or not self._strict else precision
        return value._replace(magnitude=max(before, scale) if self._strict else before)


def _pattern(part: str, *, whole: bool) -> re.Pattern[str]:
    """Return what finds a part of a type's name, only as a whole word if ``whole``, and words with others between."""
    before = r"(?<![\w.])" if whole and part[0].isalnum() else ""
    behind = r"(?!\w)" if whole and part[-1].isalnum() else ""
    return re.compile(before + ".*".join(map(re.escape, part.split())) + behind)
