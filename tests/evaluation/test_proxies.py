"""The proxy benchmarks: every gold query runs and says something, and no wording is one that training has."""

from __future__ import annotations

import json
import re
import sqlite3
import tomllib
from contextlib import ExitStack, closing
from itertools import product
from pathlib import Path

import pytest

from bench.proxies.__main__ import main
from bench.proxies.content import LANGUAGES, fields, read
from bench.proxies.layouts import LETTERS, layout
from bench.proxies.writing import write

ROOT = Path(__file__).resolve().parents[2]
SETS = ("sparc", "cosql", "doubts")


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("proxies")
    main(["make", str(folder), "--seed", "7"])
    return folder


@pytest.fixture(scope="module")
def turns(written):
    """Each question or turn with its set and what runs a query on its database."""
    found = []
    with ExitStack() as stack:
        for language in LANGUAGES:
            home = written / language
            files = home.glob("database/*/*.sqlite")
            opened = {file.stem: stack.enter_context(closing(sqlite3.connect(file))) for file in files}
            for name in ("train", *SETS):
                for one in json.loads((home / f"{name}.json").read_text(encoding="utf-8")):
                    database = opened[one.get("db_id") or one["database_id"]]
                    found += [(language, name, turn, database.execute) for turn in one.get("interaction", [one])]
        yield found


def test_thirty_databases_differ_in_structure_and_names(written):
    for language in LANGUAGES:
        described = json.loads((written / language / "tables.json").read_text(encoding="utf-8"))
        assert len(described) == 30
        assert len({json.dumps(one["column_names"]) for one in described}) == 30
        assert all(3 <= len(one["table_names"]) <= 8 for one in described)
        assert all(one["foreign_keys"] for one in described)


def test_keys_hold_and_tables_have_rows(written):
    for file in written.glob("*/database/*/*.sqlite"):
        with closing(sqlite3.connect(file)) as database:
            assert database.execute("PRAGMA foreign_key_check").fetchall() == [], file
            tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            rows = sum(database.execute(f"SELECT COUNT(*) FROM {table}").fetchone()[0] for table in tables)
            assert 100 <= rows <= 2000, file


def test_there_are_enough_questions_and_dialogues(turns):
    for language in LANGUAGES:
        counts = {name: sum(one[:2] == (language, name) for one in turns) for name in ("train", *SETS)}
        assert counts["train"] >= 290
        assert min(counts["sparc"], counts["cosql"]) >= 400
        kinds = {turn["kind"] for own, name, turn, _ in turns if own == language and name == "doubts"}
        assert {kind.split()[0] for kind in kinds} == {"ambiguous", "unanswerable"}
        assert len(kinds) == 13


def test_every_gold_query_runs_and_says_something(turns):
    for _, _, turn, run in turns:
        for sql in turn.get("readings", [turn["query"]] if turn["query"] else []):
            rows = run(sql).fetchall()
            assert rows, turn
            assert all(cell is not None for row in rows for cell in row), turn
            assert any(cell != 0 for row in rows for cell in row), turn


def test_readings_of_a_question_differ_in_rows_and_hold_what_was_meant(turns):
    several = [(turn, run) for _, _, turn, run in turns if "readings" in turn]
    assert len(several) > 200
    for turn, run in several:
        rows = [run(sql).fetchall() for sql in turn["readings"]]
        assert all(one != other for n, one in enumerate(rows) for other in rows[:n]), turn
        assert turn["query"] in turn["readings"]
        assert turn["reply"]


def test_what_cannot_be_answered_has_no_query(turns):
    for _, _, turn, _ in turns:
        assert (turn["query"] == "") == turn.get("kind", "").startswith("unanswerable"), turn


def test_slots_are_filled_and_the_language_is_the_questions(turns):
    for language, _, turn, _ in turns:
        said = turn.get("question") or turn["utterance"]
        assert "{" not in said
        assert "*" not in said
        assert language == "zh" or not re.search("[一-鿿]", said), said


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_question_is_among_the_solved_ones(written, language):
    asked = {one["question"] for one in json.loads((written / language / "train.json").read_text(encoding="utf-8"))}
    lines = [line for file in (written / language / "solved").glob("*.jsonl") for line in file.open(encoding="utf-8")]
    assert len(lines) > 800
    assert asked.isdisjoint(json.loads(line)["question"] for line in lines)


def plain(wording):
    """Return a wording without its slots, case and marks, so that only its own words count."""
    return re.sub(r"[^\w_]+", " ", re.sub(r"\{[^{}]*\}|<[^<>]*>", "_", wording).lower()).strip()


def ways(wording):
    """Return all that a wording of the sampler says: «[a|b]» is a or b."""
    parts = [part.split("|") for part in re.split(r"[\[\]]", wording)]
    fixed = [part if n % 2 else ["|".join(part)] for n, part in enumerate(parts)]
    return {plain("".join(some)) for some in product(*fixed)}


def texts(value):
    if isinstance(value, str):
        yield value
    else:
        for one in value.values() if isinstance(value, dict) else value:
            yield from texts(one)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_wording_is_one_that_training_has(language):
    files = [*ROOT.glob(f"data/sampler/*_{language}.toml"), ROOT / f"bench/knowbench/wordings.{language}.toml"]
    learnt = {w for file in files for text in texts(tomllib.loads(file.read_text("utf-8"))) for w in ways(text)}
    sources = [one[language] for name in ("templates", "moves") for one in read(name).values()]
    sources += [one[language] for kinds in read("doubts").values() for one in kinds.values()]
    own = {plain(wording) for source in sources for wording in source}
    assert len(learnt) > 1000
    assert len(own) > 300
    assert own & learnt - {""} == set()


def test_the_same_seed_writes_the_same_and_another_asks_otherwise(tmp_path, monkeypatch):
    some = fields()[-1:]
    monkeypatch.setattr("bench.proxies.writing.fields", lambda: some)
    monkeypatch.setattr("bench.proxies.writing.TALKS", 6)
    monkeypatch.setattr("bench.proxies.writing.EACH", 1)
    monkeypatch.setattr("bench.proxies.writing.DOUBTS", 2)
    for place, seed in (("one", 7), ("again", 7), ("other", 8)):
        write(tmp_path / place, "en", seed=seed)
    for name in ("tables", "train", *SETS):
        files = [tmp_path / place / "en" / f"{name}.json" for place in ("one", "again", "other")]
        one, again, other = (file.read_bytes() for file in files)
        assert one == again
        assert (one == other) == (name == "tables")


def test_no_two_tables_or_columns_of_a_table_are_called_the_same():
    for field, letter, language in product(fields(), LETTERS, LANGUAGES):
        own = layout(field, letter, language)
        tables = [one.table for one in own.things.values()]
        assert len({*tables, *own.lookups}) == len(tables) + len(own.lookups)
        for one in own.things.values():
            names = [one.key, one.label, *one.links.values(), *(c.name for c in one.columns.values())]
            assert len(set(names)) == len(names), (own.name, names)
