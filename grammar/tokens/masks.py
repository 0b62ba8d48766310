"""Which tokens may come next: the trie of a model's tokens walked along the readings of a text.

Most of what a token may spell lies within one word, and which tokens do that hangs on the lexicon alone: it is found
once and looked up (inner_tokens.py), with the words at hand deciding which of it is alive. Only tokens that go on
behind the end of a word are followed byte by byte, under the constraint as it stands then.
"""

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from .boundaries import MAX_NAME, MAX_SPACES, MAX_TEXT, At, TextReading
from .inner_tokens import InnerTokens, InnerWordTokens, MadeUp, WordTokenFinder
from .spelling.lexicon import FOLLOWERS, IDENTIFIER, SPACES, Ending
from .spelling.trie import ROOT, TokenTrie
from .text import SqlText

Mask = NDArray[np.bool_]

Packed = NDArray[np.uint8]
"""A mask of tokens, eight to a byte."""

_KEPT = 4_000
"""Masks that are remembered, of a few kilobytes each; when they are more, all go."""


class TokenMasks:
    """The masks of one vocabulary of tokens over the texts of one constraint.

    Args:
        text: which byte may come next.
        trie: of the tokens.
        made_up: of the same.
        size: how many tokens a mask has.
        longest: the bytes of the longest token.
    """

    def __init__(self, text: SqlText, trie: TokenTrie, made_up: MadeUp, size: int, longest: int) -> None:
        self.text = text
        self.trie = trie
        self.size = size
        self._made_up = made_up
        self._lexicon = text.lexicon
        self._longest = longest
        self._words = WordTokenFinder(trie, text.lexicon)
        self._within: dict[int, InnerWordTokens] = {}
        self._names: dict[object, InnerTokens] = {}
        self._masks: dict[object, Packed] = {}
        self._leads = list(self._spaced())
        self._quotes = list(self._behind_leads(ord("'")))
        self._ends = list(self._behind_leads((text.behind[:1] or b";")[0]))
        spaces = [(count, token) for count, node in self._leads if count for token in trie.at(node).tolist()]
        self._spaces = [np.array([t for n, t in spaces if n <= room], np.intp) for room in range(MAX_SPACES + 1)]
        begun = ((spaces, node, root) for spaces, node in self._leads for root in self._lexicon.roots)
        self._next = self._words.tokens(begun)
        self._direct = [
            np.flatnonzero((self._next.spaces > 0) | np.isin(self._next.first, sorted(FOLLOWERS[ending])))
            for ending in Ending
        ]

    def _spaced(self) -> Iterator[tuple[int, int]]:
        """Yield the nodes of the trie that spaces lead to, with how many."""
        todo = [(0, ROOT)]
        for spaces, node in todo:
            yield spaces, node
            children = self.trie.children(node)
            todo += [(spaces + 1, children[s]) for s in SPACES if s in children and spaces < MAX_SPACES]

    def _behind_leads(self, byte: int) -> Iterator[tuple[int, int]]:
        """Yield the nodes of the trie that spaces and then a byte lead to, with how many."""
        for spaces, node in self._leads:
            after = self.trie.children(node).get(byte)
            if after is not None:
                yield spaces, after

    # ---- masks

    def clear(self) -> None:
        """Forget all masks, and the states that they are of."""
        self._masks.clear()

    def mask(self, readings: Iterable[TextReading]) -> Packed:
        """Return the tokens that may come next, packed; the end of the query is not among them."""
        found = [self._mask(reading) for reading in readings]
        if len(found) == 1:
            return found[0]
        return np.bitwise_or.reduce(found) if found else np.zeros(-(-self.size // 8), np.uint8)

    def closing(self, readings: Iterable[TextReading]) -> list[int]:
        """Return the tokens that may be on a shortest way out: none that goes on within a text or a name made up."""
        mask = np.zeros(self.size, np.bool_)
        for reading in readings:
            if reading.at == At.TEXT:
                inner = self._made_up.text(ROOT, reading.text, backslash=self.text.backslash)
                mask[[token for node, _ in inner.exits for token in self.trie.below(node)]] = True
                if reading.text:  # a character must become whole first
                    mask[inner.ids] = True
                continue
            found = self.unpacked(self._mask(reading._replace(free=False)))
            if reading.at in self._lexicon.closing:  # so are those that leave a text as far from its end as it is
                within = self._within[reading.at]
                far = [self._lexicon.closing.get(end, 0) for end in within.ends.tolist()]
                found[within.ids[np.array(far, np.intp) >= self._lexicon.closing[reading.at]]] = False
            mask |= found
            if reading.at == At.NAME and reading.free:
                self._fill_ended(mask, reading)
                for byte in IDENTIFIER & self.trie.children(ROOT).keys():  # where it means something else so far
                    mask[self.trie.at(self.trie.children(ROOT)[byte])] = True
        return np.flatnonzero(mask & self.unpacked(self.mask(readings))).tolist()

    def _mask(self, reading: TextReading) -> Packed:
        state = reading.state
        size = 0 if reading.at == At.TEXT and reading.size < MAX_TEXT - self._longest else reading.size
        # all words that are left count: a token may span one word and begin the next
        key = (state.next_words, state.left, *reading[1:4], size, *reading[5:])
        found = self._masks.get(key)
        if found is None:
            if len(self._masks) > _KEPT:
                self.clear()
            mask = np.zeros(self.size, np.bool_)
            self._fill(mask, reading)
            found = self._masks[key] = np.packbits(mask, bitorder="little")
        return found

    def unpacked(self, mask: Packed) -> Mask:
        """Return a mask as booleans, shape (size,)."""
        return np.unpackbits(mask, count=self.size, bitorder="little").view(np.bool_)

    def _fill(self, mask: Mask, reading: TextReading) -> None:
        match reading.at:
            case At.GAP:
                self._fill_gap(mask, reading)
            case At.NAME:
                self._fill_name(mask, reading, (ROOT,))
                self._fill_ended(mask, reading)
                self.walk(mask, ROOT, (reading,), ord("."))
            case At.TEXT:
                self._fill_text(mask, ROOT, reading)
            case node if node >= 0:
                self._fill_word(mask, reading)
            case _:
                self.walk(mask, ROOT, (reading,))

    def _fill_ended(self, mask: Mask, reading: TextReading) -> None:
        for after in self.text.ended(reading):
            mask |= self.unpacked(self._mask(after))

    # ---- words

    def _fill_word(self, mask: Mask, reading: TextReading) -> None:
        alive = self.text.boundaries.at(reading.state).alive
        within = self._within.get(reading.at)
        if within is None:
            within = self._within[reading.at] = self._words.tokens([(0, ROOT, reading.at)])
        mask[within.ids[alive[within.ends]]] = True
        for at in within.exits:
            if alive[at.end]:
                self.walk(mask, at.node, self.text.ended(reading._replace(at=at.end)))
        self._fill_ended(mask, reading)
        owner = self.text.owners.get(reading.at)
        if owner is not None:  # behind a point a name may be one that a derived table calls its column by
            self._fill_name(mask, reading._replace(at=At.NAME, owner=owner), (ROOT,))

    def _fill_gap(self, mask: Mask, reading: TextReading) -> None:
        here = self.text.boundaries.at(reading.state)
        room = 0 if reading.ending == Ending.CALL else MAX_SPACES - reading.size
        touching = FOLLOWERS[reading.ending]
        begun, chosen = self._next, self._direct[reading.ending]
        if room < MAX_SPACES:
            chosen = chosen[begun.spaces[chosen] <= room]
        mask[begun.ids[chosen[here.alive[begun.ends[chosen]]]]] = True
        mask[self._spaces[room]] = True
        for at in begun.exits:
            if here.alive[at.end] and at.spaces <= room and (at.spaces or at.first in touching):
                self.walk(mask, at.node, self.text.ended(TextReading(reading.state, reading.names, at.end)))
        for spaces, node in self._quotes if here.text else ():
            if spaces <= room and (spaces or ord("'") in touching):
                mask[self.trie.at(node)] = True
                self._fill_text(mask, node, TextReading(reading.state, reading.names, At.TEXT))
        for spaces, node in self._ends if here.end else ():
            if spaces <= room:
                self._fill_end(mask, node, reading, direct=not spaces)
        leads = (n for spaces, n in self._leads if spaces <= room and (spaces or not touching.isdisjoint(IDENTIFIER)))
        self._fill_name(mask, TextReading(reading.state, reading.names, At.NAME, free=reading.free), tuple(leads))

    def _fill_end(self, mask: Mask, node: int, reading: TextReading, *, direct: bool) -> None:
        """Allow the tokens that end the query, or begin what stands behind it."""
        end = (self.text.behind[:1] or b";")[0]
        if not direct or end in FOLLOWERS[reading.ending] or end in SPACES:
            mask[self.trie.at(node)] = True
            self.walk(mask, node, (TextReading(reading.state, (), At.BEHIND, size=len(self.text.behind[:1])),))

    # ---- texts

    def _fill_text(self, mask: Mask, node: int, reading: TextReading) -> None:
        """Allow the tokens that go on from a node of the trie within a text, and those that close it."""
        if not self.text.boundaries.at(reading.state).text:
            return
        inner = self._made_up.text(node, reading.text, backslash=self.text.backslash)
        left = MAX_TEXT - reading.size
        mask[inner.ids[inner.sizes <= left]] = True
        ended = self.text.ended(reading._replace(at=At.QUOTED, text=b""))
        for quote, size in inner.exits:
            if size <= left:
                mask[self.trie.at(quote)] = True
                doubled = self.trie.children(quote).get(ord("'"))
                if doubled is not None and reading.size + size < MAX_TEXT:
                    mask[self.trie.at(doubled)] = True
                    self._fill_text(mask, doubled, reading._replace(text=b"", size=reading.size + size + 1))
                self.walk(mask, quote, ended)

    # ---- names

    def _fill_name(self, mask: Mask, reading: TextReading, nodes: tuple[int, ...]) -> None:
        """Allow the tokens that go on with a name for an alias from some nodes of the trie."""
        usable = tuple(self.text.aliases.names(reading))
        key = (usable, nodes, reading.text)
        known = self._names.get(key)
        if known is None:
            known = self._names[key] = self._made_up.spelled(usable, nodes, reading.text, self.text.aliases.key)
        mask[known.ids] = True
        exits = known.exits
        if self.text.aliases.any_name(reading):
            made = self._made_up.name(nodes, begun=bool(reading.text))
            room = MAX_NAME - len(reading.text)
            mask[made.ids[made.sizes <= room]] = True
            exits = exits + [(node, reading.text + text) for node, text in made.exits if len(text) <= room]
        for node, text in dict.fromkeys(exits):
            named = (reading._replace(text=text),)
            for byte in self.trie.children(node).keys() - IDENTIFIER:  # longer names are among the tokens found
                self.walk(mask, node, named, byte)

    # ---- byte by byte

    def walk(self, mask: Mask, node: int, readings: tuple[TextReading, ...], byte: int | None = None) -> None:
        """Allow the tokens that go on from a node of the trie along some readings, with a byte if it is given."""
        children = self.trie.children(node) if readings else {}
        for following in children if byte is None else children.keys() & {byte}:
            after = self.text.step(readings, following)
            if after:
                mask[self.trie.at(children[following])] = True
                self.walk(mask, children[following], after)
