"""Pages of docs/ are followed: their commands run, their programs say what they tell, their figures are the code's."""

from __future__ import annotations

import contextlib
import hashlib
import inspect
import io
import json
import os
import re
import shutil
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer
from pages import Page, commands_in

import querent as face
from querent.authoring.starting import starters
from querent.batch import BatchPredictor
from querent.commands.cli import app, main
from querent.commands.prompt import HELP
from querent.data.databases import query_process, rows, sqlite_session
from querent.serving.roles import SHORTEST_TOKEN, read_roles
from querent.serving.settings import ServingSettings

ROOT = Path(__file__).resolve().parents[2]
BATCH, CONVERSATION, DESCRIBE, FILES, GUIDE = (
    Page(f"{name}.md") for name in ("batch", "conversation", "describe", "files", "your-domain")
)
SECURITY = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
PROGRAMS = [BATCH.blocks("python")[1], *CONVERSATION.blocks("python"), *DESCRIBE.blocks("python")]


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_says_what_stands_behind_its_lines(program, querent, tmp_path):
    (toml,) = DESCRIBE.blocks("toml")
    (tmp_path / "mine.toml").write_text(toml, encoding="utf-8")
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(program, {})
    assert said.getvalue().splitlines() == re.findall(r"^ *print.*  # (.*)$", program, re.MULTILINE)


# --- batch.md, conversation.md, describe.md


def test_batches_add_the_columns_of_the_table():
    with contextlib.closing(BatchPredictor("shop")) as predictor:
        found = predictor({"question": np.array(["how many customers are there?"])})
    assert {"question", *re.findall(r"`(\w+)`", " ".join(re.findall(r"^\| (`.*?) \|", BATCH.text, re.M)))} == {*found}


def test_the_prompt_answers_as_it_is_shown(querent):
    shown = CONVERSATION.blocks("")[0]
    turns = re.findall(r"^\? (.*)\n(SELECT .*)$", shown, re.MULTILINE)
    assert len(turns) == 7
    (asked_back, *_) = re.findall(r"^There is no .*\n  1 .*$", shown, re.MULTILINE)
    said = querent("ask", "shop", stdin="\n".join(question for question, _ in turns)).out
    written = re.findall(r"SELECT .*", re.sub(r"^(still|now) .*", "", said, flags=re.MULTILINE))
    assert written == [sql for _, sql in turns]
    assert asked_back in said
    assert all(f"`{command}" in CONVERSATION.text for command in re.findall(r"^  (:\w+)", HELP, re.MULTILINE))


def test_descriptions_are_written_and_each_field_is_told(querent, cache):
    commands = [command for block in DESCRIBE.blocks("sh") for command in commands_in(block)]
    assert [querent(*command[1:]).code for command in commands] == [0] * 4
    fields = ("name", "hidden", "kind", "first", "yes", "refers", "key")
    assert [one for one in fields if f"`{one}`" not in DESCRIBE.section("What you know better")] == []


# --- SECURITY.md


def test_the_limits_are_those_that_the_page_tells():
    timeout = inspect.signature(face.Database.open).parameters["timeout"].default
    assert timeout == ServingSettings.query_seconds
    assert f"takes {timeout:g} seconds at most" in SECURITY
    assert query_process._GRACE == 1
    assert "killed a second after its time" in SECURITY
    assert f"takes {query_process.MEMORY // 1_000_000} MB at most" in SECURITY
    assert f"{ServingSettings.rows:,} rows (`--rows`) and {rows.LARGEST_RESULT // 1_000_000} MB at most" in SECURITY
    assert f"no value of over {sqlite_session._LONGEST_VALUE // 1_000_000} MB" in SECURITY


# --- files.md


def test_files_are_asked_as_it_shows(querent, tmp_path, cache):
    (tmp_path / "exports").mkdir()
    for name, text in zip(["customers", "orders"], FILES.blocks(""), strict=True):
        (tmp_path / "exports" / f"{name}.csv").write_text(text, encoding="utf-8")
    (commands,) = (commands_in(block) for block in FILES.blocks("sh"))
    said = [querent(*command[1:]) for command in commands]
    assert [one.code for one in said] == [0, 0, 0, 0]
    highest, oslo, february, described = (" ".join(one.out.split()) for one in said)
    assert all(told in highest for told in re.search(r"answers `(SELECT .*?)`, `([\d.]+)`;", FILES.text).groups())
    assert "customers.customer_id = orders.customer_id" in oslo
    assert [word for word in oslo.split() if word.isdecimal()] == ["2"]
    assert [word for word in february.split() if word.isdecimal()][-1] == "2"
    assert "D/M/Y text" in described
    assert "found, not declared" in described
    with face.connect(tmp_path / "exports") as database:
        told = {column.name: column.description for column in database.schema.table("orders").columns}
    assert told == {"order_id": "", "customer_id": "", "order_date": ""} | {
        "unit_price": "Unit Price (€)", "discount": "Discount in %",
    }  # fmt: skip


