"""Public sets of questions on one database: CSS, one database of Spider and its kin, and the text2sql sets."""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..databases.schema_readers import read_schema
from ..errors import DomainError, did_you_mean
from ..parsing import tidy
from ..records import PARTS, Part, Record, file_in, fold_part, hashed_part, read_json, read_jsonl, read_text
from ..schema.schema import Schema
from ..schema.text2sql import from_text2sql
from ..values.slots import SLOT, Value, ValueMention, fill_sql
from .aligner import SlotValue, align, fill, literal_of
from .collection import from_spider, pair_records
from .domain import Domain, Example


def _only(language: str | None, own: str) -> None:
    if language not in (None, own):
        raise DomainError(f"no questions in {language!r}", field="language", hint=f"use {own!r}")


_UNIQUE = {"t_kc24": ("MED_CLINIC_ID",)}
"""Columns that are unique although the DDL does not declare it: a visit is settled once, so that three of the templates
use ``(SELECT MED_AMOUT FROM t_kc24 WHERE MED_CLINIC_ID = …)`` as one value."""


def read_css(path: str | Path, *, language: str | None = None) -> Domain:
    """Read a CSS set: Chinese questions on a medical database (Zhang et al. 2023, ACL Findings), MySQL dialect.

    Args:
        path: a folder with ``examples.jsonl`` and the DDL.
        language: None or ``zh``.

    Raises:
        DomainError: a file is missing, or a line is not laid out so.
        SchemaError: the DDL cannot be read.
    """
    _only(language, "zh")
    folder = Path(path)
    file = file_in(folder, "examples.jsonl")
    scripts = sorted(folder.glob("*.sql"))
    if len(scripts) != 1:
        raise DomainError(f"{len(scripts)} .sql files where one is due", file=folder, hint="leave one, the DDL")
    schema = read_schema(scripts[0], "mysql")
    tables = (replace(t, unique=(*t.unique, *_UNIQUE.get(t.name, ()))) for t in schema.tables)
    return Domain(
        name=folder.resolve().name,
        language="zh",
        dialect="mysql",
        schema=replace(schema, tables=tuple(tables)),
        examples=tuple(_css_example(record) for record in read_jsonl(file)),
        source=f"css:{path}",
        grouping="loose",  # one query in twenty needs a server without ONLY_FULL_GROUP_BY
    )


def _css_example(record: Record) -> Example:
    question, sql = record.text("question"), tidy(record.text("sql"), dialect="mysql")
    slotted, values = align(question, sql, dialect="mysql", language="zh")
    name, prototype = record.text("id"), record.text("template")
    parts = [
        record.choice(split, PARTS, record.text(split), "part") if split in record.data else hashed_part(key)
        for split, key in (("question_split", name), ("query_split", prototype))
    ]
    tags = {"level": record.text("level", "")}
    return Example(name, question, sql, slotted, values, prototype, *parts, line=record.line, tags=tags)


def read_spider(path: str | Path, *, language: str | None = None) -> Domain:
    """Read the pairs of one database of Spider or its kin (Yu et al. 2018; see `spider`).

    Spider parts its databases, not the questions on one of them, so its own parts mean nothing here: parts are by hash.

    Args:
        path: ``DIR#db_id``; ``#db_id`` may be left out where all pairs are on one database.
        language: of the questions; None means ``en`` (CSpider and its kin: ``zh``).

    Raises:
        DomainError: a file is missing or not laid out so, or no database is picked.
        SchemaError: ``tables.json`` has no such database.
    """
    text, _, db_id = str(path).partition("#")
    folder, language = Path(text), language or "en"
    tables = file_in(folder, "tables.json")
    records = list(pair_records(folder))
    ids = sorted({record.text("db_id") for record in records})
    if not db_id and len(ids) == 1:
        db_id = ids[0]
    if db_id not in ids:
        hint = did_you_mean(db_id, ids) or f"write spider:{text}#{ids[0] if ids else 'DB_ID'}"
        raise DomainError(f"no pairs on database {db_id!r}", file=folder, field="db_id", hint=hint)
    schema = from_spider(tables, db_id)
    database = folder / "database" / db_id / f"{db_id}.sqlite"
    own = (record for record in records if record.text("db_id") == db_id)
    return Domain(
        name=db_id,
        language=language,
        dialect="sqlite",
        schema=schema,
        examples=tuple(_spider_example(r, f"{db_id}-{i}", schema, language) for i, r in enumerate(own)),
        database=str(database) if database.is_file() else None,
        source=f"spider:{text}#{db_id}",
    )


def _spider_example(record: Record, name: str, schema: Schema, language: str) -> Example:
    question = record.text("question")
    sql = tidy(record.text("query"), dialect="sqlite", names=schema.names)
    slotted, values = align(question, sql, language=language)
    prototype = SLOT.sub(r"{\1}", slotted).lower()  # whatever the values, one pattern
    return Example(name, question, sql, slotted, values, prototype, hashed_part(name), hashed_part(prototype))


