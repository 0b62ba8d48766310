"""The text2sql sets: ATIS, GeoQuery, restaurants, academic and others in one layout.

Finegan-Dollak et al. 2018, «Improving Text-to-SQL Evaluation Methodology», data version 4:
``NAME.json``, ``NAME-schema.csv``, and, if at hand, ``NAME.sqlite`` to run queries on.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..errors import DomainError
from ..records import Part, Record, fold_part, read_json, read_text
from ..schema.text2sql import from_text2sql
from ..values.slots import Value, ValueMention, fill_sql
from .aligner import SlotValue, align, fill, literal_of
from .domain import Domain, Example
from .sql_text import names_of, tidy

__all__ = ["read"]

_VARIABLE = r"(?<![A-Za-z0-9_])(?P<name>{})(?![A-Za-z0-9_])"
_NOTHING = re.compile(r"(?!)(?P<name>)")


def read(path: str | Path, *, language: str | None = None) -> Domain:
    """Read one set.

    Args:
        path: ``DIR/NAME``, with or without ``.json``.
        language: None or ``en``.

    Raises:
        DomainError: a file is missing or not laid out so, or the language is another.
        SchemaError: the schema is.
    """
    if language not in (None, "en"):
        raise DomainError(f"no questions in {language!r}", field="language", hint="use 'en'")
    file = Path(f"{str(path).removesuffix('.json')}.json")
    name = file.stem
    schema = from_text2sql(file.with_name(f"{name}-schema.csv")) if file.is_file() else None
    rows = Record({"queries": read_json(file)}, file).objects("queries")
    if schema is None or not rows:
        raise DomainError("holds no queries", file=file, hint="give a file of the text2sql sets")
    database = file.with_suffix(".sqlite")
    dialect = "sqlite" if database.is_file() else "mysql"
    lines = _lines(file)
    prototypes: list[_Prototype] = []
    for number, row in enumerate(rows):
        sentences = [replace(s, line=next(lines, 0)) for s in row.objects("sentences")]
        if not row.data.get("exclude"):
            prototypes.append(_Prototype(row, sentences, f"{name}-{number}", dialect, names_of(schema)))
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


class _Prototype:
    """One query of the set and the questions that ask it."""

    def __init__(self, row: Record, sentences: list[Record], name: str, dialect: str, names: frozenset[str]) -> None:
        queries: Any = row.data.get("sql")
        if not isinstance(queries, list) or not queries or not isinstance(queries[0], str):
            raise row.error(f"query {name} is not a list of SQL texts", "sql")
        self.sentences = [s for s in sentences if not s.data.get("exclude")]
        self.name, self.dialect = name, dialect
        self.usual = {v.text("name"): v.text("example", "") for v in row.objects("variables")}
        self.names = {*self.usual, *(variable for s in self.sentences for variable in _given(s))}
        self.sql = _braced(tidy(queries[0], dialect=dialect, names=names), self.names)
        self.part = _part(row, "query-split")

    def quoted(self) -> set[str]:
        """Return the types of variables that stand in quotes."""
        return {_type(name) for name in self.names if literal_of(name, self.sql) == "string"}

    def examples(self, quoted: Collection[str]) -> Iterator[Example]:
        """Yield the prototype's pairs; ``quoted`` are the types that stand in quotes anywhere in the set."""
        for number, sentence in enumerate(self.sentences):
            yield self._example(sentence, f"{self.name}-{number}", quoted)

    def _example(self, sentence: Record, name: str, quoted: Collection[str]) -> Example:
        given = _given(sentence)
        texts = self.usual | {k: v for k, v in given.items() if v != ""}
        for unknown in (n for n in self.names if n not in texts and "{" + n + "}" in self.sql):
            raise sentence.error(f"no value for {unknown!r}, which the query uses", "variables")
        values = {k: SlotValue(self._type(k, quoted), v, v) for k, v in texts.items()}
        filled = fill(
            sentence.text("text"), self.sql, values, names=_pattern(given, texts), language="en", align=self._align
        )
        return Example(
            id=name,
            question=filled.question,
            sql=fill_sql(filled.slotted, filled.values),
            slotted=filled.slotted,
            values=filled.values,
            prototype=self.name,
            question_split=_part(sentence, "question-split"),
            query_split=self.part,
            line=sentence.line,
        )

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


def _pattern(given: Mapping[str, str], texts: Mapping[str, Any]) -> re.Pattern[str]:
    names = sorted((n for n in texts if given.get(n) != ""), key=len, reverse=True)
    return re.compile(_VARIABLE.format("|".join(map(re.escape, names)))) if names else _NOTHING


def _braced(sql: str, names: set[str]) -> str:
    """Write variables as slots: ``'%name0%'`` as ``'%{name0}%'``, bare ones alike."""
    if not names:
        return sql
    pattern = _VARIABLE.format("|".join(sorted(map(re.escape, names), key=len, reverse=True)))
    return re.sub(pattern, lambda m: "{" + m["name"] + "}", sql)


def _part(record: Record, field: str) -> Part:
    text = record.text(field)
    return fold_part(text) if text.isdigit() else record.part(field, text)
