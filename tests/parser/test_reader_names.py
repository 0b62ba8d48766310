"""Names that a description file tells: in items, among values, and of flags."""

from __future__ import annotations

import sqlite3
import tomllib
from contextlib import closing
from pathlib import Path

import pytest

from querent.data.databases.schema_readers import from_sqlite
from querent.ner.language.question import QuestionText
from querent.parser.reader.context import DatabaseContext
from querent.parser.reader.profile import Profile

CASES = tomllib.loads(Path(__file__).with_name("reader.toml").read_text("utf-8"))

SCRIPT = """
CREATE TABLE frt (id INTEGER PRIMARY KEY, nm TEXT, prc REAL, is_ripe INTEGER);
INSERT INTO frt VALUES (1, 'fig', 2.5, 1), (2, 'plum', 1.5, 0);
"""
TOLD = """
[tables.frt]
zh = ["水果", "果品"]
[tables.frt.columns]
nm = { zh = ["名称"] }
prc = { name = "售价", zh = ["价", "零售价格"] }
is_ripe = { zh = ["是否成熟", "熟了"] }
"""


@pytest.fixture
def context(tmp_path: Path) -> DatabaseContext:
    file, description = tmp_path / "fruit.sqlite", tmp_path / "fruit.toml"
    with closing(sqlite3.connect(file)) as writer:
        writer.executescript(SCRIPT)
    description.write_text(TOLD, encoding="utf-8")
    profile = Profile.of(from_sqlite(file), dialect="sqlite", language="zh", database=str(file))
    return profile.catalogue(file, description=description, cache=tmp_path).whole


def names(context: DatabaseContext, question: str) -> list[str]:
    return [item.name for item in context.as_called(QuestionText(question)).items.items]


@pytest.mark.parametrize(
    ("question", "called"),
    [
        ("有几种", ["水果", "id", "名称", "售价", "是否成熟"]),  # unsaid, too, they are called in Chinese
        ("水果的名称", ["水果", "id", "名称", "售价", "是否成熟"]),
        ("果品的零售价格", ["果品", "id", "名称", "零售价格", "是否成熟"]),
        ("售价最高的", ["水果", "id", "名称", "售价", "是否成熟"]),  # the longest said: 售价, not 价
    ],
)
def test_items_are_called_as_the_question_does(context: DatabaseContext, question: str, called: list[str]) -> None:
    assert names(context, question) == called


def test_a_name_is_no_value(context: DatabaseContext) -> None:
    assert [value.text for value in context.values("id为2的果品有哪些")] == ["2"]


def test_a_flag_is_named_by_another_name(context: DatabaseContext) -> None:
    found = [value for value in context.values("熟了的有哪些") if value.how == "meaning"]
    assert [(value.text, value.columns) for value in found] == [("熟了", (("frt", "is_ripe"),))]
