"""Queries after the manuals and as models write them: what engines say, and `querent validate` without asking any.

Of those that run every tenth is judged, of those that fail every sixth; with QUERENT_ALL_INSTANCES=1 all are.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy
from draws import some
from servers import execute, fresh_database, url_of

from querent import Validator, open_schema
from querent.validation.nearest import Search

HERE = Path(__file__).parent
DATA: dict[str, dict[str, Any]] = tomllib.loads((HERE / "everyday.toml").read_text(encoding="utf-8"))
RIGHT = 0.94
"""Of the verdicts of each engine, at least."""

FILES: dict[str, dict[str, dict[str, str]]] = {
    name: tomllib.loads((HERE / f"{name}_queries.toml").read_text(encoding="utf-8")) for name in ("model", "hospital")
}
ADMITTED = {
    "model": {"sqlite": 0.97, "mysql": 0.97, "postgres": 0.93},
    "hospital": {"sqlite": 0.9, "mysql": 0.88, "postgres": 0.68},
}
"""Of the queries of models that run, at least; what PostgreSQL may fail at on other rows is not admitted."""
UNDECIDED = (0.1, 0.52)
"""Of those that run and of those that fail, at most: what reads an engine's own catalogue is undecided."""
PART = int(not os.environ.get("QUERENT_ALL_INSTANCES"))
"""By so many queries the shares of a part may miss those of all."""
EACH = pytest.mark.parametrize(
    ("name", "dialect"), [(name, d) for name, found in ADMITTED.items() for d in sorted(found)]
)


@pytest.fixture(autouse=True)
def _verdicts_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look for no query that would run instead: it takes half of the time, and the verdict does not hang on it."""
    monkeypatch.setattr(Search, "find", lambda _: None)


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
    asked = sorted(queries(dialect), key=lambda one: one[1])
    found = {sql: (judge.validate(sql).runs, runs) for sql, runs in some(asked, 6)}
    assert [sql for sql, (says, runs) in found.items() if says and not runs] == []
    assert sum(says is runs for says, runs in found.values()) >= RIGHT * len(found)


def of_models(name: str, dialect: str, kind: str) -> list[str]:
    """Return what a model writes that runs or fails."""
    return [sql for part in ("everywhere", dialect) for sql in FILES[name][part][kind].strip().splitlines()]


@EACH
def test_engines_run_what_is_said_to_run(name: str, dialect: str, tmp_path: Path) -> None:
    file = f"sqlite:///{tmp_path / 'models.db'}"
    with nullcontext(file) if dialect == "sqlite" else fresh_database(url_of(dialect)) as url:
        script = FILES[name][dialect]["schema"] + FILES[name][dialect]["rows"]
        execute(url, *(statement for statement in script.split(";\n") if statement.strip()))
        engine = sqlalchemy.create_engine(url, isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            assert [sql for sql in of_models(name, dialect, "runs") if not _runs(connection, sql)] == []
            assert [sql for sql in of_models(name, dialect, "fails") if _runs(connection, sql)] == []
        engine.dispose()


@EACH
def test_what_models_write_is_admitted_where_it_runs_and_never_where_it_fails(
    name: str, dialect: str, tmp_path: Path
) -> None:
    (tmp_path / "models.sql").write_text(FILES[name][dialect]["schema"], encoding="utf-8")
    schema, spoken = open_schema(tmp_path / "models.sql", dialect)
    judge = Validator(schema, dialect=spoken, timeout=60)
    right = [judge.validate(sql).runs for sql in some(of_models(name, dialect, "runs"), 10)]
    wrong = [judge.validate(sql).runs for sql in some(of_models(name, dialect, "fails"), 6)]
    assert True not in wrong
    assert sum(says is True for says in right) >= ADMITTED[name][dialect] * len(right) - PART
    for most, found in zip(UNDECIDED, (right, wrong), strict=True):
        assert found.count(None) <= most * len(found) + PART
