"""Which cells, numbers and strings the value index finds in questions."""

from __future__ import annotations

import sqlite3
import tomllib
from collections.abc import Callable
from contextlib import closing
from datetime import datetime
from pathlib import Path

import pytest

from querent.data.databases.schema_readers import from_sqlite
from querent.ner.cells.building import write_index
from querent.ner.cells.cells import ColumnCells
from querent.ner.index import FoundValue, ValueIndex
from querent.ner.language.question import QuestionText

CASES = tomllib.loads(Path(__file__).with_name("questions.toml").read_text("utf-8"))

SCRIPT = """
CREATE TABLE film (title TEXT, director TEXT, country TEXT, code TEXT, year INTEGER, kind TEXT, poster BLOB);
CREATE TABLE school (name VARCHAR(80), 城市 TEXT, grade CHAR(2), founded TEXT);
INSERT INTO film VALUES
    ('Jaws', 'Steven Spielberg', 'USA', 'A320', 1975, 'Thriller', x'00ff'),
    ('Amélie', 'Jean-Pierre Jeunet', 'France', 'B-17 ', 2001, 'Comedies', NULL),
    ('Minority Report', 'Steven Spielberg', 'USA', 'C9', 2002, 'Science fiction', NULL),
    ('Playtime', 'Jacques Tati', 'france', '2009', 1967, 'Comedies', NULL),
    ('The Name', 'Alexandre de La Patellière', 'France', 'X1', 2012, 'Comedies', NULL);
INSERT INTO school VALUES
    ('University of California, Berkeley', '北京', 'A+', '1868'),
    ('California Institute', '上海', 'A', '1891'),
    ('New York University', '北京市海淀区', 'F', '1831'),
    ('York', '呼和浩特', 'M', '1%~8%');
"""


@pytest.fixture(scope="module")
def index(indexed: Callable[[str], ValueIndex]) -> ValueIndex:
    return indexed(SCRIPT)


@pytest.fixture
def one(index: ValueIndex) -> Callable[..., FoundValue]:
    def find(question: str, value: str, *, language: str = "en", kind: str = "") -> FoundValue:
        found = index.find(QuestionText(question, language))
        right = [f for f in found if f.value == value and kind in {"", f.kind}]
        assert len(right) == 1, found
        assert question[right[0].start : right[0].end] == right[0].text
        return right[0]

    return find


@pytest.mark.parametrize(("question", "value", "text", "how"), CASES["a_cell_is_found"])
def test_a_cell_is_found(one: Callable[..., FoundValue], question: str, value: str, text: str, how: str) -> None:
    found = one(question, value)
    assert (found.text, found.how, found.kind) == (text, how, "cell")


def test_every_column_that_holds_a_cell_is_told(indexed: Callable[[str], ValueIndex]) -> None:
    index = indexed(
        "CREATE TABLE Home (City TEXT); CREATE TABLE Work (place TEXT, Town TEXT);"
        "INSERT INTO Home VALUES ('Rome'); INSERT INTO Work VALUES ('Rome', 'rome')"
    )
    exact, other = index.find("Who lives in Rome?")
    assert (exact.value, exact.columns) == ("Rome", (("Home", "City"), ("Work", "place")))
    assert (other.value, other.columns, other.how) == ("rome", (("Work", "Town"),), "folded")
    assert exact.score > other.score


@pytest.mark.parametrize(
    ("question", "value", "how"),
    [
        ("北京有哪些学校？", "北京", "exact"),
        ("呼和浩特的学校叫什么", "呼和浩特", "exact"),
        ("海淀区有多少学校", "北京市海淀区", "part"),
    ],
)
def test_chinese_cells_need_no_blanks(one: Callable[..., FoundValue], question: str, value: str, how: str) -> None:
    found = one(question, value, language="zh")
    assert (found.how, found.columns) == (how, (("school", "城市"),))


def test_numbers_are_written_as_in_sql(one: Callable[..., FoundValue]) -> None:
    assert one("films longer than two hours", "2").kind == "number"
    assert one("films that made 1,500 dollars", "1500").text == "1,500"
    assert one("films since 12 August 2013", "2013-08-12").kind == "time"


@pytest.mark.parametrize(("question", "language", "patterns"), CASES["months_are_what_their_dates_contain"])
def test_months_are_what_their_dates_contain(
    index: ValueIndex, question: str, language: str, patterns: list[str]
) -> None:
    found = [f for f in index.find(QuestionText(question, language)) if f.value.startswith("-")]
    assert sorted(f.value for f in found) == patterns
    assert {f.kind for f in found} <= {"time"}


def test_yesterday_is_a_time_once_somebody_tells_the_time(index: ValueIndex) -> None:
    now = datetime(2024, 3, 1, 8)
    assert [f.value for f in index.find("since yesterday", now=now) if f.kind == "time"] == ["2024-02-29"]
    assert [f for f in index.find("since yesterday") if f.kind == "time"] == []


def test_a_number_that_is_a_text_cell_is_both(one: Callable[..., FoundValue]) -> None:
    assert one("what is coded 2009", "2009", kind="number").columns == ()
    assert one("what is coded 2009", "2009", kind="cell").columns == (("film", "code"),)


