"""CHASE and its kin (Guo et al. 2021): dialogues on many databases; `domains.collection` reads what stands alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from .files import Record, file_in, read_json

__all__ = ["read_dialogues"]

_FILES = ("chase_train.json", "chase_dev.json", "chase_test.json")


def read_dialogues(folder: Path) -> Iterator[tuple[str, str, str]]:
    """Yield database, question and query of the turns that stand alone.

    These are first turns, and the ``final`` question where it is none of the turns: CHASE itself repeats the
    last turn there, which hangs on the turns before it.

    Raises:
        DomainError: there is no such file, or it is not laid out so.
    """
    files = [folder / name for name in _FILES if (folder / name).is_file()]
    for file in files or [file_in(folder, _FILES[0])]:
        for dialogue in Record({"dialogues": read_json(file)}, file).objects("dialogues"):
            database = dialogue.text("db_id")
            turns = dialogue.objects("interaction")
            if not turns:
                raise dialogue.error(f"a dialogue on {database!r} without turns", "interaction")
            yield database, turns[0].text("utterance"), turns[0].text("query")
            yield from ((database, *own) for own in _final(dialogue, turns))


def _final(dialogue: Record, turns: list[Record]) -> Iterator[tuple[str, str]]:
    final = dialogue.data.get("final")
    if not isinstance(final, dict) or "query" not in final:
        return
    record = Record(final, dialogue.file)
    question = record.text("utterance")
    if question not in {turn.text("utterance") for turn in turns}:
        yield question, record.text("query")
