"""Cells that Chinese questions say in other words, or by their first half."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from querent.ner.index import FoundValue, ValueIndex
from querent.ner.language.question import QuestionText

SCRIPT = """
CREATE TABLE 商店 (名称 TEXT, 品牌 TEXT, 性别 TEXT, 国家 TEXT, 集团 TEXT, 是否支持退货 TEXT, 是否打折 TEXT,
    是否营业 INTEGER);
INSERT INTO 商店 VALUES
    ('一号店', '甲乙', 'F', 'France', '蓝天集团', '是', '是', 1),
    ('二号店', '丙丁', 'M', 'Japan', '大地公司', '否', '否', 0);
"""


@pytest.fixture(scope="module")
def index(indexed: Callable[[str], ValueIndex]) -> ValueIndex:
    return indexed(SCRIPT)


def found(index: ValueIndex, question: str) -> dict[str, FoundValue]:
    """Return what is found, by value; each says where it stands."""
    values = index.find(QuestionText(question, "zh"))
    assert all(question[value.start : value.end] == value.text for value in values)
    return {value.value: value for value in values}


@pytest.mark.parametrize(
    ("question", "value"), [("有多少女顾客", "F"), ("来自法国的有哪些", "France"), ("有哪些男士", "M")]
)
def test_cells_in_english_are_meant_by_chinese_words(index: ValueIndex, question: str, value: str) -> None:
    assert found(index, question)[value].how == "meaning"


def test_the_first_half_of_a_cell_says_it(index: ValueIndex) -> None:
    assert found(index, "蓝天有哪些")["蓝天集团"].how == "part"
    assert "大地公司" not in found(index, "哪些公司开门")
