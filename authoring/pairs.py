"""Makes question-SQL pairs of prototypes, in the domain's dialect, always the same ones.

Every draw depends on the prototype's id, the language and the number of the pair alone, so a new prototype does not
change the pairs of others. A filling needs numbers and times that can be read back from its question, and the first one
with an answer that is not empty is chosen.
"""

import random
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..data.databases.rows import says_something
from ..data.domains.prototypes import Prototype, numbered, slots
from ..data.errors import DatabaseError, QueryError
from ..data.parsing import parse
from ..data.schema.schema import Schema
from ..data.sql.query import readable, written
from ..data.sql.sources import with_canonical_aliases
from ..data.values.literals import find
from ..data.values.slots import SLOT, STRING_OR_SLOT, ValueMention, bind, fill_sql
from ..grammar import Grammar
from .values import Filling, Fills, NothingFits

Pair = dict[str, Any]
"""A pair: ``id``, ``question`` and ``sql`` with slots, ``values`` by slot (``say`` and ``sql``), ``prototype``, and the
``split`` and ``tags`` of the prototype."""

_DRAWS = 40  # the draws for a pair
_ANSWERS = 16  # the queries that are run for a pair until one has an answer
_FEWER = 3  # the queries that are run if the pair before found no answer
_PREPOSITION = re.compile(r"\b(?:on|at|in) $", re.IGNORECASE)


class PrototypeQueries:
    """Writes the queries of one domain's prototypes in the words of the domain's grammar.

    Args:
        schema: the schema of the domain.
        dialect: the dialect of the domain, and of its prototypes.
    """

    def __init__(self, schema: Schema, dialect: str) -> None:
        self._grammar = Grammar.for_schema(schema, dialect=dialect)
        self._schema, self._dialect = schema, dialect
        self._known: dict[tuple[str, frozenset[str]], str] = {}

    def of(self, prototype: Prototype, *, shares: Collection[str] = ()) -> str:
        """Return the query of a prototype with its slots.

        Args:
            prototype: the prototype.
            shares: the number slots with values such as 0.05 that the query has in percent: it multiplies them by 100.

        Raises:
            DomainError: the query is outside the grammar.
        """
        key = (prototype.id, frozenset(shares))
        if key not in self._known:
            try:
                sql = _in_percent(prototype.sql, shares)
                self._known[key] = self.canonical(
                    with_canonical_aliases(sql, dialect=self._dialect, schema=self._schema)
                )
            except QueryError as error:
                raise prototype.error(error.problem, field="sql", hint=error.hint) from error
        return self._known[key]

    def canonical(self, sql: str) -> str:
        """Return a query of the domain's dialect in the words of the grammar.

        Raises:
            QueryError: it is outside the grammar.
        """
        tree = parse(readable(sql, self._dialect), self._dialect)
        return self._grammar.canonical(sql if tree is None else written(tree, self._dialect))


def renamed(text: str, names: Mapping[str, str]) -> str:
    """Return a text with its slots renamed."""
    return SLOT.sub(lambda match: f"{{{names[match[1] + match[2]]}}}", text)


