"""Constants of each kind that PostgreSQL reads: each text that Querent takes for one, it takes too."""

from __future__ import annotations

import random

import pytest
from servers import postgres_connection

from querent.grammar.types.dialect import load_types

DATES = [
    f"{y}-{m:02}-{d:02}" for y in (1000, 1900, 2000, 2023, 2024, 2100, 9996, 9999) for m in range(14) for d in range(33)
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


def some_of(parts: str | list[str], most: int) -> list[str]:
    """Return 20,000 texts of such parts, up to so many in each."""
    rng = random.Random(7)
    return sorted({"".join(rng.choices(parts, k=rng.randrange(most))) for _ in range(20_000)})


FORMATS = some_of(
    ["YYYY", "MM", "Mon", "DD", "HH24", "MI", "FM", "Q", "IW", "-", " ", "9", "0", ",", ".", "99", "00"], 7
)
READ = [
    ("day", "CAST(x AS DATE)", [*DATES, "2024-02-29 10:00:00"]),
    (
        "stamp",
        "CAST(x AS TIMESTAMP)",
        [*(f"2024-02-29 {clock}" for clock in CLOCKS), *(f"{day} 10:00" for day in DATES)],
    ),
    ("clock", "CAST(x AS TIME)", CLOCKS),
    ("span", "CAST(x AS INTERVAL)", [*SPANS, *CLOCKS, "3 dayss", "1 day 2 hours"]),
    *(("like", f"'{text}' LIKE x", some_of("a_%\\ [(", 8)) for text in ("ab a0-b", "(((")),
    *(("similar", f"'{text}' SIMILAR TO x", some_of("ab_%()|\\-.[{", 8)) for text in ("ab a0-b", "(((")),
    *(("regex", f"'{text}' ~ x", some_of("ab0()|[]^$*+?.\\d-{a", 8)) for text in ("ab a0-b", "(((")),
    ("moment_format", "to_char(now(), x)", FORMATS),
    *(("number_format", f"to_char({number}, x)", FORMATS) for number in ("-1234.5", "7")),
]


@pytest.mark.parametrize(
    ("kind", "expression", "texts"), READ, ids=[f"{kind} {expression}" for kind, expression, _ in READ]
)
def test_literals_of_a_kind_are_read(kind: str, expression: str, texts: list[str]) -> None:
    types = load_types("postgres")
    fit = [text for text in texts if kind in types.literal_kinds(text)]
    assert 9 < len(fit) < len(texts)
    with postgres_connection() as connection:
        connection.execute(f"SELECT {expression} FROM unnest(%s::text[]) AS x".encode(), [fit])
