"""How many words each choice needs to the end of the query, reckoned for one stack and one scope."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from .completion import NEVER, Completion
from .lexicon import Lexicon
from .naming import Naming
from .nodes import Node, Path
from .phrases import Refused
from .scope import Scope
from .stacks import Stacks
from .tables import END
from .vocabulary import EOS

__all__ = ["Reckoning", "Totals"]

Totals = NDArray[np.int32]
Ints = NDArray[np.int64]


class Reckoning:
    """Reckons with the words that are at hand.

    Args:
        stacks: what may follow what.
        lexicon: the classes of all words.
        completion: the fewest words after a stack, names apart.
        naming: what names cost and are refused for, None without scope.
        classes: those at hand, by terminal.
        words: of these classes, by terminal.
        depth: how deep a query may nest.
        height: how many symbols the engine's parser may have to keep.
    """

    def __init__(
        self,
        stacks: Stacks,
        lexicon: Lexicon,
        *,
        completion: Completion,
        naming: Naming | None,
        classes: Mapping[int, Sequence[int]],
        words: Mapping[int, NDArray[np.intp]],
        depth: int,
        height: int,
    ) -> None:
        self._stacks = stacks
        self._lexicon = lexicon
        self._completion = completion
        self._naming = naming
        self._classes = classes
        self._words = words
        self._depth, self._height = depth, height

    def totals(self, node: Node, scope: Scope | None) -> tuple[Totals, dict[int, Refused]]:
        """Return for each word the fewest words that finish the query beginning with it, and what is refused.

        Returns:
            The totals, shape (words,), with `NEVER` for what may not come and 0 for the end if the query may end
            here; and what the scope says against terminals.
        """
        by_class = np.full(len(self._lexicon.classes), NEVER, np.int64)
        deep = np.zeros(len(by_class), np.bool_)
        refused: dict[int, Refused] = {}
        named: list[tuple[int, NDArray[np.int32]]] = []
        unique: list[NDArray[np.intp]] = []
        shown: list[tuple[NDArray[np.intp], int]] = []
        end = NEVER
        for path, terminals in self._stacks.ways(node):
            now = self._try(scope, path)
            if isinstance(now, Refused):
                refused.update(dict.fromkeys(terminals, now))
                continue
            if END in terminals:
                end = now.cost if now else 0
            self._fill(by_class, deep, path, terminals, now)
            if now is not None and (naming := self._naming) is not None:
                names = terminals & naming.terminals
                named += [(t, naming.owed_by_name(now, path, t)) for t in names]
                unique += [naming.unique(now, t) for t in names & naming.columns]
                shown += [pair for t in names & naming.owned for pair in self._shown(naming, now, path, t)]
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
        return np.minimum(totals, NEVER).astype(np.int32), refused

    def _try(self, scope: Scope | None, path: Path) -> Scope | Refused | None:
        if scope is None or self._naming is None:
            return None
        try:
            return self._naming.heard(scope, path)
        except Refused as refused:
            return refused.with_traceback(None)  # plans keep it

    def _fill(
        self, by_class: Ints, deep: NDArray[np.bool_], path: Path, terminals: frozenset[int], scope: Scope | None
    ) -> None:
        """Write the totals of the classes of some terminals, and note those that nest too deep."""
        for terminal in terminals - {END}:
            owed = self._owed(scope, path, terminal)
            for number in self._classes.get(terminal, ()):
                after = self._stacks.shift(path, terminal, self._lexicon.classes[number][1])
                by_class[number] = 1 + self._completion.cost(after) + owed
                deep[number] = after.depth > self._depth or after.height > self._height

    def _owed(self, scope: Scope | None, path: Path, terminal: int) -> int:
        """Return what the scope owes after a word of a terminal, nothing where it has a name."""
        if scope is None or self._naming is None:
            return 0
        place = self._naming.unnamed[path.top.state].get(terminal, "")
        return self._naming.owed(scope, place, inside=path.top.inside)

    def _shown(self, naming: Naming, scope: Scope, path: Path, terminal: int) -> Iterator[tuple[NDArray[np.intp], int]]:
        """Yield the words of derived tables' columns with their totals, but for what the scope owes."""
        for words, value in naming.derived(scope, terminal):
            yield words, 1 + self._completion.cost(self._stacks.shift(path, terminal, value))
