"""What hostile queries are let loose on: a database with secrets around it, and the state that they may change."""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import sqlite3
import tempfile
import tomllib
from collections.abc import Generator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy
from sqlalchemy.engine import URL, make_url
from walk_servers import fresh_databases

__all__ = ["CANARY", "SCHEMA", "Scene", "scene_on"]

CANARY = "querent-canary"
"""What stands in every secret: it must never come back."""

SCHEMA = "CREATE TABLE goods (id INTEGER PRIMARY KEY, name VARCHAR(20), amount INTEGER)"
_ROWS = "INSERT INTO goods VALUES (1, 'apple', 3), (2, 'pear', 5), (3, 'plum', NULL)"

_TOLD: dict[str, dict[str, Any]] = tomllib.loads(Path(__file__).with_name("hostile_scenes.toml").read_text("utf-8"))
MODES: dict[str, list[str]] = {dialect: told["modes"] for dialect, told in _TOLD.items()}
"""How sessions begin, whatever they are set to afterwards: settings of PostgreSQL, modes of MariaDB."""


class Scene:
    """A database, its secrets, and what is told of it.

    Attributes:
        url: of a user who may do anything.
        reader: of a user who may read one table.
        facts: what stands for ``{file}``, ``{target}``, ``{vault}`` and the like in hostile queries.
        session: the query that tells what a session is set to.
    """

    def __init__(self, dialect: str, url: str, reader: str, folder: Path, facts: Mapping[str, str]) -> None:
        self.dialect, self.url, self.reader, self.facts = dialect, url, reader, facts
        self.session = _TOLD[dialect]["session"]
        self._folder = folder
        self._engine = None if dialect == "sqlite" else sqlalchemy.create_engine(url, isolation_level="AUTOCOMMIT")
        self._watch = None if self._engine is None else self._engine.connect()
        if dialect == "postgres":
            self.ask("LISTEN querent_hostile")

    def opened_by(self, role: str, mode: str) -> str:
        """Return the URL by which a role opens the database in a mode."""
        place = self.url if role == "superuser" else self.reader
        if self.dialect == "sqlite" or not mode:
            return place
        url = make_url(place)
        if self.dialect == "postgres":
            url = url.update_query_dict({"options": f"-c {mode}"})
        else:
            url = url.update_query_dict({"sql_mode": mode})
        return url.render_as_string(hide_password=False)

    def ask(self, sql: str) -> Sequence[tuple[Any, ...]]:
        """Run a statement as the user who may do anything."""
        assert self._watch is not None
        found = self._watch.exec_driver_sql(sql, execution_options={"no_parameters": True})
        return [tuple(row) for row in found] if found.returns_rows else []

    def pid(self) -> str:
        """Return what the server calls the session that watches."""
        ask = {"postgres": "SELECT pg_backend_pid()", "mysql": "SELECT CONNECTION_ID()"}.get(self.dialect)
        return str(self.ask(ask)[0][0]) if ask else "1"

    def state(self) -> dict[str, str]:
        """Return everything that a hostile query may change, as text by what was asked."""
        found = {"files": repr([(p.name, _digest(p)) for p in sorted(self._folder.rglob("*"))])}
        for query in _TOLD[self.dialect]["state"]:
            asked = query.replace("{vault}", self.facts["vault"]).replace("{reader}", self.facts["reader"])
            found[query] = repr(self.ask(asked))
        if self.dialect == "postgres" and self._watch is not None:
            driver: Any = self._watch.connection.driver_connection
            found["messages"] = repr([note.payload for note in driver.notifies(timeout=0)])
        return found

    def close(self) -> None:
        """Let go of the server."""
        if self._watch is not None and self._engine is not None:
            self._watch.close()
            self._engine.dispose()


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "folder"


@contextmanager
def scene_on(dialect: str, server: str | None) -> Generator[Scene]:
    """Make the database of a scene, good until the end of the block.

    Args:
        dialect: sqlite, mysql or postgres.
        server: the URL of a user who may do anything; None for SQLite.
    """
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder.chmod(0o777)  # the server may write here
        (folder / "canary.csv").write_text(f"{CANARY}\n")
        facts = {"folder": str(folder), "file": str(folder / "canary.csv"), "target": str(folder / "written")}
        facts["hex"] = facts["file"].encode().hex()
        if server is None:
            scene = _sqlite(folder, facts)
        else:
            url, vault = stack.enter_context(fresh_databases(server, 2))
            scene = stack.enter_context(_server(dialect, url, make_url(vault), folder, facts))
        yield scene


def _sqlite(folder: Path, facts: Mapping[str, str]) -> Scene:
    for name, tables in (
        ("goods", f"{SCHEMA};{_ROWS}"),
        ("vault", f"CREATE TABLE secret AS SELECT '{CANARY}' AS note"),
    ):
        with closing(sqlite3.connect(folder / f"{name}.sqlite")) as made:
            made.executescript(tables)
    file = folder / "goods.sqlite"
    told = {"vault": str(folder / "vault.sqlite"), "reader": "", "pid": "1"}
    return Scene("sqlite", str(file), f"sqlite+pysqlite:///{file}", folder, {**facts, **told})


@contextmanager
def _server(dialect: str, url: str, vault: URL, folder: Path, facts: Mapping[str, str]) -> Generator[Scene]:
    reader, password = f"querent_{secrets.token_hex(4)}", secrets.token_hex(8)
    told = {**facts, "vault": "vault" if dialect == "postgres" else str(vault.database), "reader": reader}
    as_reader = make_url(url).set(username=reader, password=password).render_as_string(hide_password=False)
    scene = Scene(dialect, url, as_reader, folder, told)
    made = f"ROLE {reader} LOGIN PASSWORD" if dialect == "postgres" else f"USER {reader} IDENTIFIED BY"
    scene.ask(f"CREATE {made} '{password}'")
    try:
        script = _TOLD[dialect]["script"].replace("{vault}", told["vault"]).replace("{canary}", CANARY)
        for statement in (SCHEMA, _ROWS, *script.strip().split(";\n")):
            scene.ask(statement)
        for extension in _TOLD[dialect].get("extensions", ()):
            with contextlib.suppress(sqlalchemy.exc.DBAPIError):  # not every server has them all
                scene.ask(f"CREATE EXTENSION {extension}")
        scene.ask(f"GRANT SELECT ON goods TO {reader}")
        scene.facts = {**told, "pid": scene.pid()}
        yield scene
    finally:
        if dialect == "postgres":
            scene.ask(f"DROP OWNED BY {reader}")
        scene.ask(f"DROP {'ROLE' if dialect == 'postgres' else 'USER'} {reader}")
        scene.close()


def server_of(dialect: str) -> str | None:
    """Return the server's URL that the environment names; None for SQLite."""
    variables = {"postgres": "QUERENT_POSTGRES_URL", "mysql": "QUERENT_MARIADB_URL"}
    return os.environ[variables[dialect]] if dialect in variables else None
