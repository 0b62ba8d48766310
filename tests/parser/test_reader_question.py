"""Questions cut into words and word pieces, and which words say a value."""

from __future__ import annotations

import json
import random
import tomllib
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from reader_cases import TEXTS, context, encoder, question, tokenizer, value
from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers

from querent.encoders.pieces import SentencePieces, TokenizerFile, piece_model
from querent.ner.language.question import QuestionText
from querent.ner.language.words import stem, units
from querent.parser.reader.items import ITEM_KINDS
from querent.parser.reader.question import QuestionWords, cells_of, read_question, spans_of, value_relations

CASES = tomllib.loads(Path(__file__).with_name("reader.toml").read_text("utf-8"))


@cache
def sentence_pieces() -> Any:
    """Return a tokenizer built like that of E5, whose pieces have the blank before them."""
    pytest.importorskip("sentencepiece")
    inner = Tokenizer(models.Unigram())
    marked = ["▁" + text.replace(" ", "▁") for text in TEXTS]
    marks = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    trainer = trainers.UnigramTrainer(vocab_size=150, special_tokens=marks, unk_token="<unk>", show_progress=False)
    inner.train_from_iterator(marked, trainer)
    known = [(piece, score) for piece, score in json.loads(inner.to_str())["model"]["vocab"] if piece not in marks]
    return SentencePieces(piece_model([(mark, 0.0) for mark in marks] + known))


@cache
def spaced_pieces() -> Any:
    """Return a tokenizer as of many a hub model, which counts the blank before a word to its first piece."""
    inner = Tokenizer(models.BPE(unk_token="<unk>"))
    inner.pre_tokenizer = cast(Any, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True))
    letters = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=400, special_tokens=["<s>", "</s>", "<unk>"], initial_alphabet=letters, show_progress=False
    )
    inner.train_from_iterator(TEXTS, trainer)
    inner.post_processor = cast(
        Any, processors.TemplateProcessing(single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 1)])
    )
    return inner


KINDS = {
    "wordpiece": lambda: TokenizerFile(tokenizer()),
    "unigram": sentence_pieces,
    "bytes": lambda: TokenizerFile(spaced_pieces()),
}
QUESTIONS = [
    *TEXTS,
    "Top10 of the 2,000 artists' names (all)?!",
    "  two  blanks,\ttabs\nand lines  ",
    "专辑Post2在冰岛，1995年",
    "Björk e\u0301te\u0301 naïve ＡＢＣ １２",
    "x🎵y ... 🎵🎵",
    "a_b-c.d/e 3.5.7 don't",
]


def random_texts(count: int) -> list[str]:
    draw = random.Random(5)
    letters = "ab yz 19.,'-()城市 \t_éØ🎵\u0301"
    return ["".join(draw.choices(letters, k=draw.randrange(1, 30))) for _ in range(count)]


@pytest.mark.parametrize("kind", KINDS)
def test_each_piece_is_of_the_word_that_it_begins_in(kind: str) -> None:
    cut = replace(encoder(), tokenizer=KINDS[kind]())
    for text in QUESTIONS + random_texts(300):
        read = read_question(QuestionText(text), (), cut)
        _, offsets = cut.cut(text, 300)
        words = units(text)
        assert len(read.pieces) == len(read.words_of_pieces) == len(offsets)
        for (start, end), word in zip(offsets, read.words_of_pieces, strict=True):
            said = text[start:end]
            if not said.strip():
                continue  # a mark of the tokenizer, or a blank
            first = start + len(said) - len(said.lstrip())
            assert words[word].start <= first < words[word].end, (text, said, word)


@pytest.mark.parametrize("kind", KINDS)
def test_words_are_those_of_the_question_in_order(kind: str) -> None:
    for text in QUESTIONS:
        read = read_question(QuestionText(text), (), replace(encoder(), tokenizer=KINDS[kind]()))
        assert read.text == text
        assert list(read.stems) == [stem(unit.text) for unit in units(text)][: len(read.stems)]
        of = [word for word in read.words_of_pieces if word >= 0]
        assert of == sorted(of)
        assert max(of) == len(read.stems) - 1


def test_the_tokenizers_marks_are_of_no_word() -> None:
    read = question("which albums")
    assert (read.words_of_pieces[0], read.words_of_pieces[-1]) == (-1, -1)
    assert -1 not in read.words_of_pieces[1:-1]
    nothing = question("")
    assert (nothing.stems, nothing.words_of_pieces, nothing.values) == ((), (-1, -1), ())


@pytest.mark.parametrize(("text", "said", "words"), CASES["the_words_that_say_a_value"])
def test_the_words_that_say_a_value(text: str, said: str, words: list[str]) -> None:
    read = question(text, value(text, said))
    (node,) = read.values
    assert list(read.stems[node.first : node.last]) == words
    assert spans_of(read).tolist() == [[node.first <= i < node.last for i in range(len(read.stems))]]


@pytest.mark.parametrize(("kind", "how", "node"), CASES["kinds_of_values"])
def test_kinds_of_values(kind: str, how: str, node: str) -> None:
    read = question("is it Can?", value("is it Can?", "Can", kind=kind, how=how))
    assert ITEM_KINDS[read.values[0].kind] == node


def test_values_keep_their_order_for_their_numbers_are_in_the_queries() -> None:
    text = "Post of Can in 1995"
    found = [value(text, said) for said in ("Can", "1995", "Post")]
    assert [node.found for node in question(text, *found).values] == found


LONG = "which albums " * 20 + "came out in Germany and in Iceland?"


def test_what_fits_is_not_cut() -> None:
    whole = question(LONG).pieces
    assert question(LONG, max_pieces=len(whole)).pieces == whole
    assert len(question(LONG, max_pieces=len(whole) - 1).pieces) == len(whole) - 1


@pytest.mark.parametrize("most", [3, 4, 7, 20, 40])
def test_what_is_too_long_is_cut_and_values_there_are_left_out(most: int) -> None:
    found = [value(LONG, "Iceland"), value(LONG, "Germany"), value(LONG, "which albums which albums")]
    read = question(LONG, *found, max_pieces=most)
    assert len(read.pieces) == most
    assert read.words_of_pieces[-1] == -1  # the mark of the end stays
    assert max(read.words_of_pieces) == len(read.stems) - 1
    assert read.stems == question(LONG).stems[: len(read.stems)]
    assert [node.found for node in read.values] == found[2:]
    (node,) = read.values
    assert (node.first, node.last) == (0, min(4, len(read.stems)))


def test_a_question_of_which_no_piece_is_left_has_no_words() -> None:
    read = question("\u200b")  # a zero width space, which BERT's tokenizer drops
    assert (read.stems, set(read.words_of_pieces)) == ((), {-1})
    assert spans_of(read).shape == (0, 0)


def test_where_no_word_is_left_no_value_is() -> None:
    assert question("Can", value("Can", "Can"), max_pieces=2).values == ()


def test_relations_of_no_values_have_their_shapes() -> None:
    items, read = context("music").items, question("which albums")
    found = value_relations(read, items, cells_of(read, items), spans_of(read))
    assert [one.shape for one in found] == [(2, 0), (0, 2), (0, len(items)), (len(items), 0), (0, 0)]
    assert all(one.dtype == np.uint8 for one in found)


def test_a_cell_of_a_column_that_is_not_there_is_a_key_error() -> None:
    read: QuestionWords = question("Can", value("Can", "Can", columns=(("artist", "gone"),)))
    with pytest.raises(KeyError):
        cells_of(read, context("music").items)
