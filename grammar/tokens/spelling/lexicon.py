"""How words are spelled, as a graph of bytes: names in any case, numbers, texts, and where each word ends.

Numbers are distinguished by their digits, those of one digit from each other, as they may stand for items of a select
list, and whole ones from 10 to 38, where they may be the sizes of decimals. Texts are distinguished by their kinds
(``[literals]`` of types/*.toml); `samples.toml` has a text for each sort of them, with the pattern of those that it
stands for. A label of a schema's enumerations stands for itself alone.
"""

from __future__ import annotations

import string
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from enum import IntEnum
from functools import cached_property, lru_cache
from importlib import resources
from typing import NamedTuple

import interegular
import numpy as np
from numpy.typing import NDArray

from ....data.schema.schema import labels_of
from ....data.values.slots import quoted
from ...types.dialect import load_types
from ...vocabulary.vocabulary import Word

SPACES = b" \n\t"
IDENTIFIER = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
"""Bytes of names without quotes."""

_OPERATORS = frozenset(b"+-*/<>=~!@#%^&|`?:")
"""Bytes that may be parts of operators, so that two words of them need a space: ``- -1``, never the comment ``--1``."""

_ALL = frozenset(range(256)) - frozenset(SPACES)


class Ending(IntEnum):
    """What a word ends with, as far as the next word's first byte hangs on it."""

    OPEN = 0
    """Anything may touch it: ``(``, ``,``, ``)``, a space."""
    NAME = 1
    """A name, a keyword, a number or a quote: no part of another one may touch it."""
    OPERATOR = 2
    """An operator: no part of another one may touch it."""
    CALL = 3
    """A function of MySQL: only its bracket may follow, and touches it."""


def may_touch(ending: Ending, byte: int) -> bool:
    """Say whether a byte may come right behind a word, a space among them."""
    return byte in TOUCHING[ending]


FOLLOWERS: tuple[frozenset[int], ...] = (
    _ALL,
    _ALL - IDENTIFIER - frozenset(b"'\"`[$.") - frozenset(range(128, 256)),
    _ALL - _OPERATORS,
    frozenset(b"("),
)
"""The bytes that may touch a word, by its `Ending`, but for spaces."""

TOUCHING = tuple(
    followers if ending == Ending.CALL else followers | frozenset(SPACES)
    for ending, followers in zip(Ending, FOLLOWERS, strict=True)
)
"""The bytes that may touch a word, spaces among them."""


