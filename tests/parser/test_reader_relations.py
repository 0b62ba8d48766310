"""How the nodes of an input see each other, both ways."""

import dataclasses
import random

import numpy as np
import pytest
from cases import table
from reader_cases import context, german, large, question, schema, value, vectors

from querent.data.schema.schema import Column, ForeignKey, Schema, Table
from querent.ner.language.words import stem, units
from querent.parser.reader import inputs as schema_pruning
from querent.parser.reader import relations as rel
from querent.parser.reader.inputs import make_input, pruned
from querent.parser.reader.items import FOREIGN, KEY, SchemaItems, column_kind
from querent.parser.reader.output_vocabulary import END, ROLES, fixed_words, remapped
from querent.parser.reader.relations import EXACT, NO_MATCH, match_names

FIXED = len(fixed_words())
NAMES = {number: name for name, number in vars(rel).items() if isinstance(number, int) and name not in {"FAR", "EXACT"}}


def items_of(name: str) -> SchemaItems:
    return SchemaItems(schema(name))


def seen(items: SchemaItems, one: str, other: str) -> tuple[str, str]:
    """Return how two items, ``table`` or ``table.column``, see each other."""
    i, j = (items.find(*text.split(".")) for text in (one, other))
    return NAMES[items.relations[i, j]], NAMES[items.relations[j, i]]


def test_every_relation_has_a_number_of_its_own() -> None:
    ranges = [number for several in vars(rel).values() if isinstance(several, range) for number in several]
    single = [number for number in NAMES if number != rel.RELATIONS]
    assert sorted(ranges + single) == list(range(rel.RELATIONS))
    assert np.iinfo(np.uint8).max >= rel.RELATIONS - 1


@pytest.mark.parametrize(("name", "one", "other", "there", "back"), table(__file__, "items"))
def test_items(name: str, one: str, other: str, there: str, back: str) -> None:
    assert seen(items_of(name), one, other) == (there, back)


def test_a_key_of_two_columns_pairs_them_in_order_and_one_that_leads_nowhere_is_none() -> None:
    columns = (Column("x", "int"), Column("y", "int"))
    keys = (
        ForeignKey(("x", "y"), "A", ("p", "q")),
        ForeignKey(("x",), "gone", ("p",)),
        ForeignKey(("z",), "A", ("p",)),
    )
    items = SchemaItems(
        Schema((Table("a", (Column("P", "int"), Column("q", "int")), ("P", "q")), Table("b", columns, (), keys)))
    )
    assert seen(items, "b.x", "a.p") == ("REFERS", "REFERRED")
    assert seen(items, "b.y", "a.q") == ("REFERS", "REFERRED")
    assert seen(items, "b.x", "a.q") == ("NONE", "NONE")
    assert seen(items, "a.q", "a") == ("KEY_OF", "HAS_KEY")


def test_marks_and_owners() -> None:
    items = items_of("music")
    marks = {(item.table, item.column): item.marks for item in items.items}
    assert marks["album", None] == marks["album", "title"] == 0
    assert (marks["album", "album_id"], marks["album", "artist_id"]) == (KEY, FOREIGN)
    both = SchemaItems(Schema((dataclasses.replace(schema("music").table("album"), primary_key=("ARTIST_ID",)),)))
    assert both.items[both.find("Album", "Artist_Id")].marks == KEY | FOREIGN
    assert set(items.owner[: items.tables]) == set(range(items.tables))
    for item, owner in zip(items.items, items.owner, strict=True):
        assert items.items[owner].table == item.table


@pytest.mark.parametrize(("declared", "kind"), table(__file__, "kinds_of_declared_types"))
def test_kinds_of_declared_types(declared: str, kind: str) -> None:
    assert column_kind(declared) == kind


def test_words_and_names() -> None:
    text = "which albums of artists from Germany came out"
    cell = value(text, "Germany", columns=(("artist", "country"),))
    asked, items = question(text, cell), context("music").items
    found, words = make_input(asked, items), text.split()

    def between(word: str, item: str) -> tuple[int, int]:
        i, j = words.index(word), len(words) + items.find(*item.split("."))
        return int(found.relations[i, j]), int(found.relations[j, i])

    for word, item, match in table(__file__, "words_and_names"):
        of_words, of_items = (rel.WORD_COLUMN, rel.COLUMN_WORD) if "." in item else (rel.WORD_TABLE, rel.TABLE_WORD)
        number = NO_MATCH + EXACT + 1 if match == "HELD" else getattr(rel, match)
        assert between(word, item) == (of_words[number], of_items[number])


def test_a_word_that_names_a_column_and_is_in_a_value_of_it_is_both() -> None:
    text = "album titles like Title"
    asked = question(text, value(text, "titles like Title", columns=(("album", "title"),)))
    items = context("music").items
    found = make_input(asked, items).relations[: len(asked.stems), len(asked.stems) + items.find("album", "title")]
    assert found.tolist() == [rel.WORD_COLUMN[match] for match in (NO_MATCH, EXACT + 3, NO_MATCH + 3, EXACT + 3)]


