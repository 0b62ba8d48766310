"""The formulas that a question names, told to a language model behind it."""

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest
from cases import table
from scripted import Masked, Scripted, fenced

import querent
from querent.data.errors import InputError
from querent.encoders import Encoder, load_encoder
from querent.grammar import Access
from querent.knowledge.formulas.reading import open_banks
from querent.llm import session as llm_session
from querent.llm.messages import Message
from querent.llm.named import NamedFormulas

pytestmark = pytest.mark.usefixtures("cache")

DDL = """
CREATE TABLE sales (id INTEGER PRIMARY KEY, shop TEXT, revenue REAL, costs REAL, "order" REAL);
CREATE TABLE workers (id INTEGER PRIMARY KEY, name TEXT, age INTEGER, gender TEXT);
INSERT INTO sales VALUES (1, 'North', 100, 60, 3), (2, 'South', 80, 90, 4);
INSERT INTO workers VALUES (1, 'Ann Lee', 17, 'F'), (2, 'Bob Day', 44, 'M');
"""
BANK = """
domain = "finance"
[[formula]]
name = "EBIT"
says = ["operating profit", "息税前利润"]
kind = "calculation"
is = "revenue - costs"
[[formula]]
name = "minor"
kind = "condition"
is = "age < 18"
[[formula]]
name = "women"
kind = "condition"
is = "gender IN ('female', 'F', '女')"
[[formula]]
name = "cost share"
kind = "union"
is = "costs, revenue"
[[formula]]
name = "power factor"
kind = "calculation"
is = '"active power" / EBIT'
[[formula]]
name = "yield of old"
kind = "calculation"
is = "shops.yield / 2"
[[formula]]
name = "mean order"
kind = "calculation"
is = 'AVG(sales."order")'
"""
SQL = "SELECT SUM(revenue - costs) FROM sales"


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """Write the database, and its bank beside it."""
    file = tmp_path / "plants.sqlite"
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(DDL)
    (tmp_path / "knowledge.toml").write_text(BANK, encoding="utf-8")
    return file


def last(messages: Sequence[Message]) -> str:
    """Return the last line of a prompt."""
    return messages[-1].content.splitlines()[-1]


def test_the_formulas_of_a_question_stand_behind_it(database: Path) -> None:
    """In SQL of the database, and the answer tells them."""
    backend = Scripted([fenced(SQL)] * 2)
    with querent.connect_llm(database, backend, knowledge=database.parent) as connection:
        answer = connection.ask("What is the EBIT of minors in North?")
        unnamed = connection.ask("How many workers are there in North?")
    named, plain = backend.asked
    assert last(named) == "Formulas: EBIT = sales.revenue - sales.costs; minor: workers.age < 18"
    assert named[-1].content.splitlines()[-2] == "Named: North in sales.shop"
    assert [(use.name, use.said, use.domain) for use in answer.knowledge] == [
        ("EBIT", "EBIT", "finance"),
        ("minor", "minors", "finance"),
    ]
    assert answer.knowledge[0].grounded == "sales.revenue - sales.costs"
    assert answer.knowledge[0].confidence > 0.6
    assert answer.rows == ((30.0,),)
    assert last(plain) == "Named: North in sales.shop"
    assert unnamed.knowledge == ()


@pytest.fixture(scope="module")
def e5() -> Encoder:
    """Load it out of the user's cache: to convert it takes ten seconds."""
    return load_encoder("e5")


def test_chinese_questions_have_a_chinese_prompt(e5: Encoder, database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the question calls a formula is told with its name."""
    monkeypatch.setattr(llm_session, "load_encoder", {"e5": e5}.__getitem__)
    backend = Scripted([fenced(SQL)])
    with querent.connect_llm(database, backend, knowledge=database.parent) as connection:
        answer = connection.ask("息税前利润是多少？")
    assert last(backend.asked[0]) == "公式：息税前利润 (EBIT) = sales.revenue - sales.costs"
    assert [(use.name, use.said) for use in answer.knowledge] == [("EBIT", "息税前利润")]


@pytest.mark.parametrize(("question", "dialect", "text"), table(__file__, "a_formula_is_told_as_the_question_calls_it"))
def test_a_formula_is_told_as_the_question_calls_it(database: Path, question: str, dialect: str, text: str) -> None:
    """With its name unless both are nearly the same, and the quotes that its columns need."""
    formulas = NamedFormulas(querent.open_schema(database)[0], open_banks([database.parent]), dialect, "en")
    assert formulas(question) == text


def test_solved_questions_are_shown_with_their_formulas(database: Path, tmp_path: Path) -> None:
    """As they are with their values."""
    solved = tmp_path / "solved.jsonl"
    solved.write_text(json.dumps({"question": "the EBIT of North", "sql": SQL}), encoding="utf-8")
    backend = Scripted([fenced(SQL)])
    with querent.connect_llm(database, backend, knowledge=database.parent, examples=solved) as connection:
        connection.ask("EBIT of South")
    assert backend.asked[0][1].content == (
        "Question: the EBIT of North\nNamed: North in sales.shop\nFormulas: EBIT = sales.revenue - sales.costs"
    )


def test_only_what_may_be_read_is_what_a_formula_means(database: Path) -> None:
    """The rest stays over its concepts, and a column that is named outright is not told at all."""
    backend = Masked([fenced("SELECT revenue FROM sales")] * 2)
    access = Access(columns={"sales": ("id", "shop", "revenue"), "workers": ("id", "name")})
    with querent.connect_llm(database, backend, knowledge=database.parent, access=access) as connection:
        answers = [connection.ask(question) for question in ("EBIT of women", "the mean order")]
    assert last(backend.asked[0]) == ("Formulas: EBIT = revenue - costs; women: gender IN ('female', 'F', '女')")
    assert backend.asked[1][-1].content.endswith("Question: the mean order")
    assert [answer.knowledge for answer in answers] == [(), ()]


def test_no_encoder_is_loaded_without_a_bank(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes a moment, and its package may not be there."""

    def refuse(name: str) -> Encoder:
        raise InputError(f"the encoder {name} is not installed", field="encoder")

    monkeypatch.setattr(llm_session, "load_encoder", refuse)
    backend = Scripted([fenced(SQL)])
    with querent.connect_llm(database, backend, language="en") as connection:
        assert connection.ask("What is the EBIT?").knowledge == ()
    with pytest.raises(InputError, match="e5 is not installed"):
        querent.connect_llm(database, backend, language="en", knowledge=database.parent)
