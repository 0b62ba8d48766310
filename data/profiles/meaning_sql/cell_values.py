"""What a cell says that is written otherwise: a number in a text, yes or no in a flag."""

from __future__ import annotations

from ...errors import QueryError
from ..column_profile import FlagCells, NumberText
from .time_pieces import quoted

__all__ = ["is_set", "number_of"]


def number_of(ref: str, number: NumberText, dialect: str) -> str:
    """Return the number that a text says, NULL where it says none.

    Of whole ones it is an integer, of which the constraint admits no SUM in SQLite (it could overflow): there write it
    as if they were not.

    Raises:
        QueryError: PostgreSQL makes a number of no text without the risk of an error.
    """
    if dialect == "postgres":
        raise QueryError("postgres makes no number of a text", hint="use a view that casts it")
    wordless = [cell for cell in number.nothing if not any(sign.isdigit() for sign in cell)]
    text = ref
    for cell in number.nothing:
        if cell not in wordless or len(wordless) == 1:
            text = f"NULLIF({text}, {quoted(cell)})"
    for removed in number.removed:
        text = f"REPLACE({text}, {quoted(removed)}, '')"
    if number.decimal_comma:
        text = f"REPLACE({text}, ',', '.')"
    whole, fraction = ("SIGNED", "DECIMAL(20, 6)") if dialect == "mysql" else ("INTEGER", "REAL")
    value = f"CAST({text} AS {whole if number.whole else fraction})"
    if len(wordless) < 2:
        return value
    digit = f"{ref} REGEXP '[0-9]'" if dialect == "mysql" else f"{ref} GLOB '*[0-9]*'"
    return f"CASE WHEN {digit} THEN {value} END"


def is_set(ref: str, flag: FlagCells | None, dialect: str, yes: bool) -> str:
    """Return the condition that a flag says yes, or no; NULL is neither.

    Args:
        flag: None of a column whose cells say yes by being there, as a day of deletion does.
    """
    if flag is None:
        return f"{ref} IS {'NOT ' if yes else ''}NULL"
    if flag.form == "boolean":
        return ref if yes else f"NOT {ref}"
    written = quoted if flag.form == "text" else str
    if yes or flag.no is not None:
        return f"{ref} = {written(flag.yes if yes or flag.no is None else flag.no)}"
    return f"{ref} <> {written(flag.yes)}"
