"""How often a network in training is right, without the constraint and fast: what its epochs are chosen by."""

from __future__ import annotations

from collections.abc import Sequence

from ...data.domains.examples import Example
from ...data.errors import QuerentError
from ...encoders import Encoder
from ...ner.known_values import Columns, given
from ..decoding.parsing import SchemaParser
from ..normal_form import NormalForm
from ..reader.context import DatabaseContext
from .network import TrainableNetwork

__all__ = ["ExactMatch", "canonical_words"]


def canonical_words(sql: str, form: NormalForm) -> list[str]:
    """Cut a query into the words of its normal form; what has none is cut at spaces."""
    try:
        return [token.text for token in form.grammar.tokenize(form.of(sql))]
    except QuerentError:
        return sql.split()


class ExactMatch:
    """Exact match on examples, greedy.

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
        self.examples = examples
        self.context = context
        self.encoder = encoder
        self.frozen = frozen
        self.types = types
        self.form = NormalForm(context.grammar)
        self.gold = [canonical_words(example.sql, self.form) for example in examples]

    def __call__(self, network: TrainableNetwork) -> dict[str, float]:
        """Return the share of examples whose query is the gold one, in normal form."""
        parser = SchemaParser(network.answering(self.encoder, self.frozen))
        right = 0
        for example, gold in zip(self.examples, self.gold, strict=True):
            values = None if self.types is None else given(example, self.types)
            found = parser.parse(self.context, example.question, width=1, values=values).candidates
            right += canonical_words(found[0].sql, self.form) == gold
        return {"dev_em": round(right / len(self.examples), 4)}
