"""The cosines that SoftSimMatch is to give the questions of two query patterns (BibSQL 2025).

Two questions of one pattern get 1. Where the paths of patterns are known (``author.title``, ``title.author.country``),
a composite and one of its paths get 0.5, all others 0. *Rivals* are patterns of 0 that are easily confused: their paths
are as long and have the same beginning or end. Where no paths are known, rivals are the patterns whose questions look
most alike.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..data.packages import needs

_RIVALS = 5  # of a pattern without paths


@dataclass(frozen=True)
class PatternQuestions:
    """The questions of one query pattern, and its paths: one, two for a composite, none if unknown."""

    name: str
    questions: tuple[str, ...]
    paths: tuple[str, ...] = ()


def patterns_of(rows: Sequence[tuple[str, str, str]]) -> list[PatternQuestions]:
    """Return the patterns of rows (pattern's name, question, paths with spaces between), in order of first use."""
    questions: dict[str, list[str]] = defaultdict(list)
    paths: dict[str, str] = {}
    for name, question, followed in rows:
        questions[name].append(question)
        paths[name] = followed
    return [PatternQuestions(name, tuple(several), tuple(paths[name].split())) for name, several in questions.items()]


class Likeness:
    """The similarity that the questions of patterns are to have.

    Attributes:
        patterns: their places are the labels.
    """

    def __init__(self, patterns: Sequence[PatternQuestions]) -> None:
        self.patterns = tuple(patterns)

    @cached_property
    def target(self) -> NDArray[np.float32]:
        """Return the target cosine of the questions of each two patterns, (patterns, patterns)."""
        found = np.eye(len(self.patterns), dtype=np.float32)
        single = {p.paths: i for i, p in enumerate(self.patterns) if len(p.paths) == 1}
        for i, pattern in enumerate(self.patterns):
            for path in pattern.paths if len(pattern.paths) > 1 else ():
                if (part := single.get((path,))) is not None:
                    found[i, part] = found[part, i] = 0.5
        return found

    @cached_property
    def rivals(self) -> NDArray[np.bool_]:
        """Return which two patterns of 0 are easily confused, (patterns, patterns)."""
        if any(p.paths for p in self.patterns):
            return np.array([[_confusable(p, other) for other in self.patterns] for p in self.patterns])
        return _lookalikes(self.patterns)


def _confusable(one: PatternQuestions, other: PatternQuestions) -> bool:
    """Return whether the paths of two patterns are as long, with a common beginning or end, and are not the same."""
    if one is other or len(one.paths) != len(other.paths) or not one.paths or set(one.paths) == set(other.paths):
        return False
    lengths = [sorted(path.count(".") for path in p.paths) for p in (one, other)]
    return lengths[0] == lengths[1] and bool(_ends(one) & _ends(other))


def _ends(pattern: PatternQuestions) -> set[tuple[str, str]]:
    parts = [path.split(".") for path in pattern.paths]
    return {("start", part[0]) for part in parts} | {("target", part[-1]) for part in parts}


def _lookalikes(patterns: Sequence[PatternQuestions]) -> NDArray[np.bool_]:
    """Return for each pattern the few others with the most similar questions, by TF-IDF over n-grams of characters."""
    texts = [question for p in patterns for question in p.questions]
    owner = np.repeat(np.arange(len(patterns)), [len(p.questions) for p in patterns])
    with needs("scikit-learn", "train", field="by"):
        from sklearn.feature_extraction.text import TfidfVectorizer

    vectors = TfidfVectorizer(analyzer="char", ngram_range=(1, 4), sublinear_tf=True, lowercase=True).fit_transform(
        texts
    )
    scores = (vectors @ vectors.T).toarray()
    firsts = np.flatnonzero(np.diff(owner, prepend=-1))
    best = np.maximum.reduceat(np.maximum.reduceat(scores, firsts, axis=0), firsts, axis=1)
    np.fill_diagonal(best, -1)
    found = np.zeros(best.shape, np.bool_)
    np.put_along_axis(found, np.argsort(-best, axis=1, kind="stable")[:, :_RIVALS], values=True, axis=1)
    return (found | found.T) & ~np.eye(len(patterns), dtype=np.bool_)
