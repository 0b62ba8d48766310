"""Write queries at random under the constraint and run them: which does an engine refuse, and why?

    python bench/fuzz/walks.py --engine sqlite --queries 10000 --seed 1 --data ../shared/data
    .ci/engines python bench/fuzz/walks.py --engine postgres --queries 1000 --jobs 2
    .ci/engines python bench/fuzz/walks.py --engine mariadb --queries 2000 --objects
    .ci/engines python bench/fuzz/walks.py --engine postgres --queries 500 --objects frameworks
    .ci/engines python bench/fuzz/walks.py --engine mariadb --queries 2000 --windows
    .ci/engines python bench/fuzz/walks.py --engine postgres --queries 2000 --common
    python bench/fuzz/walks.py --engine sqlite --queries 1000 --schema my.sqlite

Random logits stand for a network with any weights. They come in turns from several distributions: uniform over the
mask, peaked at random, and adversarial ones that take the rarest production or pair of words, the deepest nesting, the
shortest and the longest way. Schemas are the public sets' (with --data), the plant's, and random ones, at least 60 of
them where there are queries enough. Each query is executed with a time limit on the real engine, with rows in the
tables and nothing but reading allowed; servers are given by --url or found in the environment, and their user must be
able to create databases. Every schema depends on the seed and its number alone; the seed is a fresh one unless it is
given. The last line printed is one JSON object. A time-out is no error, but is counted.
"""

from __future__ import annotations

import argparse
import gc
import json
import multiprocessing
import os
import sys
from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.pool import ThreadPool
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from rich.progress import track
from walk_engines import open_engine
from walk_results import Tally, add, fingerprint, fresh_seed, show
from walking import DIALECTS, Plan, Queries

SCHEMAS = 60
"""Schemas of a run at least, if there are so many queries."""

A_SCHEMA = 100
"""Queries on one schema at most."""

SHOWN = 20
"""Failing queries that are printed, and one of every other kind."""


LOADED = ["querent.grammar", "querent.data.databases.database", "querent.parser.normal_form.first_of_each"]
"""What each process needs, imported once for all."""


@dataclass(frozen=True)
class Place:
    """A database to walk on, and how often its queries so far used the grammar's states, words and pairs of words."""

    url: str | None
    states: Counter[int] = field(default_factory=Counter)
    written: Counter[str] = field(default_factory=Counter)
    pairs: Counter[tuple[str, str]] = field(default_factory=Counter)


def main() -> None:
    """Walk, run, count."""
    options = arguments()
    sought = ("schema", "data", "few", "objects", "windows", "per", "common")
    told = {name: getattr(options, name) for name in sought}
    wide = options.wide or options.windows or options.common
    plan = Plan(options.engine, options.seed, wide=wide, **told)
    print(f"seed {plan.seed}", flush=True)
    entry: dict[str, Any] = {"constraint": fingerprint(plan.dialect), "seeds": [plan.seed]}
    whole, todo = Tally(), shares(options.queries, plan)
    runs = run(plan, todo, jobs=options.jobs, url=options.url)
    for _, version, found in track(runs, "walking", len(todo), disable=not sys.stderr.isatty()):
        for failure in found.failures:
            if whole.total("errors") < SHOWN or failure["kind"] not in whole.kinds:
                _print(failure)
        whole.add(found)
        entry["version"] = version
    entry |= whole.result(plan.dialect, plan.off, wide=plan.wide)
    if options.out:
        add(options.out, plan.engine, entry)
    show(entry)
    print(json.dumps({"engine": plan.engine, "seed": plan.seed, **entry}, ensure_ascii=False))


def run(
    plan: Plan, todo: Sequence[tuple[int, int]], *, jobs: int = 1, url: str | None = None
) -> Iterator[tuple[int, str, Tally]]:
    """Yield the number of each schema, the engine's version and what was found, as they come."""
    with databases(plan.engine, jobs, url) as urls:
        free: SimpleQueue[Place] = SimpleQueue()
        for each in urls:
            free.put(Place(each))

        def walked(few: Sequence[tuple[int, int]]) -> list[tuple[int, str, Tally]]:
            place = free.get()
            found, after = in_process(plan, place, few)
            free.put(after)
            return found

        with ThreadPool(jobs) as threads:
            for found in threads.imap_unordered(walked, batches(todo)):
                yield from found


