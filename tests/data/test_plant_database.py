"""The shipped plant's database and its entities."""

from __future__ import annotations

import re
import sqlite3
import time
import tomllib
from collections import Counter
from contextlib import closing

import pytest
import sqlglot

from querent.data.databases.schema_readers import from_ddl
from querent.data.plant import generate
from querent.data.plant.catalogue import HERE, LANGUAGES, entities, models, tags
from querent.data.values.literals import find

SCHEMA = (HERE / "schema.sql").read_text(encoding="utf-8")
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


@pytest.fixture(scope="module")
def one(database):
    return lambda sql: database.execute(sql).fetchone()[0]


def dump(path):
    with closing(sqlite3.connect(path)) as connection:
        return list(connection.iterdump())


# Schema and building


def test_schema_has_four_tables_and_24_columns_of_distinct_names_each_described():
    schema = from_ddl(SCHEMA, dialect="sqlite")
    assert [t.name for t in schema.tables] == ["t_rt_info", "t_rt_data", "t_model_data", "t_inference_data"]
    names = [column.name for _, column in schema.columns()]
    assert len(names) == len(set(names)) == 24
    assert all(name == name.lower() for name in names)
    for described in (*schema.tables, *(column for _, column in schema.columns())):
        assert re.match(r"[\u4e00-\u9fff]+ \w+", described.description), described
    keys = {(t.name, key.columns, key.table) for t in schema.tables for key in t.foreign_keys}
    assert keys == {
        ("t_rt_data", ("data_tag",), "t_rt_info"),
        ("t_model_data", ("target_tag",), "t_rt_info"),
        ("t_inference_data", ("infer_model",), "t_model_data"),
    }


@pytest.mark.parametrize("dialect", ["mysql", "postgres"])
def test_schema_is_read_back_in_other_dialects(dialect):
    for statement in sqlglot.transpile(SCHEMA, read="sqlite", write=dialect):
        sqlglot.parse_one(statement, dialect=dialect)


def test_schema_names_the_kinds_and_priorities(rows):
    comments = {column.name: column.description for _, column in from_ddl(SCHEMA, dialect="sqlite").columns()}
    for column in ("tag_kind", "priority"):
        assert all(value in comments[column] for (value,) in rows(f"SELECT DISTINCT {column} FROM t_rt_info"))


def test_the_seed_decides_every_row(path, tmp_path):
    again, other = tmp_path / "again.sqlite", tmp_path / "other.sqlite"
    generate.build(again)
    generate.build(other, seed=1)
    assert dump(again) == dump(path)
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


def test_building_takes_seconds(tmp_path):
    began = time.process_time()
    generate.build(tmp_path / "plant.sqlite")
    assert time.process_time() - began < 8


# Rows


def test_foreign_keys_hold_and_times_end_now(rows):
    assert rows("PRAGMA foreign_key_check") == []
    for table, column, first in (
        ("t_rt_data", "read_time", "2024-03-01 00:00:00"),
        ("t_inference_data", "infer_time", "2024-03-01 02:00:00"),
    ):
        assert rows(f"SELECT MIN({column}), MAX({column}) FROM {table}") == [(first, NOW)]
    assert rows("SELECT DISTINCT strftime('%M:%S', read_time) FROM t_rt_data") == [("00:00",)]
    assert tomllib.loads((HERE / "domain.toml").read_text(encoding="utf-8"))["now"] == NOW


def test_sizes(one):
    assert one("SELECT COUNT(*) FROM t_rt_info") == len(tags()) == 200
    assert 0.99 * 200 * 729 < one("SELECT COUNT(*) FROM t_rt_data") < 200 * 729 == len(tags()) * generate.STEPS
    assert one("SELECT COUNT(*) FROM t_model_data") == len(models()) >= 30
    assert 6000 < one("SELECT COUNT(*) FROM t_inference_data") < 31 * 365


def test_limits_are_plausible():
    for tag in tags():
        assert tag.low < tag.normal < tag.high, tag.code
        # an alarm has a cause, it does not come by chance
        assert min(tag.normal - tag.low, tag.high - tag.normal) >= 4 * tag.noise, tag.code
        assert len(tag.description) <= 120


def test_priorities_are_spread_as_isa_18_2_recommends():
    count = Counter(tag.priority for tag in tags())
    assert set(count) == {"critical", "high", "medium", "low"}
    for priority, share in (("critical", 0.05), ("high", 0.15), ("medium", 0.30), ("low", 0.50)):
        assert abs(count[priority] / len(tags()) - share) < 0.03


def test_values_are_possible_and_rounded(rows):
    digits = {tag.code: tag.digits for tag in tags()}
    floor = {tag.code: 0 if tag.low >= 0 else -1000 for tag in tags()}
    percent = {tag.code for tag in tags() if tag.measure_unit == "%"}
    for code, value in rows("SELECT data_tag, read_value FROM t_rt_data WHERE read_value IS NOT NULL"):
        assert value == round(value, digits[code])
        assert value >= floor[code]
        assert code not in percent or value <= 100


def test_quality_tells_of_a_missing_value(rows):
    count = dict(rows("SELECT quality, COUNT(*) FROM t_rt_data GROUP BY quality"))
    missing = dict(rows("SELECT quality, COUNT(*) FROM t_rt_data WHERE read_value IS NULL GROUP BY quality"))
    assert count.keys() == {"good", "uncertain", "bad"}
    assert missing.keys() == {"bad"}
    assert 300 < missing["bad"] < count["bad"] < count["uncertain"] < 0.02 * count["good"]


# Entities


def test_no_two_entities_are_said_alike():
    said = Counter(say.casefold() for entity in entities() for say in entity.all_says())
    assert [say for say, times in said.items() if times > 1] == []


def test_tags_are_mostly_said_in_two_ways():
    for language in LANGUAGES:
        assert sum(len(tag.says[language]) >= 2 for tag in tags()) > 0.9 * len(tags())


def test_a_unit_and_a_kind_side_by_side_are_no_tag():
    said = {say.casefold() for entity in entities() for say in entity.all_says()}
    units = [say for entity in entities() if entity.type == "unit" for say in entity.all_says()]
    kinds = [say for entity in entities() if entity.type == "kind" for say in entity.all_says()]
    assert {f"{u}{sep}{k}".casefold() for u in units for k in kinds for sep in ("", " ", "的")} & said == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_entities_say_no_numbers_or_times(language):
    for entity in entities():
        for say in entity.all_says():
            for around in ("{}", "前{}个", "top {} days"):
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
