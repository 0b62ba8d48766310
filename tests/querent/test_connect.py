"""`querent.connect`: any SQLite file, a network with random weights, and whatever people type."""

import json
import math
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import querent as face
from querent.answers.answer import Alternative
from querent.data.databases.database import Database
from querent.data.errors import DatabaseError, InputError, RunError
from querent.ner.index import ValueIndex
from querent.ner.language.question import QuestionText

QUESTION = "which albums of artists from Germany came out before 1990?"
SURE = 3.0  # bias of the calibration


pytestmark = pytest.mark.usefixtures("cache")


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("how many albums? " * 200, "the question has 3399 characters; 2000 are the most"),
        ("albums of \ud800", r"the question is no text: \\ud800 is half a character"),
        (" ", "the question is empty"),
    ],
)
def test_what_is_no_question_is_told(music: Path, saved_network, question: str, said: str) -> None:
    with face.connect(music, parser=saved_network()) as connection:
        for told in (connection.ask, connection.explain):
            with pytest.raises(InputError, match=said):
                told(question)
        if question.strip():
            with pytest.raises(InputError, match=said.replace("question", "evidence")):
                connection.ask("how many albums?", evidence=question)


def test_an_answer(music: Path, saved_network) -> None:
    said: list[str] = []
    with face.connect(music, parser=saved_network(), progress=said.append) as connection:
        assert isinstance(connection, face.Connection)
        assert [table.name for table in connection.schema.tables] == ["artist", "album", "review"]
        answer = connection.ask(f"  {QUESTION}\n")
    assert len(said) == 3
    assert isinstance(answer, face.Answer)
    assert (answer.question, answer.status, answer.reason) == (QUESTION, "ok", None)
    assert answer.confidence == pytest.approx(1 / (1 + math.exp(-SURE)), abs=1e-4)
    assert answer.seconds > 0
    with closing(sqlite3.connect(music)) as direct:
        cursor = direct.execute(answer.sql)
        assert answer.columns == tuple(column[0] for column in cursor.description)
        assert answer.rows == tuple(cursor.fetchall())
    assert not answer.truncated
    assert all(isinstance(other, Alternative) for other in answer.alternatives)
    queries = [answer.sql, *(other.sql for other in answer.alternatives)]
    assert len(set(queries)) == len(queries) <= 4
    assert json.loads(json.dumps(answer.to_json()))["alternatives"] == [vars(other) for other in answer.alternatives]


def test_each_question_is_read_in_its_own_language(music: Path, saved_network) -> None:
    both, said = saved_network(languages=("en", "zh")), list[str]()
    chinese = "德国歌手有哪些专辑？"
    with face.connect(music, parser=both, progress=said.append) as connection:
        english = connection.ask(QUESTION)
        answers = [connection.ask(chinese), connection.ask("1990 年以后的专辑")]
        assert said.count("loading the network") == 1
        assert said.count("looking up the values of the database") == 2  # once each
        assert connection.ask(QUESTION).sql == english.sql
        assert connection.explain(chinese).sql == answers[0].sql
        opened = list(connection._open.values())
    assert {one.catalogue.language for one in opened} == {"en", "zh"}
    for one in opened:
        with pytest.raises(RunError, match="closed database"):
            one.catalogue.index.samples("artist", "name")
    with face.connect(music, parser=both, language="zh") as connection:
        assert connection.ask(chinese).sql == answers[0].sql
        assert connection.ask(QUESTION) and list(connection._open) == ["zh"]
    with face.connect(music, parser=saved_network(languages=("zh",))) as connection:  # it reads no other
        assert connection.ask(QUESTION) and list(connection._open) == ["zh"]


def test_the_shipped_parser_reads_both(cache: Path) -> None:
    with face.connect("shop") as connection:
        assert connection.ask("how many customers are there?").rows == ((20,),)
        assert connection.ask("有多少个客户？").rows == ((20,),)


def test_asking_changes_nothing_in_the_database(odd: Path, saved_network) -> None:
    before, stamp = odd.read_bytes(), odd.stat().st_mtime_ns
    with face.connect(odd, parser=saved_network()) as connection:
        for question in ("drop all the tables", "delete everything'; DROP TABLE empty; --", "insert 5 into empty"):
            connection.ask(question, beam=2)
    assert (odd.read_bytes(), odd.stat().st_mtime_ns) == (before, stamp)
    assert {file.name for file in odd.parent.iterdir()} == {"odd.sqlite"}


@pytest.mark.parametrize("spell", [str, lambda file: f"sqlite:///{file}", lambda file: file])
def test_a_file_may_be_named_by_its_path_or_a_url(music: Path, saved_network, spell) -> None:
    with face.connect(spell(music), parser=saved_network()) as connection:
        assert connection.ask(QUESTION, beam=1).status == "ok"


QUESTIONS = [
    "which albums are there?",
    "how many order details from 城市?",
    "北京有多少人口",
    "who is O'Hara in 1990 and 5.5 or '{text0}'?",
    "a",
    "?",
    "x" * 1000,
    "which " * 300,
    "select the unit price; drop table files",
    "\u200b",
]


@pytest.mark.parametrize(("seed", "names", "short"), [(0, 2, 3), (2, 4, 2)])
def test_every_query_of_a_random_network_runs(odd: Path, music: Path, saved_network, seed, names, short) -> None:
    queries: set[str] = set()
    for file in (odd, music):
        with face.connect(file, parser=saved_network(seed=seed, names=names, short=short)) as connection:
            for question in QUESTIONS[file == odd :: 2]:
                found = connection.parser.whole.rank(QuestionText(question), face.AskOptions(beam=3))
                assert [choice.problem for choice in found.choices] == [None] * len(found.choices)
                queries |= {candidate.sql for candidate in found.parse.candidates}
    assert len(queries) > 10
    assert sum("FROM" in sql for sql in queries) > 8


@pytest.fixture
def locked(music: Path) -> Iterator[Path]:
    with closing(sqlite3.connect(music, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        yield music


def test_a_locked_database_is_told(locked: Path, saved_network) -> None:
    with pytest.raises(DatabaseError, match="locked") as caught:
        face.connect(locked, parser=saved_network(), timeout=0.05)
    assert (caught.value.file, bool(caught.value.hint)) == (locked, True)


def closed(kind: type, monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Return the list of those that are closed from now on."""
    found, close = [], kind.close

    def noted(self: Any) -> None:
        found.append(self)
        close(self)

    monkeypatch.setattr(kind, "close", noted)
    return found


def test_a_connection_closes_what_it_opened_also_one_that_fails(
    tmp_path: Path, music: Path, saved_network, monkeypatch
) -> None:
    with face.connect(music, parser=saved_network()):
        databases, indexes = closed(Database, monkeypatch), closed(ValueIndex, monkeypatch)
    assert (len(databases), len(indexes)) == (1, 1)
    with pytest.raises(RunError):
        face.connect(music, parser=tmp_path / "gone")
    assert len(databases) == 2
