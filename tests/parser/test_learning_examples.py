"""Pairs and turns as examples: gold words with values of the question, and schemas without some of their items."""

from functools import cache

import numpy as np
import pytest
from cases import table
from reader_cases import context, encoder, question, value

from querent.classifiers.span_learning import linked_examples, projected_examples
from querent.data.domains.collection import Collection, Pair
from querent.data.domains.dialogues import Dialogue, LinkedTurn, MentionLink, Turn
from querent.data.schema.schema import Column, Schema, Table
from querent.parser.learning.dialogue_examples import dialogue_examples, turn_id, turns_with_history
from querent.parser.learning.training_examples import (
    TrainingExample,
    places_in,
    slotted_words,
    training_example_of,
    with_columns_dropped,
    without_a_needed_column,
)
from querent.parser.normal_form import NormalForm
from querent.parser.reader.context import DatabaseContext
from querent.parser.reader.inputs import Input, make_input
from querent.parser.reader.output_vocabulary import END, ROLES, UNKNOWN, Role, fixed_words
from querent.parser.reader.question import QuestionWords

FIXED = len(fixed_words())
TEXT = "albums called Post, post or O'Hara's 50% of Björk from Iceland since 1990, 3 stars, 2.5 or 007, May 1993"


def asked() -> QuestionWords:
    """Return a question with nine values, each known by its number."""
    return question(
        TEXT,
        value(TEXT, "Post"),  # 0
        value(TEXT, "post"),  # 1
        value(TEXT, "O'Hara's"),  # 2
        value(TEXT, "50%"),  # 3
        value(TEXT, "1990", kind="number", how="literal"),  # 4
        value(TEXT, "2.5", kind="number", how="literal"),  # 5
        value(TEXT, "007", kind="number", how="literal"),  # 6
        value(TEXT, "May 1993", is_="1993-05", kind="time", how="literal"),  # 7
        value(TEXT, "Iceland", how="folded", is_="ICELAND "),  # 8
    )


def short(sql: str, name: str = "music"):
    return context(name).short.words(NormalForm(context(name).grammar).of(sql))


@pytest.mark.parametrize(("literal", "word"), table(__file__, "literals"))
def test_a_literal_is_a_value_of_the_question_or_a_constant_or_unknown(literal: str, word: str | None) -> None:
    words = short(f"SELECT title FROM album WHERE {literal}")
    found = slotted_words(words, asked(), context("music").vocabulary)
    assert found[-1] == (-1 if word is None else context("music").vocabulary.index(word, said(word)))
    texts = [context("music").vocabulary.words[i].text for i in found[:-1]]
    assert texts == [text for text, _ in words[:-1]]


def said(word: str) -> str:
    return "STRING" if word.startswith("'") else "WHOLE"


def test_of_equal_values_the_surest_counts() -> None:
    text = "Can or Can, 5 or 5.0"
    twice = [value(text, "Can"), value(text, "Can"), *(value(text, n, kind="number") for n in ("5", "5.0"))]
    words = short("SELECT title FROM album WHERE title = 'Can' AND year > 5 AND title LIKE '%can%'")
    found = slotted_words(words, question(text, *twice), context("music").vocabulary)
    texts = [context("music").vocabulary.words[i].text for i in found]
    assert [text for text in texts if "{" in text] == ["'{text0}'", "{number2}", "'%{text0}%'"]


def test_an_example_has_the_places_of_its_words_and_the_end() -> None:
    outputs, items = context("music").outputs, context("music").items
    sql = "SELECT artist.name, COUNT(*) FROM artist JOIN album ON artist.artist_id = album.artist_id WHERE title = 'x'"
    words = short(sql + " AND year > 1990 GROUP BY artist.name")
    made = training_example_of("one", asked(), words, outputs)
    assert (made.id, made.places.dtype, made.places[-1]) == ("one", np.int64, END)
    assert len(made.places) == len(words) + 1
    texts = [text for text, _ in words]
    assert "ON" not in texts  # the short form
    place = dict(zip(texts, made.places.tolist(), strict=False))
    assert place["artist"] == outputs.pointer(items.find("artist"), Role.TABLE)
    assert place["artist.name"] == outputs.pointer(items.find("artist", "name"), Role.COLUMN)
    assert place["'x'"] == UNKNOWN
    assert place["1990"] == outputs.pointer(len(items) + 4, Role.NUMBER)
    assert fixed_words()[place["COUNT"]][0] == "COUNT"
    names = [("artist",), ("album",), ("artist", "name"), ("album", "title"), ("album", "year")]
    assert set(made.pointed) == {items.find(*name) for name in names} | {len(items) + 4}


