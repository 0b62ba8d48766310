"""Comparisons written as columns mean them: what the network writes, what the query says, and that it always runs."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import databases
import numpy as np
import pytest
from cases import cases
from sql_pairs import script

from querent.data.databases.database import Database
from querent.data.databases.schema_readers import read_schema
from querent.data.schema.schema import Column, Schema, Table
from querent.grammar import EOS, Constraint
from querent.meaning.profile import ColumnProfile, DatabaseProfile, FlagCells, NumberText, TimeStorage
from querent.ner.index import FoundValue
from querent.ner.language.question import QuestionText
from querent.ner.spans.periods import TimeSpan
from querent.parser.decoding.expansions.column_meanings import interval_of
from querent.parser.decoding.expansions.query_state import AnyState, QueryState
from querent.parser.decoding.parsing import SearchStart
from querent.parser.normal_form import ShortConstraint
from querent.parser.reader.context import DatabaseContext
from querent.parser.reader.formula_items import offered
from querent.parser.reader.question import QuestionWords, ValueNode
from querent.parser.reader.virtual_columns import virtual_columns

PROFILE = DatabaseProfile(
    {
        ("loan", "taken"): ColumnProfile("time", time=TimeStorage("iso", "day", True)),
        ("loan", "due_dmy"): ColumnProfile("time", time=TimeStorage("day first", "day", True, "/")),
        ("loan", "seen"): ColumnProfile("time", time=TimeStorage("unix", "second", False)),
        ("loan", "back"): ColumnProfile("time", time=TimeStorage("iso", "day", True), nulls=2),
        ("loan", "vip"): ColumnProfile("flag", flag=FlagCells("Y", "N", "text")),
        ("loan", "id"): ColumnProfile("key"),
        ("loan", "reader"): ColumnProfile("name"),
        ("loan", "fine"): ColumnProfile("amount", number=NumberText(("$", ","), nothing=("n/a",))),
    }
)

MAY = TimeSpan(0, 8, "May 2023", datetime(2023, 5, 1), datetime(2023, 6, 1), "month")
YEAR = TimeSpan(0, 4, "2024", datetime(2024, 1, 1), datetime(2025, 1, 1), "year")
DECEMBER = TimeSpan(0, 8, "December", None, None, "month", part="month", numbers=(12,))


def said(
    value: str, span: TimeSpan | None = None, yes: bool | None = None, columns: tuple[str, ...] = ()
) -> FoundValue:
    kind = "number" if value.isdigit() else "time" if span else "cell"
    places = tuple(("loan", column) for column in columns)
    return FoundValue(0, 4, value, value, kind, "literal", places, 0.9, span=span, yes=yes)


SAID = (
    said("2023-05", MAY),
    said("2024", YEAR),
    said("-12-", DECEMBER),
    said("vip", yes=True, columns=("vip",)),
    said("back", yes=True, columns=("back",)),
    said("500"),
    said("$80", columns=("fine",)),
)


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return databases.create(tmp_path_factory.mktemp("meanings") / "loans.sqlite", script("loans"))


@pytest.fixture(scope="module")
def opened(database: Path) -> Iterator[Database]:
    """Return the database, open: each one has a process of its own."""
    with Database.open(str(database), timeout=20) as one:
        yield one


@pytest.fixture(scope="module")
def start(database: Path) -> Any:
    """Return where queries of any question on it start."""
    return started(read_schema(str(database)))


def started(
    schema: Schema,
    dialect: str = "sqlite",
    profile: DatabaseProfile = PROFILE,
    question: str = "",
    values: Sequence[FoundValue] = SAID,
) -> Any:
    """Return where queries of a question start, all words of the vocabulary at hand."""
    context = DatabaseContext.of(schema, None, dialect=dialect, language="en", profile=profile)
    nodes = tuple(ValueNode(value, 0, 1, 9) for value in values)
    words = QuestionWords(QuestionText(question or "q"), ("q",), (), (), nodes)
    items = offered(context, (), virtual=virtual_columns(context, QuestionText(question), (), ()))
    own = context if items is None else items.context
    filled = {f"text{i}" for i in range(len(values))} | {"number1", "number5", "number7"}
    words_of = enumerate(own.vocabulary.words)
    beyond = [i for i, one in words_of if (one.slot and one.slot not in filled) or one.text == "ESCAPE"]
    places = np.zeros(len(own.vocabulary), np.int64)
    places[beyond] = -1  # no value is read there; no network writes ESCAPE
    return SearchStart(ShortConstraint(Constraint(context.vocabulary)), context, words, places, items)


def written(start: SearchStart, text: str) -> str | None:
    """Return the query that a text of words stands for, None where the constraint refuses one of them."""
    vocabulary = (start.context if start.extended is None else start.extended.context).vocabulary.words
    state = start.state()
    for word in text.split(" "):
        ids = [i for i, one in enumerate(vocabulary) if one.text.replace(" ", "_") == word and state.allowed()[i]]
        if not ids:
            return None
        state = state.advance(ids[0])
    return filled(start.constraint.vocabulary.decode(state.sql_words), start.slots)


def filled(sql: str, slots: dict[str, str]) -> str:
    return re.sub(r"\{(\w+)\}", lambda match: slots[match[1]].replace("'", "''"), sql)


@pytest.mark.parametrize("case", cases(Path(__file__).with_name("meaning_words.toml")))
def test_what_words_mean_has_the_rows(start: Any, opened: Database, case: dict[str, Any]) -> None:
    """Intervals for times, cells for flags, numbers for texts that hold them; also behind AND and NOT."""
    whole, condition = case["name"].startswith("SELECT"), case["name"]
    sql = written(start, condition if whole else f"SELECT loan.id FROM loan WHERE loan.{condition}")
    assert (sql is not None) == ("rows" in case)
    if sql is None:
        return
    rows = [list(row) if whole else row[0] for row in opened.query(sql).rows]
    assert rows == case["rows"], sql
    denied = None if whole else written(start, f"SELECT loan.id FROM loan WHERE loan.id > 0 AND NOT loan.{condition}")
    if denied is not None and not any(sign in condition for sign in (" NOT", "<>", "back", "loan.")):
        unknown = {3} if "fine" in condition and "IS" not in condition and "text" not in condition else set[int]()
        assert {row[0] for row in opened.query(denied).rows} == {1, 2, 3, 4} - {*rows} - unknown, denied


def test_parts_of_times_are_columns(database: Path) -> None:
    """Called as the question calls them; a period is compared with the time itself."""
    start = started(read_schema(str(database)), question="loans per month")
    by_month = written(start, "SELECT loan.month , COUNT ( * ) FROM loan GROUP BY loan.month")
    assert written(start, "SELECT COUNT ( * ) FROM loan WHERE loan.\"seen_month\" = '{text0}'") is None
    assert by_month is not None
    with Database.open(str(database)) as opened:
        assert [tuple(row) for row in opened.query(by_month).rows] == [
            ("2023-05", 1), ("2023-11", 1), ("2024-02", 1), ("2024-06", 1)
        ]  # fmt: skip


def test_a_share_lies_between_two_numbers(database: Path) -> None:
    share = ColumnProfile("amount", number=NumberText(("%",)))
    profile = DatabaseProfile({**PROFILE.columns, ("loan", "fine"): share})
    percent = FoundValue(0, 2, "3%", "0.03", "number", "literal", (), 0.9)
    start = started(read_schema(str(database)), profile=profile, values=(*SAID, percent))
    between = "SELECT loan.id FROM loan WHERE loan.fine BETWEEN {number7} AND"
    assert "BETWEEN 3 AND 3" in str(written(start, f"{between} {{number7}}"))
    assert written(start, f"{between} '{{text0}}'") is None


def test_which_one_is_refused_where_no_slot_is_left_for_it(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So many rows would not be it."""
    last = FoundValue(0, 4, "37th", "37", "number", "literal", (), 0.9, ordinal=True)
    text = "SELECT loan.id FROM loan ORDER BY loan.taken DESC LIMIT"
    given: dict[str, Any] = {"profile": DatabaseProfile(), "values": (*SAID, last)}
    start = started(read_schema(str(database)), **given)
    assert str(written(start, f"{text} {{number7}}")).endswith("LIMIT 1 OFFSET 36")
    monkeypatch.setattr(DatabaseContext, "max_slots", 0)
    start = started(read_schema(str(database)), **given)
    assert written(start, f"{text} {{number7}}") is None
    assert written(start, f"{text} 1") is not None


