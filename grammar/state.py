"""A prefix of a query, as searches carry it: what may come next, and what is after that."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..data.errors import ConstraintError
from .completion import NEVER
from .plans import Outlook, Plan
from .reader import describe_terminals
from .vocabulary import EOS

if TYPE_CHECKING:
    from .constraint import Constraint

__all__ = ["Account", "Mask", "State"]

Mask = NDArray[np.bool_]


class Account:
    """The words that one question may use."""

    __slots__ = ("constraint", "masks", "outlook", "words")

    def __init__(self, constraint: Constraint, outlook: Outlook, words: Mask) -> None:
        self.constraint = constraint
        self.outlook = outlook
        self.words = words
        self.masks: dict[tuple[Plan, int], Mask] = {}

    def mask(self, plan: Plan, left: int) -> Mask:
        left = min(left, plan.most)
        mask = self.masks.get((plan, left))
        if mask is None:
            mask = (plan.totals <= left) & self.words
            mask.flags.writeable = False
            self.masks[plan, left] = mask
        return mask


class State:
    """A prefix of a query; never changes, so that searches may share it.

    Attributes:
        account: the words that may be used.
        plan: what may follow, as far as it hangs on the prefix.
        left: words that may still be written, the end not counted.
        ended: whether the end has been written.
    """

    __slots__ = ("_mask", "account", "ended", "left", "plan")

    def __init__(self, account: Account, plan: Plan, left: int, *, ended: bool = False) -> None:
        self.account = account
        self.plan = plan
        self.left = left
        self.ended = ended
        self._mask: Mask | None = None

    @property
    def least(self) -> int:
        """Return the fewest words that finish the query, `NEVER` if none do."""
        return int(self.plan.totals.min())

    def need(self, token_id: int) -> int:
        """Return the fewest words that finish the query beginning with one, `NEVER` if it may not come."""
        return int(self.plan.totals[token_id])

    @property
    def depth(self) -> int:
        """Return how many brackets, CASEs and negations stand open; one that the last word closes counts, too."""
        return self.plan.node.depth

    @property
    def complete(self) -> bool:
        """Say whether the query may end here."""
        return bool(self.plan.totals[EOS] == 0)

    def allowed(self) -> Mask:
        """Return the words that may come next, shape (vocabulary,), bool, read-only, never empty.

        After the end only the end may follow, so that finished queries pad themselves.
        """
        mask = self._mask
        if mask is None:
            account = self.account
            mask = account.constraint.only_end if self.ended else account.mask(self.plan, self.left)
            self._mask = mask
        return mask

    def advance(self, token_id: int) -> State:
        """Return the state after one more word.

        Raises:
            ConstraintError: the word may not come here; the message says why.
        """
        mask, account = self.allowed(), self.account
        if not 0 <= token_id < len(mask) or not mask[token_id]:
            raise ConstraintError(self.explain(token_id))
        if token_id == EOS:
            return State(account, self.plan, self.left, ended=True)
        return State(account, account.outlook.after(self.plan, token_id), self.left - 1)

    def explain(self, token_id: int) -> str:
        """Say in one line why a word may or may not come next."""
        words = self.account.constraint.vocabulary.words
        if not 0 <= token_id < len(words):
            return f"no word has number {token_id}"
        if self.allowed()[token_id]:
            return f"{words[token_id].text!r} may come next"
        return f"{words[token_id].text!r} {self._objection(token_id)}"

    def _objection(self, token_id: int) -> str:
        """Say what speaks against a word of the vocabulary that is not allowed."""
        if self.ended:
            return "cannot follow the end of the query"
        outlook, plan = self.account.outlook, self.plan
        following = outlook.stacks.paths(plan.node)
        terminal = outlook.terminals[token_id]
        if terminal not in following and terminal not in plan.node.refused:
            tables = outlook.stacks.tables
            return f"cannot come next: the grammar expects {describe_terminals(tables, following)}"
        if self.account.constraint.lexicon.shadowed[token_id]:
            return "would be taken for a column that is called so"
        if not self.account.words[token_id]:
            return "is not among the words that this question may use"
        need = self.need(token_id)
        if need < NEVER:
            return f"needs {need} words to finish the query, and {self.left} are left"
        return outlook.objection(plan, token_id)
