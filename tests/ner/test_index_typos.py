"""One typo anywhere is forgiven in columns of many values that are alike, in Latin and in Chinese."""

import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest

from querent.data.schema.schema import Column, Schema, Table
from querent.ner.index import ValueIndex

SCHEMA = Schema((Table("orders", (Column("person", "text"), Column("firm", "text"))),), "orders")
PERSON, FIRM = "Rusetakami Karumise", "金源东南贸易公司"


def typos(text: str, other: str) -> Iterator[str]:
    """Yield a text with one letter more, less, another one, or two the wrong way round, anywhere behind the first."""
    for n in range(1, len(text)):
        if not text[n].isspace() and not text[n - 1].isspace():
            yield f"{text[:n]}{other}{text[n:]}"
            yield f"{text[:n]}{other}{text[n + 1 :]}"
            if n + 1 < len(text) and text[n + 1] not in (" ", text[n]):
                yield f"{text[:n]}{text[n + 1]}{text[n]}{text[n + 2 :]}"
                yield f"{text[:n]}{text[n + 1 :]}"


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ValueIndex]:
    """Every person has the surname Karumi, every firm ends alike: each half of a name is that of thousands."""
    folder, draw = tmp_path_factory.mktemp("typos"), random.Random(1)
    people = [PERSON, *("".join(draw.choices("bdfgklmnprstaeiou", k=10)).title() + " Karumise" for _ in range(4000))]
    firms = [FIRM, *("".join(chr(draw.randrange(0x4E00, 0x5E00)) for _ in range(4)) + "贸易公司" for _ in range(4000))]
    with closing(sqlite3.connect(folder / "orders.sqlite")) as database, database:
        database.execute("CREATE TABLE orders (person TEXT, firm TEXT)")
        database.executemany("INSERT INTO orders (person) VALUES (?)", [(name,) for name in people])
        database.executemany("INSERT INTO orders (firm) VALUES (?)", [(name,) for name in firms])
    with ValueIndex.open(folder / "orders.sqlite", SCHEMA, cache=folder / "cache") as opened:
        yield opened


def test_a_typo_in_a_name_of_two_words(index: ValueIndex) -> None:
    for written in typos(PERSON, "x"):
        assert PERSON in {one.value for one in index.find(f"Which titles did {written} order?")}, written


def test_a_typo_in_a_chinese_name(index: ValueIndex) -> None:
    for written in typos(FIRM, "丽"):
        assert FIRM in {one.value for one in index.find(f"请问{written}一共有多少个订单？")}, written


def test_what_differs_more_is_not_taken_for_a_typo(index: ValueIndex) -> None:
    draw = random.Random(3)
    for _ in range(20):
        name = "".join(draw.choices("vwxyz", k=10)).title()
        assert all(one.how != "typo" for one in index.find(f"Which titles did {name} Karumise order?"))
    assert all(one.how != "typo" for one in index.find("请问金丽东丽贸易公司一共有多少个订单？"))


def test_candidates_of_a_typo_are_asked_for_at_once(index: ValueIndex) -> None:
    store, asked = index._stores[0], list[str]()
    store._connection.set_trace_callback(asked.append)
    assert PERSON.replace(" ", "").lower() in store.near("rusetakamikarumine")
    store._connection.set_trace_callback(None)
    assert len(asked) == 1
