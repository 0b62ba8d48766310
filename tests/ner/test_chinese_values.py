"""Values that Chinese questions name although no cell holds them: pieces, people, fragments; and cells that say yes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from querent.ner.index import FoundValue, ValueIndex
from querent.ner.matching.people import people

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
    values = index.find(question, language="zh")
    assert all(question[value.start : value.end] == value.text for value in values)
    return {value.value: value for value in values}


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("订单12345中盐酸片的价格", "盐酸片"),  # 中 stands behind the number
        ("在2019-03-01内红茶的销量", "红茶"),
        ("2019年西湖区有多少家", "西湖区"),
        ("有5个马拉松在哪里", "马拉松"),
        ("2018年中国队在哪里", "中国队"),  # 中 begins the name
        ("谁发现止痛片(薄膜衣)的", "止痛片(薄膜衣)"),
        ("谁发现情感[心境]障碍的", "情感[心境]障碍"),
        ("谁发现复合维生素B12片的", "复合维生素B12片"),
        ("谁写了傲慢与偏见的书评", "傲慢与偏见"),
        ("奔跑吧兄弟是什么", "奔跑吧兄弟"),
        ("像釜山行就是这样", "釜山行"),
        ("诊断为肺炎的有多少", "肺炎"),
        ("海尔品牌的有哪些", "海尔"),  # 品牌 is a column
    ],
)
def test_a_piece_is_the_name_alone(index: ValueIndex, question: str, value: str) -> None:
    assert found(index, question)[value].kind == "text"


def test_words_of_the_schema_are_no_pieces(index: ValueIndex) -> None:
    assert not {"品牌", "退货", "支持退货"} & {v for v, f in found(index, "有退货的品牌").items() if f.kind == "text"}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("患者王小明住院", ["王小明"]),
        ("演员李雷在哪里", ["李雷"]),  # where the next word begins
        ("歌手欧阳娜娜唱歌", ["欧阳娜娜"]),
        ("参保人赵敏和患者钱多多", ["赵敏", "钱多多"]),
        ("患者数量", []),
        ("人民文学", []),  # 人民 is no word for one person
        ("患者高", []),
    ],
)
def test_a_person_stands_behind_what_people_are(text: str, names: list[str]) -> None:
    ends = frozenset(text.index(word) for word in ("在", "和") if word in text) | {len(text)}
    assert [text[start:end] for start, end in people(text, ends)] == names


def test_a_person_comes_out_without_the_word_before(index: ValueIndex) -> None:
    values = found(index, "患者王小明在哪里")
    assert "王小明" in values
    assert "患者王小明" not in values


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("姓王的有谁", "王"),
        ("哪位医生姓欧阳", "欧阳"),
        ("名称包含茶的有哪些", "茶"),
        ("名称不包含蓝的有哪些", "蓝"),
        ("以华东开头的有哪些", "华东"),
        ("丽字结尾的有哪些", "丽"),
        ("哪些的名称开头是AB", "AB"),
    ],
)
def test_fragments_of_names_come_out(index: ValueIndex, question: str, value: str) -> None:
    assert found(index, question)[value].kind == "text"


@pytest.mark.parametrize("question", ["他们的姓名是什么", "有什么姓氏", "“姓王的”是什么"])
def test_other_words_with_the_sign_are_no_fragments(index: ValueIndex, question: str) -> None:
    assert not {"名", "氏", "王"} & found(index, question).keys()


@pytest.mark.parametrize(
    ("question", "value"), [("有多少女顾客", "F"), ("来自法国的有哪些", "France"), ("有哪些男士", "M")]
)
def test_cells_in_english_are_meant_by_chinese_words(index: ValueIndex, question: str, value: str) -> None:
    assert found(index, question)[value].how == "meaning"


def test_the_first_half_of_a_cell_says_it(index: ValueIndex) -> None:
    assert found(index, "蓝天有哪些")["蓝天集团"].how == "part"
    assert "大地公司" not in found(index, "哪些公司开门")
