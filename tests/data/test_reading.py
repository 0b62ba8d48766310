"""Which texts are sent to a server that is only read, and as what."""

from pathlib import Path

import pytest
from cases import rows

from querent.data.databases.catalogue import Readable
from querent.data.databases.reading import as_read
from querent.data.errors import DatabaseError
from querent.data.parsing import parse

CASES = Path(__file__).with_suffix(".toml")

DIALECTS = ("mysql", "postgres")
KNOWN = Readable(
    frozenset({("", "t"), ("", "order"), ("Sales", "Order")}),
    frozenset({"max", "count", "lower", "now", "round", "lag", "generate_series", "string_agg", "coalesce", "if"}),
    shadowed=frozenset({"round", "lag", "coalesce", "generate_series"}),
    types=frozenset({("", "mood"), ("Sales", "Mood")}),
    calls=frozenset({"pg_read_file", "nextval"}),
    row_calls=frozenset({"leak"}),
    operators=frozenset({"@@@", "^"}),
)


@pytest.mark.parametrize("dialect", DIALECTS)
@rows(CASES, "what_reads_is_sent_as_it_stands")
def test_what_reads_is_sent_as_it_stands(sql: str, dialect: str) -> None:
    plain = Readable(KNOWN.tables, KNOWN.functions)
    assert as_read(sql, dialect, plain) == sql


@rows(CASES, "what_is_sent_is_printed_and_means_the_same")
def test_what_is_sent_is_printed_and_means_the_same(dialect: str, sql: str, sent: str) -> None:
    assert as_read(sql, dialect, Readable(KNOWN.tables, KNOWN.functions, types=KNOWN.types, calls=KNOWN.calls)) == sent


def test_a_cast_of_a_cast_is_sent() -> None:
    casts = as_read(f"SELECT 1{' :: INT' * 150}", "postgres", KNOWN)
    assert casts == f"SELECT CAST(1 AS INT){' :: INT' * 149}"


def test_a_key_of_a_json_column_is_read_as_an_argument_too() -> None:
    assert as_read("SELECT LOWER(a -> 'b') FROM t", "postgres", KNOWN) == "SELECT LOWER(a -> 'b') FROM t"
    with pytest.raises(DatabaseError, match="leak"):
        as_read("SELECT LOWER((t.leak) -> 'b') FROM t", "postgres", KNOWN)


def test_functions_that_somebody_has_added_are_not_called_in_place_of_the_servers() -> None:
    sql = "SELECT round(a), lag(a) OVER (ORDER BY b), coalesce(a, b), lower(c) FROM t, generate_series(1, 2) AS g(n)"
    assert as_read(sql, "postgres", KNOWN) == (
        "SELECT pg_catalog.round(a), pg_catalog.lag(a) OVER (ORDER BY b), coalesce(a, b), lower(c) "
        "FROM t, pg_catalog.generate_series(1, 2) AS g(n)"
    )


@rows(CASES, "what_does_more_than_read_is_refused")
def test_what_does_more_than_read_is_refused(dialect: str | None, sql: str, why: str) -> None:
    for each in (dialect,) if dialect else DIALECTS:
        with pytest.raises(DatabaseError) as caught:
            as_read(sql, each, KNOWN)
        assert why in str(caught.value)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_what_is_too_long_or_too_deep_is_refused(dialect: str) -> None:
    with pytest.raises(DatabaseError, match="more than 100,000 characters"):
        as_read("SELECT " + "a + " * 30000 + "a FROM t", dialect, KNOWN)
    with pytest.raises(DatabaseError, match="not one query"):
        as_read("SELECT " + "(" * 3000 + "a" + ")" * 3000 + " FROM t", dialect, KNOWN)


def test_a_text_that_is_no_query_is_refused_without_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    parse("WITH a AS (VACUUM) SELECT * FROM a", "sqlite")
    assert parse("VACUUM INTO 'x'", "sqlite") is None
    assert caplog.text == ""


def test_what_sqlglot_stumbles_over_is_no_query() -> None:
    sql = "SELECT a FROM t MATCH_RECOGNIZE (PATTERN ) (a b+) DEFINE b AS x > 1)"
    assert parse(sql, "sqlite") is None
    assert parse(sql, "oracle") is None
    with pytest.raises(DatabaseError):
        as_read(sql, "postgres", KNOWN)
