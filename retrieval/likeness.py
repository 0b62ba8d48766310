"""How like the questions of two query patterns should be, from which SoftSimMatch learns (BibSQL 2025).

Questions of one pattern are worth 1. Where patterns say which paths they follow (``author.title``,
``title.author.country``), a composite and one of its paths are worth 0.5, all others 0; and *rivals* are those of 0
that are easily taken for one another: as long, with the same beginning or end. Where no paths are known, rivals are
the patterns whose questions look most alike.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..data.packages import needs

_RIVALS = 5  # of a pattern that says no path: those whose questions look most alike


@dataclass(frozen=True)
class PatternQuestions:
    """The questions of one query pattern, and the paths it follows: one, two for a composite, none if unknown."""

    name: str
    questions: tuple[str, ...]
    paths: tuple[str, ...] = ()


def patterns_of(asked: Sequence[tuple[str, str, str]]) -> list[PatternQuestions]:
    """Return patterns of (pattern's name, question, paths parted by spaces), in order of first use."""
    questions: dict[str, list[str]] = defaultdict(list)
    paths: dict[str, str] = {}
    for name, question, followed in asked:
        questions[name].append(question)
        paths[name] = followed
    return [PatternQuestions(name, tuple(several), tuple(paths[name].split())) for name, several in questions.items()]


class Likeness:
    """What is wished of the questions of patterns.

    Attributes:
        patterns: their numbers are labels.
    """

    def __init__(self, patterns: Sequence[PatternQuestions]) -> None:
        self.patterns = tuple(patterns)

    @cached_property
    def wished(self) -> NDArray[np.float32]:
        """Return the cosine of each two patterns' questions, (patterns, patterns)."""
        found = np.eye(len(self.patterns), dtype=np.float32)
        single = {p.paths: i for i, p in enumerate(self.patterns) if len(p.paths) == 1}
        for i, pattern in enumerate(self.patterns):
            for path in pattern.paths if len(pattern.paths) > 1 else ():
                if (part := single.get((path,))) is not None:
                    found[i, part] = found[part, i] = 0.5
        return found

    @cached_property
    def rivals(self) -> NDArray[np.bool_]:
        """Say which two patterns, of 0, are easily taken for one another, (patterns, patterns)."""
        if any(p.paths for p in self.patterns):
            return np.array([[_confusable(p, other) for other in self.patterns] for p in self.patterns])
        return _lookalikes(self.patterns)


def _confusable(one: PatternQuestions, other: PatternQuestions) -> bool:
    """Say whether two patterns are as long, with the same beginning or end, and no part of one another."""
    if one is other or len(one.paths) != len(other.paths) or not one.paths or set(one.paths) == set(other.paths):
        return False
    lengths = [sorted(path.count(".") for path in p.paths) for p in (one, other)]
    return lengths[0] == lengths[1] and bool(_ends(one) & _ends(other))


def _ends(pattern: PatternQuestions) -> set[tuple[str, str]]:
    parts = [path.split(".") for path in pattern.paths]
    return {("start", part[0]) for part in parts} | {("target", part[-1]) for part in parts}


def _lookalikes(patterns: Sequence[PatternQuestions]) -> NDArray[np.bool_]:
    """Say which patterns' questions are most like each one's."""
    texts = [question for p in patterns for question in p.questions]
    owner = np.repeat(np.arange(len(patterns)), [len(p.questions) for p in patterns])
    scores = CharTfidf(texts).scores(texts)
    firsts = np.flatnonzero(np.diff(owner, prepend=-1))
    best = np.maximum.reduceat(np.maximum.reduceat(scores, firsts, axis=0), firsts, axis=1)
    np.fill_diagonal(best, -1)
    found = np.zeros(best.shape, np.bool_)
    np.put_along_axis(found, np.argsort(-best, axis=1, kind="stable")[:, :_RIVALS], values=True, axis=1)
    return (found | found.T) & ~np.eye(len(patterns), dtype=np.bool_)


class CharTfidf:
    """Cosines of TF-IDF vectors over the n-grams of one to four characters: hard to beat where templates repeat.

    Args:
        texts: what can be found.

    Raises:
        InputError: scikit-learn is not installed.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        with needs("scikit-learn", "train", field="by"):
            # a second and 140 MiB, for those who search alone
            from sklearn.feature_extraction.text import HashingVectorizer, TfidfTransformer
            from sklearn.pipeline import make_pipeline

        # hashed, so that what no text has counts as well: of a query that is all new nothing is alike
        counts = HashingVectorizer(analyzer="char", ngram_range=(1, 4), norm=None, alternate_sign=False)  # pyright: ignore[reportArgumentType]
        self._vectorizer = make_pipeline(counts, TfidfTransformer(sublinear_tf=True))
        self._vectors = self._vectorizer.fit_transform(texts)

    def scores(self, queries: Sequence[str]) -> NDArray[np.float32]:
        """Return the cosine of each text with each query, (queries, texts)."""
        if not queries:
            return np.zeros((0, self._vectors.shape[0]), np.float32)
        found = self._vectorizer.transform(queries) @ self._vectors.T
        return np.asarray(found.toarray(), np.float32)
