"""Questions on one open database into answers: parse, run, choose, and say how sure that is."""

from __future__ import annotations

import time
from collections.abc import Sequence

from ...data.answer import Alternative, Answer
from ...data.database import Database
from ...data.errors import ConstraintError
from ..normal_form import ShortConstraint
from ..reader.context import DatabaseContext
from .choice import Choice, choose
from .parsing import BUDGET, SchemaParser

__all__ = ["Answerer"]

SURE = 0.35
"""Confidence from which an answer counts as one; chosen on held-out databases."""

SOURCES = 6
"""Tables that one FROM may join."""


class Answerer:
    """Answers questions on one database.

    Args:
        parser: any that reads schemas.
        context: of the database.
        database: open for reading.
        level: what the local constraint promises; None is without it.
    """

    def __init__(
        self, parser: SchemaParser, context: DatabaseContext, database: Database, *, level: str | None = "runs"
    ) -> None:
        self.parser = parser
        self.context = context
        self.database = database
        self.constraint: ShortConstraint | None = None
        if level is not None:
            full = context.grammar.constraint(context.vocabulary, budget=BUDGET, level=level, sources=SOURCES)
            self.constraint = ShortConstraint(full)

    def ask(self, question: str, *, beam: int = 4) -> Answer:
        """Return the answer to one question.

        Args:
            beam: hypotheses that the search follows; 1 is greedy, and knows no alternatives.
        """
        begun = time.perf_counter()
        try:
            parse = self.parser.parse(self.context, question, width=beam, constraint=self.constraint)
        except ConstraintError as error:
            return Answer(question, None, status="error", reason=str(error), seconds=time.perf_counter() - begun)
        return _answer(question, choose(parse.candidates, self.database), begun)


def _answer(question: str, choices: Sequence[Choice], begun: float) -> Answer:
    best, others = choices[0], choices[1:]
    alternatives = tuple(Alternative(c.candidate.sql, round(c.weight, 4), c.candidate.score) for c in others)
    if best.rows is None:
        seconds = time.perf_counter() - begun
        sql = best.candidate.sql
        return Answer(question, sql, status="error", reason=best.problem, alternatives=alternatives, seconds=seconds)
    sure = best.weight >= SURE
    return Answer(
        question,
        best.candidate.sql,
        best.rows.columns,
        tuple(best.rows.rows),
        best.rows.truncated,
        round(min(best.weight, 1.0), 4),
        "ok" if sure else "unsure",
        None if sure else "other queries are nearly as likely; see the alternatives",
        alternatives,
        time.perf_counter() - begun,
    )
