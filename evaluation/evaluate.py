"""Evaluates a parser or a language model on one part of a domain."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from ..answers.answer import MAX_UNHEARD, Answer
from ..classifiers.heads import GlobalConstraint, Labels, Mode, label_scores
from ..data.databases.database import Database
from ..data.domains.domain import Domain, Example, evenly
from ..data.errors import ConstraintError, InputError, LlmError, QueryError
from ..grammar import Grammar
from ..knowledge.formulas.reading import open_banks
from ..knowledge.solved import Solved
from ..meaning.profiling import open_profile
from ..ner.known_values import columns_of_types
from ..ner.language.question import QuestionText
from ..parser.answering.answerer import Answerer
from ..parser.answering.asking import AskOptions, ConnectOptions
from ..parser.learning.training_examples import GoldQuery, gold_values
from ..parser.network.saved import Loaded
from ..parser.normal_form import NormalForm
from ..parser.session import ParserSession, untrained_profile
from .judging import Runner, judge, labels_of
from .scores import Judgement, Scores

ValueSource = Literal["gold", "own"]


Ask = Callable[[Example], Answer]
"""Answers the question of an example, and may use nothing else of it."""


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
        beam: of the parser, for the record.

    Raises:
        InputError: the part is empty.
        DatabaseError: the domain's database cannot be opened.
        LlmError: a language model gave no reply so many times in a row that it counts as gone.
    """
    judged = judge_answers(_examples_of(domain, part, split, limit), ask, domain, progress=progress)
    return _scores(judged, part=part, split=split, values="own", beam=beam)


def judge_answers(
    examples: Sequence[Example], ask: Ask, domain: Domain, *, progress: Callable[[], None] = lambda: None
) -> list[Judgement]:
    """Judge the answers to examples by their words and, where the domain has a database, by their rows.

    No query counts as a wrong one, and so does a query with the status ``no_answer``.

    Args:
        progress: called once a question.

    Raises:
        DatabaseError: the domain's database cannot be opened.
        LlmError: a language model gave no reply so many times in a row that it counts as gone.
    """
    form = NormalForm(Grammar.for_schema(domain.schema, dialect=domain.dialect))
    where, functions = domain.database, domain.schema.functions
    profile = None if where is None else open_profile(where, domain.schema)
    with nullcontext() if where is None else Database.open(where, functions=functions) as database:
        if database is not None:
            database.confine(domain.schema)
        how: dict[str, Any] = {"runner": database and Runner(database, domain), "profile": profile}
        judged, unheard = list[Judgement](), 0
        for example in examples:
            begun = time.perf_counter()
            answer = ask(example)
            seconds = time.perf_counter() - begun
            one = judge(example, answer.sql or "", form, refused=answer.status == "no_answer" or not answer.sql, **how)
            judged.append(replace(one, unheard=answer.unheard, tokens=answer.tokens, seconds_each=seconds))
            progress()
            unheard = unheard + 1 if answer.unheard else 0
            if unheard == MAX_UNHEARD:
                raise LlmError(f"{MAX_UNHEARD} questions in a row got no answer; the last: {answer.reason}")
        return judged


