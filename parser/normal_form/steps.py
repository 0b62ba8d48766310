"""The constraint on queries in short form.

It uses the constraint on full queries and advances it through the implied words: the ON of a join without one, and the
table before the name of its later use. So the promises of the constraint hold for the full query.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from ...data.errors import ConstraintError
from ...grammar import Constraint, State
from ...grammar.decoding.state import Mask
from ...grammar.vocabulary.vocabulary import EOS
from .shorthand import FormPosition, ShortForm

_ROOM = 12
"""The numbers of spare words and levels of nesting with which a join always gets its alias and its ON; with fewer, each
join is tried out."""


_BEHIND = 6
"""The number of words that are kept for the name and the ON of a joined derived table."""

_SIDES = ("LEFT", "RIGHT", "FULL", "INNER", "OUTER")
"""The words that may precede a JOIN with an ON."""


class ShortConstraint:
    """The constraint on words in short form."""

    def __init__(self, constraint: Constraint) -> None:
        self.constraint = constraint
        self.vocabulary = constraint.vocabulary
        self.form = form = ShortForm(constraint.grammar)
        words = self.vocabulary.words
        self.numbers = {(word.text, word.terminal): i for i, word in enumerate(words)}
        fixed = {word.text: i for i, word in enumerate(words) if word.kind in {"keyword", "operator"}}
        self.on, self.as_, self.bracket, self.closing = (fixed[text] for text in ("ON", "AS", "(", ")"))
        self.outputs = {self.numbers[one]: one[0] for one in form.outputs}
        self.derived = [self.numbers[one] for one in form.derived]
        self.joining: Mask = np.array([word.terminal in {*_SIDES, "JOIN"} for word in words])
        self.tables: Mask = np.array([word.terminal == "TABLE" for word in words])
        self.aliases: Mask = np.array([word.terminal == "ALIAS" for word in words])
        self.tried: Mask = self.joining | self.tables | self.aliases
        """The words that may need a trial before they are allowed."""
        self.first = {word.text: i for i, word in enumerate(words) if word.terminal == "TABLE"}
        self.later: dict[int, list[int]] = {}
        """The names of a table's later uses in order, by the table's word."""
        for i in np.flatnonzero(self.aliases).tolist():
            full = self.form.in_full((words[i].text, words[i].terminal))
            if len(full) > 1:
                self.later.setdefault(self.numbers[full[0]], []).append(i)
        self.named: Mask = np.isin(np.arange(len(words)), list(self.later))
        self.table_of = {use: table for table, uses in self.later.items() for use in uses}
        """The words of tables by those of their later uses; ``named`` is a mask of the tables that have such."""
        self.plain: Mask = ~np.isin(np.arange(len(words)), list(self.table_of))
        keys = {constraint.grammar.quoting.write(t): len(t.self_keys) for t in constraint.grammar.schema.tables}
        self.each = {table: max(keys[words[table].text], 1) for table in self.later}
        """The number of later uses that may come next, one for each key into the table, by the table's word."""

    def start(
        self, available: Mask | None = None, budget: int | None = None, values: Mapping[str, str] | None = None
    ) -> ShortState:
        """Return the state of the empty query; arguments and errors are those of `Constraint.start`.

        The budget counts the words of the full query.
        """
        return ShortState(self, self.constraint.start(available, budget, values), FormPosition())


