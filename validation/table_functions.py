"""Tables that functions make in FROM: what each shows, in expressions that fail where the function does.

Functions that fail on some rows, as jsonb_array_elements does where there is no array, stand as others that do.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..grammar.reading.lexer import Lexeme
from .lexeme_tree import Group, Nodes, UnableError, flat, index_of, split, word
from .query_rewriting import QueryRewriting, types_called

__all__ = ["made_by_engine", "made_by_function"]

_JSON_EACH = ("key", "value", "type", "atom", "id", "parent", "fullkey", "path")
_ROWS = {
    "REGEXP_SPLIT_TO_TABLE": "REGEXP_REPLACE({}, '')",
    "STRING_TO_TABLE": "SPLIT_PART({}, 1)",
    "REGEXP_MATCHES": "REGEXP_MATCH({})",
    "JSONB_ARRAY_ELEMENTS": "CASE WHEN JSONB_ARRAY_LENGTH({0}) > 0 THEN ({0}) -> 0 END",
    "JSONB_ARRAY_ELEMENTS_TEXT": "CASE WHEN JSONB_ARRAY_LENGTH({0}) > 0 THEN ({0}) ->> 0 END",
    "JSONB_OBJECT_KEYS": "JSONB_SET({}, '{{a}}', '{{}}') ->> 'a'",
}
"""What is in a row of what a function of PostgreSQL makes, in words that take the same types and fail where it does."""

_CAST = {"INT": "SIGNED", "INTEGER": "SIGNED", "BIGINT": "SIGNED", "VARCHAR": "CHAR", "TEXT": "CHAR"}

_ELSE = re.compile(r"(?:(?:NULL|DEFAULT (?:'[^']*'|[\w.]+)) ON (?:EMPTY|ERROR)(?: |$))*")
"""What a column of JSON_TABLE shows in place of an error."""


def made_by_function(rewriting: QueryRewriting, function: Lexeme, called: Group, alias: str) -> str | None:
    """Return the SELECT of what a function makes of its arguments, without FROM; None if nothing is known of it.

    Args:
        rewriting: of the query that calls it.
        function: its name.
        called: its arguments, in brackets.
        alias: what the table is called, empty if nothing.
    """
    arguments = split(called.nodes)
    match rewriting.grammar.dialect, word(function), len(arguments):
        case "sqlite", "JSON_EACH" | "JSON_TREE", 1 | 2:
            path = _text(arguments[1]) if len(arguments) > 1 else "'$'"
            value = f"JSON_EXTRACT({_text(arguments[0])}, {path})"
            return "SELECT " + ", ".join(f"{value} AS {name}" for name in _JSON_EACH)
        case "mysql", "JSON_TABLE", 2 if isinstance(columns := arguments[1][-1], Group) and len(arguments[1]) == 3:
            document = f"JSON_EXTRACT({_text(arguments[0])}, {_text(arguments[1][:1])})"
            found = [_json_column(part, document) for part in split(columns.nodes)]
            able = all(found) and _is_json(rewriting, arguments[0])
            return f"SELECT {', '.join(filter(None, found))}" if able else None
        case "postgres", name, _:
            return _rows(rewriting, name, called, alias or name.lower())
        case _:
            return None


def made_by_engine(rewriting: QueryRewriting, table: Lexeme) -> str | None:
    """Return the SELECT of what a table of MariaDB's sequence engine shows, ``seq_1_to_30``; None if it is none."""
    found = re.fullmatch(r"SEQ_\d{1,9}_TO_(\d{1,9})(?:_STEP_[1-9]\d{0,8})?", word(table))
    if rewriting.grammar.dialect != "mysql" or found is None or rewriting.grammar.names.table(table.parts):
        return None
    several = rewriting.grammar.quoting.write(rewriting.grammar.schema.tables[0].name)
    return f"SELECT CAST({found[1]} AS UNSIGNED) AS seq FROM {several}"


