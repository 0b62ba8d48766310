"""The types of one dialect, enumerations among them: how they compare, and which names are one to its engine."""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import resources
from string import ascii_lowercase, ascii_uppercase
from typing import Any

from ...data.schema.schema import labels_of
from .abstract_values import NEVER, TYPES, AbstractValue
from .signatures import JSON_KINDS, ColumnTypes, Kind, Signature, read_kind, read_signature, read_value

WHOLE = 18
"""Digits of the largest number that LIMIT takes."""

_LARGE = (300, 1000, 2000)

_MIXED_DIGITS = 12
"""Digits of the integers that may be beside reals in what is of the type `mixed` of [compare]."""


class DialectTypes:
    """The types of one dialect.

    Attributes:
        operators: signatures by operator, two arguments each, and of ``-x`` by ``neg``.
        functions: signatures by name.
        casts: signatures by the target type's word, one argument each.
        groups: types that compare with each other; joined, the later one is the result.
        limits: the most digits that operators' results may have, by type.
        slot: the digits of a number that a question names.
        real: the digits that columns of REAL have and that tell them from doubles, 0 where there are none.
        like: the first function with the lines of each: as good as it wherever values count.
        unknown: a column of a derived table, of which nothing is known.
        opaque: the types that a derived table may not show by name: they have no order, few functions take them, or
            they are those of columns that it calls by other names.
        hiding: the rule that hides them.
        alone: where not strict, types that compare with texts, but with no numbers and dates, and are no conditions.
        strict: whether there are types that do not compare with each other.
        names: which names are one.
        apart: whether columns of one name and several types are distinguished, a bare name meaning those of one type.
        widest: the columns that a select list may show, 0 for any number.
        tables: those that a FROM may join.
        merged: how many of them a derived table may have, and counts as.
        titled: whether an output without a name is called by its function, its type or a column within.
        constants: constants that the engine takes for a column if one is called so, in lower case.
        beside_views: words that are not written where a schema has views.
        masked: the type of a column called as one of ``constants``; derived tables do not show it.
        enumerations: the types of columns that are types of their own, for they list their values.
        lone_having: whether HAVING makes a group where nothing else does.
        windowed_operands: whether a window function may order an operand of a set operator that has no LIMIT.
    """

    def __init__(self, data: Mapping[str, Mapping[str, Any]]) -> None:
        self.sets: dict[str, frozenset[str]] = {t: frozenset({t}) for t in TYPES}
        self.sets["everything"] = frozenset(TYPES)
        for name, members in data["sets"].items():
            self.sets[name] = frozenset(t for word in str(members).split() for t in self.sets[word])
        for name in ("condition", "same"):
            self.sets.setdefault(name, self.sets["everything"])
        self.kinds = {name: read_kind(name, str(spec)) for name, spec in data["literals"].items()}
        self._same: dict[str, str] = dict(data.get("same", {}))
        self.enumerations: frozenset[str] = frozenset()
        self._joined: dict[object, str | None] = {}
        self.groups = [tuple(group.split()) for group in data["compare"]["groups"]]
        self.limits = {name: int(str(most)) for name, most in data["limits"].items()}
        self.slot, self.real = self.limits.get("slot", 12), self.limits.get("real", 0)
        self.unknown = read_value(str(data["derived"]["unknown"]))
        compare, derived, names = data["compare"], data["derived"], data["names"]
        self.strict: bool = compare["strict"]
        self.alone = _words(compare, "alone")
        self._mixed: str = compare.get("mixed", "")
        self.opaque = _words(derived, "hidden")
        self.hiding: str = derived["rule"]
        self.widest: int = derived.get("widest", 0)
        self.tables: int = derived.get("tables", NEVER)
        self.merged: int = derived.get("merged", 1)
        self.names = NameKeys(names.get("folds", False), names["cased"], names.get("longest", 0))
        self.constants = _words(names, "constants")
        self.beside_views = _words(names, "beside_views")
        self.masked: str = names.get("masked", "")
        self.apart: bool = names["apart"]
        self.titled = "titles" in data
        self._titles: Mapping[str, str] = data.get("titles", {})
        self.operators = self._read(data["operators"])
        self.functions = self._read(data["functions"], self.operators)
        self.casts = self._read(data["casts"])
        self._columns = ColumnTypes(data["columns"], strict=self.strict, tight="sizes" in data)
        computed = data.get("computed", {}).items()
        self._computed = {read_value(value): read_value(str(becomes)) for value, becomes in computed}
        self._steps = self._magnitudes()
        self.like = self.alike_functions()
        self.lone_having = bool(data.get("having", {}).get("alone", False))
        self.windowed_operands = bool(data.get("order_by", {}).get("windowed_operands", True))

    def copied(self) -> DialectTypes:
        """Return a copy that may be given other types: it remembers nothing of how these join."""
        found = copy(self)
        found._joined = {}
        return found

    def alike_functions(self) -> dict[str, str]:
        """Return the first function with the lines of each."""
        first: dict[object, str] = {}
        return {
            name: first.setdefault((name == "NULLIF", *(s.text for s in lines)), name)
            for name, lines in self.functions.items()
        }

    def _magnitudes(self) -> list[int]:
        """Return the numbers of digits at which some line or limit draws the line."""
        lines = [line for table in (self.operators, self.functions, self.casts) for line in table.values()]
        found = {a.magnitude for line in lines for s in line for a in s.arguments if a.magnitude is not None}
        return sorted(found | {*self.limits.values(), WHOLE, *_LARGE})

    def step(self, magnitude: int) -> int:
        """Return the least magnitude that a signature asks for and that is not below ``magnitude``."""
        return self._steps[min(bisect_left(self._steps, magnitude), len(self._steps) - 1)]

    def one(self, value: AbstractValue) -> AbstractValue:
        """Return a value with the one type of all that its dialect does not tell apart."""
        return value._replace(type=self._same[value.type]) if value.type in self._same else value

    def column(self, sql_type: str, *, computed: bool = False) -> AbstractValue:
        """Return what is known of the values of a column, of one that a view has ``computed`` less."""
        if sql_type in self.enumerations:
            return AbstractValue(sql_type)
        stored = self._columns.read(sql_type)
        value = self.one(self._computed.get(stored, stored) if computed else stored)
        name = sql_type.lower()
        kinds = frozenset({name, "json"} & self.kinds.keys()) if name in JSON_KINDS else frozenset[str]()
        return value._replace(kinds=kinds) if kinds else value

    def distinguishes(self, sql_types: Iterable[str]) -> bool:
        """Say whether columns of these types make values that do not all compare with each other."""
        return self.strict or any(self.column(t).type in self.alone for t in sql_types)

    def kind(self, value: AbstractValue) -> tuple[str, int]:
        """Return the type of a stored value; where types are strict, integers of one size are a type of their own."""
        return value.type, value.magnitude if self.strict and value.type == "int" else 0

    def title(self, word: str) -> str | None:
        """Return the name that a word gives an output without one, empty if a column within does, None if nothing."""
        return self._titles.get(word, word.lower()) if self.titled else None

    def literal_kinds(self, text: str) -> frozenset[str]:
        """Return the kinds of a string literal, given without its quotes; slots stand in braces."""
        return frozenset(name for name, kind in self.kinds.items() if kind.fits(text))

    def is_a(self, value: AbstractValue, types: frozenset[str]) -> bool:
        """Say whether a value may stand where ``types`` are taken."""
        return value.type in types or any(self.kinds[k].type in types for k in value.kinds)

    def join(self, values: Sequence[AbstractValue]) -> str | None:
        """Return the type that values have in common (compared, or as branches of one expression), or None."""
        kinds = {v.type for v in values} - {"null"}
        few = self._mixed and all(v.magnitude <= _MIXED_DIGITS for v in values if v.type == "int")
        if few and {"float"} < kinds <= {"float", "int", "bool", self._mixed}:
            return self._mixed
        # of types of their own it matters whether they are several
        key = (frozenset((v.type, v.kinds) for v in values), sum(v.type in self.alone for v in values) > 1)
        if key not in self._joined:
            self._joined[key] = self._join(values)
        return self._joined[key]

    def _join(self, values: Sequence[AbstractValue]) -> str | None:
        real = [v for v in values if v.type != "null"]
        if not real:
            return "null"
        for group in self.groups:
            members = frozenset(group)
            if all(self.is_a(v, members) for v in real):
                named = [v.type for v in real if v.type in members]
                return max(named, key=group.index) if named else self.kinds[next(iter(real[0].kinds))].type
        if self.strict:
            return None
        kinds = {v.type for v in real}
        own = kinds & self.alone
        if not own:
            return "span" if kinds == {"span"} else None
        # they go with texts; of closed ones no two are known to be alike
        alike = own == {"uuid"} or sum(v.type in own for v in real) == 1
        return next(iter(own)) if alike and kinds - own <= {"text", "blob", "span"} else None

    def compare(self, values: Sequence[AbstractValue]) -> bool:
        """Say whether values compare with each other."""
        return self.join(values) is not None or not (self.strict or any(v.type in self.alone for v in values))

    def takes(self, signature: Signature, values: Sequence[AbstractValue], *, nulls: bool = False) -> bool:
        """Say whether a signature takes the types of ``values``; with ``nulls`` NULL is of the other values' type."""
        if not signature.counts(len(values)):
            return False
        given = [(signature.at(i), v) for i, v in enumerate(values)]
        known = {v.type for v in values} - {"null"} if nulls else set[str]()
        if not all((v.type == "null" and not known.isdisjoint(a.types)) or a.fits(v) for a, v in given):
            return False
        alike = signature.alike(values)
        return not alike or self.join(alike) is not None

    def result(self, signature: Signature, values: Sequence[AbstractValue]) -> str:
        """Return the type of what a signature makes of values that it takes."""
        if signature.result != "same":
            return signature.result
        return self.join(signature.alike(values) or list(values)) or "any"

    def _read(
        self, lines: Mapping[str, str | list[str]], known: Mapping[str, tuple[Signature, ...]] | None = None
    ) -> dict[str, tuple[Signature, ...]]:
        """Read a table; ``as NAME`` are the lines of an operator before it."""
        read = dict(known or {})
        for name, found in lines.items():
            several = [found] if isinstance(found, str) else found
            like = found[3:] if isinstance(found, str) and found.startswith("as ") else ""
            if like and like not in read:
                raise ValueError(f"{name} = {found!r}: no operator {like} stands before it")
            read[name] = read[like] if like else tuple(self._signature(line) for line in several)
        return {name: read[name] for name in lines}

    def _signature(self, line: str) -> Signature:
        found = read_signature(line, self.sets, self.kinds)
        return replace(found, result=self._same.get(found.result, found.result))


