"""Profiles on disk: when they are made, and what is kept."""

import json
import warnings
from dataclasses import replace
from pathlib import Path

import pytest
from databases import create

from querent.data.databases.schema_readers import from_sqlite
from querent.data.errors import RunError
from querent.meaning.profiling import open_profile, profile_from_json, profile_to_json

SCRIPT = """
    CREATE TABLE bill (id INTEGER PRIMARY KEY, due TEXT, total TEXT, is_paid INTEGER,
        shop_id INTEGER REFERENCES shop);
    CREATE TABLE shop (id INTEGER PRIMARY KEY, name TEXT);
    INSERT INTO shop VALUES (1, 'Oak'); INSERT INTO bill VALUES (1, '13/02/2020', '€ 5,20', 1, 1);"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return create(tmp_path / "bills.sqlite", SCRIPT)


def opened(file: Path, **how):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return open_profile(file, from_sqlite(file), **how)


def test_it_is_made_once_and_reads_back_the_same(file, tmp_path):
    cache = tmp_path / "deep" / "cache"
    made = opened(file, cache=cache)
    [kept] = cache.iterdir()
    before = kept.stat()
    assert opened(file, cache=cache) == made
    assert (kept.stat().st_ino, kept.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert profile_from_json(json.loads(json.dumps(profile_to_json(made)))) == made
    opened(file, cache=cache, rebuild=True)
    assert kept.stat().st_ino != before.st_ino


def test_it_stands_beside_the_value_index(file, cache):
    opened(file)
    assert [path.suffix for path in (cache / "values").iterdir()] == [".json"]


def test_a_changed_database_is_looked_at_anew(file, tmp_path):
    assert opened(file, cache=tmp_path / "c").rows["shop"] == 1
    create(file, "INSERT INTO shop VALUES (2, 'Elm')")
    assert opened(file, cache=tmp_path / "c").rows["shop"] == 2
    assert len(list((tmp_path / "c").iterdir())) == 1


def test_another_format_is_made_anew(file, tmp_path, monkeypatch):
    opened(file, cache=tmp_path / "c")
    [kept] = (tmp_path / "c").iterdir()
    before = kept.read_text()
    monkeypatch.setattr("querent.meaning.profiling._FORMAT", "another")
    opened(file, cache=tmp_path / "c")
    assert kept.read_text() != before


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"fingerprint": "x"}', "\x00", "null"])
def test_a_broken_file_is_made_anew_and_told(file, tmp_path, content):
    made = opened(file, cache=tmp_path / "c")
    [kept] = (tmp_path / "c").iterdir()
    kept.write_text(content)
    schema = from_sqlite(file)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        assert open_profile(file, schema, cache=tmp_path / "c") == made
    assert len(told) == (0 if content == '{"fingerprint": "x"}' else 1)


def test_a_narrowed_schema_shows_nothing_else(file, tmp_path):
    schema = from_sqlite(file)
    bill = schema.table("bill")
    narrowed = replace(schema, tables=(replace(bill, columns=tuple(c for c in bill.columns if c.name != "total")),))
    profile = open_profile(file, narrowed, cache=tmp_path / "c")
    [kept] = (tmp_path / "c").iterdir()
    assert "total" not in kept.read_text()
    assert "shop" not in kept.read_text().replace("shop_id", "")
    assert profile.keys == ()


def test_what_could_not_be_read_whole_is_not_kept(file, tmp_path):
    schema = from_sqlite(file)
    create(file, "DROP TABLE bill")
    with pytest.warns(UserWarning, match="no profile of bill"):
        profile = open_profile(file, schema, cache=tmp_path / "c")
    assert profile.column("shop", "name") is not None
    assert not (tmp_path / "c").exists()


def test_a_cache_that_cannot_be_written_is_an_error(file, tmp_path):
    (tmp_path / "c").write_text("a file")
    with pytest.raises(RunError, match="give another folder"):
        opened(file, cache=tmp_path / "c")
