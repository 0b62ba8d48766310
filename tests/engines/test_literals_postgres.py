"""Constants of each kind that PostgreSQL reads: each text that Querent takes for one, it takes too."""

from __future__ import annotations

import random
from collections.abc import Iterator

import psycopg
import pytest
from servers import postgres_connection

from querent.grammar.types.dialect import load_types

TYPES = load_types("postgres")
DATES = [
    f"{year}-{month:02}-{day:02}"
    for year in (1000, 1900, 2000, 2023, 2024, 2100, 9996, 9999)
    for month in range(14)
    for day in range(33)
]
CLOCKS = [
    f"{h:02}:{m:02}{s}" for h in (0, 9, 19, 23, 24) for m in (0, 59, 60) for s in ("", ":00", ":59", ":60", ":1.5")
]
SPANS = [
    f"{n} {u}{s}"
    for n in (0, 1, -9, 99, 999, 9999, 99999)
    for u in ("year", "MONTH", "week", "hour")
    for s in ("", "s")
]
READ = {
    "day": ("CAST(x AS DATE)", [*DATES, "2024-02-29 10:00:00"]),
    "stamp": ("CAST(x AS TIMESTAMP)", [f"2024-02-29 {clock}" for clock in CLOCKS] + [f"{d} 10:00" for d in DATES]),
    "clock": ("CAST(x AS TIME)", CLOCKS),
    "span": ("CAST(x AS INTERVAL)", [*SPANS, *CLOCKS, "3 dayss", "1 day 2 hours"]),
}
PATTERNS = {"like": "a_%\\ [(", "similar": "ab_%()|\\-.[{", "regex": "ab0()|[]^$*+?.\\d-{a"}


@pytest.fixture(scope="module")
def connection() -> Iterator[psycopg.Connection]:
    with postgres_connection() as found:
        yield found


@pytest.mark.parametrize("kind", sorted(READ))
def test_literals_of_a_kind_are_read(connection: psycopg.Connection, kind: str) -> None:
    expression, texts = READ[kind]
    fit = [text for text in texts if kind in TYPES.literal_kinds(text)]
    assert 0 < len(fit) < len(texts)
    connection.execute(f"SELECT {expression} FROM unnest(%s::text[]) AS x".encode(), [fit])


@pytest.mark.parametrize(("kind", "operator"), [("like", "LIKE"), ("similar", "SIMILAR TO"), ("regex", "~")])
def test_patterns_of_a_kind_are_valid(connection: psycopg.Connection, kind: str, operator: str) -> None:
    rng = random.Random(7)
    texts = {"".join(rng.choices(PATTERNS[kind], k=rng.randrange(8))) for _ in range(40_000)}
    fit = [text for text in sorted(texts) if kind in TYPES.literal_kinds(text)]
    assert 50 < len(fit) < len(texts)
    for text in ("ab a0-b", "((("):
        query = f"SELECT count(*) FROM unnest(%s::text[]) AS x WHERE %s::text {operator} x"
        connection.execute(query.encode(), [fit, text])


@pytest.mark.parametrize(
    ("kind", "value"), [("moment_format", "now()"), ("number_format", "-1234.5"), ("number_format", "7")]
)
def test_formats_of_a_kind_are_valid(connection: psycopg.Connection, kind: str, value: str) -> None:
    parts = ["YYYY", "MM", "Mon", "DD", "HH24", "MI", "FM", "Q", "IW", "-", " ", "9", "0", ",", ".", "99", "00"]
    rng = random.Random(7)
    texts = {"".join(rng.choices(parts, k=rng.randrange(7))) for _ in range(20_000)}
    fit = [text for text in sorted(texts) if kind in TYPES.literal_kinds(text)]
    assert 50 < len(fit) < len(texts)
    connection.execute(f"SELECT to_char({value}, x) FROM unnest(%s::text[]) AS x".encode(), [fit])
