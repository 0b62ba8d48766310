"""What came before a question: earlier utterances, the query before, and its literals."""

from __future__ import annotations

import numpy as np
import pytest
from reader_cases import AFTER, BEFORE, GERMAN, context, encode, encoder, follow_up, network, question

from querent.ner.language.question import QuestionText
from querent.parser.decoding.earlier_turns import history_of
from querent.parser.reader import relations as rel
from querent.parser.reader.history import MAX_TURNS, NO_HISTORY, History
from querent.parser.reader.inputs import NO_QUERY, UsedAs, make_input, uses_of
from querent.parser.reader.output_vocabulary import ROLES, UNKNOWN, Role, fixed_words
from querent.parser.reader.question import read_question

FIXED = len(fixed_words())
MUSIC = context("music")


def history(*said: str, sql: str | None = BEFORE) -> History:
    return history_of(said or [GERMAN], sql, MUSIC)


def test_the_latest_utterances_come_first_and_no_more_than_are_read() -> None:
    assert history("a", "b", "c").utterances == ("c", "b")
    assert history(*["again"] * 50).utterances == ("again",) * MAX_TURNS
    assert not NO_HISTORY


def test_the_literals_of_the_query_before_are_values_of_the_column_they_stand_beside() -> None:
    found = [(one.value, one.kind, one.columns, one.how) for one in history().values]
    assert found == [
        ("Germany", "cell", (("artist", "country"),), "earlier"),
        ("1990", "number", (("album", "year"),), "earlier"),
    ]


def test_what_the_question_names_itself_is_no_earlier_value() -> None:
    (named,) = (node.found for node in follow_up().question.values if node.found.how == "exact")
    assert [one.value for one in history().beside([named])] == ["France", "Germany", "1990"]
    again = history().values[0]
    assert history().beside([again]) == [again, history().values[1]]


def test_what_was_no_query_of_the_database_is_none() -> None:
    assert history(sql=None).words == history(sql="SELECT nothing FROM nowhere").words == ()
    assert history(sql=None).query(question("and?"), MUSIC) is NO_QUERY


@pytest.mark.parametrize(
    ("word", "use"),
    [
        ("COUNT", UsedAs.AGGREGATED),
        ("album", UsedAs.JOINED),
        ("'Germany'", UsedAs.CONDITION),
        ("artist.country", UsedAs.SHOWN),
        ("GROUP", UsedAs.GROUPED),
    ],
)
def test_as_what_a_word_is_used(word: str, use: UsedAs) -> None:
    words = history().words
    assert uses_of(words)[[text for text, _ in words].index(word)] is use


def test_words_point_at_items_and_values() -> None:
    one = follow_up()
    texts = [text for text, _ in history().words]
    places = dict(zip(texts, one.before.places.tolist(), strict=True))
    country = MUSIC.items.find("artist", "country")
    assert places["artist.country"] == FIXED + country * ROLES + Role.COLUMN
    germany = next(i for i, node in enumerate(one.question.values) if node.found.value == "Germany")
    assert places["'Germany'"] == FIXED + (len(MUSIC.items) + germany) * ROLES + Role.TEXT
    words = len(one.question.stems)
    query = words + len(one.kept) + len(one.question.values)
    at = query + texts.index("'Germany'")
    node = words + len(one.kept) + germany
    assert one.relations[node, at] == rel.USED_AS[UsedAs.CONDITION]
    assert one.relations[at, node] == rel.USES
    assert one.relations[at, at + 1] == rel.QUERY_NEXT
    assert one.relations[0, at] == rel.WORD_QUERY


def test_items_that_are_not_read_are_words_like_unknown_ones() -> None:
    one = follow_up()
    kept = np.array([MUSIC.items.find("album")])
    part = make_input(one.question, MUSIC.items, kept, one.before)
    places = part.query_in(1)
    assert (places[one.before.places >= FIXED + ROLES * len(MUSIC.items)] >= 0).all()  # values are always there
    assert (places == -1).any()
    assert np.isfinite(encode(network(turns=MAX_TURNS), part).memory).all()


def test_what_no_network_writes_is_unknown() -> None:
    places = history(sql="SELECT name FROM artist WHERE name = 'Ann' LIMIT 77").query(question("and?"), MUSIC).places
    assert (places == UNKNOWN).sum() == 2  # no value of this question is called so


def test_words_of_earlier_utterances_stand_behind_the_questions_own() -> None:
    one = follow_up()
    alone = question(AFTER)
    assert one.question.stems[: one.question.asked] == alone.stems
    assert one.question.pieces[: len(alone.pieces)] == alone.pieces
    assert sorted(set(one.question.turns)) == [0, 1, 2]
    first = one.question.turns.index(1)
    assert one.relations[0, first] == rel.EARLIER_TURN
    assert one.relations[first, 0] == rel.LATER_TURN


def test_a_question_that_stands_alone_is_read_alike_by_a_network_that_learnt_no_turns_yet() -> None:
    one = make_input(question(GERMAN), MUSIC.items)
    alone, turned = network(), network(turns=MAX_TURNS)
    for name, array in alone.weights.items():
        turned.weights[name][...] = array
    turned.weights["turn.weight"][...] = 0
    assert np.array_equal(encode(alone, one).memory, encode(turned, one).memory)


def test_long_histories_are_cut() -> None:
    long = read_question(QuestionText("and?"), (), encoder(), earlier=["word " * 2000] * MAX_TURNS)
    assert len(long.pieces) <= 3 * 64
