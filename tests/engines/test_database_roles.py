"""A role of PostgreSQL that an access file names: all that is read of the database is read under SET ROLE."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest
from servers import execute, fresh_database, reader, url_of

import querent
from querent.data.errors import DatabaseError, InputError
from querent.serving.open_databases import OpenDatabases
from querent.serving.roles import Roles, TokenRole
from querent.serving.settings import ServingSettings

TABLES = (
    "CREATE TABLE goods (good_id integer PRIMARY KEY, name text, region text)",
    "INSERT INTO goods VALUES (1, 'hat', 'north'), (2, 'cap', 'south'), (3, 'boot', 'south')",
    "CREATE TABLE vault (secret text)",
)
COUNT = "how many goods are there?"


@pytest.fixture(scope="module")
def shop() -> Iterator[tuple[str, str]]:
    """Return the URL of a database, and a role that sees two of three rows of one of its two tables."""
    role = f'the "{secrets.token_hex(4)}" clerk'
    quoted = '"' + role.replace('"', '""') + '"'
    with fresh_database(url_of("postgres")) as url:
        policy = f"CREATE POLICY southern ON goods TO {quoted} USING (region = 'south')"
        secure = "ALTER TABLE goods ENABLE ROW LEVEL SECURITY"
        execute(url, *TABLES, f"CREATE ROLE {quoted}", f"GRANT SELECT ON goods TO {quoted}", secure, policy)
        yield url, role
        execute(url, f"DROP OWNED BY {quoted}", f"DROP ROLE {quoted}")


@pytest.fixture
def file(shop: tuple[str, str], tmp_path: Path) -> Path:
    path = tmp_path / "clerk.toml"
    path.write_text(f"role = '{shop[1]}'\n[tables]\nwhole = [\"goods\"]\n", encoding="utf-8")
    return path


@pytest.mark.usefixtures("cache")
def test_questions_read_what_the_role_may(shop: tuple[str, str], file: Path) -> None:
    url, role = shop
    access = querent.Access.read(file)
    with querent.connect(url, access=access, language="en") as clerk:
        assert clerk.ask(COUNT).rows == ((2,),)
        assert clerk.values("ha") == ()  # what the role may not see is in no index either
        database = clerk.database
        assert database is not None
        assert database.fetch("SELECT current_user").rows == [(role,)]
        assert database.query("SELECT name FROM goods ORDER BY name").rows == [("boot",), ("cap",)]
        database.confine(querent.open_schema(url)[0])
        with pytest.raises(DatabaseError, match="permission denied"):
            database.query("SELECT * FROM vault")
    with querent.connect(url, access=querent.Access(("goods",)), language="en") as boss:
        assert boss.ask(COUNT).rows == ((3,),)
        assert boss.values("ha") == (("hat", "goods", "name"),)


LEAVING = (
    "RESET ROLE",
    "SET ROLE postgres",
    "SET SESSION AUTHORIZATION DEFAULT",
    "DISCARD ALL",
    "SELECT 1; RESET ROLE",
    "SELECT set_config('role', 'none', false)",
    "WITH a AS (SELECT set_config('role', 'none', true)) SELECT COUNT(*) FROM goods, a",
)


def test_no_query_leaves_the_role(shop: tuple[str, str]) -> None:
    url, role = shop
    with querent.Database.open(querent.database_place(url, role=role)) as database:
        for sql in LEAVING:
            with pytest.raises(DatabaseError, match="refused"):
                database.query(sql)
            assert database.query("SELECT COUNT(*) FROM goods").rows == [(2,)], sql


@pytest.mark.usefixtures("cache")
def test_a_tool_and_a_page_read_as_the_role(shop: tuple[str, str], file: Path) -> None:
    url, access = shop[0], querent.Access.read(file)
    with querent.DatabaseTools([f"{url}?application_name=tools"], access=access) as tools:
        assert tools.ask(COUNT)["rows"] == [[2]]
        assert tools.describe("goods")["rows"] == 2
        assert "vault" not in tools.ddl(tools.names[0])
    role = TokenRole("sales", access={"shop": access})
    served = OpenDatabases(ServingSettings({"shop": url}, Roles([role])))
    opened = served.get(role, "shop")
    assert opened.connection.ask(COUNT).rows == ((2,),)
    assert opened.validator.validate("SELECT secret FROM vault").runs is False
    served.close()


def test_what_is_wrong_with_a_role_is_said(shop: tuple[str, str], tmp_path: Path) -> None:
    url, role = shop
    with reader(url, "SELECT ON goods") as mine:
        with pytest.raises(DatabaseError, match='role "nobody" does not exist'):
            querent.connect(mine, access=querent.Access(("goods",), role="nobody"))
        with pytest.raises(DatabaseError, match="permission denied to set role"):
            querent.open_schema(querent.database_place(mine, role=role))
    with pytest.raises(InputError, match="the URL names a role, and the access file another"):
        querent.connect(f"{url}?role=reader", access=querent.Access(("goods",), role=role))
