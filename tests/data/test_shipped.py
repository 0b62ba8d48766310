"""The shipped domain and the cache of its database."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from querent.data.domains.examples import fill_sql
from querent.data.domains.loading import load_domain
from querent.data.domains.shipped import cache_folder, generated, is_shipped, shipped_folder
from querent.data.errors import DatabaseError, DomainError


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("QUERENT_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.mark.parametrize("language", ["zh", "en"])
def test_plant(language):
    domain = load_domain("plant", language=language)
    assert (domain.name, domain.language, domain.dialect, domain.source) == ("plant", language, "sqlite", "plant")
    assert len(domain.examples) >= 250
    assert len({e.prototype for e in domain.examples}) >= 60
    assert all(domain.part(part, split) for part in ("train", "dev", "test") for split in ("question", "query"))
    assert len(domain.schema.tables) == 4
    assert all(column.description for _, column in domain.schema.columns())
    for example in domain.examples:
        assert fill_sql(example.slotted, example.values) == example.sql
    assert domain.database is not None
    with closing(sqlite3.connect(domain.database)) as database:
        (rows,) = database.execute("SELECT COUNT(*) FROM t_rt_data").fetchone()
    assert rows > 1000


def test_default_language_is_the_domain_files():
    assert load_domain("plant").language == "zh"
    with pytest.raises(DomainError, match=r"no questions in 'fr'.*'zh' or 'en'"):
        load_domain("plant", language="fr")


def test_database_is_made_once_and_named_by_seed(cache, monkeypatch):
    first = generated("querent.data.plant.generate", name="plant")
    made = first.stat().st_mtime_ns
    assert generated("querent.data.plant.generate", name="plant") == first
    assert first.stat().st_mtime_ns == made
    monkeypatch.setattr("querent.data.plant.generate.build", lambda path, *, seed: path.touch())
    assert generated("querent.data.plant.generate", name="plant", seed=1) != first
    assert sorted(p.suffix for p in cache.iterdir()) == [".sqlite", ".sqlite"]  # nothing half written stays


def test_cache_that_cannot_be_written(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("QUERENT_CACHE", str(tmp_path / "file"))
    with pytest.raises(DatabaseError, match="set QUERENT_CACHE"):
        load_domain("plant")


def test_where_the_cache_is(tmp_path, monkeypatch):
    monkeypatch.delenv("QUERENT_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "querent"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_folder() == Path.home() / ".cache" / "querent"


def test_a_folder_of_ones_own_comes_before_a_shipped_domain(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert is_shipped("library")
    (tmp_path / "library").mkdir()
    assert is_shipped("library")  # nothing in it
    (tmp_path / "library" / "domain.toml").write_text('name = "mine"\nlanguage = "en"\ndialect = "sqlite"\n')
    (tmp_path / "library" / "schema.sql").write_text("CREATE TABLE book (title TEXT);")
    (tmp_path / "library" / "examples.jsonl").write_text("")
    assert not is_shipped("library")
    assert load_domain("library").name == "mine"
    monkeypatch.chdir(shipped_folder("library").parent)
    assert is_shipped("library")
