"""Hostile queries: does one change anything, or read a secret?

Aims, spellings and places are drawn at random (`hostile_aims.txt`, `hostile.toml`): files, programs, locks, messages,
settings, sequences, large objects, other sessions, other schemas, the server's own tables. Each query goes through
`Database`, where all that somebody else writes ends: what a language model answers, solved questions, formulas. It is
sent as a user who may do anything and as one who may read one table, in sessions that begin in several modes. Before
and after, the state of the server and of the files around it is compared.
"""

from __future__ import annotations

import argparse
import random
import re
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from querent.data.databases.database import Database
from querent.data.errors import QuerentError
from querent.data.schema.ddl import from_ddl

from .engines import DIALECTS
from .scenes import CANARY, SCHEMA, TOLD, Scene, scene_on

ROLES = ("superuser", "reader")
_AT_ONCE = 50  # queries between two looks at the state
_WIDE = {ord(c): ord(c) + 0xFEE0 for c in "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"}
_STATEMENTS = (
    *("{}", "{}", "{lower}", "{};", "/* */ {}", "SELECT 1; {}", "{} -- x", "({})", "\ufeff{}"),
    "WITH a AS ({}) SELECT * FROM a",
)
_CATALOGUE = """
SELECT proname, array_to_string(array(SELECT format_type(t, NULL) FROM unnest(proargtypes::oid[]) t), ';') FROM pg_proc
WHERE pronamespace = 'pg_catalog'::regnamespace AND provolatile <> 'i' AND prokind = 'f'
AND proname NOT LIKE 'pg\\_stat\\_get%' ORDER BY 1, 2
"""
"""PostgreSQL's own functions that are not immutable, with the types of their arguments."""


def run(options: argparse.Namespace) -> dict[str, Any]:
    """Draw queries, send them, compare the states, and return the figures; print what is changed or read."""
    dialect, begun = DIALECTS[options.engine], time.process_time()
    with scene_on(options.engine, options.url) as scene:
        queries = list(islice(hostile_queries(random.Random(options.seed), scene), options.queries))
        watch, modes = Watch(scene), TOLD[dialect]["modes"]
        for role in ROLES:
            for n, each in enumerate(modes):
                watch.send(scene.opened_by(role, each), queries[n :: len(modes)])
    entry = {"seed": options.seed, "queries": options.queries, "roles": ROLES, "modes": modes, **watch.counts}
    return {**entry, "cpu_seconds": round(time.process_time() - begun, 1)}


class Watch:
    """Counts the answers, and prints what must not have happened."""

    def __init__(self, scene: Scene) -> None:
        self.counts = Counter[str](changes=0, leaks=0)
        self._scene, self._before, self._session = scene, scene.state(), TOLD[scene.dialect]["session"]

    def send(self, place: str, queries: Sequence[str]) -> None:
        """Send queries to a database; hold the answers against the secrets, and the states before and after."""
        with Database.open(place, timeout=2) as database:
            database.confine(from_ddl(SCHEMA, self._scene.dialect, name="goods"))
            session = database.fetch(self._session).rows
            for some in (queries[n : n + _AT_ONCE] for n in range(0, len(queries), _AT_ONCE)):
                for sql, answer in zip(some, by_database(database, some), strict=True):
                    self.counts["database: asked"] += 1
                    self.counts["database: rows"] += not answer.startswith("error") and "[]" not in answer
                    if CANARY in answer:
                        self.counts["leaks"] += 1
                        print(f"a secret was read: {sql!r}\n  {answer[:300]}", flush=True)
                self._compare(some)
            if database.fetch(self._session).rows != session:
                self.counts["changes"] += 1
                print(f"a setting of the session was changed, {place}", flush=True)

    def _compare(self, sent: Sequence[str]) -> None:
        """Compare the state with the one before some queries were sent."""
        after = self._scene.state()
        for what in (w for w in after if after[w] != self._before[w]):
            self.counts["changes"] += 1
            print(f"{what} was changed\n  {self._before[what][:300]}\n  {after[what][:300]}", flush=True)
            print(f"  by one of {list(sent)}", flush=True)
        self._before = after


