"""`querent validate`: what is said of SQL that somebody else wrote, by the function and by the command."""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import pytest
from cases import table

import querent as face
from querent.grammar import RULES
from querent.validation.statements import read_statements

pytestmark = pytest.mark.usefixtures("cache")


ROOT = Path(__file__).resolve().parents[2]
SHOP = ROOT / "data" / "shop" / "shop.sql"


class Wrong(NamedTuple):
    """A query as language models write it, and what is said of it; ``nearest`` None: nothing is a word away."""

    sql: str
    word: str
    rule: str
    problem: str
    nearest: str | None = None
    dialect: str = "sqlite"
    runs: bool | None = False


def _wrong() -> Iterator[Wrong]:
    """Read wrong_queries.sql, which says how it is written."""
    lines = Path(__file__).with_name("wrong_queries.sql").read_text("utf-8").splitlines()
    for told, marked, nearest in zip(lines, lines[1:], [*lines[2:], ""], strict=False):
        if found := re.fullmatch(r"-- (\w+), (\??)([\w ]+): (.+)", told):
            before, word, behind = re.split("[»«]", marked)
            yield Wrong(
                f"{before}{word}{behind}", word, found[3], found[4],
                nearest.removeprefix("= ") if nearest.startswith("= ") else None, found[1], None if found[2] else False,
            )  # fmt: skip


WRONG = list(_wrong())


@pytest.fixture(scope="module")
def validators():
    schema, _ = face.open_schema(SHOP)
    return {dialect: face.Validator(schema, dialect=dialect) for dialect in ("sqlite", "mysql", "postgres")}


@pytest.fixture(scope="module")
def shop():
    with closing(sqlite3.connect(":memory:")) as database:
        database.executescript(SHOP.read_text(encoding="utf-8"))
        yield database


@pytest.mark.parametrize("wrong", WRONG, ids=lambda w: f"{w.dialect} {w.sql[:60]}")
def test_a_wrong_query_is_told_with_its_word_its_rule_and_the_nearest_right_one(validators, wrong):
    found = validators[wrong.dialect].validate(wrong.sql)
    assert (found.runs, found.word, found.rule) == (wrong.runs, wrong.word, wrong.rule)
    assert wrong.problem in found.problem
    assert found.nearest == wrong.nearest
    assert wrong.sql[found.start : max(found.end, found.start)] == wrong.word
    assert (found.says is not None) == (wrong.rule in RULES)
    if wrong.nearest is not None:
        assert validators[wrong.dialect].validate(wrong.nearest).runs


@pytest.mark.parametrize("wrong", [w for w in WRONG if w.dialect == "sqlite"], ids=lambda w: w.sql[:60])
def test_sqlite_agrees(shop, wrong):
    if wrong.runs is False and wrong.rule != "ambiguous" and wrong.sql.strip() != "-- nothing":
        with pytest.raises(sqlite3.Error):
            shop.execute(wrong.sql)
    if wrong.nearest is not None:
        shop.execute(wrong.nearest)


def test_what_could_stand_there_comes_by_kind_the_most_alike_first(validators):
    name = validators["sqlite"].validate("SELECT nme FROM customers").allowed
    assert list(name) == ["column"]
    assert name["column"][0] == "cust_name"
    assert len(name["column"]) == 5
    word = validators["sqlite"].validate("SELECT city FROM customers ODER BY city").allowed
    assert word["keyword"][0] == "ORDER"
    function = validators["sqlite"].validate("SELECT CUONT(city) FROM customers").allowed
    assert function["function"][0] == "COUNT"
    end = validators["sqlite"].validate("SELECT city FROM customers )").allowed
    assert end["end"] == ("(end)",)
    # with what follows: the column of another table would be no better
    owned = validators["sqlite"].validate("SELECT orders.status FROM customers WHERE customers.city = 'Bergen'").allowed
    assert {column.partition(".")[0] for column in owned["column"]} == {"customers"}


def test_levels_and_rules_can_be_asked_for_less():
    sql = "SELECT country, COUNT(*) FROM customers"
    assert face.validate(SHOP, sql, dialect="mysql").rule == "grouping"
    assert face.validate(SHOP, sql, dialect="mysql", without=["grouping"]).runs
    assert face.validate(SHOP, sql, dialect="mysql", level="scope").runs
    with pytest.raises(face.QuerentError, match="no rule 'gruping'"):
        face.validate(SHOP, sql, without=["gruping"])


def test_the_function_takes_a_schema_or_where_it_is():
    schema, dialect = face.open_schema("shop")
    assert dialect == "sqlite"
    sql = "SELECT nme FROM customers"
    assert face.validate(schema, sql) == face.validate("shop", sql) == face.validate(SHOP, sql)
    with pytest.raises(face.InputError, match=r"no dialect 'postgre'.*did you mean 'postgres'"):
        face.validate(SHOP, sql, dialect="postgre")
    with pytest.raises(face.InputError, match="the database speaks mysql, not sqlite"):
        face.open_schema("mysql+pymysql://nobody@nowhere/shop", "sqlite")


