"""A domain's gold queries are learnt and judged in the words that the base network writes."""

import json
import sqlite3
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

import databases
import numpy as np
import pytest
from cases import cases, table
from reader_cases import write_encoder
from sql_pairs import script

from querent.data.databases.database import Database
from querent.data.databases.schema_readers import read_schema
from querent.data.domains.loading import load_domain
from querent.data.schema.ddl import from_ddl
from querent.data.sql.query import Query
from querent.data.values.slots import Value, ValueMention
from querent.encoders import Encoder, load_encoder
from querent.grammar import EOS, Constraint
from querent.meaning.profile import ColumnProfile, DatabaseProfile, FlagCells, TimeStorage
from querent.meaning.profiling import open_profile
from querent.ner.index import FoundValue, ValueIndex
from querent.ner.language.question import QuestionText
from querent.parser.decoding.candidates import to_plain_sql
from querent.parser.decoding.delexicalised import delexicalise
from querent.parser.decoding.parsing import SearchStart
from querent.parser.learning.domain_dataset import DomainDataset, read_domain
from querent.parser.learning.training_examples import GoldQuery, TrainingExample, canonical_words, slotted_words
from querent.parser.learning.training_run import _shipped
from querent.parser.normal_form import NormalForm, ShortConstraint
from querent.parser.reader.context import DatabaseContext
from querent.parser.reader.output_vocabulary import ROLES, fixed_words
from querent.parser.reader.question import QuestionWords, ValueNode

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
    return read_domain(domain, encoder, split="question", values=folder / "values.sqlite")


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
    made = read_domain(load_domain(folder), encoder, split="question", values=values)
    assert made.counts()["unlearnt"] == dict.fromkeys(("train", "dev", "test"), len(PAIRS))


def test_shipped_databases_are_rehearsed_with_a_clock() -> None:
    assert _shipped("shop", "en").now is not None


KNOWN = DatabaseProfile(
    {
        ("mooring", "arrived"): ColumnProfile("time", time=TimeStorage("iso", "day", True, first="2021-01-01")),
        ("berth", "covered"): ColumnProfile("flag", flag=FlagCells("T", "F", "text")),
    }
)


def marina() -> DatabaseContext:
    types = SCHEMA.replace("arrived TEXT", "arrived DATE")
    return DatabaseContext.of(
        from_ddl(types, "sqlite"), None, dialect="sqlite", language="en", profile=KNOWN, uses={"mooring": 2}
    )


def asked(question: str, *values: FoundValue) -> QuestionWords:
    return QuestionWords(QuestionText(question), ("q",), (), (), tuple(ValueNode(value, 0, 1, 9) for value in values))


def test_what_has_no_word_for_a_second_use_of_a_table_is_said_as_it_stands() -> None:
    sql = """SELECT COUNT(*) FROM mooring AS a JOIN mooring AS b ON a.berth_id = b.berth_id
        WHERE strftime('%Y-%m', a.arrived) = strftime('%Y-%m', b.arrived)"""
    found = marina()
    written = FoundValue(0, 0, "", "%Y-%m", "cell", "constant", (), 0.0)
    gold = GoldQuery.of(sql, asked("moorings of the same month", written), found)
    assert gold.query.items is not None
    assert -1 not in gold.ids


@pytest.mark.parametrize(("one", "other"), table(__file__, "queries_are_compared_by_what_they_mean"))
def test_queries_are_compared_by_what_they_mean(one: str, other: str) -> None:
    found = marina()
    form = NormalForm(found.grammar)
    queries = [f"SELECT mooring_id FROM mooring WHERE {condition}" for condition in (one, other)]
    words: list[Any] = [canonical_words(sql, form, found.profile) for sql in queries]
    assert words[0] == words[1]
    assert canonical_words(queries[0], form) != canonical_words(queries[1], form)


# --- gold queries in the words of their questions, and that the constraint writes them back


