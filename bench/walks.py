"""Write queries at random under the local constraint and run them: which share does an engine refuse, and why?

    python bench/walks.py --engine sqlite --queries 10000 --seed 1 --data ../shared/data
    python bench/walks.py --engine postgres --url postgresql+psycopg://user@127.0.0.1:5432/empty --queries 1000
    python bench/walks.py --engine sqlite --queries 1000 --schema my.sqlite

Random logits stand for a network with any weights. They come in turns from several distributions: uniform over the
mask, peaked at random, and adversarial ones that take the rarest word, the deepest nesting, the shortest and the
longest way. Schemas are the public sets' (with --data), the plant's, and random ones. Each query is prepared and
executed with a time limit on the real engine, with rows in the tables. The last line printed is one JSON object.
A time-out is no error, but is counted.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from random_schemas import random_rows, random_schema
from rich.progress import track
from walk_engines import Engine, open_engine

from querent.data.schema import Schema
from querent.data.schema_readers import read_schema
from querent.grammar import EOS, Constraint, Grammar, Vocabulary

SETS = {
    "geography": "text2sql/geography-schema.csv",
    "restaurants": "text2sql/restaurants-schema.csv",
    "academic": "text2sql/academic-schema.csv",
    "atis": "text2sql/atis-schema.csv",
    "css-yibao": "css-yibao/yibao.sql",
}
DIALECTS = {"sqlite": "sqlite", "mariadb": "mysql", "postgres": "postgres"}
A_SCHEMA = 50  # queries on one schema before the next

Choice = Callable[[random.Random, Constraint, np.ndarray[Any, Any], list[int]], int]


def uniform(rng: random.Random, constraint: Constraint, allowed: np.ndarray[Any, Any], ids: list[int]) -> int:
    """Take any word."""
    return rng.choice(allowed.tolist())


def peaked(rng: random.Random, constraint: Constraint, allowed: np.ndarray[Any, Any], ids: list[int]) -> int:
    """Take words with very uneven chances, new ones at each step, as a trained network has them."""
    logits = np.array([rng.gauss(0, 4) for _ in allowed])
    chances = np.exp(logits - logits.max())
    return rng.choices(allowed.tolist(), chances.tolist())[0]


def rarest(rng: random.Random, constraint: Constraint, allowed: np.ndarray[Any, Any], ids: list[int]) -> int:
    """Take a word of the terminal that has been written least."""
    words = constraint.vocabulary.words
    written = Counter(words[i].terminal for i in ids)
    least = min(written[words[i].terminal] for i in allowed)
    return rng.choice([i for i in allowed.tolist() if written[words[i].terminal] == least])


def deepest(rng: random.Random, constraint: Constraint, allowed: np.ndarray[Any, Any], ids: list[int]) -> int:
    """Open whatever can be opened."""
    words = constraint.vocabulary.words
    opening = [i for i in allowed.tolist() if words[i].text in {"(", "SELECT", "CASE", "NOT", "EXISTS"}]
    return rng.choice(opening or allowed.tolist())


def shortest(rng: random.Random, constraint: Constraint, allowed: np.ndarray[Any, Any], ids: list[int]) -> int:
    """End as soon as one may, after a few words at random."""
    return EOS if EOS in allowed and len(ids) > rng.randint(0, 12) else uniform(rng, constraint, allowed, ids)


def longest(rng: random.Random, constraint: Constraint, allowed: np.ndarray[Any, Any], ids: list[int]) -> int:
    """Never end by choice."""
    return rng.choice([i for i in allowed.tolist() if i != EOS] or [EOS])


CHOICES: dict[str, Choice] = {f.__name__: f for f in (uniform, peaked, rarest, deepest, shortest, longest)}


def main() -> None:
    """Walk, run, count."""
    options = arguments()
    rng = random.Random(options.seed)
    dialect = DIALECTS[options.engine]
    errors: Counter[str] = Counter()
    by_way: dict[str, Counter[str]] = {name: Counter() for name in CHOICES}
    shown: dict[str, str] = {}
    done = timeouts = schemas = 0
    with open_engine(options.engine, options.url, timeout=options.timeout) as engine:
        for number in track(
            range(0, options.queries, A_SCHEMA), description="walking", disable=not sys.stderr.isatty()
        ):
            constraint = _constraint(engine, _schema(rng, dialect, options, number // A_SCHEMA), dialect, rng)
            schemas += 1
            for place in range(min(A_SCHEMA, options.queries - number)):
                way = list(CHOICES)[place % len(CHOICES)]
                sql = _walk(rng, constraint, CHOICES[way], budget=rng.randint(8, options.budget))
                problem = engine.problem(sql)
                done += 1
                by_way[way]["queries"] += 1
                if problem == "time-out":
                    timeouts += 1
                elif problem:
                    kind = _kind(problem)
                    errors[kind] += 1
                    by_way[way]["errors"] += 1
                    shown.setdefault(kind, f"{problem}: {sql}")
        version = engine.version
    for kind, count in errors.most_common(options.show):
        print(f"{count:6}  {shown[kind][:400]}")
    print(json.dumps({
        "engine": options.engine, "version": version, "seed": options.seed, "schemas": schemas, "queries": done,
        "errors": sum(errors.values()), "time_outs": timeouts, "by_kind": dict(errors.most_common()),
        "by_way": {name: dict(counts) for name, counts in by_way.items()},
    }, ensure_ascii=False))  # fmt: skip


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", choices=list(DIALECTS), default="sqlite")
    parser.add_argument("--url", help="of an empty database on the server; needed for mariadb and postgres")
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--schema", help="walk on this schema alone: a DDL file or a SQLite file")
    parser.add_argument("--data", type=Path, help="folder of the public sets, to walk on their schemas too")
    parser.add_argument("--budget", type=int, default=60, help="most words of a query")
    parser.add_argument("--timeout", type=float, default=2.0, help="seconds that one query may run")
    parser.add_argument("--show", type=int, default=20, help="kinds of errors to show an example of")
    return parser.parse_args()


def _schema(rng: random.Random, dialect: str, options: argparse.Namespace, number: int) -> Schema:
    """Return the next schema: the fixed ones first, random ones from then on."""
    if options.schema:
        return read_schema(options.schema, dialect)
    fixed = [options.data / file for file in SETS.values()] if options.data else []
    fixed.append(Path(__file__).resolve().parents[1] / "data" / "plant" / "schema.sql")
    if number < len(fixed):
        return read_schema(fixed[number], "mysql" if fixed[number].parent.name == "css-yibao" else "sqlite")
    return random_schema(rng, dialect)


def _constraint(engine: Engine, schema: Schema, dialect: str, rng: random.Random) -> Constraint:
    """Fill the engine's tables and return the constraint on every word that the schema's queries may use."""
    grammar = Grammar.for_schema(schema, dialect=dialect)
    engine.create(schema, grammar.quoting.write, {table.name: random_rows(rng, table) for table in schema.tables})
    return grammar.constraint(Vocabulary.build(grammar, list(_seeds(schema, grammar)), functions="all"))


def _seeds(schema: Schema, grammar: Grammar) -> Iterator[str]:
    """Yield queries that bring aliases, derived tables and constants into the vocabulary."""
    quote = grammar.quoting.write
    for table in schema.tables[:6]:
        name, column = quote(table.name), quote(table.columns[0].name)
        first, second = quote(f"{table.name}1"), quote(f"{table.name}2")
        yield f"SELECT {first}.{column} FROM {name} AS {first}, {name} AS {second} WHERE {second}.{column} = 'v5'"
        yield f"SELECT derived1.value1 FROM (SELECT COUNT(*) AS value1 FROM {name}) AS derived1 WHERE {column} > 1.5"
        yield f"SELECT {column} FROM {name} WHERE {column} LIKE '%a%' LIMIT 3"


def _walk(rng: random.Random, constraint: Constraint, choose: Choice, *, budget: int) -> str:
    state = constraint.start(budget=budget)
    ids: list[int] = []
    while True:
        word = choose(rng, constraint, np.flatnonzero(state.allowed()), ids)
        if word == EOS:
            return constraint.vocabulary.decode(ids)
        ids.append(word)
        state = state.advance(word)


def _kind(problem: str) -> str:
    """Strip an engine's message of the names in it."""
    text = re.sub(r"[\"'`].*[\"'`]|: .*|\b\d+\b", "…", problem.splitlines()[0])
    return re.sub(r"\s+", " ", text).strip()


if __name__ == "__main__":
    main()
