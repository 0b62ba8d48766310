"""What may follow a prefix, and how many words each choice needs to the end of the query: worked out once, shared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .completion import NEVER, Completion, Place
from .lexicon import Lexicon
from .offers import Offer
from .phrases import Phrases, Refused
from .places import places
from .scope import Moves, Name, Scope
from .scope.costs import Costs
from .scope.index import Index
from .scope.sources import SourceCosts
from .stacks import HIGHEST, Node, Path, Stacks
from .stock import Stock
from .tables import END
from .vocabulary import EOS, Vocabulary

__all__ = ["Bounds", "Outlook", "Plan"]

Totals = NDArray[np.int32]
Ints = NDArray[np.int64]

_NAMED = ("TABLE", "ALIAS", "COLUMN", "QCOLUMN", "QSTAR")
_CHANGED = {
    *("=", "<>", "!=", "<", "<=", ">", ">=", "<=>", "IS", "IN", "BETWEEN", "LIKE", "REGEXP", "RLIKE"),
    *("NOT", "AND", "OR", "XOR", "||", "CASE", "NULLIF", "SYSDATE"),
}
"""Words that make MariaDB rework an item, so that it is not the same any more as a key of these words."""

_NOTHING = Name()
_NO_WORDS = np.zeros(0, np.intp)


class Bounds(NamedTuple):
    """What a FROM may be: of how many sources at most, and whether they join along foreign ``keys`` or ``any``."""

    sources: int = NEVER
    joins: str = "any"


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
        bounds: Bounds,
        shared: dict[object, Any],
    ) -> None:
        self.stacks = stacks
        self.depth, self.height, self._bounds = depth, height, bounds
        self._lexicon = lexicon
        self._size = len(vocabulary)
        tables = stacks.tables
        at_hand = np.unique(np.concatenate([lexicon.of[words], lexicon.unique[words]]))
        available = frozenset(lexicon.classes[c][0] for c in at_hand.tolist())
        self._named = frozenset(t for t, name in enumerate(tables.terminals) if name in _NAMED)
        # what a derived table shows is known once it is written
        typed = "functions" in on
        self._owned = frozenset(t for t, name in enumerate(tables.terminals) if name == "QCOLUMN" and typed)
        self._columns = frozenset(t for t, name in enumerate(tables.terminals) if name in {"COLUMN", "QCOLUMN"})
        # all words of a class: questions that differ only in which of them are theirs share an outlook
        self._absent = np.ones(len(lexicon.classes), np.bool_)
        self._absent[at_hand] = False
        self._classes: dict[int, list[int]] = {}
        self._words: dict[int, NDArray[np.intp]] = {}
        for c in at_hand.tolist():
            self._classes.setdefault(lexicon.classes[c][0], []).append(c)
        for terminal, classes in self._classes.items():
            self._words[terminal] = np.flatnonzero(np.isin(lexicon.of, classes))
        self._moves: Moves | None = None
        self._indexes: dict[int, Index] = {}
        stock, free = None, frozenset[tuple[str, str]]()
        if stacks.phrases is not None:
            stock = self._stocked(stacks.phrases, at_hand.tolist())
            self._look_at_names(vocabulary, words, on)
            free = frozenset({("from", "FROM"), ("source", "TABLE")})
            # whether a source can be written at all is for the scope to say
            available |= {tables.terminals.index("TABLE")}
        key = (available, None if stock is None else stock.key)
        if key not in shared:
            shared[key] = (Completion(stacks, available, stock=stock, free=free), {})
        self._completion, offers = shared[key]
        self._offers: dict[Place, Offer] = offers.setdefault(lexicon.classes, {})
        self._places = places(tables)
        self._unnamed = [{t: where for t, where in here.items() if t not in self._named} for here in self._places]
        self._plans: dict[tuple[Node, Scope | None], Plan] = {}

    def _stocked(self, phrases: Phrases, at_hand: Sequence[int]) -> Stock:
        """Return the short phrases that the classes at hand make."""
        terminals = self.stacks.tables.terminals
        classes = [self._lexicon.classes[c] for c in at_hand]
        known = [(terminals[t], value) for t, value in classes if t < len(terminals)]
        constants = [(name, value) for name, value in known if name in {"WHOLE", "NUMBER", "STRING"}]
        return Stock(phrases, constants, [value for name, value in known if name == "NILADIC"])

    def _look_at_names(self, vocabulary: Vocabulary, words: NDArray[np.bool_], on: frozenset[str]) -> None:
        """Make the moves of the scope with the names at hand."""
        columns = self._lexicon.columns(vocabulary, words, joins=self._bounds.joins)
        optional = vocabulary.grammar.dialect == "sqlite"
        named_only = vocabulary.grammar.dialect == "mysql" and "derived" in on
        sources = SourceCosts(columns.catalogue, "ambiguous" in on, self._bounds.sources)
        costs = Costs(columns, sources, on, optional, named_only)
        changed = {n for n, word in enumerate(vocabulary.words) if word.text in _CHANGED}
        self._moves = Moves(
            columns, costs, on, optional, frozenset(changed if vocabulary.grammar.dialect == "mysql" else ())
        )
        for terminal in self._named & self._words.keys():
            names = {w: self._lexicon.names[w] or _NOTHING for w in self._words[terminal].tolist() if words[w]}
            self._indexes[terminal] = Index(columns, names, on)

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
            terminal = self.terminal(word)
            path = self.stacks.paths(plan.node)[terminal]
            node = self.stacks.shift(path, terminal, self._value(plan.scope, path, terminal, word))
            found = plan.after[word] = self.plan(node, self._scope_after(plan.scope, path, terminal, word))
        return found

    def _value(self, scope: Scope | None, path: Path, terminal: int, word: int) -> Any:
        """Return the value of a word where it stands."""
        lexicon = self._lexicon
        number = lexicon.of[word]
        if scope is not None and terminal in self._owned:
            shown = self._indexes[terminal].derived(self._heard(scope, path))
            value = next((value for words, value in shown if word in words), None)
            if value is not None:
                return value
        if (
            scope is not None
            and lexicon.unique[word] != number
            and word in self._unique(self._heard(scope, path), terminal)
        ):
            number = lexicon.unique[word]
        return lexicon.classes[number][1]

    def _unique(self, scope: Scope, terminal: int) -> NDArray[np.intp]:
        """Return the words of a terminal whose column is unique where ``scope`` stands."""
        assert self._moves is not None
        key = self._moves.columns.key(scope.level)
        return _NO_WORDS if key is None else self._indexes[terminal].called(key)

    def _shown(self, scope: Scope, path: Path, terminal: int) -> Iterator[tuple[NDArray[np.intp], int]]:
        """Yield the words of derived tables' columns with their totals, but for what the scope owes."""
        for words, value in self._indexes[terminal].derived(scope):
            yield words, 1 + self._completion.cost(self.stacks.shift(path, terminal, value))

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
        after = self.stacks.shift(path, self.terminal(word), self._value(plan.scope, path, self.terminal(word), word))
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
        return self._moves.word(self._heard(scope, path), place, name, inside=path.top.inside, number=word)

    def _heard(self, scope: Scope, path: Path) -> Scope:
        """Return the scope after the events on a path."""
        assert self._moves is not None
        for event in path.events:
            scope = self._moves.event(scope, event)
        return scope

    def _made(self, node: Node, scope: Scope | None) -> Plan:
        by_class = np.full(len(self._lexicon.classes), NEVER, np.int64)
        deep = np.zeros(len(by_class), np.bool_)
        refused: dict[int, Refused] = {}
        named: list[tuple[int, NDArray[np.int32]]] = []
        unique: list[NDArray[np.intp]] = []
        shown: list[tuple[NDArray[np.intp], int]] = []
        end = NEVER
        for path, terminals in self.stacks.ways(node):
            now = self._try(scope, path)
            if isinstance(now, Refused):
                refused.update(dict.fromkeys(terminals, now))
                continue
            if END in terminals:
                end = now.cost if now else 0
            self._fill(by_class, deep, path, terminals, now)
            if now is not None:
                names = terminals & self._named & self._words.keys()
                named += [(t, self._owed_by_name(now, path, t)) for t in names]
                unique += [self._unique(now, t) for t in names & self._columns]
                shown += [pair for t in names & self._owned for pair in self._shown(now, path, t)]
        by_class[self._absent] = NEVER
        totals = by_class[self._lexicon.of]
        for words in unique:
            totals[words] = by_class[self._lexicon.unique[words]]
        for words, total in shown:
            totals[words] = total
        for terminal, owed in named:
            words = self._words[terminal]
            totals[words] += owed[words]
        totals[EOS] = end
        if deep.any():  # not too deep, but for a shortest way out
            totals[deep[self._lexicon.of] & (totals > totals.min())] = NEVER
        return Plan(node, scope, np.minimum(totals, NEVER).astype(np.int32), refused)

    def _try(self, scope: Scope | None, path: Path) -> Scope | Refused | None:
        if scope is None:
            return None
        try:
            return self._heard(scope, path)
        except Refused as refused:
            return refused

    def _fill(
        self, by_class: Ints, deep: NDArray[np.bool_], path: Path, terminals: frozenset[int], scope: Scope | None
    ) -> None:
        """Write the totals of the classes of some terminals, and note those that nest too deep."""
        top = path.top
        place = self._completion.place(top)
        offer = self._offers.get(place)
        if offer is None:
            offer = self._offers[place] = Offer(self.stacks, self._completion, place, self._lexicon.classes)
        rows = offer.rows(terminals, self._unnamed[top.state])
        least = offer.least(top, rows)
        if scope is not None:
            least += np.array([self._owed(scope, where, inside=top.inside) for where in rows.places], np.int64)[rows.of]
        by_class[rows.classes] = least
        if top.depth >= self.depth or top.height + HIGHEST > self.height:
            deep[rows.classes] = (top.depth + rows.deeper > self.depth) | (top.height + rows.higher > self.height)
        for terminal in offer.told & terminals:
            self._tell(by_class, deep, path, terminal, scope)

    def _tell(self, by_class: Ints, deep: NDArray[np.bool_], path: Path, terminal: int, scope: Scope | None) -> None:
        """Write the total of a terminal whose value is read from the stack."""
        for number in self._classes.get(terminal, ()):
            after = self.stacks.shift(path, terminal, self._lexicon.classes[number][1])
            where = self._unnamed[path.top.state].get(terminal, "")
            owed = 0 if scope is None else self._owed(scope, where, inside=path.top.inside)
            by_class[number] = 1 + self._completion.cost(after) + owed
            deep[number] = after.depth > self.depth or after.height > self.height

    def _owed(self, scope: Scope, place: str, *, inside: bool) -> int:
        """Return what the scope owes after a word without a name; without a place, nothing."""
        if not place:
            return 0
        found = scope.costs.get((place, inside))
        if found is None:
            found = scope.costs[place, inside] = self._cost_of(scope, place, _NOTHING, inside)
        return found

    def _owed_by_name(self, scope: Scope, path: Path, terminal: int) -> NDArray[np.int32]:
        """Return what the scope owes after each word of a terminal, shape (vocabulary,)."""
        place, inside = self._places[path.top.state][terminal], path.top.inside
        owed = scope.costs.get((place, terminal, inside))
        if owed is not None:
            return owed
        owed = scope.costs[place, terminal, inside] = np.full(self._size, NEVER, np.int32)
        for name, words in self._indexes[terminal].groups(scope, place):
            owed[words] = self._cost_of(scope, place, name, inside)
        return owed

    def _cost_of(self, scope: Scope, place: str, name: Name, inside: bool) -> int:
        assert self._moves is not None
        try:
            return self._moves.word(scope, place, name, inside=inside).cost
        except Refused:
            return NEVER
