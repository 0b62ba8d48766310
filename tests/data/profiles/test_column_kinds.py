"""What columns are for where names and cells pull apart."""

from __future__ import annotations

import pytest

from querent.meaning.flag_cells import flag_of
from querent.meaning.number_texts import number_in
from querent.meaning.time_finding import Neighbours
from querent.meaning.time_storage import time_of


def kinds(profiled, columns: dict[str, list[object]], *, table: str = "thing") -> list[str]:
    """Return the kinds of a table's columns behind its key; cells by column, their names with types."""
    rows = [(n, *cells) for n, cells in enumerate(zip(*columns.values(), strict=True), 1)]
    listed = ", ".join(str(row).replace("None", "NULL").replace(",)", ")") for row in rows)
    script = f"CREATE TABLE {table} (id INTEGER PRIMARY KEY, {', '.join(columns)}); INSERT INTO {table} VALUES {listed}"
    profile = profiled(script)
    return [one.kind for (_, name), one in profile.columns.items() if name != "id"]


def test_details_of_a_few_words_name_what_has_no_other_name(profiled):
    details = ["sauna", "rose garden", "pool"]
    assert kinds(profiled, {"extra_details TEXT": details}) == ["name"]
    assert kinds(profiled, {"extra_type_description TEXT": details}) == ["name"]
    assert kinds(profiled, {"label TEXT": ["A wing", "B wing", "C wing"], "extra_details TEXT": details}) == [
        "name",
        "text",
    ]
    assert kinds(profiled, {"remark TEXT": details}) == ["text"]


def test_places_behind_other_texts_say_where_rows_belong(profiled):
    towns = ["Lund", "Lima", "Oslo", "Turin"]
    hosts = ["Ada", "Ada", "Ben", "Ben"]
    assert kinds(profiled, {"host TEXT": hosts, "town TEXT": towns}) == ["category", "category"]
    assert kinds(profiled, {"town TEXT": towns}) == ["name"]
    assert kinds(profiled, {"host TEXT": hosts, "town TEXT": towns}, table="locations") == ["category", "name"]


def test_cells_of_signs_name_no_rows(profiled):
    assert kinds(profiled, {"office TEXT": ["KLR 156", "KLR 201", "BBG 77"]}) == ["text"]


@pytest.mark.parametrize(("table", "column"), [("results", "result"), ("plant_type", "plant_type")])
def test_what_few_words_repeat_is_no_name_though_its_table_is_called_so(profiled, table, column):
    assert kinds(profiled, {f"{column} TEXT": ["won", "lost"] * 5}, table=table) == ["category"]
    assert kinds(profiled, {f"{column} TEXT": ["fern", "moss", "reed", "kelp"]}, table=table) == ["name"]


def test_what_begins_with_name_of_is_a_name(profiled):
    assert kinds(profiled, {"name_of_place TEXT": ["Lund", "Lima", "Lima"]}) == ["name"]


def test_a_word_or_a_few_say_who_or_what_and_digits_do_not(profiled):
    titles = ["Dawn", "Dusk", "Noon"]
    people = ["Ana Low", "Bo Ek", "Cy Day"]
    scores = ["w 27-21", "l 3-14", "w 8-7"]
    assert kinds(profiled, {"title TEXT": titles, "led_by TEXT": people, "outcome TEXT": scores}) == [
        "name",
        "category",
        "text",
    ]
    assert kinds(profiled, {"名称 TEXT": ["甲", "乙", "丙"], "导演 TEXT": ["林峰", "李平", "张云"]}) == [
        "name",
        "category",
    ]


def test_addresses_of_the_web_and_words_that_refer_are_codes(profiled):
    pages = [f"https://example.org/pages/about/the/{word}/and/more/of/it" for word in ("a", "b", "c")]
    refs = ["high_park", "low_park", "old_park"]
    title = ["Dawn", "Dusk", "Noon"]
    made = {
        "title TEXT": title,
        "page TEXT": pages,
        "park_ref TEXT": refs,
        "site TEXT": ["www.a.b", "www.c.d", "www.e"],
    }
    assert kinds(profiled, made) == ["name", "code", "code", "code"]


@pytest.mark.parametrize(
    ("name", "kind"), [("lap_speed", "amount"), ("account_balance", "amount"), ("lap", "code"), ("room_number", "code")]
)
def test_the_last_word_of_a_name_tells_amounts_from_codes(profiled, name, kind):
    assert kinds(profiled, {f"{name} REAL": [218.3, 202.9, 199.6]}) == [kind]


def test_numbers_in_text_that_are_lap_speeds(sampled):
    assert number_in(sampled(["218.3", "202.969", "199.6"], "lap_speed")).number is not None


def test_times_in_chinese_with_their_unit(sampled):
    assert time_of(sampled([1998, 2014], "成立时间（年）", "integer"), Neighbours()).storage.form == "year"
    assert time_of(sampled([1998, 2014], "成立时间(年)", "integer"), Neighbours()).storage.form == "year"
    assert time_of(sampled([1998, 2014], "建城年数（年）", "integer"), Neighbours()) is None


def test_decades_of_birth_are_no_amounts(sampled):
    assert number_in(sampled(["70后", "80后", "85后"], "年龄段")) is None
    assert number_in(sampled(["70岁", "80岁", "85岁"], "年龄")).number is not None


def test_a_word_for_what_is_still_to_come_may_stand_in_most_rows(sampled):
    days = ["July 4, 2003", "May 1, 2010", "June 2, 2011", "March 9, 2014", "April 5, 2015"]
    found = time_of(sampled([*days, *["in office"] * 20], "ended_on"), Neighbours())
    assert found is None  # two words: more than a sign
    found = time_of(sampled([*days, *["serving"] * 20], "ended_on"), Neighbours())
    assert (found.storage.form, found.storage.gaps, found.doubt) == (
        "month name",
        True,
        "'serving' stands where there is none",
    )
    assert time_of(sampled([*days[:2], *["serving"] * 20], "ended_on"), Neighbours()) is None


def test_yes_alone_beside_rows_without_a_cell(sampled):
    found = flag_of(sampled(["Y", None, "Y", None], "codeshare"))
    assert (found.cells.yes, found.cells.no, found.doubt) == ("Y", None, "only 'Y' was seen")
    assert flag_of(sampled(["Y", "Y"], "codeshare")) is None
    assert flag_of(sampled(["N", None], "codeshare")) is None


def test_one_comma_among_many_numbers_is_doubted(sampled):
    assert "'52,04' alone" in number_in(sampled(["52,04", "88622", "7343", "8836", "9000"], "visitors")).doubt
    assert number_in(sampled(["52,04", "88,62", "7343", "8836", "9000"], "visitors")).doubt == ""