def _rows(rewriting: QueryRewriting, name: str, called: Group, alias: str) -> str | None:
    """Return the SELECT of what a function of PostgreSQL makes."""
    arguments = split(called.nodes)
    if name == "GENERATE_SERIES" and len(arguments) in {2, 3}:
        return _series(arguments, alias)
    if name == "UNNEST":
        return f"SELECT {_element(rewriting, called.nodes)} AS {alias}"
    if name in {"JSONB_EACH", "JSONB_EACH_TEXT"}:
        value = f"JSONB_SET({_text(called.nodes)}, '{{a}}', '{{}}')"
        return f"SELECT {value} ->> 'a' AS key, {value} {'->>' if name.endswith('TEXT') else '->'} 'a' AS value"
    if name.startswith("JSONB_ARRAY") and any(x.parts and word(x).endswith("VALUE") for x in rewriting.lexemes):
        alias = "value"  # the column is called so, and the row, which is the same, as the table
    return f"SELECT {_ROWS[name].format(_text(called.nodes))} AS {alias}" if name in _ROWS else None


def _element(rewriting: QueryRewriting, array: Nodes) -> str:
    """Return what is in an array that is written out, or in a column of texts or of integers."""
    match array:
        case (Lexeme() as made, Lexeme(text="["), *listed, Lexeme(text="]")) if word(made) == "ARRAY":
            if index_of(tuple(listed), ("]",)) < len(listed):  # several arrays
                raise UnableError
            return f"COALESCE({_text(tuple(listed))})"
        case (Lexeme() as column,) if types_called(rewriting, column) == {"VARCHAR[]"}:
            return f"ARRAY_TO_STRING({column.text}, '')"
        case _:
            return f"({_text(array)})[1]"


def _is_json(rewriting: QueryRewriting, document: Nodes) -> bool:
    """Say whether a document is a column of JSON, or a text that is some."""
    match document:
        case (Lexeme(kind="string") as text,):
            return "document" in rewriting.grammar.types.literal_kinds(text.text[1:-1])
        case (Lexeme() as column,):
            return types_called(rewriting, column) == {"JSON"}
        case _:
            return False


def _json_column(part: Nodes, document: str) -> str | None:
    """``name VARCHAR(20) PATH '$.a'``: as a cast of what is there."""
    path, name = index_of(part, ("PATH",)), _text(part[:1])
    if [word(n) for n in part[1:]] == ["FOR", "ORDINALITY"]:
        return f"1 AS {name}"
    last = part[path + 1] if path + 1 < len(part) else None
    sized = all(isinstance(node, Group) for node in part[2:path])
    if not isinstance(last, Lexeme) or not sized or not _ELSE.fullmatch(_text(part[path + 2 :]).upper()):
        return None
    type_ = " ".join([_CAST.get(word(part[1]), word(part[1])), _text(part[2:path])])
    return f"CAST(JSON_VALUE({document}, {last.text}) AS {type_}) AS {name}"


def _series(arguments: Sequence[Nodes], name: str) -> str | None:
    """``generate_series(1, n)`` of numbers, with a third argument of times as well, by a step that is written out."""
    first, last = map(_text, arguments[:2])
    step = [lexeme.text for lexeme in flat(arguments[2])] if len(arguments) > 2 else ["1"]
    step = step[:-2] if step[-2:-1] == ["::"] else step
    if (
        len(arguments[0]) == 1 == first.count("'") - 1
        or step[-1].strip("'")[:1] not in set("123456789")
        or len(step) > 2
    ):
        return None
    # what has no remainder, as doubles, has no series
    numbers = f"({first}) % 7, ({last}) % 7, 0"
    like = numbers if step[-1].isdigit() else f"TIMESTAMP '2024-01-01 00:00:00' + INTERVAL {step[-1]}"
    return f"SELECT COALESCE({first}, {last}, {like}) AS {name}"


def _text(nodes: Nodes) -> str:
    return " ".join(lexeme.text for lexeme in flat(nodes))
