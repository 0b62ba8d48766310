"""The local constraint: which words may come next, within a budget of words and what a question has.

Follow sets of an LALR(1) grammar as in incremental parsing (Scholak et al. 2021, PICARD, is the
same idea with a parser of its own), here exact and with a promise: the query ends in time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..data.errors import ConstraintError
from .completion import NEVER, Completion
from .reader import describe_terminals
from .stacks import Node, Stacks
from .tables import END
from .vocabulary import EOS, Vocabulary

if TYPE_CHECKING:
    from .grammar import Grammar

__all__ = ["Constraint", "State"]

Mask = NDArray[np.bool_]

DEPTH = 24
"""Brackets, CASEs and negations that may stand open at a time: engines and parsers give up soon above it
(MySQL at 63 nested selects, sqlglot at 35), and the deepest query of the public sets has 14."""

_COMPLETIONS = 64
"""Sets of terminals whose costs are remembered; the oldest goes first."""


class _Plan:
    """What may follow one stack with the words of one question: masks by words left."""

    __slots__ = ("full", "most", "needs", "tight")

    def __init__(self, needs: NDArray[np.int32], full: Mask, most: int) -> None:
        self.needs = needs
        self.full = full
        self.most = most
        self.tight: dict[int, Mask] = {}


class _Account:
    """The words that one question may use."""

    __slots__ = ("completion", "numbers", "plans", "words")

    def __init__(self, completion: Completion, words: Mask, numbers: NDArray[np.intp]) -> None:
        self.completion = completion
        self.words = words
        self.numbers = numbers
        self.plans: dict[Node, _Plan] = {}

    def plan(self, node: Node) -> _Plan:
        found = self.plans.get(node)
        if found is None:
            needs, most = self.completion.needs(node)
            found = self.plans[node] = _Plan(needs, self.mask(needs, NEVER - 1), most)
        return found

    def mask(self, needs: NDArray[np.int32], left: int) -> Mask:
        mask = (needs <= left)[self.numbers] & self.words
        mask.flags.writeable = False
        return mask


class State:
    """A prefix of a query; never changes, so that searches may share it."""

    __slots__ = ("_account", "_constraint", "_ended", "_node", "left")

    def __init__(
        self, constraint: Constraint, account: _Account, node: Node, left: int, *, ended: bool = False
    ) -> None:
        self._constraint = constraint
        self._account = account
        self._node = node
        self._ended = ended
        self.left = left
        """Words that may still be written, the end not counted."""

    @property
    def complete(self) -> bool:
        """Say whether the query may end here."""
        return bool(self._account.plan(self._node).needs[END] == 0)

    @property
    def ended(self) -> bool:
        """Say whether the end has been written."""
        return self._ended

    def allowed(self) -> Mask:
        """Return the words that may come next, shape (vocabulary,), bool, read-only, never empty.

        After the end only the end may follow, so that finished queries pad themselves.
        """
        if self._ended:
            return self._constraint.only_end
        plan = self._account.plan(self._node)
        if self.left >= plan.most:
            return plan.full
        mask = plan.tight.get(self.left)
        if mask is None:
            mask = plan.tight[self.left] = self._account.mask(plan.needs, self.left)
        return mask

    def advance(self, token_id: int) -> State:
        """Return the state after one more word.

        Raises:
            ConstraintError: the word may not come here; the message says why.
        """
        if not 0 <= token_id < self._account.words.shape[0] or not self.allowed()[token_id]:
            raise ConstraintError(self.explain(token_id))
        if token_id == EOS:
            return State(self._constraint, self._account, self._node, self.left, ended=True)
        constraint = self._constraint
        node = constraint.stacks.following(self._node)[constraint.terminal_of[token_id]]
        return State(constraint, self._account, node, self.left - 1)

    def explain(self, token_id: int) -> str:
        """Say in one line why a word may or may not come next."""
        words = self._constraint.vocabulary.words
        if not 0 <= token_id < len(words):
            return f"no word has number {token_id}"
        if self.allowed()[token_id]:
            return f"{words[token_id].text!r} may come next"
        return f"{words[token_id].text!r} {self._objection(token_id)}"

    def _objection(self, token_id: int) -> str:
        """Say what speaks against a word of the vocabulary that is not allowed."""
        if self._ended:
            return "cannot follow the end of the query"
        stacks = self._constraint.stacks
        terminal = self._constraint.terminal_of[token_id]
        following = stacks.following(self._node)
        if terminal not in following:
            return f"cannot come next: the grammar expects {describe_terminals(stacks.tables, following)}"
        if not self._account.words[token_id]:
            return "is not among the words that this question may use"
        need = int(self._account.plan(self._node).needs[terminal])
        if need >= NEVER and following[terminal].depth >= DEPTH:
            return f"would nest deeper than {DEPTH} levels"
        if need >= NEVER:
            return "leads nowhere: the words that this question may use cannot finish the query"
        return f"needs {need} words to finish the query, and {self.left} are left"


class Constraint:
    """The local constraint on the words of one vocabulary."""

    def __init__(self, grammar: Grammar, vocabulary: Vocabulary, *, budget: int = 120) -> None:
        if vocabulary.grammar.digest != grammar.digest:
            raise ConstraintError("vocabulary and grammar disagree", hint="build the vocabulary with this grammar")
        self.grammar = grammar
        self.vocabulary = vocabulary
        self.budget = budget
        self.stacks = Stacks(grammar.tables)
        number = {name: i for i, name in enumerate(grammar.terminals)}
        outside = len(grammar.terminals)
        self.terminal_of: list[int] = [number.get(word.terminal, outside) for word in vocabulary.words]
        self._numbers = np.array(self.terminal_of, np.intp)
        self.only_end: Mask = np.arange(len(vocabulary)) == EOS
        self.only_end.flags.writeable = False
        self._completions: dict[frozenset[int], Completion] = {}
        self._everything: _Account | None = None

    def start(self, available: Mask | None = None, budget: int | None = None) -> State:
        """Return the state of the empty query.

        Args:
            available: shape (vocabulary,), bool; the words that this question may use, all if None.
                The end is always available, padding and beginning never.
            budget: the most words of the query, the constraint's own if None.

        Raises:
            ConstraintError: no query can be written with these words and this budget.
        """
        if self.stacks.trim():
            self._completions.clear()
            self._everything = None
        account = self._account(available)
        left = self.budget if budget is None else budget
        least = account.completion.cost(self.stacks.root)
        if least > left:
            problem = "the words at hand make no query" if least >= NEVER else f"no query has {left} words or fewer"
            hint = "allow tables, columns or constants" if least >= NEVER else f"raise the budget to {least} or more"
            raise ConstraintError(problem, hint=hint)
        return State(self, account, self.stacks.root, left)

    def allowed_many(self, states: Sequence[State], out: Mask | None = None) -> Mask:
        """Return the words that may follow each state, shape (states, vocabulary), bool, written to ``out``."""
        if out is None:
            out = np.empty((len(states), len(self.vocabulary)), np.bool_)
        for row, state in zip(out, states, strict=True):
            row[:] = state.allowed()
        return out

    def _account(self, available: Mask | None) -> _Account:
        if available is None:
            if self._everything is None:
                self._everything = self._account(np.ones(len(self.vocabulary), np.bool_))
            return self._everything
        if available.shape != (len(self.vocabulary),):
            raise ConstraintError(f"available words have shape {available.shape}", hint=f"({len(self.vocabulary)},)")
        words = available.astype(np.bool_)
        words[: EOS + 1] = self.only_end[: EOS + 1]
        at_hand = frozenset(self._numbers[words].tolist())
        completion = self._completions.get(at_hand)
        if completion is None:
            if len(self._completions) >= _COMPLETIONS:
                del self._completions[next(iter(self._completions))]
            completion = self._completions[at_hand] = Completion(self.stacks, at_hand, depth=DEPTH)
        return _Account(completion, words, self._numbers)
