"""Which tokens stay within what a query makes up, a text between quotes or a name behind AS.

They hang on the tokens alone, so all schemas share them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .spelling.lexicon import IDENTIFIER
from .spelling.trie import TokenTrie

__all__ = ["Ids", "MadeUp", "NameTokens", "TextTokens", "complete_character"]

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
