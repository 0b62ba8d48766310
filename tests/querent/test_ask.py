"""`querent ask`: what is shown, to people and to scripts."""

import json
from typing import Any

import pytest
from rich.console import Console

import querent as face
from querent.answers.answer import Answer, Clarification, Option
from querent.commands import ask as ask_command
from querent.commands.printing import print_json, show_explanation
from querent.data.databases.database import Database
from querent.data.databases.rows import Rows
from querent.data.errors import DatabaseError, InputError
from querent.parser.answering.explaining import Explanation, ReadValue, Step

QUESTION = "which albums of artists from Germany came out before 1990?"
STRANGE = "which zeppelins of artists from Germany flew before 1990?"
SURE, UNSURE = 3.0, -3.0  # biases of the calibration


pytestmark = pytest.mark.usefixtures("cache")


# --- the command


@pytest.mark.parametrize(
    ("bias", "answerable", "status", "code"),
    [(SURE, 0.9, "ok", 0), (UNSURE, 0.9, "unsure", 0), (SURE, 0.01, "no_answer", 1)],
)
def test_one_question(querent, music, saved_network, bias, answerable, status, code) -> None:
    asked = STRANGE if status == "no_answer" else QUESTION
    parser = saved_network(bias=bias, answerable=answerable)
    shown = querent("ask", music, asked, "--parser", parser, "--alternatives", "--beam", 3)
    assert (shown.code, shown.err) == (code, "")
    answer = querent("ask", music, asked, "--parser", parser, "--json", "--beam", 3)
    assert (answer.code, answer.err) == (code, "")
    said = answer.json
    assert set(said) == set(Answer.__dataclass_fields__)
    assert (said["status"], said["question"]) == (status, asked)
    assert f"{status}  confidence {said['confidence']:.2f}" in shown.out
    assert (said["reason"] is None) == (status == "ok")
    assert said["reason"] is None or said["reason"] in shown.out
    if status == "no_answer":
        assert (said["sql"], said["rows"], said["alternatives"]) == (None, [], [])
        assert "SELECT" not in shown.out
        return
    assert shown.out.splitlines()[0] == said["sql"]
    for other in said["alternatives"]:
        assert f"  {other['confidence']:.2f}  {other['sql']}" in shown.out.splitlines()
    assert all(column in shown.out for column in said["columns"])


def rounded(told: Any) -> Any:
    """Return what JSON makes of it; texts encoded side by side with others differ in the last digits."""
    return json.loads(json.dumps(told), parse_float=lambda digits: round(float(digits), 5))


def test_an_explanation_follows_the_answer(querent, music, saved_network) -> None:
    arguments = ("ask", music, QUESTION, "--parser", saved_network(), "--beam", 2)
    told = querent(*arguments, "--explain", "--json").json
    plain = querent(*arguments, "--json").json
    assert set(told) == {*plain, "explain"}
    explain = told["explain"]
    assert (explain["sql"], explain["question"], explain["level"]) == (plain["sql"], QUESTION, "runs")
    assert explain["steps"][-1]["word"] == "<eos>"
    with face.connect(music, parser=saved_network()) as connection:
        assert rounded(connection.explain(QUESTION, beam=2).to_json()) == rounded(explain)
        with pytest.raises(InputError, match="empty"):
            connection.explain(" ")
    shown = querent(*arguments, "--explain")
    assert (shown.code, shown.err) == (0, "")
    lines = shown.out.splitlines()
    assert lines[0] == plain["sql"]
    for value in explain["values"]:
        period = f", {value['span']}" if value["span"] else ""
        assert f"{value['value']}{period} {value['probability']:.2f}, {value['kind']}" in shown.out
    steps = lines[next(i for i, line in enumerate(lines) if line.startswith("word ")) + 1 :]
    implied = sum(bool(step["implied"]) for step in explain["steps"])
    assert len(steps) == len(explain["steps"]) + implied
    assert steps[-1].startswith("(end) ")


def test_a_question_without_a_query_is_explained_by_what_was_read(capsys) -> None:
    told = Explanation("q", None, None, 0.25, None, (), (), (), (), 5, 9, "runs", ())
    show_explanation(told, Console(width=100))
    text = capsys.readouterr().out
    assert "no query could be written" in text
    assert "5 of 9" in text
    assert "0.25" in text


