"""Evidence as BIRD writes it: its pieces become formulas over the columns that they name, or are told with why not."""

from __future__ import annotations

import pytest

from querent.data.schema.schema import Schema
from querent.knowledge.evidence.names import NameBinder
from querent.knowledge.evidence.reading import read_evidence
from querent.knowledge.evidence.tokens import pieces

TABLES = {
    "boat": "boat_id INTEGER, name TEXT, decks INTEGER, built DATE",
    "crossing": "crossing_id INTEGER, boat_id INTEGER, departs INTEGER, fee REAL, cost REAL, seats_left INTEGER, "
    "status TEXT, sailed DATE, landed DATE, Total Fee REAL",
    "captain": "captain_id INTEGER, name TEXT, first_name TEXT, last_name TEXT, gender TEXT, home_town TEXT",
}
"""The first column of each is its key."""


@pytest.fixture(scope="module")
def ferries():
    tables = []
    for table, told in TABLES.items():
        columns = [dict(zip(("name", "type"), one.rsplit(" ", 1), strict=True)) for one in told.split(", ")]
        tables.append({"name": table, "columns": columns, "primary_key": [columns[0]["name"]]})
    return Schema.from_json({"tables": tables, "name": "ferries"})


@pytest.fixture(scope="module")
def names(ferries):
    return NameBinder(ferries)


@pytest.fixture
def only(names):
    """Read an evidence that is one formula."""

    def read(text, **more):
        found = read_evidence(text, names, **more)
        assert found.unread == ()
        (formula,) = found.bank.formulas
        return formula

    return read


@pytest.mark.parametrize(
    ("text", "name", "right"),
    [
        ("women refers to gender = 'F'", "women", "captain.gender = 'F'"),
        ("the early boats refer to departs < 8.", "early boats", "crossing.departs < 8"),
        ("'Blue Gull' is the name of the boat", "Blue Gull", "boat.name = 'Blue Gull'"),
        ("Lund is a home town", "Lund", "captain.home_town = 'Lund'"),
        ('"Lund" refers to the home_town', "Lund", "captain.home_town = 'Lund'"),
        ("Lund is a place which refers to home_town = 'Lund'", "Lund", "captain.home_town = 'Lund'"),
        ("a crossing is late if status = 'late'", "late", "crossing.status = 'late'"),
        ("no-show is a state where status = 'gone' and seats_left > 0", "no-show",
         "crossing.status = 'gone' AND crossing.seats_left > 0"),
        ("status = 'late'", "late", "crossing.status = 'late'"),
        ("busy stands for seats_left BETWEEN '0' AND '3'", "busy", "crossing.seats_left BETWEEN 0 AND 3"),
        ("dear means that `Total Fee` > = 1,000", "dear", 'crossing."Total Fee" >= 1000'),
        ("dear means Total Fee >= 20", "dear", 'crossing."Total Fee" >= 20'),
        ("odd refers to status = 'lost' or 'sunk'", "odd", "crossing.status = 'lost' OR crossing.status = 'sunk'"),
        ("odd refers to status IN ('lost', 'sunk')", "odd", "crossing.status IN ('lost', 'sunk')"),
        ("mine refers to first_name = 'O''Neil'", "mine", "captain.first_name = 'O''Neil'"),
        ("mine refers to first_name = Ann", "mine", "captain.first_name = 'Ann'"),
        ("a gull refers to boat.name which contains 'Gull'", "gull", "boat.name LIKE '%Gull%'"),
        ("at sea refers to landed is null", "at sea", "crossing.landed IS NULL"),
        ("back refers to landed NOT null", "back", "NOT crossing.landed IS NULL"),
        ("mid-size refers to 2 < decks <= 4", "mid-size", "2 < boat.decks AND boat.decks <= 4"),
        ("in 2019 refers to YEAR(sailed) = 2019", "in 2019",
         "crossing.sailed >= '2019-01-01' AND crossing.sailed < '2020-01-01'"),
        ("after 2019 refers to strftime('%Y', sailed) > '2019'", "after 2019", "crossing.sailed >= '2020-01-01'"),
        ("then refers to substr(sailed, 1, 4) BETWEEN '2018' AND '2019'", "then",
         "crossing.sailed >= '2018-01-01' AND crossing.sailed < '2020-01-01'"),
        ("in May refers to SUBSTR(sailed, 1, 7) = '2019-05'", "in May", "crossing.sailed LIKE '2019-05%'"),
        ("slow refers to SUBTRACT(landed, sailed) > 2", "slow", "DAYS(crossing.sailed, crossing.landed) > 2"),
    ],
)  # fmt: skip
def test_what_compares_is_a_condition(only, text, name, right):
    formula = only(text)
    assert (formula.kind, formula.name, formula.expression.text) == ("condition", name, right)