class Lexicon:
    """The spellings of a vocabulary's words.

    Attributes:
        root: the node where words begin.
        roots: all such nodes; texts of different kinds begin alike, so each kind has its own.
        edges: of each node, the node after each byte.
        ends: of each node, the words that end there.
        ending: of each word that is spelled here, what it ends with.
        closing: of nodes within a text of a kind, the fewest bytes that end it; others have none.
    """

    def __init__(self) -> None:
        self.edges: list[dict[int, int]] = []
        self.ends: list[tuple[int, ...]] = []
        self.ending: dict[int, Ending] = {}
        self.closing: dict[int, int] = {}
        self.root = self.node()
        self.roots = [self.root]

    def __len__(self) -> int:
        return len(self.edges)

    def node(self) -> int:
        """Return a new node."""
        self.edges.append({})
        self.ends.append(())
        return len(self.edges) - 1

    def new_root(self) -> int:
        """Return a new node where words begin."""
        self.roots.append(self.node())
        return self.roots[-1]

    def edge(self, node: int, byte: bytes, after: int) -> None:
        """Let ``byte`` lead from one node to another."""
        assert self.edges[node].setdefault(byte[0], after) == after

    def end(self, node: int, word: int, ending: Ending) -> None:
        """Let a word end at a node."""
        if word not in self.ends[node]:
            self.ends[node] = (*self.ends[node], word)
        assert self.ending.setdefault(word, ending) == ending

    def may_touch(self, node: int, byte: int) -> bool:
        """Say whether a byte may come right behind some word that ends at a node: MOD may be called or stand alone."""
        return any(may_touch(self.ending[word], byte) for word in self.ends[node])

    @cached_property
    def begun(self) -> dict[int, list[int]]:
        """The nodes that each byte leads to from a root; of a lexicon that is complete."""
        found: dict[int, list[int]] = {}
        for root in self.roots:
            for byte, node in self.edges[root].items():
                found.setdefault(byte, []).append(node)
        return found

    def spell(self, node: int, text: bytes, *, folded: bool) -> int:
        """Return the node that a text leads to, made where it is not there; in any case of letters if ``folded``."""
        for byte in text:
            both = {byte, *bytes([byte]).lower(), *bytes([byte]).upper()} if folded else {byte}
            known = {self.edges[node][b] for b in both if b in self.edges[node]}
            assert len(known) <= 1, "a name in one case and a word in any case begin alike"
            after = known.pop() if known else self.node()
            for b in both:
                self.edges[node][b] = after
            node = after
        return node

    def reach(self, size: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return pairs (word, node): every word that each node may still become; ``size`` words there are."""
        reached: list[set[int]] = [set(words) for words in self.ends]
        before: list[list[int]] = [[] for _ in self.edges]
        for node, edges in enumerate(self.edges):
            for after in set(edges.values()):
                before[after].append(node)
        todo = [node for node, words in enumerate(reached) if words]
        while todo:
            node = todo.pop()
            for lower in before[node]:
                if not reached[node] <= reached[lower]:
                    reached[lower] |= reached[node]
                    todo.append(lower)
        pairs = [(word, node) for node, words in enumerate(reached) for word in words]
        found = np.array(pairs, np.intp).reshape(-1, 2)
        assert not len(found) or found[:, 0].max() < size
        return found[:, 0], found[:, 1]


def ending_of(text: bytes) -> Ending:
    """Return what a keyword or an operator ends with."""
    if text[-1:] in (b"(", b")", b","):
        return Ending.OPEN
    return Ending.NAME if text[-1] in IDENTIFIER else Ending.OPERATOR


POSITIONS = 9
"""The largest number that stands for an item of a select list: of longer ones a sample stands for many."""

MAX_DIGITS = 15
"""Digits of a number before its point."""

MAX_FRACTION = 6
"""Digits behind it."""

_PRINTABLE = [chr(n) for n in range(32, 127) if chr(n) not in "'\\"]
"""Characters of texts of a kind; any text has others, too."""


class TextKind(NamedTuple):
    """A kind of text: the sample that stands for it, and the pattern of what it stands for, None for any text."""

    sample: str
    pattern: str | None

    @property
    def word(self) -> str:
        """Return the sample as it stands in SQL."""
        return quoted(self.sample)


def labels_among(sql_types: Iterable[str]) -> tuple[str, ...]:
    """Return the labels of enumerations, each once."""
    return tuple(dict.fromkeys(label for name in sorted(sql_types) for label in labels_of(name)))


@lru_cache
def text_kinds(dialect: str, labels: tuple[str, ...] = ()) -> tuple[TextKind, ...]:
    """Return the kinds of text that the rules of a dialect tell apart, but for ``labels``; the first is any text.

    A sample that is a label has more kinds than what it stands for: another of its pattern's words takes its place, or
    none where the pattern has no others that are written out.
    """
    folder = resources.files(__package__ or __name__)
    data: Mapping[str, str | list[str]] = tomllib.loads((folder / "samples.toml").read_text("utf-8"))[dialect]
    kinds = load_types(dialect, wide=True).kinds | load_types(dialect).kinds
    found = [TextKind(str(data["free"]), None)]
    for first, pattern in (spec for spec in data.values() if not isinstance(spec, str)):
        sample = next((text for text in (first, *filter(str.isalpha, pattern.split("|"))) if text not in labels), None)
        if sample is not None:
            kind = kinds[pattern[1:]].pattern if pattern[0] == "@" else None
            found.append(TextKind(sample, kind.pattern if kind is not None else pattern))
    return tuple(found)


class Number(NamedTuple):
    """The beginning of a number, as far as it matters: ``12.5`` is as good as ``99.1``.

    Attributes:
        whole: its digits before the point; of three and more each is a 1.
        rest: how many are behind it, -1 without a point.
        zero: whether all are 0.
    """

    whole: str
    rest: int = -1
    zero: bool = False

    def then(self, character: str) -> Number | None:
        """Return what it is with one more character, None if it is no number then: none has a needless 0 before it."""
        if self.rest >= 0:
            more = character != "." and self.rest < MAX_FRACTION
            return Number(self.whole, self.rest + 1, self.zero and character == "0") if more else None
        if character == ".":
            return Number(self.whole if self.zero else "1" * len(self.whole), 0, self.zero)
        if self.zero or len(self.whole) == MAX_DIGITS:
            return None
        whole = self.whole + character
        return Number(whole if len(whole) < 3 else "1" * len(whole))

    @property
    def sample(self) -> str | None:
        """Return the word that it means, None if it ends in its point."""
        if self.rest == 0:
            return None
        if self.rest > 0:
            digits = max(0 if self.zero else len(self.whole), self.rest)
            return f"0.{0:0{digits}}" if self.zero else f"0.{5:0{digits}}"
        match len(self.whole):
            case 1:
                return self.whole  # it may stand for an item of the select list
            case 2:
                return "10" if int(self.whole) < 39 else "50"
            case length:
                return "1" + "0" * (length - 1)


def samples(dialect: str, labels: tuple[str, ...] = ()) -> Iterator[Word]:
    """Yield the words that literals stand for, ``labels`` among them."""
    numbers = {n.sample for n in _numbers().values()} - {None}
    for text in sorted(text for text in numbers if text is not None):
        yield Word(text, "NUMBER" if "." in text else "WHOLE", "constant")
    for text in (*(kind.word for kind in text_kinds(dialect, labels)), *map(quoted, labels)):
        yield Word(text, "STRING", "constant")


@lru_cache
def _numbers() -> Mapping[str, Number]:
    """Return the beginnings of numbers that matter, each with a text that leads there."""
    found = {d: Number(d, zero=d == "0") for d in string.digits}
    todo = list(found)
    seen = set(found.values())
    for text in todo:
        for character in "." + string.digits:
            after = found[text].then(character)
            if after is not None and after not in seen:
                seen.add(after)
                found[text + character] = after
                todo.append(text + character)
    return found


def add_numbers(lexicon: Lexicon, numbers: Mapping[str, int]) -> None:
    """Add the numbers to a lexicon, given the numbers of the samples' words: ``7``, ``1200``, ``0.25``."""
    nodes = {number: lexicon.node() for number in _numbers().values()}
    for digit in string.digits:
        lexicon.edge(lexicon.root, digit.encode(), nodes[Number(digit, zero=digit == "0")])
    for number, node in nodes.items():
        if number.sample is not None:
            lexicon.end(node, numbers[number.sample], Ending.NAME)
        for character in "." + string.digits:
            after = number.then(character)
            if after is not None:
                lexicon.edge(node, character.encode(), nodes[after])


def add_texts(lexicon: Lexicon, kind: TextKind, word: int) -> None:
    """Add a root of the texts of one kind, which mean ``word``: ``'2024-01-15'``."""
    machine = _machine(kind.pattern or "")
    nodes = {state: lexicon.node() for state in machine}
    root, end = lexicon.new_root(), lexicon.node()
    lexicon.edge(root, b"'", nodes[0])
    lexicon.end(end, word, Ending.NAME)
    for state, (final, edges) in machine.items():
        for character, after in edges.items():
            lexicon.edge(nodes[state], character.encode(), nodes[after])
        if final:
            lexicon.edge(nodes[state], b"'", end)
    layer, bytes_left = {state for state, (final, _) in machine.items() if final}, 1
    while layer:
        lexicon.closing |= {nodes[state]: bytes_left for state in layer}
        before = {state for state, (_, edges) in machine.items() if not layer.isdisjoint(edges.values())}
        layer, bytes_left = {state for state in before if nodes[state] not in lexicon.closing}, bytes_left + 1


def add_label(lexicon: Lexicon, text: str, word: int) -> None:
    """Add a root of one text, given as it stands in SQL, which means ``word``."""
    spelled = text.encode()
    node = lexicon.new_root()
    for place, byte in enumerate(spelled, 1):
        before, node = node, lexicon.node()
        lexicon.edge(before, bytes([byte]), node)
        if place < len(spelled):
            lexicon.closing[node] = len(spelled) - place
    lexicon.end(node, word, Ending.NAME)


@lru_cache
def _machine(pattern: str) -> Mapping[int, tuple[bool, Mapping[str, int]]]:
    """Return the states of a pattern, 0 the first: whether it may end there, and what follows each character."""
    machine = interegular.parse_pattern(pattern).to_fsm()
    states = [machine.initial, *(s for s in machine.states if s != machine.initial and machine.islive(s))]
    number = {state: n for n, state in enumerate(states)}
    found: dict[int, tuple[bool, Mapping[str, int]]] = {}
    for state, n in number.items():
        edges = machine.map.get(state, {})  # pyright: ignore[reportArgumentType, reportCallIssue]
        after = {c: number.get(edges.get(machine.alphabet[c])) for c in _PRINTABLE}  # pyright: ignore[reportArgumentType]
        found[n] = state in machine.finals, {c: to for c, to in after.items() if to is not None}
    return found
