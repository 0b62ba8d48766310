"""Prefixes side by side, as a search carries them: one mask and one step for all of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..data.errors import ConstraintError
from .frames import WHOLE
from .plans import Plan
from .state import Account, Mask, State
from .trail import Place, follow
from .vocabulary import EOS

__all__ = ["Batch"]


class Batch:
    """Prefixes of one constraint; row for row what their states are, at a fraction of the time. Never changes.

    Args:
        accounts: the words that each may use.
        plans: what may follow each.
        left: words that may still be written of each, shape (rows,).
        ended: whether the end of each has been written, shape (rows,).
        places: where they stand, as far as their stacks may lack something; None at levels where none can.
    """

    __slots__ = ("_accounts", "_ended", "_left", "_mask", "_places", "_plans")

    def __init__(
        self,
        accounts: Sequence[Account],
        plans: Sequence[Plan],
        left: NDArray[np.int64],
        ended: NDArray[np.bool_],
        places: Sequence[Place] | None,
    ) -> None:
        self._accounts = accounts
        self._plans = plans
        self._left = left
        self._ended = ended
        self._places = places
        self._mask: Mask | None = None

    @classmethod
    def of(cls, states: Sequence[State]) -> Batch:
        """Return the prefixes of one state at least, whose questions may differ."""
        framed = states[0].account.outlook.framed
        return cls(
            [state.account for state in states],
            [state.plan for state in states],
            np.array([state.left for state in states], np.int64),
            np.array([state.ended for state in states], np.bool_),
            [(state.plan, state.frame, state.trail) for state in states] if framed else None,
        )

    def __len__(self) -> int:
        return len(self._plans)

    def state(self, row: int) -> State:
        """Return the state of one prefix."""
        _, frame, trail = (None, WHOLE, None) if self._places is None else self._places[row]
        ended, left = bool(self._ended[row]), int(self._left[row])
        return State(self._accounts[row], self._plans[row], left, frame, trail, ended=ended)

    def allowed(self) -> Mask:
        """Return the words that may follow each prefix, shape (rows, vocabulary), bool, read-only.

        No row is empty; after the end only the end may follow.
        """
        if self._mask is None:
            self._mask = self._allowed()
            self._mask.flags.writeable = False
        return self._mask

    def _allowed(self) -> Mask:
        left, rows = self._left, len(self)
        if not rows:
            return np.empty((0, 0), np.bool_)
        if self._places is not None:
            left = left - np.array([frame.cost for _, frame, _ in self._places], np.int64)
        mask = np.concatenate([plan.totals for plan in self._plans]).reshape(rows, -1) <= left[:, None]
        first = self._accounts[0]
        if self._accounts.count(first) == rows:
            mask &= first.words
        else:
            mask &= np.concatenate([account.words for account in self._accounts]).reshape(rows, -1)
        if self._ended.any():
            mask[self._ended] = first.constraint.only_end
        return mask

    def advance(self, rows: Sequence[int] | NDArray[np.intp], words: Sequence[int] | NDArray[np.intp]) -> Batch:
        """Return the prefixes after one more word each.

        Args:
            rows: the prefixes that go on, some of them perhaps several times, shape (n,).
            words: the word after each, shape (n,).

        Raises:
            ConstraintError: a word may not come there; the message says why.
        """
        rows, words = np.asarray(rows, np.intp), np.asarray(words, np.intp)
        self._check(rows, words)
        ended, pairs = words == EOS, list(zip(rows.tolist(), words.tolist(), strict=True))
        accounts, left = [self._accounts[row] for row, _ in pairs], self._left[rows] - ~ended
        if self._places is None:
            return Batch(accounts, [self._after(row, word) for row, word in pairs], left, ended, None)
        places = [
            follow(account.outlook, self._places[row], word) if word != EOS else (self._plans[row], WHOLE, None)
            for account, (row, word) in zip(accounts, pairs, strict=True)
        ]
        return Batch(accounts, [plan for plan, _, _ in places], left, ended, places)

    def _after(self, row: int, word: int) -> Plan:
        plan = self._plans[row]
        return plan if word == EOS else self._accounts[row].outlook.after(plan, word)

    def _check(self, rows: NDArray[np.intp], words: NDArray[np.intp]) -> None:
        """Refuse words that may not come."""
        mask = self.allowed()
        inside = (words >= 0) & (words < mask.shape[1])
        for row, word in zip(rows[~inside].tolist(), words[~inside].tolist(), strict=True):
            raise ConstraintError(self.state(row).explain(word))
        able = mask[rows, words]
        if not able.all():
            place = int(np.flatnonzero(~able)[0])
            raise ConstraintError(self.state(int(rows[place])).explain(int(words[place])))
