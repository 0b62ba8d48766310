"""Fill the slots of prototypes: question-SQL pairs in the domain's dialect, the same ones each time.

Every draw hangs on the prototype's id, the language and the instance's number alone, so a new
prototype leaves the pairs of the others as they are. A filling is kept only if the question's
numbers and times are read back as meant, and the first whose answer says something is taken.
"""

from __future__ import annotations

import random
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...data.databases.database import Database
from ...data.databases.rows import says_something
from ...data.domains.prototypes import Prototype, numbered, slots
from ...data.errors import DatabaseError, QueryError
from ...data.parsing import parse
from ...data.schema.schema import Schema
from ...data.sql.dialects import translate
from ...data.sql.query import readable, written
from ...data.sql.sources import with_canonical_aliases
from ...data.values.literals import find
from ...data.values.slots import SLOT, STRING_OR_SLOT, ValueMention, bind, fill_sql
from ...grammar import Grammar
from .candidates import Filling, Fills, NothingFits

__all__ = ["Maker", "Pair", "QueryTranslator", "fill", "normal", "renamed", "wanted_pairs"]


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


def normal(sql: str, *, dialect: str, schema: Schema) -> str:
    """Return a slotted query in the form in which two that mean the same are the same text.

    Aliases are written one way and slots counted from the left.

    Raises:
        QueryError: it does not parse.
    """
    text = with_canonical_aliases(sql, dialect=dialect, schema=schema)
    return renamed(text, numbered(text))


def _in_percent(sql: str, shares: Collection[str]) -> str:
    def put(match: re.Match[str]) -> str:
        if match[1] is None or match[1] + match[2] not in shares:  # a string, a quoted name, or another slot
            return match[0]
        alone = sql[: match.start()].rstrip()[-1:] not in {"/", "-", "%"}
        return f"100 * {match[0]}" if alone else f"(100 * {match[0]})"

    return STRING_OR_SLOT.sub(put, sql)


Pair = dict[str, Any]
"""``id``, ``question`` and ``sql`` with slots, ``values`` by slot (``say`` and ``sql``), and ``prototype``;
``split`` and ``tags`` where the prototype tells them."""

_DRAWS = 40  # for one pair
_ANSWERS = 16  # queries run for one pair, until one answers
_FEWER = 3  # queries run where the pair before found no answer
_PREPOSITION = re.compile(r"\b(?:on|at|in) $", re.IGNORECASE)


