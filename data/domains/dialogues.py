"""Dialogues on many databases: turns that lean on the ones before, of SParC, CoSQL, CHASE and SeSQL.

For each dialogue of ``chase_train.json``, in its order, a list of its turns; of each the ``links``: characters from
``start`` to ``end`` that mean a table, a column, or a value of a column.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat, zip_longest
from pathlib import Path
from typing import Any, cast

from ..parsing import tidy
from ..records import Record, file_in, read_json
from .collection import Collection

LINK_KINDS = ("value", "table", "column")

_QUOTES = "\"'“”‘’「」『』《》 "


@dataclass(frozen=True)
class MentionLink:
    """Characters ``start`` to ``end`` (one past the last) of a question mean something of the kind, quotes left out."""

    start: int
    end: int
    kind: str


@dataclass(frozen=True)
class LinkedTurn:
    """One turn of a dialogue with what its words mean; ``query`` is as the file has it."""

    database: str
    question: str
    query: str
    links: tuple[MentionLink, ...]


def read_linked_turns(folder: Path, labels: Path) -> Iterator[LinkedTurn]:
    """Yield all turns of the training part with their links.

    Args:
        folder: with ``chase_train.json``.
        labels: the file of labels.

    Raises:
        DomainError: a file is missing or not laid out so, or they are not of the same dialogues.
    """
    file = file_in(folder, "chase_train.json")
    dialogues = Record({"dialogues": read_json(file)}, file).objects("dialogues")
    for dialogue, notes in zip(dialogues, labels_of(dialogues, labels), strict=True):
        for turn, note in zip(dialogue.objects("interaction"), notes, strict=True):
            question = turn.text("utterance")
            links = tuple(_link(one, question) for one in note.objects("links"))
            yield LinkedTurn(dialogue.text("db_id"), question, turn.text("query"), links)


def labels_of(dialogues: Sequence[Record], labels: Path) -> Iterator[list[Record]]:
    """Yield the labels of the turns of each dialogue.

    Raises:
        DomainError: the file is missing or not laid out so, or is not of the same dialogues.
    """
    record = Record({}, labels, name="labels")
    marked: Any = read_json(labels)
    count = len(cast("list[Any]", marked)) if isinstance(marked, list) else 0
    if not isinstance(marked, list) or count != len(dialogues):
        wanted = f"not a list of the {len(dialogues)} dialogues"
        raise record.error(f"{wanted}: labels of {count} dialogues, where there are {len(dialogues)}")
    for number, (dialogue, own) in enumerate(zip(dialogues, cast("list[Any]", marked), strict=True)):
        turns = dialogue.objects("interaction")
        notes = Record({"turns": own}, labels, name=f"dialogue {number}").objects("turns")
        if len(notes) != len(turns):
            raise record.error(f"dialogue {number} has {len(turns)} turns, and {len(notes)} are labelled")
        yield notes


def _link(record: Record, question: str) -> MentionLink:
    kind, start, end = (record.data.get(field) for field in ("kind", "start", "end"))
    record.choice("kind", LINK_KINDS, kind)
    if not (isinstance(start, int) and isinstance(end, int) and 0 <= start < end <= len(question)):
        raise record.error(f"{start!r} to {end!r} are no characters of {question!r}", "start")
    words = question[start:end]
    bare = words.strip(_QUOTES) or words
    start += words.index(bare)
    return MentionLink(start, start + len(bare), str(kind))


ALONE = "Context Independent"
"""CHASE's label of a turn that leans on nothing."""


@dataclass(frozen=True)
class Turn:
    """An utterance, and the query that answers it.

    Attributes:
        utterance, sql: empty where they were lost (CoSQL, SParC); strings of SQL are in single quotes.
        kinds: CHASE's labels of the dependence on earlier turns; empty if there are none.
        confidence: that the query is right, 0 to 1.
    """

    utterance: str
    sql: str
    kinds: tuple[str, ...] = ()
    confidence: float = 1.0

    @property
    def carries(self) -> bool | None:
        """Return whether it depends on earlier turns, None if it has no label."""
        return ALONE not in self.kinds if self.kinds else None


@dataclass(frozen=True)
class Dialogue:
    """Turns on one database.

    Attributes:
        database: a key of its collection's schemas.
    """

    id: str
    database: str
    turns: tuple[Turn, ...]


def read_turns(file: Path, collection: Collection, *, labels: Path | None = None) -> tuple[Dialogue, ...]:
    """Read a file of dialogues (``db_id`` or ``database_id``, ``interaction`` of ``utterance`` and ``query``).

    Args:
        collection: has the databases; dialogues on others are left out, so that a part of it reads its part.
        labels: in the file's order, for each dialogue, for each turn, CHASE's labels: ``context``.

    Raises:
        DomainError: a file is missing or not laid out so, or the labels are not of this file.
    """
    names = {name: schema.names for name, schema in collection.schemas.items()}
    records = Record({"dialogues": read_json(file)}, file).objects("dialogues")
    notes_of = repeat(()) if labels is None else labels_of(records, labels)
    found: list[Dialogue] = []
    for number, (record, notes) in enumerate(zip(records, notes_of, strict=labels is not None)):
        database = record.text("database_id" if "database_id" in record.data else "db_id")
        if database in names:
            turns = tuple(_turns(record, names[database], notes))
            found.append(Dialogue(f"{database}-dialogue-{number}", database, turns))
    return tuple(found)


def _turns(record: Record, names: frozenset[str], notes: Sequence[Record]) -> Iterator[Turn]:
    for turn, note in zip_longest(record.objects("interaction"), notes):
        utterance, sql = (turn.text(f, "") if turn.data.get(f) is not None else "" for f in ("utterance", "query"))
        kinds = () if note is None else tuple(note.data["context"])
        yield Turn(utterance.strip(), tidy(sql, dialect="sqlite", names=names) if sql else "", kinds)
