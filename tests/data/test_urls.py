"""Passwords of URLs: they are shown nowhere, however badly a URL is written."""

import json
from pathlib import Path

import pytest
from cases import rows

from querent.data.databases.database import Database
from querent.data.domains.schema_places import open_schema
from querent.data.errors import DatabaseError, QuerentError
from querent.data.schema.schema import Column, Schema, Table
from querent.data.urls import scrubbed, shown_url
from querent.parser.reader.profile import Profile

CASES = Path(__file__).with_suffix(".toml")

SECRET = "swordfish"


@rows(CASES, "with_passwords")
def test_no_message_holds_a_password(url: str) -> None:
    assert SECRET not in shown_url(url)
    for opening in (Database.open, open_schema):
        with pytest.raises(QuerentError) as caught:
            opening(url)
        assert SECRET not in str(caught.value)
        assert SECRET not in scrubbed(f"error: {url} is wrong", url)


def test_an_at_that_ends_a_password_is_told_with_its_escape() -> None:
    with pytest.raises(DatabaseError, match="write %40 in its place"):
        Database.open("mysql+pymysql://me:a@b@127.0.0.1:1/db")


@rows(CASES, "what_is_no_password_stays")
def test_what_is_no_password_stays(url: str, shown: str) -> None:
    assert shown_url(url) == shown


def test_a_message_is_scrubbed_of_the_parts_of_a_password() -> None:
    url = "postgresql://me:x@fish@host/db"
    assert scrubbed('could not translate host name "fish@host"', url) == 'could not translate host name "***@host"'
    assert scrubbed("two words postgresql://me:fish@host/db here") == "two words postgresql://me:***@host/db here"


def test_a_run_folder_keeps_no_password(tmp_path: Path) -> None:
    schema = Schema((Table("t", (Column("c"),)),))
    profile = Profile.of(
        schema, dialect="postgres", language="en", database=f"postgresql+psycopg://me:{SECRET}@127.0.0.1:1/db"
    )
    profile.save(tmp_path)
    assert SECRET not in "".join(file.read_text("utf-8") for file in tmp_path.iterdir())
    assert json.loads((tmp_path / "domain.json").read_text("utf-8"))["database"].startswith(
        "postgresql+psycopg://me:***@"
    )
