"""Brackets that stand open, each with stacks of its own: what is written inside knows of the rest only the ways out.

Before a construct's closing word nothing that stands around it can be reduced. So all that may follow inside hangs on
how many words each way of closing it leaves to write, and of those only on how they differ. Prefixes that agree in
that share their stacks inside, however deep they stand, as the calls of a pushdown automaton share its procedures.
Where phrases have values, these are read from the stacks around, and there is one frame.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .completion import Completion
from .nodes import Node, Path
from .operands import Operands
from .stacks import Stacks
from .values import NEVER

__all__ = ["WHOLE", "Frame", "Frames", "Step"]


class Frame(NamedTuple):
    """A construct that stands open, or the whole query.

    Attributes:
        around: the frame that it stands in; None for the whole query.
        node: its opening word on the stack of that frame.
        cost: the fewest words that finish the query behind it.
        depth: what the depth of its stacks lacks, as `Node.depth`.
        height: what their height lacks at most, as `Node.height`.
    """

    around: Frame | None
    node: Node | None
    cost: int
    depth: int
    height: int


WHOLE = Frame(None, None, 0, 0, 0)
"""The whole query, on a stack that lacks nothing."""


class Opening(NamedTuple):
    """A word that opens a frame.

    Attributes:
        inner: the stack that the frame begins with.
        node: the word on the stack of the frame around.
        cost: what the new frame's cost has beyond that of the frame around.
    """

    inner: Node
    node: Node
    cost: int

    def go(self, frame: Frame) -> tuple[Node, Frame]:
        """Return the stack and the frame after the word."""
        depth, height = self.node.depth - self.inner.depth, self.node.height - self.inner.height
        return self.inner, Frame(frame, self.node, frame.cost + self.cost, frame.depth + depth, frame.height + height)


class Closing:
    """A word that closes a frame; ``states`` come upon the opening word then, the word's own last."""

    def __init__(self, frames: Frames, states: Sequence[int]) -> None:
        self._frames = frames
        self._states = states
        self._known: dict[Node, Node | Opening] = {}

    def go(self, frame: Frame) -> tuple[Node, Frame]:
        """Return the stack and the frame after the word."""
        assert frame.around is not None and frame.node is not None, "a frame that was never opened"
        found = self._known.get(frame.node)
        if found is None:
            found = self._known[frame.node] = self._frames.closed(frame.node, self._states)
        return (found, frame.around) if isinstance(found, Node) else found.go(frame.around)


class Shorter(NamedTuple):
    """A word upon a stack without left operands of ``lost`` symbols; ``then`` is what it leads to."""

    then: Node | Opening
    lost: int

    def go(self, frame: Frame) -> tuple[Node, Frame]:
        """Return the stack and the frame after the word."""
        frame = frame._replace(height=frame.height + self.lost)
        return (self.then, frame) if isinstance(self.then, Node) else self.then.go(frame)


Step = Opening | Closing | Shorter
"""What a word leads to where the frame changes."""


class Frames:
    """Finds where frames of a grammar without values begin and end.

    Args:
        stacks: without phrases.
        completion: of these stacks, with the terminals at hand.
    """

    def __init__(self, stacks: Stacks, completion: Completion) -> None:
        self._stacks = stacks
        self._completion = completion
        self._operands = Operands(stacks)
        # of each state behind an opening word, how many symbols its rules have begun with, and their heads
        self._ends: dict[int, list[tuple[int, int]]] = {}
        # of each state behind a closing word, how many symbols stand between the two
        self._closes: dict[int, int] = {}
        for state in range(1, len(stacks.symbol)):
            self._declare(state)
        self._inner: dict[tuple[tuple[int, ...], tuple[int, ...]], Node] = {}
        self._begun: set[Node] = set()

    def _declare(self, state: int) -> None:
        """Note a state as one that frames begin with, if each of its rules has a word that must close it."""
        tables = self._stacks.tables
        kernel = tables.kernels[state]
        if any(tables.rules[rule].body[dot - 1] < 0 for rule, dot in kernel):
            return
        closers = [self._closer(state, rule, dot) for rule, dot in kernel]
        if None not in closers and any(closer[1] for closer in closers if closer):
            self._ends[state] = sorted({(dot, tables.rules[rule].head) for rule, dot in kernel})
            self._closes |= dict(closer for closer in closers if closer)

    def _closer(self, state: int, rule: int, dot: int) -> tuple[int, int] | None:
        """Return the state behind a rule's next word, and the symbols before it; None without such a word."""
        tables, at = self._stacks.tables, state
        for count, symbol in enumerate(tables.rules[rule].body[dot:]):
            if symbol >= 0:
                after = self._stacks.shifts[at][symbol]
                own = {r for r, _ in tables.kernels[after]} <= {r for r, _ in tables.kernels[state]}
                return (after, count) if own else None
            at = self._stacks.goto[at][~symbol]
        return None

    def step(self, top: Node, terminal: int) -> Node | Step:
        """Return what a terminal upon a stack that it can be shifted on leads to."""
        below = self._operands.without(top, terminal)
        node = self._stacks.shift(Path(below, ()), terminal)
        closing = self._closing(node)
        if closing is not None:
            return closing
        found = self._opening(node) or self._stacks.whole(node)
        return found if below is top else Shorter(found, top.height - below.height)

    def _opening(self, node: Node) -> Opening | None:
        """Return the frame that the word on top of a stack opens, None if it opens none."""
        ends = self._ends.get(node.state)
        if ends is None:
            return None
        below = [node]
        for _ in range(ends[-1][0]):
            parent = below[-1].parent
            assert parent is not None, "a rule deeper than the stack"
            below.append(parent)
        costs = [self._completion.cost(after) for after in self._after(below, ends)]
        least = min(costs)
        states = tuple(at.state for at in below)
        # the lowest matters only by where its rules' heads lead to
        key = states[:-1], tuple(NEVER if cost >= NEVER else cost - least for cost in costs)
        inner = self._inner.get(key)
        if inner is None:
            inner = self._inner[key] = self._begin(states, key[1])
            self._begun.add(inner)
        return Opening(inner, node, least)

    def _after(self, below: Sequence[Node], ends: Sequence[tuple[int, int]]) -> Iterator[Node]:
        """Yield the stacks that the rules of a state leave upon what they began on."""
        for dot, head in ends:
            yield self._stacks.push(below[dot], self._stacks.goto[below[dot].state][head])

    def _begin(self, states: Sequence[int], costs: Sequence[int]) -> Node:
        """Return the stack of some states, the top first, behind whose phrases the query needs ``costs`` words."""
        below = [Node(None, states[-1], None, 0, inside=False)]
        for state in reversed(states[:-1]):
            below.append(self._stacks.push(below[-1], state))
        below.reverse()
        for after, cost in zip(self._after(below, self._ends[states[0]]), costs, strict=True):
            self._completion.assume(after, cost)
        return below[0]

    def _closing(self, node: Node) -> Closing | None:
        """Return how the word on top of a stack closes its frame, None if it does not."""
        count = self._closes.get(node.state)
        if count is None:
            return None
        states = [node.state]
        for _ in range(count + 1):
            assert node.parent is not None, "a rule deeper than the stack"
            node = node.parent
            states.append(node.state)
        return Closing(self, states[-2::-1]) if node in self._begun else None

    def closed(self, node: Node, states: Sequence[int]) -> Node | Opening:
        """Return the stack with states upon an opening word, or the frame that the last of them opens in turn."""
        for state in states:
            node = self._stacks.push(node, state)
        return self._opening(node) or self._stacks.whole(node)
