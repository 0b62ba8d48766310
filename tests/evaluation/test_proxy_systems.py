"""How systems are asked the proxy benchmarks, judged, and counted; and questions of others with two readings."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from bench.proxies.content import read
from bench.proxies.figures import figures
from bench.proxies.judging import equal, faults
from bench.proxies.rivals import KINDS, rivals
from bench.proxies.systems import SYSTEMS, talked
from querent.data.answer import Answer, Clarification, Option
from querent.data.databases.database import Database
from querent.data.databases.rows import Rows
from querent.data.databases.schema_readers import from_sqlite
from querent.data.domains.collection import Collection, Pair

SHOP = """
CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT, city TEXT, age INTEGER);
INSERT INTO customer VALUES
  (1, 'Ann', 'Oslo', 30), (2, 'Bob', 'Rome', 41), (3, 'Cid', 'Oslo', 52), (4, 'Dan', 'Rome', 27);
"""
COUNT = "SELECT COUNT(*) FROM customer"
OSLO, ROME = (f"{COUNT} WHERE city = '{city}' AND age > 28" for city in ("Oslo", "Rome"))


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    file = tmp_path_factory.mktemp("shop") / "shop.sqlite"
    with closing(sqlite3.connect(file)) as database:
        database.executescript(SHOP)
    return file


class Scripted:
    """A connection that gives the answers it is told, and remembers what it was told of the turns before."""

    def __init__(self, database, answers):
        self.database, self.schema, self.feedback = database, None, None
        self.answers, self.before = list(answers), []

    def ask(self, question, *, beam=4, evidence="", before=()):
        self.before.append([(turn.utterance, turn.sql) for turn in before])
        return self.answers.pop(0)

    def query(self, sql):
        return self.database.query(sql)


def turn(utterance, query, kind="open", **more):
    return {"utterance": utterance, "query": query, "kind": kind, "ordered": False, **more}


def run(shop, system, turns, *answers):
    with Database.open(shop) as database:
        connection = Scripted(database, answers)
        return list(talked(connection, SYSTEMS[system], turns)), connection.before


@pytest.mark.parametrize(
    ("system", "told"),
    [
        ("alone", []),
        ("state", [("how many?", ROME)]),
        ("state, no query", [("how many?", "")]),
        ("state, no utterances", [("", ROME)]),
        ("feedback", [("how many?", COUNT)]),
        ("feedback, no clarification", [("how many?", COUNT)]),
    ],
)
def test_a_system_recalls_what_it_should_and_is_corrected_where_it_should_be(shop, system, told):
    turns = [turn("how many?", COUNT), turn("in Oslo?", OSLO)]
    records, before = run(shop, system, turns, Answer("how many?", ROME), Answer("in Oslo?", OSLO))
    assert before == [[], told]
    assert [one["right"] for one in records] == [False, True]
    assert records[0]["faults"] == ("condition spurious",)


def asked_back(*readings):
    options = tuple(Option(sql, sql) for sql in readings)
    answer = Answer("people of the place?", readings[0], status="unsure")
    return Answer(**{**vars(answer), "clarification": Clarification("value", "which?", options)})


def test_the_user_takes_the_option_that_is_meant_and_need_not_say_it_again(shop):
    several = turn("people of the place?", ROME, "ambiguous value", readings=[COUNT, ROME], reply="of Rome")
    turns = [several, turn("of Rome", ROME, "reply"), turn("in Oslo?", OSLO)]
    records, before = run(shop, "feedback", turns, asked_back(COUNT, ROME), Answer("in Oslo?", OSLO))
    assert [one["kind"] for one in records] == ["ambiguous value", "open"]
    assert records[0]["all offered"]
    assert records[0]["right option"]
    assert before[1] == [("people of the place?", ROME)]


def test_who_is_not_asked_back_says_what_was_meant(shop):
    several = turn("people of the place?", ROME, "ambiguous value", readings=[COUNT, ROME], reply="of Rome")
    turns = [several, turn("of Rome", ROME, "reply")]
    answers = [Answer("people of the place?", COUNT), Answer("of Rome", ROME)]
    records, before = run(shop, "feedback", turns, *answers)
    assert [(one["kind"], one["right"]) for one in records] == [("ambiguous value", True), ("reply", True)]
    assert not records[0]["meant"]
    assert before[1] == [("people of the place?", COUNT)]


def test_an_option_that_is_not_taken_is_not_right(shop):
    answers = [asked_back(OSLO, ROME)]
    taken, _ = run(shop, "feedback", [turn("in Rome?", ROME)], *answers)
    left, _ = run(shop, "state", [turn("in Rome?", ROME)], *answers)
    assert (taken[0]["right"], taken[0]["right at once"]) == (True, False)
    assert not left[0]["right"]


@pytest.mark.parametrize(
    ("sql", "found"),
    [
        (None, ("nothing",)),
        ("SELECT COUNT(*) FROM shop WHERE city = 'Oslo' AND age > 28", ("table",)),
        ("SELECT AVG(age) FROM customer WHERE city = 'Oslo' AND age > 28", ("column", "aggregate")),
        ("SELECT COUNT(*) FROM customer WHERE city = 'Rome' AND age > 28", ("value",)),
        ("SELECT COUNT(*) FROM customer WHERE age > 28", ("condition missing",)),
        (f"{OSLO} AND id = 3", ("condition spurious",)),
        (f"{OSLO} GROUP BY city", ("group",)),
        (f"{OSLO} LIMIT 1", ("order",)),
        (OSLO, ("other",)),
    ],
)
def test_each_fault_is_told(sql, found):
    assert faults(sql, OSLO) == found


def test_rows_are_compared_as_people_would():
    one, other = Rows(("a", "b"), [("12.0", "x"), ("3", "y")]), Rows(("b", "a"), [("y", 3), ("x", 12)])
    assert equal(one, other, ordered=False)
    assert not equal(one, other, ordered=True)
    assert not equal(None, other, ordered=False)


def test_a_query_that_fails_has_no_rows(shop):
    with Database.open(shop) as database:
        assert database.attempt("SELECT nothing FROM customer") is None


def record(number, right, **more):
    told = {
        "database": "retail_a",
        "dialogue": 0,
        "number": number,
        "length": 2,
        "kind": "filter",
        "gold": COUNT,
        "sql": COUNT,
        "asked": None,
    }
    told |= {"status": "ok", "right": right, "right at once": right, "right option": False, "faults": ("value",)}
    return told | {"all offered": False, "all found": True} | more


def test_figures_are_shares_of_what_they_are_about():
    none = record(1, False, gold="", kind="unanswerable why", status="unsure", dialogue=1)
    several = record(0, True, kind="ambiguous table", dialogue=1, asked="table", **{"all offered": True})
    asked = record(1, False, status="unsure", asked="column", **{"right option": True})
    found = figures([record(0, True), asked, several, none])
    assert (found["turns"], found["ex"], found["ok"], found["right of ok"]) == (2, 0.5, 0.5, 1.0)
    assert found["whole dialogues"] == 0.5
    assert found["by turn"] == {"1": {"turns": 1, "ex": 1.0}, "2": {"turns": 1, "ex": 0.0}}
    assert found["faults of the wrong"] == {"value": 1.0}
    assert found["asked on clear ones"] == {"times": 1, "changed": 1.0}
    assert found["ambiguous"]["by kind"]["table"]["all readings offered"] == 1.0
    assert found["unanswerable"]["called ok"] == 0.0


@pytest.fixture(scope="module")
def changed(shop, tmp_path_factory):
    queries = ("SELECT name FROM customer WHERE age > 28", "SELECT AVG(age) FROM customer", COUNT)
    pairs = tuple(Pair(f"shop-{number}", "shop", sql, sql) for number, sql in enumerate(queries))
    collection = Collection("shops", "en", pairs, {"shop": from_sqlite(shop)}, {"shop": shop})
    return list(rivals(collection, tmp_path_factory.mktemp("rivals"), most=9))


def test_rivals_of_each_kind_run_and_differ(changed):
    assert {rival.kind for rival, _ in changed} == set(KINDS)
    for rival, place in changed:
        with closing(sqlite3.connect(place)) as database:
            one, other = (database.execute(sql).fetchall() for sql in rival.golds)
        assert one
        assert one != other, rival


def test_rivals_are_called_and_joined_as_said(changed):
    golds = {(rival.kind, rival.pair.id): rival.golds for rival, _ in changed}
    assert golds["table", "shop-2"] == ("SELECT COUNT(*) FROM clients", "SELECT COUNT(*) FROM patrons")
    assert [sql.split('"')[1] for sql in golds["column", "shop-0"]] == ["title", "label"]
    assert ("column", "shop-1") not in golds  # a mean of cells that were moved on is the same
    assert golds["aggregate", "shop-1"][1] == 'SELECT "average_age" FROM "customer_summary"'
    assert " JOIN customer_name_info ON " in golds["join", "shop-0"][1]


def test_synonyms_are_pairs_of_words_of_their_own():
    for kind, told in read("synonyms").items():
        for word, others in told.items():
            assert len({word, *others}) == 3, (kind, word)
