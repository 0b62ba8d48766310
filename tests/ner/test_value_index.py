"""Which cells, numbers and strings the value index finds in questions, those of values.toml among them."""

import tomllib
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest

from querent.data.databases.schema_readers import from_ddl
from querent.data.values.literals import find
from querent.ner.cells.building import write_index
from querent.ner.cells.cells import ColumnCells
from querent.ner.index import FoundValue, ValueIndex
from querent.ner.language.question import QuestionText
from querent.ner.language.words import stem
from querent.ner.masking import ValueMask

QUESTIONS = tomllib.loads(Path(__file__).with_name("questions.toml").read_text("utf-8"))
VALUES = tomllib.loads(Path(__file__).with_name("values.toml").read_text("utf-8"))
DATABASES = VALUES.pop("databases")
CASES = [(name, code, one) for name, told in VALUES.items() for code, several in told.items() for one in several]
SCHEMA = from_ddl("CREATE TABLE visit (clinic TEXT, doctor TEXT);", "sqlite", name="visits")


@pytest.fixture(scope="module")
def index_of(indexed: Callable[[str], ValueIndex]) -> Callable[[str], ValueIndex]:
    opened = {name: indexed(script) for name, script in DATABASES.items()}
    return {**opened, "nothing": ValueIndex.open(None, SCHEMA)}.__getitem__


@pytest.fixture
def index(index_of: Callable[[str], ValueIndex]) -> ValueIndex:
    return index_of("films")


def line(one: FoundValue) -> str:
    columns = " ".join(".".join(place) for place in one.columns)
    parts = (one.kind, one.how, f"«{one.text}»", one.value, columns, "which one" * one.ordinal)
    return " ".join(part for part in parts if part)


@pytest.mark.parametrize(("database", "language", "question"), CASES)
def test_values(index_of: Callable[[str], ValueIndex], database: str, language: str, question: str) -> None:
    found = index_of(database).find(QuestionText(question, language))
    assert all(question[one.start : one.end] == one.text for one in found)
    lines = [line(one) for one in found]
    for wanted in VALUES[database][language][question]:
        if wanted.startswith("no "):
            assert not any(one.startswith(wanted.removeprefix("no ")) for one in lines), lines
        else:
            assert wanted in lines


@pytest.mark.parametrize(("question", "values"), QUESTIONS["digits_and_units_by_turns_are_one_number"])
def test_digits_and_units_by_turns_are_one_number(question: str, values: list[str]) -> None:
    assert [mention.sql for mention in find(question)] == values


@pytest.mark.parametrize(("words", "stems"), QUESTIONS["stems"])
def test_stems(words: str, stems: str) -> None:
    assert " ".join(map(stem, words.split())) == stems


@pytest.mark.parametrize(("question", "language", "masked"), QUESTIONS["each_value_has_a_mask_and_the_rest_stays"])
def test_each_value_has_a_mask_and_the_rest_stays(
    index_of: Callable[[str], ValueIndex], question: str, language: str, masked: str
) -> None:
    assert ValueMask(index_of("books"), language)(question) == masked


def test_yesterday_is_a_time_once_somebody_tells_the_time(index: ValueIndex) -> None:
    now = datetime(2024, 3, 1, 8)
    assert [f.value for f in index.find("since yesterday", now=now) if f.kind == "time"] == ["2024-02-29"]
    assert [f for f in index.find("since yesterday") if f.kind == "time"] == []


def test_schema_words_and_stop_words_are_no_cells_unless_marked(index: ValueIndex) -> None:
    assert not any(f.kind == "cell" and f.score >= 0.5 for f in index.find("what is the name of each film"))


def test_the_surest_come_first_and_most_is_kept(index: ValueIndex) -> None:
    question = "Did Spielberg make Jaws, Playtime, Amélie and 3 more in France?"
    found = index.find(question)
    assert [f.score for f in found] == sorted((f.score for f in found), reverse=True)
    assert index.find(question, most=2) == found[:2]
    assert len({(f.value, f.kind) for f in found}) == len(found)
    longest, *inside = index.find("Who is at New York University?")
    assert longest.value == "New York University" and all(f.score < 0.5 for f in inside)


@pytest.mark.parametrize("question", ["", "   ", "?!", "'", '"', "'' \"\"", "、。", "\ud800", "a" * 5000, "ab " * 2000])
def test_odd_questions_find_nothing_wrong(index: ValueIndex, question: str) -> None:
    assert all(question[f.start : f.end] == f.text for f in index.find(question))


