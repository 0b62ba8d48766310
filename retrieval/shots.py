"""Solved questions (demonstrations): the sources that they come from, and the search for those like a new one."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..answers.feedback import standing
from ..data.domains.domain import Domain, Example
from ..data.errors import InputError
from ..data.records import read_jsonl
from ..data.sql.dialects import translate
from ..encoders import Encoder
from .bi_encoder import embed

_FIELDS = ("question", "sql", "program")


@dataclass(frozen=True)
class Shot:
    """A solved question; ``program`` holds the plain steps that lead to its query, or is empty."""

    question: str
    sql: str
    program: str = ""


class ShotStore:
    """Solved questions that can be searched by the cosines of a bi-encoder's vectors.

    Args:
        shots: the solved questions.
        encoder: the bi-encoder. The vectors of the solved questions are kept in the user's cache for the next time.
        mask: puts a mask in place of each value of a question; None compares questions as they are.

    Raises:
        InputError: there are no solved questions.
    """

    def __init__(self, shots: Sequence[Shot], encoder: Encoder, *, mask: Callable[[str], str] = str) -> None:
        if not shots:
            raise InputError("there are no solved questions to choose from", field="examples")
        self.shots, self._encoder, self._mask = tuple(shots), encoder, mask
        texts = [mask(shot.question) for shot in shots]
        self._vectors = embed(encoder, texts, keep=True)
        self._known = dict(zip(texts, self._vectors, strict=True))  # `SolvedQuestions` searches for these, too

    def __len__(self) -> int:
        return len(self.shots)

    def similar(self, question: str, k: int) -> list[Shot]:
        """Return the ``k`` most similar solved questions, the most similar first."""
        return [shot for shot, _ in self.search(question, k)]

    def search(self, question: str, k: int) -> list[tuple[Shot, float]]:
        """Return what `similar` returns, each with its cosine."""
        text = self._mask(question)
        vectors = self._known[text][None] if text in self._known else embed(self._encoder, [text])
        (scores,) = vectors @ self._vectors.T
        return [(self.shots[i], float(scores[i])) for i in np.argsort(-scores, kind="stable")[:k]]


def read_shots(file: str | Path) -> list[Shot]:
    """Return the solved questions of a file with ``question``, ``sql`` and, if wanted, ``program`` on each line.

    Of a file of `Feedback` the wrong answers and the follow-ups are left out.

    Raises:
        InputError: the file is missing or empty, a line is no such object, or a field is missing or no text.
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
        dialect: the dialect to translate the queries to; None leaves them as they are.

    Raises:
        QueryError: a query cannot be translated.
    """
    write = dialect or domain.dialect
    return [Shot(e.question, translate(e.sql, read=domain.dialect, write=write)) for e in examples]
