"""How well anybody answers one part of a domain: a parser, a language model, one where the other is not sure."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace

from ..answers.answer import Answer
from ..data.databases.database import Database
from ..data.domains.domain import Domain, Example
from ..data.errors import LlmError
from ..grammar import Grammar
from ..meaning.profiling import open_profile
from ..parser.normal_form import NormalForm
from ..parser.runs.predict import MAX_UNHEARD
from .evaluate import examples_of
from .judging import Runner, judge
from .scores import Judgement, Scores

__all__ = ["Ask", "Reply", "evaluate_answers", "in_turn", "judge_answers"]


@dataclass(frozen=True)
class Reply:
    """What is answered to the question of an example.

    Attributes:
        sql: the query, None where there is none.
        sure: whether to rely on it.
        tokens: that a language model read and wrote for it; None where nobody counts.
        unheard: why a language model that was asked gave no answer at all; None where it did.
    """

    sql: str | None
    sure: bool = True
    tokens: int | None = 0
    unheard: str | None = None

    @classmethod
    def of(cls, answer: Answer) -> Reply:
        """Return what matters of an answer."""
        unheard = answer.reason if answer.unheard else None
        return cls(answer.sql, answer.status == "ok", answer.tokens, unheard)


Ask = Callable[[Example], Reply]
"""Answers the question of an example, of which it may use nothing else."""


def in_turn(first: Ask, second: Ask) -> Ask:
    """Return what asks the first, and the second only where the first is not sure; tokens are those of both.

    Where the second has no query, the first one's stands.
    """

    def ask(example: Example) -> Reply:
        one = first(example)
        if one.sure:
            return one
        other = second(example)
        tokens = None if one.tokens is None or other.tokens is None else one.tokens + other.tokens
        return replace(one if other.sql is None else other, tokens=tokens, unheard=other.unheard)

    return ask


def evaluate_answers(
    ask: Ask,
    domain: Domain,
    *,
    part: str = "test",
    split: str = "question",
    beam: int | None = None,
    limit: int | None = None,
    progress: Callable[[], None] = lambda: None,
) -> Scores:
    """Answer every question of a part and score the answers; see `judge_answers`, and `evaluate` for the arguments.

    Args:
        ask: answers a question.
        beam: of a parser that is asked, for the record.

    Raises:
        InputError: the part is empty.
        DatabaseError: the domain's database cannot be opened.
        LlmError: a language model gave no answer so many times in a row that it counts as gone.
    """
    judged = judge_answers(examples_of(domain, part, split, limit), ask, domain, progress=progress)
    seconds = round(sum(j.seconds or 0.0 for j in judged), 3)
    return Scores.of(judged, part=part, split=split, values="own", beam=beam, seconds=seconds)


def judge_answers(
    examples: Sequence[Example],
    ask: Ask,
    domain: Domain,
    *,
    progress: Callable[[], None] = lambda: None,
) -> list[Judgement]:
    """Ask the questions of examples and judge the answers: by words and, where the domain has a database, by rows.

    A query that the answerer does not give counts as wrong.

    Args:
        progress: called once a question.

    Raises:
        DatabaseError: the domain's database cannot be opened.
        LlmError: a language model gave no answer so many times in a row that it counts as gone.
    """
    form = NormalForm(Grammar.for_schema(domain.schema, dialect=domain.dialect))
    where, functions = domain.database, domain.schema.functions
    profile = None if where is None else open_profile(where, domain.schema)
    opened = nullcontext() if where is None else Database.open(where, functions=functions)
    with opened as database:
        if database is not None:
            database.confine(domain.schema)
        runner = None if database is None else Runner(database, domain)
        judged: list[Judgement] = []
        for example, reply, seconds in _asked(examples, ask):
            told = judge(example, reply.sql or "", form, refused=reply.sql is None, runner=runner, profile=profile)
            judged.append(replace(told, unheard=reply.unheard is not None, tokens=reply.tokens, seconds=seconds))
            progress()
    return judged


def _asked(examples: Sequence[Example], ask: Ask) -> Iterator[tuple[Example, Reply, float]]:
    unheard = 0
    for example in examples:
        begun = time.perf_counter()
        reply = ask(example)
        yield example, reply, time.perf_counter() - begun
        unheard = 0 if reply.unheard is None else unheard + 1
        if unheard == MAX_UNHEARD:
            raise LlmError(f"{MAX_UNHEARD} questions in a row got no answer; the last: {reply.unheard}")
