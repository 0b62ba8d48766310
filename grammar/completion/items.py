"""Which LR items may finish a symbol: those that lead on, and those that only repair a value that fits nowhere."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..stack.graph_stack import GraphStack
from .pruning import Pruning

__all__ = ["Item", "OpenItems", "Place"]

Item = tuple[int, int]
"""A production and how many symbols of its body are written."""

Place = tuple[int, tuple[Any, ...]]
"""The state below a symbol, and the values of the symbols that its items began with."""


class _Items(NamedTuple):
    """How a symbol may go on: whether it is the whole query, the items that lead on, and those that only repair."""

    whole: bool
    going: list[Item]
    repairing: list[Item]


class _Kernel(NamedTuple):
    """The items of one state: the symbols that it becomes without a word, and its own that go on, as in `_Items`."""

    heads: list[int]
    going: list[Item]
    repairing: list[Item]


class OpenItems:
    """The items of one grammar, with unit productions followed."""

    def __init__(self, stack: GraphStack, pruning: Pruning) -> None:
        self._tables, self._goto, self._pruning = stack.tables, stack.goto, pruning
        self._known: dict[tuple[int, int], _Items] = {}
        self._kernels: dict[int, _Kernel] = {}
        self._branches = frozenset(s for s, name in enumerate(stack.symbol) if name in {"THEN", "ELSE"})
        self._sums = frozenset(s for s, name in enumerate(stack.symbol) if name in {"+", "-"})
        bodies = self._tables.bodies
        self._lists = frozenset(
            s
            for s, kernel in enumerate(self._tables.kernels)
            if any(
                bodies[r][dot : dot + 1] == ["expr_list"] or bodies[r][:dot] == ["expr_list", ","] for r, dot in kernel
            )
        )

    def of(self, below: int, state: int) -> _Items:
        """Return the items of a state and of those that it becomes without a word or a new value.

        ``1`` behind ``SELECT`` is a product, a sum, a condition, an item: any of them may go on.
        """
        known = self._known.get((below, state))
        if known is not None:
            return known
        going: list[Item] = []
        repairing: list[Item] = []
        chain = [state]
        for at in chain:
            kernel = self._kernel(at)
            going += kernel.going
            repairing += kernel.repairing
            for head in kernel.heads:
                after = self._goto[below][head]
                if after not in chain:
                    chain.append(after)
        # a cast last: there are many types
        repairing.sort(key=lambda item: self._pruning.is_cast(item[0]))
        known = self._known[below, state] = _Items(self._tables.accepting in chain, going, repairing)
        return known

    def _kernel(self, state: int) -> _Kernel:
        known = self._kernels.get(state)
        if known is not None:
            return known
        tables, pruning = self._tables, self._pruning
        kernel = () if state == tables.accepting else tables.kernels[state]
        heads: list[int] = []
        going: list[Item] = []
        repairing: list[Item] = []
        beside = {tables.heads[production] for production, _ in kernel}
        for production, dot in kernel:
            if pruning.is_unit(production):
                heads.append(tables.productions[production].head)
            elif not pruning.is_detour(production, dot, beside):
                (repairing if dot == 1 and pruning.is_optional(production) else going).append((production, dot))
        known = self._kernels[state] = _Kernel(heads, going, repairing)
        return known

    def type_is_open(self, place: Place, value: Any) -> bool:
        """Say whether of what type a value upon a place must be is for what stands around to say.

        So it is with the branches of CASE (``CASE WHEN x THEN NULL``), and with NULL in lists (``x IN (NULL``), in
        brackets and calls that are of their parts' type (``MAX(NULL``), and behind a date (``CURRENT_DATE - NULL``).
        """
        state, under = place
        if state in self._branches or not self._pruning.is_untyped_null(value):
            return state in self._branches
        behind_time = state in self._sums and self._pruning.begins_with_time(under[:1])
        return state in self._lists or self._pruning.typed_by_parts(under) or behind_time
