"""The scenes of hostile queries: a database with secrets around it, and the state that they may change."""

from __future__ import annotations

import contextlib
import hashlib
import sqlite3
import tempfile
import tomllib
from collections.abc import Generator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy.engine import URL, make_url

from .engines import DIALECTS, Server, databases, reader

CANARY = "querent-canary"  # what stands in every secret: it must never come back
SCHEMA = "CREATE TABLE goods (id INTEGER PRIMARY KEY, name VARCHAR(20), amount INTEGER)"
_ROWS = "INSERT INTO goods VALUES (1, 'apple', 3), (2, 'pear', 5), (3, 'plum', NULL)"

TOLD: dict[str, dict[str, Any]] = tomllib.loads(Path(__file__).with_name("hostile.toml").read_text("utf-8"))
"""Of each dialect: how sessions begin, how the scene is made, the queries that tell its state."""


@dataclass
class Scene:
    """A database and the secrets around it.

    Attributes:
        url: of a user who may do anything.
        reader: of a user who may read one table.
        facts: the values of ``{file}``, ``{target}``, ``{vault}`` and the like in hostile queries.
        server: as the user who may do anything; None for SQLite.
    """

    dialect: str
    url: str
    reader: str
    folder: Path
    facts: Mapping[str, str]
    server: Server | None = None

    def __post_init__(self) -> None:
        if self.dialect == "postgres":
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
        assert self.server is not None
        return self.server.fetched(sql)

    def state(self) -> dict[str, str]:
        """Return everything that a hostile query may change, as text by the query for it."""
        files = {p.name: p.is_file() and hashlib.sha256(p.read_bytes()).digest() for p in self.folder.rglob("*")}
        found = {"files": repr(sorted(files.items()))}
        for query in TOLD[self.dialect]["state"]:
            asked = query.replace("{vault}", self.facts["vault"]).replace("{reader}", self.facts["reader"])
            found[query] = repr(self.ask(asked))
        if self.dialect == "postgres" and self.server is not None:
            found["messages"] = repr([note.payload for note in self.server.maker.notifies(timeout=0)])
        return found


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
    postgres, told = dialect == "postgres", TOLD[dialect]
    names = {"vault": "vault" if postgres else str(vault.database)}
    server = Server(url, timeout=60)
    with closing(server), reader(server, ()) as as_reader:
        names["reader"] = str(make_url(as_reader).username)
        script = told["script"].replace("{vault}", names["vault"]).replace("{canary}", CANARY)
        for statement in (SCHEMA, _ROWS, *script.strip().split(";\n"), f"GRANT SELECT ON goods TO {names['reader']}"):
            server.fetched(statement)
        for extension in told.get("extensions", ()):
            with contextlib.suppress(server.driver.Error):  # not every server has them all
                server.fetched(f"CREATE EXTENSION {extension}")
        names["pid"] = str(server.fetched("SELECT pg_backend_pid()" if postgres else "SELECT CONNECTION_ID()")[0][0])
        yield Scene(dialect, server.url, as_reader, folder, {**facts, **names}, server)
