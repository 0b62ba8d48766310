"""How often a network in training is right, without the constraint and fast: what its epochs are chosen by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ...data.domains.examples import Example, fill_sql
from ...data.errors import QuerentError
from ...data.profiles.database_profile import DatabaseProfile
from ...data.sql.meanings.reading import profiled_by, said_one_way
from ...data.sql.parsing import PARSE_ERRORS, read_tree
from ...data.sql.sources import Stored
from ...encoders import Encoder
from ...grammar import Grammar
from ...ner.index import FoundValue
from ...ner.known_values import Columns
from ..decoding.expansions.meant_queries import as_the_question_says
from ..decoding.parsing import SchemaParser
from ..decoding.slots import slot_values, values_in
from ..normal_form import NormalForm
from ..reader.columns.formula_items import FormulaItems
from ..reader.context import DatabaseContext
from ..reader.question.question import read_question
from .gold_query import GoldQuery, gold_values
from .graphs import answering
from .network import TrainableNetwork

__all__ = ["ExactMatch", "canonical_words"]


def canonical_words(sql: str, form: NormalForm, profile: DatabaseProfile | None = None) -> list[str]:
    """Cut a query into the words of its normal form; what has none is cut at spaces.

    Args:
        profile: of the database: what the query means is said in one way, whatever way it was said in.
    """
    try:
        return [token.text for token in form.grammar.tokenize(form.of(_said_alike(sql, form.grammar, profile)))]
    except QuerentError:
        return sql.split()


def _said_alike(sql: str, grammar: Grammar, profile: DatabaseProfile | None) -> str:
    if not profile:
        return sql
    try:
        tree = read_tree(sql, grammar.dialect)
    except PARSE_ERRORS:
        return sql
    said, found = said_one_way(tree, profiled_by(profile, Stored(grammar.schema)), grammar.dialect)
    return said.sql(grammar.dialect) if found else sql


@dataclass(frozen=True)
class _JudgedQuestion:
    """A question with its values and virtual columns, and the gold query in its words.

    Attributes:
        form: of a grammar that knows the virtual columns.
    """

    question: str
    values: Sequence[FoundValue]
    items: FormulaItems | None
    form: NormalForm
    gold: list[str]


class ExactMatch:
    """Exact match on examples in the words that a network writes, greedy.

    Args:
        examples: to answer.
        context: of their database.
        encoder: the ready-made one.
        frozen: its lower layers.
        types: columns of types of values, to hand the gold values over; None has the parser find its own.
    """

    def __init__(
        self,
        examples: Sequence[Example],
        *,
        context: DatabaseContext,
        encoder: Encoder,
        frozen: int,
        types: dict[str, Columns] | None,
    ) -> None:
        self.context = context
        self.encoder = encoder
        self.frozen = frozen
        self.types = types
        self.form = NormalForm(context.grammar)
        self.examples = examples

    @cached_property
    def asked(self) -> list[_JudgedQuestion]:
        """Return the examples as they are judged, read when a network is judged for the first time."""
        return [self._judged(example) for example in self.examples]

    def __call__(self, network: TrainableNetwork) -> dict[str, float]:
        """Return the share of examples whose query is the gold one, in normal form."""
        parser = SchemaParser(answering(network, self.encoder, self.frozen))
        right = 0
        for one in self.asked:
            told: dict[str, Any] = {"values": one.values, "formulas": one.items}
            found = parser.parse(self.context, one.question, width=1, **told).candidates
            right += canonical_words(found[0].sql, one.form) == one.gold
        return {"dev_em": round(right / len(self.asked), 4)}

    def _judged(self, example: Example) -> _JudgedQuestion:
        context = self.context
        named = context.values(example.question)
        if self.types is not None:
            named = context.values(example.question, gold_values(example, self.types, named))
        question = read_question(example.question, named, self.encoder)
        try:
            meant = GoldQuery.of(example.sql, question, context).meant
        except QuerentError:  # no network writes it
            meant = as_the_question_says(example.sql, question.text, context, [n.found for n in question.values])
        filled = fill_sql(meant.sql, values_in(slot_values(question)), dialect=context.grammar.dialect)
        form = self.form if meant.items is None else NormalForm(meant.items.grammar())
        values = [node.found for node in question.values if node.found.how != "constant"]
        return _JudgedQuestion(example.question, values, meant.items, form, canonical_words(filled, form))