def test_samples_are_the_frequent_cells_and_few_are_all_or_none(index: ValueIndex) -> None:
    assert index.samples("FILM", "kind", 2) == ("Comedies", "Science fiction")
    assert index.samples("film", "year", 2) == ("1967", "1975")
    assert index.samples("film", "poster") == index.samples("film", "nothing") == index.few("film", "nothing") == ()
    assert index.few("film", "kind") == ("Comedies", "Science fiction", "Thriller")
    assert index.few("film", "kind", 2) == ()
    assert index.few("film", "year", 5) == ("1967", "1975", "2001", "2002", "2012")


def test_what_is_known_beside_the_database_is_found_with_what_it_holds(
    indexed: Callable[..., ValueIndex], tmp_path: Path
) -> None:
    synonyms = [("the second shark film", "Jaws 2", 1)]
    told = ColumnCells(
        "film", "title", cells=[("Jaws 2", 3), ("Jaws", 1)], samples=["Jaws 2"], synonyms=synonyms, distinct=2
    )
    known = tmp_path / "known.sqlite"
    write_index(known, "known", [told])
    script = "CREATE TABLE film (title TEXT, kind TEXT); INSERT INTO film VALUES ('Jaws', 'Thriller')"
    index = indexed(script, known=known)
    found = index.find("which thriller is like the second shark film?")
    cells = {(f.value, f.columns) for f in found if f.kind == "cell"}
    assert cells == {("Jaws 2", (("film", "title"),)), ("Thriller", (("film", "kind"),))}
    assert [f.value for f in index.find("Is Jaws good?") if f.kind == "cell"] == ["Jaws"]  # of both, once
    assert index.samples("film", "title") == ("Jaws",)  # the database's first
    with ValueIndex.open(None, from_ddl(script.partition(";")[0], "sqlite"), known=known) as alone:
        assert alone.find("any thriller?") == ()
        assert alone.samples("film", "title") == ("Jaws 2",)


def test_values_may_be_taken_for_unknown(tmp_path: Path) -> None:
    cells = [("眼科", 1), ("王晓明", 1)]
    held = ColumnCells("visit", "doctor", cells=cells, synonyms=[("小王", "王晓明", 1)], distinct=2)
    write_index(tmp_path / "known.sqlite", "known", [held])
    with ValueIndex.open(None, SCHEMA, known=tmp_path / "known.sqlite") as index:

        def cells_of(question: str, *without: tuple[str, str]) -> set[str]:
            values = index.find(QuestionText(question, "zh"), without=without)
            return {value.value for value in values if value.kind == "cell"}

        assert cells_of("医生王晓明在眼科") == {"王晓明", "眼科"}
        assert cells_of("医生王晓明在眼科", ("王晓明", "王晓明")) == {"眼科"}
        assert cells_of("小王在哪里", ("王晓明", "王晓明")) == {"王晓明"}  # known by another name
        assert cells_of("小王在哪里", ("小王", "王晓明")) == set()
        assert cells_of("晓明在哪里") == {"王晓明"}
        assert cells_of("晓明在哪里", ("王晓明", "王晓明")) == set()  # nor by a part of it
        told = {"without": [("王晓明", "王晓明")], "mentions": [(2, 5)]}
        unknown = index.find(QuestionText("医生王晓明在眼科", "zh"), **told)
        assert "王晓明" in {value.value for value in unknown if value.kind == "text"}  # nothing hides what is said


@pytest.mark.parametrize(
    ("question", "mentions", "texts"),
    [
        ("visits of Ann Lee", [(10, 17)], {"Ann Lee"}),
        ("visits of 'Ann Lee'", [(11, 18)], set()),  # quotes say it
        ("visits in 2019", [(10, 14)], set()),  # a number says itself
        ("visits of Ann and Bo", [(10, 13), (18, 20)], {"Ann", "Bo"}),
        ("", [], set()),
    ],
)
def test_what_is_said_stands_for_itself(question: str, mentions: list[tuple[int, int]], texts: set[str]) -> None:
    with ValueIndex.open(None, SCHEMA) as index:
        found = index.find(question, mentions=mentions)
    assert {value.value for value in found if value.kind == "text"} == texts
