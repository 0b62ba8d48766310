"""Functions of a shipped database: `connect` lets queries call them, but for a role that may not read all."""

from __future__ import annotations

from pathlib import Path

import pytest

import querent as face
from querent.data.databases.schema_places import functions_of, open_schema
from querent.data.errors import DatabaseError
from querent.data.schema.schema import Column, Function
from querent.dialogue import connection as connections
from querent.grammar import Access

OLDEST = Function("OLDEST", (Column("than", "INTEGER"),), "INTEGER", "(SELECT MIN(year) FROM album WHERE year > :than)")

pytestmark = pytest.mark.usefixtures("cache")


@pytest.fixture
def network(saved_network, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(connections, "functions_of", lambda database: (OLDEST,))
    return saved_network()


def test_queries_may_call_them(music: Path, network: Path) -> None:
    with face.connect(music, parser=network) as connection:
        (first,) = connection.database.query("SELECT OLDEST(0)").rows
        assert [first] == connection.database.query("SELECT MIN(year) FROM album WHERE year > 0").rows
        assert connection.ask("how many albums are there").question


def test_a_role_has_none(music: Path, network: Path) -> None:
    """They could read for it what it may not."""
    access = Access(("review",), {"album": ("title",)})
    with face.connect(music, parser=network, access=access) as connection:
        with pytest.raises(DatabaseError, match="no such function: OLDEST"):
            connection.database.query("SELECT OLDEST(0)")
        assert connection.schema.functions == ()


def test_they_belong_to_the_name_of_the_shipped_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert [f.name for f in functions_of("library")][:2] == ["HAS_ENTRY", "FIRST_TEACHER"]
    assert functions_of("shop") == functions_of("nowhere.sqlite") == ()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "library").write_text("")  # a file of that name comes first
    assert functions_of("library") == ()
    assert open_schema("shop")[0].functions == ()