def test_an_explanation_without_a_local_constraint_has_no_columns_of_it(capsys) -> None:
    value = ReadValue("one", "[b]1[/b]", "number", "literal", (), ("text0", "number0"), 0.5, True)
    steps = (Step("SELECT", 0.75), Step("{number0}", 0.5), Step("{text7}", 0.5), Step("<eos>", 1.0))
    told = Explanation("q", "SELECT 1", -1.0, 0.25, None, (value,), (), (), (), 5, 9, None, steps)
    show_explanation(told, Console(width=100))
    text = capsys.readouterr().out
    assert "any word may follow any other" in text
    assert "‹one› is [b]1[/b] 0.50, number, literal" in text  # values are no markup
    assert "refused" not in text
    assert [line.split()[0] for line in text.splitlines()[-4:]] == ["SELECT", "[b]1[/b]", "{text7}", "(end)"]


def test_a_query_that_the_database_refuses_ends_with_one(querent, music, saved_network, monkeypatch) -> None:
    def fail(self: Any, sql: str, **_: Any) -> None:
        raise DatabaseError("disk I/O error")

    with face.connect(music, parser=saved_network()):
        pass  # the index is there now
    parser = saved_network()
    assert querent("ask", music, QUESTION, "--parser", parser, "--beam", 1).code in (0, 1)  # its values are indexed
    monkeypatch.setattr(Database, "query", fail)
    shown = querent("ask", music, QUESTION, "--parser", parser, "--beam", 1)
    assert shown.code == 1
    assert "error  confidence 0.00" in shown.out
    assert "disk I/O error" in shown.out


def test_typed_bytes_that_are_no_text_are_told(querent, music, saved_network) -> None:
    parser = saved_network()
    line = querent("ask", music, "--parser", parser, stdin=b"how many \xff?\n").error()
    assert "field 'question': not UTF-8" in line


# --- what is shown


def shown(answer: Answer, capsys: pytest.CaptureFixture[str], **given: Any) -> str:
    ask_command.show(answer, Console(width=100), **given)
    return capsys.readouterr().out


def test_rows_are_cut_and_counted(capsys) -> None:
    rows = tuple((n, None if n else "x [b]y[/b]") for n in range(25))
    text = shown(Answer("q", "SELECT 1", ("n [red]", "text"), rows, status="ok"), capsys)
    assert "n [red]" in text
    assert "x [b]y[/b]" in text  # cells are no markup
    assert "NULL" in text
    assert "… 5 more rows" in text
    assert " 19 " in text
    assert " 20 " not in text
    assert "… 5+ more rows" in shown(Answer("q", "SELECT 1", ("n", "t"), rows, truncated=True), capsys)
    assert "… 20 more rows" in shown(Answer("q", "SELECT 1", ("n", "t"), rows), capsys, most=5)
    assert "more rows" not in shown(Answer("q", "SELECT 1", ("n", "t"), rows[:20]), capsys)


def test_cells_that_json_does_not_know_are_written_as_text(querent, odd, saved_network, monkeypatch) -> None:
    with face.connect(odd, parser=saved_network()):
        pass  # the index is there now
    cells = (b"\x00\xff", 9e999, None, "北京", 2**70)
    parser = saved_network()
    assert querent("ask", odd, "files", "--parser", parser, "--beam", 1).code in (0, 1)  # its values are indexed
    monkeypatch.setattr(Database, "query", lambda self, sql, **_: Rows(tuple("abcde"), [cells]))
    found = querent("ask", odd, "files", "--parser", parser, "--json", "--beam", 1)
    assert "北京" in found.out
    (row,) = found.json["rows"]
    assert row == ["00ff", "inf", None, "北京", str(2**70)]


def test_cells_of_a_question_back_are_json_as_well(capsys):
    option = Option("all", "SELECT 9e999", ("a",), ((float("inf"),),))
    answer = Answer("all?", "SELECT 9e999", ("a",), option.rows, clarification=Clarification("columns", "?", (option,)))
    print_json(answer)
    told = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    assert told["rows"] == told["clarification"]["options"][0]["rows"] == [["inf"]]