def test_the_third_is_not_three(database: Path) -> None:
    third = FoundValue(0, 5, "third", "3", "number", "literal", (), 0.9, ordinal=True)
    text = "SELECT loan.id FROM loan ORDER BY loan.taken DESC LIMIT {number7}"
    one, three = (
        written(started(read_schema(str(database)), values=(*SAID, value)), text)
        for value in (third, replace(third, ordinal=False))
    )
    assert one is not None and three is not None
    with Database.open(str(database)) as opened:
        assert [row[0] for row in opened.query(one).rows] == [2]
        assert [row[0] for row in opened.query(three).rows] == [4, 3, 2]


def test_a_value_of_another_column_stays_as_it_is(database: Path) -> None:
    """A name that is the year 2024 is no interval, and a flag's name is no cell of other columns."""
    start = started(read_schema(str(database)))
    assert written(start, "SELECT loan.id FROM loan WHERE loan.reader = '{text1}'") == (
        "SELECT loan.id FROM loan WHERE loan.reader = '2024'"
    )


@pytest.mark.parametrize("dialect, type_", [("mysql", "DATETIME"), ("postgres", "timestamp"), ("postgres", "date")])
def test_native_times_are_ranges(dialect: str, type_: str) -> None:
    """Written so that an index serves."""
    schema = Schema((Table("loan", (Column("id", "int"), Column("taken", type_)), ("id",)),))
    held = {("loan", "taken"): ColumnProfile("time", time=TimeStorage("native", "second", False))}
    start = started(schema, dialect, DatabaseProfile(held))
    like = written(start, "SELECT loan.id FROM loan WHERE loan.taken LIKE '{text0}%'")
    sql = written(start, "SELECT loan.id FROM loan WHERE loan.taken = '{text0}'")
    assert sql == like == "SELECT loan.id FROM loan WHERE loan.taken >= '2023-05-01' AND loan.taken < '2023-06-01'"


