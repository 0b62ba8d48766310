"""docs/knowledge.md is followed section by section, from its spreadsheet to the answers that it shows."""

from __future__ import annotations

import csv
import re
from io import StringIO
from pathlib import Path

import pytest
from draws import some
from pages import Page

import querent as face
from querent.knowledge.formulas.bank import DEEPEST
from querent.knowledge.formulas.reading import read_formulas, shipped_banks
from querent.knowledge.grounding.grounder import Grounder

_PAGE = Page("knowledge.md")
PAGE, section, blocks, said = _PAGE.text, _PAGE.section, _PAGE.blocks, _PAGE.said
ASK = re.compile(r'^querent ask tea\.sqlite "([^"]+)"(?: \S+ \S+)? +# (.+)$', re.MULTILINE)
SURENESS = re.compile(r"(nearest \S+ )?\b[01]\.\d+\b(  \d+\.\d\d s)?")
"""Confidences and seconds, and what is nearest: those of the day's network."""

pytestmark = pytest.mark.usefixtures("folder")


def plain(text: str) -> list[str]:
    """Return the lines of a text without what differs from day to day."""
    return [line.rstrip() for line in SURENESS.sub("…", text).splitlines()]


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the cache of all tests: what a network makes of the page's words is the same in each."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def folder(kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty folder with what the page puts into it before its first command."""
    monkeypatch.setenv("QUERENT_CACHE", str(kept))
    monkeypatch.chdir(tmp_path)
    (database,) = blocks("python", section("Ten minutes"))
    exec(database, {})
    (formulas,) = blocks("csv")
    (tmp_path / "formulas.csv").write_text(formulas, encoding="utf-8")
    return tmp_path


@pytest.fixture
def known(querent, folder) -> Path:
    """Return the page's knowledge.toml, with the concept that it adds."""
    assert querent(*said("Ten minutes")[0]).code == 0
    (concepts,) = blocks("toml")
    with (folder / "knowledge.toml").open("a", encoding="utf-8") as file:
        file.write(f"\n{concepts}")
    return folder / "knowledge.toml"


def test_every_command_is_followed_here():
    lines = [line for block in blocks("sh") for line in block.splitlines()]
    assert all(line.startswith("querent ") for line in lines)
    titles = re.findall(r"^## (.+)", PAGE, re.MULTILINE)
    assert {title: len(found) for title in titles if (found := said(title))} == {
        "Ten minutes": 3,
        "What is shipped": 1,
        "How it is grounded": 2,
        "How it is written": 5,
        "Evidence beside questions": 1,
    }
    assert len(blocks("python")) == 2


def test_the_spreadsheet_is_read_and_checked_as_shown(querent):
    read_in, check, _ = said("Ten minutes")
    shown = plain(blocks("text", section("Ten minutes"))[0])
    told = plain(querent(*read_in).out) + plain(querent(*check).out)
    assert [line for line in told if line in shown] == shown


def test_with_the_concept_all_formulas_are_there(querent, known):
    check = said("Ten minutes")[1]
    assert "6 of 6 formulas can be written on this database" in querent(*check).out


def test_the_answer_is_the_one_that_is_shown(querent, known):
    *_, command = said("Ten minutes")
    ended = querent(*command)
    assert (ended.code, plain(ended.out)) == (0, plain(blocks("text", section("Ten minutes"))[1]))


def test_heads_that_the_page_names_are_read(folder):
    intro = section("Ten minutes")
    chinese = re.findall(r"`([\u4e00-\u9fff]+)`", intro)
    english = ["name", "formula", "says", "kind", "unit", "note", "domain"]
    assert all(f"`{head}`" in intro for head in english)
    row = dict(zip(chinese, ["利润", "（a－b）×2÷c", "gain", "", "CHF", "each", "shop"], strict=True))
    told = StringIO()
    csv.writer(told).writerows([list(row), list(row.values())])
    (folder / "a.csv").write_text(told.getvalue(), encoding="gb18030")
    (one,) = read_formulas(folder / "a.csv").formulas
    assert (str(one), one.says, one.unit, one.note, one.domain) == (
        "利润 = (a-b)*2/c", ("gain",), "CHF", "each", "shop",
    )  # fmt: skip


def test_numbers_of_the_page_are_those_of_the_code():
    shipped = section("What is shipped")
    told = {name: int(many) for name, many in re.findall(r"`(\w+)` (\d+)[,.]", shipped)}
    assert told == {name: len(face.open_banks([name])) for name in shipped_banks()}
    assert shipped.lstrip().startswith(f"{len(told)} banks, {sum(told.values()):,} formulas")
    assert f"a confidence of `{Grounder.threshold:.1f}`".replace("0.", ".") in section("How it is grounded")
    assert DEEPEST == 5
    assert "five deep" in section("What a formula is")


