"""A back end that answers from a list, and a small database to ask."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from querent.data.databases.schema_readers import from_ddl
from querent.data.errors import LlmError
from querent.llm.messages import Completions, Message, SqlTask

DDL = """
CREATE TABLE author (name TEXT PRIMARY KEY, country TEXT, birth INTEGER);
CREATE TABLE book (title TEXT PRIMARY KEY, author TEXT REFERENCES author (name), year INTEGER, pages INTEGER);
"""
ROWS = """
INSERT INTO author VALUES ('Mo', 'Chile', 1950), ('Li', 'China', 1960);
INSERT INTO book VALUES ('Dune', 'Mo', 1980, 500), ('Sand', 'Mo', 1990, 200), ('Rain', 'Li', 1999, 300);
"""
SCHEMA = from_ddl(DDL, "sqlite")


def write_books(folder: Path) -> Path:
    """Write the database as a SQLite file."""
    file = folder / "books.sqlite"
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(DDL + ROWS)
        connection.commit()
    return file


class Scripted:
    """Answers from a list; an error in it is raised, and so is the end of the list."""

    name = "scripted"

    def __init__(self, answers: Sequence[str | Exception], *, context: int | None = None, counts: bool = True) -> None:
        self.context = context
        self.asked: list[list[Message]] = []
        self.settings: list[dict[str, object]] = []
        self._answers = list(answers)
        self._counts = counts

    def complete(
        self, messages: Sequence[Message], *, n: int = 1, temperature: float = 0.0, max_tokens: int = 256
    ) -> Completions:
        self.asked.append(list(messages))
        self.settings.append({"n": n, "temperature": temperature, "max_tokens": max_tokens})
        texts = [self._next() for _ in range(n)]
        return Completions(tuple(texts), self.count(messages), 10 * n) if self._counts else Completions(tuple(texts))

    def count(self, messages: Sequence[Message]) -> int:
        return sum(len(message.content.split()) for message in messages)

    def _next(self) -> str:
        if not self._answers:
            raise LlmError("the script is over")
        answer = self._answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


class Masked(Scripted):
    """One whose tokens can be masked, as far as its script is what a mask would let through."""

    def __init__(self, answers: Sequence[str | Exception]) -> None:
        super().__init__(answers)
        self.tasks: list[SqlTask] = []

    def complete_sql(
        self, messages: Sequence[Message], task: SqlTask, *, n: int = 1, temperature: float = 0.0, max_tokens: int = 256
    ) -> Completions:
        self.tasks.append(task)
        return self.complete(messages, n=n, temperature=temperature, max_tokens=max_tokens)


def fenced(sql: str) -> str:
    return f"```sql\n{sql}\n```"