@dataclass
class Maker:
    """Makes the pairs of one domain in one language; no question comes twice.

    Attributes:
        fills: draws the values.
        queries: translates the queries.
        database: fillings whose answer says something are preferred; None takes any.
        instances: pairs of one prototype; one without slots or with wordings of the test part has one a wording.
    """

    fills: Fills
    queries: QueryTranslator
    database: Database | None = None
    instances: int = 5
    _questions: set[str] = field(default_factory=set[str])

    def pairs(self, prototype: Prototype) -> tuple[list[Pair], bool]:
        """Return the pairs of a prototype, and whether the answer of one says something.

        They are fewer than wanted where nothing new is left to ask.

        Raises:
            DomainError: a rule, the query or a wording is wrong, or no filling is read back as meant.
        """
        found, answered, speaks = list[Pair](), True, False
        for number in range(wanted_pairs(prototype, self.fills.language, self.instances)):
            pair, answered = self.pair(prototype, number, tries=_ANSWERS if answered else _FEWER)
            if pair is not None:
                self._questions.add(fill(pair["question"], pair["values"])[0].casefold())
                found.append(pair)
                speaks |= answered
        return found, speaks

    def reset(self) -> None:
        """Forget which questions were asked."""
        self._questions.clear()

    def pair(self, prototype: Prototype, number: int, *, tries: int = _ANSWERS) -> tuple[Pair | None, bool]:
        """Return pair ``number``, None if all that can be asked is asked, and whether its answer says something.

        Raises:
            DomainError: see `pairs`.
        """
        language = self.fills.language
        rng = random.Random(f"{prototype.id}:{language}:{number}")
        wordings = prototype.said(language)
        wording = wordings[number % len(wordings)]
        kept: Pair | None = None
        failed: str | None = "there is nothing to ask"
        for _ in range(_DRAWS if slots(wording) else 1):
            pair, why = self._draw(prototype, wording, number, rng)
            failed = None if failed is None else why
            if pair is None:
                continue
            if self.database is None or self._answers(prototype, pair):
                return pair, True
            kept, tries = kept or pair, tries - 1
            if tries <= 0:
                break
        if kept is None and failed is not None:
            raise prototype.error(failed, field=language)
        return kept, False

    def _draw(
        self, prototype: Prototype, wording: str, number: int, rng: random.Random
    ) -> tuple[Pair | None, str | None]:
        """Return a pair, or why this draw gives none; a question that was asked before is no failure."""
        try:
            drawn = self.fills.draw(prototype, rng)
        except NothingFits as stuck:
            return None, f"nothing is left to fill {stuck} with"
        pair = self._filled(prototype, wording, drawn, number)
        text, mentions = fill(pair["question"], pair["values"])
        if text.casefold() in self._questions:
            return None, None
        if not self._read_back(text, mentions):
            read = [m.text for m in find(text, language=self.fills.language, now=self.fills.now)]
            return None, f"numbers and times of {text!r} are read as {read}, which is not what fills its slots"
        return pair, None

    def _filled(self, prototype: Prototype, wording: str, drawn: Mapping[str, Filling], number: int) -> Pair:
        names = numbered(wording)
        dates = {slot for slot, f in drawn.items() if slot.startswith("time") and len(f.sql) == len("2024-03-01")}
        shares = {slot for slot, f in drawn.items() if f.how == "share"}
        sql = self.queries.of(prototype, dates=dates, shares=shares)
        return {
            "id": f"{prototype.id}.{self.fills.language}.{number}",
            "question": renamed(_without_prepositions(wording, drawn), names),
            "values": {names[slot]: {"say": drawn[slot].say, "sql": drawn[slot].sql} for slot in names},
            "sql": renamed(sql, names),
            "prototype": prototype.id,
            **self._part(prototype, number),
            **({"tags": {"hops": " ".join(prototype.hops)}} if prototype.hops else {}),
        }

    def _part(self, prototype: Prototype, number: int) -> Pair:
        """Return the part of the question split that a wording is for: the last one before those of test is dev's."""
        if not prototype.tests:
            return {}
        learnt = len(prototype.wordings[self.fills.language])
        part = "test" if number >= learnt else "dev" if number == learnt - 1 else "train"
        return {"split": {"question": part}}

    def _read_back(self, text: str, mentions: Sequence[ValueMention]) -> bool:
        """Tell whether the numbers and times found in ``text`` are those of its slots and no others."""
        meant = {(m.start, m.end, m.type, m.sql) for m in mentions if m.type in {"number", "time"}}
        found = find(text, language=self.fills.language, now=self.fills.now)
        return {(m.start, m.end, m.type, m.sql) for m in found} == meant

    def _answers(self, prototype: Prototype, pair: Pair) -> bool:
        _, mentions = fill(pair["question"], pair["values"])
        sql = fill_sql(pair["sql"], bind(mentions))
        if self.database is None:
            return True
        try:
            return says_something(self.database.query(sql).rows)
        except DatabaseError as error:
            raise prototype.error(f"its query does not run: {error.problem}", field="sql", hint=sql) from error


def wanted_pairs(prototype: Prototype, language: str, instances: int) -> int:
    """Return how many pairs a prototype should have; ``instances`` are those of one with slots."""
    return len(prototype.said(language)) if prototype.tests or not slots(prototype.sql) else instances


def fill(question: str, values: Mapping[str, Mapping[str, str]]) -> tuple[str, tuple[ValueMention, ...]]:
    """Return a pair's question with its slots filled, and where each value stands in it."""
    parts: list[str] = []
    mentions: list[ValueMention] = []
    end = length = 0
    for match in SLOT.finditer(question):
        value, kind = values[match[1] + match[2]], match[1]
        parts += [question[end : match.start()], value["say"]]
        length += match.start() - end + len(value["say"])
        end = match.end()
        literal = "number" if kind == "number" else "string"
        mentions.append(ValueMention(length - len(value["say"]), length, value["say"], kind, value["sql"], literal))
    return "".join([*parts, question[end:]]), tuple(mentions)


def _without_prepositions(wording: str, drawn: Mapping[str, Filling]) -> str:
    """Drop «on», «at» and «in» before «yesterday» and «last week»."""
    text, end = "", 0
    for match in SLOT.finditer(wording):
        before = wording[end : match.start()]
        text += _PREPOSITION.sub("", before) if drawn[match[1] + match[2]].relative else before
        text, end = text + match[0], match.end()
    return text + wording[end:]
