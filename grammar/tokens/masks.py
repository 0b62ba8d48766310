"""Which tokens may come next: the trie of a model's tokens walked along the readings of a text.

Most of what a token may spell lies within one word, and which tokens do that hangs on the lexicon alone: it is found
once and looked up (`Within`), with the words at hand deciding which of it is alive. Only tokens that go on behind the
end of a word are followed byte by byte, under the constraint as it stands then.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .lexicon import FOLLOWERS, IDENTIFIER, SPACES, Ending
from .text import (
    BEHIND,
    MOST_NAME,
    MOST_SPACES,
    MOST_TEXT,
    NAME,
    QUOTED,
    TEXT,
    Reading,
    SqlText,
    complete_character,
)
from .trie import ROOT, TokenTrie

__all__ = ["Packed", "TokenMasks"]

Packed = NDArray[np.uint8]
"""A mask of tokens, eight to a byte."""

Ids = NDArray[np.intp]

_KEPT = 20_000
"""Masks that are remembered, of a few kilobytes each; when they are more, all go."""


class Within(NamedTuple):
    """The tokens that stay within a word begun at one node, or within the next one behind spaces.

    Attributes:
        ids: of the tokens.
        ends: the nodes that they lead to.
        spaces: those that they begin with.
        first: their first byte behind these.
        exits: where a word ends within a token: (spaces, first byte, node of the trie, node of the lexicon).
    """

    ids: Ids
    ends: Ids
    spaces: Ids
    first: Ids
    exits: list[tuple[int, int, int, int]]


class Inner(NamedTuple):
    """The tokens that stay within a text: their ids and characters, and where one closes it: (characters, node)."""

    ids: Ids
    sizes: Ids
    quotes: list[tuple[int, int]]


class Names(NamedTuple):
    """The tokens that stay within a name: their ids and bytes, and where it may end within one: (node, name)."""

    ids: Ids
    sizes: Ids
    exits: list[tuple[int, bytes]]


class TokenMasks:
    """The masks of one vocabulary of tokens over the texts of one constraint.

    Args:
        text: which byte may come next.
        trie: of the tokens.
        size: how many tokens a mask has.
        longest: the bytes of the longest token.
    """

    def __init__(self, text: SqlText, trie: TokenTrie, size: int, longest: int) -> None:
        self.text = text
        self.trie = trie
        self.size = size
        self._lexicon = text.lexicon
        self._leads = list(self._spaced())
        self._longest = longest
        self._within: dict[int, Within] = {}
        self._inner: dict[tuple[int, bytes], Inner] = {}
        self._names: dict[object, Names] = {}
        self._made: dict[tuple[int, bool], Names] = {}
        self._masks: dict[object, Packed] = {}
        roots = self._lexicon.roots
        self._next = self._collected((spaces, node, root) for spaces, node in self._leads for root in roots)
        self._direct = [
            np.flatnonzero((self._next.spaces > 0) | np.isin(self._next.first, sorted(FOLLOWERS[ending])))
            for ending in Ending
        ]

    # ---- masks

    def mask(self, readings: Iterable[Reading]) -> Packed:
        """Return the tokens that may come next, packed; the end of the query is not among them."""
        found = np.zeros(-(-self.size // 8), np.uint8)
        for reading in readings:
            found |= self._mask(reading)
        return found

    def closing(self, readings: Iterable[Reading]) -> list[int]:
        """Return the tokens that may be on a shortest way out: none that goes on within a text or a name made up."""
        mask = np.zeros(self.size, np.bool_)
        for reading in readings:
            if reading.at == TEXT:
                inner = self._inner_from(ROOT, reading.text)
                mask[[token for _, node in inner.quotes for token in self.trie.below(node)]] = True
                if reading.text:  # a character must become whole first
                    mask[inner.ids] = True
                continue
            mask |= self.unpacked(self._mask(reading._replace(free=False)))
            if reading.at == NAME and reading.free:
                for after in self.text.ended(reading):
                    mask |= self.unpacked(self._mask(after))
                for byte in IDENTIFIER & self.trie.children(ROOT).keys():  # where it means something else so far
                    mask[self.trie.at(self.trie.children(ROOT)[byte])] = True
        return np.flatnonzero(mask & self.unpacked(self.mask(readings))).tolist()

    def _mask(self, reading: Reading) -> Packed:
        state = reading.state
        size = 0 if reading.at == TEXT and reading.size < MOST_TEXT - self._longest else reading.size
        key = (state.next_words, min(state.left, state.next_words.most), *reading[1:4], size, *reading[5:])
        found = self._masks.get(key)
        if found is None:
            if len(self._masks) > _KEPT:
                self._masks.clear()
            mask = np.zeros(self.size, np.bool_)
            self._fill(mask, reading)
            found = self._masks[key] = np.packbits(mask, bitorder="little")
        return found

    def _fill(self, mask: NDArray[np.bool_], reading: Reading) -> None:
        match reading.at:
            case -1:
                self._fill_gap(mask, reading)
            case -2:
                self._fill_name(mask, reading, (ROOT,))
                for after in self.text.ended(reading):
                    mask |= self.unpacked(self._mask(after))
                self._fill_pointed(mask, reading)
            case -3:
                self._fill_text(mask, ROOT, reading)
            case node if node >= 0:
                self._fill_word(mask, reading)
            case _:
                self.walk(mask, ROOT, (reading,))

    def _fill_gap(self, mask: NDArray[np.bool_], reading: Reading) -> None:
        here, left = self.text.boundary(reading.state), MOST_SPACES - reading.size
        if not here.words.any():  # too few tokens are left for a space before any word
            return
        begun = self._next
        chosen = self._direct[reading.ending]
        if reading.ending == Ending.CALL:
            chosen = chosen[begun.spaces[chosen] == 0]
        elif reading.size:
            chosen = chosen[begun.spaces[chosen] <= left]
        mask[begun.ids[chosen[here.alive[begun.ends[chosen]]]]] = True
        followers = FOLLOWERS[reading.ending]
        for spaces, first, node, end in begun.exits:
            if here.alive[end] and (spaces or first in followers) and self._spaceable(reading, spaces):
                self.walk(mask, node, self.text.ended(Reading(reading.state, reading.names, end)))
        for spaces, node in self._leads:
            if not self._spaceable(reading, spaces):
                continue
            if spaces:
                mask[self.trie.at(node)] = True
            quote = self.trie.children(node).get(ord("'"))
            if here.text and quote is not None and (spaces or ord("'") in followers):
                mask[self.trie.at(quote)] = True
                self._fill_text(mask, quote, Reading(reading.state, reading.names, TEXT))
            if here.end:
                self._fill_end(mask, node, reading, direct=not spaces)
        self._fill_names(mask, reading)

    def _spaceable(self, reading: Reading, spaces: int) -> bool:
        return spaces <= MOST_SPACES - reading.size and not (spaces and reading.ending == Ending.CALL)

    def _fill_end(self, mask: NDArray[np.bool_], node: int, reading: Reading, *, direct: bool) -> None:
        """Allow the tokens that end the query, or begin what stands behind it."""
        end = self.text.behind[:1] or b";"
        after = self.trie.children(node).get(end[0])
        if after is not None and (not direct or end[0] in FOLLOWERS[reading.ending] or end[0] in SPACES):
            mask[self.trie.at(after)] = True
            self.walk(mask, after, (Reading(reading.state, (), BEHIND, size=len(self.text.behind[:1])),))

    def _fill_word(self, mask: NDArray[np.bool_], reading: Reading) -> None:
        here = self.text.boundary(reading.state)
        within = self._within.get(reading.at)
        if within is None:
            within = self._within[reading.at] = self._collected([(0, ROOT, reading.at)])
        mask[within.ids[here.alive[within.ends]]] = True
        for _, _, node, end in within.exits:
            if here.alive[end]:
                self.walk(mask, node, self.text.ended(reading._replace(at=end)))
        for after in self.text.ended(reading):
            mask |= self.unpacked(self._mask(after))
        self._fill_shown(mask, reading)

    def _fill_pointed(self, mask: NDArray[np.bool_], reading: Reading) -> None:
        """Allow the point behind the name of a source, and what a token has behind it."""
        point = self.trie.children(ROOT).get(ord("."))
        after = self.text.step((reading,), ord(".")) if point is not None else ()
        if point is not None and after:
            mask[self.trie.at(point)] = True
            self.walk(mask, point, after)

    def _fill_shown(self, mask: NDArray[np.bool_], reading: Reading) -> None:
        """Allow the names that a derived table may call its columns by, behind its own and a point."""
        owner = self.text.owners.get(reading.at)
        if owner is not None:
            self._fill_name(mask, reading._replace(at=NAME, owner=owner), (ROOT,))

    # ---- texts

    def _fill_text(self, mask: NDArray[np.bool_], node: int, reading: Reading) -> None:
        """Allow the tokens that go on from a node of the trie within a text, and those that close it."""
        if not self.text.boundary(reading.state).text:
            return
        inner = self._inner_from(node, reading.text)
        left = MOST_TEXT - reading.size
        mask[inner.ids[inner.sizes <= left]] = True
        quoted = reading._replace(at=QUOTED, text=b"")
        ended = self.text.ended(quoted)
        for size, quote in inner.quotes:
            if size <= left:
                mask[self.trie.at(quote)] = True
                doubled = self.trie.children(quote).get(ord("'"))
                if doubled is not None and reading.size + size < MOST_TEXT:
                    mask[self.trie.at(doubled)] = True
                    self._fill_text(mask, doubled, reading._replace(text=b"", size=reading.size + size + 1))
                self.walk(mask, quote, ended)

    def _inner_from(self, node: int, begun: bytes) -> Inner:
        found = self._inner.get((node, begun))
        if found is None:
            found = self._inner[node, begun] = self._inner_of(node, begun)
        return found

    def _inner_of(self, node: int, begun: bytes) -> Inner:
        backslash = self.text.inventory.grammar.dialect == "sqlite"
        found: list[tuple[int, int]] = []
        quotes: list[tuple[int, int]] = []
        todo = [(node, begun, 0)]
        while todo:
            at, text, size = todo.pop()
            for byte, child in self.trie.children(at).items():
                if byte == ord("'") and not text:
                    quotes.append((size, child))
                    continue
                character = text + bytes([byte])
                whole = complete_character(character, backslash=backslash)
                if whole is not None:
                    # a character that is not complete asks for room, too
                    found += [(i, size + 1) for i in self.trie.at(child).tolist()]
                    todo.append((child, b"" if whole else character, size + whole))
        pairs = np.array(found, np.intp).reshape(-1, 2)
        return Inner(pairs[:, 0], pairs[:, 1], quotes)

    # ---- names

    def _fill_names(self, mask: NDArray[np.bool_], reading: Reading) -> None:
        """Allow the names of aliases behind a word, and such as AS lets a query make up."""
        touching = not FOLLOWERS[reading.ending].isdisjoint(IDENTIFIER)
        leads = [(s, n) for s, n in self._leads if self._spaceable(reading, s) and (s or touching)]
        named = Reading(reading.state, reading.names, NAME, free=reading.free)
        self._fill_name(mask, named, tuple(node for _, node in leads))

    def _fill_name(self, mask: NDArray[np.bool_], reading: Reading, nodes: tuple[int, ...]) -> None:
        """Allow the tokens that go on with a name from some nodes of the trie."""
        exits: list[tuple[int, bytes]] = []
        usable = tuple(self.text.usable(reading))
        key = (usable, nodes, reading.text)
        known = self._names.get(key)
        if known is None:
            known = self._names[key] = self._spelled(usable, nodes, reading.text)
        mask[known.ids] = True
        exits += known.exits
        if reading.free and self.text.makes_names(reading):
            for node in nodes:
                made = self._made.get((node, bool(reading.text)))
                if made is None:
                    made = self._made[node, bool(reading.text)] = self._made_up(node, begun=bool(reading.text))
                room = MOST_NAME - len(reading.text)
                mask[made.ids[made.sizes <= room]] = True
                exits += [(n, reading.text + text) for n, text in made.exits if len(text) <= room]
        for node, text in dict.fromkeys(exits):
            self.walk(mask, node, (reading._replace(text=text),))

    def _spelled(self, names: tuple[str, ...], nodes: tuple[int, ...], begun: bytes) -> Names:
        """Return the tokens within some names, of which ``begun`` is written."""
        forms = {self.text.key(name).encode() for name in names}
        beginnings = {form[:n] for form in forms for n in range(len(form) + 1)}
        ids: list[int] = []
        exits: list[tuple[int, bytes]] = []
        todo = [(node, begun) for node in nodes]
        while todo:
            at, text = todo.pop()
            for byte, child in self.trie.children(at).items():
                longer = text + bytes([byte])
                key = self.text.key(longer.decode("latin-1")).encode("latin-1")
                if byte in IDENTIFIER and key in beginnings:
                    ids += self.trie.at(child).tolist()
                    todo.append((child, longer))
                    if key in forms and not self.trie.children(child).keys() <= IDENTIFIER:
                        exits.append((child, longer))
        return Names(np.array(ids, np.intp), np.zeros(len(ids), np.intp), exits)

    def _made_up(self, node: int, *, begun: bool) -> Names:
        """Return the tokens that spell any name, or go on with one that is ``begun``."""
        ids: list[tuple[int, int]] = []
        exits: list[tuple[int, bytes]] = []
        todo = [(node, b"")]
        while todo:
            at, text = todo.pop()
            for byte, child in self.trie.children(at).items():
                if byte in IDENTIFIER and (text or begun or not chr(byte).isdigit()):
                    ids += [(i, len(text) + 1) for i in self.trie.at(child).tolist()]
                    todo.append((child, text + bytes([byte])))
                    if not self.trie.children(child).keys() <= IDENTIFIER:
                        exits.append((child, text + bytes([byte])))
        pairs = np.array(ids, np.intp).reshape(-1, 2)
        return Names(pairs[:, 0], pairs[:, 1], exits)

    # ---- byte by byte

    def walk(self, mask: NDArray[np.bool_], node: int, readings: tuple[Reading, ...]) -> None:
        """Allow the tokens that go on from a node of the trie along some readings."""
        todo = [(node, readings)] if readings else []
        while todo:
            at, before = todo.pop()
            for byte, child in self.trie.children(at).items():
                after = self.text.step(before, byte)
                if after:
                    mask[self.trie.at(child)] = True
                    todo.append((child, after))

    # ---- what hangs on the lexicon alone

    def _spaced(self) -> Iterator[tuple[int, int]]:
        """Yield the nodes of the trie that spaces lead to, with how many."""
        todo = [(0, ROOT)]
        for spaces, node in todo:
            yield spaces, node
            children = self.trie.children(node)
            todo += [(spaces + 1, children[s]) for s in SPACES if s in children and spaces < MOST_SPACES]

    def _collected(self, begun: Iterable[tuple[int, int, int]]) -> Within:
        """Return the tokens within words, begun at nodes of trie and lexicon behind so many spaces."""
        found: list[tuple[int, int, int, int]] = []
        exits: list[tuple[int, int, int, int]] = []
        todo = [(spaces, -1, node, at) for spaces, node, at in begun]
        children, edges = self.trie.children, self._lexicon.edges
        while todo:
            spaces, first, node, at = todo.pop()
            below, after = children(node), edges[at]
            for byte in below if len(below) < len(after) else after:
                if byte in below and byte in after:
                    child, end = below[byte], after[byte]
                    first_now = byte if first < 0 else first
                    found += [(i, end, spaces, first_now) for i in self.trie.at(child).tolist()]
                    todo.append((spaces, first_now, child, end))
                    if any(self._goes_on(child, self._lexicon.ending[word]) for word in self._lexicon.ends[end]):
                        exits.append((spaces, first_now, child, end))
        table = np.array(found, np.intp).reshape(-1, 4)
        return Within(table[:, 0], table[:, 1], table[:, 2], table[:, 3], exits)

    def _goes_on(self, node: int, ending: Ending) -> bool:
        below = self.trie.children(node).keys()
        return not below.isdisjoint(FOLLOWERS[ending]) or not below.isdisjoint(SPACES)

    def unpacked(self, mask: Packed) -> NDArray[np.bool_]:
        """Return a mask as booleans, shape (size,)."""
        return np.unpackbits(mask, count=self.size, bitorder="little").view(np.bool_)