@pytest.mark.parametrize(("dialect", "sql"), table(__file__, "a_word_that_the_engine_keeps_is_no_name"))
def test_a_word_that_the_engine_keeps_is_no_name(dialect, sql, tmp_path):
    (tmp_path / "words.sql").write_text('CREATE TABLE "order" ("group" TEXT, "order" TEXT, "release" TEXT);')
    schema, _ = face.open_schema(tmp_path / "words.sql", "sqlite")
    found = face.Validator(schema, dialect=dialect, timeout=60).validate(sql)
    assert (found.runs, found.rule) == (False, "names")
    assert "in quotes it is a name" in found.problem
    assert face.Validator(schema, dialect=dialect, timeout=60).validate(found.nearest).runs


def test_what_may_not_be_read_is_told_as_what_is_not_there():
    schema, dialect = face.open_schema(SHOP)
    access = face.Access(tables=("products",), columns={"customers": ("cust_id", "city")})
    hiding, without = (face.Validator(s, dialect=dialect, access=access) for s in (schema, access.narrowed(schema)))
    for sql in ("email FROM customers", "emal FROM customers", "1 FROM orders", "cust_id FROM custmers JOIN order"):
        told = hiding.validate(f"SELECT {sql}")
        assert told == without.validate(f"SELECT {sql}")
        assert told.runs is False
    assert hiding.validate("SELECT cust_id FROM customers").runs
    assert hiding.validate("SELECT * FROM customers").rule == "access"


READINGS = {
    "mysql": "CREATE TABLE reading (id INT, small SMALLINT)",
    "postgres": """CREATE TABLE reading (id integer PRIMARY KEY, a integer, d date, ts timestamp, tm time,
span interval, doc json, docb jsonb, note text, code varchar(9), tags text[], codes varchar(9)[], nums integer[],
small smallint, f double precision); CREATE TABLE log (id bigint, small text)""",
}
SAID = {"+": True, "!": False, "?": None}


def cases():
    """Yield the parts of judged_queries.sql, each a list of what stands before a query, and the query."""
    on_readings = False
    for line in Path(__file__).with_name("judged_queries.sql").read_text("utf-8").splitlines():
        on_readings |= line.startswith("-- likewise on tables of readings")
        if not line.startswith("--"):
            told, _, sql = line.partition(" | ")
            yield pytest.param(told.split(), sql, on_readings, id=line[:70])


@pytest.mark.parametrize(("told", "sql", "on_readings"), [one for one in cases() if "«" not in one.values[1]])
def test_what_is_said_of_a_query(validators, shop, told, sql, on_readings):
    for sign, dialect in ((one[0], one[1:]) for one in told):
        found = validators[dialect].validate(sql)
        assert found.runs is SAID[sign] if sign in SAID else not found.runs
        assert found == face.Validation(sql, True) or sign != "+"
        if found.runs is None:
            assert found.problem.startswith("outside of the grammar:")
        if dialect == "sqlite" and sign in "+?":
            shop.execute(sql)
        elif dialect == "sqlite":
            with pytest.raises(sqlite3.Error):
                shop.execute(sql)


@pytest.mark.parametrize(("told", "sql", "on_readings"), [one for one in cases() if "«" in one.values[1]])
def test_what_is_refused_is_not_said_to_run_when_it_is_rewritten(validators, tmp_path, told, sql, on_readings):
    (dialect,) = told
    judge = validators[dialect]
    if on_readings:
        (tmp_path / "readings.sql").write_text(READINGS[dialect], encoding="utf-8")
        judge = face.Validator(face.open_schema(tmp_path / "readings.sql", dialect)[0], dialect=dialect, timeout=60)
    assert judge.judged(re.sub("«(.*?)→.*?»", r"\1", sql))[2] is not None
    assert judge.validate(re.sub("«.*?→(.*?)»", r"\1", sql)).runs


@pytest.mark.parametrize(("text", "found"), table(__file__, "queries_of_a_script"))
def test_queries_of_a_script(text, found):
    assert [[s.sql, s.line, s.column] for s in read_statements(text)] == found


def test_queries_of_lines_and_of_records():
    lines = read_statements("SELECT 1\n\nSELECT\t2;\n", lines=True)
    assert [(s.sql, s.line) for s in lines] == [("SELECT 1", 1), ("SELECT\t2", 3)]
    records = read_statements('{"sql": "SELECT 1"}\n{"sql": null}\n', field="sql")
    assert [(s.sql, s.line, s.record) for s in records] == [("SELECT 1", 1, True), (None, 2, True)]
