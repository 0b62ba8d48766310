"""Write queries at random in which columns are meant, and run them: does an engine refuse one?

    python bench/fuzz/meanings.py --engine sqlite --queries 1000 --seed 48
    .ci/engines python bench/fuzz/meanings.py --engine postgres --queries 1000 --seed 48
    .ci/engines python bench/fuzz/meanings.py --engine mariadb --queries 1000 --seed 48

Tables hold times in all storages, flags, numbers in texts; in some of them later rows say something else than those
that the profile saw. Questions say periods, parts of times and flags; words are drawn at random from all that
the constraint allows, those of a meaning often. The server's user must be able to create databases. The last line
printed is one JSON object; ``--out`` keeps after each database what was found so far. A time-out is no error, but is
counted.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import sqlalchemy
from meaning_tables import Cells, tables
from rich.progress import track
from walk_results import add, fingerprint
from walks import databases

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

NOW = datetime(2024, 5, 15, 10, 30)
A_DATABASE = 50
"""Queries on one database, and five on one question."""

TIMES = (
    "in 2023", "in Q3 2023", "last month", "the last 30 days", "between March and May 2023", "after March 2023",
    "before 2022", "since 2023-02-03", "in December", "on weekends", "in the first half of 2023", "older than a year",
    "until the end of 2022", "on 3 February 2024", "after June", "between 8 and 10 o'clock",
)  # fmt: skip
PARTS = ("per month", "per quarter", "each year", "by weekday", "per week", "daily", "per hour", "days between", "age")
REST = ("active", "paid", "inactive", "more than 3%", "above 500", "not done", "the third highest", "the 7th lowest")


def main() -> None:
    """Write all, print what went wrong, and the figures."""
    options = arguments()
    tally, problems = Counter[str](meant=0, errors=0, time_outs=0), Counter[str]()
    for number in track(range(0, options.queries, A_DATABASE), "databases", disable=not sys.stderr.isatty()):
        rng = random.Random(f"{options.seed}:{number}")
        cells = tables(rng, options.engine)
        with made(options.engine, cells) as place:
            for sql, problem in walked(place, cells, rng, min(A_DATABASE, options.queries - number)):
                tally["queries"] += 1
                tally["meant"] += any(mark in sql for mark in ("202", "CAST", "STRFTIME", "TO_CHAR", "REPLACE"))
                if problem is not None:
                    kind = "time_outs" if isinstance(problem, TimeLimitError) else "errors"
                    tally[kind] += 1
                    problems[problem.problem.split(": ", 1)[-1][:90]] += 1  # without its place
                    print(f"{kind}: {problem}\n  {sql}")
        told = {"seed": options.seed, **tally, "problems": dict(problems.most_common())}
        if options.out:
            add(options.out, options.engine, {"constraint": fingerprint(options.engine), **told})
    print(json.dumps({"engine": options.engine, **tally, "problems": problems}))


@contextmanager
def made(engine: str, cells: Cells) -> Generator[str]:
    """Make a database with some tables; its file or URL is good until the end of the block."""
    with tempfile.TemporaryDirectory() as folder, databases(engine, 1, None) as (url,):
        place = url or f"sqlite:///{folder}/meant.sqlite"
        cells.write(sqlalchemy.create_engine(place))
        yield place.removeprefix("sqlite:///")


def walked(place: str, cells: Cells, rng: random.Random, count: int) -> Generator[tuple[str, DatabaseError | None]]:
    """Yield queries on a database, each with what the engine says against it; later rows come behind the profile."""
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
    question = ", ".join((*rng.sample(TIMES, 2), *rng.sample(PARTS, 2), *rng.sample(REST, 2)))
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


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", choices=("sqlite", "mariadb", "postgres"), default="sqlite")
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=48)
    parser.add_argument("--out", type=Path, help="keep the result in this file, one for each engine")
    return parser.parse_args()


if __name__ == "__main__":
    main()
