"""Scores the tables of a schema for a question, and chooses the tables that are read together.

The score is a late interaction (ColBERT, Khattab & Zaharia 2020): each word of a question is compared with each name,
as vectors, as terms, and by the cells that it mentions; a table has the best of its names for each word. A word's
weight depends on its state and its rarity. The weighted sum over the words scores the table alone; a second sum, over
the best of the table and of those that keys link to it, finds tables that only join what a question mentions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load_file

from ...data.errors import RunError
from ...encoders.functions import Floats
from .schema_names import SchemaNames, terms_of

ENCODER, LAYERS = "e5", 6
"""The encoder of names and questions, and how many of its layers are used; the parser's network uses the same."""

SHARP = 20.0
"""States are scaled by this before the gate, which then learns faster."""

_SHIPPED = Path(__file__).with_name("weights.safetensors")
WEIGHTS = ("question", "name", "gate", "gate_bias", "rarity", "features")
"""The names of the weights in a file."""


FEATURES = ("term", "term share", "all terms", "cell", "sure cell", "table", "size", "linked")
"""The features beside the cosine of vectors: a word is a term of a name; the share of the name's terms in the question;
whether that is all; a word mentions a cell (divided by the root of how many tables hold it), or surely does; a name is
a table's own; the logarithm of a table's columns; the score of linked tables."""


@dataclass(frozen=True)
class CellMention:
    """A value that a question mentions, with the columns that hold it.

    Attributes:
        first, last: its words; ``last`` is one past the last.
        names: numbers of the columns' names in `SchemaNames`.
        sure: whether the cells equal the value but for case, accents and number.
    """

    first: int
    last: int
    names: tuple[int, ...]
    sure: bool


@dataclass(frozen=True)
class RetrieverQuestion:
    """A question as the scorer reads it.

    Attributes:
        stems: the stems of its words.
        states: the states of its words, (words, hidden), by the first `LAYERS` of the encoder.
        cells: the values that it mentions.
    """

    stems: tuple[str, ...]
    states: NDArray[Any]
    cells: tuple[CellMention, ...]


@dataclass(frozen=True)
class TermMatches:
    """The words of a question that are terms of names.

    Attributes:
        words, texts: the number of the word and of the text of each match, (matches,).
        share: the share of the text's terms that the question has, (matches,).
        rarity: the rarity of each word's rarest term, 0 for a word that no name has, (words,).
        cells, sure: two features of the cells that words mention: the inverse root of the number of tables that hold
            the cell, and how many mentions are sure, (words, names).
    """

    words: NDArray[np.int64]
    texts: NDArray[np.int64]
    share: Floats
    rarity: Floats
    cells: Floats
    sure: Floats


def term_matches(question: RetrieverQuestion, names: SchemaNames) -> TermMatches:
    """Find the words and cells of a question in the names of a schema."""
    terms = terms_of(question.stems)
    every = set[str]().union(*terms)
    found = sorted(
        {(n, text) for n, some in enumerate(terms) for term in some for text in names.texts_with.get(term, ())}
    )
    words, texts = (np.array([pair[side] for pair in found], np.int64) for side in (0, 1))
    share = np.array([len(names.terms[text] & every) / len(names.terms[text]) for _, text in found], np.float32)
    rarity = [max((names.rarity[term] for term in some if term in names.rarity), default=0.0) for some in terms]
    cells, sure = (np.zeros((len(question.stems), len(names.text_of)), np.float32) for _ in range(2))
    for cell in question.cells:
        place = np.ix_(range(cell.first, min(cell.last, len(question.stems))), cell.names)
        cells[place] += len(np.unique(names.table_of[list(cell.names)])) ** -0.5
        sure[place] += cell.sure
    return TermMatches(words, texts, share, np.array(rarity, np.float32), cells, sure)


