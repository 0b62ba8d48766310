"""Joins rewritten to what is meant."""

from __future__ import annotations

import random
import sqlite3

import pytest
from draws import draws
from schools import ROWS, SCHOOLS, opened, random_from, random_query, random_rows

from querent.data.schema.schema import Column, ForeignKey, Schema, Table
from querent.data.sql.query import Query
from querent.data.values.slots import Value, ValueMention
from querent.grammar import Constraint, Grammar, Vocabulary
from querent.meaning.profile import ColumnProfile, DatabaseProfile, KeyProfile
from querent.parser.decoding.rewritten import with_joins_rewritten
from querent.parser.normal_form import NormalForm, vocabulary
from querent.parser.normal_form.rewriting import JoinRewriter

GRAMMAR = Grammar.for_schema(SCHOOLS, dialect="sqlite")

ONE = "FROM school JOIN teacher ON school.id = teacher.school_id"
TWO = f"{ONE} JOIN lesson ON teacher.id = lesson.teacher_id"
BESIDE = f"{ONE} JOIN room ON school.id = room.school_id"
BY_LESSON = "FROM teacher JOIN lesson ON teacher.id = lesson.teacher_id"
TOOLS = "FROM teacher JOIN skill ON teacher.id = skill.teacher_id JOIN tool ON skill.tool_id = tool.id"


def rewritten(sql: str, grammar: Grammar = GRAMMAR, profile: DatabaseProfile | None = None) -> str:
    return JoinRewriter(grammar, profile).of(Query(sql, grammar.dialect)).slotted


@pytest.fixture(scope="module")
def database() -> sqlite3.Connection:
    return opened(ROWS)


MEANT = {
    # an aggregate takes each row of its table once
    f"SELECT SUM(teacher.wage) {BY_LESSON} WHERE lesson.subject = 'art'": (
        "SELECT SUM(teacher.wage) FROM teacher"
        " WHERE teacher.id IN (SELECT lesson.teacher_id FROM lesson WHERE lesson.subject = 'art')",
        [(14,)],
    ),
    f"SELECT AVG(school.budget) {ONE}": (
        "SELECT AVG(school.budget) FROM school WHERE school.id IN (SELECT teacher.school_id FROM teacher)",
        [(15.0,)],
    ),
    f"SELECT SUM(school.budget) {TWO} WHERE lesson.hours > 2 AND teacher.wage < 9 AND school.town = 'Ulm'": (
        "SELECT SUM(school.budget) FROM school WHERE school.town = 'Ulm' AND school.id IN (SELECT teacher.school_id"
        " FROM teacher JOIN lesson ON teacher.id = lesson.teacher_id WHERE lesson.hours > 2 AND teacher.wage < 9)",
        [(10,)],
    ),
    f"SELECT SUM(teacher.wage) {BESIDE} WHERE room.floor > 0": (
        "SELECT SUM(teacher.wage) FROM teacher"
        " WHERE teacher.school_id IN (SELECT room.school_id FROM room WHERE room.floor > 0)",
        [(12,)],
    ),
    f"SELECT school.town, SUM(school.budget) {ONE} GROUP BY school.town": (
        "SELECT school.town, SUM(school.budget) FROM school"
        " WHERE school.id IN (SELECT teacher.school_id FROM teacher) GROUP BY school.town",
        [("Ulm", 30)],
    ),
    f"SELECT SUM(school.budget) {ONE} WHERE teacher.wage < school.budget OR teacher.wage > 10": (
        "SELECT SUM(school.budget) FROM school WHERE EXISTS (SELECT * FROM teacher"
        " WHERE school.id = teacher.school_id AND (teacher.wage < school.budget OR teacher.wage > 10))",
        [(30,)],
    ),
    # its key is counted where groups repeat it
    f"SELECT lesson.subject, COUNT(teacher.id) {BY_LESSON} GROUP BY lesson.subject": (
        "SELECT lesson.subject, COUNT(DISTINCT teacher.id) FROM lesson"
        " JOIN teacher ON lesson.teacher_id = teacher.id GROUP BY lesson.subject",
        [("art", 2), ("maths", 1)],
    ),
    f"SELECT school.title, COUNT(teacher.id), COUNT(room.id) {BESIDE} GROUP BY school.id": (
        f"SELECT school.title, COUNT(DISTINCT teacher.id), COUNT(DISTINCT room.id) {BESIDE} GROUP BY school.id",
        [("Elm", 2, 3), ("Oak", 1, 1)],
    ),
    # what is joined for nothing else is what COUNT(*) counts
    f"SELECT COUNT(*) {BY_LESSON} WHERE lesson.subject = 'art'": (
        "SELECT COUNT(*) FROM teacher"
        " WHERE teacher.id IN (SELECT lesson.teacher_id FROM lesson WHERE lesson.subject = 'art')",
        [(2,)],
    ),
    f"SELECT COUNT(*) {TOOLS} WHERE tool.price > 1": (
        "SELECT COUNT(*) FROM teacher WHERE teacher.id IN (SELECT skill.teacher_id"
        " FROM skill JOIN tool ON skill.tool_id = tool.id WHERE tool.price > 1)",
        [(2,)],
    ),
    # who asks for a value of a key does not ask whether others have it, too
    f"SELECT school.title {ONE} WHERE teacher.school_id = 1": (
        "SELECT school.title FROM school WHERE school.id = 1",
        [("Elm",)],
    ),
    f"SELECT school.title {ONE} WHERE teacher.school_id = (SELECT MIN(room.school_id) FROM room) LIMIT 9": (
        "SELECT school.title FROM school WHERE school.id = (SELECT MIN(room.school_id) FROM room) LIMIT 9",
        [("Elm",)],
    ),
    f"SELECT school.title {ONE} WHERE teacher.school_id = 1 OR teacher.school_id IN (2, 3)": (
        "SELECT school.title FROM school WHERE school.id = 1 OR school.id IN (2, 3)",
        [("Elm",), ("Fir",), ("Oak",)],
    ),
    f"SELECT room.floor {BESIDE} WHERE teacher.school_id = 1 AND room.floor > 0": (
        "SELECT room.floor FROM room WHERE room.school_id = 1 AND room.floor > 0",
        [(1,), (2,)],
    ),
    # NOT IN looks at no NULL
    "SELECT school.title FROM school WHERE school.id NOT IN (SELECT teacher.school_id FROM teacher)": (
        "SELECT school.title FROM school"
        " WHERE school.id NOT IN (SELECT teacher.school_id FROM teacher WHERE teacher.school_id IS NOT NULL)",
        [("Fir",)],
    ),
    "SELECT COUNT(*) FROM teacher WHERE teacher.id NOT IN (SELECT lesson.teacher_id FROM lesson"
    " WHERE lesson.hours > 3 OR lesson.subject = 'art')": (
        "SELECT COUNT(*) FROM teacher WHERE teacher.id NOT IN (SELECT lesson.teacher_id FROM lesson"
        " WHERE (lesson.hours > 3 OR lesson.subject = 'art') AND lesson.teacher_id IS NOT NULL)",
        [(2,)],
    ),
}


