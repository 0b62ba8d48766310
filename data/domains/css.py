"""The CSS sets: Chinese questions on medical databases (Zhang et al. 2023, ACL Findings), MySQL dialect."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ..databases.schema_readers import read_schema
from ..errors import DomainError
from ..records import Part, Record, file_in, hashed_part, read_jsonl
from ..schema.schema import Schema
from .aligner import align
from .domain import Domain, Example
from .sql_text import tidy

__all__ = ["read"]

_REWRITTEN = "?rewritten"

_UNIQUE = {"t_kc24": ("MED_CLINIC_ID",)}
"""What the queries take for unique though the DDL does not say it: a visit is settled once, so that three of the
templates use ``(SELECT MED_AMOUT FROM t_kc24 WHERE MED_CLINIC_ID = …)`` as one value."""


def read(path: str | Path, *, language: str | None = None) -> Domain:
    """Read a folder with ``examples.jsonl`` and the DDL beside it.

    Args:
        path: the folder; ``PATH?rewritten`` takes the questions as people rewrote them.
        language: None or ``zh``.

    Raises:
        DomainError: a file is missing, or a line is not laid out so.
        SchemaError: the DDL cannot be read.
    """
    if language not in (None, "zh"):
        raise DomainError(f"no questions in {language!r}", field="language", hint="use 'zh'")
    text = str(path)
    folder = Path(text.removesuffix(_REWRITTEN))
    question = "question_rewritten" if text.endswith(_REWRITTEN) else "question"
    file = file_in(folder, "examples.jsonl")
    scripts = sorted(folder.glob("*.sql"))
    if len(scripts) != 1:
        raise DomainError(f"{len(scripts)} .sql files where one is due", file=folder, hint="leave one, the DDL")
    return Domain(
        name=folder.resolve().name,
        language="zh",
        dialect="mysql",
        schema=_supposed(read_schema(scripts[0], "mysql")),
        examples=tuple(_example(record, question) for record in read_jsonl(file)),
        source=f"css:{path}",
        grouping="loose",  # one query in twenty needs a server without ONLY_FULL_GROUP_BY
    )


def _supposed(schema: Schema) -> Schema:
    """Return the schema with what its queries suppose."""
    tables = (replace(t, unique=(*t.unique, *_UNIQUE.get(t.name, ()))) for t in schema.tables)
    return replace(schema, tables=tuple(tables))


def _example(record: Record, field: str) -> Example:
    question = record.text(field)
    sql = tidy(record.text("sql"), dialect="mysql")
    slotted, values = align(question, sql, dialect="mysql", language="zh")
    name, prototype = record.text("id"), record.text("template")
    return Example(
        id=name,
        question=question,
        sql=sql,
        slotted=slotted,
        values=values,
        prototype=prototype,
        question_split=_part(record, "question_split", name),
        query_split=_part(record, "query_split", prototype),
        line=record.line,
        tags={"level": record.text("level", "")},
    )


def _part(record: Record, field: str, key: str) -> Part:
    return record.part(field, record.text(field)) if field in record.data else hashed_part(key)
