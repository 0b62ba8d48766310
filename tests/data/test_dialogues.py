"""Files of dialogues: turns in order, what was lost, and labels of what leans on what."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from querent.data.domains.collection import Collection
from querent.data.domains.dialogues import read_turns
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


@pytest.mark.parametrize(("told", "said"), [([], "labels of 0 dialogues, where there are 1"), ([[]], "3 turns, and 0")])
def test_labels_of_another_file_are_refused(tmp_path: Path, told: Any, said: str) -> None:
    file = write(tmp_path, [{"db_id": "sky", "interaction": TURNS}])
    with pytest.raises(DomainError, match=said):
        read_turns(file, COLLECTION, labels=write(tmp_path, told, "labels.json"))
