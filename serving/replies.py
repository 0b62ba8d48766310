"""What goes out, as JSON has it: answers, errors, a schema with what its columns hold."""

from dataclasses import replace
from typing import Any

from ..answers.answer import Answer
from ..data.errors import QuerentError
from ..data.schema.schema import Column, Schema, Table
from ..meaning.profile import DatabaseProfile
from ..meaning.profiling import key_words, stored_as

_EXAMPLES = 5


def answer_json(answer: Answer, most: int | None) -> dict[str, Any]:
    """Return an answer as plain dicts and lists.

    Args:
        most: rows that are wanted, all if None.
    """
    rows = answer.rows[:most]
    return replace(answer, rows=rows, truncated=answer.truncated or len(rows) < len(answer.rows)).to_json()


def problem_json(problem: str, *, field: str | None = None, hint: str | None = None) -> dict[str, Any]:
    """Return an error as every route tells it."""
    return {"error": {"problem": problem, "field": field, "hint": hint}}


def error_json(error: QuerentError) -> dict[str, Any]:
    """Return what a person may know of an error: not in which file of the server it was found."""
    return problem_json(error.problem, field=error.field, hint=error.hint)


def schema_json(schema: Schema, profile: DatabaseProfile) -> dict[str, Any]:
    """Return tables and columns with kinds, keys, and a few cells, as plain dicts and lists.

    Args:
        schema: narrowed to what may be read.
        profile: of that part alone.
    """
    return {"tables": [table_json(table, profile) for table in schema.tables]}


def table_json(table: Table, profile: DatabaseProfile) -> dict[str, Any]:
    """Return one table, as `schema_json` does."""
    columns = [_column(table, column, profile) for column in table.columns]
    told = {"name": table.name, "description": table.description, "rows": profile.rows.get(table.name)}
    return {**told, "columns": columns}


def _column(table: Table, column: Column, profile: DatabaseProfile) -> dict[str, Any]:
    one = profile.column(table.name, column.name)
    primary = column.name in table.primary_key
    return {
        "name": column.name,
        "type": column.type,
        "description": column.description,
        "primary": primary,
        "keys": [key_words(key) for key in profile.keys_from(table.name) if column.name in key.columns],
        "kind": one.kind if one else None,
        "stored_as": stored_as(one) if one else "",
        "examples": list(one.examples[:_EXAMPLES]) if one else [],
        "doubt": one.doubt if one else "",
    }
