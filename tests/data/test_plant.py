"""The shipped plant: its database, its entities, and the pairs made of its prototypes."""

from __future__ import annotations

import json
import random
import re
import sqlite3
import tomllib
from collections import Counter
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
import sqlglot

from querent.data.errors import DomainError
from querent.data.examples import SLOT, bind, fill_sql
from querent.data.literals import find
from querent.data.plant import generate, instantiate
from querent.data.plant.catalogue import HERE, LANGUAGES, entities, models, tags
from querent.data.plant.fillers import Filling, draw
from querent.data.plant.prototype import numbered, read, slots
from querent.data.schema_readers import from_ddl
from querent.grammar import Grammar

PROTOTYPES = read()
SCHEMA = (HERE / "schema.sql").read_text(encoding="utf-8")


def pairs(language):
    lines = (HERE / f"examples.{language}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def filled(pair):
    question, mentions = instantiate.fill(pair["question"], pair["values"])
    return question, fill_sql(pair["sql"], bind(mentions))


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    file = tmp_path_factory.mktemp("plant") / "plant.sqlite"
    generate.build(file)
    return file


@pytest.fixture(scope="module")
def database(path):
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        yield connection


def dump(path):
    with closing(sqlite3.connect(path)) as connection:
        return list(connection.iterdump())


# The database


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
    assert file.stat().st_size < 5_000_000


def test_a_failed_build_leaves_the_old_file(tmp_path, monkeypatch):
    file = tmp_path / "plant.sqlite"
    file.write_text("old")
    monkeypatch.setattr(generate, "readings", lambda *, seed: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        generate.build(file)
    assert file.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["plant.sqlite"]


def test_foreign_keys_hold_and_times_end_now(database):
    assert database.execute("PRAGMA foreign_key_check").fetchall() == []
    for table, column in (("t_rt_data", "read_time"), ("t_inference_data", "infer_time")):
        first, last = database.execute(f"SELECT MIN({column}), MAX({column}) FROM {table}").fetchone()
        assert first >= generate.START.isoformat(sep=" ")
        assert last == generate.NOW.isoformat(sep=" ")
    assert timedelta(days=7) == generate.NOW - generate.START
    now = tomllib.loads((HERE / "domain.toml").read_text(encoding="utf-8"))["now"]
    assert now == generate.NOW.isoformat(sep=" ")


def test_sizes(database):
    count = {t: database.execute(f"SELECT COUNT(*) FROM {t}").fetchone()[0] for t in
             ("t_rt_info", "t_rt_data", "t_model_data", "t_inference_data")}  # fmt: skip
    assert count["t_rt_info"] == len(tags()) >= 40
    assert count["t_rt_data"] > 0.99 * len(tags()) * generate.STEPS
    assert count["t_model_data"] == len(models()) >= 10
    assert 300 < count["t_inference_data"] < 2000


def test_the_stories_are_in_the_values(database):
    def one(sql):
        return database.execute(sql).fetchone()[0]

    outside = (
        "FROM t_rt_data JOIN t_rt_info ON data_tag = tag_code WHERE (read_value > high_limit OR read_value < low_limit)"
    )
    # the trip floods the panel, the furnace runs hot before it, the analyser drifts
    by_day = dict(database.execute(f"SELECT DATE(read_time), COUNT(*) {outside} GROUP BY 1").fetchall())
    assert max(by_day, key=by_day.__getitem__) == "2024-03-29"
    assert one(f"SELECT COUNT(DISTINCT data_tag) {outside} AND DATE(read_time) = '2024-03-29'") >= 10
    assert one(f"SELECT COUNT(*) {outside} AND data_tag = 'TI-201' AND DATE(read_time) = '2024-03-28'") >= 4
    drift = "SELECT AVG(read_value) FROM t_rt_data WHERE data_tag = 'AI-201' AND DATE(read_time) = '2024-03-{}'"
    assert one(drift.format(30)) > one(drift.format(25)) + 1
    # a stuck level, a dead transmitter, lost rows
    assert one("SELECT COUNT(DISTINCT read_value) FROM t_rt_data WHERE quality = 'uncertain'") == 1
    assert one("SELECT COUNT(*) FROM t_rt_data WHERE data_tag = 'PI-401' AND read_value IS NULL") >= 18
    assert one("SELECT COUNT(*) FROM t_rt_data WHERE data_tag = 'FI-103'") == generate.STEPS - 8
    assert one("SELECT COUNT(*) FROM t_rt_data WHERE (read_value IS NULL) <> (quality = 'bad')") == 0
    # now: some in alarm, some silent, most normal
    now = f"read_time = '{generate.NOW.isoformat(sep=' ')}'"
    assert 4 <= one(f"SELECT COUNT(*) {outside} AND {now}") <= 10
    assert one(f"SELECT COUNT(*) FROM t_rt_data WHERE {now} AND read_value IS NULL") == 2


def test_models_hit_miss_and_cry_wolf(database):
    kinds = dict(
        database.execute("SELECT predicted_alarm || actual_alarm, COUNT(*) FROM t_inference_data GROUP BY 1").fetchall()
    )
    assert set(kinds) == {"00", "01", "10", "11"}
    low, high = database.execute("SELECT MIN(confidence), MAX(confidence) FROM t_inference_data").fetchone()
    assert 0 < low < 0.6 < 0.9 < high < 1


# Entities


def test_no_two_entities_are_said_alike():
    said = Counter(say.casefold() for entity in entities() for say in entity.all_says())
    assert [say for say, times in said.items() if times > 1] == []


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


# Prototypes


def test_prototypes_are_many_and_differ():
    assert len(PROTOTYPES) >= 60
    assert len({re.sub(r"\s+", " ", p.sql) for p in PROTOTYPES}) == len(PROTOTYPES)
    for prototype in PROTOTYPES:
        for language in LANGUAGES:
            wordings = prototype.wordings[language]
            assert 2 <= len(set(wordings)) == len(wordings), prototype.id
    for language in LANGUAGES:
        wordings = [w for p in PROTOTYPES for w in p.wordings[language]]
        assert len(wordings) == len(set(wordings))


def test_wordings_say_no_entity_outside_their_slots():
    """A word that is an entity's too would be taken for one more value."""
    for language in LANGUAGES:
        says = [say for entity in entities() for say in entity.all_says()]
        any_say = re.compile(rf"(?<![A-Za-z-])(?:{'|'.join(map(re.escape, says))})(?![A-Za-z-])", re.IGNORECASE)
        for prototype in PROTOTYPES:
            for wording in prototype.wordings[language]:
                assert any_say.findall(SLOT.sub("|", wording)) == [], wording


def test_queries_are_canonical_and_covered():
    grammar = Grammar.for_schema(from_ddl(SCHEMA, dialect="sqlite"), dialect="sqlite")
    for prototype in PROTOTYPES:
        words = " ".join(token.text for token in grammar.tokenize(prototype.sql))
        assert re.sub(r"\s", "", words) == re.sub(r"\s", "", prototype.sql), prototype.id


@pytest.mark.parametrize("dialect", ["mysql", "postgres"])
def test_queries_are_read_in_other_dialects(dialect):
    for prototype in PROTOTYPES:
        sqlglot.parse_one(SLOT.sub("1", prototype.sql), dialect=dialect)


def test_slots_are_counted_from_the_left():
    assert numbered("{time1} {tag1} {tag0} {tag1}") == {"time1": "time0", "tag1": "tag0", "tag0": "tag1"}
    assert slots("{tag1} > {number0} {tag1}") == ["tag1", "number0"]


GOOD = '[[prototype]]\nid = "a"\nzh = ["{tag0}"]\nen = ["{tag0}"]\nsql = "SELECT \'{tag0}\'"\n'


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[[prototype]", "not TOML"),
        ("x = 1", "no prototypes"),
        (GOOD + GOOD, "'a' is there twice"),
        (GOOD.replace('en = ["{tag0}"]\n', ""), "field 'en'"),
        (GOOD.replace('zh = ["{tag0}"]', 'zh = ["{tag1}"]'), "use tag0"),
        (GOOD + "fill = { time0 = 'day' }", "no slot 'time0'"),
    ],
)
def test_a_wrong_prototype_is_told_with_its_file(tmp_path, text, problem):
    (tmp_path / "theme.toml").write_text(text, encoding="utf-8")
    with pytest.raises(DomainError, match=re.escape(problem)) as told:
        read(tmp_path)
    assert "theme.toml" in str(told.value)


def test_an_unknown_way_to_fill_is_told():
    with pytest.raises(DomainError, match="no way 'sometime'"):
        draw("time", "sometime", language="en", drawn={}, rng=random.Random(0))
    with pytest.raises(DomainError, match="nothing of type 'pump'"):
        draw("pump", None, language="en", drawn={}, rng=random.Random(0))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("how", ["day", "moment"])
def test_a_second_time_is_a_later_one(language, how):
    for seed in range(200):
        rng = random.Random(seed)
        drawn: dict[str, Filling] = {}
        for slot in ("time0", "time1"):
            drawn[slot] = draw("time", how, language=language, drawn=drawn, rng=rng)
        assert "2024-03-24" <= drawn["time0"].sql < drawn["time1"].sql <= "2024-03-31 08:00:00"


# Pairs


def test_committed_pairs_and_entities_are_what_the_prototypes_give(database):
    assert (HERE / "entities.jsonl").read_text(encoding="utf-8").splitlines() == list(instantiate.entity_lines())
    for language in LANGUAGES:
        fresh = instantiate.instantiate(PROTOTYPES, language=language, database=database)
        assert fresh == pairs(language), "run python -m querent.data.plant.instantiate"


@pytest.mark.parametrize("language", LANGUAGES)
def test_pairs_are_many_and_asked_once(language):
    found = pairs(language)
    assert len(found) >= 250
    assert len({pair["id"] for pair in found}) == len(found)
    assert len({filled(pair)[0].casefold() for pair in found}) == len(found)
    assert {pair["prototype"] for pair in found} == {p.id for p in PROTOTYPES}


@pytest.mark.parametrize("language", LANGUAGES)
def test_slots_match_and_are_those_that_binding_gives(language):
    for pair in pairs(language):
        assert set(slots(pair["question"])) == set(slots(pair["sql"])) == set(pair["values"])
        _, mentions = instantiate.fill(pair["question"], pair["values"])
        assert {value.slot for value in bind(mentions)} == set(pair["values"])
        assert slots(pair["question"]) == [value.slot for value in bind(mentions)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_numbers_and_times_are_read_back_as_meant(language):
    for pair in pairs(language):
        question, mentions = instantiate.fill(pair["question"], pair["values"])
        assert all(question[m.start : m.end] == m.text for m in mentions)
        meant = [(m.text, m.type, m.sql) for m in mentions if m.type in {"number", "time"}]
        assert [(m.text, m.type, m.sql) for m in find(question, language=language)] == meant, question


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_query_runs_and_nearly_every_one_answers(language, database):
    answered = []
    for pair in pairs(language):
        rows = database.execute(filled(pair)[1]).fetchall()
        answered.append(any(cell is not None for row in rows for cell in row))
    assert sum(answered) >= 0.95 * len(answered)


@pytest.mark.parametrize("language", LANGUAGES)
def test_demo_questions_are_new(language):
    demo = (HERE / f"demo.{language}.txt").read_text(encoding="utf-8").splitlines()
    assert 8 <= len(demo) == len(set(demo)) <= 10
    assert not set(demo) & {filled(pair)[0] for pair in pairs(language)}


def test_the_language_of_a_pair_is_the_language_of_its_words():
    assert not any(re.search("[\u4e00-\u9fff]", filled(pair)[0]) for pair in pairs("en"))
    assert all(re.search("[\u4e00-\u9fff]", filled(pair)[0]) for pair in pairs("zh"))


def test_the_command_writes_the_same_files(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(instantiate, "HERE", tmp_path)
    instantiate.main()
    for name in ("entities.jsonl", "examples.zh.jsonl", "examples.en.jsonl"):
        assert (tmp_path / name).read_bytes() == (Path(HERE) / name).read_bytes()
    assert f"of {len(PROTOTYPES)} prototypes" in capsys.readouterr().out
