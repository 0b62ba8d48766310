"""Questions whose values, tables and columns are marked: by people (CHASE), or by their gold queries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...data.domains.collection import Collection
from ...data.domains.dialogues import LINK_KINDS, LinkedTurn
from ...ner.gold_spans import gold_literals, tags_of_spans
from ...ner.language.words import units

__all__ = ["SpanExample", "linked_examples", "projected_examples"]


@dataclass(frozen=True)
class SpanExample:
    """A question with its marked spans.

    Attributes:
        source: of the question, a collection's name.
        database: that it is asked of; it tells the part.
        question: its text.
        spans: by kind, each (first character, one past the last); a kind that nobody marked is missing.
        whole: does it say every string of its gold query? Elsewhere words outside of spans may well be values.
    """

    source: str
    database: str
    question: str
    spans: Mapping[str, tuple[tuple[int, int], ...]]
    whole: bool = True

    def tags(self, read: int) -> NDArray[np.int64]:
        """Return the tags of its first ``read`` words, (read, kinds); -1 where nobody marked a kind."""
        words = units(self.question)[:read]
        missing = np.full(len(words), -1, np.int64)
        each = (tags_of_spans(self.spans[k], words) if k in self.spans else missing for k in LINK_KINDS)
        return np.stack(list(each), axis=1)


def projected_examples(collection: Collection) -> Iterator[SpanExample]:
    """Yield each question of a collection with the literals of its gold query that it says, as values."""
    for pair in collection.pairs:
        found = gold_literals(pair.question, pair.sql, language=collection.language)
        whole = all(one.span is not None for one in found if one.string)
        spans = tuple(one.span for one in found if one.span is not None)
        yield SpanExample(collection.name, pair.database, pair.question, {"value": spans}, whole)


def linked_examples(turns: Iterable[LinkedTurn], source: str) -> Iterator[SpanExample]:
    """Yield each turn with what people marked in it."""
    for turn in turns:
        spans = {kind: tuple((one.start, one.end) for one in turn.links if one.kind == kind) for kind in LINK_KINDS}
        yield SpanExample(source, turn.database, turn.question, spans)