SHARE = "(COUNT(CASE WHEN crossing.status = 'late' THEN 1 END) / COUNT(crossing.crossing_id)) * 100"


@pytest.mark.parametrize(
    ("text", "name", "right"),
    [
        ("profit = SUBTRACT(fee, cost)", "profit", "crossing.fee - crossing.cost"),
        ("profit can be computed as fee - cost", "profit", "crossing.fee - crossing.cost"),
        ("share = DIVIDE(COUNT(status = 'late'), COUNT(crossing_id)) * 100", "share", SHARE),
        ("share = DIVIDE(SUM(status = 'late'), COUNT(crossing_id)) * 100%", "share", SHARE),
        ("share = [count(status = 'late') / count(crossing_id)] * 100%", "share", SHARE),
        ("MULTIPLY(DIVIDE(COUNT(status = 'late'), COUNT(crossing_id)), 100) as share", "share", SHARE),
        ("share = (DIVIDE(COUNT(status = 'late')), (COUNT(crossing_id)))*100", "share", SHARE),  # a bracket too many
        ("share = MULTIPLY(DIVIDE(COUNT(status = 'late'), COUNT(crossing_id)), 100", "share", SHARE),
        ("rate = DIVIDE(COUNT(crossing_id where status = 'late'), COUNT(crossing_id), 1.0)", "rate",
         "COUNT(CASE WHEN crossing.status = 'late' THEN crossing.crossing_id END) / COUNT(crossing.crossing_id)"),
        ("rate = COUNT(crossing_id(seats_left < 3)) / SUM(fee)", "rate",
         "COUNT(CASE WHEN crossing.seats_left < 3 THEN crossing.crossing_id END) / SUM(crossing.fee)"),
        ("gain = SUM(fee where status = 'late', departs > 8)", "gain",
         "SUM(CASE WHEN crossing.status = 'late' AND crossing.departs > 8 THEN crossing.fee END)"),
        ("gain = SUM(CASE WHEN status = 'late' THEN fee ELSE 0 END)", "gain",
         "SUM(CASE WHEN crossing.status = 'late' THEN crossing.fee END)"),
        ("gain = SUBTRACT(SUM(fee), SUM(cost)) where status = 'late'", "gain",
         "SUM(CASE WHEN crossing.status = 'late' THEN crossing.fee END) - "
         "SUM(CASE WHEN crossing.status = 'late' THEN crossing.cost END)"),
        ("gap = SUBTRACT(COUNT(gender = 'F'), COUNT(gender = 'M'))", "gap",
         "COUNT(CASE WHEN captain.gender = 'F' THEN 1 END) - COUNT(CASE WHEN captain.gender = 'M' THEN 1 END)"),
        ("crew = MULTIPLY(ADD(decks, 2), 3)", "crew", "(boat.decks + 2) * 3"),
        ("highest profit refers to MAX(SUBTRACT(fee, cost))", "profit", "crossing.fee - crossing.cost"),
        ("duration = julianday(landed) - julianday(sailed)", "duration", "DAYS(crossing.sailed, crossing.landed)"),
        ("mean fee = AVG(fee)", "mean fee", "AVG(crossing.fee)"),
        ("boats = SUM(boat.boat_id)", "boats", "COUNT(boat.boat_id)"),  # of a key the rows are meant
        ("SUBTRACT(fee, cost)", "difference", "crossing.fee - crossing.cost"),
        ("DIVIDE(SUM(fee), SUM(cost)) * 100", "percentage", "(SUM(crossing.fee) / SUM(crossing.cost)) * 100"),
        ("profit = SUTRACT(fee, cost)", "profit", "crossing.fee - crossing.cost"),
        ("discount = MULTIPLY(fee, 30%)", "discount", "crossing.fee * 0.3"),
    ],
)  # fmt: skip
def test_what_reckons_is_a_calculation(only, text, name, right):
    formula = only(text)
    assert (formula.kind, formula.name, formula.expression.text) == ("calculation", name, right)


@pytest.mark.parametrize("text", ["full name = first_name, last_name", "full name refers to first_name + last_name"])
def test_columns_side_by_side_are_a_union(only, text):
    formula = only(text)
    assert (formula.kind, formula.name) == ("union", "full name")
    assert formula.expression.text == "captain.first_name, captain.last_name"


def test_a_column_by_another_name_is_what_a_concept_is_called(names):
    found = read_evidence("sex refers to gender; women refers to sex = 'F'; toll stands for Total Fee", names)
    assert [str(one) for one in found.bank.formulas] == ["women = captain.gender = 'F'"]
    assert found.bank.concepts == {"sex": ("gender",), "toll": ("total fee",)}


