"""A role of PostgreSQL that an access file names: all that is read of the database is read under SET ROLE."""

import asyncio
import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest
from servers import execute, fresh_database, reader, script, url_of

import querent
from querent.data.errors import DatabaseError, InputError
from querent.serving.open_databases import OpenDatabases
from querent.serving.roles import TokenRole
from querent.serving.settings import ServingSettings

COUNT = "how many goods are there?"


@pytest.fixture(scope="module")
def shop() -> Iterator[tuple[str, str]]:
    """Return the URL of a database, and a role that sees two of three rows of one of its two tables."""
    role = f'the "{secrets.token_hex(4)}" clerk'
    quoted = '"' + role.replace('"', '""') + '"'
    with fresh_database(url_of("postgres")) as url:
        execute(
            url,
            *script("goods", "postgres"),
            f"CREATE ROLE {quoted}",
            f"GRANT SELECT ON goods TO {quoted}",
            "ALTER TABLE goods ENABLE ROW LEVEL SECURITY",
            f"CREATE POLICY southern ON goods TO {quoted} USING (region = 'south')",
        )
        yield url, role
        execute(url, f"DROP OWNED BY {quoted}", f"DROP ROLE {quoted}")


@pytest.fixture
def access(shop: tuple[str, str], tmp_path: Path, cache: Path) -> querent.Access:
    path = tmp_path / "clerk.toml"
    path.write_text(f"role = '{shop[1]}'\n[tables]\nwhole = [\"goods\"]\n", encoding="utf-8")
    return querent.Access.read(path)


def test_questions_read_what_the_role_may(shop: tuple[str, str], access: querent.Access) -> None:
    url, role = shop
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


@pytest.mark.parametrize(
    "sql",
    [
        "RESET ROLE",
        "SET ROLE postgres",
        "SET SESSION AUTHORIZATION DEFAULT",
        "DISCARD ALL",
        "SELECT 1; RESET ROLE",
        "SELECT set_config('role', 'none', false)",
        "WITH a AS (SELECT set_config('role', 'none', true)) SELECT COUNT(*) FROM goods, a",
    ],
)
def test_no_query_leaves_the_role(sql: str, shop: tuple[str, str]) -> None:
    with querent.Database.open(querent.database_place(shop[0], role=shop[1])) as database:
        with pytest.raises(DatabaseError, match="refused"):
            database.query(sql)
        assert database.query("SELECT COUNT(*) FROM goods").rows == [(2,)]


def test_a_tool_and_a_page_read_as_the_role(shop: tuple[str, str], access: querent.Access) -> None:
    url, _ = shop
    with querent.ToolServer([f"{url}?application_name=tools"], access=access) as tools:
        assert asyncio.run(tools.ask(COUNT))["rows"] == [[2]]
        assert asyncio.run(tools.describe("goods"))["rows"] == 2
        assert "vault" not in asyncio.run(tools.describe())["tables"]
    role = TokenRole("sales", access={"shop": access})
    served = OpenDatabases(ServingSettings({"shop": url}, (role,)))
    opened = served.get(role, "shop")
    assert opened.connection.ask(COUNT).rows == ((2,),)
    assert opened.validator.validate("SELECT secret FROM vault").runs is False
    served.close()


def test_what_is_wrong_with_a_role_is_said(shop: tuple[str, str]) -> None:
    url, role = shop
    with reader(url, "SELECT ON goods") as mine:
        with pytest.raises(DatabaseError, match='role "nobody" does not exist'):
            querent.connect(mine, access=querent.Access(("goods",), role="nobody"))
        with pytest.raises(DatabaseError, match="permission denied to set role"):
            querent.open_schema(querent.database_place(mine, role=role))
    with pytest.raises(InputError, match="the URL names a role, and the access file another"):
        querent.connect(f"{url}?role=reader", access=querent.Access(("goods",), role=role))