@pytest.mark.parametrize(("sql", "word"), table(__file__, "a_query_with_a_word_that_no_network_writes_is_no_example"))
def test_a_query_with_a_word_that_no_network_writes_is_no_example(sql: str, word: str) -> None:
    with pytest.raises(KeyError, match=word):
        training_example_of("one", question("all"), short(sql), context("music").outputs)


# --- some items left out


@cache
def wide() -> DatabaseContext:
    """Return a schema of five tables of twenty columns."""
    tables = [Table(f"t{n}", tuple(Column(f"c{n}_{i}", "int") for i in range(20))) for n in range(5)]
    return DatabaseContext.of(Schema(tuple(tables)), None, dialect="sqlite", language="en")


def example(sql: str, of: DatabaseContext, text: str = TEXT) -> TrainingExample:
    words = of.short.words(NormalForm(of.grammar).of(sql))
    return training_example_of("one", asked() if text == TEXT else question(text), words, of.outputs)


LESSONS = {name: (sql, base) for name, sql, base in table(__file__, "lessons")}


def of(name: str) -> TrainingExample:
    sql, base = LESSONS[name]
    return example(sql, wide() if base == "wide" else context(base))


def needed(one: TrainingExample) -> set[int]:
    items = {int(i) for i in one.pointed if i < len(one.items)}
    return items | {int(one.items.owner[i]) for i in items}


@pytest.mark.parametrize("name", LESSONS)
def test_nothing_that_the_query_needs_is_left_out(name: str) -> None:
    one, sizes = of(name), set()
    for seed in range(200):
        kept = with_columns_dropped(one, np.random.default_rng(seed))
        assert needed(one) <= set(kept.tolist())
        assert (np.diff(kept) > 0).all()
        assert len(kept)
        tables = set(kept[kept < one.items.tables].tolist())
        assert set(one.items.owner[kept].tolist()) == tables  # no column without its table
        columns = int((kept >= one.items.tables).sum())
        assert columns <= max(32, len([i for i in needed(one) if i >= one.items.tables]))
        sizes.add(len(kept))
    assert len(sizes) > 3 or name == "nothing"


def meaning(places: np.ndarray, one: Input, items: int) -> list[object]:
    """Return what words point at, of a batch with ``items`` places for items."""
    said: list[object] = []
    for place in places.tolist():
        node, role = divmod(place - FIXED, ROLES)
        if place < FIXED:
            said.append(place)
        elif node < items:
            said.append((one.items.items[one.kept[node]], role))
        else:
            said.append((one.question.values[node - items], role))
    return said


@pytest.mark.parametrize("name", LESSONS)
@pytest.mark.parametrize("padding", [0, 7])
def test_words_point_at_the_same_where_items_are_left_out(name: str, padding: int) -> None:
    one = of(name)
    whole = make_input(one.question, one.items)
    expected = meaning(one.places, whole, len(one.items))
    assert places_in(one, whole, len(one.items)).tolist() == one.places.tolist()
    for seed in range(50):
        part = make_input(one.question, one.items, with_columns_dropped(one, np.random.default_rng(seed)))
        items = len(part.kept) + padding
        assert meaning(places_in(one, part, items), part, items) == expected


@pytest.mark.parametrize("name", ["two tables", "twice", "wide", "forty columns"])
def test_robbed_of_one_column_that_it_needs_a_question_has_no_answer(name: str) -> None:
    one, gone = of(name), set()
    for seed in range(60):
        other, kept = without_a_needed_column(one, np.random.default_rng(seed))
        missing = needed(one) - set(kept.tolist())
        assert len(missing) == 1
        assert min(missing) >= one.items.tables
        part = make_input(other.question, other.items, kept)
        assert (len(other.places), len(places_in(other, part, len(kept)))) == (0, 0)
        assert (other.question, other.items, other.id) == (one.question, one.items, one.id)
        gone |= missing
    assert gone == {i for i in needed(one) if i >= one.items.tables} or name == "forty columns"
    assert len(one.places) > 1  # it is as it was


# --- turns: what came before, whose query it was, and whether it is needed


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