def test_formulas_that_the_page_names_are_some(folder):
    rights = re.findall(r"\(`([^`]+)`(?:, `([^`]+)`)?\)", section("What a formula is").splitlines()[1])
    table = StringIO()
    csv.writer(table).writerows(
        [("name", "formula"), *((f"f{i}", one) for i, one in enumerate(sum(rights, ())) if one)]
    )
    (folder / "a.csv").write_text(table.getvalue(), encoding="utf-8")
    kinds = [one.kind for one in read_formulas(folder / "a.csv").formulas]
    assert kinds == ["calculation", "calculation", "condition", "condition", "union"]


def test_a_shipped_bank_answers_beside_ones_own(querent, known):
    (command,) = said("What is shipped")
    told = querent(*command, "--json").json
    assert [one["name"] for one in told["knowledge"]] == ["average order value"]
    assert told["rows"] == [[pytest.approx(241.57, abs=0.01)]]


def test_a_saying_is_found_and_a_formula_grounded(querent, known):
    search, ground = said("How it is grounded")
    assert 'late = "delivery time" > 5  («overdue»)' in querent(*search).out
    lines = querent(*ground).out.splitlines()
    assert lines[0].endswith("  net profit = profit - customs")
    assert lines[1] == '    ("sales"."revenue" - "sales"."cost") - "sales"."zoll"'
    assert lines[3].startswith("    customs: sales.zoll ")


def test_a_missing_concept_is_the_reason(querent):
    assert querent(*said("Ten minutes")[0]).code == 0  # and no concept is added
    told = querent(*said("Ten minutes")[2], "--json").json
    assert (told["sql"] is None or told["status"] == "unsure", told["knowledge"]) == (True, [])
    assert "customs: nothing here" in told["reason"]


@pytest.mark.parametrize("place", range(5))
def test_formulas_are_written_into_queries(querent, known, place):
    command = said("How it is written")[place]
    told = querent(*command, "--json").json
    assert (told["status"] in ("ok", "unsure"), len(told["knowledge"])) == (True, 1)
    shown = dict(ASK.findall(PAGE)).get(command[2])
    if shown is None:
        assert "key figures" in command[2]
        assert told["sql"] == "SELECT products.name, products.price, products.stock FROM products"
    else:
        assert sorted(_said(row) for row in told["rows"]) == shown.split(", ")


def _said(row):
    return " ".join(f"{cell:g}" if isinstance(cell, float) else str(cell) for cell in row)


def test_evidence_is_asked_with(querent):
    (asked,) = said("Evidence beside questions")
    told = querent(*asked, "--json").json
    assert (told["status"], told["rows"], [one["name"] for one in told["knowledge"]]) == ("ok", [[2]], ["swift"])


def test_python_asks_likewise(known, capsys):
    (code,) = blocks("python", section("From Python"))
    exec(code, {})
    first, used, swift = capsys.readouterr().out.splitlines()
    assert first.startswith("SELECT COUNT(*) FROM sales WHERE ")
    assert first.endswith(" ((2,),) ok")
    assert used.startswith('late late "delivery time" > 5 ')
    assert swift == "((2,),) ()"


def test_a_paraphrase_finds_no_formula(known):
    (paraphrase,) = re.findall(r"no alias names \(«(.+?)»\)", section("What it does not do"))
    bank = face.open_banks([known])
    assert face.Mentions(bank, face.open_schema("tea.sqlite")[0]).find(f"which {paraphrase}?") == []


ROW = re.compile(r"^\| ([^|]+[?？a-z1]) \| ([^|]*) \| ([^|]+) \|$", re.MULTILINE)


def told(answer: face.Answer) -> str:
    """Return an answer as the page prints it: its first row, and how many there are."""
    if answer.sql is None:
        return f"no answer: {str(answer.reason).partition(': ')[2].partition(';')[0]}"
    row = ", ".join(f"{cell:.4g}" if isinstance(cell, float) else str(cell) for cell in answer.rows[0])
    return f"{row} … {len(answer.rows)} rows" if len(answer.rows) > 1 else row


def test_the_plant_answers_as_the_page_says(monkeypatch):
    monkeypatch.delenv("QUERENT_CACHE")  # the plant is there already
    rows = [row for row in ROW.findall(section("Asked of a plant").replace("`", "")) if row[0] != "question"]
    assert len(rows) == 5
    rows += some(ROW.findall(Path(__file__).with_name("plant_formulas.txt").read_text("utf-8")), 4)
    with face.connect("plant", knowledge="process") as plant:
        for question, formula, shown in rows:
            answer = plant.ask(question)
            assert (told(answer), ", ".join(one.name for one in answer.knowledge)) == (shown, formula.strip()), question
            assert (answer.status == "no_answer") == (answer.sql is None)
