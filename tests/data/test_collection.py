"""Pairs on many databases, and dialogues on them: turns in order, what was lost, labels, links of words to columns."""

import json
from pathlib import Path
from typing import Any

import pytest
from databases import create
from spider_pets import PETS

from querent.data.domains.collection import Collection, is_held_out, read_collection
from querent.data.domains.dialogues import MentionLink, read_linked_turns, read_turns
from querent.data.errors import DomainError, SchemaError
from querent.data.schema.ddl_writer import merged
from querent.data.schema.schema import Column, ForeignKey, Schema, Table

PAIRS = [
    {
        "db_id": "pets",
        "question": " Whose name is Smith? ",
        "query": 'SELECT StuID FROM Student WHERE LName = "Smith" ;',
    },
    {"db_id": "pets", "question": "How many?", "query": "SELECT count(*) FROM Student"},
    {"db_id": "shops", "question": "How many?", "query": "SELECT count(*) FROM Student"},
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "tables.json").write_text(json.dumps([PETS, PETS | {"db_id": "shops"}]))
    (tmp_path / "train_spider.json").write_text(json.dumps(PAIRS))
    (tmp_path / "database" / "pets").mkdir(parents=True)
    create(
        tmp_path / "database" / "pets" / "pets.sqlite",
        "CREATE TABLE student (stuid INTEGER PRIMARY KEY, LName VARCHAR(9), born DATE);"
        "CREATE TABLE has_pet (StuID INTEGER, pet INTEGER REFERENCES kind); CREATE TABLE kind (id INT PRIMARY KEY)",
    )
    return tmp_path


def test_pairs_of_spider(folder):
    collection = read_collection(f"spider:{folder}")
    assert (collection.name, collection.language) == (folder.name, "en")
    assert [pair.id for pair in collection.pairs] == ["pets-0", "pets-1", "shops-0"]
    assert collection.pairs[0].question == "Whose name is Smith?"
    assert collection.pairs[0].sql == "SELECT StuID FROM Student WHERE LName = 'Smith'"
    assert read_collection(f"spider:{folder}", language="zh").language == "zh"


def test_the_file_declares_and_the_list_names(folder):
    collection = read_collection(f"spider:{folder}")
    student, has_pet, _ = collection.schemas["pets"].tables
    assert student.columns[:2] == (Column("stuid", "integer", "student id"), Column("LName", "varchar(9)", "last name"))
    assert student.columns[2] == Column("born", "date")
    assert (has_pet.name, has_pet.description) == ("has_pet", "has pet")
    assert has_pet.foreign_keys == (
        ForeignKey(("pet",), "kind", ("id",)),
        ForeignKey(("StuID",), "student", ("stuid",)),
    )
    assert collection.schemas["shops"].table("Student").column("LName").type == "text"  # it has no file
    assert list(collection.databases) == ["pets"]


def test_merged_leaves_out_what_the_database_has_not():
    stored = Schema((Table("a", (Column("x"), Column("y")), (), (ForeignKey(("x", "y"), "gone", ("x", "y")),)),))
    keys = (ForeignKey(("X",), "A", ("Y",)), ForeignKey(("X",), "A", ("X",)), ForeignKey(("z",), "a", ("x",)))
    told = Schema((Table("A", (Column("X"), Column("z")), ("X",), keys), Table("b", (Column("x"),))))
    (table,) = merged(stored, told).tables
    assert table.primary_key == ("x",)
    assert table.foreign_keys == (ForeignKey(("x",), "a", ("y",)),)


def test_first_turns_of_chase_and_finals_of_their_own(tmp_path):
    (tmp_path / "tables.json").write_text(json.dumps([PETS]))
    turns = [{"utterance": "有多少?", "query": "SELECT 1"}, {"utterance": "它们呢?", "query": "SELECT 2"}]
    dialogues = [
        {"db_id": "pets", "interaction": turns, "final": {"utterance": "它们呢?", "query": "SELECT 2"}},
        {"db_id": "pets", "interaction": turns[:1], "final": {"utterance": "有多少学生?", "query": "SELECT 3"}},
    ]
    (tmp_path / "chase_train.json").write_text(json.dumps(dialogues))
    collection = read_collection(f"chase:{tmp_path}")
    assert collection.language == "zh"
    assert [pair.sql for pair in collection.pairs] == ["SELECT 1", "SELECT 1", "SELECT 3"]
    (tmp_path / "chase_train.json").write_text(json.dumps([{"db_id": "pets", "interaction": []}]))
    with pytest.raises(DomainError, match=r"chase_train\.json, field 'interaction': .*without turns"):
        read_collection(f"chase:{tmp_path}")


def test_parts_are_of_databases(folder):
    names = [f"db{n}" for n in range(400)]
    assert 20 < sum(map(is_held_out, names)) < 70
    (folder / "tables.json").write_text(json.dumps([PETS | {"db_id": name} for name in names]))
    rows = [PAIRS[1] | {"db_id": name} for name in names]
    (folder / "train_spider.json").write_text(json.dumps(rows))
    collection = read_collection(f"spider:{folder}")
    train, held_out = collection.part("train"), collection.part("held-out")
    assert set(train.schemas) | set(held_out.schemas) == set(names)
    assert not set(train.schemas) & set(held_out.schemas)
    for part in (train, held_out):
        assert {pair.database for pair in part.pairs} == set(part.schemas)


def test_what_is_held_out_stays_so():
    """Weights are trained on the others: another salt would ask them about what they have seen."""
    assert [n for n in range(60) if is_held_out(f"db{n}")] == HELD_OUT


