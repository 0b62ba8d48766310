"""Worked examples for a new domain: prototypes that its own schema already answers."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from .domain import Entity
from .schema import Column, Schema, Table

__all__ = ["Starters", "starters"]

_NUMERIC = re.compile(r"int|real|double|float|dec|num", re.IGNORECASE)
_HEAD = """\
# Prototypes: one query each, with the wordings that ask for it. `querent fill` makes question-SQL pairs of them.
#
#   [[prototype]]
#   id = "start.name"              unique; the part before the dot is the theme, best the name of the file
#   question = ["…", "…"]          several ways to ask, as your people would; each with every slot of the query
#   sql = "SELECT …"               slots of entities and times in quotes, number slots bare
#   fill = { number0 = "few" }     how number and time slots are filled
#
# A slot is a type and a number: {TYPES}, {number0}, {time0}; the types are those of entities.jsonl.
# `fill` takes a name (number: few, top, count, percent; time: day, since, week), a query
# ("SELECT population FROM city"), a list (["10", "20"]) or a range ({ from = 2, to = 10 }).
# The examples below were made from your tables: mend their words, throw them away, and write your own,
# as different from one another as your questions are. `querent check` tells what is wrong, with file and line.
"""


@dataclass(frozen=True)
class Starters:
    """The text of a prototypes file, and how many prototypes it holds."""

    text: str
    prototypes: int


@dataclass(frozen=True)
class _Starter:
    id: str
    wordings: tuple[str, ...]
    sql: str
    fill: str = ""

    def text(self) -> str:
        said = ", ".join(json.dumps(w, ensure_ascii=False) for w in self.wordings)
        lines = [f'[[prototype]]\nid = "start.{self.id}"', f"question = [{said}]"]
        lines.append(f"sql = {json.dumps(self.sql, ensure_ascii=False)}")
        return "\n".join([*lines, *([f"fill = {{ {self.fill} }}"] if self.fill else []), ""])


def starters(
    schema: Schema,
    entities: Mapping[tuple[str, str], tuple[Entity, ...]],
    *,
    quote: Callable[[str], str],
    language: str,
) -> Starters:
    """Return a prototypes file for ``schema``; ``entities`` as of `skeleton.entities_of`, ``quote`` writes names."""
    writer = _Writer(quote, zh=language == "zh")
    found: dict[str, _Starter] = {}
    for table in schema.tables[:3]:
        for starter in writer.of(table, {c: e for (t, c), e in entities.items() if t == table.name}):
            found.setdefault(starter.id, starter)
    types = ", ".join(f"{{{t}0}}" for t in dict.fromkeys(e[0].type for e in entities.values())) or "{name0}"
    head = _HEAD.replace("{TYPES}", types)
    return Starters("\n".join([head, *(s.text() for s in found.values())]), len(found))


@dataclass(frozen=True)
class _Writer:
    name: Callable[[str], str]
    zh: bool

    def of(self, table: Table, entities: Mapping[str, tuple[Entity, ...]]) -> Iterator[_Starter]:
        """Yield up to four prototypes about one table."""
        source, what = self.name(table.name), _words(table.name)
        wordings = (f"一共有多少条{what}记录", f"{what}的总数") if self.zh else (
            f"how many rows does {what} have", f"count the {what} records")  # fmt: skip
        key = re.sub(r"\W", "_", table.name.lower())
        yield _Starter(f"{key}_count", wordings, f"SELECT COUNT(*) FROM {source}")
        number = next((c for c in table.columns if _measures(c, table)), None)
        named = next((c for c in table.columns if c.name in entities), None)
        if named is None:
            return
        kind, name = entities[named.name][0].type, self.name(named.name)
        other = next((c for c in table.columns if c.name not in (named.name, *table.primary_key)), None)
        if other is not None:
            slot, said = "{" + kind + "0}", _words(other.name)
            wordings = (f"{slot}的{said}是什么", f"查一下{slot}的{said}") if self.zh else (
                f"what is the {said} of {slot}", f"{said} of {slot}")  # fmt: skip
            sql = f"SELECT {self.name(other.name)} FROM {source} WHERE {name} = '{slot}'"
            yield _Starter(f"{key}_{_key(other)}_of", wordings, sql)
        if number is None:
            return
        column, said = self.name(number.name), _words(number.name)
        wordings = (f"哪个{what}的{said}最大", f"{said}最大的{what}") if self.zh else (
            f"which {what} has the largest {said}", f"{what} with the greatest {said}")  # fmt: skip
        sql = f"SELECT {name} FROM {source} ORDER BY {column} DESC LIMIT 1"
        yield _Starter(f"{key}_largest_{_key(number)}", wordings, sql)
        wordings = (f"{said}大于{{number0}}的{what}", f"哪些{what}的{said}超过{{number0}}") if self.zh else (
            f"{what} with a {said} above {{number0}}", f"which {what} exceed a {said} of {{number0}}")  # fmt: skip
        sql = f"SELECT {name} FROM {source} WHERE {column} > {{number0}}"
        fill = f"number0 = {json.dumps(f'SELECT {column} FROM {source} WHERE {column} IS NOT NULL')}"
        yield _Starter(f"{key}_{_key(number)}_above", wordings, sql, fill)


def _measures(column: Column, table: Table) -> bool:
    """Is this a number that people compare, and no key?"""
    keys = {*table.primary_key, *(c for key in table.foreign_keys for c in key.columns)}
    return bool(_NUMERIC.search(column.type)) and column.name not in keys and not column.name.lower().endswith("id")


def _key(column: Column) -> str:
    return re.sub(r"\W", "_", column.name.lower())


def _words(name: str) -> str:
    return " ".join(re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[^\W_A-Za-z]+", name)).lower()
