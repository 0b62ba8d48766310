"""Random queries on what columns mean: does an engine refuse one?

Tables hold times in all storages, flags, numbers in texts; in some of them later rows say something else than those
that the profile saw. Questions say periods, parts of times and flags; words are drawn at random from all that the
constraint allows, those of a meaning often. A time-out is no error, but is counted.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import sqlalchemy
from rich.progress import track
from sqlalchemy import BigInteger, Boolean, Column, Date, DateTime, Engine, Integer, MetaData, String, Table

from querent.data.databases.database import Database
from querent.data.databases.schema_readers import read_schema
from querent.data.errors import DatabaseError, TimeLimitError
from querent.data.sql.query import Query
from querent.data.urls import dialect_of
from querent.data.values.slots import Value, ValueMention
from querent.grammar import EOS, Constraint
from querent.meaning.profiling import open_profile
from querent.ner.index import ValueIndex
from querent.parser.decoding.starting import StartingPoint
from querent.parser.normal_form import ShortConstraint
from querent.parser.normal_form.top_k_per_group import for_engines
from querent.parser.reader.context import DatabaseContext
from querent.parser.reader.formula_items import offered
from querent.parser.reader.question import QuestionWords, ValueNode
from querent.parser.reader.virtual_columns import virtual_columns

from .engines import databases
from .schemas import TOLD

NOW = datetime(2024, 5, 15, 10, 30)
A_DATABASE = 50  # queries on one database, and five on one question


_ROWS = 40
_FIRST = datetime(2021, 1, 1)


def run(options: argparse.Namespace) -> dict[str, Any]:
    """Write and run all, print what goes wrong, and return the figures."""
    tally, problems = Counter[str](meant=0, errors=0, time_outs=0), Counter[str]()
    for number in track(range(0, options.queries, A_DATABASE), "databases", disable=not sys.stderr.isatty()):
        rng = random.Random(f"{options.seed}:{number}")
        cells = tables(rng, options.engine)
        with made(options.engine, options.url, cells) as place:
            for sql, problem in walked(place, cells, rng, min(A_DATABASE, options.queries - number)):
                tally["queries"] += 1
                tally["meant"] += any(mark in sql for mark in ("202", "CAST", "STRFTIME", "TO_CHAR", "REPLACE"))
                if problem is not None:
                    kind = "time_outs" if isinstance(problem, TimeLimitError) else "errors"
                    tally[kind] += 1
                    problems[problem.problem.split(": ", 1)[-1][:90]] += 1  # without its place
                    print(f"{kind}: {problem}\n  {sql}", flush=True)
    return {"seed": options.seed, **tally, "problems": dict(problems.most_common())}


@contextmanager
def made(engine: str, server: str | None, cells: Cells) -> Generator[str]:
    """Make a database with some tables; its file or URL is good until the end of the block."""
    with tempfile.TemporaryDirectory() as folder, databases(engine, 1, server) as (url,):
        place = url or f"sqlite:///{folder}/meant.sqlite"
        cells.fill(sqlalchemy.create_engine(place), cells.rows)
        yield place.removeprefix("sqlite:///")


def walked(place: str, cells: Cells, rng: random.Random, count: int) -> Generator[tuple[str, DatabaseError | None]]:
    """Yield queries on a database, each with the objection of the engine; later rows come behind the profile."""
    schema = read_schema(place)
    with tempfile.TemporaryDirectory() as folder, Database.open(place, timeout=5) as database:
        profile = open_profile(place, schema, cache=Path(folder))
        index = ValueIndex.open(place, schema, cache=Path(folder))
        cells.fill(sqlalchemy.create_engine(place if "://" in place else f"sqlite:///{place}"), cells.later)
        told: dict[str, Any] = {"dialect": dialect_of(place), "language": "en", "now": NOW, "profile": profile}
        context = DatabaseContext.of(schema, index, **told)
        constraint = ShortConstraint(Constraint(context.vocabulary, budget=100, sources=3))
        starts = (started(constraint, context, rng) for _ in range(0, count, 5))
        for sql in islice((written(start, rng) for start in starts for _ in range(5)), count):
            try:
                database.query(sql)
                yield sql, None
            except DatabaseError as error:
                yield sql, error
        index.close()


def started(constraint: ShortConstraint, context: DatabaseContext, rng: random.Random) -> StartingPoint:
    """Return where queries of a question drawn at random start."""
    question = ", ".join(
        piece for kind in ("times", "parts", "rest") for piece in rng.sample(TOLD["questions"][kind], 2)
    )
    found = context.values(question)
    words = QuestionWords(question, ("q",), (), (), tuple(ValueNode(value, 0, 1, 9) for value in found))
    items = offered(context, (), virtual=virtual_columns(context, question, found))
    own = context if items is None else items.context
    filled = {f"text{i}" for i in range(len(found))}
    filled |= {f"number{i}" for i, value in enumerate(found) if value.kind == "number"}
    unread = [word.text == "ESCAPE" or bool(word.slot and word.slot not in filled) for word in own.vocabulary.words]
    read: Any = SimpleNamespace(question=words, places=-np.array(unread, np.int64))
    return StartingPoint(constraint, context, read, items)


def written(start: StartingPoint, rng: random.Random) -> str:
    """Return a query of words drawn at random, those of a meaning often."""
    meanings, state = start.meanings, start.state()
    virtual = range(len(start.constraint.vocabulary), len(start.read.places))
    often = {*virtual, *(() if meanings is None else (*meanings.value_of, *meanings.columns, *meanings.nth))}
    while True:
        allowed = np.flatnonzero(state.allowed() & (start.read.places >= 0)).tolist()
        liked = [word for word in allowed if word in often]
        if not allowed:  # only values that no question says are left: no network goes this way
            state = start.state()
            continue
        word = rng.choice(liked if liked and rng.random() < 0.5 else allowed)
        state = state.advance(word)
        if word == EOS:
            break
    values = [Value(slot, ValueMention(0, 0, text, slot, text)) for slot, text in start.slots.items()]
    vocabulary = start.constraint.vocabulary
    query = Query(vocabulary.decode(state.sql_words), vocabulary.grammar.dialect, tuple(values))
    return for_engines(query, vocabulary.grammar.schema).sql


@dataclass(frozen=True)
class Cells:
    """Tables with their rows by name; later rows come after the profile, and some of them contradict it."""

    metadata: MetaData
    rows: dict[str, list[dict[str, Any]]]
    later: dict[str, list[dict[str, Any]]]

    def fill(self, engine: Engine, rows: dict[str, list[dict[str, Any]]]) -> None:
        """Create the tables where they are missing, and add rows."""
        self.metadata.create_all(engine)
        with engine.begin() as connection:
            for table in self.metadata.sorted_tables:
                connection.execute(table.insert(), rows[table.name])
        engine.dispose()


def tables(rng: random.Random, engine: str) -> Cells:
    """Return two tables, the second of which refers to the first."""
    cells, kinds = Cells(MetaData(), {}, {}), TOLD["meanings"]
    for name in ("thing", "event"):
        makes = [
            one for kind, count in (("texts", 4), ("numbers", 3)) for one in rng.sample(sorted(kinds[kind]), count)
        ]
        columns: list[Column[Any]] = [Column("id", Integer, primary_key=True), Column("label", String(20))]
        columns += [Column(one, String(40) if one in kinds["texts"] else BigInteger) for one in makes]
        if engine != "sqlite":
            columns += [Column("born", Date), Column("seen_at", DateTime), Column("verified", Boolean)]
        if name == "event":
            columns.append(Column("thing_id", Integer, sqlalchemy.ForeignKey("thing.id")))
        Table(name, cells.metadata, *columns)
        lies = rng.random() < 0.3  # later rows contradict the first ones
        every = [_row(rng, i, makes, {c.name for c in columns}, lies) for i in range(_ROWS)]
        cells.rows[name], cells.later[name] = every[: _ROWS // 2 + 1], every[_ROWS // 2 + 1 :]
    return cells


def _row(rng: random.Random, place: int, makes: list[str], names: set[str], lies: bool) -> dict[str, Any]:
    moment, kinds = _FIRST + timedelta(minutes=rng.randint(0, 4 * 365 * 24 * 60)), TOLD["meanings"]
    own = {"born": date(1950, 1, 1) + timedelta(days=rng.randint(0, 20000)), "seen_at": moment}
    own |= {"verified": rng.random() < 0.5, "thing_id": rng.choice([None, rng.randint(1, 20)])}
    told = {"t": moment, "s": int(moment.replace(tzinfo=UTC).timestamp()), "n": rng.randint(0, 90000)}
    told |= {"h": rng.randint(1, 900), "c": rng.randint(0, 99), "b": rng.randint(0, 1)}
    cells: dict[str, Any] = {"id": place + 1, "label": f"label {place % 7}"}
    for name in makes:
        made: Any = kinds["texts"].get(name) or kinds["numbers"][name]
        if name in kinds["texts"] and lies and place > _ROWS // 2 and rng.random() < 0.1:
            made = kinds["strange"]
        cell = rng.choice(made) if isinstance(made, list) else made.format(**told)
        cells[name] = None if rng.random() < 0.1 else int(cell) if name in kinds["numbers"] else cell
    return cells | {name: cell for name, cell in own.items() if name in names}
