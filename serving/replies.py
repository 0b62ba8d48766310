"""The bodies of responses: answers, errors, and a schema with the contents of its columns."""

from dataclasses import replace
from typing import Any

from ..answers.answer import Answer
from ..data.errors import QuerentError
from ..data.schema.schema import Column, Table
from ..meaning.profile import DatabaseProfile
from ..meaning.profiling import key_words, stored_as

_EXAMPLES = 5


def answer_json(answer: Answer, most: int | None) -> dict[str, Any]:
    """Return an answer as dicts and lists.

    Args:
        most: the number of rows to return, all if None.
    """
    rows = answer.rows[:most]
    return replace(answer, rows=rows, truncated=answer.truncated or len(rows) < len(answer.rows)).to_json()


def problem_json(problem: str, *, field: str | None = None, hint: str | None = None) -> dict[str, Any]:
    """Return the body of an error."""
    return {"error": {"problem": problem, "field": field, "hint": hint}}


def error_json(error: QuerentError) -> dict[str, Any]:
    """Return the body of an error without its file on the server."""
    return problem_json(error.problem, field=error.field, hint=error.hint)


def table_json(table: Table, profile: DatabaseProfile) -> dict[str, Any]:
    """Return a table with the kinds, keys and a few cells of its columns, as dicts and lists.

    Args:
        profile: the profile of the part of the schema that may be read.
    """
    columns = [_column(table, column, profile) for column in table.columns]
    rows = profile.rows.get(table.name)
    return {"name": table.name, "description": table.description, "rows": rows, "columns": columns}


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
