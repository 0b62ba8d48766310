"""The public sets: counts, splits, and every value where it says it is."""

import json
from collections import Counter
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from cases import rows
from draws import some
from spider_pets import PETS

from querent.data.domains import public_sets
from querent.data.domains.domain import Domain
from querent.data.domains.loading import load_domain
from querent.data.errors import DomainError, SchemaError
from querent.data.records import fold_part, hashed_part, read_json, read_jsonl
from querent.data.values.slots import bind, fill_sql

CASES = Path(__file__).with_suffix(".toml")

PARTS = ("train", "dev", "test")


LARGE = ("atis", "css-yibao")
"""Sets of which a part is read; with QUERENT_ALL_INSTANCES=1 they are read whole."""


@pytest.fixture(scope="module")
def load(shared_data: Path) -> Callable[..., Domain]:
    @cache
    def domain(name: str) -> Domain:
        with pytest.MonkeyPatch.context() as patch:
            if name in LARGE:
                patch.setattr(public_sets, "read_json", _some_queries)
                patch.setattr(public_sets, "read_jsonl", lambda file: some(read_jsonl(file), 3))
            if name.startswith("css"):
                return load_domain(f"css:{shared_data / name}")
            return load_domain(f"text2sql:{shared_data / 'text2sql' / name}")

    return domain


def _some_queries(file: Path) -> list[Any]:
    """Return every fifth query of ATIS, and two that tests ask for."""
    found = read_json(file)
    return [one for number, one in enumerate(found) if number in (40, 80) or one in some(found, 5)]


def sound(domain: Domain) -> None:
    """Check what every example promises."""
    assert len({e.id for e in domain.examples}) == len(domain.examples)
    for example in domain.examples:
        assert fill_sql(example.slotted, example.values) == example.sql
        assert example.values == bind(v.mention for v in example.values)
        spans = [(v.mention.start, v.mention.end) for v in example.values]
        assert all(a[1] <= b[0] for a, b in pairwise(spans))
        for value in example.values:
            assert example.question[value.mention.start : value.mention.end] == value.mention.text
        assert '"' not in example.sql
        assert not example.sql.endswith(";")
        assert example.question_split in PARTS
        assert example.query_split in PARTS


@rows(CASES, "public_sets")
def test_public_sets(load, name, dialect, prototypes, question, query):
    domain = load(name)
    assert domain.dialect == dialect
    assert domain.grouping == ("loose" if name.startswith("css") else "strict")
    assert (domain.database is not None) == (dialect == "sqlite")
    counts = [tuple(len(domain.part(part, by)) for part in PARTS) for by in ("question", "query")]
    assert [sum(count) for count in counts] == [len(domain.examples)] * 2
    if name not in LARGE or len(some(PARTS, 3)) == 3:
        assert (len({e.prototype for e in domain.examples}), *counts) == (prototypes, tuple(question), tuple(query))
    sound(domain)


@pytest.mark.parametrize("name", ["geography", "academic", "css-yibao"])
def test_lines_lead_to_the_questions(load, shared_data, name):
    domain = load(name)
    css = name.startswith("css")
    file = shared_data / "css-yibao" / "examples.jsonl" if css else shared_data / "text2sql" / f"{name}.json"
    lines = file.read_text(encoding="utf-8").splitlines()
    for example in domain.examples[::37]:
        text = lines[example.line - 1]
        assert (example.question if css else '"text":') in text
        if not css and not example.values:
            assert example.question in text


def test_counts_are_numbers_though_their_variables_look_like_titles(load):
    types: dict[str, Counter[str]] = {}
    for example in load("academic").examples:
        for value in example.values:
            types.setdefault(value.mention.type, Counter())[value.mention.literal] += 1
    assert types["publication_title"].keys() == {"string"}
    assert types["number"] == {"number": 19}


def text2sql_set(path: Path, **query) -> str:
    data = {
        "query-split": "train",
        "sql": ['SELECT a FROM T WHERE b LIKE "%name0%" AND c = n0 ;', "SELECT 1"],
        "variables": [{"name": "name0", "example": "x"}, {"name": "n0", "example": "4"}],
        "sentences": [{"text": "a of name0", "question-split": "test", "variables": {"name0": "it's", "n0": ""}}],
    }
    (path / "s.json").write_text(json.dumps([data | query], indent=1))
    (path / "s-schema.csv").write_text(
        "Table Name, Field Name, Is Primary Key, Is Foreign Key, Type\nT, a, n, n, text\n"
    )
    return f"text2sql:{path}/s"


def test_text2sql_patterns_quotes_and_empty_values(tmp_path):
    (example,) = load_domain(text2sql_set(tmp_path)).examples
    assert example.question == "a of it's"
    assert example.slotted == "SELECT a FROM T WHERE b LIKE '%{name0}%' AND c = 4"
    assert example.sql == "SELECT a FROM T WHERE b LIKE '%it''s%' AND c = 4"


