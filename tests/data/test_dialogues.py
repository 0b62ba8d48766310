"""Files of dialogues: turns in order, what was lost, labels of what leans on what, and links of words to columns."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from querent.data.domains.collection import Collection
from querent.data.domains.dialogues import MentionLink, read_linked_turns, read_turns
from querent.data.errors import DomainError
from querent.data.schema.schema import Column, Schema, Table

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
