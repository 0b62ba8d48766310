"""Tables that a column may refer to, found by what the column is called: no column is held against every table."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import chain, islice
from typing import TypeAlias

from .plain_names import plain_name, singular
from .schema import Column, Table

__all__ = [
    "KEY_WORDS",
    "Contained",
    "KeyTarget",
    "KeyTargets",
    "borne_out",
    "comparable",
    "is_code",
    "joined",
    "key_name",
]

KEY_WORDS = ("id", "编号", "code", "key", "代码", "name")
"""What the column that identifies a row ends in; the first is the likeliest."""

_REFERRING = frozenset(KEY_WORDS) - {"name"}
_GENERIC = {*KEY_WORDS, "no", "number", "num", "序号", "词条 id"}
"""Keys that say nothing of their table: another table's column of the same name is another thing."""

_LIKE_A_KEY = re.compile(r"(id|code|key|no|num|number|编号|代码|号|. name)$")  # aid and blockcode are keys, too
_SPLIT_KEY = re.compile(r"(?<=[\u3400-\u9fff])(?=(?:id|编号|代码)\d*$)")
_NUMBER = re.compile(r" ?\d+$")
_KINDS = ("text", "number", "time", "")
"""Kinds of types; of the last nobody knows which it is."""

Contained: TypeAlias = Callable[[Table, str, Table, str], float | None]
"""Which share of the different cells of a table's column is there in another's; None where nobody can tell."""

_MOST = 0.5
"""More than this share of cells must be there for a key that nobody has declared: rows are deleted, and copies cut."""

_LOOKED_AT = 8
"""Tables whose keys are called alike that are told apart; of more only those whose keys tell of them."""


class KeyTarget:
    """A table that other tables may refer to by its key of one column.

    Attributes:
        own, key: what the table and its key are called, in plain words.
        word: the key's last: id, of employee id.
        referred: what a column elsewhere is called that refers to it.
        refers: whether a column elsewhere may refer to it by that name; a city_id may not where the table has a city_id
            beside its key city_code.
        owner: whether the key tells of its table, as ``state.state_name`` does and ``border.state_name`` does not.
    """

    def __init__(self, table: Table) -> None:
        self.table = table
        self.column = table.column(table.primary_key[0])
        self.own = key_name(table.name)
        self.key = key_name(self.column.name)
        self.word = self.key.rpartition(" ")[2]
        self.referred = f"{self.own} {self.word}"
        self.refers = self.word in _REFERRING and (
            self.referred == self.key or all(key_name(column.name) != self.referred for column in table.columns)
        )
        stem = self.key.removesuffix(self.word).strip()
        self.owner = bool(stem) and (self.own == stem or _ends(self.own, stem))

    def is_telling(self) -> bool:
        """Is another table's column of the same name likely to mean this key?"""
        return self.key not in _GENERIC and (self.owner or bool(_LIKE_A_KEY.search(self.key)))

    def is_coded(self) -> bool:
        """Is the key a code, so that a column called like the table can hold nothing but the code?"""
        return is_code(self.key)

    def is_linked(self, table: Table) -> bool:
        """Does the key itself refer to a table, so that a key back would say the same again?"""
        return any(key.refers_to(table) and self.column.name in key.columns for key in self.table.foreign_keys)


def is_code(name: str) -> bool:
    """Say whether a column that is called so, in plain words, holds codes that tell rows apart."""
    return bool(_LIKE_A_KEY.search(name)) and not name.endswith("name")


def joined(name: str) -> str:
    """Return a name without blanks: who writes all in small letters tells no words apart."""
    return name.replace(" ", "")


def _ends(name: str, end: str) -> bool:
    """Does a name end in these words? Chinese has no blanks between its words; two characters are one at least."""
    stem = end.rpartition(" ")[0] or end
    han = "\u3400" <= end[:1] <= "\u9fff" and len(stem) > 1
    return name != end and (name.endswith(f" {end}") or (han and name.endswith(end)))


def _ends_of(name: str) -> list[str]:
    return [name[start:] for start in range(1, len(name)) if _ends(name, name[start:])]


_Rule: TypeAlias = tuple[Callable[[KeyTarget], Iterable[str]], Callable[[str], Iterable[str]]]
_RULES: Sequence[_Rule] = (
    # dept_code -> department.dept_code, QuestionID -> question.questionid
    (lambda target: [joined(target.key)] if target.is_telling() else (), lambda name: [joined(name)]),
    # singer_id -> singer.id
    (lambda target: [target.referred] if target.refers else (), lambda name: [name]),
    # company_id -> operating_company.id
    (lambda t: [f"{end} {t.word}" for end in _ends_of(t.own)] if t.refers else (), lambda name: [name]),
    # home_city_id -> city.city_id
    (lambda t: [t.key] if t.owner and t.word in _REFERRING else (), _ends_of),
    # main_singer_id -> singer.id
    (lambda target: [target.referred] if target.refers else (), _ends_of),
    # airport -> airport.airport_code
    (lambda target: [target.own] if target.is_coded() else (), lambda name: [name]),
    # to_airport -> the same
    (lambda target: [target.own] if target.word == "code" else (), lambda name: [name.partition(" ")[2]]),
)
"""How a column says what it refers to, the surest first: what a target is found by, and what a name looks for."""


