"""The text of prompts: templates in files that a user can copy and change, and the text of a schema.

A template is plain text with placeholders in braces, which are checked when it is read. The text of a schema is CREATE
TABLE, a line a column, with descriptions and a few cells as comments.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ...data.databases.database import Database
from ...data.errors import DatabaseError, InputError, did_you_mean
from ...data.schema.ddl_writer import to_ddl
from ...data.schema.schema import Column, Schema, Table
from ...data.values.slots import quoted
from ...grammar import Grammar

PROMPT_FILES: Mapping[str, Mapping[str, bool]] = {
    # task and dialect; the system's message
    "header": {"functions": True, "program": True, "dialect": False},
    # in its place for a prompt without tables, to a model that was tuned on them
    "brief": {"program": True, "dialect": False},
    # goes into the header where the database has functions of its own
    "functions": {"functions": True, "dialect": False},
    # goes into the header where the model is to write a program of thoughts
    "program": {},
    # the values that a question names, as cells of columns
    "values": {"values": True},
    # the formulas that a question names
    "formulas": {"formulas": True},
    # a solved question, without a schema (BibSQL 2025, prompt)
    "example": {"question": True, "values": False, "formulas": False},
    # an answer, that to an example as well
    "answer": {"program": True, "sql": True},
    # the new question, behind its schema
    "question": {"schema": True, "question": True, "values": False, "formulas": True},
    # the reply to an answer that failed
    "correction": {"problem": True, "sql": False},
}
"""The files of a set, without ``.txt``, with the placeholders that they may have, and whether they must."""

_LANGUAGES = ("en", "zh")
_HELD = re.compile(r"\{\{|\}\}|\{(\w+)\}")


Prompts = Mapping[str, str]
"""The templates of `PROMPT_FILES`: ``{question}`` is a placeholder, ``{{`` and ``}}`` stand for braces."""


def fill(template: str, **values: str) -> str:
    """Return a template with its values, whose own braces stay as they are.

    A line of nothing but placeholders is left out where all of them are empty.
    """

    def value(match: re.Match[str]) -> str:
        return values[match[1]] if match[1] else match[0][0]

    lines = [(line, _HELD.sub(value, line)) for line in template.split("\n")]
    return "\n".join(filled for line, filled in lines if filled.strip() or not line.strip()).strip("\n")


def shipped_prompts(language: str) -> Path:
    """Return the folder of the prompts that come with Querent.

    Raises:
        InputError: there are none in the language.
    """
    if language not in _LANGUAGES:
        hint = did_you_mean(language, _LANGUAGES) or f"use {' or '.join(_LANGUAGES)}"
        raise InputError(f"no prompts in the language {language!r}", field="language", hint=hint)
    return Path(__file__).parent / language


def load_prompts(folder: str | Path | None = None, *, language: str = "en") -> Prompts:
    """Read a set of prompt files.

    Args:
        folder: with a file for each of `PROMPT_FILES`; the shipped one of the language if None.

    Raises:
        InputError: a file is missing or called otherwise, or a placeholder is missing or unknown; with file and line.
    """
    place = shipped_prompts(language) if folder is None else Path(folder)
    if not place.is_dir():
        raise InputError("no such folder of prompts", file=place, hint=f"copy {shipped_prompts(language)} to it")
    for file in sorted(place.glob("*.txt")):
        if file.stem not in PROMPT_FILES:
            hint = did_you_mean(file.stem, PROMPT_FILES) or f"use {', '.join(PROMPT_FILES)}"
            raise InputError(f"no prompt is called {file.stem!r}", file=file, hint=hint)
    return {name: _template(place / f"{name}.txt", language) for name in PROMPT_FILES}


def _template(file: Path, language: str) -> str:
    if not file.is_file():
        raise InputError("no such prompt", file=file, hint=f"copy {shipped_prompts(language) / file.name} to it")
    try:
        text = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8: {error}", file=file, hint="save the file as UTF-8") from error
    known, found = PROMPT_FILES[file.stem], set[str]()
    for number, line in enumerate(text.split("\n"), start=1):
        for name in (match[1] for match in _HELD.finditer(line) if match[1]):
            if name not in known:
                hint = did_you_mean(name, known) or (f"use {_braced(known)}" if known else "write {{ for a brace")
                raise InputError("no such placeholder", file=file, line=number, field=name, hint=hint)
            found.add(name)
    needed = {name for name, must in known.items() if must}
    if missing := sorted(needed - found):
        hint = f"write {_braced(missing[:1])} where it belongs"
        raise InputError("the placeholder is missing", file=file, line=1, field=missing[0], hint=hint)
    return text


def _braced(names: Iterable[str]) -> str:
    return ", ".join(f"{{{name}}}" for name in sorted(names))


Cells = Mapping[tuple[str, str], Sequence[str]]
"""A few values of columns, by the names of table and column."""

_LONGEST = 30
"""The greatest length of a cell in a prompt; names and codes are shorter, prose is longer."""


def schema_text(schema: Schema, dialect: str, cells: Cells | None = None) -> str:
    """Return the tables of a schema.

    Args:
        dialect: decides which names need quotes.
        cells: values for the comments of their columns.
    """
    write = Grammar.for_schema(schema, dialect=dialect).quoting.write
    cells = cells or {}
    columns = {t.name: tuple(_with_cells(c, cells.get((t.name, c.name), ())) for c in t.columns) for t in schema.tables}
    tables = tuple(replace(table, columns=columns[table.name]) for table in schema.tables)
    return re.sub(r"\n\s*", "\n", to_ddl(replace(schema, tables=tables), write)).strip()


def functions_text(schema: Schema) -> str:
    """Return the functions of a schema, one a line: name, arguments, type of the result, description."""
    lines: list[str] = []
    for one in schema.functions:
        arguments = ", ".join(f"{a.name} {a.type}" for a in one.arguments)
        description = f": {' '.join(one.description.split())}" if one.description else ""
        lines.append(f"{one.name}({arguments}) -> {one.returns}{description}")
    return "\n".join(lines)


def _with_cells(column: Column, cells: Sequence[str]) -> Column:
    """Return a column with cells at the end of its description."""
    if not cells:
        return column
    examples = f"e.g. {', '.join(map(quoted, cells))}"
    return replace(column, description=f"{column.description}; {examples}" if column.description else examples)


def example_cells(schema: Schema, database: Database, most: int = 3) -> Cells:
    """Return the first different short texts of each column, which show how its values are written.

    A column that cannot be read within the database's time limit has none.

    Args:
        most: how many of a column.
    """
    found = {
        (table.name, column.name): _cells(database, table, column.name, most) for table, column in schema.columns()
    }
    return {place: cells for place, cells in found.items() if cells}


def _cells(database: Database, table: Table, column: str, most: int) -> tuple[str, ...]:
    try:
        cells = database.distinct(table, column, limit=2 * most)
    except DatabaseError:
        return ()
    texts = [" ".join(cell.split()) for cell in cells if isinstance(cell, str)]
    return tuple(text for text in texts if 0 < len(text) <= _LONGEST)[:most]