def hostile_queries(rng: random.Random, scene: Scene) -> Iterator[str]:
    """Yield hostile queries without end: calls, tables and statements that do more than read."""
    listed, dialect = _listed(), scene.dialect
    kinds = {k: [*listed[f"{dialect} {k}"], *listed[f"all {k}"]] for k in ("calls", "tables", "statements", "places")}
    kinds["calls"] += _catalogued(scene) if dialect == "postgres" else []
    spellings: list[str] = TOLD["spellings"]["all"] + TOLD["spellings"][dialect]
    while True:
        draw = rng.random()
        if draw < 0.55:
            call, _, rest = rng.choice(kinds["calls"]).partition("(")
            if listed[f"{dialect} attributes"] and rng.random() < 0.2:
                text = rng.choice(listed[f"{dialect} attributes"])
                text = text.replace("{name}", call).replace("{arguments}", rest[:-1] or "1")
            else:
                name = _spelled(rng, rng.choice(spellings), call)
                text = rng.choice(kinds["places"]).replace("{}", f"{name}({rest}")
        elif draw < 0.75:
            name = rng.choice(kinds["tables"])
            spelled = rng.choice((name, name, name.upper(), f"/**/{name}", f"{name} ", name.replace(".", " . ")))
            text = rng.choice(listed["all froms"]).replace("{}", spelled)
        else:
            plain = rng.choice(kinds["statements"])
            text = rng.choice(_STATEMENTS).replace("{lower}", plain.lower()).replace("{}", plain)
        for name, value in scene.facts.items():
            text = text.replace(f"{{{name}}}", value)
        yield text.replace("{{}}", "{}")


def _listed() -> dict[str, list[str]]:
    """Return the lines of each section of hostile_aims.txt."""
    sections: dict[str, list[str]] = defaultdict(list)
    section = ""
    for line in Path(__file__).with_name("hostile_aims.txt").read_text("utf-8").split("\n")[3:]:
        if line.startswith("[") and line.endswith("]"):
            section = line[1:-1]
        elif line:
            sections[section].append(line)
    return sections


def _catalogued(scene: Scene) -> list[str]:
    """Return a call of each function of the catalogue whose arguments all have samples."""
    samples = {kind: text for text, kinds in TOLD["samples"].items() for kind in kinds}
    calls = ((name, [samples.get(kind) for kind in kinds.split(";") if kind]) for name, kinds in scene.ask(_CATALOGUE))
    return [f"{name}({', '.join(map(str, values))})" for name, values in calls if None not in values]


def _spelled(rng: random.Random, spelling: str, name: str) -> str:
    four, six = ("".join(f"\\{'+' * (digits == 6)}{ord(c):0{digits}x}" for c in name) for digits in (4, 6))
    told = {"name": name, "upper": name.upper(), "wide": name.translate(_WIDE), "four": four, "six": six}
    told |= {"bang": four.replace("\\", "!"), "mixed": "".join(rng.choice((c.upper(), c.lower())) for c in name)}
    return re.sub(r"\{(\w+)\}", lambda found: told[found[1]], spelling)


def by_database(database: Database, queries: Sequence[str]) -> Iterator[str]:
    """Yield what `Database.query` gives for each query: its rows or the error."""
    for sql in queries:
        try:
            yield _seen(database.query(sql).rows)
        except QuerentError as error:
            yield f"error: {error}"


def _seen(rows: Sequence[Sequence[Any]]) -> str:
    """Return rows as text, bytes decoded, so that a secret can be found in them however it comes."""
    return repr([[bytes(c).decode("latin-1") if isinstance(c, bytes | memoryview) else c for c in row] for row in rows])
