"""What a query has of another one."""

from pathlib import Path
from typing import Any

import pytest
from cases import cases

from querent.answers.answer import Carried
from querent.answers.carried import carried
from querent.data.schema.ddl import from_ddl
from querent.data.sql.query import Query

SCHEMA = from_ddl("CREATE TABLE artist (id INT, name TEXT, country TEXT, born INT, city TEXT);"
    "CREATE TABLE album (artist_id INT, title TEXT); CREATE TABLE band (name TEXT)", "sqlite")  # fmt: skip
FOUND = cases(Path(__file__).with_suffix(".toml"))


def of(before: str, sql: str, dialect: str = "sqlite") -> Carried:
    return carried(Query(before, dialect), Query(sql, dialect), SCHEMA)


@pytest.mark.parametrize("case", FOUND)
def test_parts_of_the_query_before(case: dict[str, Any]) -> None:
    wanted = {name: tuple(case[name]) for name in ("kept", "new", "dropped")}
    assert of(case["before"], case["sql"]) == Carried(**wanted)
    for dialect in ("sqlite", "mysql", "postgres"):
        same = of(case["before"], case["before"], dialect)
        assert (same.new, same.dropped, str(same)[:5]) == ((), (), "still")


@pytest.mark.parametrize("before", ["", "no SQL at all (", "DELETE FROM artist", " UNION ".join(["SELECT 1"] * 1300)])
def test_of_what_is_no_query_nothing_is_kept(before: str) -> None:
    found = of(before, "SELECT name FROM artist")
    assert found.kept == found.dropped == ()
    assert str(Carried(new_topic=True)) == "a new topic: nothing of the query before is kept"
