"""What may follow a prefix, and how many words each choice needs to the end of the query: worked out once, shared."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .completion import NEVER, Completion
from .lexicon import Lexicon
from .phrases import Refused
from .places import places
from .scope import Moves, Name, Scope
from .scope.costs import Costs
from .scope.sources import SourceCosts
from .stacks import Node, Path, Stacks
from .stock import Stock
from .tables import END
from .vocabulary import EOS, Vocabulary

__all__ = ["Outlook", "Plan"]

Totals = NDArray[np.int32]

_NAMED = ("TABLE", "ALIAS", "COLUMN", "QCOLUMN", "QSTAR")
_NOTHING = Name()


class Plan:
    """One prefix, as far as what follows depends on it.

    Attributes:
        node: the stack.
        scope: the names.
        totals: for each word the fewest words that finish the query beginning with it, `NEVER` if it may not come;
            0 for the end if the query may end here. Shape (words,), read-only.
        most: the largest of them that is not `NEVER`.
        after: the plans after words that have been asked for.
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
    """The plans of all prefixes when some words are at hand."""

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
    ) -> None:
        self.stacks = stacks
        self.depth, self.height = depth, height
        self._lexicon = lexicon
        self._size = len(vocabulary)
        tables = stacks.tables
        at_hand = np.unique(lexicon.of[words])
        available = frozenset(lexicon.classes[c][0] for c in at_hand.tolist())
        named = [t for t, name in enumerate(tables.terminals) if name in _NAMED]
        self._classes: dict[int, list[tuple[Any, NDArray[np.intp]]]] = {}
        for c in at_hand.tolist():
            terminal, value = lexicon.classes[c]
            # all words of a class: questions that differ only in which of them are theirs share an outlook
            self._classes.setdefault(terminal, []).append((value, np.flatnonzero(lexicon.of == c)))
        self._moves: Moves | None = None
        stock, free = None, frozenset[tuple[str, str]]()
        if stacks.phrases is not None:
            constants = [
                (tables.terminals[t], value)
                for t, several in self._classes.items()
                if t < len(tables.terminals) and tables.terminals[t] in {"WHOLE", "NUMBER", "STRING"}
                for value, _ in several
            ]
            niladic = self._classes.get(tables.terminals.index("NILADIC"), ())
            stock = Stock(stacks.phrases, constants, [name for name, _ in niladic])
            columns = lexicon.columns(vocabulary, words)
            optional = vocabulary.grammar.dialect == "sqlite"
            named_only = vocabulary.grammar.dialect == "mysql" and "derived" in on
            costs = Costs(columns, SourceCosts(columns.catalogue, "ambiguous" in on), on, optional, named_only)
            self._moves = Moves(columns, costs, on, optional)
            free = frozenset({("from", "FROM"), ("source", "TABLE")})
            # whether a source can be written at all is for the scope to say
            available |= {tables.terminals.index("TABLE")}
        self._named = frozenset(named)
        self._completion = Completion(stacks, available, stock=stock, free=free)
        self._places = places(tables)
        self._plans: dict[tuple[Node, Scope | None], Plan] = {}

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

    def terminal(self, word: int) -> int:
        """Return the terminal of a word."""
        return self._lexicon.classes[self._lexicon.of[word]][0]

    def start(self) -> Plan:
        """Return the plan of the empty query."""
        return self.plan(self.stacks.root, self._moves.root if self._moves else None)

    def plan(self, node: Node, scope: Scope | None) -> Plan:
        """Return the plan of a stack and a scope."""
        found = self._plans.get((node, scope))
        if found is None:
            found = self._plans[node, scope] = self._made(node, scope)
        return found

    def after(self, plan: Plan, word: int) -> Plan:
        """Return the plan after a word that ``plan`` allows."""
        found = plan.after.get(word)
        if found is None:
            terminal, value = self._lexicon.classes[self._lexicon.of[word]]
            path = self.stacks.paths(plan.node)[terminal]
            node = self.stacks.shift(path, terminal, value)
            found = plan.after[word] = self.plan(node, self._scope_after(plan.scope, path, terminal, word))
        return found

    def objection(self, plan: Plan, word: int) -> str:
        """Say which rule keeps a word from coming, or that nothing could finish the query after it."""
        terminal = self.terminal(word)
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
        path = self.stacks.paths(plan.node)[self.terminal(word)]
        after = self.stacks.shift(path, *self._lexicon.classes[self._lexicon.of[word]])
        if after.depth > self.depth or after.height > self.height:
            return f"would nest deeper than {self.depth} levels"
        reasons = self._completion.reasons(after)
        if reasons:
            return f"is not allowed here: {reasons[0].problem}"
        return "leads nowhere: the words that this question may use cannot finish the query"

    def _scope_after(self, scope: Scope | None, path: Path, terminal: int, word: int) -> Scope | None:
        if scope is None or self._moves is None:
            return None
        place = self._places[path.top.state][terminal]
        name = self._lexicon.names[word] or _NOTHING
        return self._moves.word(self._heard(scope, path), place, name, inside=path.top.inside)

    def _heard(self, scope: Scope, path: Path) -> Scope:
        """Return the scope after the events on a path."""
        assert self._moves is not None
        for event in path.events:
            scope = self._moves.event(scope, event)
        return scope

    def _made(self, node: Node, scope: Scope | None) -> Plan:
        totals = np.full(self._size, NEVER, np.int32)
        refused: dict[int, Refused] = {}
        heard: dict[int, Scope | Refused | None] = {}
        deep: list[NDArray[np.intp]] = []
        for terminal, path in self.stacks.paths(node).items():
            if id(path) not in heard:
                heard[id(path)] = self._try(scope, path)
            now = heard[id(path)]
            if isinstance(now, Refused):
                refused[terminal] = now
            elif terminal == END:
                totals[EOS] = now.cost if now else 0
            else:
                self._fill(totals, deep, now, path, terminal)
        self._flatten(totals, deep)
        return Plan(node, scope, totals, refused)

    def _flatten(self, totals: Totals, deep: list[NDArray[np.intp]]) -> None:
        """Refuse the words that nest too deep, but for those on a shortest way out."""
        least = totals.min()
        for words in deep:
            totals[words] = np.where(totals[words] > least, NEVER, totals[words])

    def _try(self, scope: Scope | None, path: Path) -> Scope | Refused | None:
        if scope is None:
            return None
        try:
            return self._heard(scope, path)
        except Refused as refused:
            return refused

    def _fill(
        self, totals: Totals, deep: list[NDArray[np.intp]], scope: Scope | None, path: Path, terminal: int
    ) -> None:
        """Write the totals of a terminal's words, and note those that nest too deep."""
        for value, words in self._classes.get(terminal, ()):
            after = self.stacks.shift(path, terminal, value)
            cost = self._completion.cost(after)
            if after.depth > self.depth or after.height > self.height:
                deep.append(words)
            if cost < NEVER:
                owed = self._owed(scope, path, terminal, words)
                totals[words] = np.minimum(owed + (1 + cost), NEVER)

    def _owed(self, scope: Scope | None, path: Path, terminal: int, words: NDArray[np.intp]) -> Any:
        """Return what the scope owes after each of some words, shape (words,), or one number for all."""
        if scope is None or self._moves is None:
            return 0
        place, inside = self._places[path.top.state][terminal], path.top.inside
        if terminal in self._named:
            key = (place, terminal, inside)
            if key not in scope.costs:
                scope.costs[key] = self._owed_by_name(scope, place, terminal, inside)
            return scope.costs[key][words]
        if (place, inside) not in scope.costs:
            scope.costs[place, inside] = self._cost_of(scope, place, _NOTHING, inside)
        return scope.costs[place, inside]

    def _owed_by_name(self, scope: Scope, place: str, terminal: int, inside: bool) -> NDArray[np.int32]:
        owed = np.full(self._size, NEVER, np.int32)
        known: dict[object, int] = {}
        for _, words in self._classes[terminal]:
            for word in words.tolist():
                name = self._lexicon.names[word] or _NOTHING
                key = self._moves.alike(scope, place, name) if self._moves else name
                if key not in known:
                    known[key] = NEVER if key is None else self._cost_of(scope, place, name, inside)
                owed[word] = known[key]
        return owed

    def _cost_of(self, scope: Scope, place: str, name: Name, inside: bool) -> int:
        assert self._moves is not None
        try:
            return self._moves.word(scope, place, name, inside=inside).cost
        except Refused:
            return NEVER
