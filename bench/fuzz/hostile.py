"""Send hostile queries by every way that somebody else's text can take: does one change anything, or read a secret?

    python bench/fuzz/hostile.py --engine sqlite --queries 1000 --seed 1
    .ci/engines python bench/fuzz/hostile.py --engine postgres --queries 1000 --llm 400 --asked 100

Aims, spellings and places are drawn at random (`hostile_aims.txt`, `hostile_queries`): files, programs, locks,
messages, settings, sequences, large objects, other sessions, other schemas, the server's own tables. Each query goes
through `Database`, ``--llm`` of them through a language model's answer, ``--asked`` of them through solved questions,
formulas and evidence of the shipped parser, each as a user who may do anything and as one who may read one table, in
sessions that begin in several modes. Before and after, the state of the server and of the files around it is compared;
a canary stands in every secret. The last line printed is one JSON object; what is changed or read is printed, and
makes the exit code 1.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from hostile_queries import aims_of, hostile_queries
from hostile_scenes import CANARY, MODES, SCHEMA, Scene, scene_on, server_of
from hostile_ways import by_database, by_evidence, by_examples, by_formulas, by_llm
from walk_results import add, fresh_seed

from querent import Access
from querent.data.databases.database import Database
from querent.data.schema.ddl import from_ddl
from querent.data.schema.schema import Schema

DIALECTS = {"sqlite": "sqlite", "mariadb": "mysql", "postgres": "postgres"}
ROLES = ("superuser", "reader")
_AT_ONCE = 50
"""Queries between two looks at the state."""


class Watch:
    """Counts what came back, and says what must not have happened."""

    def __init__(self, scene: Scene) -> None:
        self.counts = Counter[str](changes=0, leaks=0)
        self._scene, self._before = scene, scene.state()

    def through(self, way: str, queries: Sequence[str], answers: Iterable[str]) -> None:
        """Hold the answers of a way, one for each query as far as there are some, against the secrets."""
        for sql, answer in zip(queries, answers, strict=False):
            self.counts[f"{way}: asked"] += 1
            self.counts[f"{way}: rows"] += not answer.startswith("error") and "[]" not in answer
            if CANARY in answer:
                self.counts["leaks"] += 1
                print(f"{way} read a secret: {sql!r}\n  {answer[:300]}", flush=True)
        after = self._scene.state()
        for what in (w for w in after if after[w] != self._before[w]):
            self.counts["changes"] += 1
            print(f"{way} changed {what}\n  {self._before[what][:300]}\n  {after[what][:300]}", flush=True)
            print(f"  by one of {list(queries)}", flush=True)
        self._before = after


def main() -> int:
    """Draw, send, compare."""
    options = arguments()
    dialect = DIALECTS[options.engine]
    print(f"seed {options.seed}", flush=True)
    warnings.simplefilter("ignore", UserWarning)
    begun = time.process_time()
    with scene_on(dialect, options.url or server_of(dialect)) as scene, tempfile.TemporaryDirectory() as cache:
        os.environ["QUERENT_CACHE"] = cache
        aims = aims_of(dialect, scene.ask if dialect == "postgres" else None)
        drawn = hostile_queries(random.Random(options.seed), dialect, aims, scene.facts)
        queries = list(islice(drawn, options.queries))
        watch = Watch(scene)
        for role, mode in zip(ROLES, (MODES[dialect][-1], MODES[dialect][0]), strict=True):
            for n, each in enumerate(MODES[dialect]):
                straight(watch, scene, scene.opened_by(role, each), queries[n :: len(MODES[dialect])])
            place = scene.opened_by(role, mode)
            told(watch, scene, place, queries[: options.llm], Path(cache))
            asked(watch, scene, place, queries[-options.asked or len(queries) :], Path(cache))
    entry = {"seed": options.seed, "queries": options.queries, "roles": ROLES, "modes": MODES[dialect], **watch.counts}
    if options.out:
        add(options.out, options.engine, {**entry, "cpu_seconds": round(time.process_time() - begun, 1)})
    print(json.dumps({"engine": options.engine, **entry}))
    return int(watch.counts["changes"] + watch.counts["leaks"] > 0)


def straight(watch: Watch, scene: Scene, place: str, queries: Sequence[str]) -> None:
    """Send queries straight to the database."""
    with Database.open(place, timeout=2) as database:
        database.confine(_schema(scene))
        session = database.fetch(scene.session).rows
        for some in _batches(queries):
            watch.through("database", some, by_database(database, some))
        if database.fetch(scene.session).rows != session:
            watch.counts["changes"] += 1
            print(f"a session is set otherwise than it was, {place}", flush=True)


def told(watch: Watch, scene: Scene, place: str, queries: Sequence[str], folder: Path) -> None:
    """Let a language model write queries."""
    for some in _batches(queries):
        watch.through("llm", some, by_llm(place, _schema(scene), some, folder))


def asked(watch: Watch, scene: Scene, place: str, queries: Sequence[str], folder: Path) -> None:
    """Ask the shipped parser, told queries as solved questions, as formulas and as evidence.

    It reads all schemas that a user may read, for a superuser the vault, too: what is not asked for is kept from it.
    """
    access = Access(tuple(table.name for table in _schema(scene).tables))
    for some in _batches(queries):
        watch.through("examples", some, by_examples(place, access, some, folder))
        watch.through("formulas", some, by_formulas(place, access, some, folder))
        watch.through("evidence", some, by_evidence(place, access, some))


def _schema(scene: Scene) -> Schema:
    return from_ddl(SCHEMA, scene.dialect, name="goods")


def _batches(queries: Sequence[str]) -> Iterator[Sequence[str]]:
    return (queries[n : n + _AT_ONCE] for n in range(0, len(queries), _AT_ONCE))


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", choices=DIALECTS, default="sqlite")
    parser.add_argument("--url", help="of a user who may do anything; the environment's if not given")
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--llm", type=int, default=0, help="of them through a language model's answers")
    parser.add_argument("--asked", type=int, default=0, help="of them through solved questions, formulas and evidence")
    parser.add_argument("--seed", type=int, default=fresh_seed(), help="of all chance (default: a fresh one)")
    parser.add_argument("--out", type=Path, help="result file")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
