"""How many words each choice needs to the end of the query, for one stack and one scope."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..completion.pruning import Place
from ..completion.shortest import NEVER, Completion, Exit
from ..lr.tables import END
from ..scope.select_scope import Scope
from ..stack.graph_stack import GraphStack, Node, ReductionPath
from ..types.abstract_values import RuleViolation
from ..vocabulary.meanings import WordMeanings
from ..vocabulary.vocabulary import EOS
from .scope_costs import ScopeCosts

Totals = NDArray[np.int32]
Ints = NDArray[np.int64]
Classes = NDArray[np.intp]

Ways: TypeAlias = Sequence[tuple[Classes, Sequence[Exit]]]
"""Ways out of a symbol, each with the classes of words that are left so."""


class SomeWords:
    """Some words of a vocabulary that are looked up together; two objects of the same words are not equal.

    Attributes:
        words: their numbers.
        classes: theirs, by terminal.
        terminals: theirs.
    """

    __slots__ = ("classes", "terminals", "words")

    def __init__(self, words: Sequence[int], terminals: Sequence[int], classes: Sequence[int]) -> None:
        self.words = np.array(words, np.intp)
        self.classes: dict[int, set[int]] = {}
        for word in words:
            self.classes.setdefault(terminals[word], set()).add(classes[word])
        self.terminals = frozenset(self.classes)


class _GrammarTotals(NamedTuple):
    """What `WordCosts.totals` is made of.

    Attributes:
        totals: without the words that the scope needs after names, shape (words,).
        named: where names may come: path, scope and terminal.
        deep: the classes that nest too deep, shape (classes,), bool.
        refused: what the scope says against terminals.
    """

    totals: Ints
    named: list[tuple[ReductionPath, Scope, int]]
    deep: NDArray[np.bool_]
    refused: dict[int, RuleViolation]


class WordCosts:
    """Reckons with the words that are at hand.

    Args:
        stack: what may follow what.
        meanings: the classes of all words.
        completion: the fewest words after a stack, names apart.
        scope_costs: what names cost and are refused for.
        classes: those at hand, by terminal.
        words: of these classes, by terminal.
        depth: how deep a query may nest.
        height: how many symbols the engine's parser may have to keep.

    Attributes:
        terminals: that of each word.
        bytes: of the totals that are remembered.
    """

    def __init__(
        self,
        stack: GraphStack,
        meanings: WordMeanings,
        *,
        completion: Completion,
        scope_costs: ScopeCosts,
        classes: Mapping[int, Sequence[int]],
        words: Mapping[int, NDArray[np.intp]],
        depth: int,
        height: int,
    ) -> None:
        self._stack = stack
        self._meanings = meanings
        self._completion = completion
        self._scope_costs = scope_costs
        self._classes = classes
        self._words = words
        self._depth, self._height = depth, height
        self.bytes = 0
        self._of: list[int] = meanings.of.tolist()
        self._known_ways: dict[Place, dict[int, Ways]] = {}
        self.terminals = [meanings.classes[c][0] for c in self._of]

    def some(self, words: Sequence[int]) -> SomeWords:
        """Return some words at hand as one object for `admits_named`."""
        return SomeWords(words, self.terminals, self._of)

    def totals(self, node: Node, scope: Scope) -> tuple[Totals, dict[int, RuleViolation]]:
        """Return for each word the fewest words that finish the query beginning with it, and what is refused.

        Args:
            node: the stack.
            scope: the names.

        Returns:
            The totals, shape (words,), with `NEVER` for what may not come and 0 for the end if the query may end
            here; and what the scope says against terminals.
        """
        found = self._grammar_totals(node, scope, None)
        totals = found.totals
        for path, now, terminal in found.named:
            totals[self._words[terminal]] += self._scope_costs.costs_after_names(now, path, terminal)
        if found.deep.any():  # not too deep, but for a shortest way out
            totals[found.deep[self._meanings.of] & (totals > totals.min())] = NEVER
        return np.minimum(totals, NEVER).astype(np.int32), found.refused

    def unnamed(self, some: SomeWords) -> Iterator[tuple[int, int]]:
        """Yield the terminals and classes of those of some words that have no name."""
        for terminal, numbers in some.classes.items():
            if terminal not in self._scope_costs.terminals:
                yield from ((terminal, number) for number in numbers)

    def total(self, node: Node, scope: Scope, terminal: int, number: int) -> int:
        """Return what `totals` tells of the words of one class without a name; -1 where these could nest too deep."""
        path = next((path for path, every in self._stack.lookaheads(node) if terminal in every), None)
        if path is None or isinstance(now := self._try(scope, path), RuleViolation):
            return NEVER
        if terminal == END:
            return now.cost
        value = self._meanings.classes[number][1]
        total = 1 + self._scope_cost(now, path, terminal) + self._cost(path.top, terminal, value)
        return -1 if total < NEVER and self._too_deep(path.top, terminal) else total

    def admits_named(self, node: Node, scope: Scope, some: SomeWords, left: int) -> bool:
        """Say whether any of those of some words that have a name begins a way to finish the query in so many words."""
        terminals = some.terminals & self._scope_costs.terminals
        if not terminals:
            return False
        found = self._grammar_totals(node, scope, terminals)
        if found.deep.any():
            return bool((self.totals(node, scope)[0][some.words] <= left).any())
        within = np.zeros(len(found.totals), np.bool_)
        within[some.words] = found.totals[some.words] <= left
        for path, now, terminal in found.named:
            for words, scope_cost in self._scope_costs.costs_in_turn(now, path, terminal, within):
                if bool((within[words] & (found.totals[words] + scope_cost <= left)).any()):
                    return True
        return False

    def _too_deep(self, top: Node, terminal: int) -> bool:
        depth, height = self._stack.height(top, self._stack.shifts[top.state][terminal])
        return depth > self._depth or height > self._height

    def _cost(self, top: Node, terminal: int, value: Any) -> int:
        """Return the fewest words that finish the query from a terminal upon a stack, names apart."""
        state = self._stack.shifts[top.state][terminal]
        exits = self._completion.exits(self._completion.place(top), state, self._stack.value(top, state, value))
        return self._completion.upon(top, exits)

    def _ways_out(self, top: Node, place: Place, terminal: int) -> Ways:
        """Return the classes of a terminal upon a stack by how they are left: most are left alike."""
        state, classes = self._stack.shifts[top.state][terminal], self._classes[terminal]
        if state in self._stack.automaton.demanding:  # what its symbol is worth hangs on the whole stack
            value = self._stack.value(top, state, None)
            return ((np.array(classes, np.intp), self._completion.exits(place, state, value)),)
        alike: dict[tuple[Exit, ...], list[int]] = {}
        for number in classes:
            exits = self._completion.exits(place, state, self._meanings.classes[number][1])
            alike.setdefault(tuple(exits), []).append(number)
        found = [(np.array(numbers, np.intp), exits) for exits, numbers in alike.items()]
        self._known_ways[place][terminal] = found
        return found

    def _grammar_totals(self, node: Node, scope: Scope, only: frozenset[int] | None) -> _GrammarTotals:
        """Return the totals without what the scope needs after names, of the words of ``only`` these terminals."""
        by_class = np.full(len(self._meanings.classes), NEVER, np.int64)
        deep = np.zeros(len(by_class), np.bool_)
        refused: dict[int, RuleViolation] = {}
        named: list[tuple[ReductionPath, Scope, int]] = []
        unique: list[NDArray[np.intp]] = []
        shown: list[tuple[NDArray[np.intp], int]] = []
        end, scope_costs = NEVER, self._scope_costs
        for path, every in self._stack.lookaheads(node):
            terminals = every if only is None else every & only
            if not terminals:
                continue
            now = self._try(scope, path)
            if isinstance(now, RuleViolation):
                refused.update(dict.fromkeys(terminals, now))
                continue
            if END in terminals:
                end = now.cost
            self._fill(by_class, deep, path, terminals, now)
            names = terminals & scope_costs.terminals
            named += [(path, now, t) for t in names]
            unique += [scope_costs.unique(now, t) for t in names & scope_costs.columns]
            shown += [pair for t in names & scope_costs.owned for pair in self._shown(now, path, t)]
        totals = by_class[self._meanings.of]
        for words in unique:
            totals[words] = by_class[self._meanings.unique[words]]
        for words, total in shown:
            totals[words] = total
        totals[EOS] = end
        return _GrammarTotals(totals, named, deep, refused)

    def _try(self, scope: Scope, path: ReductionPath) -> Scope | RuleViolation:
        try:
            return self._scope_costs.reduced(scope, path)
        except RuleViolation as refused:
            return refused.with_traceback(None)  # plans keep it

    def _fill(
        self, by_class: Ints, deep: NDArray[np.bool_], path: ReductionPath, terminals: frozenset[int], scope: Scope
    ) -> None:
        """Write the totals of the classes of some terminals, and note those that nest too deep."""
        top, place = path.top, self._completion.place(path.top)
        known = self._known_ways.setdefault(place, {})
        for terminal in terminals & self._classes.keys():
            scope_cost = self._scope_cost(scope, path, terminal)
            too_deep = self._too_deep(top, terminal)
            for numbers, exits in known.get(terminal) or self._ways_out(top, place, terminal):
                by_class[numbers] = 1 + self._completion.upon(top, exits) + scope_cost
                deep[numbers] = too_deep

    def _scope_cost(self, scope: Scope, path: ReductionPath, terminal: int) -> int:
        """Return how many words the scope needs after a word of a terminal, 0 where the word has a name."""
        place = self._scope_costs.unnamed[path.top.state].get(terminal, "")
        return self._scope_costs.cost_after(scope, place, inside=path.top.inside)

    def _shown(self, scope: Scope, path: ReductionPath, terminal: int) -> Iterator[tuple[NDArray[np.intp], int]]:
        """Yield the words of derived tables' columns with their totals, without what the scope needs."""
        for words, value in self._scope_costs.derived(scope, terminal):
            yield words, 1 + self._cost(path.top, terminal, value)
