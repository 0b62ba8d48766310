"""How well a parser answers one part of a domain."""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from ..data.database import Database
from ..data.domain import Domain
from ..data.errors import ConstraintError, DatabaseError, InputError, QueryError, TimeLimitError
from ..data.examples import Example, evenly
from ..data.rows import Rows
from ..ner.known_values import columns_of_types, given, write_known
from ..parser.connection import answerer_of
from ..parser.decoding.answering import Answerer, Considered
from ..parser.decoding.parsing import Candidate
from ..parser.decoding.wanted import GlobalConstraint, Mode
from ..parser.learning.judging import canonical_words
from ..parser.learning.lessons import lesson_of
from ..parser.normal_form import NormalForm
from ..parser.reader.profile import Profile
from ..parser.reader.saved import Loaded
from . import metrics
from .labels import Labels, labels_of, shares
from .scores import Judgement, Scores
from .suite import Suite, in_sqlite, sqlite_file

__all__ = ["ValueSource", "evaluate", "judge"]

ValueSource = Literal["gold", "own"]


def evaluate(
    loaded: Loaded,
    domain: Domain,
    *,
    part: str = "test",
    split: str = "question",
    values: ValueSource = "own",
    beam: int = 4,
    level: str | None = "runs",
    wanted: Mode = "soft",
    limit: int | None = None,
    suite: Suite | None = None,
    wrong: int = 20,
    progress: Callable[[], None] = lambda: None,
) -> Scores:
    """Answer every question of a part and score the answers.

    Args:
        loaded: the parser to measure: one trained on the domain, or any other.
        domain: the domain whose examples it is measured on; its database, if any, gives execution accuracy.
        part: ``train``, ``dev`` or ``test`` of the split.
        split: ``question`` or ``query``.
        values: ``gold`` hands the example's values over, ``own`` has the parser find them.
        beam: width of the search.
        level: of the local constraint; None is without it.
        wanted: mode of the global constraint.
        limit: take so many examples, evenly spread over the part; None takes all.
        suite: made for the domain by `querent suite`; gives test-suite accuracy.
        wrong: how many wrong answers to keep.
        progress: called once a question.

    Raises:
        InputError: the part is empty.
        DatabaseError: the domain's database cannot be opened.
    """
    examples: Sequence[Example] = domain.part(part, split=split)
    if not examples:
        raise InputError(f"no examples in part {part!r} of the {split} split of {domain.name}", field="part")
    if limit is not None:
        examples = evenly(examples, limit)
    with tempfile.TemporaryDirectory() as folder:
        profile = loaded.profile or _untrained(domain, Path(folder))
        database = (
            None if domain.database is None else Database.open(domain.database, functions=domain.schema.functions)
        )
        constraint = GlobalConstraint(wanted)
        answerer = answerer_of(loaded, profile, domain.database, database, level=level, wanted=constraint)
        asked = _Asked(answerer, domain, split, values=values, beam=beam)
        start = time.perf_counter()
        answers = [asked(example, progress) for example in examples]
        seconds = time.perf_counter() - start
    runner = None if database is None else _Runner(database, domain)
    pairs = zip(examples, answers, strict=True)
    judged = [judge(e, found, asked.form, runner=runner, suite=suite) for e, found in pairs]
    return Scores.of(
        judged,
        part=part,
        split=split,
        values=values,
        beam=beam,
        seconds=round(seconds, 3),
        wrong=wrong,
        **shares(asked.labels, len(examples)),
    )


def _untrained(domain: Domain, folder: Path) -> Profile:
    """Return what a domain says of itself to a parser that was not trained on it: its schema and its entities."""
    write_known(folder / "values.sqlite", domain, (), columns_of_types(domain, ()))
    profile = Profile.of(domain.schema, dialect=domain.dialect, language=domain.language, database=domain.database)
    return replace(profile, values=folder / "values.sqlite", now=domain.now, grouping=domain.grouping)


class _Asked:
    """Asks the questions of examples, and keeps what the classifiers say of them."""

    def __init__(self, answerer: Answerer, domain: Domain, split: str, *, values: ValueSource, beam: int) -> None:
        self.answerer = answerer
        self.beam = beam
        self.types = columns_of_types(domain, domain.part("train", split=split)) if values == "gold" else None
        self.form = NormalForm(answerer.context.grammar)
        self.labels: list[Labels] = []

    def __call__(self, example: Example, progress: Callable[[], None]) -> Considered | None:
        """Return what could be answered, None where no query can be written."""
        known = None if self.types is None else given(example, self.types)
        context, parser = self.answerer.context, self.answerer.parser
        read = parser.read(context, example.question, known)
        with suppress(QueryError, KeyError):  # what no network can write is outside of the global constraint
            words = context.short.words(self.form.of(example.sql))
            lesson = lesson_of(example.id, read.question, words, context.row)
            self.labels.append(labels_of(read, lesson, context, seen=parser.network.seen))
        progress()
        try:
            return self.answerer.consider(example.question, beam=self.beam, values=known)
        except ConstraintError:
            return None


def judge(
    example: Example,
    found: Considered | None,
    form: NormalForm,
    *,
    runner: _Runner | None = None,
    suite: Suite | None = None,
) -> Judgement:
    """Compare the best query of a question with the gold one, whether or not it would be shown; words are canonical."""
    best = found.choices[0].candidate if found else Candidate("", -math.inf, ())
    dialect = form.grammar.dialect
    gold, got = canonical_words(example.sql, form), canonical_words(best.sql, form)
    valid = metrics.is_valid(best.sql, dialect)
    ran: dict[str, Any] = {} if runner is None else runner.compare(example.sql, best.sql if valid else None)
    if suite is not None:
        passed = suite.judge(example.slotted, example.values, best.slotted, best.values) if valid else False
        # right on the suite and wrong on the own database is wrong
        ran["suite"] = None if not suite.knows(example.slotted) else passed and ran.get("execution") is not False
    return Judgement(
        id=example.id,
        question=example.question,
        gold=example.sql,
        got=best.sql,
        query=example.slotted,
        length=len(gold),
        features=frozenset(metrics.features(example.sql, dialect)),
        exact=metrics.exact_match(got, gold),
        jaccard=metrics.jaccard(got, gold),
        valid=valid,
        refused=found is None or found.refused,
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
