"""Suite folders: ``suite.json`` and ``db-00.sqlite`` and on, found again by the domain they were made for."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import shutil
import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ...data.domains.domain import Domain
from ...data.domains.examples import Value, fill_sql
from ...data.domains.shipped import cache_folder, is_shipped
from ...data.errors import DatabaseError, InputError, QueryError
from ...data.sql.compared import sql_literals
from ...data.texts import json_of
from ..metrics import is_ordered
from .distill import Distilled
from .engine import Content, Engine, Result, in_sqlite, same
from .neighbours import other
from .shape import Shape, opened

__all__ = ["Suite", "digest_of", "find_suite", "load_suite", "save_suite", "suite_folder"]

_FORMAT = 1


def digest_of(domain: Domain) -> str:
    """Return the digest of what a suite rests on: dialect, schema and the distinct slotted gold queries."""
    told = [domain.dialect, domain.schema.to_json(), sorted({e.slotted for e in domain.examples})]
    return hashlib.sha256(json.dumps(told, ensure_ascii=False, sort_keys=True).encode()).hexdigest()[:16]


def suite_folder(domain: Domain) -> Path:
    """Return where a domain's suite is kept: ``suite`` in its own folder, else a folder of the cache.

    A domain folder with several languages has one suite for each, ``suite-LANGUAGE``.
    """
    source = Path(domain.source)
    if not is_shipped(domain.source) and (source / "domain.toml").is_file():
        many = len(list(source.glob("examples.*.jsonl"))) > 1
        return source / (f"suite-{domain.language}" if many else "suite")
    return cache_folder() / "suites" / f"{domain.name}-{domain.language}-{digest_of(domain)}"


def save_suite(made: Distilled, domain: Domain, folder: Path, *, seed: int = 0) -> dict[str, Any]:
    """Write a suite, whole or not at all, in place of an older one; return what ``suite.json`` holds.

    Raises:
        InputError: the folder holds something else.
    """
    if folder.exists() and not (folder / "suite.json").is_file() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError("is there and holds no suite", file=folder, field="--out", hint="give a new folder")
    told = {
        "format": _FORMAT,
        "domain": domain.name,
        "language": domain.language,
        "dialect": domain.dialect,
        "digest": digest_of(domain),
        "seed": seed,
        "versions": {
            "python": platform.python_version(),
            "sqlite": sqlite3.sqlite_version,
            **{name: version(name) for name in ("querent", "sqlglot")},
        },
        "databases": len(made.databases),
        "queries": len(made.cases),
        "seconds": made.seconds,
        "figures": made.figures(),
        "left_out": [{"sql": sql, "reason": reason} for sql, reason in made.left_out],
        "values": {c.example.slotted: {v.slot: v.mention.sql for v in c.example.values} for c in made.cases},
    }
    partial = folder.with_name(f".{folder.name}.{os.getpid()}")
    try:
        partial.mkdir(parents=True)
        engine = Engine(Shape.of(domain))
        for number, content in enumerate(made.databases):
            engine.load(content)
            engine.save(str(partial / f"db-{number:02}.sqlite"))
        (partial / "suite.json").write_text(json.dumps(told, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        if folder.exists():
            shutil.rmtree(folder)
        partial.replace(folder)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return told


def find_suite(domain: Domain) -> Path | None:
    """Return the folder of a domain's suite at its usual place, None if there is none."""
    folder = suite_folder(domain)
    return folder if (folder / "suite.json").is_file() else None


def load_suite(folder: Path, domain: Domain) -> Suite:
    """Read the suite that was made for a domain.

    Raises:
        InputError: there is none, it is broken, or it was made for other gold queries or another schema.
    """
    file = folder / "suite.json"
    again = f"run `querent suite {domain.source or domain.name}` again"
    if not file.is_file():
        raise InputError("holds no suite", file=folder, hint=f"run `querent suite {domain.source or domain.name}`")
    try:
        told = json_of(file.read_text(encoding="utf-8"))
        digest, count, values = told["digest"], int(told["databases"]), told["values"]
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"not a suite: {error!r}", file=file, hint=again) from error
    if told.get("format") != _FORMAT or digest != digest_of(domain):
        raise InputError("made for other gold queries or another schema", file=file, field="digest", hint=again)
    files = [folder / f"db-{number:02}.sqlite" for number in range(count)]
    if gone := next((f for f in files if not f.is_file()), None):
        raise InputError("a database of the suite is gone", file=gone, hint=again)
    shape = Shape.of(domain)
    contents = [_content(f, shape, again) for f in files]
    return Suite(domain.dialect, shape, contents, values)


