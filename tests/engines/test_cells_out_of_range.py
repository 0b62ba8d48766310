"""Cells that Python cannot hold, odd names, and views that fail on a row: on a MariaDB and a PostgreSQL."""

from pathlib import Path

import pytest
from servers import execute, fresh_database, script, url_of

import querent
from querent.data.databases.database import Database
from querent.data.errors import DatabaseError
from querent.data.schema.schema import Schema
from querent.grammar import Constraint, Grammar, Vocabulary

DATABASE = "cells"


def test_a_cell_that_python_cannot_hold_comes_as_text(database: Database, dialect: str) -> None:
    if dialect == "mysql":
        assert str(database.query("SELECT opens FROM pass WHERE id = 1").rows[0][0]) == "34 days, 22:59:59"
        return
    [row] = database.query("SELECT due, born, made, seen, opens, lasts, days, span, doc FROM pass WHERE id = 1").rows
    assert row[:4] == ("infinity", "0044-03-15 BC", "-infinity", "20000-01-01 00:00:00+00")
    assert row[4:7] == ("24:00:00", "170000000 years", '["infinity"]')
    assert str(row[7]) == "[2024-01-01, infinity)"
    assert len(row[8]) == 5002
    assert database.query("SELECT due, lasts FROM pass WHERE id = 2").rows != []


def test_a_number_of_thousands_of_digits_is_compared_and_written(url: str, dialect: str, cache: Path) -> None:
    if dialect == "mysql":
        pytest.skip("MySQL's numbers have 65 digits at most")
    with querent.connect(url) as connection:
        answer = connection.ask("show all rows of huge", beam=1)
        assert answer.sql == "SELECT * FROM huge"
        assert len(answer.rows) == 3
        rows = answer.to_json()["rows"]
        assert [len(row[1]) for row in rows] == [5001, 131074, 3]
        assert rows[0][2] == "{[1, 2), [5, None)}"


def test_names_stay_and_what_cannot_be_read_is_left_out_alone(schema: Schema, dialect: str) -> None:
    mark = '"' if dialect == "postgres" else "`"
    odd = schema.table(f"odd {mark}50%")
    assert [c.name for c in odd.columns][:2] == [f"a {mark}b%", "x.y"]
    if dialect == "mysql":
        assert (odd.primary_key, odd.unique) == (("a `b%",), ("c`",))
        assert schema.left_out == ()
        return
    reasons = dict(one.split(": ", 1) for one in schema.left_out)
    assert set(reasons) == {"other.room", "folded", "unfilled", "nothing"}
    assert reasons["nothing"] == "it has no columns"
    assert reasons["other.room"] == "another table is called so"
    assert schema.table("kept").column("spot").type == "point"


def test_times_of_which_some_are_infinite_are_not_reckoned_with(
    database: Database, schema: Schema, dialect: str
) -> None:
    if dialect == "mysql":
        pytest.skip("MySQL has no infinite times, and gives NULL for what it cannot subtract")
    held = {(t, c.name): c.computed for t in ("pass", "shown") for c in schema.table(t).columns}
    assert held["pass", "due"] and held["pass", "made"] and held["shown", "due"] and held["shown", "until"]
    assert not held["pass", "born"] and not held["pass", "id"]
    failing = "SELECT CURRENT_DATE - due, AGE(due) FROM pass"
    running = [failing.replace("due", "born"), "SELECT EXTRACT(YEAR FROM due), due FROM pass"]
    constraint = Constraint(Vocabulary.build(Grammar.for_schema(schema, dialect=dialect), [failing, *running]))
    assert [sql for sql in (failing, *running) if constraint.admits(sql)] == running
    assert [len(database.query(sql).rows) for sql in running] == [3, 3]
    with pytest.raises(DatabaseError, match="infinite"):
        database.query(failing)


def test_a_view_that_fails_on_a_row_is_said(url: str, cache: Path) -> None:
    with querent.connect(url) as connection:
        [reason] = [one for one in connection.schema.left_out if one.startswith("ratio")]
        assert reason.startswith("ratio.share, its values: ")
        answer = connection.ask("what is the average share of the ratio?")
        assert answer.status == "error" or any("likelier query fails" in note for note in answer.notes)
        assert connection.ask("how many passes are there?").rows[0][0] >= 2


def test_texts_of_no_encoding_are_read_as_utf_8(cache: Path) -> None:
    with fresh_database(url_of("postgres"), "ENCODING SQL_ASCII LOCALE 'C' TEMPLATE template0") as url:
        execute(f"{url}?client_encoding=latin1", *script("bytes", "postgres"))  # else SQLAlchemy reads no version
        with querent.connect(url) as connection:
            assert [table.name for table in connection.schema.tables] == ["guest"]
            assert [one.split(":")[0] for one in connection.schema.left_out] == ["\ufffd"]
            assert connection.ask("how many guests are there?", beam=1).rows == ((2,),)
        with Database.open(url) as database:
            assert database.query("SELECT name FROM guest ORDER BY id").rows == [("Zoë",), ("Zo\ufffd",)]