def test_the_table_of_cells_is_true(tmp_path):
    """The rows that name cells in backticks; what each becomes is in tests/data/test_files_as_databases.py."""
    kinds = {"whole numbers": "integer", "numbers with fractions": "real", "ISO texts": "date"}
    for cells, stored in re.findall(r"^\| (`.*) \| (.*) \|$", FILES.text, re.MULTILINE):
        for number, told in enumerate(cells.split("; ") if stored in kinds else ()):
            file = tmp_path / f"{len(stored)}{number}.tsv"
            written = [cell for cell in re.findall(r"`(.*?)`", told) if "T" not in cell]
            file.write_text("\n".join(["heading", *written]), encoding="utf-8")
            (column,) = face.open_schema(face.database_place(str(file)))[0].tables[0].columns
            assert column.type == kinds[stored], written


def test_notes_stand_on_standard_error_without_their_place_in_the_code(tmp_path, cache, capsys):
    (tmp_path / "s.csv").write_text("Report\na,b\n1,2\n", encoding="utf-8")
    with warnings.catch_warnings(), pytest.raises(SystemExit) as ended:
        warnings.simplefilter("always")
        main(["describe", str(tmp_path / "s.csv")])
    assert ended.value.code == 0
    assert capsys.readouterr().err.splitlines() == [f"note: {tmp_path / 's.csv'}: 1 row above the headings not read"]


# --- page.md

SERVED = Page("page.md")
TOKEN = "a-token-that-the-page-has-written"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the files that the page writes; the boss has the token."""
    folder = tmp_path_factory.mktemp("page")
    roles, sales = SERVED.blocks("toml", SERVED.section("Who may ask what"))
    digests = re.findall(r'"(.{64})"', roles)
    own = roles.replace(digests[0], hashlib.sha256(TOKEN.encode()).hexdigest())
    (folder / "roles.toml").write_text(own, encoding="utf-8")
    (folder / "sales.toml").write_text(sales, encoding="utf-8")
    (folder / "token").write_text(f"{TOKEN}\n", encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def port(place: Path) -> Iterator[str]:
    """Return the port of the page's server of one shop."""
    pytest.importorskip("uvicorn", reason="pip install '.[serve]'")
    if shutil.which("curl") is None:
        pytest.skip("no curl")
    command = [
        sys.executable,
        "-c",
        "from querent.commands.cli import app, main; main()",
        "serve",
        "shop",
        "--port",
        "0",
    ]
    environment = {name: value for name, value in os.environ.items() if name != "QUERENT_TOKEN"}
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as run:
        assert run.stdout is not None
        found = re.search(r":(\d+)/", run.stdout.readline())
        assert found
        yield found[1]
        run.terminate()


def told_by(script: str, place: Path, port: str) -> list[Any]:
    """Return what a block of commands prints, an object a line."""
    here = script.replace("localhost:8000", f"localhost:{port}").replace("python3 ", f"{sys.executable} ")
    ended = 'curl() { command curl "$@" && echo; }; '  # as a terminal would begin a line after each
    command = ["bash", "-euo", "pipefail", "-c", ended + here]
    run = subprocess.run(command, cwd=place, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in run.stdout.splitlines() if line.strip()]


def test_its_commands_of_the_interface_answer(place: Path, port: str) -> None:
    leaning, streamed, chosen, others, guarded = SERVED.blocks("sh", SERVED.section("The interface"))
    (second,) = told_by(leaning, place, port)
    assert "2023" in second["answer"]["sql"]
    assert len(second["conversation"]["turns"]) == 2
    steps = told_by(streamed, place, port)
    assert [one["step"] for one in steps] == ["values", "queries", "answer"]
    assert steps[-1]["explanation"]["steps"]
    (choice,) = told_by(chosen, place, port)
    assert choice["answer"]["sql"]
    validated, schema, about, health = told_by(others, place, port)
    assert (validated["runs"], validated["nearest"] is not None) == (False, True)
    assert (schema["database"], about["role"], health) == ("shop", "everybody", {"status": "ok"})
    assert told_by(guarded, place, port) == [schema]


def test_its_roles_are_read(place: Path) -> None:
    roles = read_roles(place / "roles.toml", ["shop", "plant"])
    boss, sales = roles.all
    assert roles.of(TOKEN) == boss
    assert [(boss.sees(name), sales.sees(name)) for name in ("shop", "plant")] == [(True, True), (True, False)]
    assert sales.feedback == place / "sales.jsonl"