def in_process(plan: Plan, place: Place, few: Sequence[tuple[int, int]]) -> tuple[list[tuple[int, str, Tally]], Place]:
    """Walk on a few schemas in a process of their own, so that what they remember goes with it, unsearched.

    Raises:
        RuntimeError: the process ended too soon; it has told why, unless it was killed.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(LOADED)
    receiving, sending = context.Pipe(duplex=False)
    process = context.Process(target=_walk, args=(sending, plan, place, few))
    process.start()
    sending.close()
    try:
        return receiving.recv()
    except EOFError as error:
        process.join()
        raise RuntimeError(f"the process of schemas {few} ended with {process.exitcode}") from error
    finally:
        process.join()


def batches(todo: Sequence[tuple[int, int]]) -> list[Sequence[tuple[int, int]]]:
    """Return the schemas that share a process: as many as a hundred queries take."""
    each = max(1, A_SCHEMA // max((count for _, count in todo), default=1))
    return [todo[start : start + each] for start in range(0, len(todo), each)]


def shares(queries: int, plan: Plan) -> list[tuple[int, int]]:
    """Return the number of each schema with the queries that are to be written on it."""
    each = A_SCHEMA if plan.schema is not None else max(1, min(A_SCHEMA, queries // SCHEMAS))
    return [(number, min(each, queries - start)) for number, start in enumerate(range(0, queries, each))]


@contextmanager
def databases(engine: str, count: int, url: str | None) -> Generator[list[str | None]]:
    """Make an empty database on the server for each worker; SQLite needs none."""
    if engine == "sqlite":
        yield [None] * count
        return
    from walk_servers import VARIABLES, fresh_databases

    variable = VARIABLES[engine.removesuffix("-loose")]
    server = url or os.environ.get(variable)
    if server is None:
        raise SystemExit(f"give --url or set {variable}; .ci/engines COMMAND starts a server")
    with fresh_databases(server, count) as urls:
        yield list(urls)


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", choices=list(DIALECTS), default="sqlite")
    parser.add_argument("--url", help="of a server, whose user may create databases")
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=fresh_seed(), help="of all chance (default: a fresh one)")
    parser.add_argument("--schema", help="walk on this schema alone: a DDL file or a SQLite file")
    parser.add_argument("--data", type=Path, help="folder of the public sets, to walk on their schemas too")
    parser.add_argument("--wide", action="store_true", help="what people and language models write, too")
    parser.add_argument("--per", action="store_true", help="many queries for the first rows of each group")
    parser.add_argument("--windows", action="store_true", help="as --wide, and many window functions")
    parser.add_argument("--common", action="store_true", help="as --wide, and much of WITH")
    parser.add_argument(
        "--few", action="store_true", help="small schemas and few words, and promised words are counted at each step"
    )
    told = "walk on the engine's database of objects/: views, enumerations, parts; or of frameworks/: schemas as web"
    told += " frameworks write them, with infinite dates, dates before Christ and broken views"
    parser.add_argument("--objects", nargs="?", const="objects", choices=("objects", "frameworks"), help=told)
    parser.add_argument("--jobs", type=int, default=1, help="processes that walk side by side")
    parser.add_argument("--out", type=Path, help="keep the result in this file, one for each engine")
    return parser.parse_args()


def _walk(sending: Connection, plan: Plan, place: Place, few: Sequence[tuple[int, int]]) -> None:
    """Send what is found on a few schemas, and the place with all that was written there."""
    gc.disable()
    with open_engine(plan.engine, place.url, timeout=plan.timeout) as engine:
        queries = Queries(plan, engine, place.states, place.written, place.pairs)
        found = [(number, engine.version, queries.on_schema(number, count)) for number, count in few]
    sending.send((found, place))


def _print(failure: dict[str, Any]) -> None:
    where = f"schema {failure['schema']}, {failure['way']}, {failure['place']}"
    print(f"{failure['kind']} ({where})\n    {failure['message'][:200]}\n    {failure['sql']}", flush=True)


if __name__ == "__main__":
    main()
