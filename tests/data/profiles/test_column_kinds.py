"""What columns are for where names and cells pull apart."""

from __future__ import annotations

import pytest

DETAILS = ["sauna", "rose garden", "pool"]
TOWNS, HOSTS = ["Lund", "Lima", "Oslo", "Turin"], ["Ada", "Ada", "Ben", "Ben"]
TITLES = ["Dawn", "Dusk", "Noon"]
PAGES = [f"https://example.org/pages/about/the/{word}/and/more/of/it" for word in ("a", "b", "c")]
SPEEDS = [218.3, 202.9, 199.6]

KINDS = [
    # details of a few words name what has no other name
    ("thing", {"extra_details TEXT": DETAILS}, ["name"]),
    ("thing", {"extra_type_description TEXT": DETAILS}, ["name"]),
    ("thing", {"label TEXT": ["A wing", "B wing", "C wing"], "extra_details TEXT": DETAILS}, ["name", "text"]),
    ("thing", {"remark TEXT": DETAILS}, ["text"]),
    # places behind other texts say where rows belong
    ("thing", {"host TEXT": HOSTS, "town TEXT": TOWNS}, ["category", "category"]),
    ("thing", {"town TEXT": TOWNS}, ["name"]),
    ("locations", {"host TEXT": HOSTS, "town TEXT": TOWNS}, ["category", "name"]),
    # cells of signs name no rows
    ("thing", {"office TEXT": ["KLR 156", "KLR 201", "BBG 77"]}, ["text"]),
    # what few words repeat is no name, though its table is called so
    ("results", {"result TEXT": ["won", "lost"] * 5}, ["category"]),
    ("results", {"result TEXT": ["fern", "moss", "reed", "kelp"]}, ["name"]),
    ("plant_type", {"plant_type TEXT": ["won", "lost"] * 5}, ["category"]),
    ("plant_type", {"plant_type TEXT": ["fern", "moss", "reed", "kelp"]}, ["name"]),
    ("thing", {"name_of_place TEXT": ["Lund", "Lima", "Lima"]}, ["name"]),
    # a word or a few say who or what, and digits do not
    (
        "thing",
        {
            "title TEXT": TITLES,
            "led_by TEXT": ["Ana Low", "Bo Ek", "Cy Day"],
            "outcome TEXT": ["w 27-21", "l 3-14", "w 8-7"],
        },
        ["name", "category", "text"],
    ),
    ("thing", {"名称 TEXT": ["甲", "乙", "丙"], "导演 TEXT": ["林峰", "李平", "张云"]}, ["name", "category"]),
    # addresses of the web and words that refer are codes
    (
        "thing",
        {
            "title TEXT": TITLES,
            "page TEXT": PAGES,
            "park_ref TEXT": ["high_park", "low_park", "old_park"],
            "site TEXT": ["www.a.b", "www.c.d", "www.e"],
        },
        ["name", "code", "code", "code"],
    ),
    # the last word of a name tells amounts from codes
    ("thing", {"lap_speed REAL": SPEEDS}, ["amount"]),
    ("thing", {"account_balance REAL": SPEEDS}, ["amount"]),
    ("thing", {"lap REAL": SPEEDS}, ["code"]),
    ("thing", {"room_number REAL": SPEEDS}, ["code"]),
    # what ends in id is a key, unless it is a word
    (
        "bill",
        {"stuid INTEGER": [5, 6], "is_paid INTEGER": [1, 0], "grid TEXT": ["a", "a"]},
        ["key", "flag", "category"],
    ),
]


@pytest.mark.parametrize(("table", "columns", "kinds"), KINDS, ids=[f"{t}: {', '.join(c)}" for t, c, _ in KINDS])
def test_kinds_of_the_columns_behind_a_key(profiled, table: str, columns: dict[str, list[object]], kinds: list[str]):
    rows = [(n, *cells) for n, cells in enumerate(zip(*columns.values(), strict=True), 1)]
    listed = ", ".join(map(str, rows))
    script = f"CREATE TABLE {table} (id INTEGER PRIMARY KEY, {', '.join(columns)}); INSERT INTO {table} VALUES {listed}"
    assert [one.kind for (_, name), one in profiled(script).columns.items() if name != "id"] == kinds
