"""One random walk: how it draws its next word, in nine ways, and how it writes a query under a constraint."""

import random
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from querent.data.errors import ConstraintError
from querent.grammar import EOS, Constraint, State, Vocabulary
from querent.grammar.lr.tables import END, Tables
from querent.grammar.lr.tables import WINDOWED as WINDOW_CLASSES

from .schemas import LISTS, Question

WAYS = ("uniform", "peaked", "inclined", "clauses", "rarest", "seldom", "deepest", "shortest", "longest")
"""The methods of `Walker` that choose the next word: random logits of several kinds, as networks may have them."""

BY_TERMINAL = 0.7
"""Share of words for which the terminal is chosen first; the others are drawn from all words, columns mostly."""

REPEATED = 0.5  # share of GROUP BYs whose first key repeats an item of the select list, as people write it
WINDOWED = 0.3  # share of places open to a window function at which a walk that seeks windows takes one
SELDOM = 0.8  # share of words that `seldom` chooses by the word before
OPENING = {"(", "SELECT", "CASE", "NOT", "-", "EXISTS", "IN", "ANY", "ALL"}
"""Words that begin nested constructs, or stand before those; functions are some, too."""

Ids = NDArray[np.intp]
Stack = tuple[int, Any]  # A stack of LALR(1) states: the one on top, and the stack below it, which may be None


class Coverage:
    """The states of a grammar's tables, and how often each was entered with a word."""

    def __init__(self, tables: Tables, states: Counter[int]) -> None:
        self.tables = tables
        self.states = states
        self._action: list[list[int]] = tables.action.tolist()
        self._goto: list[list[int]] = tables.goto.tolist()
        self.step = lru_cache(50_000)(self._step)

    def note(self, terminals: Iterable[int]) -> set[int]:
        """Count the states that a finished text goes through, and return the rules by which it is reduced."""
        stack, used = START, set[int]()
        for terminal in (*terminals, END):
            stack, rules = self.step(stack, terminal)
            used.update(rules)
            self.states[stack[0]] += 1
        return used

    def _step(self, stack: Stack, terminal: int) -> tuple[Stack, tuple[int, ...]]:
        """Return the stack after one more word, which can follow, and the rules by which it was reduced before."""
        rules: list[int] = []
        while (action := self._action[stack[0]][terminal]) < 0:
            rule = self.tables.productions[-action - 1]
            rules.append(-action - 1)
            for _ in rule.body:
                stack = stack[1]
            stack = (self._goto[stack[0]][rule.head], stack)
        assert action, f"{self.tables.terminals[terminal]} cannot follow"
        return (action - 1, stack), tuple(rules)


START: Stack = (0, None)  # the stack of the empty text


