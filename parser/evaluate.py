"""How well a parser answers one part of a domain."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from ..data import metrics
from ..data.database import Database, Rows
from ..data.domain import Domain
from ..data.errors import DatabaseError, InputError, QueryError, TimeLimitError
from ..data.examples import Example
from ..data.suite import Suite, in_sqlite, sqlite_file
from ..ner.evaluate import evaluate as evaluate_values
from .global_constraint import GlobalConstraint, encode_covered, evaluate_constraint
from .scores import Judgement, Scores, mean

if TYPE_CHECKING:
    from ..grammar import Grammar
    from .pipeline import Answer, Parser

__all__ = ["ValueSource", "evaluate", "exact_share", "judge", "sql_words"]

ValueSource = Literal["gold", "own"]


def evaluate(
    parser: Parser,
    domain: Domain,
    *,
    part: str = "test",
    split: str = "question",
    values: ValueSource = "gold",
    beam: int = 1,
    batch_size: int = 32,
    limit: int | None = None,
    suite: Suite | None = None,
    wrong: int = 20,
) -> Scores:
    """Answer every question of a part and score the answers.

    Args:
        parser: the parser to measure.
        domain: the domain whose examples it is measured on; its database, if any, gives execution accuracy.
        part: ``train``, ``dev`` or ``test`` of the split.
        split: ``question`` or ``query``.
        values: ``gold`` hands the example's values over, ``own`` has the parser find them.
        beam: width of the search.
        batch_size: questions answered at once.
        limit: take so many examples, evenly spread over the part; None takes all.
        suite: made for the domain by `querent suite`; gives test-suite accuracy.
        wrong: how many wrong answers to keep.

    Raises:
        InputError: the part is empty.
        DatabaseError: the domain's database cannot be opened.
    """
    examples = domain.part(part, split=split)
    if not examples:
        raise InputError(f"no examples in part {part!r} of the {split} split of {domain.name}", field="part")
    if limit is not None and limit < len(examples):
        examples = tuple(examples[n * len(examples) // limit] for n in range(limit))
    start = time.perf_counter()
    given = [e.values for e in examples] if values == "gold" else None
    answers = parser([e.question for e in examples], values=given, beam=beam, batch_size=batch_size)
    seconds = time.perf_counter() - start
    runner = None if domain.database is None else _Runner(Database.open(domain.database), domain)
    judged = [judge(e, a, parser.grammar, runner=runner, suite=suite) for e, a in zip(examples, answers, strict=True)]
    return Scores.of(
        judged,
        part=part,
        split=split,
        values=values,
        beam=beam,
        seconds=round(seconds, 3),
        wrong=wrong,
        **_upstream(parser, examples),
    )


def exact_share(parser: Parser, examples: Sequence[Example], *, values: ValueSource = "gold") -> float:
    """Return the greedy exact match alone, as training watches it."""
    given = [e.values for e in examples] if values == "gold" else None
    answers = parser([e.question for e in examples], values=given)
    pairs = zip(examples, answers, strict=True)
    exact = [metrics.exact_match(sql_words(a.sql, parser.grammar), sql_words(e.sql, parser.grammar)) for e, a in pairs]
    return mean(exact) or 0.0


def sql_words(sql: str, grammar: Grammar) -> list[str]:
    """Cut a query into canonical words; what the grammar cannot read is cut at spaces."""
    try:
        return [token.text for token in grammar.tokenize(sql)]
    except QueryError:  # a gold query out of coverage, or the baseline's free text
        return sql.split()


def judge(
    example: Example, answer: Answer, grammar: Grammar, *, runner: _Runner | None = None, suite: Suite | None = None
) -> Judgement:
    """Compare one answer with the gold query."""
    gold, got = sql_words(example.sql, grammar), sql_words(answer.sql, grammar)
    valid = answer.problem is None and metrics.is_valid(answer.sql, grammar.dialect)
    ran: dict[str, Any] = {} if runner is None else runner.compare(example.sql, answer.sql if valid else None)
    if suite is not None:
        passed = suite.judge(example.slotted, example.values, answer.slotted, answer.values) if valid else False
        # right on the suite and wrong on the own database is wrong
        ran["suite"] = None if not suite.knows(example.slotted) else passed and ran.get("execution") is not False
    return Judgement(
        id=example.id,
        question=example.question,
        gold=example.sql,
        got=answer.sql,
        query=" ".join(sql_words(example.slotted, grammar)),
        length=len(gold),
        features=frozenset(metrics.features(example.sql, grammar.dialect)),
        exact=metrics.exact_match(got, gold),
        jaccard=metrics.jaccard(got, gold),
        valid=valid,
        **ran,
    )


class _Runner:
    """Runs gold queries and answers, each distinct text once."""

    def __init__(self, database: Database, domain: Domain) -> None:
        self._database, self._dialect = database, domain.dialect
        self._in_sqlite = domain.dialect != "sqlite" and sqlite_file(domain) is not None
        self._seen: dict[str, Rows | None] = {}
        self._late: set[str] = set()

    def compare(self, gold: str, got: str | None) -> dict[str, Any]:
        """Return the fields of `Judgement` that need a database."""
        wanted, found = self._rows(gold), None if got is None else self._rows(got)
        ran = {"runs": found is not None, "late": got in self._late}
        if wanted is None:
            return ran
        same = found is not None and metrics.execution_match(
            found.rows, wanted.rows, metrics.is_ordered(gold, self._dialect)
        )
        return {**ran, "execution": same, "empty": not wanted.rows}

    def _rows(self, sql: str) -> Rows | None:
        if sql not in self._seen:
            try:
                self._seen[sql] = self._database.query(in_sqlite(sql, self._dialect) if self._in_sqlite else sql)
            except (DatabaseError, QueryError) as error:  # «does not run» is what is being counted
                self._seen[sql] = None
                if isinstance(error, TimeLimitError):
                    self._late.add(sql)
        return self._seen[sql]


def _upstream(parser: Parser, examples: Sequence[Example]) -> dict[str, float]:
    """Score what comes before the decoder: the value finder, and the global constraint in its hard form."""
    found: dict[str, float] = {}
    if parser.finder is not None:
        values = evaluate_values(parser.finder, examples)
        found |= {"entity_f1": values.f1, "all_values_found": values.complete}
    own = parser.global_constraint
    written = sum(encode_covered(parser.vocabulary, e) is not None for e in examples)
    if own is not None and written:
        hard = evaluate_constraint(GlobalConstraint(own.vocabulary, own.tables, own.functions, mode="hard"), examples)
        found |= {"table_f1": hard.tables.f1, "function_f1": hard.functions.f1, "share_left": hard.left}
        # a query with a word outside the vocabulary is outside the constraint too
        found["inside_global"] = hard.inside * written / len(examples)
    return found
