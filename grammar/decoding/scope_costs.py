"""Which names the scope admits, the values that they have, and how many words the scope needs after each."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..lr.tables import Tables
from ..scope.candidates import Candidates
from ..scope.completion_cost import CompletionCost
from ..scope.join_tree_cost import JoinTreeCost
from ..scope.key_joins import KeyJoins
from ..scope.names import Column, Name, key_columns
from ..scope.select_scope import Scope
from ..scope.transitions import Transitions, places
from ..scope.visible import Resolver
from ..stack.graph_stack import ReductionPath
from ..types.abstract_values import NEVER, AbstractValue, RuleViolation
from ..vocabulary.meanings import WordMeanings
from ..vocabulary.vocabulary import Vocabulary

Words = NDArray[np.intp]

_NAMED = ("TABLE", "ALIAS", "COLUMN", "QCOLUMN", "QSTAR")
_POSITIONED = (*_NAMED, "WHOLE")
"""Terminals of words that the scope tells apart; whole numbers in the wide form, as items of the select list."""

_NOTHING = Name()
_NO_WORDS = np.zeros(0, np.intp)


class Bounds(NamedTuple):
    """What bounds a query beside the rules and its words.

    Attributes:
        sources: the most sources of one FROM.
        joins: whether they join along foreign ``keys``, or ``any`` tables may be joined.
        depth: how deep a query may nest.
        height: how many symbols the engine's parser may have to keep.
    """

    sources: int
    joins: str
    depth: int
    height: int


class ScopeCosts:
    """The names of one vocabulary under the rules that are on.

    Args:
        tables: of the grammar.
        vocabulary: all words.
        meanings: what they mean.
        words: those at hand, shape (vocabulary,), bool.
        of: all words of the classes at hand, by terminal.
        on: the rules.
        bounds: of a FROM.

    Attributes:
        terminals: those of names that are at hand.
        unnamed: the places of the other terminals, by state.
        bytes: of what is remembered of words with a name.
    """

    def __init__(
        self,
        tables: Tables,
        vocabulary: Vocabulary,
        meanings: WordMeanings,
        words: NDArray[np.bool_],
        of: Mapping[int, Words],
        *,
        on: frozenset[str],
        bounds: Bounds,
    ) -> None:
        self._meanings = meanings
        self._size = len(vocabulary)
        self._of = of
        self.bytes = 0
        names = tables.terminals
        named = _POSITIONED if vocabulary.grammar.wide else _NAMED
        self.terminals = frozenset(t for t, name in enumerate(names) if name in named and t in of)
        # what a derived table shows is known once it is written
        typed = "functions" in on
        of_sources = {"COLUMN", "QCOLUMN"} if vocabulary.grammar.wide else {"QCOLUMN"}
        self.owned = frozenset(t for t in self.terminals if names[t] in of_sources and typed)
        self.columns = frozenset(t for t in self.terminals if names[t] in {"COLUMN", "QCOLUMN"})
        self._places = places(tables)
        self.unnamed = places(tables, but=named)
        self._transitions = _transitions(vocabulary, meanings, words, on, bounds)
        self.root = self._transitions.root
        self._candidates: dict[int, Candidates] = {}
        for terminal in self.terminals:
            called = {w: meanings.names[w] or _NOTHING for w in of[terminal].tolist() if words[w]}
            self._candidates[terminal] = Candidates(
                self._transitions.resolver, called, on, keyed=bounds.joins == "keys"
            )

    def reduced(self, scope: Scope, path: ReductionPath) -> Scope:
        """Return the scope after the reductions on a path.

        Raises:
            RuleViolation: a phrase on the way breaks a rule.
        """
        for reduction in path.reductions:
            scope = self._transitions.reduction(scope, reduction)
        return scope

    def after(self, scope: Scope, path: ReductionPath, terminal: int, word: int) -> Scope:
        """Return the scope after a word.

        Raises:
            RuleViolation: the word breaks a rule there.
        """
        place = self._places[path.top.state][terminal]
        name = self._meanings.names[word] or _NOTHING
        return self._transitions.word(self.reduced(scope, path), place, name, inside=path.top.inside, number=word)

    def unique(self, scope: Scope, terminal: int) -> Words:
        """Return the words of a terminal whose column is unique where ``scope`` stands."""
        columns = self._transitions.resolver.pinning(scope.select)
        return np.concatenate([_NO_WORDS, *(self._candidates[terminal].called(column) for column in columns)])

    def derived(self, scope: Scope, terminal: int) -> Iterator[tuple[Words, AbstractValue]]:
        """Yield the words of columns of derived tables that are written already, with what they hold."""
        found = self._candidates[terminal]
        yield from found.derived(scope)
        yield from found.bare(scope)

    def cost_after(self, scope: Scope, place: str, *, inside: bool) -> int:
        """Return how many words the scope needs after a word without a name; 0 without a place."""
        if not place:
            return 0
        found = scope.costs.get((place, inside))
        if found is None:
            found = scope.costs[place, inside] = self._cost(scope, place, _NOTHING, inside)
        return found

    def costs_after_names(self, scope: Scope, path: ReductionPath, terminal: int) -> NDArray[np.int32]:
        """Return how many words the scope needs after each word of a terminal, shape (words of the terminal,)."""
        place, inside = self._places[path.top.state][terminal], path.top.inside
        costs = scope.costs.get((place, terminal, inside))
        if costs is not None:
            return costs
        of_all = np.full(self._size, NEVER, np.int32)
        for name, words in self._candidates[terminal].groups(scope, place):
            of_all[words] = self._cost(scope, place, name, inside)
        costs = scope.costs[place, terminal, inside] = of_all[self._of[terminal]]
        self.bytes += costs.nbytes
        return costs

    def costs_in_turn(
        self, scope: Scope, path: ReductionPath, terminal: int, within: NDArray[np.bool_]
    ) -> Iterator[tuple[Words, int]]:
        """Yield the words of a terminal that may come with how many the scope needs after them, one name after another.

        Args:
            scope: the names.
            path: the stack on the way to the terminal.
            terminal: of the words.
            within: the words in question, shape (words,); names of no such word are skipped.
        """
        place, inside = self._places[path.top.state][terminal], path.top.inside
        for name, words in self._candidates[terminal].groups(scope, place):
            if within[words].any():
                yield words, self._cost(scope, place, name, inside)

    def _cost(self, scope: Scope, place: str, name: Name, inside: bool) -> int:
        try:
            return self._transitions.word(scope, place, name, inside=inside).cost
        except RuleViolation:
            return NEVER


def _transitions(
    vocabulary: Vocabulary, meanings: WordMeanings, words: NDArray[np.bool_], on: frozenset[str], bounds: Bounds
) -> Transitions:
    """Return the moves of the scope with the names at hand."""
    resolver = meanings.resolver(vocabulary, words)
    types = meanings.types
    # any source may be the view that joins most of them
    joined = types.tables // max(1, *(table.behind for table in vocabulary.grammar.schema.tables))
    bare = ["joined", "JOIN", "source"] in vocabulary.grammar.tables.bodies
    views = resolver.catalogue.aggregated if "aggregated views" in on else frozenset[str]()
    keys = _keys(resolver, vocabulary, on) if bounds.joins == "keys" else None
    catalogue, most = replace(resolver.catalogue, aggregated=views), max(1, joined)
    sources = JoinTreeCost(
        catalogue=catalogue,
        strict="ambiguous" in on,
        most=bounds.sources,
        tables=most,
        merged=types.merged,
        bare_joins=bare,
        keys=keys,
    )
    costs = CompletionCost(resolver, sources, on)
    reworked = frozenset(n for n, word in enumerate(vocabulary.words) if word.text in resolver.quirks.reworked)
    titles = _titles(resolver, vocabulary, meanings)
    return Transitions(resolver, costs, on, reworked, titles, vocabulary.grammar.wide)


def _keys(resolver: Resolver, vocabulary: Vocabulary, on: frozenset[str]) -> KeyJoins:
    """Return the keys along which tables join: those whose columns compare with what they refer to."""
    schema, types = vocabulary.grammar.schema, resolver.types

    def comparable(one: Column, other: Column) -> bool:
        values = [resolver.values[column] for column in (one, other) if column in resolver.values]
        return len(values) == 2 and types.compare(values)

    # a column alone is a condition, unless the dialect distinguishes conditions from other values
    pair = 6 if "conditions" in on else 4
    return KeyJoins(resolver.catalogue, key_columns(schema, types.names.key, comparable), resolver.owned, pair)


def _titles(resolver: Resolver, vocabulary: Vocabulary, meanings: WordMeanings) -> dict[int, str]:
    """Return the names that words give to outputs without one, as far as another output may be called so."""
    named = {"", *resolver.catalogue.labels, *resolver.bare}
    found = ((n, resolver.types.title(w.text)) for n, w in enumerate(vocabulary.words) if meanings.names[n] is None)
    return {n: title for n, title in found if title in named}
