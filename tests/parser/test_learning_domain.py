"""A domain's gold queries are learnt and judged in the words that the base network writes."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from reader_cases import write_encoder

from querent.data.domains.loading import load_domain
from querent.data.schema.ddl import from_ddl
from querent.encoders import Encoder, load_encoder
from querent.meaning.profile import ColumnProfile, DatabaseProfile, FlagCells, TimeStorage
from querent.ner.index import FoundValue
from querent.ner.language.question import QuestionText
from querent.parser.learning.domain_dataset import DomainDataset, open_domain, read_examples
from querent.parser.learning.gold_query import GoldQuery, canonical_words
from querent.parser.learning.training_examples import TrainingExample
from querent.parser.normal_form import NormalForm
from querent.parser.reader.context import DatabaseContext
from querent.parser.reader.output_vocabulary import ROLES, fixed_words
from querent.parser.reader.question import QuestionWords, ValueNode
from querent.parser.runs.preparation import _shipped

SCHEMA = """
CREATE TABLE berth (berth_id INTEGER PRIMARY KEY, label TEXT, covered TEXT);
CREATE TABLE mooring (mooring_id INTEGER PRIMARY KEY, berth_id INTEGER REFERENCES berth(berth_id), arrived TEXT,
    paid REAL);
"""
PAIRS = [
    ("moorings that arrived in 2022", "SELECT mooring_id FROM mooring WHERE strftime('%Y', arrived) = '2022'"),
    ("moorings that arrived in May 2022", "SELECT mooring_id FROM mooring WHERE arrived LIKE '2022-05%'"),
    ("moorings per month", "SELECT SUBSTR(arrived, 1, 7), COUNT(*) FROM mooring GROUP BY SUBSTR(arrived, 1, 7)"),
    ("how many covered berths are there", "SELECT COUNT(*) FROM berth WHERE covered = 'T'"),
    ("which berth is the first", "SELECT label FROM berth ORDER BY berth_id LIMIT 1"),
    ("what is paid in all, as a number", "SELECT SUM(paid) * 1.0 FROM mooring"),
]


def written(folder: Path, *, database: bool = True) -> Path:
    """Write a marina: days as ISO, a flag of letters; each pair is learnt, judged and tested."""
    folder.mkdir()
    about = 'name = "marina"\nlanguage = "en"\ndialect = "sqlite"\n' + ('database = "m.sqlite"\n' if database else "")
    (folder / "domain.toml").write_text(about, encoding="utf-8")
    (folder / "schema.sql").write_text(SCHEMA, encoding="utf-8")
    lines = [
        json.dumps({"id": f"{part}-{n}", "question": question, "sql": sql, "split": part})
        for part in ("train", "dev", "test")
        for n, (question, sql) in enumerate(PAIRS)
    ]
    (folder / "examples.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    if database:
        rows = [(n, 1 + n % 4, f"{2021 + n % 3}-{1 + n % 12:02}-{1 + n % 28:02}", 2.5 * n) for n in range(90)]
        with closing(sqlite3.connect(folder / "m.sqlite")) as connection, connection:
            connection.executescript(SCHEMA)
            connection.executemany("INSERT INTO berth VALUES (?, ?, ?)", [(n, f"B{n}", "TF"[n % 2]) for n in range(9)])
            connection.executemany("INSERT INTO mooring VALUES (?, ?, ?, ?)", rows)
    return folder


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Encoder:
    return load_encoder(str(write_encoder(tmp_path_factory.mktemp("encoder") / "encoder")))


def dataset(folder: Path, encoder: Encoder, *, database: bool = True) -> DomainDataset:
    domain = load_domain(written(folder / "marina", database=database))
    return read_examples(open_domain(domain, split="question", values=folder / "values.sqlite"), encoder)


def learnt(example: TrainingExample) -> list[str]:
    """Return what is learnt, items and values by their names."""
    fixed = [text for text, _ in fixed_words()]
    said = [node.found.text for node in example.question.values]
    names = [*(one.name for one in example.items.items), *said]
    return [fixed[p] if p < len(fixed) else names[(p - len(fixed)) // ROLES] for p in example.places.tolist()]


def test_a_domains_pairs_are_learnt_in_their_questions_words(tmp_path: Path, encoder: Encoder) -> None:
    made = dataset(tmp_path, encoder)
    assert made.unlearnt == []
    assert [len(ways) for ways in made.examples] == [2] * len(PAIRS)
    for way in (0, 1):
        year, month, monthly, covered, *_ = (learnt(ways[way]) for ways in made.examples)
        assert year[-4:-1] == ["arrived", "=", "2022"]
        assert month[-4:-1] == ["arrived", "=", "May 2022"]
        assert monthly[1] == monthly[-2] == "month"
        assert covered[-4:-1] == ["covered", "=", "covered"]
    assert made.context.now == datetime(2023, 12, 28, 12)  # nothing learnt hangs on the day of the training


def test_the_one_of_a_limit_is_no_constant_of_another_query(tmp_path: Path, encoder: Encoder) -> None:
    made = dataset(tmp_path, encoder)
    assert "1.0" in [constant.value for constant in made.profile.constants]
    assert learnt(made.examples[4][0])[-3:-1] == ["LIMIT", "1"]


def test_dev_is_judged_in_the_same_words(tmp_path: Path, encoder: Encoder) -> None:
    judged = [learnt(one) for one in dataset(tmp_path, encoder).judged.values()]
    assert judged[0][-4:-1] == ["arrived", "=", "2022"]
    assert judged[2][1] == "month"


def test_a_domain_without_a_database_learns_its_queries_as_they_stand(tmp_path: Path, encoder: Encoder) -> None:
    made = dataset(tmp_path, encoder, database=False)
    assert not made.context.profile
    assert made.context.now is None
    assert "STRFTIME" in {word.upper() for word in learnt(made.examples[0][0])}
    assert learnt(made.examples[4][0])[-3:-1] == ["LIMIT", "1"]


def test_words_that_no_network_writes_are_told_of_every_part(tmp_path: Path, encoder: Encoder) -> None:
    folder = written(tmp_path / "marina", database=False)
    derived = "SELECT t1.berth_id FROM (SELECT * FROM mooring) AS t1"
    text = (folder / "examples.jsonl").read_text(encoding="utf-8")
    lines = [json.loads(line) for line in text.splitlines()]
    lines = [{**line, "sql": derived} for line in lines]
    about = (folder / "domain.toml").read_text(encoding="utf-8").replace("sqlite", "mysql")  # it wants a name there
    (folder / "domain.toml").write_text(about, encoding="utf-8")
    (folder / "examples.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n", encoding="utf-8")
    values = tmp_path / "values.sqlite"
    made = read_examples(open_domain(load_domain(folder), split="question", values=values), encoder)
    assert made.counts()["unlearnt"] == dict.fromkeys(("train", "dev", "test"), len(PAIRS))


def test_shipped_databases_are_rehearsed_with_a_clock() -> None:
    assert _shipped("shop", "en").now is not None


KNOWN = DatabaseProfile(
    {
        ("mooring", "arrived"): ColumnProfile("time", time=TimeStorage("iso", "day", True, first="2021-01-01")),
        ("berth", "covered"): ColumnProfile("flag", flag=FlagCells("T", "F", "text")),
    }
)


def context(dialect: str) -> DatabaseContext:
    types = SCHEMA.replace("arrived TEXT", "arrived DATE")
    return DatabaseContext.of(
        from_ddl(types, dialect), None, dialect=dialect, language="en", profile=KNOWN, uses={"mooring": 2}
    )


def asked(question: str, *values: FoundValue) -> QuestionWords:
    return QuestionWords(QuestionText(question), ("q",), (), (), tuple(ValueNode(value, 0, 1, 9) for value in values))


def test_what_has_no_word_for_a_second_use_of_a_table_is_said_as_it_stands() -> None:
    sql = """SELECT COUNT(*) FROM mooring AS a JOIN mooring AS b ON a.berth_id = b.berth_id
        WHERE strftime('%Y-%m', a.arrived) = strftime('%Y-%m', b.arrived)"""
    found = context("sqlite")
    written = FoundValue(0, 0, "", "%Y-%m", "cell", "constant", (), 0.0)
    gold = GoldQuery.of(sql, asked("moorings of the same month", written), found)
    assert gold.meant.items is not None
    assert not gold.meant.changed
    assert -1 not in gold.ids


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("strftime('%Y', arrived) = '2022'", "arrived >= '2022-01-01' AND arrived < '2023-01-01'"),
        ("arrived LIKE '2022-05-%'", "arrived BETWEEN '2022-05-01' AND '2022-05-31'"),
    ],
)
def test_queries_are_compared_by_what_they_mean(one: str, other: str) -> None:
    found = context("sqlite")
    form = NormalForm(found.grammar)
    queries = [f"SELECT mooring_id FROM mooring WHERE {condition}" for condition in (one, other)]
    words: list[Any] = [canonical_words(sql, form, found.profile) for sql in queries]
    assert words[0] == words[1]
    assert canonical_words(queries[0], form) != canonical_words(queries[1], form)