@pytest.mark.parametrize("quotes", ['"{}"', "'{}'", "“{}”", "‘{}’", "「{}」", "《{}》"])
def test_quoted_strings_always_come_out(one: Callable[..., FoundValue], quotes: str) -> None:
    known = one(f"Is {quotes.format('Jaws')} good?", "Jaws", kind="quoted")
    assert known.columns == (("film", "title"),)
    assert (known.text, known.how) == ("Jaws", "exact")
    unknown = one(f"Is {quotes.format('the thing')} good?", "the thing", kind="quoted")
    assert (unknown.columns, unknown.how) == ((), "literal")


def test_each_quoted_string_is_judged_by_itself(one: Callable[..., FoundValue]) -> None:
    question = "Is 'Jaws' better than 'the thing'?"
    assert one(question, "the thing").score == one("Is 'the thing' good?", "the thing").score


def test_apostrophes_open_no_string(index: ValueIndex) -> None:
    assert not any(f.kind == "quoted" for f in index.find("What's the director's age, and the actors' names?"))


def test_codes_come_out_whole(one: Callable[..., FoundValue]) -> None:
    assert one("Which phones have an i7 or a TI-101x?", "TI-101x").kind == "text"
    assert one("有64G的手机吗", "64G", language="zh").kind == "text"


def test_schema_words_and_stop_words_are_no_cells_unless_marked(index: ValueIndex) -> None:
    low = index.find("what is the name of each film")
    assert not any(f.kind == "cell" and f.score >= 0.5 for f in low)
    assert any(f.value == "The Name" and f.kind == "quoted" for f in index.find('Who made "The Name"?'))


def test_a_longer_match_beats_what_lies_inside(index: ValueIndex) -> None:
    found = index.find("Who is at New York University?")
    assert found[0].value == "New York University"
    assert all(f.score < 0.5 for f in found[1:])


def test_digits_of_one_number_are_not_two(index: ValueIndex) -> None:
    assert [f.kind for f in index.find("schools with 18 rooms")] == ["number"]


def test_two_cells_side_by_side_make_no_text(index: ValueIndex) -> None:
    assert {f.value for f in index.find("Did they show Jaws in France?") if f.kind == "text"} == set()


def test_words_are_whole(index: ValueIndex) -> None:
    assert index.find("what jawsome things are in playtimess") == ()
    assert not any(f.value == "A" for f in index.find("what is in A320 and in AB"))


def test_the_surest_come_first_and_most_is_kept(index: ValueIndex) -> None:
    question = "Did Spielberg make Jaws, Playtime, Amélie and 3 more in France?"
    found = index.find(question)
    assert [f.score for f in found] == sorted((f.score for f in found), reverse=True)
    assert index.find(question, most=2) == found[:2]
    assert len({(f.value, f.kind) for f in found}) == len(found)


@pytest.mark.parametrize("question", ["", "   ", "?!", "'", '"', "'' \"\"", "、。", "\ud800", "a" * 5000, "ab " * 2000])
def test_odd_questions_find_nothing_wrong(index: ValueIndex, question: str) -> None:
    assert all(question[f.start : f.end] == f.text for f in index.find(question))


def test_samples_are_the_frequent_cells(index: ValueIndex) -> None:
    assert index.samples("FILM", "kind", 2) == ("Comedies", "Science fiction")
    assert index.samples("film", "year", 2) == ("1967", "1975")
    assert index.samples("film", "poster") == ()
    assert index.samples("film", "nothing") == ()


def test_few_are_all_cells_or_none(index: ValueIndex) -> None:
    assert index.few("film", "kind") == ("Comedies", "Science fiction", "Thriller")
    assert index.few("film", "kind", 2) == ()
    assert index.few("film", "year", 5) == ("1967", "1975", "2001", "2002", "2012")
    assert index.few("film", "nothing") == ()


def test_what_is_known_beside_the_database_is_found_with_what_it_holds(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "db.sqlite")) as database:
        database.executescript(
            "CREATE TABLE film (title TEXT, kind TEXT); INSERT INTO film VALUES ('Jaws', 'Thriller')"
        )
    said = [("the second shark film", "Jaws 2", 1)]
    told = ColumnCells("film", "title", cells=[("Jaws 2", 3), ("Jaws", 1)], samples=["Jaws 2"], said=said, distinct=2)
    write_index(tmp_path / "known.sqlite", "known", [told])
    schema, known = from_sqlite(tmp_path / "db.sqlite"), tmp_path / "known.sqlite"
    with ValueIndex.open(tmp_path / "db.sqlite", schema, known=known, cache=tmp_path) as index:
        found = index.find("which thriller is like the second shark film?")
        assert {(f.value, f.columns) for f in found if f.kind == "cell"} == {
            ("Jaws 2", (("film", "title"),)),
            ("Thriller", (("film", "kind"),)),
        }
        assert [f.value for f in index.find("Is Jaws good?") if f.kind == "cell"] == ["Jaws"]  # of both, once
        assert index.samples("film", "title") == ("Jaws",)  # the database's first
    with ValueIndex.open(None, schema, known=known) as index:
        assert index.find("any thriller?") == ()
        assert index.samples("film", "title") == ("Jaws 2",)
    with ValueIndex.open(None, schema) as index:
        assert [f.value for f in index.find("films of 1975")] == ["1975"]