def _content(file: Path, shape: Shape, again: str) -> Content:
    try:
        with closing(opened(file)) as own:
            return {n: own.execute(f'SELECT * FROM "{r.name}"').fetchall() for n, r in shape.relations.items()}
    except sqlite3.Error as error:
        raise InputError(f"cannot be read: {error}", file=file, hint=again) from error


@dataclass
class Suite:
    """The databases of a suite, ready to run queries on.

    Args:
        dialect: of the queries.
        shape: of the databases.
        contents: their rows.
        values: by slotted gold query, what the suite fills into its slots.
    """

    dialect: str
    shape: Shape
    contents: list[Content]
    values: Mapping[str, Mapping[str, str]]
    _engines: list[Engine] = field(default_factory=list[Engine], init=False)
    _golds: dict[str, list[Result | None]] = field(default_factory=dict[str, list["Result | None"]], init=False)
    _seen: dict[tuple[str, str], bool] = field(default_factory=dict[tuple[str, str], bool], init=False)

    def knows(self, slotted: str) -> bool:
        """Is a slotted gold query one of those the suite was made for, and one that runs?"""
        return slotted in self.values

    def judge(self, slotted: str, values: Iterable[Value], answer: str, own: Iterable[Value]) -> bool | None:
        """Say whether an answer returns the gold query's rows on every database; None if the gold query runs on none.

        The databases hold rows around one set of values for each gold query. So the values of the question are
        replaced, in both queries, by the suite's; a value of the answer that is not the question's stays as it is.

        Args:
            slotted: the gold query with its slots.
            values: what the question names.
            answer: the answer with its slots.
            own: what they stand for.
        """
        known = self.values.get(slotted)
        if known is None:
            return None
        gold_values = tuple(values)
        if self._written(answer, known, gold_values) - self._written(slotted, known, gold_values):
            known = {}  # it writes out what should be a slot: only the question's own values are fair
        gold = fill_sql(slotted, _filled(gold_values, gold_values, known), dialect=self.dialect)
        try:
            got = fill_sql(answer, _filled(tuple(own), gold_values, known), dialect=self.dialect)
        except (KeyError, ValueError):
            return False
        if (gold, got) not in self._seen:
            self._seen[gold, got] = self.equal(gold, got)
        return self._seen[gold, got]

    def equal(self, gold: str, got: str) -> bool:
        """Do two queries return the same rows on every database that settles the gold query's?"""
        ordered = is_ordered(gold, self.dialect)
        try:
            mine = in_sqlite(got, self.dialect)
        except QueryError:
            return False
        for engine, rows in zip(self.engines, self._gold(gold, ordered), strict=True):
            if rows is not None:
                found = engine.run(mine)
                if found is None or not same(found, rows, ordered):
                    return False
        return True

    def _written(self, slotted: str, known: Mapping[str, str], gold: Iterable[Value]) -> set[str]:
        """Return the values that a query with slots writes out though a slot could stand for them."""
        values = {*known.values(), *(v.mention.sql for v in gold)}
        return {literal.value for literal in sql_literals(slotted, self.dialect)} & values

    @property
    def engines(self) -> list[Engine]:
        """One database in memory for each of the suite's."""
        if not self._engines:
            for content in self.contents:
                engine = Engine(self.shape)
                engine.load(content)
                self._engines.append(engine)
        return self._engines

    def _gold(self, gold: str, ordered: bool) -> list[Result | None]:
        if gold not in self._golds:
            sql = in_sqlite(gold, self.dialect)
            self._golds[gold] = [engine.settled([(sql, ordered)])[0] for engine in self.engines]
            if all(rows is None for rows in self._golds[gold]):
                raise DatabaseError(f"a gold query of the suite runs on none of its databases: {gold}")
        return self._golds[gold]


def _filled(own: tuple[Value, ...], gold: tuple[Value, ...], known: Mapping[str, str]) -> list[Value]:
    """Give each value that the gold query's slot has too the suite's value for that slot."""
    slots = {(v.mention.type, v.mention.sql): v.slot for v in gold}
    found: list[Value] = []
    for value in own:
        slot = slots.get((value.mention.type, value.mention.sql))
        replaced = value.mention.sql if slot is None else known.get(slot, value.mention.sql)
        if slot is None and replaced in known.values():  # wrong, and it must not become right
            replaced = other(replaced)
        found.append(Value(value.slot, replace(value.mention, sql=replaced)))
    return found
