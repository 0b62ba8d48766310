"""Hostile queries by every way that somebody else's text can take: does one change anything, or read a secret?

Aims, spellings and places are drawn at random (`hostile_aims.txt`, `hostile.toml`): files, programs, locks, messages,
settings, sequences, large objects, other sessions, other schemas, the server's own tables. Each query goes through
`Database`, ``--llm`` of them through a language model's answer, ``--asked`` of them through solved questions, formulas
and evidence of the shipped parser, each as a user who may do anything and as one who may read one table, in sessions
that begin in several modes. Before and after, the state of the server and of the files around it is compared.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import tempfile
import time
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import querent
from querent import Access
from querent.data.databases.database import Database
from querent.data.errors import QuerentError
from querent.data.schema.ddl import from_ddl
from querent.data.urls import dialect_of
from querent.knowledge.formulas.reading import open_banks
from querent.llm.backends.load import RecordedBackend
from querent.llm.options import LlmOptions

from .engines import DIALECTS
from .scenes import CANARY, SCHEMA, TOLD, Scene, scene_on

ROLES = ("superuser", "reader")
_AT_ONCE = 50  # queries between two looks at the state
_QUESTION = "how many goods are there?"
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
    warnings.simplefilter("ignore", UserWarning)
    with scene_on(options.engine, options.url) as scene, tempfile.TemporaryDirectory() as cache:
        os.environ["QUERENT_CACHE"] = cache
        queries = list(islice(hostile_queries(random.Random(options.seed), scene), options.queries))
        watch, folder, modes = Watch(scene), Path(cache), TOLD[dialect]["modes"]
        asked = queries[-options.asked or len(queries) :]
        for role, mode in zip(ROLES, (modes[-1], modes[0]), strict=True):
            for n, each in enumerate(modes):
                watch.straight(scene.opened_by(role, each), queries[n :: len(modes)])
            place = scene.opened_by(role, mode)
            watch.through("llm", queries[: options.llm], lambda some, at=place: by_llm(at, some, folder))
            watch.through("examples", asked, lambda some, at=place: by_examples(at, some, folder))
            watch.through("formulas", asked, lambda some, at=place: by_formulas(at, some, folder))
            watch.through("evidence", asked, lambda some, at=place: by_evidence(at, some))
    entry = {"seed": options.seed, "queries": options.queries, "roles": ROLES, "modes": modes, **watch.counts}
    return {**entry, "cpu_seconds": round(time.process_time() - begun, 1)}


class Watch:
    """Counts what came back, and tells what must not have happened."""

    def __init__(self, scene: Scene) -> None:
        self.counts = Counter[str](changes=0, leaks=0)
        self._scene, self._before, self._session = scene, scene.state(), TOLD[scene.dialect]["session"]

    def straight(self, place: str, queries: Sequence[str]) -> None:
        """Send queries straight to the database."""
        with Database.open(place, timeout=2) as database:
            database.confine(from_ddl(SCHEMA, self._scene.dialect, name="goods"))
            session = database.fetch(self._session).rows
            self.through("database", queries, lambda some: by_database(database, some))
            if database.fetch(self._session).rows != session:
                self.counts["changes"] += 1
                print(f"a session is set otherwise than it was, {place}", flush=True)

    def through(self, way: str, queries: Sequence[str], send: Callable[[Sequence[str]], Iterable[str]]) -> None:
        """Send queries by a way; hold the answers against the secrets, and the state against that before."""
        for some in (queries[n : n + _AT_ONCE] for n in range(0, len(queries), _AT_ONCE)):
            for sql, answer in zip(some, send(some), strict=False):
                self.counts[f"{way}: asked"] += 1
                self.counts[f"{way}: rows"] += not answer.startswith("error") and "[]" not in answer
                if CANARY in answer:
                    self.counts["leaks"] += 1
                    print(f"{way} read a secret: {sql!r}\n  {answer[:300]}", flush=True)
            after = self._scene.state()
            for what in (w for w in after if after[w] != self._before[w]):
                self.counts["changes"] += 1
                print(f"{way} changed {what}\n  {self._before[what][:300]}\n  {after[what][:300]}", flush=True)
                print(f"  by one of {list(some)}", flush=True)
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
    """Yield what `Database.query` gives for each query: rows or the error."""
    for sql in queries:
        try:
            yield _seen(database.query(sql).rows)
        except QuerentError as error:
            yield f"error: {error}"


def by_llm(place: str, queries: Sequence[str], folder: Path) -> Iterator[str]:
    """Yield the answers where a language model writes each query."""
    file, dialect = folder / "recorded.jsonl", dialect_of(place)
    lines = [json.dumps({"texts": [f"```sql\n{sql}\n```"]}) for sql in queries]
    file.write_text("\n".join(lines), encoding="utf-8")
    told: dict[str, Any] = {"options": LlmOptions(corrections=0, shots=0), "language": "en"}
    with querent.connect_llm(
        place, RecordedBackend(file), schema=from_ddl(SCHEMA, dialect, name="goods"), **told
    ) as db:
        for _ in queries:
            answer = db.ask(_QUESTION)
            yield f"{answer.status}: {_seen(answer.rows)} {answer.reason or ''}"


def by_examples(place: str, queries: Sequence[str], folder: Path) -> Iterator[str]:
    """Yield the shipped parser's answers where solved questions have hostile queries."""
    file = folder / "examples.jsonl"
    pairs = [{"id": str(n), "question": f"how many goods of kind {n}?", "sql": sql} for n, sql in enumerate(queries)]
    file.write_text("\n".join(map(json.dumps, pairs)), encoding="utf-8")
    yield from _asked(place, [(pair["question"], "") for pair in pairs], examples=file)


def by_formulas(place: str, queries: Sequence[str], folder: Path) -> Iterator[str]:
    """Yield the shipped parser's answers where formulas of a bank are hostile, or why they are no formulas."""
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
    yield from _asked(place, [(f"what is the {name} of each goods?", "") for name in taken], knowledge=[file])


def by_evidence(place: str, queries: Sequence[str]) -> Iterator[str]:
    """Yield the shipped parser's answers where the evidence of a question is hostile."""
    evidence = (f"zork {'refers to' if n % 2 else '='} {_expression(sql)}" for n, sql in enumerate(queries))
    yield from _asked(place, [("how many zork goods are there?", one) for one in evidence])


def _asked(place: str, questions: Sequence[tuple[str, str]], **told: Any) -> Iterator[str]:
    """Yield answers on the one table of the scene: a superuser's other schemas are no secret from a superuser."""
    try:
        with querent.connect(place, language="en", access=Access(("goods",)), **told) as connection:
            for question, evidence in questions:
                try:
                    answer = connection.ask(question, evidence=evidence)
                    yield f"{answer.status}: {_seen(answer.rows)} {answer.sql}"
                except QuerentError as error:
                    yield f"error: {error}"
    except QuerentError as error:
        yield f"error: {error}"


def _expression(sql: str) -> str:
    """Return what stands behind SELECT, as an expression that a formula may be."""
    return re.sub(r"(?is)^\W*SELECT\s+(.*?)(\s+FROM\s+goods.*)?$", r"\1", sql)


def _seen(rows: Sequence[Sequence[Any]]) -> str:
    """Return rows as text, bytes decoded, so that a secret can be found in them however it comes."""
    return repr([[bytes(c).decode("latin-1") if isinstance(c, bytes | memoryview) else c for c in row] for row in rows])
