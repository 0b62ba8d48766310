"""How the scripts of bench/accuracy measure on the frozen benchmarks: what users do, what oracles give, figures."""

import databases
import pytest

from bench.accuracy import formulas, knowbench, proxies
from querent.answers.answer import Answer, Clarification, Option
from querent.data.databases.database import Database

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
    databases.create(file, SHOP)
    return file


class Scripted:
    """A connection that gives prepared answers, and remembers the turns that it was given."""

    def __init__(self, database, answers):
        self.database, self.schema, self.feedback = database, None, None
        self.answers, self.before = list(answers), []

    def ask(self, question, before=(), **_):
        self.before.append([(turn.utterance, turn.sql) for turn in before])
        return self.answers.pop(0)

    def query(self, sql):
        return self.database.query(sql)


def turn(utterance, query, kind="open", **more):
    return {"utterance": utterance, "query": query, "kind": kind, **more}


def run(shop, system, turns, *answers):
    with Database.open(shop) as database:
        connection = Scripted(database, answers)
        return list(proxies.talked(connection, proxies.SYSTEMS[system], turns)), connection.before


@pytest.mark.parametrize(
    ("system", "before"),
    [
        ("alone", []),
        ("state", [("how many?", ROME)]),
        ("state, no query", [("how many?", "")]),
        ("state, no utterances", [("", ROME)]),
        ("feedback", [("how many?", COUNT)]),
        ("feedback, no clarification", [("how many?", COUNT)]),
    ],
)
def test_a_system_recalls_what_it_should_and_its_user_corrects_where_she_should(shop, system, before):
    turns = [turn("how many?", COUNT), turn("in Oslo?", OSLO)]
    records, given = run(shop, system, turns, Answer("how many?", ROME), Answer("in Oslo?", OSLO))
    assert given == [[], before]
    assert [one["right"] for one in records] == [False, True]


def asked_back(*readings):
    clarification = Clarification("value", "which?", tuple(Option(sql, sql) for sql in readings))
    return Answer("people of the place?", readings[0], status="unsure", clarification=clarification)


SEVERAL = turn("people of the place?", ROME, "ambiguous value", readings=[COUNT, ROME], reply="of Rome")


def test_the_user_takes_the_option_that_is_meant_and_need_not_say_it_again(shop):
    turns = [SEVERAL, turn("of Rome", ROME, "reply"), turn("in Oslo?", OSLO)]
    records, before = run(shop, "feedback", turns, asked_back(COUNT, ROME), Answer("in Oslo?", OSLO))
    assert [one["kind"] for one in records] == ["value", "open"]
    assert records[0]["all found"]
    assert records[0]["right option"]
    assert before[1] == [("people of the place?", ROME)]


def record(number, right, **more):
    one = {"layout": "a", "dialogue": 0, "number": number, "turn": number + 1, "kind": "filter", "gold": COUNT}
    one |= {"ambiguous": False, "asked": False, "ok": True, "refused": False, "right": right, "right at once": right}
    return one | {"right option": False, "all found": True} | more


def test_figures_are_shares_of_the_turns_that_they_are_about():
    none = record(1, False, gold="", kind="why", ok=False, dialogue=1)
    several = record(0, True, kind="table", ambiguous=True, dialogue=1, asked=True)
    asked = record(1, False, ok=False, asked=True, **{"right option": True})
    found = proxies.figures([record(0, True), asked, several, none])
    assert (found["turns"], found["ex"], found["ok"], found["right of ok"]) == (2, 0.5, 0.5, 1.0)
    assert (found["whole dialogues"], found["ex of follow-ups"]) == (0.5, 0.0)
    assert found["by turn"] == {"1": {"turns": 1, "ex": 1.0, "ok": 1.0}, "2": {"turns": 1, "ex": 0.0, "ok": 0.0}}
    assert found["asked on clear ones"] == {"times": 1, "changed": 1.0}
    assert found["ambiguous"]["by kind"]["table"]["asked"] == 1.0
    assert (found["unanswerable"]["turns"], found["unanswerable"]["called ok"]) == (1, 0.0)


def test_an_oracle_gives_the_right_columns_and_the_network_writes_the_formula():
    home = knowbench.unpacked("knowbench") / "en"
    path, several = next(iter(knowbench.questions(home, "test").items()))
    chosen = [next(one for one in several if one["kind"] == kind) for kind in ("calculation", "none")]
    how = {"parser": "shipped", "language": "en"}
    bank = knowbench.bank_of(home)
    records = list(formulas.answered({path: chosen}, bank, "oracle-grounding", **how))
    assert [one["found"] for one in records] == [True, True]
    hits, given, gold = records[0]["columns"]
    assert hits == given == gold > 0
    assert records[0]["used"]
    figures = formulas.figures(records)
    assert (figures["n"], figures["n plain"]) == (1, 1)
    assert (figures["precision"], figures["recall"], figures["retrieved"]) == (1.0, 1.0, 1.0)
    assert figures["by field"] == {"estate": {"n": 1, "ex": figures["ex"]}}
    (without,) = formulas.answered({path: chosen[:1]}, bank, "none", **how)
    assert (without["used"], without["found"]) == ([], False)
