"""Which tokens stay within a word: a name or text that a query makes up, or the words of a lexicon.

They hang on the tokens alone, so all schemas share them.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from .spelling.lexicon import IDENTIFIER, TOUCHING, Lexicon
from .spelling.trie import TokenTrie

Ids = NDArray[np.intp]
_S = TypeVar("_S")


class InnerTokens(NamedTuple):
    """The tokens within a text or a name.

    Attributes:
        ids: of the tokens.
        sizes: the characters of a text, or the bytes of a name, that each adds.
        exits: where it ends within a token that goes on: the node of the trie behind its quote with the characters
            before, or the node behind a name with that name.
    """

    ids: Ids
    sizes: Ids
    exits: list[tuple[int, Any]]


class MadeUp:
    """The tokens of texts and names, found once for each place in the trie where these begin."""

    def __init__(self, trie: TokenTrie) -> None:
        self._trie = trie
        self._known: dict[object, InnerTokens] = {}

    def text(self, node: int, begun: bytes, *, backslash: bool) -> InnerTokens:
        """Return the tokens of a text behind a node of the trie.

        Args:
            node: where the text has been opened, or the root.
            begun: the bytes of a character that is not complete.
            backslash: whether a text may have one.
        """
        found = self._known.get((node, begun, backslash))
        if found is None:

            def after(state: tuple[bytes, int], byte: int) -> tuple[bytes, int] | None:
                character, size = state[0] + bytes([byte]), state[1]
                whole = None if character == b"'" else complete_character(character, backslash=backslash)
                return None if whole is None else (b"" if whole else character, size + whole)

            walked = list(self._walk([(node, (begun, 0))], after))
            # a character that is not complete needs room, too
            tokens = [(token, size + bool(part)) for at, (part, size) in walked for token in self._trie.at(at).tolist()]
            whole = [(at, size) for at, (part, size) in [(node, (begun, 0)), *walked] if not part]
            quotes = [
                (quote, size) for at, size in whole if (quote := self._trie.children(at).get(ord("'"))) is not None
            ]
            found = self._known[node, begun, backslash] = InnerTokens(*_columns(tokens), quotes)
        return found

    def name(self, nodes: tuple[int, ...], *, begun: bool) -> InnerTokens:
        """Return the tokens behind some nodes of the trie, where a name begins or, if ``begun``, goes on."""
        found = self._known.get((nodes, begun))
        if found is None:

            def after(text: bytes, byte: int) -> bytes | None:
                able = byte in IDENTIFIER and (text or begun or not chr(byte).isdigit())
                return text + bytes([byte]) if able else None

            found = self._known[nodes, begun] = self._names(self._walk([(node, b"") for node in nodes], after))
        return found

    def spelled(
        self, names: Iterable[str], nodes: Iterable[int], begun: bytes, key: Callable[[str], str]
    ) -> InnerTokens:
        """Return the tokens behind some nodes within given names, ``begun`` of which is written; equal by ``key``."""
        forms = {key(name).encode() for name in names}
        beginnings = {form[:n] for form in forms for n in range(len(form) + 1)}

        def form_of(text: bytes) -> bytes:
            return key(text.decode("latin-1")).encode("latin-1")

        def after(text: bytes, byte: int) -> bytes | None:
            longer = text + bytes([byte])
            return longer if byte in IDENTIFIER and form_of(longer) in beginnings else None

        found = self._names(self._walk([(node, begun) for node in nodes], after))
        return found._replace(exits=[(at, text) for at, text in found.exits if form_of(text) in forms])

    def _walk(
        self, starts: Iterable[tuple[int, _S]], after: Callable[[_S, int], _S | None]
    ) -> Iterator[tuple[int, _S]]:
        """Yield the nodes of the trie behind some others, each with its state: ``after`` gives that behind a byte."""
        todo = list(starts)
        while todo:
            at, state = todo.pop()
            for byte, child in self._trie.children(at).items():
                following = after(state, byte)
                if following is not None:
                    todo.append((child, following))
                    yield child, following

    def _names(self, walked: Iterable[tuple[int, bytes]]) -> InnerTokens:
        """Return the tokens at nodes within names, given with the names down to there."""
        tokens: list[tuple[int, int]] = []
        exits: list[tuple[int, Any]] = []
        for node, text in walked:
            tokens += [(token, len(text)) for token in self._trie.at(node).tolist()]
            if not self._trie.children(node).keys() <= IDENTIFIER:
                exits.append((node, text))
        return InnerTokens(*_columns(tokens), exits)


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


class InnerWordTokens(NamedTuple):
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


class WordTokenFinder:
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

    def tokens(self, begun: Iterable[tuple[int, int, int]]) -> InnerWordTokens:
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
        return InnerWordTokens(ids, ends, before_words, firsts, exits)

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
