"""Keys that a schema does not declare but that its names tell.

Guesses for a reader of schemas, never more: what the constraint promises of a query (a subquery used as a value
returns one row) must rest on declared keys alone.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from functools import cache
from typing import TypeAlias

from .noun_forms import singular
from .plain_names import plain_name
from .schema import Column, ForeignKey, Schema, Table

__all__ = ["Contained", "with_likely_keys"]

_KEY_WORDS = ("id", "编号", "code", "key", "代码", "name")
"""What the column that identifies a row ends in; the first is the likeliest."""

_REFERRING = frozenset(_KEY_WORDS) - {"name"}
_GENERIC = {*_KEY_WORDS, "no", "number", "num", "序号", "词条 id"}
"""Keys that say nothing of their table: another table's column of the same name is another thing."""

_ABOVE = {
    *("parent", "predecessor", "successor", "previous", "next", "original", "reply to", "replies to", "report to"),
    *("reports to", "prerequisite", "父", "上级", "上一级", "父级", "上级部门"),
}
"""What is of the same kind as the row itself."""

_SUPERIORS = {"manager", "mgr", "boss", "supervisor", "superior", "leader", "head", "mentor", "经理", "主管", "领导"}
_PERSONS = {
    "employee",
    "staff",
    "person",
    "people",
    "worker",
    "member",
    "user",
    "agent",
    "officer",
    "员工",
    "职员",
    "人员",
}

_LIKE_A_KEY = re.compile(r"(id|code|key|no|num|number|编号|代码|号|. name)$")  # aid and blockcode are keys, too
_SPLIT_KEY = re.compile(r"(?<=[\u3400-\u9fff])(?=(?:id|编号|代码)\d*$)")
_NUMBER = re.compile(r" ?\d+$")

Contained: TypeAlias = Callable[[Table, str, Table, str], bool]
"""Whether the cells of a table's column are there in a column of another table."""


def with_likely_keys(schema: Schema, contained: Contained | None = None) -> Schema:
    """Return the schema with likely primary keys where none is declared, and likely foreign keys beside the declared.

    Args:
        schema: as declared; its keys all stay.
        contained: if given, a foreign key must be borne out by the column's cells.
    """
    named = [_keyed(table, _own_key(table)) for table in schema.tables]
    firsts = Counter(first.name.lower() for table in named if (first := _only_id(table)))
    targets = _targets(named)
    keyed = [_keyed(table, _lone_key(table, firsts, targets)) for table in named]
    targets = _targets(keyed)
    return replace(schema, tables=tuple(_with_foreign_keys(table, targets, contained) for table in keyed))


def _keyed(table: Table, key: Column | None) -> Table:
    return replace(table, primary_key=(key.name,)) if key and not table.primary_key else table


def _own_key(table: Table) -> Column | None:
    """Return the column that is called ``id``, ``TABLE_id`` or alike."""
    own = _words(table.name)
    named = {_joined(_words(column.name)): column for column in reversed(table.columns)}
    wanted = ("id", "编号", *(_joined(f"{own}{word}") for word in _KEY_WORDS))
    return next((named[name] for name in wanted if name in named), None)


def _lone_key(table: Table, firsts: Mapping[str, int], targets: Collection[_Target]) -> Column | None:
    """Return the first column where it is an id that no other table begins with and that refers to none."""
    first = _only_id(table)
    alone = first is not None and firsts[first.name.lower()] == 1
    return first if first and alone and not _likely_target(table, first, targets) else None


def _only_id(table: Table) -> Column | None:
    """Return the first column if it is the only one that ends in id: a second tells of a link table."""
    ids = [column for column in table.columns if column.name.lower().endswith("id")]
    return ids[0] if ids == [table.columns[0]] else None


class _Target:
    """A table that other tables may refer to by its key of one column."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.column = table.column(table.primary_key[0])
        self.own = _words(table.name)
        self.key = _words(self.column.name)
        self.joined = _joined(self.key)
        self.word = self.key.rpartition(" ")[2]  # id, of employee id
        columns = {_words(column.name) for column in table.columns}
        # where the table has a city_id beside its key city_code, a city_id elsewhere refers to that
        self.referred = f"{self.own} {self.word}"
        # no rule fits a name of another end
        self.ends = {_end_of(self.key), _end_of(self.referred), _end_of(self.own), self.joined}
        self.refers = self.word in _REFERRING and (self.referred == self.key or self.referred not in columns)

    def is_owner(self) -> bool:
        """Does the key tell of its table, as ``state.state_name`` does and ``border.state_name`` does not?"""
        stem = self.key.removesuffix(self.word).strip()
        return bool(stem) and (self.own == stem or _ends(self.own, stem))

    def is_telling(self) -> bool:
        """Is another table's column of the same name likely to mean this key?"""
        return self.key not in _GENERIC and (self.is_owner() or bool(_LIKE_A_KEY.search(self.key)))

    def is_coded(self) -> bool:
        """Is the key a code, so that a column called like the table can hold nothing but the code?"""
        return bool(_LIKE_A_KEY.search(self.key)) and self.word != "name"