def normal(sql: str, *, dialect: str, schema: Schema) -> str:
    """Return a slotted query with canonical aliases, and slots numbered from the left.

    Two queries with the same meaning become the same text.

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


@dataclass
class Maker:
    """Makes the pairs of one domain in one language, without repeating a question.

    Attributes:
        fills: draws the values; with a database, fillings whose answer is not empty are preferred.
        queries: writes the queries.
        instances: the number of pairs of a prototype, see `wanted_pairs`.
    """

    fills: Fills
    queries: PrototypeQueries
    instances: int = 5
    _questions: set[str] = field(default_factory=set[str])

    def pairs(self, prototype: Prototype) -> tuple[list[Pair], bool]:
        """Return the pairs of a prototype, and whether the answer of one is not empty.

        There are fewer pairs than wanted if no new question is left.

        Raises:
            DomainError: a rule, the query or a wording is wrong, or no filling can be read back.
        """
        found, answers, any_answer = list[Pair](), True, False
        for number in range(wanted_pairs(prototype, self.fills.language, self.instances)):
            pair, answers = self._pair(prototype, number, _ANSWERS if answers else _FEWER)
            if pair is not None:
                self._questions.add(fill(pair["question"], pair["values"])[0].casefold())
                found.append(pair)
                any_answer |= answers
        return found, any_answer

    def _pair(self, prototype: Prototype, number: int, tries: int) -> tuple[Pair | None, bool]:
        """Return pair ``number``, None if no new question is left, and whether its answer is not empty."""
        language, now = self.fills.language, self.fills.now
        rng, wordings = random.Random(f"{prototype.id}:{language}:{number}"), prototype.all_wordings(language)
        wording = wordings[number % len(wordings)]
        kept: Pair | None = None
        failed: str | None = "there is nothing to ask"
        for _ in range(_DRAWS if slots(wording) else 1):
            try:
                pair = self._filled(prototype, wording, self.fills.draw(prototype, rng), number)
            except NothingFits as stuck:
                failed = failed and f"nothing is left to fill {stuck} with"
                continue
            text, mentions = fill(pair["question"], pair["values"])
            if text.casefold() in self._questions:
                failed = None  # the lack of new questions is no failure
                continue
            found = find(text, language=language, now=now)
            if _measures(found) != _measures(mentions):
                read = [one.text for one in found]
                failed = (
                    failed and f"numbers and times of {text!r} are read as {read}, which is not what fills its slots"
                )
                continue
            if self.fills.database is None or self._answers(prototype, pair, mentions):
                return pair, True
            kept, tries = kept or pair, tries - 1
            if tries <= 0:
                break
        if kept is None and failed is not None:
            raise prototype.error(failed, field=language)
        return kept, False

    def _filled(self, prototype: Prototype, wording: str, drawn: Mapping[str, Filling], number: int) -> Pair:
        names = numbered(wording)
        shares = {slot for slot, one in drawn.items() if one.how == "share"}
        split, learnt = dict[str, str](), len(prototype.wordings[self.fills.language])
        if prototype.tests:  # the last wording before those of the test part is for dev
            split["question"] = "test" if number >= learnt else "dev" if number == learnt - 1 else "train"
        return {
            "id": f"{prototype.id}.{self.fills.language}.{number}",
            "question": renamed(_without_prepositions(wording, drawn), names),
            "values": {names[slot]: {"say": drawn[slot].say, "sql": drawn[slot].sql} for slot in names},
            "sql": renamed(self.queries.of(prototype, shares=shares), names),
            "prototype": prototype.id,
            **({"split": split} if split else {}),
            **({"tags": {"hops": " ".join(prototype.hops)}} if prototype.hops else {}),
        }

    def _answers(self, prototype: Prototype, pair: Pair, mentions: Iterable[ValueMention]) -> bool:
        sql, database = fill_sql(pair["sql"], bind(mentions)), self.fills.database
        try:
            return database is None or says_something(database.query(sql).rows)
        except DatabaseError as error:
            raise prototype.error(f"its query does not run: {error.problem}", field="sql", hint=sql) from error


def wanted_pairs(prototype: Prototype, language: str, instances: int) -> int:
    """Return the number of pairs that a prototype should have, which is ``instances`` if it has slots.

    Otherwise, or if it has wordings of the test part, there is one pair for each wording.
    """
    return len(prototype.all_wordings(language)) if prototype.tests or not slots(prototype.sql) else instances


def fill(question: str, values: Mapping[str, Mapping[str, str]]) -> tuple[str, tuple[ValueMention, ...]]:
    """Return a pair's question with its slots filled, and the mentions of its values."""
    text, end, mentions = "", 0, list[ValueMention]()
    for match in SLOT.finditer(question):
        value, kind = values[match[1] + match[2]], match[1]
        text += question[end : match.start()] + value["say"]
        end, start = match.end(), len(text) - len(value["say"])
        literal = "number" if kind == "number" else "string"
        mentions.append(ValueMention(start, len(text), value["say"], kind, value["sql"], literal))
    return text + question[end:], tuple(mentions)


def _measures(mentions: Iterable[ValueMention]) -> set[tuple[int, int, str, str]]:
    return {(one.start, one.end, one.type, one.sql) for one in mentions if one.type in {"number", "time"}}


def _without_prepositions(wording: str, drawn: Mapping[str, Filling]) -> str:
    """Drop «on», «at» and «in» before «yesterday» and «last week»."""
    text, end = "", 0
    for match in SLOT.finditer(wording):
        before = wording[end : match.start()]
        text += _PREPOSITION.sub("", before) if drawn[match[1] + match[2]].relative else before
        text, end = text + match[0], match.end()
    return text + wording[end:]
