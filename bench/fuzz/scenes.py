"""The scenes of hostile queries: a database with secrets around it, and the state that they may change."""

from __future__ import annotations

import contextlib
import hashlib
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

from .engines import DIALECTS, databases

__all__ = ["CANARY", "SCHEMA", "TOLD", "Scene", "scene_on"]

CANARY = "querent-canary"
"""What stands in every secret: it must never come back."""

SCHEMA = "CREATE TABLE goods (id INTEGER PRIMARY KEY, name VARCHAR(20), amount INTEGER)"
_ROWS = "INSERT INTO goods VALUES (1, 'apple', 3), (2, 'pear', 5), (3, 'plum', NULL)"

TOLD: dict[str, dict[str, Any]] = tomllib.loads(Path(__file__).with_name("hostile.toml").read_text("utf-8"))
"""Of each dialect: how sessions begin, how the scene is made, the queries that tell its state."""


class Scene:
    """A database and the secrets around it.

    Attributes:
        url: of a user who may do anything.
        reader: of a user who may read one table.
        facts: the values of ``{file}``, ``{target}``, ``{vault}`` and the like in hostile queries.
        session: the query for the settings of a session.
    """

    def __init__(self, dialect: str, url: str, reader: str, folder: Path, facts: Mapping[str, str]) -> None:
        self.dialect, self.url, self.reader, self.facts = dialect, url, reader, facts
        self.session = TOLD[dialect]["session"]
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
        setting = {"options": f"-c {mode}"} if self.dialect == "postgres" else {"sql_mode": mode}
        return make_url(place).update_query_dict(setting).render_as_string(hide_password=False)

    def ask(self, sql: str) -> Sequence[tuple[Any, ...]]:
        """Run a statement as the user who may do anything."""
        assert self._watch is not None
        found = self._watch.exec_driver_sql(sql, execution_options={"no_parameters": True})
        return [tuple(row) for row in found] if found.returns_rows else []

    def state(self) -> dict[str, str]:
        """Return everything that a hostile query may change, as text by the query for it."""
        found = {"files": repr([(p.name, _digest(p)) for p in sorted(self._folder.rglob("*"))])}
        for query in TOLD[self.dialect]["state"]:
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
def scene_on(engine: str, server: str | None) -> Generator[Scene]:
    """Make the database of a scene, good until the end of the block.

    Args:
        engine: a key of `DIALECTS`.
        server: the URL of a user who may do anything; None for that of the environment.
    """
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder.chmod(0o777)  # the server may write here
        (folder / "canary.csv").write_text(f"{CANARY}\n")
        facts = {"folder": str(folder), "file": str(folder / "canary.csv"), "target": str(folder / "written")}
        facts["hex"] = facts["file"].encode().hex()
        url, vault = stack.enter_context(databases(engine, 2, server))
        if url is None or vault is None:
            yield _sqlite(folder, facts)
        else:
            yield stack.enter_context(_server(DIALECTS[engine], url, make_url(vault), folder, facts))


def _sqlite(folder: Path, facts: Mapping[str, str]) -> Scene:
    secret = f"CREATE TABLE secret AS SELECT '{CANARY}' AS note"
    for name, script in (("goods", f"{SCHEMA};{_ROWS}"), ("vault", secret)):
        with closing(sqlite3.connect(folder / f"{name}.sqlite")) as made:
            made.executescript(script)
    file = folder / "goods.sqlite"
    told = {"vault": str(folder / "vault.sqlite"), "reader": "", "pid": "1"}
    return Scene("sqlite", str(file), f"sqlite+pysqlite:///{file}", folder, {**facts, **told})


@contextmanager
def _server(dialect: str, url: str, vault: URL, folder: Path, facts: Mapping[str, str]) -> Generator[Scene]:
    reader, password = f"querent_{secrets.token_hex(4)}", secrets.token_hex(8)
    postgres, told = dialect == "postgres", TOLD[dialect]
    names = {"vault": "vault" if postgres else str(vault.database), "reader": reader}
    as_reader = make_url(url).set(username=reader, password=password).render_as_string(hide_password=False)
    scene = Scene(dialect, url, as_reader, folder, {**facts, **names})
    kind = "ROLE" if postgres else "USER"
    scene.ask(f"CREATE {kind} {reader} {'LOGIN PASSWORD' if postgres else 'IDENTIFIED BY'} '{password}'")
    try:
        script = told["script"].replace("{vault}", names["vault"]).replace("{canary}", CANARY)
        for statement in (SCHEMA, _ROWS, *script.strip().split(";\n")):
            scene.ask(statement)
        for extension in told.get("extensions", ()):
            with contextlib.suppress(sqlalchemy.exc.DBAPIError):  # not every server has them all
                scene.ask(f"CREATE EXTENSION {extension}")
        scene.ask(f"GRANT SELECT ON goods TO {reader}")
        pid = scene.ask("SELECT pg_backend_pid()" if postgres else "SELECT CONNECTION_ID()")[0][0]
        scene.facts = {**scene.facts, "pid": str(pid)}
        yield scene
    finally:
        for statement in (*[f"DROP OWNED BY {reader}"] * postgres, f"DROP {kind} {reader}"):
            scene.ask(statement)
        scene.close()
