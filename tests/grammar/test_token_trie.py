"""The trie in arrays against dictionaries of prefixes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from querent.data.errors import RunError
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


def test_saved_and_loaded(tmp_path: Path) -> None:
    path = tmp_path / "new" / "trie.npz"
    TokenTrie.build(SPELLED).save(path)
    assert_right(TokenTrie.load(path), list(SPELLED))
    assert [file.name for file in path.parent.iterdir()] == ["trie.npz"]


def test_what_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "trie.npz"
    with pytest.raises(RunError, match="no trie can be read"):
        TokenTrie.load(path)
    TokenTrie.build(SPELLED).save(path)
    whole = path.read_bytes()
    for broken in (b"", b"not a file of arrays", whole[: len(whole) // 2], whole[:-1]):
        path.write_bytes(broken)
        with pytest.raises(RunError, match="no trie can be read"):
            TokenTrie.load(path)
    np.savez(path, format=0)
    with pytest.raises(RunError, match="another version"):
        TokenTrie.load(path)


def test_kept_is_built_once_and_anew_where_the_file_is_broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    built: list[int] = []
    build = TokenTrie.build
    monkeypatch.setattr(TokenTrie, "build", lambda spelled: (built.append(len(spelled)), build(spelled))[1])
    for _ in range(2):
        assert_right(TokenTrie.kept(SPELLED, "some", tmp_path), list(SPELLED))
    assert len(built) == 1
    (tmp_path / "some.npz").write_bytes(b"half")
    for _ in range(2):
        assert_right(TokenTrie.kept(SPELLED, "some", tmp_path), list(SPELLED))
    assert len(built) == 2
    TokenTrie.kept(SPELLED[:3], "other", tmp_path)
    assert built[2:] == [3]


def test_a_folder_that_cannot_be_written_is_done_without(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    assert_right(TokenTrie.kept(SPELLED, "some", tmp_path / "file"), list(SPELLED))