def _words(section: Mapping[str, Any], key: str) -> frozenset[str]:
    return frozenset(str(section.get(key, "")).split())


@lru_cache
def load_types(dialect: str, *, wide: bool = False) -> DialectTypes:
    """Return the types of a dialect, with the lines of its wide form if ``wide``; read once."""
    data = _read_toml(dialect)
    for table, lines in _read_toml(f"{dialect}-wide").items() if wide else ():
        before = data.get(table, {})
        data[table] = {**before, **{name: _extended(before.get(name), line) for name, line in lines.items()}}
    return DialectTypes(data)


def _extended(before: Any, line: Any) -> Any:
    """Return a line of the wide form, with those of the narrow one in place of ``...``."""
    if not isinstance(line, list) or "..." not in line:
        return line
    known: list[str] = [before] if isinstance(before, str) else before
    return [one for some in line for one in (known if some == "..." else [some])]


def _read_toml(name: str) -> dict[str, dict[str, Any]]:
    return tomllib.loads((resources.files(__package__ or __name__) / f"{name}.toml").read_text("utf-8"))


def with_enumerations(types: DialectTypes, sql_types: Iterable[str]) -> DialectTypes:
    """Return a dialect's types with those among ``sql_types`` that list their values, as far as types are strict.

    Each compares with itself, with NULL and with those literals that are its labels, and is taken where a signature
    takes an ``enum``.
    """
    listed = frozenset(t for t in sql_types if types.strict and labels_of(t))
    if not listed:
        return types

    def widened(members: frozenset[str]) -> frozenset[str]:
        return members | listed if "enum" in members else members

    def taking(signature: Signature) -> Signature:
        return replace(signature, arguments=tuple(replace(a, types=widened(a.types)) for a in signature.arguments))

    found = types.copied()
    found.enumerations = listed
    found.groups = [*types.groups, *((name,) for name in sorted(listed))]
    found.kinds = {**types.kinds, **{name: _labelled(name) for name in sorted(listed)}}
    found.sets = {name: widened(members) for name, members in types.sets.items()}
    found.operators = {name: tuple(map(taking, lines)) for name, lines in types.operators.items()}
    found.functions = {name: tuple(map(taking, lines)) for name, lines in types.functions.items()}
    found.casts = {name: tuple(map(taking, lines)) for name, lines in types.casts.items()}
    found.like = found.alike_functions()
    return found


