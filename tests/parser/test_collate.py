"""Values keep their place in what the encoder reads, whatever stands for them."""

import numpy as np
import pytest
from tiny import EXAMPLES, example, parser, vocabulary

from querent.data.errors import InputError, QueryError
from querent.data.examples import Mention, Value, bind
from querent.parser.collate import Featurizer, collate, read, split_by_length, training_texts
from querent.parser.loss import IGNORE
from querent.parser.words import EOS

NAMES = {"state": "state name", "city": "<city>", "number": "number"}


@pytest.mark.parametrize("values_as", ["type", "surface", "both"])
@pytest.mark.parametrize("pair", EXAMPLES, ids=lambda e: e.question)
def test_a_span_holds_exactly_what_stands_for_the_value(values_as, pair):
    text, spans = read(pair.question, pair.values, values_as=values_as, name=NAMES.__getitem__)
    for value in pair.values:
        name, said = NAMES[value.mention.type], value.mention.text
        shown = {"type": name, "surface": said, "both": f"{name} {said}"}[values_as]
        assert text[slice(*spans[value.slot])] == shown


def test_surface_leaves_the_question_as_it_is():
    for pair in EXAMPLES:
        assert read(pair.question, pair.values, values_as="surface", name=str)[0] == pair.question


def test_values_that_overlap_share_their_place():
    question = "in new york city"
    values = (
        Value("city0", Mention(3, 16, "new york city", "city", "x")),
        Value("state0", Mention(3, 11, "new york", "state", "y")),
    )
    text, spans = read(question, values, values_as="type", name=NAMES.__getitem__)
    assert text.split() == ["in", "<city>"]
    assert spans["city0"] == spans["state0"]


def test_tokens_of_a_span(tokenizer_and_words=None):
    tiny = parser()
    pair = EXAMPLES[-1]
    features = tiny.featurizer.question(pair.question, pair.values)
    tokens = tiny.tokenizer.convert_ids_to_tokens(features["input_ids"])
    spans = [tokens[a:b] for a, b in zip(features["slot_starts"], features["slot_ends"], strict=True)]
    assert spans == [["<state>"], ["<state>"]]
    assert [tiny.vocabulary.words[i].slot for i in features["slot_words"]] == ["state0", "state1"]


def test_labels_spell_the_query():
    tiny = parser()
    for pair in EXAMPLES:
        labels = tiny.featurizer.example(pair)["labels"]
        assert labels[-1] == EOS
        assert tiny.vocabulary.decode(labels) == tiny.grammar.canonical(pair.slotted)


def test_a_query_outside_the_grammar_is_told():
    with pytest.raises(QueryError):
        parser().featurizer.example(example("what", "SELECT FROM FROM CITY"))


def test_too_many_tokens_are_told():
    tiny = parser()
    short = Featurizer(tiny.tokenizer, vocabulary(), longest=4)
    with pytest.raises(InputError, match="tokens"):
        short.question(EXAMPLES[0].question, ())


def test_collate_pads_without_touching_what_is_there():
    tiny = parser()
    features = [tiny.featurizer.example(e) for e in EXAMPLES]
    for row in features:
        row["available"] = np.ones(len(tiny.vocabulary), dtype=bool)
        row["local"] = np.zeros((len(row["labels"]), len(tiny.vocabulary)), dtype=bool)
    batch = collate(features, pad=tiny.tokenizer.pad_token_id)
    for n, row in enumerate(features):
        assert batch["input_ids"][n][batch["attention_mask"][n].bool()].tolist() == row["input_ids"]
        assert batch["labels"][n][batch["labels"][n] != IGNORE].tolist() == row["labels"]
    assert batch["slot_words"].shape == (6, 2)
    assert batch["local"].shape == (*batch["labels"].shape, len(tiny.vocabulary))


def test_a_batch_without_values_has_an_empty_slot():
    tiny = parser()
    batch = collate([tiny.featurizer.question("how many rivers are there", ())])
    assert batch["slot_words"].tolist() == [[0]]


def test_training_texts_hide_values_only_where_types_are_read():
    assert training_texts(EXAMPLES[:1], values_as="type") == ["how many people live in   "]
    assert training_texts(EXAMPLES[:1], values_as="both") == ["how many people live in austin"]


def test_a_slot_name_that_is_none_is_told():
    value = bind([Mention(0, 1, "a", "x", "a")])[0]
    with pytest.raises(InputError, match="slot"):
        read("a", [Value("no slot", value.mention)], values_as="type", name=str)


def test_parts_of_a_batch_have_its_rows_without_needless_padding():
    def features(words, tokens):
        return {
            "input_ids": [7] * tokens,
            "slot_words": [3],
            "slot_starts": [1],
            "slot_ends": [2],
            "labels": [4] * words,
        }

    batch = collate([features(words, tokens) for words, tokens in ((9, 3), (2, 8), (5, 4), (3, 5))])
    short, long = split_by_length(batch, 2)
    assert [short[k].shape for k in ("labels", "input_ids", "attention_mask")] == [(2, 3), (2, 8), (2, 8)]
    assert [long[k].shape for k in ("labels", "input_ids", "attention_mask")] == [(2, 9), (2, 4), (2, 4)]
    assert (short["labels"] != IGNORE).sum(1).tolist() == [2, 3]
    assert (long["labels"] != IGNORE).sum(1).tolist() == [5, 9]
    assert (short["input_ids"] == 7).sum(1).tolist() == [8, 5]
