"""Turns as training examples: what came before, whose query it was, and whether it is needed."""

from __future__ import annotations

from reader_cases import context, encoder

from querent.data.domains.collection import Collection, Pair
from querent.data.domains.dialogues import Dialogue, LinkedTurn, MentionLink, Turn
from querent.parser.learning.dialogue_examples import dialogue_examples, turn_id, turns_with_history
from querent.parser.learning.span_examples import linked_examples, projected_examples
from querent.parser.reader.output_vocabulary import ROLES, UNKNOWN, fixed_words

MUSIC = {"music": [context("music")]}
FIRST = Turn("artists from Germany", "SELECT artist.name FROM artist WHERE artist.country = 'Germany'")
SECOND = Turn("how many are they?", "SELECT COUNT(*) FROM artist WHERE artist.country = 'Germany'")
THIRD = Turn("and all albums?", "SELECT COUNT(*) FROM album", ("Context Independent",))
TALK = Dialogue("talk", "music", (FIRST, SECOND, THIRD))
OTHER = Dialogue("other", "music", (Turn("which reviews?", "SELECT review.text FROM review"), THIRD))


def test_a_value_of_the_query_before_is_written_and_so_needed() -> None:
    found = {several[0].id: several[0] for several in dialogue_examples([TALK], MUSIC, encoder(), strange=0)}
    assert list(found) == ["talk-1", "talk-2"]
    second = found["talk-1"]
    assert UNKNOWN not in second.places
    value = next(i for i, node in enumerate(second.question.values) if node.found.value == "Germany")
    assert len(fixed_words()) + (len(second.items) + value) * ROLES <= max(second.places)
    assert (second.carries, found["talk-2"].carries) == (True, False)
    assert len(second.before) > 0
    assert second.question.turns.count(1) == 3


def test_a_parsers_own_query_before_every_second_turn() -> None:
    own = {turn_id(TALK, 0): "SELECT album.title FROM album", turn_id(TALK, 1): "SELECT album.year FROM album"}
    told = {name: history.words for name, _, _, history, _ in turns_with_history([TALK], MUSIC, own=own)}
    assert ("album.title", "QCOLUMN") in told["talk-1"]
    assert ("COUNT", "COUNT") in told["talk-2"]


def test_a_first_turn_behind_another_dialogue_needs_nothing_of_it() -> None:
    found = [several[0] for several in dialogue_examples([TALK, OTHER], MUSIC, encoder(), strange=1.0, seed=3)]
    behind = [one for one in found if one.id.endswith("-behind")]
    assert behind
    assert all(one.carries is False and one.question.turns and len(one.before) for one in behind)


def test_what_nobody_says_is_not_learnt() -> None:
    lost = Dialogue(
        "lost", "music", (FIRST, Turn("and France?", "SELECT artist.name FROM artist WHERE country = 'Peru'"))
    )
    assert dialogue_examples([lost], MUSIC, encoder(), strange=0) == []


# --- which words of a question say a value: of gold queries, and of people


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
