"""Numbers and times in questions."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from querent.data.values.literals import find, readings
from querent.data.values.numerals import chinese_number, english_number, plain, value_of


def said(question: str, **options: str) -> list[tuple[str, str]]:
    return [(m.text, m.sql) for m in find(question, **options)]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("患者78591362之前做了哪些检查？", [("78591362", "78591362")]),
        ("医疗机构0655890的总金额", [("0655890", "655890")]),
        ("超过5876.89元，低于1,500", [("5876.89", "5876.89"), ("1,500", "1500")]),
        ("price is $3.50, ok.", [("3.50", "3.5")]),
        ("使用次数top20的项目", [("20", "20")]),
        ("手术量排名前24的科室", [("24", "24")]),
        ("１２个 ３０％", [("１２", "12"), ("３０％", "0.3")]),
        ("温度低于-5度", [("-5", "-5")]),
        ("温度零下5度", [("零下5", "-5")]),
        ("5km and 350.5°C, the 21st", [("5", "5"), ("350.5", "350.5"), ("21", "21")]),
        ("between 10-20 and 2012-2013", [("10", "10"), ("20", "20"), ("2012", "2012"), ("2013", "2013")]),
        ("3万元，1.5亿，2.5 million", [("3万", "30000"), ("1.5亿", "150000000"), ("2.5 million", "2500000")]),
        ("5千克", [("5", "5")]),
    ],
)
def test_digits(question: str, expected: list[tuple[str, str]]) -> None:
    assert said(question) == expected


@pytest.mark.parametrize(
    "question",
    [
        "tag TI-101 and t_kc21",
        "药品5524-r的开药量",
        "因疾病H52.059住院",
        "version 1.2.3",
        "call 555-1234-99",
        "A320 flights",
        "编号766780283-e",
    ],
)
def test_identifiers_hold_no_number(question: str) -> None:
    assert find(question) == []


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("30% of them", "0.3"),
        ("百分之三十", "0.3"),
        ("百分之12.5", "0.125"),
        ("三分之一", "0.333333"),
        ("三成以上", "0.3"),
        ("超过一半的", "0.5"),
        ("half of the cities", "0.5"),
        ("two percent", "0.02"),
    ],
)
def test_shares(question: str, expected: str) -> None:
    assert [m.sql for m in find(question)] == [expected]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("两千三百个", "2300"),
        ("大于三十五岁", "35"),
        ("前三名", "3"),
        ("排名第一的", "1"),
        ("自付比例低于零点八八的", "0.88"),
        ("过去2小时", "2"),
        ("twenty five flights", "25"),
        ("two hundred and five", "205"),
        ("the top three", "3"),
        ("at least one stop", "1"),
        ("the third largest city", "3"),
        ("17年住院次数", "2017"),
        ("一七年", "2017"),
        ("近17年内", "17"),
    ],
)
def test_number_words(question: str, expected: str) -> None:
    assert [m.sql for m in find(question)] == [expected]


@pytest.mark.parametrize(
    "question",
    [
        "no one",
        "which one is it",
        "one way",
        "看一下",
        "一共一样一起",
        "三目录",
        "五官科",
        "万古霉素",
        "几十",
        "二三十个",
        "昨天",
        "last week",
        "may i",
        "有一点",
    ],
)
def test_words_that_are_no_numbers(question: str) -> None:
    assert find(question) == []


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("13年8月12日", "2013-08-12"),
        ("一三年八月十二日", "2013-08-12"),
        ("二0一五年七月二十四日", "2015-07-24"),
        ("二零零八年九月六号", "2008-09-06"),
        ("两千零二年一月七日", "2002-01-07"),
        ("98年1月2日", "1998-01-02"),
        ("2013年8月", "2013-08"),
        ("8月12日", "08-12"),
        ("2013年\u30008月12日", "2013-08-12"),
        ("2013-08-12", "2013-08-12"),
        ("2013/8/12", "2013-08-12"),
        ("8/12/2013", "2013-08-12"),
        ("08-12-2013", "2013-08-12"),
        ("25/12/2013", "2013-12-25"),
        ("12 August 2013", "2013-08-12"),
        ("August 12th, 2013", "2013-08-12"),
        ("june twenty second 1991", "1991-06-22"),
        ("2013-08-12 08:30", "2013-08-12 08:30:00"),
        ("2013-08-12T08:30:15", "2013-08-12 08:30:15"),
        ("13年8月12日8点半", "2013-08-12 08:30:00"),
        ("08:30", "08:30"),
        ("8点半", "08:30"),
        ("8点15分", "08:15"),
        ("下午3点", "15:00"),
        ("星期三下午3点", "15:00"),
        ("at 5 pm", "17:00"),
        ("at noon", "12:00"),
    ],
)
def test_times(question: str, expected: str) -> None:
    assert [(m.sql, m.type, m.literal) for m in find(question)] == [(expected, "time", "string")]


def test_no_such_day_is_no_time() -> None:
    assert all(m.type == "number" for m in find("2013年2月30日 and 99:99"))


def test_a_date_takes_the_year_of_the_one_before() -> None:
    assert [m.sql for m in find("从零七年三月十六号到四月二十八这段时间")] == ["2007-03-16", "2007-04-28"]


def test_day_first_outside_english_and_chinese() -> None:
    assert said("08/12/2013", language="de") == [("08/12/2013", "2013-12-08")]


@pytest.mark.parametrize(
    ("text", "forms"),
    [
        ("30%", ("0.3", "30")),
        ("百分之三十", ("0.3", "30")),
        ("3万", ("30000", "3")),
        ("007", ("7", "007")),
        ("17", ("17", "2017")),
        ("13年8月12日", ("2013-08-12", "2013-08-12 00:00:00")),
        ("5pm", ("17:00", "17:00:00", "1700")),
        ("TI-101", ()),
    ],
)
def test_readings(text: str, forms: tuple[str, ...]) -> None:
    assert readings(text) == forms


@given(st.integers(0, 10**12 - 1))
@example(500_001)
@example(10**8 + 1)
def test_chinese_numerals_read_back(number: int) -> None:
    assert chinese_number(in_chinese(number)) == number


def in_chinese(number: int) -> str:
    """Write a number in Chinese, the plain way."""
    if number == 0:
        return "零"
    parts: list[str] = []
    for scale, name in ((10**8, "亿"), (10**4, "万"), (1, "")):
        group = number // scale % 10**4
        if group == 0:
            if parts:
                parts.append("零")
            continue
        digits = ""
        for unit, sign in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
            digit = group // unit % 10
            digits += "零一二三四五六七八九"[digit] + (sign if digit else "")
        digits = digits.rstrip("零") if parts else digits.strip("零")
        while "零零" in digits:
            digits = digits.replace("零零", "零")
        parts.append(digits + name)
    text = "".join(parts).rstrip("零")
    while "零零" in text:
        text = text.replace("零零", "零")
    return text


def test_english_numbers() -> None:
    assert english_number("three million two hundred thousand and five") == 3_200_005
    assert english_number("twenty-first") == 21
    assert english_number("two and a half") == 2.5
    assert english_number("one two") is None


@given(st.decimals(-(10**9), 10**9, places=3))
def test_plain_numbers_keep_their_value(number: object) -> None:
    value = value_of(str(number))
    assert value is not None
    assert value_of(plain(value)) == value


@pytest.mark.parametrize(
    "text", ["1" * 10_000, "一" * 10_000, "零" * 9_999 + "点", "1e999999999", "1.2.3万", "٢٠١٣年8月1٣日", " " * 10_000]
)
def test_monsters_neither_break_nor_hang(text: str) -> None:
    assert all(len(m.sql) < 100 for m in find(text))
    assert all(len(form) < 100 for form in readings(text[:50]))
    assert value_of("1e999999999") is None


@given(st.text(alphabet="0123456789年月日点一二三十百千万%.,:-/ abn前第个TI", max_size=40))
def test_mentions_point_into_the_question(question: str) -> None:
    end = 0
    for mention in find(question):
        assert end <= mention.start < mention.end
        assert question[mention.start : mention.end] == mention.text
        assert mention.type == "time" or value_of(mention.sql) is not None
        end = mention.end
