"""Whatever is wrong with a command: one clear line, exit code 2, and nothing written or lost."""

import json
import shlex
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from scripted import Scripted, fenced
from tiny_domain import write

import querent as face

pytestmark = pytest.mark.usefixtures("cache")

CASES = [
    line.split(" | ")
    for line in Path(__file__).with_name("mistakes.txt").read_text("utf-8").splitlines()
    if not line.startswith("#")
]
FILES = {
    "begun/config.yaml": "seed: 0\n",
    "listed/hashes.json": "[]",
    "holed/best/mine.txt": "…",
    "theses/mine.txt": "…",
    "bad.yaml": "optim:\n  epoch: 3\n",
    "bad.jsonl": '{"question": "a"}\n{"question": "b"\n',
    "role.toml": '[columns]\nartists = ["name"]\n',
    "questions.txt": "which albums came out after 1970?\n",
    "solved.jsonl": json.dumps({"question": "who made Debut", "sql": "SELECT name FROM artist"}) + "\n",
    "query.sql": "SELECT 1",
    "knowledge.toml": '[[formula]]\nname = "old record"\nkind = "condition"\nis = "year < 1980"\n',
}


@pytest.fixture
def folder(tmp_path, monkeypatch, tiny, music):
    """Return a folder with the files that the commands name; the language model is called ``model``."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    with closing(sqlite3.connect(tmp_path / "none.sqlite")) as database:
        database.execute("PRAGMA user_version = 1")
    with closing(sqlite3.connect(tmp_path / "views.sqlite")) as database:
        database.executescript("CREATE TABLE gone (x); CREATE VIEW one AS SELECT x FROM gone; DROP TABLE gone;")
    write(tmp_path / "domain")
    write(tmp_path / "bare", database=False)
    pairs = write(tmp_path / "broken") / "examples.jsonl"
    pairs.write_text(pairs.read_text("utf-8").replace("\n", "\n{", 1), encoding="utf-8")
    (write(tmp_path / "gone") / "tiny.sqlite").rename(tmp_path / "gone" / "moved.sqlite")
    (tmp_path / "run").symlink_to(tiny / "run")
    load = face.load_backend

    def load_model(spec):
        return Scripted([fenced("SELECT 1")]) if spec == "model" else load(spec)

    monkeypatch.setattr(face, "load_backend", load_model, raising=False)
    return tmp_path


def state(folder: Path) -> dict[Path, bytes | None]:
    return {file: file.read_bytes() if file.is_file() else None for file in folder.rglob("*")}


@pytest.mark.parametrize(("command", "said"), [(one, rest) for one, *rest in CASES], ids=[one for one, *_ in CASES])
def test_it_is_told_in_one_line_and_nothing_is_written(querent, folder, command, said):
    before = state(folder)
    words, _, stdin = command.partition(" < ")
    line = querent(*shlex.split(words), stdin=stdin.encode().decode("unicode_escape") or None).error()
    assert [part for part in said if part not in line] == []
    assert state(folder) == before


@pytest.mark.parametrize("words", ["--beam 0", "--limit 0", "--part exam", "--values all"])
def test_a_wrong_word_is_shown_with_the_usage(querent, words):
    ended = querent("evaluate", "run", "domain", *words.split())
    assert (ended.code, ended.out, words.split()[0] in ended.err, "Traceback" in ended.err) == (2, "", True, False)
    assert "evaluate" in querent("evalute", "x").err