HIRES = [
    (n, 1 + n % 3, f"2023-{1 + n % 12:02}-{1 + n % 28:02}", f"2024-{1 + n % 12:02}-{1 + (3 * n) % 28:02}",
     f"{13 + n % 16}/{1 + n % 12:02}/{2022 + n // 12 % 2}", "YN"[n % 2], f"${n},{100 + n}.50")
    for n in range(1, 61)
]  # fmt: skip


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return boats that are hired: days as ISO and as D/M/Y, a flag of letters, fees with dollars."""
    hires = ", ".join(map(str, HIRES))
    return databases.create(
        tmp_path_factory.mktemp("hires") / "hires.sqlite", f"{script('docks')} INSERT INTO hire VALUES {hires};"
    )


@pytest.fixture(scope="module")
def context(file: Path) -> DatabaseContext:
    schema = read_schema(file)
    held = open_profile(file, schema, cache=file.parent)
    index = ValueIndex.open(file, schema, cache=file.parent)
    given: dict[str, Any] = {"dialect": "sqlite", "language": "en", "now": datetime(2024, 3, 10, 9)}
    return DatabaseContext.of(schema, index, profile=held, **given)


@pytest.mark.parametrize("case", cases(Path(__file__).with_name("gold_queries.toml")))
def test_a_gold_query_is_learnt_in_its_questions_words_and_written_back(
    case: dict[str, str], context: DatabaseContext, file: Path
) -> None:
    question, sql = case["question"], case["sql"]
    values = context.values(QuestionText(question))
    meant = next(delexicalise(sql, QuestionText(question), context, values))
    assert meant.whole
    assert case["learnt"] in meant.sql
    nodes = tuple(ValueNode(value, 0, 1, 9) for value in values)
    read = QuestionWords(question, ("q",), (), (), nodes)
    vocabulary = meant.context.vocabulary
    ids = slotted_words(meant.words(), read, vocabulary)
    assert -1 not in ids
    places = np.zeros(len(vocabulary), np.int64)
    start = SearchStart(ShortConstraint(Constraint(context.vocabulary)), context, read, places, meant.items)
    state = start.state()
    for word in (*ids, EOS):
        assert state.allowed()[word], state.explain(word)
        state = state.advance(word)
    slots = tuple(Value(slot, ValueMention(0, 0, text, slot, text)) for slot, text in start.slots.items())
    query = Query(context.vocabulary.decode(state.sql_words), "sqlite", slots)
    again = to_plain_sql(query, context.grammar.schema).sql
    with Database.open(file) as database:
        rows = database.query(sql).rows
        assert rows
        assert sorted(map(str, database.query(again).rows)) == sorted(map(str, rows))


def test_what_no_word_says_is_no_whole_query(context: DatabaseContext) -> None:
    sql = "SELECT strftime('%j', taken), COUNT(*) FROM hire GROUP BY 1"
    assert not next(delexicalise(sql, QuestionText(""), context, ())).whole


def test_a_query_that_takes_no_time_apart_stays_as_it_is(context: DatabaseContext) -> None:
    sql = "SELECT label FROM dock WHERE label LIKE '%o%' ORDER BY built"
    question = "docks with o in their label by year"
    meant = next(delexicalise(sql, QuestionText(question), context, context.values(QuestionText(question))))
    assert (meant.sql, meant.whole) == (sql, True)


def test_wordings_of_one_query_share_its_normal_form(context: DatabaseContext, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    of = NormalForm.of
    monkeypatch.setattr(NormalForm, "of", lambda self, sql: made.append(sql) or of(self, sql))
    sql = "SELECT label FROM dock WHERE budget_millions > 4.75"
    asked = map(QuestionText, ("Docks above 4.75?", "Which cost more?"))
    said = [next(delexicalise(sql, text, context, ())).words() for text in asked]
    assert said[0] == said[1]
    assert made == [sql]
