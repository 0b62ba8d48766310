"""The oldest was born first: queries that sort births the other way round are known."""

from __future__ import annotations

import pytest

from querent.parser.decoding.ages import against_ages

LAST = "SELECT artist.name FROM artist ORDER BY artist.birth_year DESC LIMIT 1"
FIRST = "SELECT artist.name FROM artist ORDER BY artist.birth_year LIMIT 1"


@pytest.mark.parametrize(
    ("question", "query", "times"),
    [
        ("who is the oldest artist?", LAST, 1),
        ("who is the oldest artist?", FIRST, 0),
        ("who is the youngest artist?", LAST, 0),
        ("who is the youngest artist?", FIRST, 1),
        ("artists from the oldest to the youngest", LAST, 0),
        ("which artist was born last?", LAST, 0),
        ("the eldest", "SELECT MAX ( person.date_of_birth ) FROM person", 1),
        ("the eldest", "SELECT MIN ( person.date_of_birth ) FROM person", 0),
        (
            "the youngest",
            "SELECT person.name FROM person WHERE person.dob = ( SELECT MIN ( person.dob ) FROM person )",
            1,
        ),
        ("the oldest", "SELECT artist.name FROM artist ORDER BY artist.age DESC LIMIT 1", 0),
        (
            "the oldest",
            "SELECT births.name FROM births ORDER BY births.weight DESC LIMIT 1",
            0,
        ),  # a table's name says nothing
        ("最年轻的演员是谁？", "SELECT 演员.姓名 FROM 演员 ORDER BY 演员.出生日期 LIMIT 1", 1),
        ("年龄最大的演员是谁？", "SELECT 演员.姓名 FROM 演员 ORDER BY 演员.出生日期 LIMIT 1", 0),
    ],
)
def test_births_that_are_sorted_the_wrong_way(question: str, query: str, times: int) -> None:
    assert against_ages(question, tuple(query.split())) == times
