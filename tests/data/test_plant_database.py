"""The shipped plant's database and its entities."""

from __future__ import annotations

import hashlib
import re
import sqlite3
import tomllib
from collections import Counter
from contextlib import closing
from itertools import chain, product

import pytest

from querent.data.databases.schema_readers import from_ddl
from querent.data.plant import generate
from querent.data.plant.catalogue import HERE, LANGUAGES, entities
from querent.data.values.literals import find

SCHEMA = from_ddl((HERE / "schema.sql").read_text(encoding="utf-8"), "sqlite")
DIGEST = "06041e6e56f31aff"
NOW = generate.NOW.isoformat(sep=" ")


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    file = tmp_path_factory.mktemp("plant") / "plant.sqlite"
    generate.build(file)
    return file


@pytest.fixture(scope="module")
def database(path):
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        yield connection


@pytest.fixture(scope="module")
def rows(database):
    return lambda sql: database.execute(sql).fetchall()


def dump(path):
    with closing(sqlite3.connect(path)) as connection:
        return [connection.execute(f"SELECT * FROM {t.name} ORDER BY 1, 2").fetchall() for t in SCHEMA.tables]


def test_schema_has_four_tables_and_24_columns_of_distinct_names_each_described():
    assert [t.name for t in SCHEMA.tables] == ["t_rt_info", "t_rt_data", "t_model_data", "t_inference_data"]
    names = [column.name for _, column in SCHEMA.columns()]
    assert len(names) == len(set(names)) == 24
    assert all(name == name.lower() for name in names)
    for described in (*SCHEMA.tables, *(column for _, column in SCHEMA.columns())):
        assert re.match(r"[\u4e00-\u9fff]+ \w+", described.description), described
    keys = {(t.name, key.columns, key.table) for t in SCHEMA.tables for key in t.foreign_keys}
    assert keys == {
        ("t_rt_data", ("data_tag",), "t_rt_info"),
        ("t_model_data", ("target_tag",), "t_rt_info"),
        ("t_inference_data", ("infer_model",), "t_model_data"),
    }


def test_schema_names_the_kinds_and_priorities(rows):
    comments = {column.name: column.description for _, column in SCHEMA.columns()}
    for column in ("tag_kind", "priority"):
        assert all(value in comments[column] for (value,) in rows(f"SELECT DISTINCT {column} FROM t_rt_info"))


def test_the_seed_decides_every_row(path, tmp_path):
    """So all that the stories tell of the month, and what no tag or model may do, stays as it was once looked at."""
    assert hashlib.sha256(repr(dump(path)).encode()).hexdigest()[:16] == DIGEST
    other = tmp_path / "other.sqlite"
    generate.build(other, seed=1)
    assert dump(other) != dump(path)


def test_an_old_database_is_replaced_and_nothing_else_left(tmp_path, path):
    file = tmp_path / "plant.sqlite"
    file.write_text("not a database")
    generate.build(file)
    assert dump(file) == dump(path)
    assert [p.name for p in tmp_path.iterdir()] == ["plant.sqlite"]
    assert file.stat().st_size < 15_000_000


def test_a_failed_build_leaves_the_old_file(tmp_path, monkeypatch):
    file = tmp_path / "plant.sqlite"
    file.write_text("old")
    monkeypatch.setattr(generate, "readings", lambda *, seed: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        generate.build(file)
    assert file.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["plant.sqlite"]


def test_the_domain_is_asked_at_its_last_reading(rows):
    assert rows("PRAGMA foreign_key_check") == []
    assert rows("SELECT MAX(read_time) FROM t_rt_data") == [(NOW,)]
    assert tomllib.loads((HERE / "domain.toml").read_text(encoding="utf-8"))["now"] == NOW


# Entities


def said(kind=""):
    return [say for e in entities() if kind in {"", e.type} for say in dict.fromkeys(chain(*e.says.values()))]


def test_no_two_entities_are_said_alike():
    assert [say for say, times in Counter(map(str.casefold, said())).items() if times > 1] == []


def test_a_unit_and_a_kind_side_by_side_are_no_tag():
    beside = {f"{u}{sep}{k}".casefold() for u in said("unit") for k in said("kind") for sep in ("", " ", "的")}
    assert beside & set(map(str.casefold, said())) == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_entities_say_no_numbers_or_times(language):
    for say, around in product(said(), ("{}", "前{}个", "top {} days")):
        assert find(around.format(say), language=language) == [], say


def test_entities_are_said_in_both_languages_and_stand_in_the_database(database):
    column = {"tag": "t_rt_info.tag_code", "model": "t_model_data.model_name", "unit": "t_rt_info.process_unit",
              "kind": "t_rt_info.tag_kind", "priority": "t_rt_info.priority", "algorithm": "t_model_data.algorithm",
              "status": "t_model_data.model_status"}  # fmt: skip
    for entity in entities():
        assert all(entity.says[language] for language in LANGUAGES)
        if entity.type == "topic":
            sql = "SELECT COUNT(*) FROM t_rt_info WHERE tag_desc LIKE '%' || ? || '%'"
        else:
            table, name = column[entity.type].split(".")
            sql = f"SELECT COUNT(*) FROM {table} WHERE {name} = ?"
        assert database.execute(sql, (entity.sql,)).fetchone()[0], entity


@pytest.mark.parametrize(
    ("kind", "column"),
    [("unit", "t_rt_info.process_unit"), ("kind", "t_rt_info.tag_kind"), ("algorithm", "t_model_data.algorithm")],
)
def test_every_unit_kind_and_algorithm_has_a_say(rows, kind, column):
    table, name = column.split(".")
    stored = {value for (value,) in rows(f"SELECT DISTINCT {name} FROM {table}")}
    assert stored == {entity.sql for entity in entities() if entity.type == kind}
