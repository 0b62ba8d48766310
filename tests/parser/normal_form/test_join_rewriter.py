"""Joins rewritten to what is meant."""

import random
import sqlite3

import pytest
from draws import draws
from schools import SCHOOLS, opened, random_from, random_query, random_rows
from sql_pairs import pairs, queries

from querent.data.databases.schema_readers import from_ddl
from querent.data.sql.query import Query
from querent.data.values.slots import Value, ValueMention
from querent.grammar import Constraint, Grammar, Vocabulary
from querent.meaning.profile import ColumnProfile, DatabaseProfile, KeyProfile
from querent.parser.decoding.candidates import with_joins_rewritten
from querent.parser.normal_form import NormalForm, vocabulary
from querent.parser.normal_form.join_rewriter import JoinRewriter

GRAMMAR = Grammar.for_schema(SCHOOLS, dialect="sqlite")
MEANT = pairs("joins")
ONE = "FROM school JOIN teacher ON school.id = teacher.school_id"
BY_LESSON = "FROM teacher JOIN lesson ON teacher.id = lesson.teacher_id"


def rewritten(sql: str, grammar: Grammar = GRAMMAR, profile: DatabaseProfile | None = None) -> str:
    return JoinRewriter(grammar, profile).of(Query(sql, grammar.dialect)).slotted


@pytest.fixture(scope="module")
def database() -> sqlite3.Connection:
    return opened()


@pytest.mark.parametrize("sql", MEANT)
def test_meant_joins(database: sqlite3.Connection, sql: str) -> None:
    due = MEANT[sql]
    found = rewritten(sql)
    assert found == rewritten(found) == due
    assert sorted(database.execute(found)) != sorted(database.execute(sql))
    constraint = Constraint(Vocabulary.build(GRAMMAR, [sql]))
    assert with_joins_rewritten(Query(sql, "sqlite"), JoinRewriter(GRAMMAR), constraint).sql == due


@pytest.mark.parametrize("sql", queries("joins_that_stay"))
def test_whatever_else_stays(sql: str) -> None:
    assert rewritten(sql) == sql


def _profile(**known: bool) -> DatabaseProfile:
    return DatabaseProfile(keys=(KeyProfile("teacher", ("school_id",), "school", ("id",), **known),))


@pytest.mark.parametrize(
    ("profile", "sql"),
    [
        (_profile(many=False), f"SELECT AVG(school.budget) {ONE}"),
        (
            DatabaseProfile({("teacher", "school_id"): ColumnProfile("key")}),
            "SELECT school.title FROM school WHERE school.id NOT IN (SELECT teacher.school_id FROM teacher)",
        ),
    ],
)
def test_what_data_tell_goes_before_what_is_declared(profile: DatabaseProfile, sql: str) -> None:
    assert rewritten(sql, profile=profile) == sql
    assert rewritten(sql) != sql


@pytest.mark.parametrize("dialect", ["mysql", "postgres"])
def test_servers(dialect: str) -> None:
    sql = f"SELECT SUM(teacher.wage) {BY_LESSON} WHERE lesson.subject = 'art'"
    assert rewritten(sql, Grammar.for_schema(SCHOOLS, dialect=dialect)) == MEANT[sql]
    slotted = sql.replace("'art'", "'{text0}' AND lesson.hours > {number1}")
    assert rewritten(slotted).endswith("WHERE lesson.subject = '{text0}' AND lesson.hours > {number1})")


def test_a_key_into_the_same_table() -> None:
    ddl = "CREATE TABLE worker (id INT PRIMARY KEY, boss INT REFERENCES worker (id), wage INT)"
    grammar = Grammar.for_schema(from_ddl(ddl, "sqlite"), dialect="sqlite")
    below = "FROM worker JOIN worker AS worker_2 ON worker.boss = worker_2.id WHERE worker.wage > 3"
    assert rewritten(f"SELECT SUM(worker_2.wage) {below}", grammar) == (
        f"SELECT SUM(worker.wage) FROM worker WHERE worker.id IN (SELECT worker_2.id {below})"
    )


def test_what_the_constraint_does_not_admit_stays() -> None:
    words = vocabulary(GRAMMAR, texts=1, numbers=1)
    sql = f"SELECT SUM(teacher.wage) {BY_LESSON} WHERE lesson.subject = '{{text0}}'"
    values, needed = {"text0": "art"}, len(words.encode(sql))
    query = Query(sql, "sqlite", (Value("text0", ValueMention(0, 3, "art", "text", "art")),))
    roomy, narrow = (Constraint(words, budget=budget) for budget in (60, needed))
    assert with_joins_rewritten(query, JoinRewriter(GRAMMAR), roomy) == JoinRewriter(GRAMMAR).of(query) != query
    assert narrow.admits(sql, values)
    assert with_joins_rewritten(query, JoinRewriter(GRAMMAR), narrow) is query


def test_rows_stay_where_no_join_repeats_and_nothing_is_missing() -> None:
    """The keys as declared let rows be repeated or missing; in these data they never are."""
    rng, normal = random.Random(5), NormalForm(GRAMMAR)
    changed = 0
    for _ in range(draws(30)):
        database = opened(random_rows(rng, paired=True))
        for _ in range(10):
            sql = normal.of(random_query(rng))
            found = rewritten(sql)
            changed += found != sql
            assert sorted(database.execute(found)) == sorted(database.execute(sql)), (sql, found)
    assert changed > draws(40)


def test_each_row_is_taken_once_whatever_the_data() -> None:
    """A sum over the rows that a join finds, each once, is the sum that is meant."""
    rng = random.Random(6)
    for _ in range(draws(40)):
        database = opened(random_rows(rng, paired=False))
        for _ in range(10):
            tables, rest = random_from(rng)
            for table, number in {"school": "budget", "teacher": "wage", "lesson": "hours"}.items():
                if table in tables:
                    found = rewritten(f"SELECT SUM({table}.{number}) {rest}")
                    once = f"SELECT SUM({number}) FROM (SELECT DISTINCT {table}.id, {table}.{number} {rest})"
                    assert database.execute(found).fetchall() == database.execute(once).fetchall(), found