@pytest.mark.parametrize("sql", MEANT)
def test_meant_joins(database: sqlite3.Connection, sql: str) -> None:
    due, rows = MEANT[sql]
    found = rewritten(sql)
    assert found == rewritten(found) == due
    assert sorted(database.execute(found)) == rows
    assert sorted(database.execute(sql)) != rows
    constraint = Constraint(Vocabulary.build(GRAMMAR, [sql]))
    assert with_joins_rewritten(Query(sql, "sqlite"), JoinRewriter(GRAMMAR), constraint).sql == due


@pytest.mark.parametrize(
    "sql",
    [
        f"SELECT SUM(lesson.hours) {BY_LESSON} WHERE teacher.wage > 5",  # nothing repeats a lesson
        f"SELECT MAX(teacher.wage) {BY_LESSON} WHERE lesson.subject = 'art'",
        f"SELECT COUNT(DISTINCT teacher.name) {BY_LESSON}",
        f"SELECT COUNT(*) {BY_LESSON} WHERE lesson.subject = 'art' AND teacher.wage > 5",  # which ones, nobody knows
        f"SELECT COUNT(*) {BY_LESSON} WHERE teacher.wage > 5",
        f"SELECT COUNT(*) {ONE} WHERE teacher.school_id = 1",  # of one school nobody asks how many it is
        f"SELECT SUM(teacher.wage), COUNT(*) {BY_LESSON}",
        f"SELECT COUNT(teacher.name) {BY_LESSON}",  # of cells, which are there as often as lessons
        f"SELECT COUNT(teacher.id) {BY_LESSON} WHERE teacher.id = 1",  # one teacher, who is met in so many lessons
        f"SELECT SUM(CASE WHEN teacher.wage > 5 THEN 1 ELSE 0 END) {BY_LESSON}",
        f"SELECT teacher.name {ONE}",  # those that have a school
        f"SELECT school.title {ONE} WHERE teacher.school_id = 1 AND teacher.wage > 5",
        f"SELECT school.town, COUNT(*) {ONE} WHERE teacher.school_id < 3 GROUP BY school.town",
        "SELECT COUNT(*) FROM teacher JOIN skill ON teacher.id = skill.teacher_id AND teacher.wage = skill.tool_id",
        f"SELECT SUM(teacher.wage * lesson.hours) {BY_LESSON}",
        f"SELECT lesson.subject, SUM(teacher.wage) {BY_LESSON} GROUP BY lesson.subject",  # nothing says it shorter
        f"SELECT teacher.name, COUNT(teacher.id) {BY_LESSON} WHERE lesson.hours > 1 GROUP BY teacher.id",
        f"SELECT teacher.name, COUNT(*) {BY_LESSON} GROUP BY teacher.id ORDER BY COUNT(*) DESC LIMIT 1",
        f"SELECT teacher.school_id {ONE} GROUP BY teacher.school_id ORDER BY COUNT(*) DESC LIMIT 1",
        f"SELECT teacher.name {BY_LESSON} WHERE lesson.hours > 1 GROUP BY teacher.id ORDER BY COUNT(*) LIMIT 1",
        "SELECT SUM(school.budget) FROM school LEFT JOIN teacher ON school.id = teacher.school_id",
        "SELECT SUM(school.budget) FROM school CROSS JOIN teacher WHERE teacher.wage > 5",
        "SELECT school.title FROM school WHERE school.id NOT IN"
        " (SELECT teacher.school_id FROM teacher WHERE teacher.school_id > 1)",
        "SELECT lesson.subject FROM lesson WHERE lesson.teacher_id NOT IN (SELECT teacher.id FROM teacher)",
        # to be there is asked, too
        f"SELECT teacher.name {BY_LESSON} WHERE NOT lesson.teacher_id IS NULL",
        f"SELECT teacher.name {BY_LESSON} WHERE lesson.teacher_id <> 1",
        f"SELECT MAX(teacher.wage) {BY_LESSON} WHERE lesson.teacher_id > 1",
        f"SELECT teacher.name {BY_LESSON} WHERE lesson.teacher_id = 1 OR teacher.wage > 5",
        f"SELECT teacher.name {BY_LESSON} WHERE lesson.teacher_id IN (SELECT skill.teacher_id FROM skill)",
        "SELECT lesson.subject FROM lesson WHERE EXISTS (SELECT * FROM teacher JOIN skill"
        " ON teacher.id = skill.teacher_id WHERE skill.teacher_id = lesson.teacher_id)",
        # who has no school must not come in
        f"SELECT teacher.name {ONE} WHERE school.id = 1 OR teacher.wage > 5",
        f"SELECT teacher.name {ONE} WHERE school.id IS NULL",
        "SELECT teacher.name FROM teacher JOIN school ON teacher.school_id = school.id"
        " WHERE school.id NOT IN (SELECT room.school_id FROM room WHERE room.school_id > 9)",
        f"SELECT teacher.name {ONE} WHERE NOT EXISTS (SELECT * FROM room WHERE room.school_id = school.id)",
    ],
)
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


