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
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import sqlalchemy
from rich.progress import track
from sqlalchemy import BigInteger, Boolean, Column, Date, DateTime, Engine, Integer, MetaData, String, Table

from querent.data.databases.database import Database
from querent.data.databases.schema_readers import read_schema
from querent.data.databases.urls import dialect_of
from querent.data.domains.examples import Value, ValueMention, fill_sql
from querent.data.errors import DatabaseError, TimeLimitError
from querent.data.profiles.kept import open_profile
from querent.grammar import EOS, Constraint
from querent.ner.index import ValueIndex
from querent.parser.decoding.starting import StartingPoint
from querent.parser.normal_form import ShortConstraint
from querent.parser.normal_form.first_of_each import written_out
from querent.parser.reader.columns.formula_items import offered
from querent.parser.reader.columns.virtual_columns import virtual_columns
from querent.parser.reader.context import DatabaseContext
from querent.parser.reader.question.question import QuestionWords, ValueNode

from .engines import DIALECTS, databases
from .schemas import TOLD
from .tally import fingerprint

__all__ = ["run"]

NOW = datetime(2024, 5, 15, 10, 30)
A_DATABASE = 50
"""Queries on one database, and five on one question."""


_ROWS = 40
_FIRST = datetime(2021, 1, 1)

Make = Callable[[datetime, random.Random], Any]

_TEXTS: dict[str, Make] = {
    "iso_day": lambda t, _: t.date().isoformat(),
    "iso_time": lambda t, _: t.isoformat(),
    "iso_zone": lambda t, _: t.isoformat() + "Z",
    "day_first": lambda t, _: f"{t:%d/%m/%Y}",
    "day_dots": lambda t, _: f"{t.day}.{t.month}.{t.year}",
    "month_first": lambda t, _: f"{t:%m/%d/%Y}",
    "with_name": lambda t, _: f"{t:%b} {t.day}, {t.year}",
    "day_and_name": lambda t, _: f"{t.day} {t:%B} {t.year}",
    "digits_text": lambda t, _: f"{t:%Y%m%d}",
    "month_digits": lambda t, _: f"{t:%Y%m}",
    "price": lambda _, rng: f"${rng.randint(1, 90000):,}.{rng.randint(0, 99):02}",
    "load": lambda _, rng: f"{rng.randint(1, 900)} kg",
    "rate": lambda _, rng: f"{rng.randint(0, 99)}.{rng.randint(0, 9)}%",
    "count_text": lambda _, rng: str(rng.randint(0, 5000)),
    "is_active": lambda _, rng: rng.choice("YN"),
    "paid": lambda _, rng: rng.choice(["yes", "no"]),
    "done": lambda _, rng: rng.choice("TF"),
    "status": lambda _, rng: rng.choice(["active", "inactive"]),
}
_NUMBERS: dict[str, Make] = {
    "made_at": lambda t, _: int(t.replace(tzinfo=UTC).timestamp()),
    "made_ms": lambda t, _: int(t.replace(tzinfo=UTC).timestamp()) * 1000,
    "made_on": lambda t, _: int(f"{t:%Y%m%d}"),
    "made_year": lambda t, _: t.year,
    "is_paid": lambda _, rng: rng.randint(0, 1),
    "amount": lambda _, rng: rng.randint(0, 2000),
}
_STRANGE = ("", "n/a", "null", "-", "soon", "31/31/2024", "0")


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
    constraint = fingerprint(DIALECTS[options.engine])
    return {"constraint": constraint, "seed": options.seed, **tally, "problems": dict(problems.most_common())}


@contextmanager
def made(engine: str, server: str | None, cells: Cells) -> Generator[str]:
    """Make a database with some tables; its file or URL is good until the end of the block."""
    with tempfile.TemporaryDirectory() as folder, databases(engine, 1, server) as (url,):
        place = url or f"sqlite:///{folder}/meant.sqlite"
        cells.write(sqlalchemy.create_engine(place))
        yield place.removeprefix("sqlite:///")


