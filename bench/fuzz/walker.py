"""Where a random walk stands, what it is after, and how it draws a word."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray
from walk_coverage import Coverage, Stack

from querent.grammar import Vocabulary, Word
from querent.grammar.lr.functions import WINDOWED as WINDOW_CLASSES

__all__ = ["Ids", "Walker"]

BY_TERMINAL = 0.7
"""Share of words for which the terminal is chosen first; the others are drawn from all words, columns mostly."""

REPEATED = 0.5
"""Share of GROUP BYs whose first key repeats an item of the select list, as people write it."""

WINDOWED = 0.3
"""Share of places where a window function may stand at which a walk that is after them takes one."""

_TOWARDS_PER = {"QCOLUMN": 40.0, "FROM": 60.0, "GROUP": 60.0, "ORDER": 200.0, "LIMIT": 30.0, "PER": 400.0, ",": 5.0}
_TOWARDS_PER |= {"COUNT": 6.0, "AGG": 6.0}
_NEVER_BEFORE_PER = {"DISTINCT", "STAR", "QSTAR", "AS", "ALIAS", "NULLS", "UNION", "INTERSECT", "EXCEPT"}

DEFINED = 0.6
"""Share of places where WITH, a source or a column may stand at which a walk that is after WITH takes one of it."""

OPENING = {"(", "SELECT", "CASE", "NOT", "-", "EXISTS", "IN", "ANY", "ALL"}
"""Words that nested constructs begin with, or that stand before those; functions are some, too."""

USUAL = 0.25
CLAUSES = {
    **dict.fromkeys(("FROM", "WHERE"), 12.0),
    **dict.fromkeys(("GROUP", "HAVING", "JOIN", "ON", "USING", "SELECT", "AND", "THEN", "ELSE", "END", ")"), 6.0),
    **dict.fromkeys(("COLUMN", "QCOLUMN", "TABLE", "ALIAS"), 6.0),
    **dict.fromkeys(("INNER", "LEFT", "RIGHT", "FULL", "CROSS", "NATURAL", "OUTER", "ORDER", "DISTINCT", "AS"), 2.0),
    **dict.fromkeys(
        ("UNION", "INTERSECT", "EXCEPT", "IN", "CASE", "=", "<", ",", "*", "QSTAR", "WHOLE", "STRING", "$END"), 1.0
    ),
}
"""How much `clauses` likes a terminal; others it likes as much as `USUAL`."""

Ids = NDArray[np.intp]


class Walker:
    """Where one walk stands, and what the whole run has written so far.

    Attributes:
        written: how often the run has used each word.
        pairs: how often it has used each sort of word after another.
        sorts: of each word: the type of a column, the terminal of other names and constants, or else the word itself.
        rng: the walk's own draws.
        ids: the words so far.
        stack: where they lead in the grammar's tables; kept by the ways that look at it.
        again: words that a key of GROUP BY is to repeat.
        windows: which words are window functions that the walk is after, shape (vocabulary,).
        shunned: which words a walk that is after PER passes by while there are others, as it cannot come behind them.
        defined: which words are of WITH, where the walk is after that, shape (vocabulary,).
        closes: the word that ends a query of WITH, shape (vocabulary,).
        stored: which words are columns of tables, shape (vocabulary,).
        stepped: how many words have led there.
        here: how often the walk itself has come to each state of these tables.
        free: after so many words, the shortest way begins.
        weights: how likely each terminal is, shape (terminals + 1,), or None where all are alike; the ways that do
            not set them are as likely as not to write as `clauses` does.
        favourites: logits that stay the same through the walk, shape (vocabulary,).
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        coverage: Coverage,
        written: Counter[str],
        pairs: Counter[tuple[str, str]],
        *,
        windows: bool = False,
        per: bool = False,
        common: bool = False,
    ) -> None:
        self.vocabulary = vocabulary
        self.coverage = coverage
        self.written = written
        self.pairs = pairs
        self.sorts = _sorts(vocabulary)
        self.numbers = {name: i for i, name in enumerate(coverage.tables.terminals)}
        outside = len(self.numbers)
        self.terminals: Ids = np.array([self.numbers.get(w.terminal, outside) for w in vocabulary.words], np.intp)
        self.windows = np.array([windows and w.terminal in WINDOW_CLASSES for w in vocabulary.words])
        self.shunned = np.array([per and w.terminal in _NEVER_BEFORE_PER for w in vocabulary.words])
        self.defined = np.array([common and _of_source(w) for w in vocabulary.words])
        self.closes = np.array([w.text == ")" for w in vocabulary.words])
        self.stored = np.array([bool(w.column and w.tables) for w in vocabulary.words])
        functions = [w.kind == "function" and w.terminal != "NILADIC" for w in vocabulary.words]
        self.opens = np.array([w.text in OPENING for w in vocabulary.words]) | np.array(functions)
        texts = coverage.tables.texts
        names = [texts.get(name, name) for name in coverage.tables.terminals]
        liked = CLAUSES | _TOWARDS_PER if per else CLAUSES
        self.liked = np.array([*(liked.get(name, USUAL) for name in names), USUAL])
        self.start(random.Random(0))

    def start(self, rng: random.Random) -> None:
        """Begin a walk."""
        self.rng = rng
        self.ids: list[int] = []
        self.again: list[int] = []
        self.stack: Stack = self.coverage.root()
        self.stepped = 0
        self.here: Counter[int] = Counter()
        self.free = rng.choice([0, 1, 3, 6, 10, 20, 40])
        self.weights: NDArray[Any] | None = self.liked if rng.random() < 0.5 else None
        self.favourites: NDArray[Any] | None = None
        self.generator: np.random.Generator | None = None

    def repeated(self, allowed: Ids) -> int | None:
        """Return the next word where a key of GROUP BY repeats an item, None where it does not, or no more."""
        texts = [self.vocabulary.words[i].text for i in self.ids[-2:]]
        if texts == ["GROUP", "BY"] and self.rng.random() < REPEATED:
            self.again = self._item()
        if not self.again or self.again[0] not in allowed:
            self.again = []
            return None
        return self.again.pop(0)

    def window(self, allowed: Ids) -> int | None:
        """Return the name of a window function, None where none may come, or the walk is not after them."""
        able = allowed[self.windows[allowed]]
        return self.one_of(able) if len(able) and self.rng.random() < WINDOWED else None

    def not_shunned(self, allowed: Ids) -> Ids:
        """Return the words that the walk does not pass by, all where it passes by each."""
        able = allowed[~self.shunned[allowed]]
        return able if len(able) else allowed

    def common(self, allowed: Ids) -> int | None:
        """Return a word of WITH, None where none may come, or the walk is not after them."""
        texts = [self.vocabulary.words[i].text for i in self.ids]
        if self.rng.random() >= DEFINED or (texts and texts[0] != "WITH"):
            return None
        begun = [i for i in range(len(texts)) if texts[i + 1 : i + 3] == ["AS", "("]]
        over = [i for i in begun if self._defines(texts[i:])]
        if len(begun) > len(over):  # it shows columns, and ends soon: words are left for what stands behind
            short = allowed[(self.stored if texts[-1] in {"SELECT", ","} else self.closes)[allowed]]
            return self.one_of(short) if len(short) else None
        names, able = {"", *(texts[i] for i in over)}, allowed[self.defined[allowed]]
        if not texts or texts[-1] not in {"FROM", "JOIN"}:
            able = able[self.terminals[able] != self.numbers["ALIAS"]]
        liked = [i for i in able.tolist() if not texts or self._owner(i) in names]
        return self.rng.choice(liked) if liked else None

    @staticmethod
    def _defines(texts: Sequence[str]) -> bool:
        """Say whether a query of WITH begins here and is over: ``a AS (SELECT 1)``."""
        depths = accumulate((text == "(") - (text == ")") for text in texts)
        return list(texts[1:3]) == ["AS", "("] and 0 in list(depths)[3:]

    def _owner(self, word: int) -> str:
        word_ = self.vocabulary.words[word]
        return "" if word_.terminal == "COLUMN" else word_.text.rpartition(".")[0] or word_.text

    def _item(self) -> list[int]:
        """Return the words of one item of the SELECT that is being written, without its alias."""
        items: list[list[int]] = []
        depth = 0
        for word in reversed(self.ids):
            text = self.vocabulary.words[word].text
            depth += (text in {")", "END"}) - (text in {"(", "CASE"})
            if depth < 0 or (depth == 0 and text == "SELECT"):
                break
            if depth == 0 and text == "FROM":
                items = [[]]
            elif depth == 0 and text == ",":
                items.append([])
            elif items and not (depth == 0 and self.vocabulary.words[word].terminal in {"ALIAS", "AS", "DISTINCT"}):
                items[-1].insert(0, word)
        return self.rng.choice(items) if items else []

    def one_of(self, ids: Ids) -> int:
        """Take any word."""
        return int(ids[self.rng.randrange(len(ids))])

    def by_terminal(self, ids: Ids) -> int:
        """Take any terminal, then any of its words."""
        terminals = self.terminals[ids]
        present = np.flatnonzero(np.bincount(terminals))
        if self.weights is None:
            return self.one_of(ids[terminals == present[self.rng.randrange(len(present))]])
        sums = np.cumsum(self.weights[present])
        place = min(int(np.searchsorted(sums, self.rng.random() * sums[-1])), len(present) - 1)
        return self.one_of(ids[terminals == present[place]])

    def mixed(self, ids: Ids) -> int:
        """Take a word one way or the other."""
        return self.by_terminal(ids) if self.rng.random() < BY_TERMINAL else self.one_of(ids)


def _of_source(word: Word) -> bool:
    shown = word.terminal in {"COLUMN", "QCOLUMN", "QSTAR"} and not word.tables
    return shown or word.terminal in {"WITH", "ALIAS"}


def _sorts(vocabulary: Vocabulary) -> list[str]:
    types = {(t.name, c.name): c.type.upper() for t in vocabulary.grammar.schema.tables for c in t.columns}
    named = {"table", "column", "alias", "constant", "slot"}
    return [
        types.get((w.table or "", w.column or ""), w.terminal) if w.kind in named else w.function or w.text
        for w in vocabulary.words
    ]
