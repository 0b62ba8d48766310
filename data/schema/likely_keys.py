"""Undeclared keys: the name of a column suggests the table that it refers to, and cells confirm it.

These are guesses for a reader of schemas, never more: what the constraint promises of a query (a subquery used as a
value returns one row) must rest on declared keys alone.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from typing import TypeAlias

from .plain_names import plain_name, singular
from .schema import Column, ForeignKey, Schema, Table

InclusionRatio: TypeAlias = Callable[[Table, str, Table, str], float | None]
"""Returns the share of a column's different cells that another table's column has; None if unknown."""

Identifies: TypeAlias = Callable[[Table, str], bool | None]
"""Returns whether the cells of a column are unique; None if unknown."""

_CODES = ("id", "编号", "code", "key", "代码")
"""What the column that identifies a row ends in; the first is the likeliest."""

_GENERIC = {*_CODES, "name", "no", "number", "num", "序号", "词条 id"}
"""Keys that say nothing of their table: another table's column of the same name is another thing."""

_LIKE_A_KEY = re.compile(r"(id|code|key|no|num|number|编号|代码|号|. name)$")  # aid and blockcode are keys, too
_SPLIT_KEY = re.compile(r"(?<=[\u3400-\u9fff])(?=(?:id|编号|代码)\d*$)")
_NUMBER = re.compile(r" ?\d+$")

_ENOUGH = 0.5  # the inclusion ratio above which a key is confirmed: rows are deleted, and copies cut
_MOST = 8  # the most tables with keys of one name among which cells decide; of more only the owners of the key count

_ABOVE = {
    *("parent", "predecessor", "successor", "previous", "next", "original", "reply to", "replies to", "report to"),
    *("reports to", "prerequisite", "父", "上级", "上一级", "父级", "上级部门"),
}
"""What a row calls another row of its own table."""

_SUPERIORS = {"manager", "mgr", "boss", "supervisor", "superior", "leader", "head", "mentor", "经理", "主管", "领导"}
_PERSONS = {"employee", "staff", "person", "people", "worker", "member", "user", "agent", "officer"}
_PERSONS_ZH = {"员工", "职员", "人员"}


def with_likely_keys(
    schema: Schema, inclusion: InclusionRatio | None = None, identifies: Identifies | None = None
) -> Schema:
    """Return the schema with likely primary keys where none is declared, and likely foreign keys beside the declared.

    Args:
        schema: as declared; its keys all stay.
        inclusion: if given, the cells of a column must be among those that it refers to.
        identifies: if given, the evidence of cells on primary keys.
    """
    keyed, targets = _with_primary_keys(schema, identifies or _unknown)
    return replace(keyed, tables=tuple(_with_foreign_keys(table, targets, inclusion) for table in keyed.tables))


def with_likely_primary_keys(schema: Schema) -> Schema:
    """Return the schema with primary keys, inferred from names if none is declared."""
    return schema if all(table.primary_key for table in schema.tables) else _with_primary_keys(schema, _unknown)[0]


@lru_cache(maxsize=100_000)
def key_name(name: str) -> str:
    """Return a name in plain words, each in the singular, with its ``id`` apart."""
    return " ".join(singular(word) for word in _SPLIT_KEY.sub(" ", plain_name(name)).split())


def _with_primary_keys(schema: Schema, identifies: Identifies) -> tuple[Schema, _Targets]:
    named = [table if table.primary_key else _keyed(table, _own_key(table, identifies)) for table in schema.tables]
    firsts = Counter(first.name.lower() for table in named if (first := _only_id(table)))
    targets = _Targets(named)
    keyed = [
        table if table.primary_key else _keyed(table, _lone_key(table, firsts, targets, identifies)) for table in named
    ]
    targets.add(after for before, after in zip(named, keyed, strict=True) if after is not before)
    return replace(schema, tables=tuple(keyed)), targets


def _unknown(_table: Table, _column: str) -> None:
    """Return that the cells of a column are unknown."""


def _keyed(table: Table, key: Column | None) -> Table:
    return replace(table, primary_key=(key.name,)) if key else table


def key_candidates(table: Table) -> list[Column]:
    """Return the columns that may identify rows by their names, the likeliest first: ``id``, ``TABLE_id`` and alike."""
    own = key_name(table.name)
    named = {_joined(key_name(column.name)): column for column in reversed(table.columns)}
    return [named[name] for name in ("id", "编号", *(_joined(own + word) for word in _CODES)) if name in named]


