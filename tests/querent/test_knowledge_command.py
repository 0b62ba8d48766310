"""`querent knowledge`: formulas checked, searched, grounded, and taken from files of others."""

from __future__ import annotations

import json
import re

import pytest

import querent as face

pytestmark = pytest.mark.usefixtures("cache")

OWN = """
domain = "music"

[concepts]
rating = ["stars"]

[[formula]]
name = "mean rating"
says = ["average stars"]
kind = "calculation"
is = 'AVG(rating)'

[[formula]]
name = "old record"
kind = "condition"
is = 'year < 1980'
note = "before the disc"

[[formula]]
name = "old record"
kind = "condition"
is = 'year < 1990'

[[formula]]
name = "wage share"
kind = "calculation"
is = 'SUM("wages of musicians") / SUM(rating)'
"""
SHEET = "name,formula\nmean stars,AVG(review.stars)\nplace,RANK(stars)\n"


@pytest.fixture
def own(tmp_path):
    (tmp_path / "knowledge.toml").write_text(OWN, encoding="utf-8")
    return tmp_path / "knowledge.toml"


@pytest.fixture
def sheet(tmp_path):
    (tmp_path / "sheet.csv").write_text(SHEET, encoding="utf-8")
    return tmp_path / "sheet.csv"


def test_check_tells_what_there_is(querent, own):
    shown = querent("knowledge", "check", own)
    assert shown.code == 0
    assert "4 formulas" in shown.out
    assert re.search(r"calculation of a group\W+2\b", shown.out)
    assert re.search(r"condition\W+2\b", shown.out)
    assert "old record: there 2 times, which is allowed\n    = year < 1980  (before the disc)\n" in shown.out
    told = querent("knowledge", "check", own, "--json").json
    assert told == {
        "formulas": 4,
        "kinds": {"calculation of a group": 2, "condition": 2},
        "twice": {"old record": ["year < 1980", "year < 1990"]},
        "refused": [],
    }


def test_check_tells_what_a_database_does_not_have(querent, own, music):
    shown = querent("knowledge", "check", own, "--database", music)
    assert shown.code == 0  # a bank may know more than a database
    assert "3 of 4 formulas can be written on this database" in shown.out
    assert re.search(r"^wages of musicians: nothing here.*  \(of wage share\)$", shown.out, re.MULTILINE)
    assert "rating: nothing here" not in shown.out
    told = querent("knowledge", "check", own, "--database", music, "--json").json
    assert (told["grounded"], list(told["nowhere"])) == (3, ["wages of musicians"])
    assert told["nowhere"]["wages of musicians"]["needed_by"] == ["wage share"]


def test_check_fails_where_a_formula_cannot_be_read(querent, sheet, own):
    shown = querent("knowledge", "check", sheet)
    assert shown.code == 1
    assert "1 formula" in shown.out
    assert "cannot be read: " in shown.out
    assert "sheet.csv:3, field 'formula': 'place': no function 'RANK' here" in shown.out
    own.write_text(OWN.replace("year < 1980", "year <"), encoding="utf-8")
    assert "knowledge.toml:13, field 'is'" in querent("knowledge", "check", own).error()


def test_search_tells_which_formulas_a_question_names(querent, own, music):
    asked = ("knowledge", "search", "the Average Stars of old records", "--knowledge", own)
    lines = querent(*asked).out.splitlines()
    assert [line.split("  ")[1] for line in lines] == [
        "mean rating = AVG(rating)", "old record = year < 1980", "old record = year < 1990",
    ]  # fmt: skip
    assert "(«Average Stars», music)" in lines[0]
    found = [json.loads(line) for line in querent(*asked, "--database", music, "--json").out.splitlines()]
    assert [one["name"] for one in found] == ["mean rating", "old record", "old record"]
    assert found[0] | {"score": 1} == {
        "said": "Average Stars", "name": "mean rating", "is": "AVG(rating)", "kind": "calculation",
        "domain": "music", "score": 1,
    }  # fmt: skip
    assert "names no formula" in querent("knowledge", "search", "who sings?", "--knowledge", own).out
    assert "the question is empty" in querent("knowledge", "search", " ", "--knowledge", own).error()


def test_ground_tells_scripts_all_of_it(querent, own, music):
    records = [json.loads(line) for line in querent("knowledge", "ground", own, music, "--json").out.splitlines()]
    assert [one["name"] for one in records] == ["mean rating", "old record", "old record", "wage share"]
    mean, *_, wages = records
    assert (mean["sql"], mean["concepts"]["rating"][0], mean["missing"]) == (
        'AVG("review"."stars")', "review.stars", {},
    )  # fmt: skip
    assert wages["sql"] is None
    assert list(wages["missing"]) == ["wages of musicians"]
    shown = querent("knowledge", "ground", own, music, "wage share").out
    assert shown.startswith("missing  wage share = ")
    assert "    wages of musicians: nothing here" in shown
    strict = querent("knowledge", "ground", own, music, "old record", "--threshold", 1, "--json")
    loose = querent("knowledge", "ground", own, music, "old record", "--threshold", 0, "--json")
    assert all(json.loads(line)["missing"] for line in strict.out.splitlines())
    assert not any(json.loads(line)["missing"] for line in loose.out.splitlines())


def test_a_spreadsheet_is_grounded_as_it_stands(querent, sheet, music):
    sheet.write_text(SHEET.replace("RANK(stars)", "MAX(stars)"), encoding="utf-8")
    mean, place = (json.loads(one) for one in querent("knowledge", "ground", sheet, music, "--json").out.splitlines())
    assert (mean["sql"], mean["confidence"]) == ('AVG("review"."stars")', 1.0)
    assert place["sql"] == 'MAX("review"."stars")'


def test_import_writes_what_can_be_read_and_tells_the_rest(querent, sheet, tmp_path):
    shown = querent("knowledge", "import", sheet, "--out", "own.toml")
    assert (shown.code, shown.out) == (0, "own.toml: 1 formula, 1 could not be read\n")
    assert "sheet.csv:3, field 'formula': 'place': no function 'RANK' here" in shown.err
    (formula,) = face.open_banks([tmp_path / "own.toml"]).formulas
    assert str(formula) == "mean stars = AVG(review.stars)"
    sheet.write_text(SHEET.replace("AVG", "BEST"), encoding="utf-8")
    assert "no formula that can be read" in querent("knowledge", "import", sheet, "--out", "own.toml").error()


def test_a_connection_lends_its_formulas(own, music):
    with face.connect(music, knowledge=own) as connection:
        assert connection.knowledge is not None
        assert len(connection.knowledge.bank) == 4
    with face.connect(music) as connection:
        assert connection.knowledge is None
