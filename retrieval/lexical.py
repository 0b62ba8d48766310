"""Search by words: BM25 over words and Chinese characters, and TF-IDF over n-grams of characters."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..data.packages import needs

if TYPE_CHECKING:
    from .selection import Scores

__all__ = ["Bm25", "CharTfidf", "words_of"]

_WORD = re.compile(r"[a-z0-9_]+|[\u3400-\u9fff]+")


def words_of(text: str) -> list[str]:
    """Return what BM25 counts: words, and of Chinese each character and each two beside one another."""
    found: list[str] = []
    for part in _WORD.findall(text.lower()):
        if part[0] < "\u3400":
            found.append(part)
        else:
            found += [*part, *(part[i : i + 2] for i in range(len(part) - 1))]
    return found


class Bm25:
    """BM25 (Robertson and Zaragoza 2009) as the library bm25s has it.

    Args:
        texts: what can be found.

    Raises:
        InputError: bm25s is not installed.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        with needs("bm25s", "train", field="by"):
            import bm25s
        self._known = {word: i for i, word in enumerate(sorted({w for text in texts for w in words_of(text)}))}
        self._index: Any = bm25s.BM25()
        ids = [[self._known[w] for w in words_of(text)] for text in texts]
        self._index.index((ids, self._known), show_progress=False)
        self._count = len(texts)

    def scores(self, queries: Sequence[str]) -> Scores:
        """Return how well each text fits each query, (queries, texts), from 0."""
        return np.stack([self._of(query) for query in queries]) if queries else np.zeros((0, self._count), np.float32)

    def _of(self, query: str) -> NDArray[np.float32]:
        known = [word for word in words_of(query) if word in self._known]
        if not known:
            return np.zeros(self._count, np.float32)
        return np.asarray(self._index.get_scores(known), np.float32)


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

    def scores(self, queries: Sequence[str]) -> Scores:
        """Return the cosine of each text with each query, (queries, texts)."""
        if not queries:
            return np.zeros((0, self._vectors.shape[0]), np.float32)
        found = self._vectorizer.transform(queries) @ self._vectors.T
        return np.asarray(found.toarray(), np.float32)
