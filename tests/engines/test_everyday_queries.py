"""Queries after the manuals: what the engines say of them, and what `querent validate` says without asking any."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy
from servers import execute, fresh_database, url_of

from querent import Validator, open_schema

DATA: dict[str, dict[str, Any]] = tomllib.loads((Path(__file__).parent / "everyday.toml").read_text(encoding="utf-8"))
RIGHT = 0.94
"""Of the verdicts of each engine, at least."""


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
