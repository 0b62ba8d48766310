"""The local constraint: which words may come next, within a budget of words and what a question has.

Three things move together with each word: the stack of the grammar, with the value of each phrase on it; the scope,
with the names that may be used; and the words that are left. A word may come next if the grammar
lets it follow, if it breaks no rule, and if the grammar's shortest completion and the words that the scope still needs
then fit in those left. The follow sets are those of an LALR(1) grammar, as in incremental parsing (Scholak et al. 2021,
PICARD, is the same idea with a parser of its own), here with a promise: the query ends in time, and it runs.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from ...data.errors import ConstraintError, did_you_mean
from ..completion.shortest import NEVER, Completion
from ..reading.grammar import Grammar
from ..semantics.actions import SemanticActions
from ..semantics.rules import LEVELS, TYPED, active
from ..stack.graph_stack import GraphStack
from ..types.abstract_values import MAX_WORDS
from ..vocabulary.meanings import WordMeanings
from ..vocabulary.vocabulary import EOS, Vocabulary
from .continuations import Continuations
from .scope_costs import Bounds
from .state import AllowedWords, Mask, State
from .word_costs import WordCosts

DEPTH = 24
"""Brackets, CASEs and negations that may stand open at a time: engines and parsers give up soon above it
(MySQL at 63 nested selects, sqlglot at 35), and the deepest query of the public sets has 14."""

HEIGHT = {"sqlite": 70}
"""Symbols that the engine's parser may have to keep: SQLite's keeps 100, and a shortest way out needs a few more."""

JOINS = ("any", "keys")
"""What a FROM may join: any tables, or those that foreign keys link."""

MAX_BYTES = 64 * 2**20
"""What prefixes that are remembered may take in memory; when it is more, the older half of them goes."""

_A_STACK = 700
"""Bytes of a stack with what a reduction gave and what it costs to end."""

_CONTINUATIONS = 64
"""Sets of words whose outlooks are remembered; the oldest goes first."""


_SHARED: dict[tuple[object, ...], tuple[GraphStack, dict[object, Completion]]] = {}
"""Stacks and their shortest completions, which depend on no schema: of the grammars that were used last."""

_GRAMMARS = 8
"""How many of these are kept."""


class Constraint:
    """The local constraint on the words of one vocabulary.

    Args:
        vocabulary: the words, of one schema in one dialect; where its grammar has an `Access`, queries keep to it.
        budget: the most words of a query, its end not counted; 1,000 at most, as engines take no chain of operators of
            any length.
        level: what is promised, one of `rules.LEVELS`.
        without: names of rules that are switched off.
        sources: the most sources of one FROM, None for as many as the engine joins. The limit keeps a network that is
            at a loss from a product of many tables that no server finishes.
        joins: ``keys`` if a further source of a FROM must be joined to one before it along a foreign key, or what both
            refer to: by ON, which begins with the key's equation (``ON c.state_id = s.id``, all columns of the key) and
            goes on with AND alone, or by USING of the key; never by a comma or CROSS. A derived table, and a
            table without keys, then stands alone. Else ``any``.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        *,
        budget: int = 120,
        level: str = LEVELS[-1],
        without: Collection[str] = (),
        sources: int | None = None,
        joins: str = "any",
    ) -> None:
        if joins not in JOINS:
            raise ConstraintError(f"no joins {joins!r}", hint=did_you_mean(joins, JOINS) or f"use {' or '.join(JOINS)}")
        if sources is not None and sources < 1:
            raise ConstraintError(f"a FROM of {sources} sources", hint="allow 1 or more")
        self.grammar = grammar = vocabulary.grammar
        self.vocabulary = vocabulary
        self.level = level
        self.without = frozenset(without)
        self.budget = self._bounded(budget)
        height = HEIGHT.get(grammar.dialect, NEVER)
        self._bounds = Bounds(NEVER if sources is None else sources, joins, DEPTH, height)
        partial = any(table.partial for table in grammar.schema.tables)
        self.rules = active(level, grammar.dialect, without, guarded=grammar.access is not None, partial=partial)
        types, kinds = grammar.types, {column.type for _, column in grammar.schema.columns()}
        if not types.distinguishes(kinds):
            self.rules -= TYPED
        keyed = "single row" in self.rules
        self.meanings = WordMeanings.of_vocabulary(vocabulary, keyed=keyed)
        orderly = all(types.column(kind).type != "other" for kind in kinds)
        self.stack, self._completions = _shared(grammar, self.rules, orderly=orderly)
        self._always: Mask = np.array([w.kind in {"keyword", "operator"} for w in vocabulary.words])
        self._continuations: dict[object, Continuations] = {}
        self._everything: AllowedWords | None = None

    def over(self, vocabulary: Vocabulary) -> Constraint:
        """Return the same constraint on other words."""
        bounds: dict[str, Any] = {"sources": self._bounds.sources, "joins": self._bounds.joins}
        return Constraint(vocabulary, budget=self.budget, level=self.level, without=self.without, **bounds)

    def admits(self, sql: str, values: Mapping[str, str] | None = None, available: Mask | None = None) -> bool:
        """Say whether a query of words of the vocabulary may be written, slots filled with ``values``.

        Args:
            sql: the query.
            values: see `start`.
            available: see `start`; a query with other words may not be written.

        Raises:
            QueryError: it is outside the grammar, or has a word that is not in the vocabulary.
            ConstraintError: no query can be written with these words.
        """
        state = self.start(available, values=values)
        for number in (*self.vocabulary.encode(sql), EOS):
            if not state.allowed()[number]:
                return False
            state = state.advance(number)
        return True

    def start(
        self, available: Mask | None = None, budget: int | None = None, values: Mapping[str, str] | None = None
    ) -> State:
        """Return the state of the empty query.

        Args:
            available: shape (vocabulary,), bool; the words that this question may use, all if None.
                Keywords, operators and the end are always available, padding and beginning never.
            budget: the most words of the query, the constraint's own if None.
            values: what slots will be filled with, by the slot's name. Of other slots nothing is known but that
                those outside of quotes are whole numbers of a dialect's `slot` digits at most.

        Raises:
            ConstraintError: no query can be written with these words and this budget, or it is above 1,000.
        """
        if self.bytes > MAX_BYTES:
            self.forget(older=True)
        allowed_words = self._allowed_words(available, values or {})
        left = self.budget if budget is None else self._bounded(budget)
        next_words = allowed_words.continuations.start()
        least = int(next_words.known.totals.min())
        if least > left:
            problem = "the words at hand make no query" if least >= NEVER else f"no query has {left} words or fewer"
            hint = "allow tables, columns or constants" if least >= NEVER else f"raise the budget to {least} or more"
            raise ConstraintError(problem, hint=hint)
        return State(allowed_words, next_words, left)

    @property
    def bytes(self) -> int:
        """Return how much memory the prefixes that are remembered take, nearly."""
        plans = sum(continuations.bytes for continuations in self._continuations.values())
        return plans + _A_STACK * self.stack.count

    def forget(self, *, older: bool = False) -> None:
        """Forget all plans, or the half of them that was not used for the longest; states in use stay valid."""
        number = len(self._continuations) // 2 if older else 0
        self._continuations = dict(list(self._continuations.items())[-number:] if number else ())
        self.stack.forget(node for continuations in self._continuations.values() for node in continuations.stacks)
        for completion in self._completions.values():
            completion.forget()
        self._everything = None

    def _bounded(self, budget: int) -> int:
        if budget > MAX_WORDS:
            raise ConstraintError(f"a budget of {budget} words", hint=f"allow {MAX_WORDS} or fewer")
        return budget

    def _allowed_words(self, available: Mask | None, values: Mapping[str, str]) -> AllowedWords:
        if available is None:
            if self._everything is None:
                self._everything = self._allowed_words(np.ones(len(self.vocabulary), np.bool_), {})
            if not values:
                return self._everything
            available = self._everything.words
        if available.shape != (len(self.vocabulary),):
            raise ConstraintError(f"available words have shape {available.shape}", hint=f"({len(self.vocabulary)},)")
        words = available.astype(np.bool_) | self._always
        words &= ~self.meanings.shadowed
        words[: EOS + 1] = np.arange(EOS + 1) == EOS
        meanings = self.meanings.filled(self.vocabulary, values) if values else self.meanings
        key = Continuations.key(self.vocabulary, meanings, words)
        continuations = self._continuations.pop(key, None)
        if continuations is None:
            if len(self._continuations) >= _CONTINUATIONS:
                del self._continuations[next(iter(self._continuations))]
            costs = WordCosts(
                self.stack,
                self.vocabulary,
                meanings,
                words,
                on=self.rules,
                bounds=self._bounds,
                shared=self._completions,
            )
            continuations = Continuations(costs)
        self._continuations[key] = continuations  # the most recent one stands last
        return AllowedWords(self.vocabulary, meanings, continuations, words)


def _shared(grammar: Grammar, rules: frozenset[str], *, orderly: bool) -> tuple[GraphStack, dict[object, Completion]]:
    """Return the stacks of a grammar under some rules, and what completes them: one for all schemas of a process."""
    # the tables and types of a grammar that is kept live on, so that no other ones get their numbers
    key = (id(grammar.tables), id(grammar.types), rules, orderly)
    found = _SHARED.pop(key, None)
    if found is None:
        actions = SemanticActions(grammar.tables, grammar.types, rules, orderly, grammar.wide)
        found = GraphStack(grammar.tables, actions), {}
        while len(_SHARED) >= _GRAMMARS:
            _SHARED.pop(next(iter(_SHARED)), None)
    _SHARED[key] = found
    return found
