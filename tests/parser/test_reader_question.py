"""Questions cut into words and word pieces, and which words say a value."""

import json
import random
from dataclasses import replace
from functools import cache
from typing import Any, cast

import numpy as np
import pytest
from cases import table
from reader_cases import TEXTS, encoder, question, tokenizer, value
from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers

from querent.encoders.pieces import SentencePieces, TokenizerFile, piece_model
from querent.ner.language.question import QuestionText
from querent.ner.language.words import stem, units
from querent.parser.reader.items import ITEM_KINDS
from querent.parser.reader.question import read_question, spans_of, word_states, words_of_many


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
        assert list(read.stems) == [stem(unit.text) for unit in words][: len(read.stems)]
        own = [word for word in read.words_of_pieces if word >= 0]
        assert own == sorted(own)
        assert max(own, default=-1) == len(read.stems) - 1
        for (start, end), word in zip(offsets, read.words_of_pieces, strict=True):
            said = text[start:end]
            if not said.strip():
                continue  # a mark of the tokenizer, or a blank
            first = start + len(said) - len(said.lstrip())
            assert words[word].start <= first < words[word].end, (text, said, word)


@pytest.mark.parametrize(("text", "said", "words"), table(__file__, "the_words_that_say_a_value"))
def test_the_words_that_say_a_value(text: str, said: str, words: list[str]) -> None:
    read = question(text, value(text, said))
    (node,) = read.values
    assert list(read.stems[node.first : node.last]) == words
    assert spans_of(read).tolist() == [[node.first <= i < node.last for i in range(len(read.stems))]]


@pytest.mark.parametrize(("kind", "how", "node"), table(__file__, "kinds_of_values"))
def test_kinds_of_values(kind: str, how: str, node: str) -> None:
    read = question("is it Can?", value("is it Can?", "Can", kind=kind, how=how))
    assert ITEM_KINDS[read.values[0].kind] == node


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


# --- states of words


def test_many_questions_are_read_as_each_alone() -> None:
    asked = [question(text) for text in TEXTS]
    many = dict(words_of_many(asked, encoder(), 1))
    assert sorted(many) == list(range(len(asked)))
    for place, one in enumerate(asked):
        alone = word_states(one, encoder(), 1)
        assert len(alone.states) == len(one.stems)
        assert np.allclose(many[place].states, alone.states, atol=1e-4)
        assert np.array_equal(many[place].own, alone.own)


def test_a_word_within_a_piece_has_the_state_of_the_piece() -> None:
    asked = question("name of every artist")
    shared = replace(asked, words_of_pieces=tuple(0 if word == 1 else word for word in asked.words_of_pieces))
    found = word_states(shared, encoder())
    assert found.own.tolist() == [True, False, True, True]
    assert np.array_equal(found.states[1], found.states[0])
