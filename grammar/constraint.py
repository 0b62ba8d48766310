"""The local constraint: which words may come next, within a budget of words and what a question has.

Three things move together with each word: the stack of the grammar, with the value of each phrase on it; the scope,
with the names that may be used; and the words that are left. What may come next is what the grammar lets follow,
without breaking a rule, so that both the grammar's shortest completion and what the scope owes fit in the words left.
Follow sets of an LALR(1) grammar as in incremental parsing (Scholak et al. 2021, PICARD, is the same idea with a
parser of its own), here with a promise: the query ends in time, and it runs.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..data.errors import ConstraintError, did_you_mean
from .completion import NEVER, Completion
from .dialect_types import load_types
from .lexicon import Lexicon
from .naming import Bounds
from .phrases import Phrases
from .plans import Outlook
from .rules import LEVELS, TYPED, active
from .stacks import Stacks
from .state import Account, Mask, State
from .usage import Usage, known_signatures
from .values import MOST_WORDS
from .vocabulary import EOS, Vocabulary

if TYPE_CHECKING:
    from .grammar import Grammar

__all__ = ["Constraint"]

DEPTH = 24
"""Brackets, CASEs and negations that may stand open at a time: engines and parsers give up soon above it
(MySQL at 63 nested selects, sqlglot at 35), and the deepest query of the public sets has 14."""

HEIGHT = {"sqlite": 70}
"""Symbols that the engine's parser may have to keep: SQLite's keeps 100, and a shortest way out needs a few more."""

JOINS = ("any", "keys")
"""What a FROM may join: any tables, or those that foreign keys link."""

_PLANS = 10_000
"""Prefixes whose plans are remembered, a few kilobytes each; when they are more, all go."""

_OUTLOOKS = 64
"""Sets of words whose outlooks are remembered; the oldest goes first."""


class Constraint:
    """The local constraint on the words of one vocabulary.

    Args:
        grammar: of the schema.
        vocabulary: made with this grammar.
        budget: the most words of a query, its end not counted; above level ``grammar`` 1,000 at most, as engines
            take no chain of operators of any length.
        level: what is promised, one of `rules.LEVELS`.
        without: names of rules that are switched off.
        sources: the most sources of one FROM from level ``scope`` on, as many as the engine joins if None. Where a
            network is at a loss, it keeps it from a product of many tables that no server finishes.
        joins: ``keys`` if a source of FROM that no column asks for must be linked to the others by foreign keys, where
            the schema has any; else ``any``. From level ``scope`` on.
    """

    def __init__(
        self,
        grammar: Grammar,
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
        if vocabulary.grammar.digest != grammar.digest:
            raise ConstraintError("vocabulary and grammar disagree", hint="build the vocabulary with this grammar")
        self.grammar = grammar
        self.vocabulary = vocabulary
        self.level = level
        self.budget = self._bounded(budget)
        self._bounds = Bounds(NEVER if sources is None else sources, joins)
        self.rules = active(level, grammar.dialect, without)
        types, kinds = load_types(grammar.dialect), {column.type for _, column in grammar.schema.columns()}
        if not types.tells(kinds):
            self.rules -= TYPED
        keyed = "single row" in self.rules
        self.lexicon = Lexicon.of_vocabulary(vocabulary, valued=level != LEVELS[0], keyed=keyed)
        orderly = all(types.column(kind).type != "other" for kind in kinds)
        self._phrases = Phrases(grammar.tables, types, self.rules, orderly) if level != LEVELS[0] else None
        self.stacks = Stacks(grammar.tables, self._phrases)
        self.only_end: Mask = np.arange(len(vocabulary)) == EOS
        self.only_end.flags.writeable = False
        self._always: Mask = np.array([w.kind in {"keyword", "operator"} for w in vocabulary.words])
        self._outlooks: dict[object, Outlook] = {}
        self._usage: Usage | None = None
        self._shared: dict[object, Completion] = {}
        self._everything: Account | None = None

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
        if self.stacks.trim() or sum(outlook.count for outlook in self._outlooks.values()) > _PLANS:
            self._outlooks.clear()
            self._shared.clear()
            self._everything = None
        account = self._account(available, values or {})
        left = self.budget if budget is None else self._bounded(budget)
        plan = account.outlook.start()
        least = int(plan.totals.min())
        if least > left:
            problem = "the words at hand make no query" if least >= NEVER else f"no query has {left} words or fewer"
            hint = "allow tables, columns or constants" if least >= NEVER else f"raise the budget to {least} or more"
            raise ConstraintError(problem, hint=hint)
        return State(account, plan, left)

    def signatures(self, ids: Sequence[int]) -> set[str]:
        """Return the signatures that a query, as word ids, uses: the operator or function, and a line of types/."""
        if self._usage is None:
            self._usage = Usage(self.grammar, self.lexicon.types)
        words, classes = self.vocabulary.words, self.lexicon.classes
        found = (classes[self.lexicon.of[i]] for i in ids)
        return self._usage.signatures((t, words[i].function or v) for i, (t, v) in zip(ids, found, strict=True))

    def all_signatures(self) -> set[str]:
        """Return every signature of the dialect that the grammar can write."""
        return known_signatures(self.grammar, self.lexicon.types)

    def _bounded(self, budget: int) -> int:
        if budget > MOST_WORDS and self.level != LEVELS[0]:
            raise ConstraintError(f"a budget of {budget} words", hint=f"allow {MOST_WORDS} or fewer")
        return budget

    def _account(self, available: Mask | None, values: Mapping[str, str]) -> Account:
        if available is None:
            if self._everything is None:
                self._everything = self._account(np.ones(len(self.vocabulary), np.bool_), {})
            if not values:
                return self._everything
            available = self._everything.words
        if available.shape != (len(self.vocabulary),):
            raise ConstraintError(f"available words have shape {available.shape}", hint=f"({len(self.vocabulary)},)")
        words = available.astype(np.bool_) | self._always
        words &= ~self.lexicon.shadowed
        words[: EOS + 1] = self.only_end[: EOS + 1]
        lexicon = self.lexicon.filled(self.vocabulary, values) if values else self.lexicon
        key = Outlook.key(self.vocabulary, lexicon, words)
        outlook = self._outlooks.get(key)
        if outlook is None:
            if len(self._outlooks) >= _OUTLOOKS:
                del self._outlooks[next(iter(self._outlooks))]
            outlook = self._outlooks[key] = Outlook(
                self.vocabulary,
                lexicon,
                self.stacks,
                self.rules,
                words,
                depth=DEPTH,
                height=HEIGHT.get(self.grammar.dialect, NEVER),
                bounds=self._bounds,
                shared=self._shared,
            )
        return Account(self, outlook, words)
