"""How the nodes of an input see each other, both ways."""

from __future__ import annotations

import dataclasses
import random
import tomllib
from pathlib import Path

import numpy as np
import pytest
from reader_cases import GERMAN, context, german, question, schema, value

from querent.data.schema.schema import Column, ForeignKey, Schema, Table
from querent.parser.reader import relations as rel
from querent.parser.reader.inputs import make_input
from querent.parser.reader.items import FOREIGN, ITEM_KINDS, KEY, SchemaItems, column_kind
from querent.parser.reader.relations import EXACT, NO_MATCH, PARTIAL

CASES = tomllib.loads(Path(__file__).with_name("reader.toml").read_text("utf-8"))

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


@pytest.mark.parametrize(("name", "one", "other", "there", "back"), CASES["items"])
def test_items(name: str, one: str, other: str, there: str, back: str) -> None:
    assert seen(items_of(name), one, other) == (there, back)


PAIRED = {  # what the other of two nodes says where one says this
    "SAME_TABLE": "SAME_TABLE", "SAME_NAME": "SAME_NAME", "REFERS": "REFERRED", "COLUMN_OF": "HAS_COLUMN",
    "KEY_OF": "HAS_KEY", "TABLE_REFERRED": "REFERRED_BY", "TABLE_REFERS": "TABLE_IS_REFERRED",
    "TABLES_BOTH": "TABLES_BOTH", "NONE": "NONE", "SELF": "SELF",
}  # fmt: skip


@pytest.mark.parametrize("name", ["music", "staff"])
def test_what_one_says_the_other_confirms(name: str) -> None:
    items = items_of(name)
    both = PAIRED | {back: there for there, back in PAIRED.items()}
    for i in range(len(items)):
        for j in range(len(items)):
            assert both[NAMES[items.relations[i, j]]] == NAMES[items.relations[j, i]]


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


def test_marks_and_kinds() -> None:
    items = items_of("music")
    marks = {(item.table, item.column): item.marks for item in items.items}
    assert marks["album", None] == marks["album", "title"] == 0
    assert (marks["album", "album_id"], marks["album", "artist_id"]) == (KEY, FOREIGN)
    both = SchemaItems(Schema((dataclasses.replace(schema("music").table("album"), primary_key=("ARTIST_ID",)),)))
    assert both.items[both.find("Album", "Artist_Id")].marks == KEY | FOREIGN
    found = {
        f"{item.table}.{item.column}": ITEM_KINDS[kind] for item, kind in zip(items.items, items.kinds, strict=True)
    }
    assert found["album.None"] == "table"
    assert (found["album.cut"], found["album.year"], found["review.stars"]) == ("time", "number", "number")
    assert (found["album.title"], found["artist.name"]) == ("text", "text")
    assert set(items.owner[: items.tables]) == set(range(items.tables))
    for item, owner in zip(items.items, items.owner, strict=True):
        assert items.items[owner].table == item.table


@pytest.mark.parametrize(("declared", "kind"), CASES["kinds_of_declared_types"])
def test_kinds_of_declared_types(declared: str, kind: str) -> None:
    assert column_kind(declared) == kind


def test_words_of_a_question_by_their_distance() -> None:
    found = rel.question_relations(9).astype(int)
    near = rel.DISTANCE[rel.FAR]
    assert (found.diagonal() == near).all()
    for i in range(9):
        for j in range(9):
            assert found[i, j] - near == min(max(j - i, -rel.FAR), rel.FAR)
    assert rel.question_relations(0).shape == (0, 0)


def test_words_and_names() -> None:
    text = "which albums of artists from Germany came out"
    cell = value(text, "Germany", columns=(("artist", "country"),))
    asked, items = question(text, cell), context("music").items
    found, words = make_input(asked, items), text.split()

    def between(word: str, item: str) -> tuple[int, int]:
        i, j = words.index(word), len(words) + items.find(*item.split("."))
        return int(found.relations[i, j]), int(found.relations[j, i])

    for word, item, match in (
        ("albums", "album", EXACT),
        ("artists", "artist", EXACT),
        ("which", "album", NO_MATCH),
        ("albums", "artist", NO_MATCH),
    ):
        assert between(word, item) == (rel.WORD_TABLE[match], rel.TABLE_WORD[match])
    held = EXACT + 1
    for word, item, match in (
        ("albums", "album.album_id", PARTIAL),
        ("artists", "album.artist_id", PARTIAL),
        ("albums", "album.title", NO_MATCH),
        ("Germany", "artist.country", NO_MATCH + held),
        ("Germany", "artist.name", NO_MATCH),
        ("from", "artist.country", NO_MATCH),
    ):
        assert between(word, item) == (rel.WORD_COLUMN[match], rel.COLUMN_WORD[match])


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
    number, cell, time, nearly, said = range(words + len(items), words + len(items) + 5)
    stems = list(asked.stems)

    def both(i: int, j: int) -> tuple[str, str]:
        return NAMES[found[i, j]], NAMES[found[j, i]]

    # words in a value, words beside it, words far from it
    for word, there, back in (
        ("1990", "IN_VALUE", "SAYS_WORD"), ("by", "NEAR_VALUE", "NEAR_WORD"), ("album", "NEAR_VALUE", "NEAR_WORD"),
        ("björk", "NEAR_VALUE", "NEAR_WORD"), ("from", "NONE", "NONE"), ("iceland", "NONE", "NONE"),
    ):  # fmt: skip
        assert both(stems.index(word), number) == (there, back), word
    # values and items
    for node, item, there, back in (
        (number, "album.year", "FITS_COLUMN", "FITS_VALUE"),
        (number, "review.stars", "FITS_COLUMN", "FITS_VALUE"),
        (number, "album.title", "NONE", "NONE"),
        (number, "album.cut", "NONE", "NONE"),
        (number, "album", "NONE", "NONE"),
        (time, "album.cut", "FITS_COLUMN", "FITS_VALUE"),
        (time, "album.year", "NONE", "NONE"),
        (cell, "artist.name", "CELL_OF", "HAS_CELL"),
        (cell, "album.title", "CELL_OF", "HAS_CELL"),
        (cell, "artist.country", "NONE", "NONE"),
        (cell, "artist", "CELL_IN", "TABLE_HAS_CELL"),
        (cell, "album", "CELL_IN", "TABLE_HAS_CELL"),
        (cell, "review", "NONE", "NONE"),
        (nearly, "artist.country", "LIKELY_CELL_OF", "HAS_LIKELY_CELL"),
        (nearly, "artist", "CELL_IN", "TABLE_HAS_CELL"),
        (said, "artist.country", "NONE", "NONE"),
    ):
        assert both(node, words + items.find(*item.split("."))) == (there, back), item
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


def test_all_relations_of_an_input_are_in_range() -> None:
    found = make_input(german(), context("music").items).relations
    assert found.dtype == np.uint8
    assert found.max() < rel.RELATIONS
    words = len(german().stems)
    assert (found.diagonal()[words:] == rel.SELF).all()
    assert (found.diagonal()[:words] == rel.DISTANCE[rel.FAR]).all()
    assert GERMAN.startswith("which")