def walked(place: str, cells: Cells, rng: random.Random, count: int) -> Generator[tuple[str, DatabaseError | None]]:
    """Yield queries on a database, each with the objection of the engine; later rows come behind the profile."""
    schema = read_schema(place)
    with tempfile.TemporaryDirectory() as folder, Database.open(place, timeout=5) as database:
        profile = open_profile(place, schema, cache=Path(folder))
        index = ValueIndex.open(place, schema, cache=Path(folder))
        cells.add_later(sqlalchemy.create_engine(place if "://" in place else f"sqlite:///{place}"))
        told: dict[str, Any] = {"dialect": dialect_of(place), "language": "en", "now": NOW, "profile": profile}
        context = DatabaseContext.of(schema, index, **told)
        constraint = ShortConstraint(Constraint(context.vocabulary, budget=100, sources=3))
        for asked in range(count):
            if asked % 5 == 0:
                start = started(constraint, context, rng)
            sql = written(start, rng)
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
    sql = written_out(vocabulary.decode(state.sql_words), vocabulary.grammar)
    return fill_sql(sql, tuple(values), dialect=start.context.grammar.dialect)


@dataclass(frozen=True)
class Cells:
    """Tables with their rows.

    Attributes:
        rows: of each table, by its name.
        later: rows that come after the profile; some of them contradict it.
    """

    metadata: MetaData
    rows: dict[str, list[dict[str, Any]]]
    later: dict[str, list[dict[str, Any]]]

    def write(self, engine: Engine) -> None:
        """Create the tables in an empty database, and fill them."""
        self.metadata.create_all(engine)
        self._fill(engine, self.rows)

    def add_later(self, engine: Engine) -> None:
        """Add the later rows."""
        self._fill(engine, self.later)

    def _fill(self, engine: Engine, rows: dict[str, list[dict[str, Any]]]) -> None:
        with engine.begin() as connection:
            for table in self.metadata.sorted_tables:
                connection.execute(table.insert(), rows[table.name])
        engine.dispose()


def tables(rng: random.Random, engine: str) -> Cells:
    """Return two tables, the second of which refers to the first."""
    cells = Cells(MetaData(), {}, {})
    for name in ("thing", "event"):
        makes = {
            one: makers[one] for makers, n in ((_TEXTS, 4), (_NUMBERS, 3)) for one in rng.sample(sorted(makers), n)
        }
        columns: list[Column[Any]] = [Column("id", Integer, primary_key=True), Column("label", String(20))]
        columns += [Column(one, String(40) if one in _TEXTS else BigInteger) for one in makes]
        if engine != "sqlite":
            columns += [Column("born", Date), Column("seen_at", DateTime), Column("verified", Boolean)]
        if name == "event":
            columns.append(Column("thing_id", Integer, sqlalchemy.ForeignKey("thing.id")))
        Table(name, cells.metadata, *columns)
        lies = rng.random() < 0.3  # later rows contradict the first ones
        every = [_row(rng, i, makes, {c.name for c in columns}, lies) for i in range(_ROWS)]
        cells.rows[name], cells.later[name] = every[: _ROWS // 2 + 1], every[_ROWS // 2 + 1 :]
    return cells


def _row(rng: random.Random, place: int, makes: dict[str, Make], names: set[str], lies: bool) -> dict[str, Any]:
    moment = _FIRST + timedelta(minutes=rng.randint(0, 4 * 365 * 24 * 60))
    cells: dict[str, Any] = {"id": place + 1, "label": f"label {place % 7}"}
    for name, make in makes.items():
        odd = lies and place > _ROWS // 2 and rng.random() < 0.1
        if rng.random() < 0.1:
            cells[name] = None
        else:
            cells[name] = rng.choice(_STRANGE) if odd and name in _TEXTS else make(moment, rng)
    if "born" in names:
        born = date(1950, 1, 1) + timedelta(days=rng.randint(0, 20000))
        cells |= {"born": born, "seen_at": moment, "verified": rng.random() < 0.5}
    if "thing_id" in names:
        cells["thing_id"] = rng.choice([None, rng.randint(1, _ROWS // 2)])
    return cells