def _targets(tables: Collection[Table]) -> list[_Target]:
    return [_Target(table) for table in tables if len(table.primary_key) == 1]


def _is_short(name: str, target: _Target) -> bool:
    stem, _, word = name.rpartition(" ")
    return target.refers and word == target.word and stem != "" and _ends(target.own, stem)


Rule = Callable[[str, _Target], bool]
_RULES: tuple[Rule, ...] = (
    # dept_code -> department.dept_code, QuestionID -> question.questionid
    lambda name, target: _joined(name) == target.joined and target.is_telling(),
    lambda name, target: name == target.referred and target.refers,  # singer_id -> singer.id
    _is_short,  # company_id -> operating_company.id
    lambda name, target: target.is_owner() and target.word in _REFERRING and _ends(name, target.key),  # home_city_id
    lambda name, target: target.refers and _ends(name, target.referred),  # main_singer_id -> singer.id
    lambda name, target: target.is_coded() and name == target.own,  # airport -> airport.airport_code
    lambda name, target: target.word == "code" and name.partition(" ")[2] == target.own,  # to_airport -> the same
)
"""How a column says what it refers to, the surest first."""


def _with_foreign_keys(table: Table, targets: Collection[_Target], contained: Contained | None) -> Table:
    linked = {column.lower() for key in table.foreign_keys for column in key.columns}
    likely: list[ForeignKey] = []
    for column in table.columns:
        target = None if column.name.lower() in linked else _likely_target(table, column, targets)
        if target is None and contained is not None and column.name.lower() not in linked:
            target = _own_target(table, column, targets)
        if target and (contained is None or contained(table, column.name, target.table, target.column.name)):
            likely.append(ForeignKey((column.name,), target.table.name, (target.column.name,)))
    return replace(table, foreign_keys=(*table.foreign_keys, *likely))


def _own_target(table: Table, column: Column, targets: Collection[_Target]) -> _Target | None:
    """Return the table itself where a column says so: employee.manager_id, part.parent, comment.reply_to."""
    own = next((target for target in targets if target.table == table), None)
    if own is None or column.name == own.column.name or not _comparable(column, own.column):
        return None
    name = _words(column.name).removesuffix(f" {own.word}").removesuffix(" id").removesuffix(f" {own.own}")
    person = own.own.rpartition(" ")[2] in _PERSONS
    return own if name in _ABOVE or (person and name in _SUPERIORS) else None


def _likely_target(table: Table, column: Column, targets: Collection[_Target]) -> _Target | None:
    """Return the one table that a column refers to by its name; None if there is none, or if several are alike."""
    name = _words(column.name)
    names = {name, _NUMBER.sub("", name)}
    ends = {*map(_end_of, names), *map(_joined, names)}
    near = [t for t in targets if t.ends & ends]
    fitting = [t for t in near if t.table != table and _comparable(column, t.column) and not _linked(t, table)]
    if table.primary_key == (column.name,):  # one row each: only to the table that the name tells of
        own = _Target(table)
        told = own.is_owner() or name == own.referred
        fitting = [] if told else [t for t in fitting if t.is_owner() or name == t.referred]
    for rule in _RULES:
        found = [t for t in fitting if any(rule(n, t) for n in names)]
        found = [t for t in found if t.is_owner()] if len(found) > 1 else found
        if found:
            return found[0] if len(found) == 1 else None
    return None


def _linked(target: _Target, table: Table) -> bool:
    """Does the target's key itself refer to the table, so that a key back would say the same again?"""
    return any(key.refers_to(table) and target.column.name in key.columns for key in target.table.foreign_keys)


def _comparable(one: Column, other: Column) -> bool:
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


def _end_of(name: str) -> str:
    """Return the last word of a name, its last character of one in Chinese."""
    last = name.rpartition(" ")[2]
    return last[-1:] if "\u3400" <= last[-1:] <= "\u9fff" else last


def _joined(name: str) -> str:
    """Return a name without blanks: who writes all in small letters tells no words apart."""
    return name.replace(" ", "")


def _ends(name: str, end: str) -> bool:
    """Does a name end in these words? Chinese has no blanks between its words; two characters are one at least."""
    stem = end.rpartition(" ")[0] or end
    han = "\u3400" <= end[:1] <= "\u9fff" and len(stem) > 1
    return name != end and (name.endswith(f" {end}") or (han and name.endswith(end)))


def _words(name: str) -> str:
    """Return a name in plain words, each in the singular, with its ``id`` apart."""
    return " ".join(singular(word) for word in _SPLIT_KEY.sub(" ", plain_name(name)).split())
