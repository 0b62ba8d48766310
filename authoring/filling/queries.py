"""A prototype's query as its pairs have it: in the domain's dialect, aliases one way, in canonical words."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from ...data.domains.examples import SLOT, STRING_OR_SLOT
from ...data.errors import QueryError
from ...data.prototypes.reader import Prototype
from ...data.schema.schema import Schema
from ...data.sql.aliases import with_canonical_aliases
from ...data.sql.dialects import translate
from ...data.sql.parsing import parse
from ...data.sql.slotted import readable, written
from ...grammar import Grammar

__all__ = ["QueryTranslator", "renamed"]


class QueryTranslator:
    """Translates the queries of one domain's prototypes.

    Args:
        schema: of the domain.
        read: the dialect that prototypes are written in.
        write: the domain's dialect.
    """

    def __init__(self, schema: Schema, *, read: str, write: str) -> None:
        self._grammar = Grammar.for_schema(schema, dialect=write)
        self._schema, self._read, self._write = schema, read, write
        self._known: dict[tuple[str, frozenset[str], frozenset[str]], str] = {}

    def of(self, prototype: Prototype, *, dates: Collection[str], shares: Collection[str] = ()) -> str:
        """Return a prototype's query, slots named as there.

        Args:
            prototype: whose query.
            dates: time slots that are filled with days, not moments.
            shares: number slots that hold 0.05 where the query counts in percent: it gets 100 times them.

        Raises:
            DomainError: the query cannot be translated, or is outside the grammar.
        """
        key = (prototype.id, frozenset(dates), frozenset(shares))
        if key not in self._known:
            try:
                sql = with_canonical_aliases(
                    _in_percent(prototype.sql, shares), dialect=self._read, schema=self._schema
                )
                self._known[key] = self.canonical(translate(sql, read=self._read, write=self._write, dates=dates))
            except QueryError as error:
                raise prototype.error(error.problem, field="sql", hint=error.hint) from error
        return self._known[key]

    def canonical(self, sql: str) -> str:
        """Return a query of the domain's dialect in the grammar's words.

        Raises:
            QueryError: it is outside the grammar.
        """
        tree = parse(readable(sql, self._write), self._write)
        return self._grammar.canonical(sql if tree is None else written(tree, self._write))


def renamed(text: str, names: Mapping[str, str]) -> str:
    """Return a text with its slots renamed."""
    return SLOT.sub(lambda match: f"{{{names[match[1] + match[2]]}}}", text)


def _in_percent(sql: str, shares: Collection[str]) -> str:
    def put(match: re.Match[str]) -> str:
        if match[1] is None or match[1] + match[2] not in shares:  # a string, a quoted name, or another slot
            return match[0]
        alone = sql[: match.start()].rstrip()[-1:] not in {"/", "-", "%"}
        return f"100 * {match[0]}" if alone else f"(100 * {match[0]})"

    return STRING_OR_SLOT.sub(put, sql)
