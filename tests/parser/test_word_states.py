"""States of words: the same for one question as for many, and a word within another's piece has its state."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from reader_cases import TEXTS, encoder, question

from querent.data.domains.collection import Collection, Pair
from querent.data.domains.dialogues import LinkedTurn, MentionLink
from querent.parser.learning.span_examples import linked_examples, projected_examples
from querent.parser.reader.question import word_states, words_of_many


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


# --- what is learnt


def test_gold_queries_mark_values_and_nothing_else() -> None:
    pairs = (
        Pair("a", "d", "How many dogs in Rome?", "SELECT count(*) FROM p WHERE k = 'dog' AND c = 'Rome'"),
        Pair("b", "d", "Who passed?", "SELECT a FROM p WHERE passed = 'Y'"),
    )
    one, other = projected_examples(Collection("pets", "en", pairs, {}, {}))
    assert one.spans == {"value": ((9, 13), (17, 21))}
    assert one.tags(6).tolist() == [[0, -1, -1], [0, -1, -1], [1, -1, -1], [0, -1, -1], [1, -1, -1], [0, -1, -1]]
    assert one.whole
    assert (other.spans, other.whole) == ({"value": ()}, False)


def test_people_mark_all_kinds() -> None:
    links = (MentionLink(0, 2, "table"), MentionLink(2, 3, "value"))
    (one,) = linked_examples([LinkedTurn("水果", "水果梨", "", links)], "chase")
    assert one.tags(3).tolist() == [[0, 1, 0], [0, 2, 0], [1, 0, 0]]
    assert one.tags(2).tolist() == [[0, 1, 0], [0, 2, 0]]
