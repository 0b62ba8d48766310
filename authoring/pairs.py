"""Question-SQL pairs in the domain's dialect, made of prototypes, the same ones each time.

Every draw hangs on the prototype's id, the language and the pair's number alone, so a new prototype leaves the pairs of
the others as they are. A filling is kept only if the question's numbers and times are read back as meant, and the first
whose answer says something is taken.
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
"""``id``, ``question`` and ``sql`` with slots, ``values`` by slot (``say`` and ``sql``), and ``prototype``;
``split`` and ``tags`` where the prototype has them."""

_DRAWS = 40  # for one pair
_ANSWERS = 16  # queries run for one pair, until one answers
_FEWER = 3  # queries run where the pair before found no answer
_PREPOSITION = re.compile(r"\b(?:on|at|in) $", re.IGNORECASE)


class PrototypeQueries:
    """Writes the queries of one domain's prototypes in the words of the domain's grammar."""

    def __init__(self, schema: Schema, dialect: str) -> None:
        self._grammar = Grammar.for_schema(schema, dialect=dialect)
        self._schema, self._dialect = schema, dialect
        self._known: dict[tuple[str, frozenset[str]], str] = {}

    def of(self, prototype: Prototype, *, shares: Collection[str] = ()) -> str:
        """Return the query of a prototype with the prototype's slots.

        Args:
            shares: number slots that hold 0.05 where the query counts in percent: it gets 100 times them.

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
        """Return a query of the domain's dialect in the grammar's words.

        Raises:
            QueryError: it is outside the grammar.
        """
        tree = parse(readable(sql, self._dialect), self._dialect)
        return self._grammar.canonical(sql if tree is None else written(tree, self._dialect))


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


@dataclass
class Maker:
    """Makes the pairs of one domain in one language; no question comes twice.

    Attributes:
        fills: draws the values; fillings whose answer says something are preferred, if it has a database.
        queries: writes the queries.
        instances: pairs of one prototype; one without slots or with wordings of the test part has one a wording.
    """

    fills: Fills
    queries: PrototypeQueries
    instances: int = 5
    _questions: set[str] = field(default_factory=set[str])

    def pairs(self, prototype: Prototype) -> tuple[list[Pair], bool]:
        """Return the pairs of a prototype, and whether the answer of one says something.

        They are fewer than wanted where nothing new is left to ask.

        Raises:
            DomainError: a rule, the query or a wording is wrong, or no filling is read back as meant.
        """
        found, answers, speaks = list[Pair](), True, False
        for number in range(wanted_pairs(prototype, self.fills.language, self.instances)):
            pair, answers = self._pair(prototype, number, _ANSWERS if answers else _FEWER)
            if pair is not None:
                self._questions.add(fill(pair["question"], pair["values"])[0].casefold())
                found.append(pair)
                speaks |= answers
        return found, speaks

    def _pair(self, prototype: Prototype, number: int, tries: int) -> tuple[Pair | None, bool]:
        """Return pair ``number``, None if all that can be asked is asked, and whether its answer says something."""
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
                failed = None  # to have nothing new to ask is no failure
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
        if prototype.tests:  # the last wording before those of the test part is dev's
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
    """Return how many pairs a prototype should have; ``instances`` are those of one with slots."""
    return len(prototype.all_wordings(language)) if prototype.tests or not slots(prototype.sql) else instances


def fill(question: str, values: Mapping[str, Mapping[str, str]]) -> tuple[str, tuple[ValueMention, ...]]:
    """Return a pair's question with its slots filled, and where each value stands in it."""
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
