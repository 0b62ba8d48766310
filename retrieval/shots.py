"""Solved questions that a model is shown: where they come from, and the search for those most like a new one."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ..answers.feedback import standing
from ..data.domains.domain import Domain, Example
from ..data.errors import InputError
from ..data.records import read_jsonl
from ..data.sql.dialects import translate
from ..encoders import Encoder
from .bi_encoder import embed, load_bi_encoder

_FIELDS = ("question", "sql", "program")

Scores = NDArray[np.float32]
"""(queries, texts): the larger, the better the text fits the query."""


@dataclass(frozen=True)
class Shot:
    """A solved question; ``program`` says in plain steps how its query comes about, empty if nobody says."""

    question: str
    sql: str
    program: str = ""


@dataclass(frozen=True)
class ScoredShot:
    """A solved question that was found, with the score by which it is ranked."""

    shot: Shot
    score: float


class Way(Protocol):
    """How texts are held against queries."""

    def scores(self, queries: Sequence[str]) -> Scores:
        """Return (queries, texts)."""
        ...


MakeWay = Callable[[Sequence[str]], Way]
"""Makes a way of the texts that can be found."""


class Dense:
    """Cosines of the vectors of a bi-encoder.

    Args:
        encoder: the bi-encoder.
        texts: what can be found; their vectors are kept in the user's cache for the next time.
    """

    def __init__(self, encoder: Encoder, texts: Sequence[str]) -> None:
        self._encoder = encoder
        self._vectors = embed(encoder, texts, keep=True)
        self._known = dict(zip(texts, self._vectors, strict=True))

    def scores(self, queries: Sequence[str]) -> Scores:
        """Return the cosine of each text with each query, (queries, texts)."""
        new = [query for query in queries if query not in self._known]  # `SolvedQuestions` asks for known ones, too
        found = self._known | dict(zip(new, embed(self._encoder, new), strict=True))
        return np.stack([found[query] for query in queries]) @ self._vectors.T


def dense_way(model: str | Path = "e5") -> MakeWay:
    """Return the way of a bi-encoder.

    Args:
        model: ``e5``, or the folder of one that was trained.

    Raises:
        InputError: the bi-encoder cannot be loaded.
    """
    encoder = load_bi_encoder(model)
    return lambda texts: Dense(encoder, texts)


class ShotStore:
    """Solved questions that can be searched.

    Args:
        shots: what can be found.
        way: how; it is made of the questions of ``shots``.
        mask: puts a mask in place of each value of a question; questions are searched as they stand if None.

    Raises:
        InputError: there is nothing to find.
    """

    def __init__(self, shots: Sequence[Shot], way: MakeWay, *, mask: Callable[[str], str] | None = None) -> None:
        if not shots:
            raise InputError("there are no solved questions to choose from", field="examples")
        self.shots, self._mask = tuple(shots), mask
        self._way = way([self.searched_as(shot.question) for shot in shots])

    def __len__(self) -> int:
        return len(self.shots)

    def searched_as(self, question: str) -> str:
        """Return what is held against the solved questions: the question, with its values masked if they are."""
        return self._mask(question) if self._mask else question

    def similar(self, question: str, k: int) -> list[Shot]:
        """Return the ``k`` solved questions that are most alike, the most alike first."""
        return [found.shot for found in self.search(question, k)]

    def search(self, question: str, k: int) -> list[ScoredShot]:
        """Return what `similar` returns, with scores."""
        (scores,) = self._way.scores([self.searched_as(question)])
        return [ScoredShot(self.shots[i], float(scores[i])) for i in np.argsort(-scores, kind="stable")[:k]]


def read_shots(file: str | Path) -> list[Shot]:
    """Return the solved questions of a file with ``question``, ``sql`` and, if wanted, ``program`` on each line.

    Of a file of `Feedback` those are left out that were wrong, or lean on others.

    Raises:
        InputError: nothing is there, a line is no such object, or a field is missing or no text.
    """
    path = Path(file)
    if path.is_file() and b'"verdict": "' in (data := path.read_bytes()):
        return [Shot(one.question, one.sql) for one in standing(data, path) if one.solves]
    defaults = {"program": ""}
    found = [Shot(*(one.text(name, defaults.get(name)).strip() for name in _FIELDS)) for one in read_jsonl(path)]
    if not found:
        raise InputError("no solved question in it", file=file, hint='write {"question": …, "sql": …} on each line')
    return found


def examples_to_show(domain: Domain) -> list[Example]:
    """Return a domain's examples of the parts train and dev.

    Raises:
        InputError: there are none.
    """
    examples = [*domain.part("train"), *domain.part("dev")]
    if not examples:
        raise InputError("the domain has no examples to show", file=domain.name, field="examples")
    return examples


def shots_of(domain: Domain, examples: Iterable[Example], *, dialect: str | None = None) -> list[Shot]:
    """Return examples of a domain as solved questions.

    Args:
        dialect: what queries are to be in; None leaves them as they are.

    Raises:
        QueryError: a query cannot be said in the dialect.
    """
    spoken = dialect or domain.dialect
    return [Shot(e.question, translate(e.sql, read=domain.dialect, write=spoken)) for e in examples]
