"""`querent describe`: what is printed of a database's columns."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

pytestmark = pytest.mark.usefixtures("cache")


SCRIPT = """
CREATE TABLE clinic (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE visit (id INTEGER PRIMARY KEY, clinic_id INTEGER, seen_on TEXT, bill TEXT, is_paid INTEGER, due TEXT);
INSERT INTO clinic VALUES (1, 'North'), (2, 'South');
INSERT INTO visit VALUES (1, 1, '13/02/2023', '$1,200', 1, '01/02/24'), (2, 2, '05/03/2023', '$80', 0, '02/02/24');
"""


@pytest.fixture
def clinic(tmp_path):
    with closing(sqlite3.connect(tmp_path / "clinic.sqlite")) as writer:
        writer.executescript(SCRIPT)
    return tmp_path / "clinic.sqlite"


def test_it_shows_kinds_storages_keys_and_doubts(querent, clinic):
    shown = querent("describe", clinic)
    assert (shown.code, shown.err) == (0, "")
    for words in (
        "visit  2 rows",
        "D/M/Y text",
        "$ , removed",
        "1 says yes, 0 no",
        "North, South",
        "years of two digits",
    ):
        assert words in shown.out
    assert "clinic.id, many to one, found, not declared" in shown.out


def test_one_table(querent, clinic):
    shown = querent("describe", clinic, "--table", "clinic")
    assert "North" in shown.out
    assert "seen_on" not in shown.out


def test_json_is_one_object(querent, clinic):
    told = querent("describe", clinic, "--json").json
    assert told["rows"] == {"clinic": 2, "visit": 2}
    assert told["columns"]["visit"]["seen_on"]["time"]["form"] == "day first"
    assert told["columns"]["visit"]["seen_on"]["stored_as"] == "D/M/Y text"
    assert [key["other"] for key in told["keys"]] == ["clinic"]


def test_access_shows_what_may_be_read(querent, clinic, tmp_path):
    (tmp_path / "role.toml").write_text('[tables]\nwhole = ["clinic"]\n[columns]\nvisit = ["id"]\n')
    shown = querent("describe", clinic, "--access", "role.toml")
    assert "North" in shown.out
    assert "bill" not in shown.out
    assert "$" not in shown.out


def test_it_looks_again_where_told(querent, clinic, cache):
    querent("describe", clinic)
    [kept] = (cache / "values").iterdir()
    before = kept.stat().st_ino
    querent("describe", clinic)
    assert kept.stat().st_ino == before
    querent("describe", clinic, "--rebuild")
    assert kept.stat().st_ino != before


def test_a_description_file_is_written_once(querent, clinic, tmp_path):
    assert "2 tables" in querent("describe", clinic, "--write", "clinic.toml").out
    text = (tmp_path / "clinic.toml").read_text(encoding="utf-8")
    assert 'is_paid = { name = "is paid", kind = "flag", yes = "1", no = "0" }' in text
    assert 'clinic_id = { name = "clinic id", kind = "key", refers = "clinic.id" }' in text
    assert "# doubtful: years of two digits" in text
    assert "there already" in querent("describe", clinic, "--write", "clinic.toml").error()
    assert (tmp_path / "clinic.toml").read_text(encoding="utf-8") == text
