"""Queries after the manuals and as models write them: what engines say, and `querent validate` without asking any.

Of the queries of models that run, a third is judged; with QUERENT_ALL_INSTANCES=1 all are.
"""

from __future__ import annotations

import os
import sqlite3
import tomllib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy
from servers import execute, fresh_database, url_of

from querent import Validator, open_schema

HERE = Path(__file__).parent
DATA: dict[str, dict[str, Any]] = tomllib.loads((HERE / "everyday.toml").read_text(encoding="utf-8"))
RIGHT = 0.94
"""Of the verdicts of each engine, at least."""

MODELS: dict[str, dict[str, str]] = tomllib.loads((HERE / "model_queries.toml").read_text(encoding="utf-8"))
ADMITTED = {"sqlite": 0.92, "mysql": 0.95, "postgres": 0.86}
"""Of the queries of models that run, at least; what PostgreSQL may fail at on other rows is not admitted."""
UNDECIDED = (0.07, 0.4)
"""Of those that run and of those that fail, at most."""
STEP = 1 if os.environ.get("QUERENT_ALL_INSTANCES") else 3


def queries(dialect: str) -> Iterator[tuple[str, bool]]:
    """Yield each query, and whether its engine runs it."""
    yield from ((sql, True) for sql in DATA[dialect]["runs"])
    yield from ((sql, False) for sql in DATA[dialect]["fails"])


@pytest.mark.parametrize("dialect", sorted(DATA))
def test_the_engine_says_so(dialect: str) -> None:
    with fresh_database(url_of(dialect)) as url:
        script = DATA[dialect]["schema"] + DATA[dialect]["rows"]
        execute(url, *(statement for statement in script.split(";") if statement.strip()))
        engine = sqlalchemy.create_engine(url, isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            assert [sql for sql, runs in queries(dialect) if runs is not _runs(connection, sql)] == []
        engine.dispose()


def _runs(connection: sqlalchemy.Connection, sql: str) -> bool:
    try:
        connection.exec_driver_sql(sql, execution_options={"no_parameters": True}).fetchall()
    except sqlalchemy.exc.SQLAlchemyError:
        return False
    return True


@pytest.mark.parametrize("dialect", sorted(DATA))
def test_validate_says_the_same_of_most_and_never_that_a_wrong_one_runs(dialect: str, tmp_path: Path) -> None:
    (tmp_path / "workshop.sql").write_text(DATA[dialect]["schema"], encoding="utf-8")
    schema, spoken = open_schema(tmp_path / "workshop.sql", dialect)
    judge = Validator(schema, dialect=spoken, timeout=60)
    found = {sql: (judge.validate(sql).runs, runs) for sql, runs in queries(dialect)}
    assert [sql for sql, (says, runs) in found.items() if says and not runs] == []
    assert sum(says is runs for says, runs in found.values()) >= RIGHT * len(found)


def of_models(dialect: str, kind: str) -> list[str]:
    """Return what a model writes that runs or fails."""
    return [sql for part in ("everywhere", dialect) for sql in MODELS[part][kind].strip().splitlines()]


def test_sqlite_runs_what_is_said_to_run() -> None:
    with closing(sqlite3.connect(":memory:")) as shop:
        shop.executescript(MODELS["sqlite"]["schema"] + MODELS["sqlite"]["rows"])
        for sql in of_models("sqlite", "runs"):
            shop.execute(sql).fetchall()
        for sql in of_models("sqlite", "fails"):
            with pytest.raises(sqlite3.Error):
                shop.execute(sql).fetchall()


@pytest.mark.parametrize("dialect", ["mysql", "postgres"])
def test_servers_run_what_is_said_to_run(dialect: str) -> None:
    with fresh_database(url_of(dialect)) as url:
        script = MODELS[dialect]["schema"] + MODELS[dialect]["rows"]
        execute(url, *(statement for statement in script.split(";\n") if statement.strip()))
        engine = sqlalchemy.create_engine(url, isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            assert [sql for sql in of_models(dialect, "runs") if not _runs(connection, sql)] == []
            assert [sql for sql in of_models(dialect, "fails") if _runs(connection, sql)] == []
        engine.dispose()


@pytest.mark.parametrize("dialect", sorted(ADMITTED))
def test_what_models_write_is_admitted_where_it_runs_and_never_where_it_fails(dialect: str, tmp_path: Path) -> None:
    (tmp_path / "shop.sql").write_text(MODELS[dialect]["schema"], encoding="utf-8")
    schema, spoken = open_schema(tmp_path / "shop.sql", dialect)
    judge = Validator(schema, dialect=spoken, timeout=60)
    right = [judge.validate(sql).runs for sql in of_models(dialect, "runs")[STEP - 1 :: STEP]]
    wrong = [judge.validate(sql).runs for sql in of_models(dialect, "fails")]
    assert True not in wrong
    assert sum(says is True for says in right) >= ADMITTED[dialect] * len(right)
    for most, found in zip(UNDECIDED, (right, wrong), strict=True):
        assert found.count(None) <= most * len(found)
