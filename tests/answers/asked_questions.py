"""Plain questions on three databases, the answers that a person expects, and whether rows are one of them."""

import sqlite3
import tomllib
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import sqlglot

from querent.data.domains.loading import load_domain
from querent.evaluation.metrics import execution_match

HERE = Path(__file__).parent
SCRIPTS = {"shop": HERE.parents[1] / "data" / "shop" / "shop.sql", "library": HERE / "library.sql"}
DATABASES = (*SCRIPTS, "plant")
SETS = ("questions", "probe")

Row = Sequence[Any]
Cell = tuple[int, float, str]
Cells = tuple[Cell, ...]  # a row or a column


@dataclass(frozen=True)
class Question:
    """A question and the queries whose answers are right.

    Attributes:
        id: unique over all sets.
        database: one of `DATABASES`.
        question: as a person types it.
        gold: SQLite; None where the database holds no answer.
        also: queries with other columns that a person would accept as well.
    """

    id: str
    database: str
    question: str
    gold: str | None = None
    also: tuple[str, ...] = ()

    @property
    def queries(self) -> tuple[str, ...]:
        """Return the gold query and those accepted as well; none where there is no answer."""
        return () if self.gold is None else (self.gold, *self.also)


def questions(name: str = "questions") -> tuple[Question, ...]:
    """Read a set: ``questions``, for reports alone, or ``probe``, to look at during development."""
    with (HERE / f"{name}.toml").open("rb") as file:
        entries = tomllib.load(file)["question"]
    return tuple(Question(**(entry | {"also": tuple(entry.get("also", ()))})) for entry in entries)


def databases(folder: Path) -> dict[str, Path]:
    """Build the SQLite files in ``folder``; the plant's is the one that Querent keeps."""
    paths = {name: folder / f"{name}.sqlite" for name in SCRIPTS}
    for name, path in paths.items():
        path.unlink(missing_ok=True)
        with closing(sqlite3.connect(path)) as database:
            database.executescript(_script(name))
    return paths | {"plant": _plant()}


def run(path: Path, sql: str) -> list[Row]:
    """Return the rows of a query; the connection can only read."""
    with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as database:
        return list(database.execute(sql))


def right(question: Question, rows: Sequence[Row] | None) -> bool:
    """Tell whether rows answer the question; None stands for «cannot answer».

    They do if they are the rows of one of the question's queries, whatever the order of columns: in the query's
    order if it has ORDER BY on the outside, else in any. Numbers may differ in the tenth digit.
    """
    if rows is None:
        return question.gold is None
    return any(same(expected(question.database, sql), rows, ordered=in_order(sql)) for sql in question.queries)


@cache
def expected(database: str, sql: str) -> tuple[Row, ...]:
    """Return the rows of one of the questions' queries."""
    return tuple(_open(database).execute(sql))


def in_order(sql: str) -> bool:
    """Tell whether the order of a query's rows is part of its answer."""
    return sqlglot.parse_one(sql, read="sqlite").args.get("order") is not None


def same(wanted: Sequence[Row], given: Sequence[Row], *, ordered: bool) -> bool:
    """Tell whether both are the same table for some order of the columns of ``given``."""
    return execution_match(given, wanted, ordered, any_columns=True)


@cache
def _open(name: str) -> sqlite3.Connection:
    """Return a connection that only reads, kept for the process; the small databases live in memory."""
    if name == "plant":
        return sqlite3.connect(f"{_plant().resolve().as_uri()}?mode=ro", uri=True)
    database = sqlite3.connect(":memory:")
    database.executescript(_script(name))
    database.execute("PRAGMA query_only = ON")
    return database


def _script(name: str) -> str:
    return SCRIPTS[name].read_text(encoding="utf-8")


def _plant() -> Path:
    database = load_domain("plant").database
    assert database is not None, "the plant ships with its database"
    return Path(database)
