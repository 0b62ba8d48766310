"""How the query of a question came about, as data."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from .unlinked import UnlinkedSpan

__all__ = ["Explanation", "FeatureContribution", "RatedPart", "ReadValue", "RefusedWord", "Step"]


@dataclass(frozen=True)
class RatedPart:
    """A table, column or function.

    Attributes:
        name: as the schema spells it; columns with their table.
        probability: that the query needs it, as the classifiers say.
        written: whether the network wrote it; conditions that keys imply are not.
    """

    name: str
    probability: float
    written: bool


@dataclass(frozen=True)
class ReadValue:
    """A value that the question names.

    Attributes:
        text: as the question says it.
        value: as SQL stores or writes it.
        kind, how: what it is, and how it was found: those of `FoundValue`.
        columns: that hold it, with their tables.
        slots: what it is called in the words of the steps.
        probability: that the query needs it.
        written: whether the query has it.
        span: the period that it says, in words; empty if it says none.
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
    """A likely word that could not come.

    Attributes:
        word: as the vocabulary spells it, slots in braces.
        probability: as that of `Step`.
        reason: in one line.
    """

    word: str
    probability: float
    reason: str


@dataclass(frozen=True)
class Step:
    """One word of a query, and what stood beside it. Without a local constraint the last four tell nothing.

    Attributes:
        word: as the vocabulary spells it, slots in braces; ``<eos>`` is the end.
        probability: among all words of the network, after the global constraint; those of a query's steps multiply to
            its probability in the search.
        allowed: words that the local constraint let through, of those that the question may use.
        forbidden: probability of all others together.
        refused: the likeliest of those.
        implied: words that the constraint wrote before this one: a join's condition, where keys imply it.
    """

    word: str
    probability: float
    allowed: int | None = None
    forbidden: float | None = None
    refused: tuple[RefusedWord, ...] = ()
    implied: str = ""


@dataclass(frozen=True)
class FeatureContribution:
    """A feature of the answer.

    Attributes:
        name: of `reranker.FEATURES` or `calibration.SIGNS`.
        value: of the answer.
        ranks: what that adds to its score among the answers; None of a sign of the confidence alone.
        assures: what it adds to the log-odds of its being right; None of a feature of the order alone.
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
        score: sum of the log-probabilities of its words.
        answerable: probability that the database holds an answer at all.
        unlinked: words of the question that nothing accounts for.
        values: that the question names.
        tables, columns, functions: those that the query may need or has, the likeliest first.
        words: how many words the question may use,
        vocabulary: of so many.
        level: what the local constraint promises; None is without it.
        steps: one a word.
        features: of the answer, with what each adds to its place and to its confidence.
        virtual: columns that the question gave reason for and the database has not, each with what it stands for.
        read: the tables that were read for it,
        of_tables: of so many.
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