class ShortState:
    """An immutable prefix of a query in short form, which searches may share.

    Attributes:
        of: the constraint.
        inner: the state of the full query, without an ON that is still open.
        place: the position of the next word.
        sql_words: the words of the full query so far.
    """

    __slots__ = ("_mask", "_settled", "inner", "of", "place", "sql_words")

    def __init__(self, of: ShortConstraint, inner: State, place: FormPosition, sql_words: tuple[int, ...] = ()) -> None:
        self.of = of
        self.inner = inner
        self.place = place
        self.sql_words = sql_words
        self._mask: Mask | None = None
        self._settled: ShortState | bool | None = False

    def allowed(self) -> Mask:
        """Return a mask of the words that may come next, (vocabulary,), read-only, never empty."""
        if self._mask is None:
            self._mask = self._sensible()
            if not self._mask.any():  # words outside of the normal form are the last resort
                self._mask = self._tried(self.inner.allowed() & self.of.plain)
            if not self._mask.any():
                self._mask = self.inner.allowed() & self.of.plain
            self._mask.flags.writeable = False
        return self._mask

    def admits(self, word: int) -> bool:
        """Say whether a word may come next, without computing the whole mask of `allowed`."""
        if self._mask is not None:
            return bool(self._mask[word])
        if self.place.open and word != self.of.on:
            settled = self.settled()
            return settled is not None and settled.admits(word)
        if self.of.aliases[word]:
            return bool(self.allowed()[word])
        narrowed = self.place.open or self.of.tried[word] or self._unusual()[word]
        return self.inner.admits(word) and (not narrowed or bool(self.allowed()[word]))

    def advance(self, token_id: int) -> ShortState:
        """Return the state after one more word.

        Raises:
            ConstraintError: the word may not come here; the message says why.
        """
        if not 0 <= token_id < len(self.of.vocabulary) or not self.admits(token_id):
            raise ConstraintError(self.explain(token_id))
        if self.place.open and token_id != self.of.on:
            settled = self.settled()
            assert settled is not None  # otherwise only ON is allowed
            return settled.advance(token_id)
        return self._after(token_id)

    def explain(self, token_id: int) -> str:
        """Say in one line why a word may or may not come next."""
        words = self.of.vocabulary.words
        if 0 <= token_id < len(words) and self.allowed()[token_id]:
            return f"{words[token_id].text!r} may come next"
        settled = self.settled()
        if settled is not None:
            return settled.explain(token_id)
        if not 0 <= token_id < len(words) or not self.inner.allowed()[token_id]:
            return self.inner.explain(token_id)
        reason = (
            "no key implies an ON here, and none is written"
            if self.place.open
            else "the normal form has another word for it"
        )
        return f"{words[token_id].text!r} is not allowed here: {reason}"

    def settled(self) -> ShortState | None:
        """Return the state after the implied ON, None if none is implied or it is not allowed."""
        if isinstance(self._settled, bool):
            self._settled = self._settle()
        return self._settled

    def _settle(self) -> ShortState | None:
        inner, ids = self.inner, list(self.sql_words)
        implied = self.of.form.implied(self.place)
        for word in implied:
            number = self.of.numbers.get(word)
            if number is None or not inner.admits(number):
                return None
            inner = inner.advance(number)
            ids.append(number)
        return ShortState(self.of, inner, self.place.settled, tuple(ids)) if implied else None

    def _after(self, token_id: int) -> ShortState:
        of, inner, full = self.of, self.inner, [token_id]
        if token_id in of.table_of:
            full = [of.table_of[token_id], of.as_, token_id]
            named = inner.advance(full[0])
            if not named.admits(of.as_) or not named.advance(of.as_).admits(token_id):  # too few words are left
                full.remove(of.as_)
        joined = token_id == of.closing and self.place.levels[-1].joined
        for word in full:
            inner = inner.advance(word)
        if joined or (token_id == of.bracket and self.place.stage == "join"):
            inner = inner.keeping(-_BEHIND if joined else _BEHIND)
        if token_id == EOS:
            return ShortState(of, inner, self.place, self.sql_words)
        word = of.vocabulary.words[token_id]
        place = of.form.after(self.place, (word.text, word.terminal))
        return ShortState(of, inner, place, (*self.sql_words, *full))

    def _sensible(self) -> Mask:
        """Return a mask of the words that may come next in the normal form, which may be empty.

        After a joined source these are ON and the words that may follow the implied ON. Elsewhere they are the words
        that the full query allows, without dead ends and useless names of outputs.
        """
        of, full = self.of, self.inner.allowed()
        if self.place.open:
            settled = self.settled()
            mask = np.zeros(len(full), np.bool_) if settled is None else settled.allowed().copy()
            mask[of.on] = full[of.on]
            return mask
        return self._tried(full & of.plain & ~self._unusual())

    def _tried(self, mask: Mask) -> Mask:
        """Remove dead ends from a mask, and add later uses of tables."""
        of, place = self.of, self.place
        mask[[*self._later_uses()]] = True
        tried = of.tables | of.aliases if place.stage == "join" else of.named
        if place.stage != "crossed":
            tried = tried | of.joining
        for number in np.flatnonzero(mask & tried).tolist():
            mask[number] = self._roomy(number) or self._after(number)._sensible().any()
        return mask

    def _later_uses(self) -> Iterator[int]:
        """Yield the later uses of tables that may come next: the next ones of each key, in order.

        If few words are left, all uses may come that the query needs to end.
        """
        of, inner = self.of, self.inner
        for table in np.flatnonzero(inner.allowed() & of.named).tolist():
            name, uses, roomy = of.vocabulary.words[table].table, of.later[table], self._roomy(table)
            earlier = sum(use.table == name for level in self.place.levels for use in level.sources)
            if earlier or not roomy:
                named = inner.advance(table)
                yield from (use for use in (uses[: earlier * of.each[table]] if roomy else uses) if named.admits(use))

    def _unusual(self) -> Mask:
        """Return a mask of words that the full query may have and the normal form does not, such as output names."""
        of, place = self.of, self.place
        level, unusual = place.levels[-1], of.aliases.copy()
        for use in place.sources:
            if use.name in of.first:
                unusual[of.first[use.name]] = True
        unusual[of.bracket] = place.stage == "join" and self.inner.need(of.bracket) + _BEHIND > self.inner.left
        derived = place.stage in {"derived", "joined"}
        if place.stage == "joined":  # a name and ON follow
            unusual[:] = True
        unusual[of.as_] = place.naming or not (level.cast or level.outputs is not None or derived)
        if place.naming:
            used = level.outputs or ()
            unusual[of.derived if derived else [i for i, text in of.outputs.items() if text not in used]] = False
        return unusual

    def _roomy(self, token_id: int) -> bool:
        inner = self.inner
        return inner.need(token_id) + _ROOM <= inner.left and inner.nesting_left >= _ROOM