def holds_codes(column: Column) -> bool:
    """Return whether a column, by its name, holds codes that identify rows."""
    return _is_code(key_name(column.name))


def _own_key(table: Table, identifies: Identifies) -> Column | None:
    """Return the likeliest column that identifies rows, or the first one if it is a code of each row."""
    for column in key_candidates(table):
        if identifies(table, column.name) is not False:
            return column
    first, name = table.columns[0], _joined(f"{key_name(table.name)}name")
    if holds_codes(first) and identifies(table, first.name):
        return first
    return next((column for column in table.columns if _joined(key_name(column.name)) == name), None)


def _lone_key(table: Table, firsts: Mapping[str, int], targets: _Targets, identifies: Identifies) -> Column | None:
    """Return the first column where it is an id that no other table begins with and that refers to none."""
    first = _only_id(table)
    alone = first is not None and firsts[first.name.lower()] == 1 and identifies(table, first.name) is not False
    return first if first and alone and not targets.likely(table, first) else None


def _only_id(table: Table) -> Column | None:
    """Return the first column if it is the only one that ends in id: a second one suggests a link table."""
    ids = [column for column in table.columns if column.name.lower().endswith("id")]
    return ids[0] if ids == [table.columns[0]] else None


def _with_foreign_keys(table: Table, targets: _Targets, inclusion: InclusionRatio | None) -> Table:
    linked = {column.lower() for key in table.foreign_keys for column in key.columns}
    likely: list[ForeignKey] = []
    for column in (column for column in table.columns if column.name.lower() not in linked):
        target = targets.likely(table, column, inclusion)
        if target is None and inclusion is not None and (own := targets.itself(table, column)) is not None:
            target = own if _is_confirmed(table, column, own, inclusion) else None
        if target:
            likely.append(ForeignKey((column.name,), target.table.name, (target.column.name,)))
    return replace(table, foreign_keys=(*table.foreign_keys, *likely))


class _Target:
    """A table that other tables may refer to by its key of one column.

    Attributes:
        own, key: what the table and its key are called, in plain words.
        word: the last word of the key: id, of employee id.
        referred: what a column elsewhere is called that refers to it.
        refers: whether a column elsewhere may refer to it by that name.
        owner: whether the key is called after its table, as ``state.state_name`` is and ``border.state_name`` is not.
    """

    def __init__(self, table: Table) -> None:
        self.table = table
        self.column = table.column(table.primary_key[0])
        self.own = key_name(table.name)
        self.key = key_name(self.column.name)
        self.word = self.key.rpartition(" ")[2]
        self.referred = f"{self.own} {self.word}"
        self.refers = self.word in _CODES
        stem = self.key.removesuffix(self.word).strip()
        self.owner = bool(stem) and (self.own == stem or _ends(self.own, stem))

    def is_linked(self, table: Table) -> bool:
        """Does the key itself refer to a table, so that a key back would say the same again?"""
        return any(key.refers_to(table) and self.column.name in key.columns for key in self.table.foreign_keys)


def _ends(name: str, end: str) -> bool:
    """Does a name end in these words? Chinese has no blanks between its words; two characters are one at least."""
    stem = end.rpartition(" ")[0] or end
    han = "\u3400" <= end[:1] <= "\u9fff" and len(stem) > 1
    return name != end and (name.endswith(f" {end}") or (han and name.endswith(end)))


def _ends_of(name: str) -> list[str]:
    return [name[start:] for start in range(1, len(name)) if _ends(name, name[start:])]


def _telling(target: _Target) -> Iterable[str]:
    is_telling = target.key not in _GENERIC and (target.owner or _LIKE_A_KEY.search(target.key))
    return [_joined(target.key)] if is_telling else ()