class Walker:
    """Where one walk stands, and what the whole run has written so far.

    Args:
        windows: whether the walk takes window functions often.

    Attributes:
        written: how often the run has used each word.
        pairs: how often it has used each sort of word after another.
        sorts: of each word: the type of a column, the terminal of other names and constants, or else the word itself.
        rng: the draws of this walk.
        ids: the words so far.
        free: after so many words, the shortest way begins.
        weights: the weight of each terminal, shape (terminals + 1,), or None where all are alike; the ways that do
            not set them write as `clauses` does in half of the walks.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        coverage: Coverage,
        written: Counter[str],
        pairs: Counter[tuple[str, str]],
        *,
        windows: bool = False,
    ) -> None:
        self.vocabulary, self.coverage, self.written, self.pairs = vocabulary, coverage, written, pairs
        self.sorts = _sorts(vocabulary)
        self._numbers = {name: i for i, name in enumerate(coverage.tables.terminals)}
        words, outside = vocabulary.words, len(self._numbers)
        self.terminals: Ids = np.array([self._numbers.get(w.terminal, outside) for w in words], np.intp)
        self._windows = np.array([windows and w.terminal in WINDOW_CLASSES for w in words])
        functions = [w.kind == "function" and w.terminal != "NILADIC" for w in words]
        self._opens = np.array([w.text in OPENING for w in words]) | np.array(functions)
        texts = coverage.tables.texts
        names = [texts.get(name, name) for name in coverage.tables.terminals]
        weights = {name: float(weight) for weight, some in LISTS["weights"].items() for name in some}
        self._liked = np.array([weights.get(name, weights[""]) for name in (*names, "")])
        self.start(random.Random(0))

    def start(self, rng: random.Random, favourites: NDArray[Any] | None = None) -> None:
        """Begin a walk; ``favourites`` are the logits of `peaked`, shape (vocabulary,), which draws some if None."""
        self.rng = rng
        self.ids: list[int] = []
        self._again: list[int] = []  # words that a key of GROUP BY is to repeat
        self._stack: Stack = START  # where the first words lead in the tables, and how many those are
        self._stepped = 0
        self._here: Counter[int] = Counter()  # how often the walk itself has come to each state
        self.free = rng.choice([0, 1, 3, 6, 10, 20, 40])
        self.weights: NDArray[Any] | None = self._liked if rng.random() < 0.5 else None
        self._favourites = favourites
        self._generator: np.random.Generator | None = None

    def next_word(self, way: str, allowed: Ids) -> int:
        """Choose the next word: one that the walk seeks, or else one that a way takes."""
        for choose in (self._repeated, self._window):
            if (word := choose(allowed)) is not None:
                return word
        self.rng.random()  # a choice stood here once; without its draw all digests would be others
        return getattr(self, way)(allowed)

    def _repeated(self, allowed: Ids) -> int | None:
        """Return the next word where a key of GROUP BY repeats an item, None where it does not, or no more."""
        texts = [self.vocabulary.words[i].text for i in self.ids[-2:]]
        if texts == ["GROUP", "BY"] and self.rng.random() < REPEATED:
            self._again = self._item()
        if not self._again or self._again[0] not in allowed:
            self._again = []
            return None
        return self._again.pop(0)

    def _window(self, allowed: Ids) -> int | None:
        """Return the name of a window function, None where none may come, or the walk does not seek them."""
        able = allowed[self._windows[allowed]]
        return self.one_of(able) if len(able) and self.rng.random() < WINDOWED else None

    def _item(self) -> list[int]:
        """Return the words of one item of the SELECT that is being written, without its alias."""
        items: list[list[int]] = []
        depth = 0
        for word in reversed(self.ids):
            text = self.vocabulary.words[word].text
            depth += (text in {")", "END"}) - (text in {"(", "CASE"})
            if depth < 0 or (depth == 0 and text == "SELECT"):
                break
            if depth == 0 and text == "FROM":
                items = [[]]
            elif depth == 0 and text == ",":
                items.append([])
            elif items and not (depth == 0 and self.vocabulary.words[word].terminal in {"ALIAS", "AS", "DISTINCT"}):
                items[-1].insert(0, word)
        return self.rng.choice(items) if items else []

    def one_of(self, ids: Ids) -> int:
        """Take any word."""
        return int(ids[self.rng.randrange(len(ids))])

    def by_terminal(self, ids: Ids) -> int:
        """Take any terminal, then any of its words."""
        terminals = self.terminals[ids]
        present = np.flatnonzero(np.bincount(terminals))
        if self.weights is None:
            return self.one_of(ids[terminals == present[self.rng.randrange(len(present))]])
        sums = np.cumsum(self.weights[present])
        place = min(int(np.searchsorted(sums, self.rng.random() * sums[-1])), len(present) - 1)
        return self.one_of(ids[terminals == present[place]])

    def mixed(self, ids: Ids) -> int:
        """Take a word one way or the other."""
        return self.by_terminal(ids) if self.rng.random() < BY_TERMINAL else self.one_of(ids)

    def uniform(self, allowed: Ids) -> int:
        """Take any word, mostly after any terminal."""
        self.weights = None
        return self.mixed(allowed)

    def peaked(self, allowed: Ids) -> int:
        """Take words with very uneven chances, some of them favourites all along, as a trained network has them."""
        if self._generator is None:
            self._generator = np.random.default_rng(self.rng.getrandbits(32))
        if self._favourites is None:
            self._favourites = self._generator.normal(0, 3, len(self.vocabulary))
        noise = self._generator.normal(0, 2, len(allowed)) + self._generator.gumbel(0, 1, len(allowed))
        return int(allowed[np.argmax(self._favourites[allowed] + noise)])

    def inclined(self, allowed: Ids) -> int:
        """Take terminals with uneven chances that stay the same all along: one walk loves joins, another one CASE."""
        if self._generator is None:
            self._generator = np.random.default_rng(self.rng.getrandbits(32))
            self.weights = np.exp(self._generator.normal(0, 2, len(self._numbers) + 1))
        return self.by_terminal(allowed)

    def clauses(self, allowed: Ids) -> int:
        """Write names and go on to the next clause, join or subquery, as people do; expressions stay short."""
        self.weights = self._liked
        return self.by_terminal(allowed)

    def rarest(self, allowed: Ids) -> int:
        """Take the terminal that leads to the state where the run has been least, then its rarest word."""
        for word in self.ids[self._stepped :]:
            self._stack = self.coverage.step(self._stack, int(self.terminals[word]))[0]
            self._here[self._stack[0]] += 1
        self._stepped = len(self.ids)
        terminals = self.terminals[allowed]

        def rank(terminal: int) -> tuple[int, float]:
            state = self.coverage.step(self._stack, terminal)[0][0]
            return self.coverage.states[state] + self._here[state], self.rng.random()

        ranks = {t: rank(t) for t in np.flatnonzero(np.bincount(terminals)).tolist()}
        terminal = min(ranks, key=lambda t: ranks[t])
        words = self.vocabulary.words
        return min((self.written[words[i].text], self.rng.random(), int(i)) for i in allowed[terminals == terminal])[2]

    def seldom(self, allowed: Ids) -> int:
        """Take the sort of word that the run has written least after the last one, or one as `clauses` takes it.

        Calls meet all kinds of words in this way.
        """
        if not self.ids or self.rng.random() >= SELDOM:
            return self.clauses(allowed)
        last = self.sorts[self.ids[-1]]
        return min((self.pairs[last, self.sorts[i]], self.rng.random(), int(i)) for i in allowed)[2]

    def deepest(self, allowed: Ids) -> int:
        """Open whatever can be opened, and end only where nothing else may come."""
        opening = allowed[self._opens[allowed]]
        if len(opening) and self.rng.random() < 0.9:
            return self.by_terminal(opening)
        return self.longest(allowed)

    def shortest(self, allowed: Ids) -> int:
        """Go anywhere for some words, then end as soon as one may; the budget leaves no other way."""
        if len(self.ids) >= self.free and allowed[0] == EOS:
            return EOS
        return self.mixed(allowed)

    def longest(self, allowed: Ids) -> int:
        """Never end by choice."""
        going_on = allowed[allowed != EOS]
        return self.mixed(going_on) if len(going_on) else EOS


def walk(
    constraint: Constraint, walker: Walker, way: str, question: Question, budget: int, *, strict: bool = False
) -> list[int]:
    """Write one query of at most ``budget`` words, and return their ids.

    Raises:
        ConstraintError: the constraint forbids everything, or lets a query grow beyond its budget; if ``strict``,
            also where the words that finish it have become more than was promised.
    """
    try:
        state = constraint.start(question.words, budget, question.literals)
    except ConstraintError:  # so few words make no query, or none so short
        question, budget = replace(question, words=None), max(budget, 20)
        state = constraint.start(None, budget, question.literals)
    while True:
        if way == "shortest" and len(walker.ids) == walker.free:
            state = tightest(constraint, question, walker.ids, budget)
            budget = len(walker.ids) + state.left
        allowed = np.flatnonzero(state.allowed())
        if not len(allowed):
            raise ConstraintError("nothing may come next")
        word = walker.next_word(way, allowed)
        if word == EOS:
            return walker.ids
        if len(walker.ids) == budget:
            raise ConstraintError("the query grows beyond its budget")
        promised = state.need(word) - 1
        walker.ids.append(word)
        state = state.advance(word)
        if strict and (least := state.least) > promised:
            raise ConstraintError(f"{promised} words more were promised, and {least} are needed")


def tightest(constraint: Constraint, question: Question, ids: list[int], budget: int) -> State:
    """Return the state after ``ids`` that has the smallest budget with which they can be written and finished."""
    budgets = range(len(ids), budget)
    least = bisect_left(budgets, True, key=lambda most: _replayed(constraint, question, ids, most) is not None)
    found = _replayed(constraint, question, ids, len(ids) + least)
    if found is None:
        raise ConstraintError("words that were admitted once are refused the second time")
    return found


def _replayed(constraint: Constraint, question: Question, ids: list[int], budget: int) -> State | None:
    """Return the state after ``ids``, or None where a budget has no room for them."""
    try:
        state = constraint.start(question.words, budget, question.literals)
    except ConstraintError:
        return None
    for word in ids:
        if not state.allowed()[word]:
            return None
        state = state.advance(word)
    return state


def _sorts(vocabulary: Vocabulary) -> list[str]:
    types = {(t.name, c.name): c.type.upper() for t in vocabulary.grammar.schema.tables for c in t.columns}
    named = {"table", "column", "alias", "constant", "slot"}
    return [
        types.get((w.table or "", w.column or ""), w.terminal) if w.kind in named else w.function or w.text
        for w in vocabulary.words
    ]
