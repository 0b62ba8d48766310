"""Domain folders, and what is said when one is wrong."""

import json
from pathlib import Path

import pytest
from cases import cases, rows
from databases import create

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


ENTITIES = '{"sql": "TI-101", "type": "tag", "says": ["塔顶温度", "top temperature"]}\n{"sql": "b", "type": "unit"}\n'


@pytest.mark.parametrize("case", cases(CASES, "pair"))
def test_values_of_a_pair(tmp_path, case):
    domain = load_domain(folder(tmp_path, line(**case["pair"]), entities=ENTITIES))
    assert [(e.sql, e.type, len(e.says)) for e in domain.entities] == [("TI-101", "tag", 2), ("b", "unit", 0)]
    (example,) = domain.examples
    assert (example.slotted, example.line) == (case["slotted"], 1)
    assert fill_sql(example.slotted, example.values) == example.sql == case.get("sql", example.sql)
    assert example.question == case.get("question", example.question)
    assert [(value.slot, value.mention.text) for value in example.values] == [*case["values"].items()]
    for value in (one.mention for one in example.values):
        assert example.question[value.start : value.end] == value.text


def test_entities_give_their_type_to_the_column_of_most(tmp_path):
    found = [line(id=tag, question=f"what is {tag}", sql=f"SELECT x FROM t WHERE code = '{tag}'") for tag in TAGS]
    domain = load_domain(folder(tmp_path, *found, entities=ENTITIES))
    assert {example.slotted for example in domain.examples} == {"SELECT x FROM t WHERE code = '{tag0}'"}


TAGS = ("TI-101", "TI-999")


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
    file = create(tmp_path / "shop.sqlite", "CREATE TABLE t (a)")
    assert load_domain(folder(tmp_path, line(), toml=TOML + 'database = "shop.sqlite"')).database == str(file)
    url = "postgresql://host/db"
    assert load_domain(folder(tmp_path, line(), toml=TOML + f'database = "{url}"')).database == url
    assert load_domain(folder(tmp_path, line())).database is None


@rows(CASES, "wrong")
def test_what_is_wrong_is_told_with_its_place(tmp_path, lines, toml, entity, message):
    with pytest.raises(DomainError, match=message):
        load_domain(folder(tmp_path, *(lines or [line()]), toml=toml or TOML, entities=entity))


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
