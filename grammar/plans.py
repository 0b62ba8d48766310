"""What may follow a prefix, and how many words each choice needs to the end of the query: worked out once, shared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .completion import NEVER, Completion
from .lexicon import Lexicon
from .naming import Bounds, Naming
from .nodes import Node, Path
from .phrases import Phrases, Refused
from .reasons import reasons
from .reckoning import Reckoning, Totals
from .scope import Scope
from .stacks import Stacks
from .stock import Stock
from .vocabulary import Vocabulary

__all__ = ["Outlook", "Plan"]


class Plan:
    """One prefix, as far as what follows depends on it.

    Attributes:
        node: the stack.
        scope: the names.
        totals: for each word the fewest words that finish the query beginning with it, `NEVER` if it may not come;
            0 for the end if the query may end here. Shape (words,), read-only.
        most: the largest of them that is not `NEVER`.
        after: what words that have been asked for lead to.
        refused: what the scope says against terminals.
    """

    __slots__ = ("after", "most", "node", "refused", "scope", "totals")

    def __init__(self, node: Node, scope: Scope | None, totals: Totals, refused: dict[int, Refused]) -> None:
        self.node = node
        self.scope = scope
        self.totals = totals
        self.totals.flags.writeable = False
        self.most = int(totals[totals < NEVER].max(initial=0))
        self.after: dict[int, Plan] = {}
        self.refused = refused


class Outlook:
    """The plans of all prefixes when some words are at hand.

    Attributes:
        terminals: that of each word.
        depth: how deep a query may nest.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        lexicon: Lexicon,
        stacks: Stacks,
        on: frozenset[str],
        words: NDArray[np.bool_],
        *,
        depth: int,
        height: int,
        bounds: Bounds,
        shared: dict[object, Completion],
    ) -> None:
        self.stacks = stacks
        self.depth, self.height = depth, height
        self._lexicon = lexicon
        self.terminals = [lexicon.classes[c][0] for c in lexicon.of.tolist()]
        at_hand = np.unique(np.concatenate([lexicon.of[words], lexicon.unique[words]]))
        available = frozenset(lexicon.classes[c][0] for c in at_hand.tolist())
        # all words of a class: questions that differ only in which of them are theirs share an outlook
        classes: dict[int, list[int]] = {}
        for c in at_hand.tolist():
            classes.setdefault(lexicon.classes[c][0], []).append(c)
        of = {t: np.flatnonzero(np.isin(lexicon.of, some)) for t, some in classes.items()}
        self._naming: Naming | None = None
        stock, free = None, frozenset[tuple[str, str]]()
        if stacks.phrases is not None:
            stock = self._stocked(stacks.phrases, at_hand.tolist())
            self._naming = Naming(stacks.tables, vocabulary, lexicon, words, of, on=on, bounds=bounds)
            free = frozenset({("from", "FROM"), ("source", "TABLE")})
            # whether a source can be written at all is for the scope to say
            available |= {stacks.tables.terminals.index("TABLE")}
        key = (available, None if stock is None else stock.key)
        if key not in shared:
            shared[key] = Completion(stacks, available, stock=stock, free=free)
        self._completion = shared[key]
        self._reckoning = Reckoning(
            stacks,
            lexicon,
            completion=self._completion,
            naming=self._naming,
            classes=classes,
            words=of,
            depth=depth,
            height=height,
        )
        self._plans: dict[tuple[Node, Scope | None], Plan] = {}

    def _stocked(self, phrases: Phrases, at_hand: Sequence[int]) -> Stock:
        """Return the short phrases that the classes at hand make."""
        terminals = self.stacks.tables.terminals
        classes = [self._lexicon.classes[c] for c in at_hand]
        known = [(terminals[t], value) for t, value in classes if t < len(terminals)]
        constants = [(name, value) for name, value in known if name in {"WHOLE", "NUMBER", "STRING"}]
        return Stock(phrases, constants, [value for name, value in known if name == "NILADIC"])

    @property
    def count(self) -> int:
        """Return how many prefixes are remembered."""
        return len(self._plans)

    @staticmethod
    def key(vocabulary: Vocabulary, lexicon: Lexicon, words: NDArray[np.bool_]) -> object:
        """Return what the outlook of some words depends on: all classes, those at hand, and which names are."""
        names = np.array([name is not None for name in lexicon.names])
        at_hand = np.unique(lexicon.of[words]).tobytes(), (words & names).tobytes()
        return lexicon.classes, lexicon.of.tobytes(), at_hand

    def start(self) -> Plan:
        """Return the plan of the empty query."""
        return self.plan(self.stacks.root, self._naming.root if self._naming else None)

    def plan(self, node: Node, scope: Scope | None) -> Plan:
        """Return the plan of a stack and a scope."""
        found = self._plans.get((node, scope))
        if found is None:
            found = self._plans[node, scope] = Plan(node, scope, *self._reckoning.totals(node, scope))
        return found

    def after(self, plan: Plan, word: int) -> Plan:
        """Return the plan after a word that ``plan`` allows."""
        found = plan.after.get(word)
        if found is not None:
            return found
        terminal = self.terminals[word]
        path = self.stacks.paths(plan.node)[terminal]
        node = self.stacks.shift(path, terminal, self._value(plan.scope, path, terminal, word))
        found = plan.after[word] = self.plan(node, self._scope_after(plan.scope, path, terminal, word))
        return found

    def _value(self, scope: Scope | None, path: Path, terminal: int, word: int) -> Any:
        """Return the value of a word where it stands."""
        lexicon, naming = self._lexicon, self._naming
        number = lexicon.of[word]
        if scope is None or naming is None:
            return lexicon.classes[number][1]
        if terminal in naming.owned:
            shown = naming.derived(naming.heard(scope, path), terminal)
            value = next((value for words, value in shown if word in words), None)
            if value is not None:
                return value
        if lexicon.unique[word] != number and word in naming.unique(naming.heard(scope, path), terminal):
            number = lexicon.unique[word]
        return lexicon.classes[number][1]

    def objection(self, plan: Plan, word: int) -> str:
        """Say which rule keeps a word from coming, or that nothing could finish the query after it."""
        terminal = self.terminals[word]
        refused = plan.node.refused.get(terminal) or plan.refused.get(terminal)
        if refused is None:
            try:
                self._scope_after(plan.scope, self.stacks.paths(plan.node)[terminal], terminal, word)
            except Refused as found:
                refused = found
        if refused is not None:
            return f"is not allowed here: {refused.problem}"
        return self._dead_end(plan, word)

    def _dead_end(self, plan: Plan, word: int) -> str:
        path = self.stacks.paths(plan.node)[self.terminals[word]]
        after = self.stacks.shift(path, self.terminals[word], self._value(plan.scope, path, self.terminals[word], word))
        if after.depth > self.depth or after.height > self.height:
            return f"would nest deeper than {self.depth} levels"
        found = reasons(self._completion, after)
        if found:
            return f"is not allowed here: {found[0].problem}"
        return "leads nowhere: the words that this question may use cannot finish the query"

    def _scope_after(self, scope: Scope | None, path: Path, terminal: int, word: int) -> Scope | None:
        return None if scope is None or self._naming is None else self._naming.after(scope, path, terminal, word)
