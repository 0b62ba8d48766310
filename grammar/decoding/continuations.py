"""What may follow a prefix, and how many words each choice needs to the end: worked out once, and shared."""

from __future__ import annotations

from collections.abc import Iterator, Set
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..completion.shortest import reason
from ..scope.select_scope import Scope
from ..semantics.rules import RULES
from ..stack.graph_stack import Node, ReductionPath
from ..types.abstract_values import NEVER, RuleViolation
from ..vocabulary.meanings import WordMeanings
from ..vocabulary.vocabulary import Vocabulary
from .word_costs import SomeWords, Totals, WordCosts

_A_PLAN = 5120
"""Bytes of a plan with its scopes, beside the costs of words."""


class Objection(NamedTuple):
    """Why a word may not come.

    Attributes:
        rule: the rule of `RULES` that is broken, or ``grammar``, ``words`` (it is not at hand, or none at hand finishes
            the query), ``budget`` or ``nesting``.
        problem: what breaks it.
    """

    rule: str
    problem: str

    def __str__(self) -> str:
        return f"is not allowed here: {self.problem}" if self.rule in RULES else self.problem


class Continuations:
    """The plans of all prefixes when some words are at hand, whose costs are given."""

    def __init__(self, costs: WordCosts) -> None:
        self.costs = costs
        self.stack, self.terminals = costs.stack, costs.terminals
        self._plans: dict[tuple[Node, Scope], NextWords] = {}
        self._ones: dict[int, SomeWords] = {}

    def one(self, word: int) -> SomeWords:
        """Return one word as an object for `NextWords.admits`."""
        found = self._ones.get(word)
        if found is None:
            found = self._ones[word] = self.costs.some((word,))
        return found

    @property
    def bytes(self) -> int:
        """Return how much memory the prefixes that are remembered take, nearly."""
        return self.costs.bytes + self.costs.scope_costs.bytes + _A_PLAN * len(self._plans)

    @property
    def stacks(self) -> Iterator[Node]:
        """Yield the stacks of the plans, and those that their next words are put upon."""
        for node, _ in self._plans:
            yield node
            yield from (path.top for path, _ in node.lookaheads or ())

    @staticmethod
    def key(vocabulary: Vocabulary, meanings: WordMeanings, words: NDArray[np.bool_]) -> object:
        """Return what the outlook of some words depends on: all classes, those at hand, and which names are."""
        names = np.array([name is not None for name in meanings.names])
        at_hand = np.unique(meanings.of[words]).tobytes(), (words & names).tobytes()
        return meanings.classes, meanings.of.tobytes(), at_hand

    def start(self) -> NextWords:
        """Return the plan of the empty query."""
        return self.next_words(self.stack.root, self.costs.scope_costs.root)

    def next_words(self, node: Node, scope: Scope) -> NextWords:
        """Return the plan of a stack and a scope."""
        found = self._plans.get((node, scope))
        if found is None:
            found = self._plans[node, scope] = NextWords(node, scope, self.costs)
        return found

    def after(self, next_words: NextWords, word: int) -> NextWords:
        """Return the plan after a word that ``next_words`` allows."""
        found = next_words.after.get(word)
        if found is not None:
            return found
        terminal = self.terminals[word]
        path = self.stack.paths(next_words.node)[terminal]
        node = self.stack.shift(path, terminal, self._value(next_words.scope, path, terminal, word))
        scope = self.costs.scope_costs.after(next_words.scope, path, terminal, word)
        found = next_words.after[word] = self.next_words(node, scope)
        return found

    def _value(self, scope: Scope, path: ReductionPath, terminal: int, word: int) -> Any:
        """Return the value of a word where it stands."""
        meanings, scope_costs = self.costs.meanings, self.costs.scope_costs
        number = meanings.of[word]
        if terminal in scope_costs.owned:
            derived = scope_costs.derived(scope_costs.reduced(scope, path), terminal)
            value = next((value for words, value in derived if word in words), None)
            if value is not None:
                return value
        if meanings.unique[word] != number and word in scope_costs.unique(scope_costs.reduced(scope, path), terminal):
            number = meanings.unique[word]
        return meanings.classes[number][1]

    def objection(self, next_words: NextWords, word: int, written: Set[str]) -> Objection:
        """Say which rule keeps a word from coming, or that nothing could finish the query after it; see `reason`."""
        terminal = self.terminals[word]
        refused = next_words.node.refused.get(terminal) or next_words.known.refused.get(terminal)
        if refused is None:
            try:
                path = self.stack.paths(next_words.node)[terminal]
                self.costs.scope_costs.after(next_words.scope, path, terminal, word)
            except RuleViolation as found:
                refused = found
        if refused is not None:
            return Objection(refused.rule, refused.problem)
        return self._dead_end(next_words, word, written)

    def _dead_end(self, next_words: NextWords, word: int, written: Set[str]) -> Objection:
        path = self.stack.paths(next_words.node)[self.terminals[word]]
        after = self.stack.shift(
            path, self.terminals[word], self._value(next_words.scope, path, self.terminals[word], word)
        )
        bounds = self.costs.bounds
        if after.depth > bounds.depth or after.height > bounds.height:
            return Objection("nesting", f"would nest deeper than {bounds.depth} levels")
        if (found := reason(self.costs.completion, after, written)) is not None:
            return Objection(found.rule, found.problem)
        return Objection("words", "leads nowhere: the words that this question may use cannot finish the query")


