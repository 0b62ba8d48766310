"""Numbers and codes that a question says by itself, and values that somebody takes for unknown."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from querent.data.databases.schema_readers import from_ddl
from querent.data.values.literals import find
from querent.ner.cells.building import write_index
from querent.ner.cells.cells import ColumnCells
from querent.ner.index import ValueIndex
from querent.ner.language.question import QuestionText

CASES = tomllib.loads(Path(__file__).with_name("questions.toml").read_text("utf-8"))

SCHEMA = from_ddl("CREATE TABLE visit (clinic TEXT, doctor TEXT);", "sqlite", name="visits")


def said(question: str, kind: str, language: str = "zh") -> set[str]:
    """Return the values of one kind that are found without any database."""
    with ValueIndex.open(None, SCHEMA) as index:
        return {value.value for value in index.find(QuestionText(question, language)) if value.kind == kind}


@pytest.mark.parametrize(("question", "values"), CASES["digits_and_units_by_turns_are_one_number"])
def test_digits_and_units_by_turns_are_one_number(question: str, values: list[str]) -> None:
    assert [mention.sql for mention in find(question)] == values


def test_an_amount_is_no_other_number() -> None:
    assert said("薪资少于5万8千元的", "number") == {"58000"}
    assert said("营业额超过220万亿的", "number") == {"220000000000000"}
    assert "1万" not in said("售价1万5的", "text")


def test_kilometres_may_be_stored_in_metres() -> None:
    assert said("不超过50公里的", "number") == {"50", "50000"}
    assert said("大于2万平方千米的", "number") == {"20000", "20000000000"}
    assert said("不超过50千克的", "number") == {"50"}


@pytest.mark.parametrize(("question", "code"), CASES["codes_come_out_as_they_are_written"])
def test_codes_come_out_as_they_are_written(question: str, code: str) -> None:
    assert code in said(question, "text")


def test_a_number_stays_beside_its_code() -> None:
    assert said("医院0655890的患者", "number") == {"655890"}


@pytest.mark.parametrize("question", ["2010-2015年", "2019-03-01的", "0.05以上", "有05个"])
def test_ranges_times_and_decimals_are_no_codes(question: str) -> None:
    assert not {value for value in said(question, "text") if value[:1].isdigit() and not value.endswith("年")}


def test_a_date_is_not_counted_piece_by_piece() -> None:
    assert said("2018年11月20日之前", "time") == {"2018-11-20"}
    assert not {"2018年", "11月", "20日"} & said("2018年11月20日之前", "text")
    assert "170厘米" in said("身高170厘米的", "text")


def test_values_may_be_taken_for_unknown(tmp_path: Path) -> None:
    cells = [("眼科", 1), ("王晓明", 1)]
    held = ColumnCells("visit", "doctor", cells=cells, said=[("小王", "王晓明", 1)], distinct=2)
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


@pytest.mark.parametrize(
    ("question", "language", "ordinals"),
    [
        ("the third highest wage", "en", {"3"}),
        ("who is the 2nd oldest of the 4 members?", "en", {"2"}),
        ("the second most expensive wine", "en", {"2"}),
        ("the three highest wages", "en", set()),
        ("工资第三高的5名员工", "zh", {"3"}),
        ("前三名", "zh", set()),
        ("第 3 高的工资", "zh", {"3"}),
        ("of the 3rd district, the 3 best paid", "en", set()),
        ("第3分店的前3名", "zh", set()),
        ("the 5 best paid of the 3rd district", "en", {"3"}),
        ("who joined on the 5th of May?", "en", set()),
    ],
)
def test_which_one_is_not_how_many(question: str, language: str, ordinals: set[str]) -> None:
    with ValueIndex.open(None, SCHEMA) as index:
        found = index.find(QuestionText(question, language))
    assert {value.value for value in found if value.ordinal} == ordinals
