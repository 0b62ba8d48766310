"""How well a parser answers one part of a domain."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from ..classifiers.heads import GlobalConstraint, Mode
from ..classifiers.scores import Labels, label_scores
from ..data.databases.database import Database
from ..data.domains.domain import Domain, Example, evenly
from ..data.errors import ConstraintError, InputError, QueryError
from ..knowledge.formulas.reading import open_banks
from ..knowledge.solved import Solved
from ..ner.known_values import columns_of_types
from ..parser.answering.answerer import Answerer, Considered
from ..parser.answering.asking import AskOptions, ConnectOptions
from ..parser.decoding.parsing import SchemaParser
from ..parser.learning.gold_query import GoldQuery, gold_values
from ..parser.network.saved import Loaded
from ..parser.normal_form import NormalForm
from ..parser.reader.formula_items import formula_linker
from ..parser.session import check_level, solved_questions, untrained_profile
from .judging import Runner, judge, labels_of
from .scores import Scores

__all__ = ["ValueSource", "answering", "evaluate", "examples_of"]

ValueSource = Literal["gold", "own"]


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
    """Answer every question of a part and score the answers.

    Args:
        loaded: the parser to measure: one trained on the domain, or any other.
        domain: the domain whose examples it is measured on; its database, if any, gives execution accuracy.
        part: ``train``, ``dev`` or ``test`` of the split.
        split: ``question`` or ``query``.
        values: ``gold`` hands the example's values over, ``own`` has the parser find them.
        beam: width of the search.
        options: level, examples, retriever and knowledge, as for `connect`; questions of the part are no examples.
        global_mode: of the global constraint.
        limit: take so many examples, evenly spread over the part; None takes all.
        progress: called once a question.

    Raises:
        InputError: the part is empty.
        DatabaseError: the domain's database cannot be opened.
    """
    asked_of = examples_of(domain, part, split, limit)
    hidden = [example.question for example in domain.part(part, split=split)]
    told = replace(options or ConnectOptions(), hidden=hidden)
    with answering(loaded, domain, options=told, global_mode=global_mode) as answerer:
        asked = _Asker(answerer, domain, split, values=values, beam=beam)
        start = time.perf_counter()
        answers = [asked(example, progress) for example in asked_of]
        seconds = time.perf_counter() - start
        runner = None if answerer.database is None else Runner(answerer.database, domain)
        pairs = zip(asked_of, answers, strict=True)
        beside: dict[str, Any] = {"form": asked.form, "runner": runner, "profile": answerer.context.profile}
        judged = [judge(example, **_got(found), **beside) for example, found in pairs]
    return Scores.of(
        judged,
        part=part,
        split=split,
        values=values,
        beam=beam,
        seconds=round(seconds, 3),
        **label_scores(asked.labels, len(asked_of)),
    )


def examples_of(domain: Domain, part: str, split: str, limit: int | None = None) -> Sequence[Example]:
    """Return the examples of a part, or so many of them, evenly spread.

    Raises:
        InputError: there are none.
    """
    examples = domain.part(part, split=split)
    if not examples:
        raise InputError(f"no examples in part {part!r} of the {split} split of {domain.name}", field="part")
    return examples if limit is None else evenly(examples, limit)


@contextmanager
def answering(
    loaded: Loaded,
    domain: Domain,
    *,
    options: ConnectOptions,
    global_mode: Mode = "soft",
) -> Generator[Answerer]:
    """Open what answers the questions of a domain, with what the domain says of itself; see `evaluate`.

    Raises:
        InputError: there is no such level, or it is None beside ``examples`` or ``knowledge``, whose queries are held
            to it.
    """
    check_level(options.level, examples=options.examples is not None, knowledge=bool(options.knowledge))
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        solved = None
        if options.examples is not None:
            known: dict[str, Any] = {"language": domain.language, "dialect": domain.dialect, "schema": domain.schema}
            solved = Solved.read(str(options.examples), hidden=options.hidden, **known)
        told = solved.examples if solved else ()
        profile = loaded.profile or untrained_profile(domain, told, Path(folder))
        database = None
        if domain.database is not None:
            database = stack.enter_context(Database.open(domain.database, functions=domain.schema.functions))
            database.confine(domain.schema)
        bank = open_banks(options.knowledge) if options.knowledge else None
        context = profile.context(domain.database)
        parser = SchemaParser(loaded.network, global_constraint=GlobalConstraint(global_mode))
        parser.prepare(context)
        how: dict[str, Any] = {"level": options.level, "calibration": loaded.calibration, "profile": profile}
        how["knowledge"] = None if bank is None else formula_linker(bank, context, parser.vectors)
        how["solved"] = None if solved is None else solved_questions(solved, context, options.retriever)
        yield Answerer(parser, context, database, **how)


class _Asker:
    """Asks the questions of examples, and keeps what the heads say of them."""

    def __init__(self, answerer: Answerer, domain: Domain, split: str, *, values: ValueSource, beam: int) -> None:
        self.answerer = answerer
        self.beam = beam
        self.types = columns_of_types(domain, domain.part("train", split=split)) if values == "gold" else None
        self.form = NormalForm(answerer.context.grammar)
        self.labels: list[Labels] = []

    def __call__(self, example: Example, progress: Callable[[], None]) -> Considered | None:
        """Return what could be answered, None where no query can be written."""
        context, parser = self.answerer.context, self.answerer.parser
        known = None if self.types is None else gold_values(example, self.types, context.values(example.question))
        read = parser.read(context, example.question, known)
        with suppress(QueryError, KeyError):  # what no network can write is outside of the global constraint
            gold = GoldQuery.of(example.sql, read.question, context)
            if gold.meant.items is not None:
                read = parser.read(context, example.question, known, gold.meant.items)
            told = gold.example(example.id)
            self.labels.append(labels_of(read, told, gold.meant.context, seen=parser.network.seen))
        progress()
        try:
            return self.answerer.consider(example.question, AskOptions(beam=self.beam), values=known)
        except ConstraintError:
            return None


def _got(found: Considered | None) -> dict[str, Any]:
    """Return what is to be judged: the best of what could be answered."""
    if found is None:
        return {"sql": "", "refused": True}
    return {"sql": found.choices[0].candidate.sql, "refused": found.refused}
