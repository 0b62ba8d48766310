"""Which tokens stay within a word: a name or text that a query makes up, or the words of a lexicon.

They hang on the tokens alone, so all schemas share them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .spelling.lexicon import IDENTIFIER, TOUCHING, Lexicon
from .spelling.trie import TokenTrie

__all__ = ["MadeUp", "NameTokens", "Within", "WordsWithin", "complete_character"]

Ids = NDArray[np.intp]


class TextTokens(NamedTuple):
    """The tokens within a text: their ids and characters, and where one closes it: (characters, node of the trie)."""

    ids: Ids
    sizes: Ids
    quotes: list[tuple[int, int]]


class NameTokens(NamedTuple):
    """The tokens within a name: their ids and bytes, and where it may end within one: (node of the trie, name)."""

    ids: Ids
    sizes: Ids
    exits: list[tuple[int, bytes]]


class MadeUp:
    """The tokens of texts and names, found once for each place in the trie where these begin."""

    def __init__(self, trie: TokenTrie) -> None:
        self._trie = trie
        self._texts: dict[tuple[int, bytes, bool], TextTokens] = {}
        self._names: dict[tuple[tuple[int, ...], bool], NameTokens] = {}

    def text(self, node: int, begun: bytes, *, backslash: bool) -> TextTokens:
        """Return the tokens behind a node of the trie.

        Args:
            node: where the text has been opened, or the root.
            begun: the bytes of a character that is not complete.
            backslash: whether a text may have one.
        """
        found = self._texts.get((node, begun, backslash))
        if found is None:
            found = self._texts[node, begun, backslash] = self._within_text(node, begun, backslash)
        return found

    def name(self, nodes: tuple[int, ...], *, begun: bool) -> NameTokens:
        """Return the tokens behind some nodes of the trie, where a name begins or, if ``begun``, goes on."""
        found = self._names.get((nodes, begun))
        if found is None:
            tokens: list[tuple[int, int]] = []
            exits: list[tuple[int, bytes]] = []
            for child, text in (pair for node in nodes for pair in self._within_name(node, begun)):
                tokens += [(token, len(text)) for token in self._trie.at(child).tolist()]
                if not self._trie.children(child).keys() <= IDENTIFIER:
                    exits.append((child, text))
            found = self._names[nodes, begun] = NameTokens(*_columns(tokens), exits)
        return found

    def spelled(
        self, names: Iterable[str], nodes: Iterable[int], begun: bytes, key: Callable[[str], str]
    ) -> NameTokens:
        """Return the tokens behind some nodes within given names, ``begun`` of which is written; equal by ``key``."""
        forms = {key(name).encode() for name in names}
        beginnings = {form[:n] for form in forms for n in range(len(form) + 1)}
        tokens: list[tuple[int, int]] = []
        exits: list[tuple[int, bytes]] = []
        todo = [(node, begun) for node in nodes]
        while todo:
            at, text = todo.pop()
            for byte, child in self._trie.children(at).items():
                longer = text + bytes([byte])
                form = key(longer.decode("latin-1")).encode("latin-1")
                if byte in IDENTIFIER and form in beginnings:
                    tokens += [(token, len(longer)) for token in self._trie.at(child).tolist()]
                    todo.append((child, longer))
                    if form in forms and not self._trie.children(child).keys() <= IDENTIFIER:
                        exits.append((child, longer))
        return NameTokens(*_columns(tokens), exits)

    def _within_text(self, node: int, begun: bytes, backslash: bool) -> TextTokens:
        tokens: list[tuple[int, int]] = []
        quotes: list[tuple[int, int]] = []
        todo = [(node, begun, 0)]
        while todo:
            at, before, size = todo.pop()
            for byte, child in self._trie.children(at).items():
                if byte == ord("'") and not before:
                    quotes.append((size, child))
                    continue
                character = before + bytes([byte])
                whole = complete_character(character, backslash=backslash)
                if whole is not None:
                    # a character that is not complete asks for room, too
                    tokens += [(token, size + 1) for token in self._trie.at(child).tolist()]
                    todo.append((child, b"" if whole else character, size + whole))
        return TextTokens(*_columns(tokens), quotes)

    def _within_name(self, node: int, begun: bool) -> Iterator[tuple[int, bytes]]:
        """Yield the nodes of the trie within a name, with the bytes of it down to there."""
        todo = [(node, b"")]
        while todo:
            at, before = todo.pop()
            for byte, child in self._trie.children(at).items():
                if byte in IDENTIFIER and (before or begun or not chr(byte).isdigit()):
                    todo.append((child, before + bytes([byte])))
                    yield todo[-1]


def _columns(tokens: list[tuple[int, int]]) -> tuple[Ids, Ids]:
    ids, sizes = np.array(tokens, np.intp).reshape(-1, 2).T
    return ids, sizes


def complete_character(text: bytes, *, backslash: bool) -> bool | None:
    """Say whether bytes are a whole character of a text; None if they can be none: a control character, no UTF-8."""
    if len(text) == 1 and (text[0] < 32 or text[0] == 127 or (text[0] == ord("\\") and not backslash)):
        return None
    try:
        text.decode()
    except UnicodeDecodeError as error:
        return False if error.reason == "unexpected end of data" else None
    return True


_BYTES = 256


class Exit(NamedTuple):
    """Where a word ends within a token.

    Attributes:
        spaces: that the token begins with.
        first: its first byte behind these.
        node: of the trie.
        end: of the lexicon.
    """

    spaces: int
    first: int
    node: int
    end: int


class Within(NamedTuple):
    """The tokens that stay within a word.

    Attributes:
        ids: of the tokens.
        ends: the nodes of the lexicon that they lead to.
        spaces: those that they begin with.
        first: their first byte behind these.
        exits: where a word ends within a token that goes on.
    """

    ids: Ids
    ends: Ids
    spaces: Ids
    first: Ids
    exits: list[Exit]


class WordsWithin:
    """The words of a lexicon in the tokens of a trie, both as arrays.

    Args:
        trie: of the tokens.
        lexicon: of the words, complete.
    """

    def __init__(self, trie: TokenTrie, lexicon: Lexicon) -> None:
        self._trie = trie
        self._lexicon = lexicon
        edges = sorted(
            (_BYTES * node + byte, to) for node, after in enumerate(lexicon.edges) for byte, to in after.items()
        )
        self._keys, self._after = np.array(edges, np.intp).reshape(-1, 2).T
        self._ending = np.array([bool(words) for words in lexicon.ends], np.bool_)
        self._touching: dict[int, frozenset[int]] = {}

    def tokens(self, begun: Iterable[tuple[int, int, int]]) -> Within:
        """Return the tokens within words.

        Args:
            begun: where words begin or go on: (spaces before, node of the trie, node of the lexicon).
        """
        spaces, nodes, at = np.array(list(begun), np.intp).reshape(-1, 3).T
        first = np.full(len(nodes), -1, np.intp)
        found = [np.zeros((4, 0), np.intp)]
        exits: list[Exit] = []
        while len(nodes):  # a byte more each time
            before, below = self._trie.children_of(nodes)
            byte = self._trie.byte[below].astype(np.intp)
            able, after = self._behind(at[before], byte)
            before, byte, nodes, at = before[able], byte[able], below[able], after
            spaces, first = spaces[before], np.where(first[before] < 0, byte, first[before])
            of, ids = self._trie.tokens_of(nodes)
            found.append(np.stack([ids, at[of], spaces[of], first[of]]))
            for n in np.flatnonzero(self._ending[at]).tolist():
                exit_ = Exit(int(spaces[n]), int(first[n]), int(nodes[n]), int(at[n]))
                if not self._touched(exit_.end).isdisjoint(self._trie.children(exit_.node)):
                    exits.append(exit_)
        ids, ends, before_words, firsts = np.concatenate(found, axis=1)
        return Within(ids, ends, before_words, firsts, exits)

    def _behind(self, at: Ids, byte: Ids) -> tuple[Ids, Ids]:
        """Return which nodes of the lexicon a byte leads on from, and to which."""
        keys = _BYTES * at + byte
        places = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        able = np.flatnonzero(self._keys[places] == keys)
        return able, self._after[places[able]]

    def _touched(self, node: int) -> frozenset[int]:
        """Return the bytes that may come right behind some word that ends at a node."""
        found = self._touching.get(node)
        if found is None:
            endings = {self._lexicon.ending[word] for word in self._lexicon.ends[node]}
            found = self._touching[node] = frozenset[int]().union(*(TOUCHING[ending] for ending in endings))
        return found