_Rule: TypeAlias = tuple[Callable[[_Target], Iterable[str]], Callable[[str], Iterable[str]]]
_RULES: Sequence[_Rule] = (
    # dept_code -> department.dept_code, QuestionID -> question.questionid
    (_telling, lambda name: [_joined(name)]),
    # singer_id -> singer.id
    (lambda target: [target.referred] if target.refers else (), lambda name: [name]),
    # company_id -> operating_company.id
    (lambda t: [f"{end} {t.word}" for end in _ends_of(t.own)] if t.refers else (), lambda name: [name]),
    # home_city_id -> city.city_id
    (lambda t: [t.key] if t.owner and t.word in _CODES else (), _ends_of),
    # main_singer_id -> singer.id
    (lambda target: [target.referred] if target.refers else (), _ends_of),
    # airport -> airport.airport_code
    (lambda target: [target.own] if _is_code(target.key) else (), lambda name: [name]),
)
"""The rules by which names match, the surest first: the keywords of a target, and those that a name looks for."""


class _Targets:
    """The tables of a schema that have a key of one column, by the names that refer to them."""

    def __init__(self, tables: Iterable[Table]) -> None:
        self._own: dict[str, _Target] = {}
        self._owners = defaultdict[tuple[int, str], list[_Target]](list)  # by rule and name
        self._others = defaultdict[tuple[int, str], list[_Target]](list)
        self.add(tables)

    def add(self, tables: Iterable[Table]) -> None:
        """Take in those of some tables that have a key of one column."""
        for target in (_Target(table) for table in tables if len(table.primary_key) == 1):
            self._own[target.table.name] = target
            for number, (names, _) in enumerate(_RULES):
                for name in names(target):
                    (self._owners if target.owner else self._others)[number, name].append(target)

    def _alike(self, rule: int, name: str) -> list[_Target]:
        """Return the targets that a rule finds by a name; only the owners if there are many."""
        others = self._others.get((rule, name), [])
        return self._owners.get((rule, name), []) + (others if len(others) <= _MOST else [])

    def likely(self, table: Table, column: Column, inclusion: InclusionRatio | None = None) -> _Target | None:
        """Return the one table that a column refers to by its name; None if there is none, or if several are alike.

        Args:
            inclusion: if given, tables that do not have the column's cells are none that it refers to; where the surest
                rule finds none but these, no other is applied.
        """
        name, own = key_name(column.name), self._own.get(table.name)
        is_own = own is not None and table.primary_key == (column.name,)
        if own is not None and is_own and (own.owner or name == own.referred):
            return None
        for number, (_, sought) in enumerate(_RULES):
            names = dict.fromkeys(key for each in (name, _NUMBER.sub("", name)) for key in sought(each))
            alike = [
                target
                for key in names
                for target in self._alike(number, key)
                if target is not own and not target.is_linked(table)
                if not is_own or inclusion or target.referred == name or target.owner
            ]
            near = [t for t in alike if _comparable(column, t.column)] or (alike if inclusion else [])
            there = [t for t in near if inclusion is None or _is_confirmed(table, column, t, inclusion)]
            if is_own and inclusion:  # of two keys, that of the table with more rows is referred to
                there = [
                    t for t in there if t.owner or (inclusion(t.table, t.column.name, table, column.name) or 1.0) < 1
                ]
            found = [target for target in there if target.owner] if len(there) > 1 else there
            if found or (near and not there):
                return found[0] if len(found) == 1 else None
        return None

    def itself(self, table: Table, column: Column) -> _Target | None:
        """Return a column's own table if its name suggests that: employee.manager_id, part.parent, comment.reply_to."""
        own = self._own.get(table.name)
        if own is None or column.name == own.column.name or not _comparable(column, own.column):
            return None
        name = key_name(column.name).removesuffix(f" {own.word}").removesuffix(" id").removesuffix(f" {own.own}")
        person = own.own.rpartition(" ")[2] in _PERSONS | _PERSONS_ZH
        return own if name in _ABOVE or (person and name in _SUPERIORS) else None


def _is_confirmed(table: Table, column: Column, target: _Target, inclusion: InclusionRatio) -> bool:
    """Are the cells of a column among those of a target, as far as known?"""
    share = inclusion(table, column.name, target.table, target.column.name)
    return share is None or share > _ENOUGH


def _comparable(one: Column, other: Column) -> bool:
    """Can the values of two columns be equal, by their types?"""
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


def _is_code(name: str) -> bool:
    """Return whether a column of this name, in plain words, holds codes that identify rows."""
    return bool(_LIKE_A_KEY.search(name)) and not name.endswith("name")


def _joined(name: str) -> str:
    """Return a name without blanks, since names in small letters do not separate words."""
    return name.replace(" ", "")