def test_text2sql_leaves_out_excluded_rows(tmp_path):
    assert load_domain(text2sql_set(tmp_path, exclude=True)).examples == ()


@rows(CASES, "text2sql_laid_out_wrongly")
def test_text2sql_laid_out_wrongly(tmp_path, query, message):
    with pytest.raises(DomainError, match=message):
        load_domain(text2sql_set(tmp_path, **query))


CSS = {"id": 1, "template": 2, "question": "几个", "sql": "SELECT 1"}


def css_set(path: Path, **more: Any) -> str:
    (path / "examples.jsonl").write_text(json.dumps(CSS | more, ensure_ascii=False), encoding="utf-8")
    (path / "x.sql").write_text("CREATE TABLE t (a int);")
    return f"css:{path}"


def test_sets_have_one_language(tmp_path):
    for spec, other, own in ((text2sql_set(tmp_path), "zh", "en"), (css_set(tmp_path), "en", "zh")):
        with pytest.raises(DomainError, match=f"no questions in '{other}'.*use '{own}'"):
            load_domain(spec, language=other)


def test_css_parts_by_hash_where_none_are_given_and_errors_tell_where(tmp_path):
    assert load_domain(css_set(tmp_path)).examples[0].question_split in PARTS
    with pytest.raises(DomainError, match=r"examples\.jsonl:1, field 'sql': null is not a text"):
        load_domain(css_set(tmp_path, sql=None))
    with pytest.raises(DomainError, match="field 'query_split': no part 'tets'"):
        load_domain(css_set(tmp_path, query_split="tets"))
    (tmp_path / "y.sql").write_text("")
    with pytest.raises(DomainError, match=r"2 \.sql files where one is due"):
        load_domain(css_set(tmp_path))


@pytest.fixture
def spider(tmp_path: Path) -> Path:
    pairs = [
        {"db_id": "pets", "question": "Who is older than 20?", "query": "SELECT LName FROM Student WHERE Age > 20;"},
        {"db_id": "pets", "question": "Age of Smith", "query": 'SELECT "Age" FROM Student WHERE LName = "Smith"'},
        {"db_id": "cars", "question": "x", "query": "SELECT 1"},
    ]
    (tmp_path / "tables.json").write_text(json.dumps([PETS, PETS | {"db_id": "cars"}]))
    (tmp_path / "train_spider.json").write_text(json.dumps(pairs[:1]))
    (tmp_path / "dev.json").write_text(json.dumps(pairs[1:]))
    return tmp_path


def test_spider(spider):
    domain = load_domain(f"spider:{spider}#pets")
    assert (domain.name, domain.language, domain.dialect, domain.database) == ("pets", "en", "sqlite", None)
    assert [e.slotted for e in domain.examples] == [
        "SELECT LName FROM Student WHERE Age > {number0}",
        "SELECT \"Age\" FROM Student WHERE LName = '{lname0}'",
    ]
    (spider / "database" / "pets").mkdir(parents=True)
    (spider / "database" / "pets" / "pets.sqlite").write_bytes(b"")
    assert str(load_domain(domain.source).database).endswith("pets.sqlite")


def test_spider_laid_out_wrongly(spider):
    for part, message in (("#pest", "no pairs on database 'pest' .*'pets'"), ("", "no pairs on database '' .*#cars")):
        with pytest.raises(DomainError, match=message):
            load_domain(f"spider:{spider}{part}")
    for file, text, message in (
        ("dev.json", '{"a": 1}', r"dev\.json"),
        ("dev.json", "[]", ""),
        ("tables.json", "[{}]", r"tables\.json"),
        ("tables.json", None, r"tables\.json: no such file"),
    ):
        (spider / file).unlink() if text is None else (spider / file).write_text(text)
        if message:
            with pytest.raises((DomainError, SchemaError), match=message):
                load_domain(f"spider:{spider}#pets")


def test_hashed_parts_are_stable_and_about_80_10_10():
    assert [hashed_part(key) for key in ("a", "8", "现在")] == [hashed_part(key) for key in ("a", "8", "现在")]
    # fixed for ever: a change here moves everybody's test sets
    assert "".join(hashed_part(f"q{i}")[0] for i in range(20)) == "ttttttttdtddtttttttt"
    counts = Counter(hashed_part(str(i)) for i in range(5000))
    assert counts["train"] == pytest.approx(4000, abs=120)
    assert counts["dev"] == pytest.approx(500, abs=80)


def test_folds():
    assert [fold_part(str(fold)) for fold in range(4)] == ["test", "dev", "train", "train"]