def test_its_token_is_long_enough(place: Path) -> None:
    (making,) = re.findall(r"^python3 -c .* > token$", SERVED.text, re.MULTILINE)
    subprocess.run(["bash", "-c", making.replace("python3", sys.executable)], cwd=place.parent, check=True)
    made = (place.parent / "token").read_text(encoding="utf-8").strip()
    assert len(made) >= SHORTEST_TOKEN
    sums = subprocess.run(
        ["bash", "-c", f'TOKEN={made}; printf %s "$TOKEN" | sha256sum'], capture_output=True, check=True
    )
    assert sums.stdout.decode().split()[0] == hashlib.sha256(made.encode()).hexdigest()


def test_its_defaults_are_those_of_the_command() -> None:
    options = {one.opts[0]: one.default for one in typer.main.get_command(app).commands["serve"].params}  # type: ignore[attr-defined]
    table = dict(re.findall(r"^\| `(--[\w-]+)` \| ([\d,]+)", SERVED.text, re.MULTILINE))
    assert table
    assert {name: float(value.replace(",", "")) for name, value in table.items()} == {
        name: float(options[name]) for name in table
    }


def test_its_pictures_are_there_and_light() -> None:
    pictures = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", SERVED.text)
    assert len(pictures) == 5
    for picture in pictures:
        file = ROOT / "docs" / picture
        assert file.read_bytes().startswith(b"\x89PNG"), picture
        assert file.stat().st_size < 150_000, picture


# --- your-domain.md

SMALL = ["optim.epochs=1", "augment.sampled=0", "augment.rehearsed=0", "eval.dev_examples=2", "eval.train_examples=2"]
SMALL += ["eval.beam=1"]
"""A test needs no long training; the last of two settings holds."""


def follow(querent, commands):
    ended = {}
    for command in commands:
        found = querent(*command[1:], *(SMALL if command[1] == "train" else []))
        refused = command[1] == "ask" and "no_answer" in found.out  # so it should be on a database of another kind
        assert found.code == 0 or refused, (command, found.err or found.out)
        ended[command[1]] = found
    return ended


@pytest.mark.slow
def test_the_guide_leads_to_answers(querent, tmp_path, monkeypatch):
    monkeypatch.setattr(starters, "_SAMPLED", 25)
    (made,), (questions,) = GUIDE.blocks("python"), GUIDE.blocks("text")
    exec(made, {})
    new, *rest = [command for block in GUIDE.blocks("sh") for command in commands_in(block)]
    follow(querent, [new])
    prototypes, functions = GUIDE.blocks("toml")
    (tmp_path / "library" / "functions.toml").write_text(functions, encoding="utf-8")
    (tmp_path / "library" / "prototypes" / "loans.toml").write_text(prototypes, encoding="utf-8")
    (tmp_path / "questions.txt").write_text(questions, encoding="utf-8")
    training = next(place for place, command in enumerate(rest) if command[1] == "train")
    checked = follow(querent, rest[:training])
    assert "0 errors" in checked["check"].out
    file = tmp_path / "library" / "examples.en.jsonl"
    pairs = file.read_text(encoding="utf-8").splitlines(keepends=True)
    assert len(pairs) >= 200
    file.write_text("".join(pairs[::32]), encoding="utf-8")  # they are learnt and asked as all of them are
    follow(querent, rest[training:])
    answers = [json.loads(line) for line in (tmp_path / "answers.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [a["question"] for a in answers] == questions.splitlines()
    assert {a["status"] for a in answers} <= {"ok", "unsure"}  # the network is small


# --- places that pages name

PLACE = re.compile(r"(?<=`)(?:[a-z_]+/)+(?:[\w.*-]+)?(?=`)|(?<=\()[\w/]+/[\w.]+\.(?:py|md)(?=\))")
"""A folder, file or pattern of files in backticks; NAME stands for a dialect, LANGUAGE for a language."""


def missing(text: str, root: Path) -> list[str]:
    """Return the files and folders that a page names, and that are not there; none at all is an error."""
    found = [re.sub("NAME|LANGUAGE", "*", place) for place in PLACE.findall(text)]
    assert found
    return [place for place in found if not any(root.glob(place.rstrip("/")))]


@pytest.mark.parametrize("page", ["docs/architecture.md", "CONTRIBUTING.md", "SECURITY.md"])
def test_every_place_that_a_page_names_exists(page):
    assert missing((ROOT / page).read_text(encoding="utf-8"), ROOT) == []


def test_a_place_that_is_not_there_is_found():
    assert missing("see `grammar/no_such.py`, `parser/`", ROOT) == ["grammar/no_such.py"]


def test_the_architecture_fits_ten_minutes():
    assert len((ROOT / "docs" / "architecture.md").read_text(encoding="utf-8").split()) <= 1800
