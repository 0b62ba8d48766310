"""Domain folders, and what is said when one is wrong."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from cases import rows

from querent.data.domains.loading import load_domain
from querent.data.errors import DomainError, SchemaError
from querent.data.values.slots import fill_sql

CASES = Path(__file__).with_suffix(".toml")

TOML = 'name = "shop"\nlanguage = "en"\ndialect = "sqlite"\n'
DDL = 'CREATE TABLE tag (code TEXT, "order" INT, "unit name" TEXT);'


def line(**fields) -> str:
    return json.dumps({"id": "1", "question": "all tags", "sql": "SELECT code FROM tag", **fields}, ensure_ascii=False)


def folder(path: Path, *lines: str, toml: str = TOML, ddl: str = DDL, entities: str | None = None) -> Path:
    path.mkdir(exist_ok=True)
    (path / "domain.toml").write_text(toml, encoding="utf-8")
    (path / "schema.sql").write_text(ddl, encoding="utf-8")
    (path / "examples.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    if entities is not None:
        (path / "entities.jsonl").write_text(entities, encoding="utf-8")
    return path


def only(path: Path, **fields):
    (example,) = load_domain(folder(path, line(**fields))).examples
    assert fill_sql(example.slotted, example.values) == example.sql
    for value in example.values:
        mention = value.mention
        assert example.question[mention.start : mention.end] == mention.text
    return example


def test_values_are_found_in_question_and_query(tmp_path):
    example = only(
        tmp_path,
        question="tags with Code 'TI-101' over 30 in 2",
        sql="select * from tag where code = 'TI-101' and x > 30;",
    )
    assert example.slotted == "select * from tag where code = '{code0}' and x > {number0}"
    assert [v.slot for v in example.values] == ["code0", "number0", "number1"]
    assert example.line == 1


def test_explicit_values_keep_their_spans(tmp_path):
    example = only(
        tmp_path,
        question="{tag1}在{time0}之后超过{number0}的次数，与{tag0}比",
        sql="SELECT COUNT(*) FROM tag WHERE code IN ('{tag0}', '{tag1}') AND t > '{time0}' AND \"order\" > {number0}",
        values={
            "tag0": {"say": "O'Hara塔", "sql": "O'H-1"},
            "tag1": {"say": "顶温", "sql": "TI-101"},
            "time0": {"say": "13年8月", "sql": "2013-08-01"},
            "number0": {"say": "三成", "sql": "0.3"},
        },
    )
    assert example.question == "顶温在13年8月之后超过三成的次数，与O'Hara塔比"
    # slots are numbered by where the question says them, whatever the file calls them
    assert [(v.slot, v.mention.text) for v in example.values] == [
        ("tag0", "顶温"),
        ("time0", "13年8月"),
        ("number0", "三成"),
        ("tag1", "O'Hara塔"),
    ]
    assert "IN ('{tag1}', '{tag0}')" in example.slotted
    assert "IN ('O''H-1', 'TI-101') AND t > '2013-08-01' AND \"order\" > 0.3" in example.sql


def test_explicit_values_leave_other_constants(tmp_path):
    example = only(
        tmp_path,
        question="top 5 of {tag0} over 7",
        sql="SELECT code FROM tag WHERE code = '{tag0}' LIMIT 5",
        values={"tag0": {"say": "A", "sql": "a"}},
    )
    assert example.slotted.endswith("LIMIT 5")
    assert [v.slot for v in example.values] == ["number0", "tag0", "number1"]


def test_entities_are_found_by_their_spoken_forms(tmp_path):
    entities = (
        '{"sql": "TI-101", "type": "tag", "says": ["塔顶温度", "top temperature"]}\n{"sql": "b", "type": "unit"}\n'
    )
    path = folder(
        tmp_path,
        line(id="1", question="现在塔顶温度是多少", sql="SELECT x FROM t WHERE code = 'TI-101'"),
        line(id="2", question="what is the Top Temperature", sql="SELECT x FROM t WHERE code = 'TI-101'"),
        line(id="3", question="what is TI-999", sql="SELECT x FROM t WHERE code = 'TI-999'"),
        entities=entities,
    )
    domain = load_domain(path)
    assert [e.slotted for e in domain.examples] == ["SELECT x FROM t WHERE code = '{tag0}'"] * 3
    assert [e.values[0].mention.text for e in domain.examples] == ["塔顶温度", "Top Temperature", "TI-999"]
    assert [(e.sql, e.type, len(e.says)) for e in domain.entities] == [("TI-101", "tag", 2), ("b", "unit", 0)]


def test_queries_are_tidied_by_dialect_and_schema(tmp_path):
    path = folder(tmp_path, line(sql='SELECT "order" FROM tag WHERE code = "it\'s" ; '))
    assert load_domain(path).examples[0].sql == "SELECT \"order\" FROM tag WHERE code = 'it''s'"


def test_splits(tmp_path):
    path = folder(
        tmp_path,
        line(id="1", split="dev"),
        line(id="2", split={"question": "test"}, prototype="p"),
        *(line(id=str(i), prototype=f"p{i % 40}") for i in range(3, 400)),
    )
    domain = load_domain(path)
    assert (domain.examples[0].question_split, domain.examples[0].query_split) == ("dev", "dev")
    assert domain.examples[1].question_split == "test"
    by_prototype: dict[str, set[str]] = {}
    for example in domain.examples:
        by_prototype.setdefault(example.prototype, set()).add(example.query_split)
    assert all(len(parts) == 1 for parts in by_prototype.values())
    for split in ("question", "query"):
        parts = [domain.part(part, split) for part in ("train", "dev", "test")]
        assert sum(map(len, parts)) == len(domain.examples)
        assert len(parts[0]) > len(parts[1]) > 0
        assert parts[2]
    with pytest.raises(DomainError, match=r"no part 'tset'.*'test'"):
        domain.part("tset")
    with pytest.raises(DomainError, match="no split 'querys'"):
        domain.part("test", "querys")


def test_prototype_defaults_to_the_slotted_query(tmp_path):
    path = folder(
        tmp_path,
        line(id="1", question="over 3", sql="SELECT code FROM tag WHERE x > 3"),
        line(id="2", question="over 5", sql="SELECT code FROM tag WHERE x > 5"),
    )
    assert {e.prototype for e in load_domain(path).examples} == {"SELECT code FROM tag WHERE x > {number0}"}


def test_languages(tmp_path):
    path = folder(tmp_path, toml=TOML + 'languages = ["zh", "en"]\n')
    (path / "examples.jsonl").unlink()
    (path / "examples.en.jsonl").write_text(line(question="tags"))
    (path / "examples.zh.jsonl").write_text(line(question="位号"), encoding="utf-8")
    assert load_domain(path).examples[0].question == "tags"
    assert load_domain(path, language="zh").examples[0].question == "位号"


def test_database_beside_the_domain_file_or_by_url(tmp_path):
    with closing(sqlite3.connect(tmp_path / "shop.sqlite")) as database:
        database.execute("CREATE TABLE t (a)")
    assert load_domain(folder(tmp_path, line(), toml=TOML + 'database = "shop.sqlite"')).database == str(
        tmp_path / "shop.sqlite"
    )
    url = "postgresql://host/db"
    assert load_domain(folder(tmp_path, line(), toml=TOML + f'database = "{url}"')).database == url
    assert load_domain(folder(tmp_path, line())).database is None


VALUES = {"tag0": {"say": "A", "sql": "a"}}


@rows(CASES, "bad_lines_are_told_with_file_line_and_field")
def test_bad_lines_are_told_with_file_line_and_field(tmp_path, lines, message):
    with pytest.raises(DomainError, match=message):
        load_domain(folder(tmp_path, *lines))


@rows(CASES, "bad_domain_files")
def test_bad_domain_files(tmp_path, toml, message):
    with pytest.raises(DomainError, match=message):
        load_domain(folder(tmp_path, line(), toml=toml))


@rows(CASES, "bad_entities")
def test_bad_entities(tmp_path, entity, message):
    with pytest.raises(DomainError, match=message):
        load_domain(folder(tmp_path, line(), entities=entity))


def test_missing_and_unreadable_files(tmp_path):
    path = folder(tmp_path / "shop", line())
    (path / "examples.jsonl").rename(path / "exmples.jsonl")
    with pytest.raises(DomainError, match=r"examples\.en\.jsonl: no such file"):
        load_domain(path)
    (path / "examples.jsonl").write_bytes(line().encode() + b'\n{"id": "\xff"}')
    with pytest.raises(DomainError, match=r"examples\.jsonl:2: not UTF-8"):
        load_domain(path)
    (path / "schema.sql").write_text("CREATE TABLE (")
    with pytest.raises(SchemaError, match=r"schema\.sql:1: cannot read the DDL"):
        load_domain(path)
    (path / "domain.toml").unlink()
    with pytest.raises(DomainError, match=r"domain\.toml: no such file"):
        load_domain(path)


@rows(CASES, "wrong_specs")
def test_wrong_specs(spec, message):
    with pytest.raises(DomainError, match=message):
        load_domain(spec)


def test_source_reads_the_domain_again(tmp_path):
    domain = load_domain(f"folder:{folder(tmp_path, line())}")
    assert load_domain(domain.source) == domain