class _Alike:
    """Targets that one rule finds by the same words, and whose keys are of one kind."""

    def __init__(self) -> None:
        self.owners: list[KeyTarget] = []
        self.others: defaultdict[str, list[KeyTarget]] = defaultdict(list)  # by `KeyTarget.referred`

    def add(self, target: KeyTarget) -> None:
        """Take a target in."""
        (self.owners if target.owner else self.others[target.referred]).append(target)

    def besides(self, only: str | None) -> Iterator[KeyTarget]:
        """Yield those that are no owners; if ``only`` is given, of these those that a column called so refers to."""
        others = self.others.values() if only is None else [self.others.get(only, [])]
        return chain.from_iterable(others)


class KeyTargets:
    """The tables of a schema that have a key of one column.

    What a column refers to is looked up by its name and type, and no more than some that fit are looked at, since of
    many nobody can say which is meant: so the time for a column does not grow with the number of tables.
    """

    def __init__(self, tables: Iterable[Table]) -> None:
        self._own: dict[str, KeyTarget] = {}
        self._found: dict[tuple[int, str], dict[str, _Alike]] = {}  # by rule and name, then by kind
        self.add(tables)

    def add(self, tables: Iterable[Table]) -> None:
        """Take in those of some tables that have a key of one column."""
        for target in (KeyTarget(table) for table in tables if len(table.primary_key) == 1):
            self._own[target.table.name] = target
            kind = _kind(target.column.type)
            for number, (keys, _) in enumerate(_RULES):
                for key in keys(target):
                    self._found.setdefault((number, key), {}).setdefault(kind, _Alike()).add(target)

    def own(self, table: Table) -> KeyTarget | None:
        """Return a table as what is referred to; None if it has no key of one column."""
        return self._own.get(table.name)

    def likely(self, table: Table, column: Column, contained: Contained | None = None) -> KeyTarget | None:
        """Return the one table that a column refers to by its name; None if there is none, or if several are alike.

        Args:
            contained: if given, tables that do not have the column's cells are none that it refers to; where the
                surest rule finds none but these, no other is asked.
        """
        name, own, only = key_name(column.name), self.own(table), None
        is_own = False
        if own is not None and table.primary_key == (column.name,):
            if own.owner or name == own.referred:
                return None
            is_own = True
            only = None if contained else name  # one row each: only to the table that the name tells of
        names = dict.fromkeys((name, _NUMBER.sub("", name)))
        for number, (_, sought) in enumerate(_RULES):
            keys = dict.fromkeys(key for each in names for key in sought(each))
            for kind in (_kind(column.type), "") if contained else (_kind(column.type),):
                near = self._of_rule(number, keys, kind, only)
                able = _few(target for target in near if target is not own and not target.is_linked(table))
                there = [t for t in able if not contained or borne_out(table, column, t, contained, is_own=is_own)]
                found = _owners(there) if len(there) > 1 else there
                if found or (able and not there):
                    return found[0] if len(found) == 1 else None
        return None

    def _of_rule(self, number: int, keys: Iterable[str], kind: str, only: str | None) -> Iterator[KeyTarget]:
        """Yield the targets that a rule finds by any of some keys, of a kind or an unknown one, owners first."""
        found = [self._found[number, key] for key in keys if (number, key) in self._found]
        kinds = (kind, "") if kind else _KINDS
        alike = [one[known] for one in found for known in kinds if known in one]
        return chain((t for one in alike for t in one.owners), (t for one in alike for t in one.besides(only)))


def _owners(targets: Iterable[KeyTarget]) -> list[KeyTarget]:
    return [target for target in targets if target.owner]


def _few(targets: Iterable[KeyTarget]) -> list[KeyTarget]:
    """Return targets that are told apart, owners first: some, or the owners of many."""
    some = [*islice(targets, _LOOKED_AT + 1)]
    return _owners(some) if len(some) > _LOOKED_AT else some


def borne_out(table: Table, column: Column, target: KeyTarget, contained: Contained, *, is_own: bool = False) -> bool:
    """Do the cells of a column say that it may refer to a target, or nothing at all?

    Args:
        is_own: does the column identify the rows of its table? Then the one that has more rows is referred to.
    """
    share = contained(table, column.name, target.table, target.column.name)
    if share is not None and share <= _MOST:
        return False
    back = contained(target.table, target.column.name, table, column.name) if is_own and not target.owner else 0.0
    return back is not None and back < 1


def comparable(one: Column, other: Column) -> bool:
    """Can the values of two columns be equal, as far as their types tell?"""
    kinds = {_kind(one.type), _kind(other.type)}
    return len(kinds) == 1 or "" in kinds


@cache
def _kind(type_name: str) -> str:
    text = type_name.lower()
    if re.search(r"char|text|clob|string|enum", text):
        return "text"
    if re.search(r"int|num|dec|real|doub|float|serial", text):
        return "number"
    return "time" if re.search(r"date|time|year", text) else ""


@lru_cache(maxsize=100_000)
def key_name(name: str) -> str:
    """Return a name in plain words, each in the singular, with its ``id`` apart."""
    return " ".join(singular(word) for word in _SPLIT_KEY.sub(" ", plain_name(name)).split())
