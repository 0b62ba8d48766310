"""The data of an explanation: how the query of a question came about."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from .unlinked import UnlinkedSpan

__all__ = ["Explanation", "FeatureContribution", "RatedPart", "ReadValue", "RefusedWord", "Step"]


@dataclass(frozen=True)
class RatedPart:
    """A table, column or function.

    Attributes:
        name: its name in the schema; columns have their table before it.
        probability: the probability that the query needs it, according to the classifiers.
        written: whether the network wrote it, which is not so for conditions that keys imply.
    """

    name: str
    probability: float
    written: bool


@dataclass(frozen=True)
class ReadValue:
    """A value that the question names.

    Attributes:
        text: the words of the question.
        value: the value in SQL.
        kind, how: its kind, and how it was found, as in `FoundValue`.
        columns: the columns that hold it, with their tables.
        slots: the names of its slots in the words of the steps.
        probability: the probability that the query needs it.
        written: whether the query has it.
        span: the period that it means, in words; empty if it means none.
    """

    text: str
    value: str
    kind: str
    how: str
    columns: tuple[str, ...]
    slots: tuple[str, ...]
    probability: float
    written: bool
    span: str = ""


@dataclass(frozen=True)
class RefusedWord:
    """A likely word that the constraint forbids.

    Attributes:
        word: its text in the vocabulary, with slots in braces.
        probability: its probability, as in `Step`.
        reason: the reason, in one line.
    """

    word: str
    probability: float
    reason: str


@dataclass(frozen=True)
class Step:
    """One word of a query, and its alternatives. Without a local constraint the last four attributes are empty.

    Attributes:
        word: its text in the vocabulary, with slots in braces; ``<eos>`` is the end.
        probability: its probability among all words of the network, after the global constraint; the product over the
            steps is the probability of the query in the search.
        allowed: the number of words that the local constraint allowed, of those that the question may use.
        forbidden: the summed probability of all other words.
        refused: the likeliest of the forbidden words.
        implied: words that the constraint inserted before this one: a join's condition, where keys imply it.
    """

    word: str
    probability: float
    allowed: int | None = None
    forbidden: float | None = None
    refused: tuple[RefusedWord, ...] = ()
    implied: str = ""


@dataclass(frozen=True)
class FeatureContribution:
    """The contribution of a feature to an answer's rank and confidence.

    Attributes:
        name: the name of the feature in `reranker.FEATURES` or `calibration.SIGNS`.
        value: the value of the feature.
        ranks: its contribution to the reranker's score; None if only the calibration uses the feature.
        assures: its contribution to the log-odds that the answer is right; None if only the reranker uses it.
    """

    name: str
    value: float
    ranks: float | None
    assures: float | None


@dataclass(frozen=True)
class Explanation:
    """How the query of a question came about.

    Attributes:
        sql: the query; None if none could be written, and then there are no steps.
        score: the sum of the log-probabilities of its words.
        answerable: the probability that the database holds an answer.
        unlinked: the words of the question that were linked to nothing.
        values: the values that the question names.
        tables, columns, functions: the parts that the query may need or has, the likeliest first.
        words: the number of words that the question may use.
        vocabulary: the number of words of the vocabulary.
        level: the level of the local constraint; None if there was none.
        steps: the steps, one for each word.
        features: the contributions of the answer's features to its rank and confidence.
        virtual: the virtual columns that the question added to the database, each with its expression.
        read: the tables that the network read for the question.
        of_tables: the number of tables of the database.
    """

    question: str
    sql: str | None
    score: float | None
    answerable: float
    unlinked: UnlinkedSpan | None
    values: tuple[ReadValue, ...]
    tables: tuple[RatedPart, ...]
    columns: tuple[RatedPart, ...]
    functions: tuple[RatedPart, ...]
    words: int
    vocabulary: int
    level: str | None
    steps: tuple[Step, ...]
    features: tuple[FeatureContribution, ...] = ()
    virtual: tuple[str, ...] = ()
    read: tuple[str, ...] = ()
    of_tables: int = 0

    def to_json(self) -> dict[str, Any]:
        """Return plain dicts and lists."""
        return asdict(self)