def read_text2sql(path: str | Path, *, language: str | None = None) -> Domain:
    """Read one of the text2sql sets, as ATIS, GeoQuery, restaurants and academic are.

    Finegan-Dollak et al. 2018, «Improving Text-to-SQL Evaluation Methodology», data version 4: ``NAME.json``,
    ``NAME-schema.csv``, and, if at hand, ``NAME.sqlite`` to run queries on.

    Args:
        path: ``DIR/NAME``, with or without ``.json``.
        language: None or ``en``.

    Raises:
        DomainError: a file is missing or not laid out so, or the language is another.
        SchemaError: the schema is.
    """
    _only(language, "en")
    file = Path(f"{str(path).removesuffix('.json')}.json")
    name, database = file.stem, file.with_suffix(".sqlite")
    rows = Record({"queries": read_json(file)}, file).objects("queries")
    if not rows:
        raise DomainError("holds no queries", file=file, hint="give a file of the text2sql sets")
    schema = from_text2sql(file.with_name(f"{name}-schema.csv"))
    dialect = "sqlite" if database.is_file() else "mysql"
    lines = _lines(file)
    prototypes: list[_VariableQuery] = []
    for number, row in enumerate(rows):
        sentences = [replace(s, line=next(lines, 0)) for s in row.objects("sentences")]
        if not row.data.get("exclude"):
            prototypes.append(_VariableQuery(row, sentences, f"{name}-{number}", dialect, schema.names))
    quoted = {kind for prototype in prototypes for kind in prototype.quoted()}
    return Domain(
        name=name,
        language="en",
        dialect=dialect,
        schema=schema,
        examples=tuple(example for prototype in prototypes for example in prototype.examples(quoted)),
        database=str(database) if database.is_file() else None,
        source=f"text2sql:{path}",
    )


def _lines(file: Path) -> Iterator[int]:
    """Yield the line of each sentence's text, in order, for messages."""
    for number, line in enumerate(read_text(file).split("\n"), start=1):
        if line.lstrip().startswith('"text":'):
            yield number


class _VariableQuery:
    """One query of a text2sql set, with its variables, and the questions that ask it."""

    def __init__(self, row: Record, sentences: list[Record], name: str, dialect: str, names: frozenset[str]) -> None:
        queries: Any = row.data.get("sql")
        if not isinstance(queries, list) or not queries or not isinstance(queries[0], str):
            raise row.error(f"query {name} is not a list of SQL texts", "sql")
        self.sentences = [s for s in sentences if not s.data.get("exclude")]
        self.name, self.dialect = name, dialect
        self.usual = {v.text("name"): v.text("example", "") for v in row.objects("variables")}
        self.names = {*self.usual, *(variable for s in self.sentences for variable in _given(s))}
        # variables become slots: '%name0%' is '%{name0}%', bare ones alike
        self.sql = _pattern(self.names).sub(
            lambda m: "{" + m["name"] + "}", tidy(queries[0], dialect=dialect, names=names)
        )
        self.part = _text2sql_part(row, "query-split")

    def quoted(self) -> set[str]:
        """Return the types of variables that stand in quotes."""
        return {_type(name) for name in self.names if literal_of(name, self.sql) == "string"}

    def examples(self, quoted: Collection[str]) -> Iterator[Example]:
        """Yield the query's pairs; ``quoted`` are the types that stand in quotes anywhere in the set."""
        for number, sentence in enumerate(self.sentences):
            yield self._example(sentence, f"{self.name}-{number}", quoted)

    def _example(self, sentence: Record, name: str, quoted: Collection[str]) -> Example:
        given = _given(sentence)
        texts = self.usual | {k: v for k, v in given.items() if v != ""}
        for unknown in (n for n in self.names if n not in texts and "{" + n + "}" in self.sql):
            raise sentence.error(f"no value for {unknown!r}, which the query uses", "variables")
        values = {k: SlotValue(self._type(k, quoted), v, v) for k, v in texts.items()}
        mentioned = _pattern([n for n in texts if given.get(n) != ""])
        filled = fill(sentence.text("text"), self.sql, values, names=mentioned, language="en", align=self._align)
        sql = fill_sql(filled.slotted, filled.values)
        parts = _text2sql_part(sentence, "question-split"), self.part
        return Example(name, filled.question, sql, filled.slotted, filled.values, self.name, *parts, line=sentence.line)

    def _align(self, question: str, sql: str, known: tuple[ValueMention, ...]) -> tuple[str, tuple[Value, ...]]:
        return align(question, sql, dialect=self.dialect, language="en", known=known)

    def _type(self, name: str, quoted: Collection[str]) -> str:
        # academic calls the 10 of COUNT(title) > 10 a publication_title: a count must not look like a title
        counted = _type(name) in quoted and literal_of(name, self.sql) == "number"
        return "number" if counted else _type(name)


def _given(sentence: Record) -> Mapping[str, str]:
    given: Any = sentence.data.get("variables", {})
    if not isinstance(given, dict) or not all(isinstance(value, str) for value in given.values()):
        raise sentence.error("not an object of texts", "variables")
    return given


def _type(variable: str) -> str:
    return variable.rstrip("0123456789")


def _pattern(names: Collection[str]) -> re.Pattern[str]:
    """Return a pattern that matches some variables, the longest first."""
    longest = sorted(sorted(map(re.escape, names)), key=len, reverse=True)
    return re.compile(rf"(?<![A-Za-z0-9_])(?P<name>{'|'.join(longest) or '(?!)'})(?![A-Za-z0-9_])")


def _text2sql_part(record: Record, field: str) -> Part:
    text = record.text(field)
    return fold_part(text) if text.isdigit() else record.choice(field, PARTS, text, "part")
