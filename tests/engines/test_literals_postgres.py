"""Constants of each kind that PostgreSQL reads: each text that Querent takes for one, it takes too."""

import random

import psycopg
import pytest
from servers import url_of
from sqlalchemy.engine import make_url

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


READ = [
    ("day", "CAST(x AS DATE)", [*DATES, "2024-02-29 10:00:00"]),
    ("stamp", "CAST(x AS TIMESTAMP)", [f"2024-02-29 {c}" for c in CLOCKS] + [f"{day} 10:00" for day in DATES]),
    ("clock", "CAST(x AS TIME)", CLOCKS),
    ("span", "CAST(x AS INTERVAL)", [*SPANS, *CLOCKS, "3 dayss", "1 day 2 hours"]),
]
FORMATS = ["YYYY", "MM", "Mon", "DD", "HH24", "MI", "FM", "Q", "IW", "-", " ", "9", "0", ",", ".", "99", "00"]
DRAWN = [
    ("like", "'ab a0-b' LIKE x, '(((' LIKE x", list("a_%\\ [(")),
    ("similar", "'ab a0-b' SIMILAR TO x, '(((' SIMILAR TO x", list("ab_%()|\\-.[{")),
    ("regex", "'ab a0-b' ~ x, '(((' ~ x", list("ab0()|[]^$*+?.\\d-{a")),
    ("moment_format", "to_char(now(), x)", FORMATS),
    ("number_format", "to_char(-1234.5, x), to_char(7, x)", FORMATS),
]
"""Texts are drawn from such parts, up to seven in each."""


def check(kind: str, expression: str, texts: list[str]) -> None:
    """Have PostgreSQL read all of the texts that are taken for this kind of constant: some, but not all of them."""
    types = load_types("postgres")
    fit = [text for text in texts if kind in types.literal_kinds(text)]
    assert 9 < len(fit) < len(texts)
    url = make_url(url_of("postgres")).set(drivername="postgresql")
    with psycopg.connect(url.render_as_string(hide_password=False)) as connection:
        connection.execute(f"SELECT {expression} FROM unnest(%s::text[]) AS x".encode(), [fit])


@pytest.mark.parametrize(("kind", "expression", "texts"), READ, ids=[kind for kind, *_ in READ])
def test_literals_are_read(kind: str, expression: str, texts: list[str]) -> None:
    check(kind, expression, texts)


@pytest.mark.parametrize(("kind", "expression", "parts"), DRAWN, ids=[kind for kind, *_ in DRAWN])
def test_drawn_texts_are_read(kind: str, expression: str, parts: list[str]) -> None:
    rng = random.Random(7)
    check(kind, expression, sorted({"".join(rng.choices(parts, k=rng.randrange(8))) for _ in range(20_000)}))
