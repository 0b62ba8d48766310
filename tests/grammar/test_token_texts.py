"""SQL as models write it, byte by byte: what must be admitted to its end, and where the rest is refused."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import pytest
from sql_cases import cases
from token_cases import CITIES, FOLDED, SCHEMAS, SINGERS, spellings

from querent.data.schema.schema import Schema
from querent.grammar.lr.tables import DIALECTS
from querent.grammar.tokens.constraint import TokenConstraint

EVERYWHERE = [
    "SELECT Name FROM singer",
    "select name from singer where age > 20 order by age desc limit 3;",
    "SeLeCt NAME fRoM singer WhErE aGe>20 AnD AGE<=30",
    "SELECT\tName\n\tFROM singer\n\n    WHERE Age\t=\t3\n",
    "SELECT T1.Name,T2.Price FROM singer AS T1 JOIN concert AS T2 ON T1.singer_id=T2.singer_id",
    "SELECT T9.Name FROM singer AS T9",
    "SELECT t1.Name FROM singer t1 WHERE t1.Age IS NOT NULL",
    "SELECT a.Name, b.Price FROM singer a, concert b WHERE a.singer_id = b.singer_id",
    "SELECT s.Name FROM singer AS s WHERE EXISTS (SELECT 1 FROM concert AS c WHERE c.singer_id = s.singer_id)",
    "SELECT singer.Name FROM singer WHERE singer.Age BETWEEN 20 AND 30",
    "SELECT Name FROM singer WHERE Name = 'O''Brien' OR Name LIKE '%né%' OR Name IN ('周杰伦', '')",
    "SELECT COUNT(*) AS how_many FROM singer ORDER BY how_many DESC",
    "SELECT Age, AVG(Age) AS average_age_2 FROM singer GROUP BY Age HAVING AVG(Age)>=10.50 ORDER BY average_age_2",
    "SELECT AVG(Price)*2-1 FROM concert WHERE Price>=0.5 AND concert_id!=100000",
    "SELECT q.n FROM (SELECT COUNT(*) AS n FROM singer) AS q",
    "SELECT Name FROM singer UNION SELECT Name FROM singer WHERE Age < 18 ;",
    "SELECT CASE WHEN Age < 18 THEN 'a' ELSE 'b' END FROM singer",
    "SELECT * FROM singer LEFT JOIN concert ON singer.singer_id = concert.singer_id WHERE concert_id IS NULL",
    "SELECT (Age)FROM singer WHERE(Age)IN(1,2)",
    "select name, rank() over(partition by Age order by singer_id desc) as r, SUM(Age) OVER () from singer order by r",
    "SELECT q.Name FROM (SELECT Name, ROW_NUMBER() OVER (ORDER BY Age) AS n FROM singer) AS q WHERE q.n <= 3",
    "with old as (select Name, Age from singer where Age > 60) select Name, old.Age from old order by Age",
    "WITH per AS (SELECT singer_id, COUNT(*) AS shows, AVG(Price) AS mean_price FROM concert GROUP BY singer_id),"
    "\n  most AS (SELECT MAX(shows) AS top FROM per)\n"
    "SELECT s.Name, per.shows*2, mean_price FROM singer s JOIN per ON per.singer_id=s.singer_id, most WHERE shows=top",
    "WITH c AS (SELECT Age, COUNT(*) AS n FROM singer GROUP BY Age) SELECT x.*, y.n FROM c x, c AS y WHERE x.n > y.n",
    "WITH c AS (SELECT COUNT(*) AS n FROM singer GROUP BY Age) SELECT SUM(n) FROM c WHERE n > (SELECT AVG(n) FROM c)",
]
MORE = {
    "sqlite": [
        'SELECT "Name" FROM "singer"', "SELECT `Name` FROM `singer` AS x", "SELECT T1.`NAME` FROM SINGER AS t1",
        "SELECT COUNT (*) FROM singer", "SELECT Name FROM singer WHERE Name = '\\'",
    ],
    "mysql": [
        "SELECT `Name` FROM `singer`", "SELECT x.`NAME` FROM singer AS x", "SELECT Age MOD 2, MOD(Age, 2) FROM singer",
        "SELECT LEFT(Name, 1) FROM singer LEFT JOIN concert ON 1 = 1",
    ],
    "postgres": [
        'SELECT "singer_id" FROM singer AS x',
        'SELECT "singer"."singer_id" FROM "singer"', "SELECT COUNT (*) FROM singer",
        "SELECT Name FROM singer WHERE born>'2000-02-29'",
    ],
}  # fmt: skip
REFUSED = [
    ("SELECT Age -- all\nFROM singer", 12),
    ("SELECT Age /* all */ FROM singer", 12),
    ("-- a\nSELECT Name FROM singer", 0),
    ("SELECT Nam FROM singer", 10),
    ("SELECT zzz FROM singer", 8),
    ("SELECT Price FROM singer", 24),
    ("SELECT singer.Price FROM singer", 14),
    ("SELECT T1.Name FROM singer", 26),
    ("SELECT Name FROM singer WHERE Age > 20T", 38),
    ("SELECT Name FROM singer WHERE Age > 020", 37),
    ("SELECT Name FROM singer WHERE Age > 20 AN", 41),
    ("SELECT Name FROM singer WHERE Name = 'abc", 41),
    ("SELECT Name FROM singer WHERE Name = 'a\nb'", 39),
    ("SELECT Name FROM singer LIMIT", 29),
    ("SELECT LAG(Age) OVER () FROM singer", 22),
    ("SELECT Name FROM singer WHERE RANK(", 33),
    ("SELECT Name FROM singer; SELECT", 24),
    ("WITH singer AS (SELECT", 11),
    ("WITH a AS (SELECT 1 AS n), a AS (", 28),
    ("WITH a AS (SELECT 1 AS n) SELECT n FROM b", 40),
    ("WITH a AS (SELECT 1 AS n) SELECT n, m FROM", 37),
    ("WITH a AS (SELECT 1 AS n) SELECT n FROM a, a WHERE", 43),
    ("WITH a AS (SELECT 1 AS n)", 25),
    ("SELECT Age AS Name2x FROM singer WHERE (Age", 43),
    ("", 0),
]
"""Each with the byte at which it is refused; its length where it may not end."""

UNTYPED = ("postgres", next(case.sql for case in cases("everyday") if "IN (SELECT q.shop_id" in case.sql))
"""What a derived table shows has no type before FROM where an output could be called so, and here any could."""


@lru_cache
def constraint_on(schema: Schema, dialect: str, **options: Any) -> TokenConstraint:
    return TokenConstraint(schema, spellings("byte-level"), dialect=dialect, **options)


def stop(text: str, schema: Schema, dialect: str, **options: Any) -> int | None:
    """Return the byte at which a text is refused, its length if it may not end, None if it is admitted."""
    sql = constraint_on(schema, dialect, **options).text
    readings = sql.start()
    for place, byte in enumerate(text.encode()):
        readings = sql.step(readings, byte)
        if not readings:
            return place
    return None if sql.complete(readings) else len(text.encode())


@pytest.mark.parametrize("dialect", DIALECTS)
def test_what_models_write_is_admitted(dialect: str) -> None:
    for text in [*EVERYWHERE, *MORE[dialect]]:
        singers = FOLDED if dialect == "postgres" else SINGERS
        assert stop(text, singers, dialect) is None, (text, text.encode()[: stop(text, singers, dialect)])
    for text in [
        "SELECT 名称,人口 FROM 城市 WHERE 省 = '江苏'",
        "SELECT a.名称 FROM 城市 AS a JOIN 省 ON a.省 = 省.省",
    ]:
        assert stop(text, CITIES, dialect) is None


@pytest.mark.parametrize("dialect", DIALECTS)
def test_everyday_queries_are_admitted(dialect: str) -> None:
    for case in cases("everyday"):
        if case.dialect == dialect and (dialect, case.sql) != UNTYPED:
            found = stop(case.sql, case.schema, dialect)
            assert found is None, (case.sql, case.sql.encode()[:found])


def test_odd_names_stand_in_quotes() -> None:
    odd = SCHEMAS["odd"]
    for text in (
        'SELECT "my col", `select`, "group by" FROM "order"',
        'SELECT `a``b`, "a""b", "it\'s", 姓名 FROM 病人',
    ):
        assert stop(text, odd, "sqlite") is None
    assert stop("SELECT `c.d`, `values` FROM `a.b` AS T1 WHERE T1.`c.d` = 'x'", odd, "mysql") is None
    assert stop('SELECT "c.d", "user" FROM "a.b" x WHERE x."user" = \'x\'', odd, "postgres") is None
    assert stop("SELECT `my col` FROM `order`", odd, "postgres") == 7
    assert stop('SELECT "my col" FROM `order`', odd, "mysql") == 7
    assert stop("SELECT select FROM `order`", odd, "sqlite") is not None


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(("text", "place"), REFUSED)
def test_what_would_not_run_is_refused_where_it_goes_wrong(text: str, place: int, dialect: str) -> None:
    assert stop(text, FOLDED if dialect == "postgres" else SINGERS, dialect) == place


def test_a_function_of_mysql_touches_its_bracket() -> None:
    assert stop("SELECT COUNT(*) FROM singer", SINGERS, "mysql") is None
    assert stop("SELECT COUNT (*) FROM singer", SINGERS, "mysql") == 12
    assert stop("SELECT Name FROM SINGER", SINGERS, "mysql") == 17
    assert stop("SELECT x.Name FROM singer AS X", SINGERS, "mysql") == 30


def test_only_given_values() -> None:
    values = ("20", "'Joe'", "2.5")
    for text in ("SELECT Name FROM singer WHERE Age > 20 AND Name = 'Joe' LIMIT 1", "SELECT Price*2.5 FROM concert"):
        assert stop(text, SINGERS, "sqlite", values=values) is None
    assert stop("SELECT Name FROM singer WHERE Age > 21", SINGERS, "sqlite", values=values) == 37
    assert stop("SELECT Name FROM singer WHERE Name = 'Jim'", SINGERS, "sqlite", values=values) == 39


@pytest.mark.parametrize("dialect", DIALECTS)
def test_aliases_told_may_come_before_from(dialect: str) -> None:
    text = "SELECT singerAlias0.Name FROM singer AS singerAlias0"
    singers = FOLDED if dialect == "postgres" else SINGERS
    assert stop(text, singers, dialect) is not None
    assert stop(text, singers, dialect, aliases=("singerAlias0", "singerAlias1")) is None


def test_prefix_and_fence() -> None:
    fenced = {"before": "```sql\n", "behind": "\n```"}
    assert stop("```sql\nSELECT Name\nFROM singer\n```", SINGERS, "sqlite", **fenced) is None
    assert stop("```sql\nSELECT Name FROM singer  \n```", SINGERS, "sqlite", **fenced) is None
    assert stop("SELECT Name", SINGERS, "sqlite", **fenced) == 0
    assert stop("```sql\nSELECT Name FROM singer", SINGERS, "sqlite", **fenced) == 30
    assert stop("```sql\nSELECT Name\n```", SINGERS, "sqlite", **fenced) == 20
    assert stop("```sql\nSELECT Name FROM singer\n``` and", SINGERS, "sqlite", **fenced) == 34