class TableScorer:
    """Scores tables in numpy; `training` has the same computation in torch.

    Args:
        weights: ``question`` and ``name`` (width, hidden); ``gate`` (hidden,), ``gate_bias`` and ``rarity``, one number
            each, which give the weights of words; ``features``, see `FEATURES`.
    """

    def __init__(self, weights: Mapping[str, NDArray[Any]]) -> None:
        self.weights = {name: np.asarray(weights[name], np.float32) for name in WEIGHTS}
        self.features: dict[str, float] = dict(zip(FEATURES, self.weights["features"].tolist(), strict=True))

    @classmethod
    def load(cls, file: Path) -> TableScorer:
        """Read the weights that `training` wrote.

        Raises:
            RunError: it cannot be read, or is of another version.
        """
        try:
            return cls(load_file(file))
        except (OSError, SafetensorError, KeyError, ValueError) as error:
            hint = "train it anew, or take the shipped one"
            raise RunError(f"not a schema retriever: {error}", file=file, hint=hint) from error

    def project(self, vectors: Floats) -> Floats:
        """Return the vectors of texts, (texts, hidden), in the space of comparison, (texts, width)."""
        return _unit(vectors @ self.weights["name"].T)

    def scores(self, question: RetrieverQuestion, names: SchemaNames, projected: Floats) -> Floats:
        """Return the score of each table, (tables,).

        Args:
            projected: what `project` returns for the texts of the names.
        """
        weights, features = self.weights, self.features
        states = _unit(np.asarray(question.states, np.float32))
        terms = term_matches(question, names)
        alike = _unit(states @ weights["question"].T) @ projected.T
        alike[terms.words, terms.texts] += (
            features["term"] + features["term share"] * terms.share + features["all terms"] * (terms.share == 1)
        )
        found = alike[:, names.text_of] + features["table"] * names.own
        found += features["cell"] * terms.cells + features["sure cell"] * terms.sure
        gate = states @ weights["gate"] * SHARP + weights["gate_bias"] + weights["rarity"] * terms.rarity
        share = np.logaddexp(0, gate)
        share /= share.sum()
        tables = np.maximum.reduceat(found, names.starts, axis=1)
        linked = _with_linked(tables, names.links)
        sizes = np.log1p(np.diff([*names.starts, len(names.text_of)]) - 1)
        return share @ tables + features["linked"] * (share @ linked) + features["size"] * sizes


def open_scorer(file: str | Path | None = None) -> TableScorer:
    """Return a trained retriever, by default the one that ships with the package.

    Raises:
        RunError: as from `TableScorer.load`.
    """
    return TableScorer.load(_SHIPPED if file is None else Path(file))


def _with_linked(tables: Floats, links: NDArray[np.int64]) -> Floats:
    """Return for each word the best score of each table and of those that keys link to it, (words, tables)."""
    best = tables.copy()
    if len(links):
        linked, first = np.unique(links[:, 1], return_index=True)
        best[:, linked] = np.maximum(best[:, linked], np.maximum.reduceat(tables[:, links[:, 0]], first, axis=1))
    return best


def _unit(vectors: Floats) -> Floats:
    return vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-12)


MAX_TABLES = 12
"""The greatest number of tables that are read."""

_MAX_BETWEEN = 2
"""The greatest number of tables between two that a question needs."""


def neighbours_of(links: NDArray[np.int64]) -> Mapping[int, Sequence[int]]:
    """Return the tables that keys link to each, from (links, 2)."""
    found: dict[int, list[int]] = {}
    for one, other in links.tolist():
        found.setdefault(other, []).append(one)
    return found


def table_set(
    order: Sequence[int],
    neighbours: Mapping[int, Sequence[int]],
    columns: Sequence[int],
    *,
    wanted: int,
    most_columns: int,
    first: Iterable[int] = (),
) -> tuple[int, ...]:
    """Return the tables to read: the first, then the best, each with the tables between it and those before it.

    Args:
        order: all tables, the best first.
        neighbours: by `neighbours_of`.
        columns: how many each table has.
        wanted: how many of the best.
        most_columns: the limit of all columns together; the first table is read however many it has.
        first: tables that are read whatever their score.
    """
    found = list(dict.fromkeys(first))
    total = sum(columns[table] for table in found)
    for table in [one for one in order if one not in found][:wanted]:
        between = [one for one in _between(table, found, neighbours) if one not in found]
        for some in ([table, *between], [table]):  # without what lies between where that is too much
            more = sum(columns[one] for one in some)
            if not found or (len(found) + len(some) <= MAX_TABLES and total + more <= most_columns):
                found += some
                total += more
                break
    return tuple(found)


def _between(table: int, found: Sequence[int], neighbours: Mapping[int, Sequence[int]]) -> list[int]:
    """Return the tables on the shortest path from a table to one of those found; none where no path is short."""
    seen, ways = {table}, [[table]]
    for _ in range(_MAX_BETWEEN + 1):
        longer: list[list[int]] = []
        for way in ways:
            for other in neighbours.get(way[-1], ()):
                if other in found:
                    return way[:0:-1]
                if other not in seen:
                    seen.add(other)
                    longer.append([*way, other])
        ways = longer
    return []