HELD_OUT = [16, 17, 21, 23, 26, 29, 55, 56, 59]


def test_specs_that_are_none():
    messages = {"spidr:x": "did you mean 'spider'", "somewhere": "as spider:FOLDER", "spider:nowhere": "no such folder"}
    for spec, message in messages.items():
        with pytest.raises(DomainError, match=message):
            read_collection(spec)


def test_errors_tell_where(folder):
    for file, text, message in (
        ("train_spider.json", [PAIRS[0] | {"db_id": "pet"}], "no database 'pet'.*did you mean 'pets'"),
        ("train_spider.json", [{"db_id": "pets", "question": "?"}], "field 'query': missing"),
        (
            "database/pets/pets.sqlite",
            "no database, whatever its name says",
            r"pets\.sqlite, field 'pets': cannot read",
        ),
    ):
        (folder / file).write_text(json.dumps(text))
        with pytest.raises((DomainError, SchemaError), match=message):
            read_collection(f"spider:{folder}")


@pytest.mark.parametrize(
    ("spec", "databases", "held_out"), [("spider:spider-train", 140, 15), ("chase:chase-train", 200, 20)]
)
def test_public_collections(shared_data, spec, databases, held_out):
    kind, _, name = spec.partition(":")
    folder = shared_data / "multi" / name
    if not folder.is_dir():
        pytest.skip(f"{name} is not at ../shared/data/multi")
    collection = read_collection(f"{kind}:{folder}")
    assert len(collection.databases) == len(collection.schemas) == databases
    assert len(collection.part("held-out").schemas) == held_out
    assert not [pair for pair in collection.pairs if '"' in pair.sql]


SCHEMA = Schema((Table("moon", (Column("name", "TEXT"), Column("size", "INT"))),))
COLLECTION = Collection("sky", "en", (), {"sky": SCHEMA}, {})
TURNS = [
    {"utterance": " which moons are there? ", "query": 'SELECT name FROM moon WHERE name <> "io"'},
    {"utterance": None, "query": "SELECT size FROM moon"},
    {"utterance": "how many?", "query": None},
]


def write(folder: Path, told: Any, name: str = "dialogues.json") -> Path:
    file = folder / name
    file.write_text(json.dumps(told), encoding="utf-8")
    return file


def test_turns_in_order_with_what_was_lost_empty(tmp_path: Path) -> None:
    file = write(tmp_path, [{"db_id": "sky", "interaction": TURNS}, {"database_id": "sky", "interaction": TURNS[:1]}])
    first, second = read_turns(file, COLLECTION)
    assert [(turn.utterance, turn.sql) for turn in first.turns] == [
        ("which moons are there?", "SELECT name FROM moon WHERE name <> 'io'"),
        ("", "SELECT size FROM moon"),
        ("how many?", ""),
    ]
    assert first.id != second.id
    assert {turn.carries for turn in first.turns} == {None}


def test_dialogues_on_other_databases_are_left_out(tmp_path: Path) -> None:
    assert read_turns(write(tmp_path, [{"db_id": "sea", "interaction": TURNS}]), COLLECTION) == ()


def test_labels_say_which_turns_need_what_came_before(tmp_path: Path) -> None:
    file = write(tmp_path, [{"db_id": "sky", "interaction": TURNS}])
    kinds = [["Context Independent"], ["Coreference", "Ellipsis Continuation"], []]
    labels = write(tmp_path, [[{"context": some} for some in kinds]], "labels.json")
    (dialogue,) = read_turns(file, COLLECTION, labels=labels)
    assert [turn.carries for turn in dialogue.turns] == [False, True, None]


FRUIT = [
    {"utterance": "哪些水果适合在秋季种植？", "query": 'select 名称 from 水果 where 适合季节 = "秋季"'},
    {"utterance": "《梨》呢？", "query": 'select 名称 from 水果 where 名称 = "梨"'},
]


def labelled(folder: Path, labels: object) -> Path:
    write(folder, [{"db_id": "水果", "interaction": FRUIT}], "chase_train.json")
    return write(folder, labels, "labels.json")


def link(start: int, end: int, kind: str) -> dict[str, object]:
    return {"start": start, "end": end, "kind": kind, "table": "水果"}


def test_links_stand_with_their_turns_and_without_quotes(tmp_path: Path) -> None:
    first = {"links": [link(2, 4, "table"), link(7, 9, "value")]}
    file = labelled(tmp_path, [[first, {"links": [link(0, 3, "value")]}]])
    one, other = read_linked_turns(tmp_path, file)
    assert (one.database, one.question, one.query) == ("水果", FRUIT[0]["utterance"], FRUIT[0]["query"])
    assert [one.question[a.start : a.end] for a in one.links] == ["水果", "秋季"]
    assert other.links == (MentionLink(1, 2, "value"),)


NONE = {"links": []}
WRONG = [
    ([], "not a list of the 1 dialogues: labels of 0 dialogues, where there are 1"),
    ([[NONE]], "dialogue 0 has 2 turns, and 1 are labelled"),
    ([[{"links": [link(0, 2, "verb")]}, NONE]], "no kind 'verb'"),
    ([[{"links": [link(9, 99, "value")]}, NONE]], "9 to 99 are no characters"),
    ([[{"links": [link(3, 3, "value")]}, NONE]], "3 to 3 are no characters"),
]


@pytest.mark.parametrize(("labels", "told"), WRONG)
def test_links_of_other_dialogues_are_refused(tmp_path: Path, labels: object, told: str) -> None:
    with pytest.raises(DomainError, match=told):
        list(read_linked_turns(tmp_path, labelled(tmp_path, labels)))