_FEW = 48
"""How many classes of words are looked up one by one before it is cheaper to work out all."""


class Known(NamedTuple):
    """All that is worked out of what may follow one prefix.

    Attributes:
        totals: for each word the fewest words that finish the query beginning with it, `NEVER` if it may not come;
            0 for the end if the query may end here. Shape (words,), read-only.
        most: the largest of the totals that is not `NEVER`.
        refused: the violations of the scope's rules, by terminal.
    """

    totals: Totals
    most: int
    refused: dict[int, RuleViolation]


class NextWords:
    """One prefix, as far as what follows depends on it; each part is worked out at its first use.

    Attributes:
        node: the stack.
        scope: the names.
        after: the plans behind words that have been tried.
    """

    __slots__ = ("_admitted", "_class_totals", "_costs", "_known", "after", "node", "scope")

    def __init__(self, node: Node, scope: Scope, costs: WordCosts) -> None:
        self.node = node
        self.scope = scope
        self.after: dict[int, NextWords] = {}
        self._costs = costs
        self._class_totals: dict[int, int] = {}  # the totals of classes, -1 where they depend on all words
        self._admitted: dict[SomeWords, int] = {}  # words left with which they may come; with which not, below 0
        self._known: Known | None = None

    def admits(self, some: SomeWords, left: int) -> bool:
        """Say whether any of some words may come with so many left; at first these alone are looked at."""
        if self._known is None and len(self._class_totals) < _FEW:
            for terminal, number in self._costs.unnamed(some):
                total = self._class_totals.get(number)
                if total is None:
                    total = self._class_totals[number] = self._costs.total(self.node, self.scope, terminal, number)
                if 0 <= total <= left:
                    return True
                if total < 0:
                    break
            else:
                return self._admits_named(some, left)
        return bool((self.known.totals[some.words] <= left).any())

    def _admits_named(self, some: SomeWords, left: int) -> bool:
        before = self._admitted.get(some)
        if before is not None and (left >= before >= 0 or left < -before):
            return before >= 0
        found = self._costs.admits_named(self.node, self.scope, some, left)
        self._admitted[some] = left if found else -1 - left
        return found

    @property
    def known(self) -> Known:
        """Return the totals of all words, worked out at the first use."""
        if self._known is None:
            totals, refused = self._costs.totals(self.node, self.scope)
            totals.flags.writeable = False
            self._costs.bytes += totals.nbytes
            self._known = Known(totals, int(totals[totals < NEVER].max(initial=0)), refused)
        return self._known
