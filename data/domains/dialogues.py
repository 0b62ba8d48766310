"""Dialogues on many databases: turns that lean on the ones before, of SParC, CoSQL, CHASE and SeSQL."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat, zip_longest
from pathlib import Path

from ..formats.chase_links import labels_of
from ..formats.files import Record, read_json
from ..formats.sql_text import names_of, tidy
from .collection import Collection

__all__ = ["ALONE", "Dialogue", "Turn", "read_turns"]

ALONE = "Context Independent"
"""CHASE's label of a turn that leans on nothing."""


@dataclass(frozen=True)
class Turn:
    """What was said, and the query that answers it.

    Attributes:
        utterance, sql: empty where they were lost (CoSQL, SParC); strings of SQL are in single quotes.
        kinds: of lean on what came before, as CHASE labels them; none where nobody said.
        confidence: that the query is right, 0 to 1.
    """

    utterance: str
    sql: str
    kinds: tuple[str, ...] = ()
    confidence: float = 1.0

    @property
    def carries(self) -> bool | None:
        """Return whether it needs what came before, None where nobody said."""
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
    names = {name: names_of(schema) for name, schema in collection.schemas.items()}
    records = Record({"dialogues": read_json(file)}, file).objects("dialogues")
    told = repeat(()) if labels is None else labels_of(records, labels)
    found: list[Dialogue] = []
    for number, (record, notes) in enumerate(zip(records, told, strict=labels is not None)):
        database = record.text("database_id" if "database_id" in record.data else "db_id")
        if database in names:
            turns = tuple(_turns(record, names[database], notes))
            found.append(Dialogue(f"{database}-dialogue-{number}", database, turns))
    return tuple(found)


def _turns(record: Record, names: frozenset[str], notes: Sequence[Record]) -> Iterator[Turn]:
    for turn, note in zip_longest(record.objects("interaction"), notes):
        said, sql = (turn.text(f, "") if turn.data.get(f) is not None else "" for f in ("utterance", "query"))
        kinds = () if note is None else tuple(note.data["context"])
        yield Turn(said.strip(), tidy(sql, dialect="sqlite", names=names) if sql else "", kinds)
