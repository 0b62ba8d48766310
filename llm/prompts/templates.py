"""Prompts, as files that a user can copy and change, and a schema as a model reads it.

A prompt file is plain text with placeholders in braces, which are checked before anything is asked. A schema is CREATE
TABLE, a line a column, with descriptions and a few cells as comments.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ...data.databases.database import Database
from ...data.errors import DatabaseError, InputError, did_you_mean
from ...data.schema.ddl_writer import to_ddl
from ...data.schema.schema import Column, Function, Schema, Table
from ...grammar import Grammar

PROMPT_FILES: Mapping[str, Mapping[str, bool]] = {
    # task and dialect; the system's message
    "header": {"functions": True, "program": True, "dialect": False},
    # in its place where no tables are told, to a model that was tuned on them
    "brief": {"program": True, "dialect": False},
    # goes into the header where the database has functions of its own
    "functions": {"functions": True, "dialect": False},
    # goes into the header where the model is to think first
    "program": {},
    # which columns hold the cells that a question names, and how written
    "values": {"values": True},
    # the formulas that a question names
    "formulas": {"formulas": True},
    # how a solved question is asked; no schema (BibSQL 2025, prompt)
    "example": {"question": True, "values": False, "formulas": False},
    # how an answer is written, that to an example as well
    "answer": {"program": True, "sql": True},
    # the question that counts, behind its schema
    "question": {"schema": True, "question": True, "values": False, "formulas": True},
    # what is said of an answer that failed
    "correction": {"problem": True, "sql": False},
}
"""The files of a set, without ``.txt``, with what may stand there in braces, and whether it must."""

_LANGUAGES = ("en", "zh")
_HELD = re.compile(r"\{\{|\}\}|\{(\w+)\}")


@dataclass(frozen=True)
class Template:
    """A text with placeholders: ``{question}``; ``{{`` and ``}}`` stand for braces.

    A line that holds nothing but placeholders is left out where all of them are empty.
    """

    text: str

    def fill(self, **values: str) -> str:
        """Return the text with its values; what they hold in braces stays as it is."""

        def value(match: re.Match[str]) -> str:
            return values[match[1]] if match[1] else match[0][0]

        lines = [(line, _HELD.sub(value, line)) for line in self.text.split("\n")]
        return "\n".join(filled for line, filled in lines if filled.strip() or not line.strip()).strip("\n")


Prompts = Mapping[str, Template]
"""What a model is told: the templates of `PROMPT_FILES`."""


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


def _template(file: Path, language: str) -> Template:
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
    return Template(text)


def _braced(names: Iterable[str]) -> str:
    return ", ".join(f"{{{name}}}" for name in sorted(names))


Cells = Mapping[tuple[str, str], Sequence[str]]
"""A few values of columns, by the names of table and column."""

_LONGEST = 30
"""Characters of a cell that is told; names and codes are shorter, prose is longer."""


def schema_text(schema: Schema, dialect: str, cells: Cells | None = None) -> str:
    """Return the tables of a schema.

    Args:
        dialect: says which names need quotes.
        cells: values that are told beside their columns.
    """
    write = Grammar.for_schema(schema, dialect=dialect).quoting.write
    told = replace(schema, tables=tuple(_with_cells(table, cells or {}) for table in schema.tables))
    return re.sub(r"\n\s*", "\n", to_ddl(told, write)).strip()


def functions_text(schema: Schema) -> str:
    """Return the functions of a schema, one a line: name, arguments, what it returns, what it is."""
    return "\n".join(_function(function) for function in schema.functions)


def _with_cells(table: Table, cells: Cells) -> Table:
    return replace(table, columns=tuple(_with(c, cells.get((table.name, c.name), ())) for c in table.columns))


def _with(column: Column, cells: Sequence[str]) -> Column:
    if not cells:
        return column
    shown = "e.g. " + ", ".join(_quoted(cell) for cell in cells)
    return replace(column, description=f"{column.description}; {shown}" if column.description else shown)


def _quoted(cell: str) -> str:
    doubled = cell.replace("'", "''")
    return f"'{doubled}'"


def _function(function: Function) -> str:
    arguments = ", ".join(f"{a.name} {a.type}" for a in function.arguments)
    told = f"{function.name}({arguments}) -> {function.returns}"
    return f"{told}: {' '.join(function.description.split())}" if function.description else told


def example_cells(schema: Schema, database: Database, most: int = 3) -> Cells:
    """Return the first different short texts of each column, which tell a model how values are written.

    A column that cannot be read within the database's time limit has none.

    Args:
        most: cells of a column.
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
