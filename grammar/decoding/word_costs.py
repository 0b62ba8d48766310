"""How many words each choice needs to the end of the query, for one stack and one scope."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..completion.fillers import Fillers
from ..completion.pruning import Place
from ..completion.shortest import NEVER, Completion, Exit
from ..lr.tables import END
from ..scope.select_scope import Scope
from ..stack.graph_stack import GraphStack, Node, ReductionPath
from ..types.abstract_values import RuleViolation
from ..vocabulary.meanings import WordMeanings
from ..vocabulary.vocabulary import EOS, Vocabulary
from .scope_costs import Bounds, ScopeCosts

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
        refused: the violations of the scope's rules, by terminal.
    """

    totals: Ints
    named: list[tuple[ReductionPath, Scope, int]]
    deep: NDArray[np.bool_]
    refused: dict[int, RuleViolation]


class WordCosts:
    """The costs of the words that are at hand.

    Args:
        stack: the stacks of the grammar.
        vocabulary: all words.
        meanings: their classes.
        words: those at hand, shape (vocabulary,), bool.
        on: the rules.
        bounds: of a query.
        shared: the completions that are known, by the terminals and phrases at hand.

    Attributes:
        completion: the fewest words after a stack, names apart.
        scope_costs: the words that the scope needs after names.
        terminals: that of each word.
        bytes: of the totals that are remembered.
    """

    def __init__(
        self,
        stack: GraphStack,
        vocabulary: Vocabulary,
        meanings: WordMeanings,
        words: NDArray[np.bool_],
        *,
        on: frozenset[str],
        bounds: Bounds,
        shared: dict[object, Completion],
    ) -> None:
        self.stack, self.meanings, self.bounds = stack, meanings, bounds
        self.bytes = 0
        self._of: list[int] = meanings.of.tolist()
        self.terminals = [meanings.classes[c][0] for c in self._of]
        self._known_ways: dict[Place, dict[int, Ways]] = {}
        at_hand = np.unique(np.concatenate([meanings.of[words], meanings.unique[words]]))
        # all words of a class: questions that may use different ones of them share their plans
        self._classes: dict[int, list[int]] = {}
        for c in at_hand.tolist():
            self._classes.setdefault(meanings.classes[c][0], []).append(c)
        terminal_of = np.full(len(meanings.classes), -1)
        terminal_of[at_hand] = [meanings.classes[c][0] for c in at_hand.tolist()]
        terminals = terminal_of[meanings.of]
        self._words = {t: np.flatnonzero(terminals == t) for t in self._classes}
        self.scope_costs = ScopeCosts(stack.tables, vocabulary, meanings, words, self._words, on=on, bounds=bounds)
        fillers = self._fillers(at_hand.tolist())
        # the scope decides whether any source can be written
        available = frozenset({*self._classes, stack.tables.terminals.index("TABLE")})
        key = (available, fillers.key)
        if key not in shared:
            shared[key] = Completion(stack, fillers, available)
        self.completion = shared[key]

    def _fillers(self, at_hand: Sequence[int]) -> Fillers:
        """Return the short phrases that the classes at hand make."""
        assert self.stack.actions is not None, "a stack that judges phrases"
        terminals = self.stack.tables.terminals
        classes = [self.meanings.classes[c] for c in at_hand]
        known = [(terminals[t], value) for t, value in classes if t < len(terminals)]
        constants = [(name, value) for name, value in known if name in {"WHOLE", "NUMBER", "STRING"}]
        return Fillers(self.stack.actions, constants, [value for name, value in known if name == "NILADIC"])

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
            here; and the violations of the scope's rules, by terminal.
        """
        found = self._grammar_totals(node, scope, None)
        totals = found.totals
        for path, now, terminal in found.named:
            totals[self._words[terminal]] += self.scope_costs.costs_after_names(now, path, terminal)
        if found.deep.any():  # not too deep, but for a shortest way out
            totals[found.deep[self.meanings.of] & (totals > totals.min())] = NEVER
        return np.minimum(totals, NEVER).astype(np.int32), found.refused

    def unnamed(self, some: SomeWords) -> Iterator[tuple[int, int]]:
        """Yield the terminals and classes of those of some words that have no name."""
        for terminal, numbers in some.classes.items():
            if terminal not in self.scope_costs.terminals:
                yield from ((terminal, number) for number in numbers)

    def total(self, node: Node, scope: Scope, terminal: int, number: int) -> int:
        """Return the total of one class of words without names; -1 where these could nest too deep."""
        path = next((path for path, every in self.stack.lookaheads(node) if terminal in every), None)
        if path is None or isinstance(now := self._try(scope, path), RuleViolation):
            return NEVER
        if terminal == END:
            return now.cost
        value = self.meanings.classes[number][1]
        total = 1 + self._scope_cost(now, path, terminal) + self._cost(path.top, terminal, value)
        return -1 if total < NEVER and self._too_deep(path.top, terminal) else total

    def admits_named(self, node: Node, scope: Scope, some: SomeWords, left: int) -> bool:
        """Say whether any of those of some words that have a name begins a way to finish the query in so many words."""
        terminals = some.terminals & self.scope_costs.terminals
        if not terminals:
            return False
        found = self._grammar_totals(node, scope, terminals)
        if found.deep.any():
            return bool((self.totals(node, scope)[0][some.words] <= left).any())
        within = np.zeros(len(found.totals), np.bool_)
        within[some.words] = found.totals[some.words] <= left
        for path, now, terminal in found.named:
            for words, scope_cost in self.scope_costs.costs_in_turn(now, path, terminal, within):
                if bool((within[words] & (found.totals[words] + scope_cost <= left)).any()):
                    return True
        return False

    def _too_deep(self, top: Node, terminal: int) -> bool:
        depth, height = self.stack.height(top, self.stack.shifts[top.state][terminal])
        return depth > self.bounds.depth or height > self.bounds.height

    def _cost(self, top: Node, terminal: int, value: Any) -> int:
        """Return the fewest words that finish the query from a terminal upon a stack, names apart."""
        state = self.stack.shifts[top.state][terminal]
        exits = self.completion.exits(self.completion.place(top), state, self.stack.value(top, state, value))
        return self.completion.upon(top, exits)

    def _ways_out(self, top: Node, place: Place, terminal: int) -> Ways:
        """Return the classes of a terminal upon a stack by how they are left: most are left alike."""
        state, classes = self.stack.shifts[top.state][terminal], self._classes[terminal]
        if state in self.stack.automaton.demanding:  # what its symbol is worth hangs on the whole stack
            value = self.stack.value(top, state, None)
            return ((np.array(classes, np.intp), self.completion.exits(place, state, value)),)
        alike: dict[tuple[Exit, ...], list[int]] = {}
        for number in classes:
            exits = self.completion.exits(place, state, self.meanings.classes[number][1])
            alike.setdefault(tuple(exits), []).append(number)
        found = [(np.array(numbers, np.intp), exits) for exits, numbers in alike.items()]
        self._known_ways[place][terminal] = found
        return found

    def _grammar_totals(self, node: Node, scope: Scope, only: frozenset[int] | None) -> _GrammarTotals:
        """Return the totals without what the scope needs after names, of the words of ``only`` these terminals."""
        by_class = np.full(len(self.meanings.classes), NEVER, np.int64)
        deep = np.zeros(len(by_class), np.bool_)
        refused: dict[int, RuleViolation] = {}
        named: list[tuple[ReductionPath, Scope, int]] = []
        unique: list[NDArray[np.intp]] = []
        derived: list[tuple[NDArray[np.intp], int]] = []
        end, scope_costs = NEVER, self.scope_costs
        for path, every in self.stack.lookaheads(node):
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
            derived += [pair for t in names & scope_costs.owned for pair in self._derived(now, path, t)]
        totals = by_class[self.meanings.of]
        for words in unique:
            totals[words] = by_class[self.meanings.unique[words]]
        for words, total in derived:
            totals[words] = total
        totals[EOS] = end
        return _GrammarTotals(totals, named, deep, refused)

    def _try(self, scope: Scope, path: ReductionPath) -> Scope | RuleViolation:
        try:
            return self.scope_costs.reduced(scope, path)
        except RuleViolation as refused:
            return refused.with_traceback(None)  # plans keep it

    def _fill(
        self, by_class: Ints, deep: NDArray[np.bool_], path: ReductionPath, terminals: frozenset[int], scope: Scope
    ) -> None:
        """Write the totals of the classes of some terminals, and note those that nest too deep."""
        top, place = path.top, self.completion.place(path.top)
        known = self._known_ways.setdefault(place, {})
        for terminal in terminals & self._classes.keys():
            scope_cost = self._scope_cost(scope, path, terminal)
            too_deep = self._too_deep(top, terminal)
            for numbers, exits in known.get(terminal) or self._ways_out(top, place, terminal):
                by_class[numbers] = 1 + self.completion.upon(top, exits) + scope_cost
                deep[numbers] = too_deep

    def _scope_cost(self, scope: Scope, path: ReductionPath, terminal: int) -> int:
        """Return how many words the scope needs after a word of a terminal, 0 where the word has a name."""
        place = self.scope_costs.unnamed[path.top.state].get(terminal, "")
        return self.scope_costs.cost_after(scope, place, inside=path.top.inside)

    def _derived(self, scope: Scope, path: ReductionPath, terminal: int) -> Iterator[tuple[NDArray[np.intp], int]]:
        """Yield the words of derived tables' columns with their totals, without what the scope needs."""
        for words, value in self.scope_costs.derived(scope, terminal):
            yield words, 1 + self._cost(path.top, terminal, value)
