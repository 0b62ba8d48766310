"""What a database says is shown on a terminal, and never obeyed by it."""

import csv
import io
import json
import logging
import sqlite3
from contextlib import closing
from decimal import Decimal

import pytest
from rich.text import Text

from querent.answers.answer import Alternative, Answer
from querent.commands.printing import show
from querent.commands.serving import make_visible
from querent.console import Terminal, json_line, write_csv

HOSTILE = "a\x1b]0;owned\x07b\x9b31m\u202etxt.exe\u2066\r\x00\ud800"
OBEYED = [sign for sign in HOSTILE if not sign.isascii() or ord(sign) < 32]


def shown(answer: Answer) -> str:
    stream = io.StringIO()
    show(answer, Terminal(file=stream, force_terminal=True, width=100, no_color=True), alternatives=True)
    return stream.getvalue()


def test_cells_names_queries_and_reasons_are_shown_escaped():
    column = f"col{HOSTILE}"
    answer = Answer(
        HOSTILE, f"SELECT '{HOSTILE}'", (column,), ((HOSTILE,), (f"x\ty\n{HOSTILE}",)), confidence=0.5, status="unsure",
        reason=f"called {HOSTILE}", alternatives=(Alternative(f"SELECT {HOSTILE}", 0.1, -1.0),), like=HOSTILE,
    )  # fmt: skip
    text = shown(answer)
    assert not [sign for sign in OBEYED if sign in text.replace("\x1b[", "")]  # rich's own styles begin so
    assert "\x1b]" not in text
    assert text.count(r"\x9b31m\u202etxt.exe\u2066") == 7


def test_what_is_printed_otherwise_is_escaped_too():
    stream = io.StringIO()
    console = Terminal(file=stream, force_terminal=True)
    console.print(f"no table {chr(27)}[2J", Text("a\u202eb", style="red"), style="bold")
    assert "\x1b[2J" not in stream.getvalue()
    assert "\\x1b" in stream.getvalue()
    assert "\\u202e" in stream.getvalue()
    assert "\x1b[1m" in stream.getvalue()  # styles are not text


def test_json_is_the_same_data_and_shows_no_control_character():
    line = json_line({"cell": HOSTILE, "中": 1.5})
    assert json.loads(line) == {"cell": HOSTILE, "中": 1.5}
    assert line.encode().decode() == line
    assert not [sign for sign in OBEYED if sign in line]
    assert "中" in line


ROWS = ("a", -5, Decimal("-2.50"), None, "=1+1", "+49 170", "-1", "@SUM(A1)", "\t=1", "\r=1", "a\r\nb", b"\x00=")
SAFE = ["a", "-5", "-2.50", "", "'=1+1", "'+49 170", "'-1", "'@SUM(A1)", "'\t'=1", r"'\r=1", "a\nb", "003d"]


def test_a_spreadsheet_runs_no_cell_of_a_csv_and_a_terminal_obeys_none():
    for formulas in (False, True):
        stream = io.StringIO(newline="")
        write_csv(stream, ("=HYPERLINK()", f"x{HOSTILE}"), [(one, HOSTILE) for one in ROWS], formulas=formulas)
        text = stream.getvalue()
        assert not [sign for sign in OBEYED if ord(sign) < 0x2000 and sign in text.replace("\r\n", "")]
        text.encode()  # no half characters
        head, *rows = csv.reader(io.StringIO(text, newline=""))
        safe = [one.replace("'", "") for one in SAFE] if formulas else SAFE
        assert [row[0] for row in rows] == safe
        assert head[0] == ("=HYPERLINK()" if formulas else "'=HYPERLINK()")


@pytest.mark.parametrize("separator", ",;\t")
def test_no_cell_begins_a_formula_however_a_spreadsheet_parts_them(separator):
    texts = ["a;=1+1", 'a, b;"=1+1"', "a;;  @x", "a\t-1", "a\n=1", "a\r\n+1", '"a\n";=1', "x;y;＝1", '";"";=1']
    stream = io.StringIO(newline="")
    write_csv(stream, ["n;=1", "m"], [("x, y", text) for text in texts])
    rows = [*csv.reader(io.StringIO(stream.getvalue(), newline=""), delimiter=separator)]
    rows += [line.split(separator) for line in stream.getvalue().splitlines()]  # where quotes hold nothing together
    assert not [cell for row in rows for cell in row if cell.lstrip(' "').startswith(tuple("=+-@＝"))]


def test_a_log_and_a_grammar_on_a_terminal_are_shown_and_not_obeyed(querent, tmp_path, monkeypatch):
    record = logging.LogRecord("querent.serving", logging.WARNING, "", 1, "%s cannot be read", (HOSTILE,), None)
    assert make_visible(record)
    assert not [sign for sign in OBEYED if sign in record.getMessage()]
    with closing(sqlite3.connect(tmp_path / "x.sqlite")) as database:
        database.execute('CREATE TABLE t ("a\x9b31m" TEXT)')
    assert "\x9b" in querent("grammar", "export", tmp_path / "x.sqlite").out  # for whoever reads it as a grammar
    monkeypatch.setenv("FORCE_COLOR", "1")  # rich takes it for a terminal then
    assert r"\x9b31m" in (shown := querent("grammar", "export", tmp_path / "x.sqlite").out)
    assert "\x9b" not in shown


def test_errors_show_neither_escapes_nor_passwords(querent, tmp_path):
    line = querent("ask", f"{tmp_path}/\x1b[31m.sqlite", "how many?").error()
    assert r"\x1b[31m.sqlite" in line
    line = querent("ask", "mysql+pymysql://me:zebra@okapi@127.0.0.1:1/db?password=tapir", "how many?").error()
    assert not [secret for secret in ("zebra", "okapi", "tapir") if secret in line]