def evaluate(
    loaded: Loaded,
    domain: Domain,
    *,
    part: str = "test",
    split: str = "question",
    values: ValueSource = "own",
    beam: int = 4,
    options: ConnectOptions | None = None,
    global_mode: Mode = "soft",
    limit: int | None = None,
    progress: Callable[[], None] = lambda: None,
) -> Scores:
    """Answer every question of a part by a parser, and score the answers and the labels of its heads.

    Args:
        loaded: the parser, trained on the domain or not.
        domain: the domain of the examples; its database, if any, gives execution accuracy.
        part: ``train``, ``dev`` or ``test`` of the split.
        split: ``question`` or ``query``.
        values: ``gold`` gives the parser the values of the example, ``own`` has it find them.
        beam: width of the search.
        options: level, examples, retriever and knowledge, as for `connect`; questions of the part are no examples.
        global_mode: of the global constraint.
        limit: how many examples, evenly spread over the part; None takes all.
        progress: called once a question.

    Raises:
        InputError: the part is empty.
        DatabaseError: the domain's database cannot be opened.
    """
    examples = _examples_of(domain, part, split, limit)
    hidden = [example.question for example in domain.part(part, split=split)]
    options = replace(options or ConnectOptions(), hidden=hidden)
    types = columns_of_types(domain, domain.part("train", split=split)) if values == "gold" else None
    with answering(loaded, domain, options=options, global_mode=global_mode) as answerer:
        labels: list[Labels] = []
        context = answerer.context

        def ask(example: Example) -> Answer:
            question = QuestionText(example.question, context.language)
            known = None if types is None else gold_values(example, types, context.values(question))
            with suppress(QueryError, KeyError):  # a query that no network can write has no labels
                labels.append(_labels(answerer, example, known))
            try:
                found = answerer.rank(question, AskOptions(beam=beam), values=known)
            except ConstraintError:
                return Answer(example.question, None, status="error")
            sql = found.choices[0].candidate.sql
            return Answer(example.question, sql, status="no_answer" if found.refused else "ok")

        judged = judge_answers(examples, ask, domain, progress=progress)
    how: dict[str, Any] = {"values": values, "beam": beam, **label_scores(labels, len(examples))}
    # these are figures of language models, and a resumed run must end in the same figures
    return replace(_scores(judged, part=part, split=split, **how), unheard=None, tokens=None, seconds_each=None)


def _scores(judged: Sequence[Judgement], **others: Any) -> Scores:
    """Return the means of judgements, with the seconds of all questions together."""
    return Scores.of(judged, seconds=round(sum(j.seconds_each or 0.0 for j in judged), 3), **others)


def _labels(answerer: Answerer, example: Example, values: Any) -> Labels:
    """Return the labels of the heads for a question, compared with its gold query.

    Raises:
        QueryError: no network can write the gold query.
    """
    context, parser = answerer.context, answerer.parser
    question = QuestionText(example.question, context.language)
    read = parser.read(context, question, values)
    gold = GoldQuery.of(example.sql, read.question, context)
    if gold.query.items is not None:
        read = parser.read(context, question, values, gold.query.items)
    return labels_of(read, gold.example(example.id), gold.query.context, seen=parser.network.seen)


def _examples_of(domain: Domain, part: str, split: str, limit: int | None = None) -> Sequence[Example]:
    """Return the examples of a part, or ``limit`` of them, evenly spread.

    Raises:
        InputError: there are none.
    """
    examples = domain.part(part, split=split)
    if not examples:
        raise InputError(f"no examples in part {part!r} of the {split} split of {domain.name}", field="part")
    return examples if limit is None else evenly(examples, limit)


@contextmanager
def answering(
    loaded: Loaded, domain: Domain, *, options: ConnectOptions, global_mode: Mode = "soft"
) -> Generator[Answerer]:
    """Open an answerer for the questions of a domain, with its descriptions; see `evaluate`.

    Raises:
        InputError: there is no such level, or it is None beside ``examples`` or ``knowledge``, whose queries need
            one.
    """
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        solved = None
        if options.examples is not None:
            known: dict[str, Any] = {"language": domain.language, "dialect": domain.dialect, "schema": domain.schema}
            solved = Solved.read(str(options.examples), hidden=options.hidden, **known)
        profile = loaded.profile or untrained_profile(domain, solved.examples if solved else (), Path(folder))
        database = None
        if domain.database is not None:
            database = stack.enter_context(Database.open(domain.database, functions=domain.schema.functions))
            database.confine(domain.schema)
        bank = open_banks(options.knowledge) if options.knowledge else None
        how: dict[str, Any] = {"options": options, "bank": bank, "examples": solved}
        how["global_constraint"] = GlobalConstraint(global_mode)
        session = ParserSession(profile.catalogue(domain.database), loaded, profile, database, **how)
        session.learn()
        yield session.whole
