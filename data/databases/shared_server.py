"""One engine of SQLAlchemy for all sessions of a process on one URL; cells of PostgreSQL that Python cannot hold."""

from __future__ import annotations

import os
import re
import threading
import time
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Engine, create_engine, event
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DisconnectionError, NoSuchModuleError

from ..errors import DatabaseError
from ..urls import scrubbed, shown_url
from .catalogue import Rights, catalogue
from .sqlite_session import sqlite_file

_TEXTS = (0, "bpchar", "name", "text", "varchar", '"char"')
"""The types that psycopg loads as texts; 0 stands for those that it does not know."""


def hold_any_time(engine: Engine) -> None:
    """Have psycopg return the text of a time, or of JSON, that its loader refuses; other drivers stay unchanged.

    The texts of a database whose encoding is SQL_ASCII, bytes to psycopg, are read as UTF-8; other bytes are U+FFFD.
    """
    if engine.dialect.driver == "psycopg":
        from psycopg.adapt import Loader
        from psycopg.types import datetime as times
        from psycopg.types import json

        class AnyText(Loader):
            def load(self, data: Any) -> str:
                return bytes(data).decode(errors="replace")

        fallible: list[Any] = [times.DateLoader, times.TimeLoader, times.TimetzLoader, times.TimestampLoader]
        fallible += [times.TimestamptzLoader, times.IntervalLoader, json.JsonLoader, json.JsonbLoader]
        loaders = {loader.__name__.removesuffix("Loader").lower(): _or_text(loader) for loader in fallible}

        def registered(opened: Any, _: Any) -> None:
            any_bytes = opened.info.parameter_status("server_encoding") == "SQL_ASCII"
            for kind, loader in {**loaders, **dict.fromkeys(_TEXTS if any_bytes else (), AnyText)}.items():
                opened.adapters.register_loader(kind, loader)

        event.listen(engine, "connect", registered, insert=True)  # before SQLAlchemy reads the server's version


def _or_text(loader: Any) -> Any:
    """Return a loader of psycopg that returns the server's text when it fails."""

    class OrText(loader):
        def load(self, data: Any) -> Any:
            try:
                return super().load(data)
            except Exception:
                return bytes(data).decode()

    return OrText


_CONNECT = 10  # seconds to wait for a server
_CONNECT_OPTIONS = {"psycopg", "psycopg2", "pymysql", "mysqldb", "mariadbconnector"}
"""Drivers with the option connect_timeout."""

_IDLE = 1.0  # seconds after which a connection may be lost, so that it is tried before it is used
_DIALECTS = {"postgresql": "postgres", "mysql": "mysql", "mariadb": "mysql"}
"""Sqlglot's name of each dialect that can be opened for reading only."""


@dataclass
class SharedServer:
    """The engine that the sessions of a process on one URL share; every connection is opened read-only.

    Attributes:
        place: the process that opened it, and the URL.
        name: the URL without password.
        dialect: sqlglot's name of it.
        version: the version string of the server, empty before the first connection.
        rights: the rights of its user, None before they are read.
    """

    place: tuple[int, str]
    name: str
    engine: Engine
    dialect: str
    version: str = ""
    rights: Rights | None = None
    _sessions: int = 0

    @classmethod
    def of(cls, url: str) -> SharedServer:
        """Return the shared server of a URL; each caller calls `release` once.

        Raises:
            DatabaseError: it is no URL, its dialect is unknown, or the driver is not installed; it is a file's.
        """
        with _LOCK:
            place = (os.getpid(), url)  # a forked process has connections of its own
            server = _OPEN[place] = _OPEN.get(place) or cls._made(place)
            server._sessions += 1
            return server

    def release(self) -> None:
        """Close all connections when the last session releases them."""
        with _LOCK:
            self._sessions -= 1
            if self._sessions == 0:
                _OPEN.pop(self.place, None)
                self.engine.dispose()

    @classmethod
    def _made(cls, place: tuple[int, str]) -> SharedServer:
        engine = _engine_of(place[1])
        name = shown_url(engine.url.render_as_string(hide_password=False))
        if engine.dialect.name not in _DIALECTS:
            problem = f"{name}: cannot open {engine.dialect.name} for reading only"
            raise DatabaseError(problem, hint=f"use one of {', '.join(sorted(_DIALECTS))}")
        server = cls(place, name, engine, _DIALECTS[engine.dialect.name])
        event.listen(engine, "connect", server._prepare)
        event.listen(engine, "checkin", _note_checkin)
        event.listen(engine, "checkout", server._try_idle)
        return server

    def _prepare(self, connection: Any, _: Any) -> None:
        cursor = connection.cursor()
        cursor.execute(catalogue(self.dialect)["opening"])
        self.version, modes, *_ = map(str, cursor.fetchone())
        if self.dialect == "mysql":
            cursor.execute("SET SESSION TRANSACTION READ ONLY")
            kept = (mode for mode in modes.split(",") if mode in catalogue("mysql")["modes"])
            cursor.execute(f"SET SESSION sql_mode = '{','.join(kept)}'")
        cursor.close()
        connection.commit()

    def _try_idle(self, connection: Any, record: Any, _: Any) -> None:
        """Replace a connection that was idle for long if it is lost; a ping each time would cost as much as a query."""
        try:
            if time.monotonic() - record.info.get("idle_since", time.monotonic()) > _IDLE:
                self.engine.dialect.do_ping(connection)
        except Exception as error:  # drivers raise what they like
            raise DisconnectionError("the connection is lost") from error


_OPEN: dict[tuple[int, str], SharedServer] = {}
_LOCK = threading.Lock()


def _note_checkin(_: Any, record: Any) -> None:
    record.info["idle_since"] = time.monotonic()


def _engine_of(url: str) -> Engine:
    """Return the engine of a URL, not connected yet; it gives up after ten seconds without an answer.

    On PostgreSQL ``?role=NAME`` has every session begin under SET ROLE, which no query that may be sent takes back.

    Raises:
        DatabaseError: it is no URL, its dialect is unknown, or the driver is not installed; it is a file's.
    """
    if sqlite_file(url) is not None:  # SQLAlchemy would make a file that is not there
        raise DatabaseError("a SQLite file is no server", hint="give the file to what reads files")
    try:
        place = make_url(url)
        driver, host = place.get_driver_name(), place.host or ""
        options = {"connect_timeout": _CONNECT} if driver in _CONNECT_OPTIONS and "connect_timeout=" not in url else {}
        if "@" in host or url.partition("?")[0].count("@") > 1:
            raise DatabaseError("an @ in the password of this URL ends it", hint="write %40 in its place")
        if place.get_backend_name() == "postgresql" and (role := place.query.get("role")):
            written = re.sub(r"([\\\s])", r"\\\1", str(role))
            place = place.difference_update_query(["role"])
            place = place.update_query_dict({"options": f"{place.query.get('options', '')} -c role={written}".strip()})
        engine = create_engine(place, connect_args=options, max_overflow=-1)
    except (ArgumentError, NoSuchModuleError, ModuleNotFoundError, ValueError) as error:
        hint = "write dialect+driver://user@host/database, and install the driver"
        raise DatabaseError(f"cannot open this URL: {scrubbed(str(error), url)}", hint=hint) from error
    hold_any_time(engine)
    return engine
