"""Typing errors in the names of gold queries, as EFRAG puts them into what a language model wrote, and their mending.

In the model's place stands one that follows to the letter what it is told of a failing query: the nearest query, or the
first name that could stand there. So this measures the messages of `querent.connect_llm`'s corrections, no model.
"""

# pyright: reportMissingImports=false
from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from sqlglot import tokenize

from querent.data.databases.database import Database
from querent.llm.answering import LlmOptions
from querent.llm.connection import LlmConnection, connect_llm
from querent.llm.messages import Completions, Message

from .judging import equal

__all__ = ["ROUNDS", "LiteralModel", "asked_with_typos", "mended", "shares", "with_typos"]

ROUNDS = 3
_NEAREST = re.compile(r"nearest: (SELECT .*)$", re.MULTILINE)
_STANDS = re.compile(r"'([^']+)'; there could stand ([^,\n]+)")


class LiteralModel:
    """A back end that writes a given query first, and then does as it is told.

    Attributes:
        query: written first.
    """

    name = "literal"
    context = None

    def __init__(self) -> None:
        self.query = ""

    def complete(
        self, messages: Sequence[Message], *, n: int = 1, temperature: float = 0.0, max_tokens: int = 256
    ) -> Completions:
        """Return the query, or the last one mended where the last message tells what is wrong with it."""
        told = messages[-1].content
        failed = re.search(r"^SELECT .*$", told, re.MULTILINE)
        again = failed is not None and any(message.role == "assistant" for message in messages)
        return Completions((mended(failed[0], told) if again and failed else self.query,) * n)

    def count(self, messages: Sequence[Message]) -> int:
        """Return about how many words the messages have."""
        return sum(len(message.content.split()) for message in messages)


def mended(sql: str, told: str) -> str:
    """Return a query with what a message names in the place of what it calls wrong."""
    if whole := _NEAREST.search(told):
        return whole[1]
    found = _STANDS.search(told)
    if found is None:
        return sql
    wrong, right = re.escape(found[1]), found[2].strip()
    dotted = rf"(?<![\w.]){wrong}\.\w+" if re.search(rf"(?<![\w.]){wrong}\.\w+", sql) else rf"(?:\w+\.)?{wrong}(?!\w)"
    if "." in right:
        return re.sub(dotted, lambda _: right, sql, count=1)
    return re.sub(rf"(?<![\w.]){wrong}(?!\w)", lambda _: right, sql)


def with_typos(sql: str, count: int, rng: random.Random) -> str | None:
    """Return a query with a typing error in some of its names, None where it has not so many that are long enough."""
    names = [one for one in tokenize(sql, read="sqlite") if one.token_type.name == "VAR" and len(one.text) > 3]
    names = [one for one in names if sql[one.end + 1 : one.end + 2] != "("]  # no functions
    if len(names) < count:
        return None
    for one in sorted(rng.sample(names, k=count), key=lambda token: -token.start):
        sql = sql[: one.start] + _typo(one.text, rng) + sql[one.end + 1 :]
    return sql


def _typo(name: str, rng: random.Random) -> str:
    """Return a name with a letter left out, twice, or changed for the next one."""
    place = rng.randrange(1, len(name) - 1)
    left = name[:place] + name[place + 1 :]
    twice = name[:place] + name[place] + name[place:]
    swapped = name[:place] + name[place + 1] + name[place] + name[place + 2 :]
    return rng.choice([one for one in (left, twice, swapped) if one != name])


def asked_with_typos(
    home: Path, questions: Sequence[Mapping[str, Any]], counts: Sequence[int], seed: int
) -> Iterator[dict[str, Any]]:
    """Yield for each question and number of typing errors in how many rounds its query was mended, None if never.

    Args:
        home: the folder of one language.
        questions: of ProxySpider.
        counts: how many names have an error.
    """
    for name in dict.fromkeys(one["db_id"] for one in questions):
        file = home / "database" / name / f"{name}.sqlite"
        model, options = LiteralModel(), LlmOptions(corrections=ROUNDS)
        with Database.open(file) as database, connect_llm(file, model, options=options) as connection:
            for number, one in enumerate(question for question in questions if question["db_id"] == name):
                for count in counts:
                    written = with_typos(one["query"], count, random.Random(f"{seed} {name} {number} {count}"))
                    if written is not None:
                        model.query = written
                        yield _mended(connection, database, one, written) | {"typos": count}


def _mended(connection: LlmConnection, database: Database, question: Mapping[str, Any], written: str) -> dict[str, Any]:
    gold = database.attempt(question["query"])
    answer = connection.ask(question["question"])
    right = [
        attempt.sql is not None and equal(database.attempt(attempt.sql), gold, ordered=question["ordered"])
        for attempt in answer.attempts
    ]
    rounds = right.index(True) if True in right else None
    last = answer.attempts[-1]
    return {"query": question["query"], "written": written, "rounds": rounds, "sql": last.sql, "problem": last.problem}


def shares(records: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return by the number of typing errors the share of queries that are right after so many rounds or fewer."""
    result: dict[str, Any] = {}
    for count in sorted({one["typos"] for one in records}):
        rounds = [one["rounds"] for one in records if one["typos"] == count]
        within = [sum(one is not None and one <= most for one in rounds) / len(rounds) for most in range(ROUNDS + 1)]
        result[str(count)] = {"queries": len(rounds), "right after rounds": [round(share, 4) for share in within]}
    return result