@pytest.mark.parametrize("asked", ["school.id < 2", "NOT school.id IN (1, 3)", "(school.id = 1 OR school.id > 2)"])
def test_the_key_is_asked_where_rows_refer_to_it(database: sqlite3.Connection, asked: str) -> None:
    sql = f"SELECT teacher.name {ONE} WHERE {asked} AND teacher.wage > 0"
    found = rewritten(sql)
    assert "JOIN" not in found
    assert "teacher.school_id" in found
    assert sorted(database.execute(found)) == sorted(database.execute(sql))


def test_a_key_of_rows_that_all_refer_is_asked_however() -> None:
    every = DatabaseProfile({("teacher", "school_id"): ColumnProfile("key")})
    sql = f"SELECT teacher.name {ONE} WHERE school.id = 1 OR teacher.wage > 5"
    assert rewritten(sql, profile=every) == (
        "SELECT teacher.name FROM teacher WHERE teacher.school_id = 1 OR teacher.wage > 5"
    )


def test_slots_stay() -> None:
    sql = f"SELECT SUM(teacher.wage) {BY_LESSON} WHERE lesson.subject = '{{text0}}' AND lesson.hours > {{number1}}"
    assert rewritten(sql).endswith("WHERE lesson.subject = '{text0}' AND lesson.hours > {number1})")


@pytest.mark.parametrize("dialect", ["mysql", "postgres"])
def test_servers(dialect: str) -> None:
    sql = f"SELECT SUM(teacher.wage) {BY_LESSON} WHERE lesson.subject = 'art'"
    assert rewritten(sql, Grammar.for_schema(SCHOOLS, dialect=dialect)) == MEANT[sql][0]


def test_a_key_into_the_same_table() -> None:
    worker = Table(
        "worker",
        (Column("id", "int"), Column("boss", "int"), Column("wage", "int")),
        ("id",),
        (ForeignKey(("boss",), "worker", ("id",)),),
    )
    grammar = Grammar.for_schema(Schema((worker,)), dialect="sqlite")
    below = "FROM worker JOIN worker AS worker_2 ON worker.id = worker_2.boss WHERE worker_2.wage"
    assert rewritten(f"SELECT SUM(worker.wage) {below} > 3", grammar) == (
        "SELECT SUM(worker.wage) FROM worker WHERE worker.id IN (SELECT worker.boss FROM worker WHERE worker.wage > 3)"
    )
    assert rewritten(f"SELECT SUM(worker.wage) {below} > worker.wage", grammar) == (
        "SELECT SUM(worker.wage) FROM worker WHERE EXISTS (SELECT * FROM worker AS worker_2"
        " WHERE worker_2.boss = worker.id AND worker_2.wage > worker.wage)"
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