def test_values() -> None:
    text = "albums after 1990 by Björk from Iceland since 1 May 1993 or German ones"
    asked = question(
        text,
        value(text, "1990", kind="number", how="literal"),
        value(text, "Björk", columns=(("artist", "name"), ("album", "title"))),
        value(text, "1 May 1993", is_="1993-05-01", kind="time", how="literal"),
        value(text, "German", is_="Germany", how="meaning", columns=(("artist", "country"),)),
        value(text, "Björk from Iceland", kind="text", how="literal"),
    )
    items, words = context("music").items, len(asked.stems)
    found = make_input(asked, items).relations
    nodes = {name: words + len(items) + i for i, name in enumerate(("number", "cell", "time", "nearly", "said"))}
    number, cell, said = nodes["number"], nodes["cell"], nodes["said"]

    def both(i: int, j: int) -> tuple[str, str]:
        return NAMES[found[i, j]], NAMES[found[j, i]]

    for word, there, back in table(__file__, "words_and_a_value"):
        assert both(asked.stems.index(word), number) == (there, back), word
    for node, item, there, back in table(__file__, "values_and_items"):
        assert both(nodes[node], words + items.find(*item.split("."))) == (there, back), item
    # values among each other
    assert both(cell, said) == ("SAME_SPAN", "SAME_SPAN")
    assert both(cell, number) == ("OTHER_VALUE", "OTHER_VALUE")
    assert both(cell, cell) == ("SELF", "SELF")


@pytest.mark.parametrize("name", ["music", "staff"])
def test_a_part_of_the_items_is_related_as_in_the_whole(name: str) -> None:
    items = context(name).items
    asked = german() if name == "music" else question("names of the heads of departments")
    whole, draw = make_input(asked, items), random.Random(3)
    words, values = len(asked.stems), len(asked.values)
    for _ in range(50):
        kept = np.array(sorted(draw.sample(range(len(items)), draw.randrange(1, len(items)))))
        part = make_input(asked, items, kept)
        nodes = [*range(words), *(words + kept), *range(words + len(items), words + len(items) + values)]
        assert np.array_equal(part.relations, whole.relations[np.ix_(nodes, nodes)])
        assert part.nodes == len(nodes)
        assert part.texts() == [whole.texts()[i] for i in (*kept, *range(len(items), len(items) + values))]


# --- where a question says the names of a schema


def stems_of(text: str) -> list[str]:
    return [stem(unit.text) for unit in units(text)]


def shown(question: str, name: str) -> str:
    """Match a name, one sign a word: ``=`` for all of the name, ``~`` for a word of it."""
    found = match_names(stems_of(question), [stems_of(name)])[:, 0]
    return "".join(".~="[number] for number in found)


@pytest.mark.parametrize(("question", "name", "match"), table(__file__, "whole_names_and_words_of_names"))
def test_whole_names_and_words_of_names(question: str, name: str, match: str) -> None:
    assert shown(question, name) == match


def test_names_are_matched_each_for_itself() -> None:
    words, names = stems_of("the city name of the country"), ["name", "city name", "", "country code", "river"]
    together = match_names(words, [stems_of(name) for name in names])
    assert together.shape == (6, 5)
    assert together.dtype == np.uint8
    for column, name in zip(together.T, names, strict=True):
        assert np.array_equal(column, match_names(words, [stems_of(name)])[:, 0])
    assert match_names(words, []).shape == (6, 0)


# --- large schemas pruned to what a question may be about


def test_of_a_large_one_what_the_question_says_stays() -> None:
    items, text = large(), "what is the wingspan of the Concorde?"
    asked = question(text, value(text, "Concorde", columns=(("craft names", "label"),)))
    kept = pruned(asked, items, vectors())
    assert (np.diff(kept) > 0).all()
    columns = kept[kept >= items.tables]
    assert len(columns) == schema_pruning.MAX_COLUMNS < len(items) - items.tables
    assert set(kept[kept < items.tables]) == set(items.owner[columns])  # their tables, and no others
    for name in (("aircraft",), ("aircraft", "wingspan"), ("craft names", "label"), ("craft names",)):
        assert items.find(*name) in kept
    assert pruned(asked, items, vectors()).tolist() == kept.tolist()


@pytest.mark.parametrize("most", [1, 5])
def test_cells_and_names_come_first(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    monkeypatch.setattr(schema_pruning, "MAX_COLUMNS", most)
    items, text = large(), "what is the wingspan of the Concorde?"
    cell = value(text, "Concorde", columns=(("craft names", "label"),))
    kept = pruned(question(text, cell), items, vectors())
    assert items.find("craft names", "label") in kept
    assert (items.find("aircraft", "wingspan") in kept) == (most > 1)


def test_words_of_items_that_are_not_read_have_no_place() -> None:
    kept, total = np.array([0, 2, 5]), 7
    places = np.array([-1, 0, END, FIXED - 1, *(FIXED + node * ROLES + 3 for node in range(total + 2))])
    moved = remapped(places, kept, total=total, items=10)
    assert moved[:4].tolist() == [-1, 0, END, FIXED - 1]
    nodes = [(place - FIXED) // ROLES if place >= 0 else None for place in moved[4:]]
    assert nodes == [0, None, 1, None, None, 2, None, 10, 11]  # values stand behind the places for items
    assert all((place - FIXED) % ROLES == 3 for place in moved[4:] if place >= 0)


def test_all_items_read_all_words_stay() -> None:
    outputs, items = context("music").outputs, context("music").items
    assert np.array_equal(
        remapped(outputs.places, np.arange(len(items)), total=len(items), items=len(items)), outputs.places
    )
    assert remapped(np.zeros(0, np.int64), np.arange(3), total=3, items=3).tolist() == []
