"""The trie in arrays against dictionaries of prefixes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from querent.grammar.tokens.spelling.trie import ROOT, TokenTrie

SPELLED = (b"a", None, b"ab", b"", b"abc\x00", b"\xff", b"ab", b"abd", b"\x00", b"b" * 300, b"\xff")
FEW = st.binary(max_size=6) | st.text("ab", max_size=5).map(str.encode) | st.none()


def assert_right(trie: TokenTrie, spelled: list[bytes | None]) -> None:
    """Walk all of it and compare each node with what its bytes should lead to."""
    known = {token: text for token, text in enumerate(spelled) if text}
    prefixes = {text[:i] for text in known.values() for i in range(len(text) + 1)} | {b""}
    order = sorted(known, key=lambda token: (known[token], token))
    assert trie.ids.tolist() == order
    seen: dict[bytes, int] = {}
    waiting = [(ROOT, b"")]
    while waiting:
        node, text = waiting.pop()
        seen[text] = node
        assert trie.at(node).tolist() == [token for token in order if known[token] == text]
        assert trie.below(node).tolist() == [token for token in order if known[token].startswith(text)]
        children = trie.children(node)
        assert list(children) == sorted(children)
        places, below = trie.children_of(np.array([node, ROOT]))
        assert below.tolist() == [*children.values(), *trie.children(ROOT).values()]
        assert places.tolist() == [0] * len(children) + [1] * len(trie.children(ROOT))
        assert trie.tokens_of(np.array([node]))[1].tolist() == trie.at(node).tolist()
        waiting += [(child, text + bytes([byte])) for byte, child in children.items()]
    assert set(seen) == prefixes
    assert sorted(seen.values()) == list(range(len(trie)))
    assert [text for text, _ in sorted(seen.items(), key=lambda item: item[1])] == sorted(prefixes)
    for text, node in seen.items():
        assert trie.find(text) == node
        assert (trie.find(text + b"?") is None) == (text + b"?" not in prefixes)


@given(st.lists(FEW, max_size=40))
def test_nodes_and_slices(spelled: list[bytes | None]) -> None:
    assert_right(TokenTrie.build(spelled), spelled)


@pytest.mark.parametrize("spelled", [SPELLED, (), (None, b"")])
def test_long_odd_and_empty(spelled: tuple[bytes | None, ...]) -> None:
    assert_right(TokenTrie.build(spelled), list(spelled))


def test_fewest_takes_the_last_of_those_that_spell_the_same() -> None:
    trie = TokenTrie.build(SPELLED)
    assert trie.fewest(b"abab") == (6, 6)
    assert trie.fewest(b"\xffabd\x00") == (10, 7, 8)
    assert trie.fewest(b"") == ()
    assert trie.fewest(b"abc") is None
