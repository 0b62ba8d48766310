"""Entities of a domain folder, and where questions say them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import cast

from ..domains.domain import Entity
from ..domains.examples import ValueMention
from ..sql.compared import SqlLiteral, sql_literals
from .files import Record, read_jsonl

__all__ = ["Gazetteer", "read_entities"]

_TYPE = re.compile(r"[A-Za-z_](?:[A-Za-z_0-9]*[A-Za-z_])?")


def read_entities(path: Path, *, language: str | None = None) -> tuple[Entity, ...]:
    """Read ``{"sql", "type", "says": [...]}`` lines; ``says`` may also be ``{"zh": [...], "en": [...]}``.

    Args:
        path: the file.
        language: leave out what ``says`` marks as another language's; None keeps all.

    Raises:
        DomainError: a line is no such object.
    """
    return tuple(_entity(record, language) for record in read_jsonl(path))


def _entity(record: Record, language: str | None) -> Entity:
    kind = record.text("type")
    if not _TYPE.fullmatch(kind) or kind in {"number", "time"}:
        hint = "use ASCII letters and _, digits inside only; number and time are taken"
        raise record.error(f"{kind!r} cannot name a slot", "type", hint)
    says: object = record.data.get("says", [])
    if isinstance(says, dict):
        by_language = cast("dict[str, list[str]]", says)
        wanted = [by_language.get(language, [])] if language else list(by_language.values())
        says = list(dict.fromkeys(say for ways in wanted for say in ways)) if all(map(_is_list, wanted)) else None
    if not isinstance(says, list) or not all(isinstance(s, str) and s.strip() for s in says):
        raise record.error("not a list of texts", "says", 'write ["TI101", "top temperature"]')
    return Entity(record.text("sql"), kind, tuple(says))


def _is_list(ways: object) -> bool:
    return isinstance(ways, list)


class Gazetteer:
    """Finds entities that a query names in the question that asks it.

    Args:
        entities: all there are.
        queries: gold queries; columns compared with entities get the type of most of them.
        dialect: of the queries.
    """

    def __init__(self, entities: Iterable[Entity], queries: Iterable[str], dialect: str) -> None:
        self._dialect = dialect
        self._entities: dict[str, list[Entity]] = {}
        for entity in entities:
            self._entities.setdefault(entity.sql.lower(), []).append(entity)
        votes: dict[str, Counter[str]] = {}
        for literal in (x for sql in queries for x in sql_literals(sql, dialect) if x.column):
            # an entity of several types says nothing about the column
            for entity in self._named(literal)[:1] if len(self._named(literal)) == 1 else ():
                votes.setdefault(literal.column, Counter())[entity.type] += 1
        self._types = {column: count.most_common(1)[0][0] for column, count in votes.items()}

    def type_of(self, column: str) -> str | None:
        """Return the entity type of a column (bare, lower case), None if it holds no entities."""
        return self._types.get(column)

    def mentions(self, question: str, sql: str) -> tuple[ValueMention, ...]:
        """Return where ``question`` says the entities that ``sql`` names, longest ways to say them first."""
        named = [(literal, entity) for literal in sql_literals(sql, self._dialect) if (entity := self._entity(literal))]
        ways = {(say, entity) for _, entity in named for say in (entity.sql, *entity.says)}
        found: list[ValueMention] = []
        for say, entity in sorted(ways, key=lambda way: (-len(way[0]), way[0], way[1].sql)):
            for match in _word(say).finditer(question):
                start, end = match.span()
                if not any(m.start < end and start < m.end for m in found):
                    found.append(ValueMention(start, end, match[0], entity.type, entity.sql))
        return tuple(found)

    def _named(self, literal: SqlLiteral) -> list[Entity]:
        return self._entities.get(literal.value.lower(), []) if literal.string else []

    def _entity(self, literal: SqlLiteral) -> Entity | None:
        named = self._named(literal)
        wanted = self._types.get(literal.column)
        return next((e for e in named if e.type == wanted), named[0] if named else None)


def _word(say: str) -> re.Pattern[str]:
    """Match ``say`` whatever its case, not inside a longer Latin word or number; Chinese may touch it."""
    left = r"(?<![A-Za-z0-9])" if say[0].isascii() and say[0].isalnum() else ""
    right = r"(?![A-Za-z0-9])" if say[-1].isascii() and say[-1].isalnum() else ""
    return re.compile(left + re.escape(say) + right, re.IGNORECASE)
