"""What people marked in the turns of CHASE is read beside the turns."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from querent.data.domains.dialogues import MentionLink, read_linked_turns
from querent.data.errors import DomainError

TURNS = [
    {"utterance": "哪些水果适合在秋季种植？", "query": 'select 名称 from 水果 where 适合季节 = "秋季"'},
    {"utterance": "《梨》呢？", "query": 'select 名称 from 水果 where 名称 = "梨"'},
]


def written(folder: Path, labels: object) -> Path:
    (folder / "chase_train.json").write_text(json.dumps([{"db_id": "水果", "interaction": TURNS}]))
    file = folder / "labels.json"
    file.write_text(json.dumps(labels))
    return file


def link(start: int, end: int, kind: str) -> dict[str, object]:
    return {"start": start, "end": end, "kind": kind, "table": "水果"}


def test_links_stand_with_their_turns_and_without_quotes(tmp_path: Path) -> None:
    first = {"links": [link(2, 4, "table"), link(7, 9, "value")]}
    file = written(tmp_path, [[first, {"links": [link(0, 3, "value")]}]])
    one, other = read_linked_turns(tmp_path, file)
    assert (one.database, one.question, one.query) == ("水果", TURNS[0]["utterance"], TURNS[0]["query"])
    assert [one.question[a.start : a.end] for a in one.links] == ["水果", "秋季"]
    assert other.links == (MentionLink(1, 2, "value"),)


@pytest.mark.parametrize(
    ("labels", "told"),
    [
        ([], "not a list of the 1 dialogues"),
        ([[{"links": []}]], "dialogue 0 has 2 turns"),
        ([[{"links": [link(0, 2, "verb")]}, {"links": []}]], "'verb' is none of value, table, column"),
        ([[{"links": [link(9, 99, "value")]}, {"links": []}]], "9 to 99 are no characters"),
        ([[{"links": [link(3, 3, "value")]}, {"links": []}]], "3 to 3 are no characters"),
    ],
)
def test_labels_of_other_dialogues_are_refused(tmp_path: Path, labels: object, told: str) -> None:
    with pytest.raises(DomainError, match=told):
        list(read_linked_turns(tmp_path, written(tmp_path, labels)))