def test_the_words_beside_a_span_say_its_side() -> None:
    """«since 2024» begins with it whichever sign is written, «the last 30 days» are never gone past."""
    since, recent = replace(YEAR, bound="since"), replace(YEAR, relative=True)
    assert interval_of(since, ">") == interval_of(since, "=") == (YEAR.start, None)
    assert interval_of(since, "<") == (None, YEAR.start)
    assert interval_of(recent, ">") == (YEAR.start, YEAR.end)
    assert interval_of(YEAR, ">") == (YEAR.end, None)


def asked_alone(state: AnyState, rng: np.random.Generator) -> None:
    """Each word is admitted alone as the mask of all admits it."""
    assert isinstance(state, QueryState)
    mask = state.allowed()
    for word in {*state.ways, *rng.choice(len(mask), 3).tolist()}:
        fresh = QueryState(state.layer, state.beneath, state.back, state.word, state.due)
        assert fresh.admits(word) == mask[word], word


def test_random_queries_run(database: Path) -> None:
    """Whatever the weights say: words drawn at random, values and columns of a meaning often."""
    start = started(read_schema(str(database)), question="how old, loans per month and quarter, days between")
    size = len(start.places)
    rng, often, compared = np.random.default_rng(48), set[int](), 0
    state = start.state()
    meanings = start.meanings
    assert meanings is not None
    often = {*meanings.value_of, *meanings.forms, *range(len(start.constraint.vocabulary), size)}
    with Database.open(str(database), timeout=20) as opened:
        for _ in range(4):
            state = start.state()
            while True:
                allowed = np.flatnonzero(state.allowed() & (start.places >= 0))
                assert len(allowed), start.constraint.vocabulary.decode(state.sql_words)
                if len(state.sql_words) % 3 == 0:
                    asked_alone(state, rng)
                liked = [i for i in allowed.tolist() if i in often]
                word = int(rng.choice(liked if liked and rng.random() < 0.5 else allowed))
                state = state.advance(word)
                if word == EOS:
                    break
            sql = filled(start.constraint.vocabulary.decode(state.sql_words), start.slots)
            opened.query(sql)
            compared += "2023" in sql or "CAST" in sql
    assert compared > 1
