"""Evidence beside questions, as BIRD has it: JSON lines, or a JSON list, of ``db_id``, ``question`` and ``evidence``.

    {"db_id": "taxi", "question": "How many long trips were there?", "evidence": "long trip refers to distance > 100"}

Of each piece that cannot be read it is told why. Columns are bound where the database's schema is known. What is called
the same beside several questions and reckoned otherwise is of its question alone, and no formula of the bank.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from ...data.errors import DomainError, InputError
from ...data.formats.files import Record, read_jsonl, read_text
from ...data.schema.schema import Schema
from ..evidence.names import NameBinder
from ..evidence.reading import read_evidence
from ..formulas.bank import Bank, Formula, refuse, without_circles

__all__ = ["read", "records"]


def read(path: Path, refused: list[DomainError] | None, schema: Schema | None = None) -> Bank:
    """Return the formulas of a file.

    Args:
        refused: gets what cannot be read; None raises the first.
        schema: of the database that the evidences are about; of several databases in the file, that of its name counts.

    Raises:
        DomainError: the file, or an evidence in it, cannot be read.
        InputError: it is of several databases, and none of them is the schema's.
    """
    names, found = NameBinder(schema), list[Bank]()
    for record in _chosen(list(records(path)), schema, path):
        text = record.data.get("evidence")
        if not isinstance(text, str):
            raise record.error("missing" if text is None else "not a text", "evidence")
        told = read_evidence(text, names, domain=_database(record), question=record.text("question", ""))
        formulas = [replace(one, file=record.file, line=record.line or None) for one in told.bank.formulas]
        found.append(Bank(formulas, told.bank.concepts))
        for piece, why in told.unread:
            refuse(record.error(f"{piece!r}: {why}", "evidence"), refused)
    formulas, concepts = _joined(found)
    several = Counter((one.name.casefold(), one.domain) for one in formulas if one.kind == "calculation")
    kept: list[Formula] = []
    for one in formulas:  # «percentage» is another one beside each question
        times = several[one.name.casefold(), one.domain] if one.kind == "calculation" else 1
        if times == 1:
            kept.append(one)
        else:
            refuse(
                one.error(f"one of {times} calculations of this name, each of its question alone", "evidence"), refused
            )
    return without_circles(kept, concepts, refused)


def records(path: Path) -> Iterator[Record]:
    """Yield the objects of a file, each with its line.

    Raises:
        DomainError: it is neither a list of JSON objects nor has one a line.
    """
    text = read_text(path)
    if not text.lstrip().startswith("["):
        yield from read_jsonl(path)
        return
    decoder, at = json.JSONDecoder(), text.index("[") + 1
    while True:
        while text[at : at + 1] in (" ", "\n", "\r", "\t", ","):
            at += 1
        line = text.count("\n", 0, at) + 1
        if text[at : at + 1] == "]":
            return
        try:
            told, at = decoder.raw_decode(text, at)
        except json.JSONDecodeError as error:
            raise DomainError(f"not JSON: {error.msg}", file=path, line=error.lineno) from error
        if not isinstance(told, dict):
            raise DomainError("not a JSON object", file=path, line=line)
        yield Record(told, path, line)


def _chosen(all_: list[Record], schema: Schema | None, path: Path) -> list[Record]:
    """Return the records that are of a schema's database."""
    databases = {_database(one) for one in all_}
    if schema is None or len(databases) < 2:
        return all_
    chosen = [one for one in all_ if _database(one).casefold() == schema.name.casefold()]
    if not chosen:
        problem = f"evidence of {len(databases)} databases, none of which is called {schema.name!r}"
        raise InputError(
            problem, file=path, field="database", hint="its db_id and the database's name must be the same"
        )
    return chosen


def _database(record: Record) -> str:
    return record.text("db_id", "")


def _joined(banks: list[Bank]) -> tuple[list[Formula], dict[str, tuple[str, ...]]]:
    """Return all formulas, those that say the same once, and all that concepts are called."""
    formulas: dict[tuple[str, ...], Formula] = {}
    concepts: dict[str, tuple[str, ...]] = {}
    for bank in banks:
        for one in bank.formulas:
            formulas.setdefault((one.name.casefold(), one.kind, one.expression.text, one.domain), one)
        for name, says in bank.concepts.items():
            concepts[name] = tuple(dict.fromkeys((*concepts.get(name, ()), *says)))
    return list(formulas.values()), concepts