def _labelled(name: str) -> Kind:
    """Return the kind of the literals that are labels of an enumeration."""
    return Kind(name, re.compile("|".join(map(re.escape, labels_of(name)))), name)


_LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)

_PART = re.compile(r'"(?:[^"]|"")*"|[^."]+')
"""A name of those with dots between them."""


def folded(name: str) -> str:
    """Return what a dialect that folds names makes of one without quotes: in UTF-8 it folds ASCII's letters alone."""
    return name.translate(_LOWER)


@dataclass(frozen=True)
class NameKeys:
    """The names of one dialect.

    Attributes:
        folds: whether names differ that differ in case alone, once those without quotes are folded to lower case.
        cased: whether `T1` and `t1` are two sources, as they are to servers on file systems that tell them apart.
        longest: the bytes of a name that are looked at, 0 for all.
    """

    folds: bool
    cased: bool
    longest: int

    def key(self, name: str) -> str:
        """Return a name of the schema such that names are equal if they are one to the engine."""
        return name if self.folds else name.lower()

    def written_key(self, name: str, *, quoted: bool) -> str:
        """Return the key of the name that a query means by what it writes, in quotes or without."""
        return folded(name) if self.folds and not quoted else self.key(name)

    def named(self, text: str) -> str:
        """Return the key of a name that is written, in quotes or without."""
        mark = text[:1]
        if mark in {'"', "`"}:
            return self.key(self._cut(text[1:-1].replace(mark * 2, mark)))
        return self._cut(self.written_key(text, quoted=False))

    def source(self, name: str) -> str:
        """Return the name of a source, as it is written, so that names of one source are equal."""
        if not self.folds:
            return self._cut(name) if self.cased else self._cut(name).lower()
        return ".".join(self._cut(part if part[0] == '"' else folded(part)) for part in _PART.findall(name))

    def _cut(self, name: str) -> str:
        """Return as much of a name as is looked at."""
        return name.encode()[: self.longest].decode(errors="ignore") if self.longest else name
