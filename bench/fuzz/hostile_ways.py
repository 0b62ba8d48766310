"""The ways by which a hostile query may reach a database, each returning what came back."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import querent
from querent.data.databases.database import Database
from querent.data.errors import QuerentError
from querent.data.schema.schema import Schema
from querent.knowledge.formulas.reading import open_banks
from querent.llm.backends.recorded import RecordedBackend
from querent.llm.options import LlmOptions

__all__ = ["by_database", "by_evidence", "by_examples", "by_formulas", "by_llm"]

_QUESTION = "how many goods are there?"


def by_database(database: Database, queries: Sequence[str]) -> Iterator[str]:
    """Yield what `Database.query` gives for each query: rows or the error."""
    for sql in queries:
        try:
            yield _seen(database.query(sql).rows)
        except QuerentError as error:
            yield f"error: {error}"


def by_llm(place: str, schema: Schema, queries: Sequence[str], folder: Path) -> Iterator[str]:
    """Yield what is answered where a language model writes each query."""
    file = folder / "recorded.jsonl"
    lines = [json.dumps({"texts": [f"```sql\n{sql}\n```"]}) for sql in queries]
    file.write_text("\n".join(lines), encoding="utf-8")
    options = LlmOptions(corrections=0, shots=0)
    with querent.connect_llm(place, RecordedBackend(file), options=options, schema=schema, language="en") as connection:
        for _ in queries:
            answer = connection.ask(_QUESTION)
            yield f"{answer.status}: {_seen(answer.rows)} {answer.reason or ''}"


def by_examples(place: str, access: querent.Access, queries: Sequence[str], folder: Path) -> Iterator[str]:
    """Yield what the shipped parser answers where solved questions have hostile queries."""
    file = folder / "examples.jsonl"
    pairs = [{"id": str(n), "question": f"how many goods of kind {n}?", "sql": sql} for n, sql in enumerate(queries)]
    file.write_text("\n".join(map(json.dumps, pairs)), encoding="utf-8")
    yield from _asked(place, access, [pair["question"] for pair in pairs], examples=file)


def by_formulas(place: str, access: querent.Access, queries: Sequence[str], folder: Path) -> Iterator[str]:
    """Yield what the shipped parser answers where formulas of a bank hold what is hostile, or why they are none."""
    file = folder / "knowledge.toml"
    taken: dict[str, str] = {}
    for n, sql in enumerate(queries):
        line = f"zork{n} = {json.dumps(_expression(sql))}"
        file.write_text(f'domain = "hostile"\n[formulas]\n{line}\n', encoding="utf-8")
        try:
            open_banks([str(file)])
        except QuerentError as error:
            yield f"error: {error}"
        else:
            taken[f"zork{n}"] = line
    file.write_text("\n".join(['domain = "hostile"', "[formulas]", *taken.values()]), encoding="utf-8")
    yield from _asked(place, access, [f"what is the {name} of each goods?" for name in taken], knowledge=[file])


def by_evidence(place: str, access: querent.Access, queries: Sequence[str]) -> Iterator[str]:
    """Yield what the shipped parser answers where the evidence of a question is hostile."""
    with querent.connect(place, language="en", access=access) as connection:
        for n, sql in enumerate(queries):
            verb = "refers to" if n % 2 else "="
            try:
                answer = connection.ask("how many zork goods are there?", evidence=f"zork {verb} {_expression(sql)}")
                yield f"{answer.status}: {_seen(answer.rows)} {answer.sql}"
            except QuerentError as error:
                yield f"error: {error}"


def _asked(place: str, access: querent.Access, questions: Sequence[str], **told: Any) -> Iterator[str]:
    try:
        with querent.connect(place, language="en", access=access, **told) as connection:
            for question in questions:
                answer = connection.ask(question)
                yield f"{answer.status}: {_seen(answer.rows)} {answer.sql}"
    except QuerentError as error:
        yield f"error: {error}"


def _expression(sql: str) -> str:
    """Return what stands behind SELECT, as an expression that a formula may be."""
    return re.sub(r"(?is)^\W*SELECT\s+(.*?)(\s+FROM\s+goods.*)?$", r"\1", sql)


def _seen(rows: Sequence[Sequence[Any]]) -> str:
    """Return rows as text, bytes decoded, so that a secret can be found in them however it comes."""
    return repr([[bytes(c).decode("latin-1") if isinstance(c, bytes | memoryview) else c for c in row] for row in rows])
