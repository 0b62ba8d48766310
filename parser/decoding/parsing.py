"""Questions on one database into its n best queries."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from ...data.errors import ConstraintError
from ...data.examples import Mention, Value, fill_sql
from ...encoders.functions import Floats
from ...grammar import EOS
from ...ner.index import FoundValue
from ..normal_form import ShortConstraint
from ..reader.context import DatabaseContext
from ..reader.inputs import Input, make_input
from ..reader.narrowing import MOST_COLUMNS, narrowed
from ..reader.network import Classes, Network, States
from ..reader.profile import BUDGET
from ..reader.question import MOST_PIECES, Question, read_question
from ..reader.vectors import TextVectors
from ..reader.words import moved_places
from .bare_years import with_whole_dates
from .beam import beam_search
from .free import FreePrefix
from .redundant import repeats
from .unsaid import unsaid
from .wanted import GlobalConstraint

__all__ = ["Candidate", "Parse", "Reading", "SchemaParser", "one_thread", "slot_values"]


@dataclass(frozen=True)
class Candidate:
    """A query for a question.

    Attributes:
        sql: with its values filled in.
        score: sum of its words' log-probabilities.
        words: in short form, slots in braces.
        unsaid: what the question says and the query leaves out, see `unsaid.unsaid`.
        ids: its words in the vocabulary, without the end; texts alone do not tell a keyword from a function.
        slotted: with slots in place of its values.
        values: what the slots stand for.
    """

    sql: str
    score: float
    words: tuple[str, ...]
    unsaid: float = 0.0
    ids: tuple[int, ...] = ()
    slotted: str = ""
    values: tuple[Value, ...] = ()


@dataclass(frozen=True)
class Parse:
    """What a parser makes of a question.

    Attributes:
        question: as it was read.
        candidates: the best queries, the best first.
        answerable: probability that the database holds an answer at all.
    """

    question: Question
    candidates: list[Candidate]
    answerable: float


@dataclass(frozen=True)
class Reading:
    """A question and a schema, as the network read them.

    Attributes:
        question: its words and values.
        input: with the items that are read.
        states: of all nodes.
        classes: what the classifiers say.
        bias: of the global constraint, (row,).
        places: of the vocabulary's words in the row, (vocabulary,); -1 for those that this question cannot have.
    """

    question: Question
    input: Input
    states: States
    classes: Classes
    bias: Floats | None
    places: NDArray[np.int64]


class SchemaParser:
    """A network, and what its encoder has said of names and values so far.

    Args:
        network: reads and writes.
        wanted: the global constraint.
    """

    def __init__(self, network: Network, *, wanted: GlobalConstraint | None = None) -> None:
        self.network = network
        self.vectors = TextVectors(network.encoder)
        self.wanted = wanted or GlobalConstraint()

    def prepare(self, context: DatabaseContext) -> None:
        """Read the names of a schema, or find what was made of them before, so that questions need not wait."""
        items = context.items
        with one_thread():
            if len(items) - items.tables > MOST_COLUMNS:
                self.vectors.prepare_kept(item.name for item in items.items)
            else:
                self.vectors.prepare_kept(text for item in items.items for text in item.texts)

    def parse(
        self,
        context: DatabaseContext,
        question: str,
        *,
        width: int = 4,
        constraint: ShortConstraint | None = None,
        values: Sequence[FoundValue] | None = None,
    ) -> Parse:
        """Return the best queries for a question.

        Args:
            width: queries wanted, and hypotheses followed.
            constraint: on the context's vocabulary; without it a query need not run, nor parse.
            values: what the question names; looked for where it is not told.

        Raises:
            ConstraintError: no query can be written with the words that the question may use.
        """
        with one_thread():
            read = self.read(context, question, values)
            found = self._candidates(context, read, width=width, constraint=constraint)
        if not found:
            raise ConstraintError("the words that this network writes make no query here", hint="train it further")
        return Parse(read.question, found, read.classes.answerable)

    def read(self, context: DatabaseContext, question: str, values: Sequence[FoundValue] | None = None) -> Reading:
        """Read a question together with the schema, or with what of a large schema it may be about."""
        named = context.values(question, values)
        found = read_question(question, named, self.network.encoder, most_pieces=MOST_PIECES)
        one = make_input(found, context.items, narrowed(found, context.items, self.vectors))
        self.vectors.prepare(text for texts in one.texts() for text in texts)
        states = self.network.encode(one, self.vectors)
        classes = self.network.classify(states)
        bias = self.wanted.bias(classes)
        return Reading(found, one, states, classes, bias, self._places(context, one, states, bias))

    def _candidates(
        self, context: DatabaseContext, read: Reading, *, width: int, constraint: ShortConstraint | None
    ) -> list[Candidate]:
        values = slot_values(read.question)
        bound = [Value(slot, Mention(0, 0, text, slot, text)) for slot, text in values.items()]
        available = read.places >= 0
        words = [word.text for word in context.vocabulary.words]
        search = partial(
            beam_search,
            self.network,
            read.states,
            width=width,
            bias=read.bias,
            refused=lambda before, word: repeats([words[i] for i in before], words[word]),
        )
        if constraint is None:
            free = search(FreePrefix(available, BUDGET), read.places)
            full = [(f.words, f.score, context.short.sql(_pairs(context, f.words))) for f in free]
        else:
            kept = search(constraint.start(available, values=values), read.places)
            full = [(f.words, f.score, context.vocabulary.decode(f.prefix.sql_words)) for f in kept]
        found: list[Candidate] = []
        for ids, score, sql in full:
            written = tuple(words[i] for i in ids)
            dated = sql if constraint is None else with_whole_dates(sql, values, context.grammar)
            filled = fill_sql(dated, bound, dialect=context.grammar.dialect)
            found.append(Candidate(filled, score, written, unsaid(read.question, written), ids, dated, tuple(bound)))
        return found

    def _places(self, context: DatabaseContext, one: Input, states: States, bias: Floats | None) -> NDArray[np.int64]:
        """Return the places of the words that this question can have, -1 for all others."""
        writable = np.concatenate([self.network.seen, states.able.ravel()])
        if bias is not None:
            writable &= ~np.isneginf(bias)
        writable = np.append(writable, False)
        places = moved_places(context.row.places, one.kept, total=len(context.items), items=states.items)
        return np.where(writable[np.minimum(places, len(writable) - 1)] & (places >= 0), places, -1)


@contextmanager
def one_thread() -> Generator[None]:
    """Compute in one thread: for matrices this small more gain nothing, and on busy cores they wait for each other."""
    with _threads().limit(limits=1, user_api="blas"):
        yield


@cache
def _threads() -> ThreadpoolController:
    return ThreadpoolController()


def slot_values(question: Question) -> dict[str, str]:
    """Return what fills each slot that a query may have, by the slot's name."""
    nodes = enumerate(question.values)
    return {f"{kind}{i}": node.found.value for i, node in nodes for kind in _slots(node.found.kind)}


def _slots(kind: str) -> tuple[str, ...]:
    return ("text", "number") if kind == "number" else ("text",)


def _pairs(context: DatabaseContext, words: tuple[int, ...]) -> list[tuple[str, str]]:
    return [(context.vocabulary.words[i].text, context.vocabulary.words[i].terminal) for i in words if i != EOS]
