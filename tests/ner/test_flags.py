"""Flags that questions name, in both languages, with their opposites."""

import tomllib
from pathlib import Path

import pytest

from querent.data.schema.schema import Column, Schema, Table
from querent.meaning.profile import ColumnProfile, DatabaseProfile, FlagCells, TimeStorage
from querent.ner.flags import FlagNames
from querent.ner.language.question import QuestionText

CASES = tomllib.loads(Path(__file__).with_name("questions.toml").read_text("utf-8"))

FLAG = ColumnProfile("flag", flag=FlagCells("1", "0", "number"))
MAYBE = ColumnProfile("amount", flag=FlagCells("1", "0", "number"))
SOMETIMES = ColumnProfile("time", time=TimeStorage("iso", "day", True), nulls=3)
ALWAYS = ColumnProfile("time", time=TimeStorage("iso", "day", True))
COLUMNS = {
    "is_active": FLAG, "has_garden_view": FLAG, "scored": MAYBE, "paid_day": SOMETIMES, "handed_over_at": SOMETIMES,
    "created_at": ALWAYS, "是否支持退货": FLAG, "是否打折": FLAG, "已认证": FLAG, "离职日期": SOMETIMES,
}  # fmt: skip


@pytest.fixture(scope="module")
def flags() -> FlagNames:
    schema = Schema((Table("t", tuple(Column(name, "TEXT") for name in COLUMNS)),))
    return FlagNames(schema, DatabaseProfile({("t", name): profile for name, profile in COLUMNS.items()}))


@pytest.mark.parametrize("question, text, column, yes", CASES["a_flag_is_named"])
def test_a_flag_is_named(flags: FlagNames, question: str, text: str, column: str, yes: bool) -> None:
    (found,) = flags.find(QuestionText(question))
    assert (found.text, found.yes, found.columns) == (text, yes, (("t", column),))
    assert question[found.start : found.end] == text


@pytest.mark.parametrize("question", ["wells created in May", "how many are there?", "卖货的有哪些", "garden chairs"])
def test_other_words_name_none(flags: FlagNames, question: str) -> None:
    assert flags.find(QuestionText(question)) == []


def test_a_flag_is_surer_than_what_may_be_an_amount_or_a_time(flags: FlagNames) -> None:
    sure, maybe, time = (flags.find(QuestionText(question))[0].score for question in ("active", "scored", "paid"))
    assert sure > maybe > time