@pytest.mark.parametrize(
    ("text", "called"),
    [
        ("Lund and Malmo are home towns", []),
        ("Lund and Malmo are names of the boat", ["Lund", "Malmo"]),
        ("'Lund', \"Malmo\" and 'Ystad & Co' are the home_town", ["Lund", "Malmo", "Ystad & Co"]),
        ("Lund or Malmo are ports which refer to home_town", ["Lund", "Malmo"]),
        ("Salt and Sons is a name of a boat", ["Salt and Sons"]),
    ],
)
def test_one_piece_may_tell_several_texts(names, text, called):
    formulas = read_evidence(text, names).bank.formulas
    assert [one.name for one in formulas] == called
    assert all(one.expression.text.endswith(f" = '{one.name}'") for one in formulas)


def test_one_piece_uses_another(names):
    found = read_evidence("rich refers to net gain > 10; net gain = SUBTRACT(fee, cost)", names)
    assert [str(one) for one in found.bank.formulas] == [
        'rich = "net gain" > 10', "net gain = crossing.fee - crossing.cost",
    ]  # fmt: skip
    assert set(found.bank.parts(found.bank.formulas[0])) == {"net gain"}
    circle = read_evidence("gain = SUBTRACT(profit, 1); profit = ADD(gain, 1)", names)
    assert len(circle.bank) == 1
    assert "formulas in a circle" in circle.unread[0][1]


@pytest.mark.parametrize(
    ("text", "question", "right"),
    [
        ("Ann refers to captain.name = 'Ann'", "", "captain.name = 'Ann'"),
        ("Ann refers to T1.name = 'Ann'", "", "name = 'Ann'"),
        ("Ann refers to the name = 'Ann' from boat", "", "boat.name = 'Ann'"),
        ("captain Ann refers to name = 'Ann'", "", "captain.name = 'Ann'"),
        ("Ann refers to name = 'Ann' and decks > 2", "", "boat.name = 'Ann' AND boat.decks > 2"),
        ("Ann refers to name = 'Ann'", "Which captain is called Ann?", "captain.name = 'Ann'"),
        ("Ann refers to name = 'Ann'", "Who is Ann?", "name = 'Ann'"),
        ("few refers to COUNT(boat_id) < 3", "", "COUNT(boat.boat_id) < 3"),  # whose key it is
    ],
)
def test_which_table_is_meant(names, text, question, right):
    found = read_evidence(text, names, question=question)
    assert found.bank.formulas[0].expression.text == right


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("oldest refers to MIN(built)", "a superlative"),
        ("most sailings refers to MAX(COUNT(boat_id))", "a superlative"),
        ("above average refers to fee > AVG(fee)", "needs a query of its own"),
        ("gap = SUBTRACT(fee where departs = 8, fee where departs = 9)", "need a query of their own"),
        ("age = SUBTRACT(2024, YEAR(built))", "a part of a date or text"),
        ("age = strftime('%m', built)", "a part of a date or text"),
        ("qty is abbreviation for quantity", "words, no formula"),
        ("boat and vessel are synonyms", "words, no formula"),
        ("late refers to the boats that came in after they should have", "words, no formula"),
        ("root = SQRT(fee)", "no function 'SQRT'"),
        ("fee > 20", "nobody says what it is called"),
        ("late refers to skipper.name = 'Ann'", "no column skipper.name"),
        ("late refers to", "nothing behind it"),
        ("gap = SUBTRACT(fee(departs = 8), fee(departs = 9))", "need a query of their own"),
        ("half = DIVIDE(CASE WHEN fee)", "CASE without a value"),
        (f"deep = {'(' * 3000}fee", "more than 60 brackets"),
        ("many = COUNT('late')", "COUNT of a text"),
        ("late refers to status = 'late' > 5", "compared twice"),
        ("half = DIVIDE(fee)", "arithmetic of one value"),
        ("half = 1 / 2", "names no column"),
    ],
)
def test_what_is_no_formula_is_told(names, text, said):
    found = read_evidence(f"women refers to gender = 'F'; {text}", names)
    assert [one.name for one in found.bank.formulas] == ["women"]
    ((piece, why),) = found.unread
    assert piece == text
    assert said in why


def test_pieces_end_at_semicolons_outside_of_quotes_and_brackets():
    assert pieces(" a = 'x; y' ; b (c; d);; e's f; \"g;h\". ") == ["a = 'x; y'", "b (c; d)", "e's f", '"g;h"']


def test_without_a_schema_columns_are_concepts():
    text = "tip rate = DIVIDE(SUM(tipAmount), SUM(rides.fare)); dear refers to fare > 9"
    found = read_evidence(text, NameBinder(None))
    assert [str(one) for one in found.bank.formulas] == [
        'tip rate = SUM("tip amount") / SUM(rides.fare)', "dear = fare > 9",
    ]  # fmt: skip
