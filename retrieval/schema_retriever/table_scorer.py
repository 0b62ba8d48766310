"""How well each table of a schema covers a question, and which tables are read together.

A late interaction (ColBERT, Khattab & Zaharia 2020): each word of a question is held against each name, as vectors, as
terms, and by the cells that it says; a table has of each word its best name. The sum over the words, each of which
weighs what its state and its rarity say, is what the table covers by itself; with the tables that keys link to it, what
its surroundings cover: that is how a table is found which only links what a question says.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
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
"""What reads names and questions, and how many of its layers; the parser's network stands on the same."""

SHARP = 20.0
"""A state's length before the gate, which learns faster so."""

_SHIPPED = Path(__file__).with_name("weights.safetensors")
WEIGHTS = ("question", "name", "gate", "gate_bias", "rarity", "features")
"""Their names in a file."""


FEATURES = ("term", "share said", "all said", "cell", "sure cell", "table", "size", "linked")
"""What is weighed beside vectors: a word is a term of a name, which share of the name's terms is said, whether all
are; a word says a cell (shared by the root of how many tables hold it), or surely; a name is a table's own; the
logarithm of a table's columns; what linked tables cover."""


@dataclass(frozen=True)
class SaidCell:
    """A value that a question says, and which cells it may be.

    Attributes:
        first, last: its words; ``last`` is one past the last.
        names: numbers of the columns' names in `SchemaNames`.
        sure: are they the very same, but for case, accents and number?
    """

    first: int
    last: int
    names: tuple[int, ...]
    sure: bool


@dataclass(frozen=True)
class Asked:
    """A question as the scorer reads it.

    Attributes:
        stems: of its words.
        states: of them, (words, hidden), by the first `LAYERS` of the encoder.
        cells: that it says.
    """

    stems: tuple[str, ...]
    states: NDArray[Any]
    cells: tuple[SaidCell, ...]


@dataclass(frozen=True)
class TermMatches:
    """Where words of a question are words of names.

    Attributes:
        words, texts: which word, of which text, (matches,).
        said: the share of the text's terms that the question says, (matches,).
        rarity: of each word's rarest term, 0 of one that no name has, (words,).
        cells, sure: what the cells that words say tell of names: shared by the root of how many tables hold the cell,
            and how often it surely is one, (words, names).
    """

    words: NDArray[np.int64]
    texts: NDArray[np.int64]
    said: Floats
    rarity: Floats
    cells: Floats
    sure: Floats


def term_matches(asked: Asked, names: SchemaNames) -> TermMatches:
    """Find the words and cells of a question in the names of a schema."""
    terms = terms_of(asked.stems)
    every = set[str]().union(*terms)
    found = sorted(
        {(n, text) for n, some in enumerate(terms) for term in some for text in names.texts_with.get(term, ())}
    )
    words, texts = (np.array([pair[side] for pair in found], np.int64) for side in (0, 1))
    said = np.array([len(names.terms[text] & every) / len(names.terms[text]) for _, text in found], np.float32)
    rarity = [max((names.rarity[term] for term in some if term in names.rarity), default=0.0) for some in terms]
    cells, sure = (np.zeros((len(asked.stems), len(names.text_of)), np.float32) for _ in range(2))
    for cell in asked.cells:
        place = np.ix_(range(cell.first, min(cell.last, len(asked.stems))), cell.names)
        cells[place] += len(np.unique(names.table_of[list(cell.names)])) ** -0.5
        sure[place] += cell.sure
    return TermMatches(words, texts, said, np.array(rarity, np.float32), cells, sure)


class TableScorer:
    """The weights of a retriever, in numpy; `training` has the same in torch.

    Args:
        weights: ``question`` and ``name`` (width, hidden); of a word's weight ``gate`` (hidden,), ``gate_bias`` and
            ``rarity``, one number each; ``features``, see `FEATURES`.
    """

    def __init__(self, weights: Mapping[str, NDArray[Any]]) -> None:
        self.weights = {name: np.asarray(weights[name], np.float32) for name in WEIGHTS}
        self.features: dict[str, float] = dict(zip(FEATURES, self.weights["features"].tolist(), strict=True))

    @classmethod
    def load(cls, file: Path) -> TableScorer:
        """Read what `training` wrote.

        Raises:
            RunError: it cannot be read, or is of another version.
        """
        try:
            return cls(load_file(file))
        except (OSError, SafetensorError, KeyError, ValueError) as error:
            hint = "train it anew, or take the shipped one"
            raise RunError(f"not a schema retriever: {error}", file=file, hint=hint) from error

    def project(self, vectors: Floats) -> Floats:
        """Return what the vectors of texts are compared by, (texts, width), from (texts, hidden)."""
        return _unit(vectors @ self.weights["name"].T)

    def matches(self, asked: Asked, names: SchemaNames, projected: Floats) -> tuple[Floats, Floats]:
        """Return how well each word says each name, (words, names), and what each word weighs, (words,); they sum to 1.

        Args:
            projected: the texts of the names, by `project`.
        """
        weights, features = self.weights, self.features
        states = _unit(np.asarray(asked.states, np.float32))
        terms = term_matches(asked, names)
        alike = _unit(states @ weights["question"].T) @ projected.T
        alike[terms.words, terms.texts] += (
            features["term"] + features["share said"] * terms.said + features["all said"] * (terms.said == 1)
        )
        found = alike[:, names.text_of] + features["table"] * names.own
        found += features["cell"] * terms.cells + features["sure cell"] * terms.sure
        gate = states @ weights["gate"] * SHARP + weights["gate_bias"] + weights["rarity"] * terms.rarity
        share = np.logaddexp(0, gate)
        return found, share / share.sum()

    def scores(self, asked: Asked, names: SchemaNames, projected: Floats) -> Floats:
        """Return the score of each table, (tables,)."""
        found, share = self.matches(asked, names, projected)
        tables = np.maximum.reduceat(found, names.starts, axis=1)
        linked = _with_linked(tables, names.links)
        sizes = np.log1p(np.diff([*names.starts, len(names.text_of)]) - 1)
        return share @ tables + self.features["linked"] * (share @ linked) + self.features["size"] * sizes


def open_scorer(file: Path | None) -> TableScorer:
    """Return a retriever that somebody trained, or the one that ships with the package.

    Raises:
        RunError: as from `TableScorer.load`.
    """
    return shipped_scorer() if file is None else TableScorer.load(file)


@cache
def shipped_scorer() -> TableScorer:
    """Return the retriever that ships with the package."""
    return TableScorer.load(_SHIPPED)


def _with_linked(tables: Floats, links: NDArray[np.int64]) -> Floats:
    """Return the best of each table and those that keys link to it, (words, tables)."""
    best = tables.copy()
    if len(links):
        linked, first = np.unique(links[:, 1], return_index=True)
        best[:, linked] = np.maximum(best[:, linked], np.maximum.reduceat(tables[:, links[:, 0]], first, axis=1))
    return best


def _unit(vectors: Floats) -> Floats:
    return vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-12)


MAX_TABLES = 12
"""Tables that are read at most."""

_MAX_BETWEEN = 2
"""Tables between two that a question needs."""


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
    """Return the tables to read: the first, then the best, each with what lies between it and those before it.

    Args:
        order: all tables, the best first.
        neighbours: by `neighbours_of`.
        columns: how many each table has.
        wanted: of the best.
        most_columns: of all together; the first table is read whatever it has.
        first: what is read whatever its score.
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
    """Return what lies on the shortest way from a table to any of those found; nothing where there is no short one."""
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
