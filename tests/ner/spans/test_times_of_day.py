"""Times of day, parts of the day, and weeks said by a day in them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

MORNING = "in hour 5 6 7 8 9 10 11"
CASES = [
    ("en", "tows from the week of 4 March 2024 on", ["since 2024-03-04 2024-03-11 week"]),
    ("en", "tows in the week of March 4", ["in 2024-03-04 2024-03-11 week now"]),
    ("en", "tows in the week beginning 4 March 2024", ["in 2024-03-04 2024-03-11 week"]),
    ("zh", "2024年3月4日那一周以来的拖带", ["since 2024-03-04 2024-03-11 week"]),
    ("zh", "3月4日所在的周", ["in 2024-03-04 2024-03-11 week now"]),
    ("en", "tides after 5 pm", ["since hour 17"]),
    ("en", "tides between 9 am and noon", ["in hour 9 10 11"]),
    ("en", "tides after 12:00:00", ["since hour 12"]),
    ("en", "tides before or around noon", ["before hour 12"]),
    ("en", "ferries that leave after 1400", ["since hour 14"]),
    ("en", "ferries leaving Hull on Monday before 1800", ["in weekday 1", "before hour 18"]),
    ("en", "ferries arriving between 1600 and 1700", ["in hour 16"]),
    ("en", "ferries before 800 o'clock", ["before hour 8"]),
    ("en", "ferries departing after 1745", []),
    ("en", "ferries leaving after 1900", ["after 1900-01-01 1901-01-01 year ?"]),
    ("en", "ferries leaving in 1700", ["in 1700-01-01 1701-01-01 year ?"]),
    ("en", "ferries that arrived before 1700", ["before 1700-01-01 1701-01-01 year ?"]),
    ("en", "catches in the morning", [MORNING]),
    ("en", "catches on Friday morning", ["in weekday 5", MORNING]),
    ("en", "catches yesterday morning", ["in 2024-05-14T05:00 2024-05-14T12:00 hour now"]),
    ("en", "the morning shift", []),
    ("en", "tows around 5 in the evening", ["in hour 17"]),
    ("en", "tows at eight o'clock in the morning", ["in hour 8"]),
    ("zh", "昨天下午的渔获", ["in 2024-05-14T12:00 2024-05-14T18:00 hour now"]),
    ("zh", "下午出航的船", ["in hour 12 13 14 15 16 17"]),
    ("zh", "2024年3月3日下午2点到4点的日志", ["in 2024-03-03T14:00 2024-03-03T16:00 hour"]),
    ("en", "nets of the 2009-10 season", ["in 2009-01-01 2011-01-01 year ?"]),
    ("en", "nets of 2009-10", ["in 2009-10-01 2009-11-01 month"]),
    ("en", "coins of 2000 b.c.", []),
    ("zh", "公元前1200年的船", []),
    ("en", "ferries on Christmas 2023", ["in 2023-12-25 2023-12-26 day"]),
    ("zh", "去年圣诞节的航班", ["in 2023-12-25 2023-12-26 day now"]),
    ("en", "who wrote The World of Tomorrow", ["in 2024-05-16 2024-05-17 day now ?"]),
    ("zh", "从2020年起到2022年的船", ["in 2020-01-01 2023-01-01 year"]),
    ("zh", "95年之后造的船", ["after 1995-01-01 1996-01-01 year"]),
]


@pytest.mark.parametrize(("language", "question", "spans"), CASES)
def test_times(told: Callable[..., list[str]], language: str, question: str, spans: list[str]) -> None:
    assert told(question, language) == spans


@pytest.mark.parametrize(
    ("question", "note"),
    [
        ("entries after 2024-03-01T10:00:00+02:00", "read as it stands, without +02:00"),
        ("entries after 2024-03-01T10:00:00Z", ""),
        ("tows yesterday morning", "«morning» is taken for 5 to 12 o'clock"),
        ("tows in the week of March 4", "taken to be in 2024"),
    ],
)
def test_what_is_taken_for_granted_is_told(noted: Callable[[str], list[str]], question: str, note: str) -> None:
    assert noted(question) == [note]
