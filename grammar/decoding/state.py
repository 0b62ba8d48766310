"""A prefix of a query, as searches carry it: what may come next, and what is after that."""

from __future__ import annotations

from collections.abc import Set

import numpy as np
from numpy.typing import NDArray

from ...data.errors import ConstraintError
from ..completion.shortest import NEVER
from ..reading.tokenizer import describe_terminals
from ..vocabulary.meanings import WordMeanings
from ..vocabulary.vocabulary import EOS, Vocabulary
from .continuations import Continuations, NextWords, Objection
from .word_costs import SomeWords

Mask = NDArray[np.bool_]


class AllowedWords:
    """The words that one question may use.

    Attributes:
        vocabulary: all words.
        meanings: of these.
        continuations: what may follow each prefix.
        words: those that may be used, shape (vocabulary,), bool.
        only_end: the mask of a query that has ended.
        masks: those that were computed, by what follows and how many words are left.
    """

    __slots__ = ("continuations", "masks", "meanings", "only_end", "vocabulary", "words")

    def __init__(
        self, vocabulary: Vocabulary, meanings: WordMeanings, continuations: Continuations, words: Mask
    ) -> None:
        self.vocabulary = vocabulary
        self.meanings = meanings
        self.continuations = continuations
        self.only_end: Mask = np.arange(len(vocabulary)) == EOS
        self.only_end.flags.writeable = False
        self.words = words
        self.masks: dict[tuple[NextWords, int], Mask] = {}

    def mask(self, next_words: NextWords, left: int) -> Mask:
        left = min(left, next_words.known.most)
        mask = self.masks.get((next_words, left))
        if mask is None:
            mask = (next_words.known.totals <= left) & self.words
            mask.flags.writeable = False
            self.masks[next_words, left] = mask
        return mask


class State:
    """A prefix of a query; never changes, so that searches may share it.

    Attributes:
        allowed_words: the words that may be used.
        next_words: what may follow, as far as it hangs on the prefix.
        left: words that may still be written, the end not counted.
        ended: whether the end has been written.
    """

    __slots__ = ("_mask", "allowed_words", "ended", "left", "next_words")

    def __init__(self, allowed_words: AllowedWords, next_words: NextWords, left: int, *, ended: bool = False) -> None:
        self.allowed_words = allowed_words
        self.next_words = next_words
        self.left = left
        self.ended = ended
        self._mask: Mask | None = None

    @property
    def least(self) -> int:
        """Return the fewest words that finish the query, `NEVER` if none do."""
        return int(self.next_words.known.totals.min())

    def need(self, token_id: int) -> int:
        """Return the fewest words that finish the query beginning with one, `NEVER` if it may not come."""
        return int(self.next_words.known.totals[token_id])

    @property
    def nesting_left(self) -> int:
        """Return how much deeper the query may surely nest: brackets, or symbols that the engine's parser keeps."""
        node, bounds = self.next_words.node, self.allowed_words.continuations.costs.bounds
        return min(bounds.depth - node.depth, bounds.height - node.height)

    @property
    def defines(self) -> bool:
        """Say whether the name of a query of WITH comes next."""
        following = self.allowed_words.continuations.stack.automaton.next[self.next_words.node.state]
        return not following.isdisjoint({"ctes", "cte"})

    @property
    def complete(self) -> bool:
        """Say whether the query may end here."""
        return bool(self.next_words.known.totals[EOS] == 0)

    def allowed(self) -> Mask:
        """Return the words that may come next, shape (vocabulary,), bool, read-only, never empty.

        After the end only the end may follow, so that finished queries pad themselves.
        """
        mask = self._mask
        if mask is None:
            allowed_words = self.allowed_words
            mask = allowed_words.only_end if self.ended else allowed_words.mask(self.next_words, self.left)
            self._mask = mask
        return mask

    def admits(self, word: int) -> bool:
        """Say whether a word may come next, as `allowed` does, without working out the others."""
        if self._mask is not None or self.ended:
            return bool(self.allowed()[word])
        some = self.allowed_words.continuations.one(word)
        return bool(self.allowed_words.words[word]) and self.next_words.admits(some, self.left)

    def admits_any(self, some: SomeWords) -> bool:
        """Say whether any of some words may come next; those that may not be used are not among them."""
        if self._mask is not None or self.ended:
            return bool(self.allowed()[some.words].any())
        return self.next_words.admits(some, self.left)

    def advance(self, token_id: int) -> State:
        """Return the state after one more word.

        Raises:
            ConstraintError: the word may not come here; the message says why.
        """
        allowed_words = self.allowed_words
        if not 0 <= token_id < len(allowed_words.words) or not self.admits(token_id):
            raise ConstraintError(self.explain(token_id))
        if token_id == EOS:
            return State(allowed_words, self.next_words, self.left, ended=True)
        return State(allowed_words, allowed_words.continuations.after(self.next_words, token_id), self.left - 1)

    def keeping(self, words: int) -> State:
        """Return the same prefix with so many words fewer to be written, more where it is negative.

        The query must be one that can be finished with what is left.
        """
        return State(self.allowed_words, self.next_words, self.left - words, ended=self.ended)

    def explain(self, token_id: int) -> str:
        """Say in one line why a word may or may not come next."""
        words = self.allowed_words.vocabulary.words
        if not 0 <= token_id < len(words):
            return f"no word has number {token_id}"
        if self.allowed()[token_id]:
            return f"{words[token_id].text!r} may come next"
        return f"{words[token_id].text!r} {self.objection(token_id)}"

    def objection(self, token_id: int, written: Set[str] = frozenset()) -> Objection | None:
        """Return why a word of the vocabulary may not come next, None if it may.

        Args:
            written: the words of the whole query in upper case, if they are known: the reason then speaks of these.
        """
        if self.allowed()[token_id]:
            return None
        if self.ended:
            return Objection("grammar", "cannot follow the end of the query")
        continuations, next_words = self.allowed_words.continuations, self.next_words
        following = continuations.stack.paths(next_words.node)
        terminal = continuations.terminals[token_id]
        if terminal not in following and terminal not in next_words.node.refused:
            expected = describe_terminals(continuations.stack.tables, following)
            return Objection("grammar", f"cannot come next: the grammar expects {expected}")
        meanings = self.allowed_words.meanings
        if meanings.shadowed[token_id]:
            besides = self.allowed_words.vocabulary.words[token_id].text in meanings.types.beside_views
            problem = "fails beside some views" if besides else "would be taken for a column that is called so"
            return Objection("words", problem)
        if not self.allowed_words.words[token_id]:
            return Objection("words", "is not among the words that this question may use")
        need = self.need(token_id)
        late = Objection("budget", f"needs {need} words to finish the query, and {self.left} are left")
        return late if need < NEVER else continuations.objection(next_words, token_id, written)
